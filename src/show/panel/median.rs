//! The call of median length, which several panels show: the one in the middle of those that are no warm-up.

use base::words::literal;
use report::Row;
use workspace::Workspace;

use super::asked::{Asked, ask};
use super::parts::PanelError;

const MEDIAN: &str = "WITH ranked AS (SELECT bundle, invocation, start_ns, wall_ns, busy_ns, \
row_number() OVER (ORDER BY wall_ns, bundle, invocation) AS nth, count(*) OVER () AS calls \
FROM invocations WHERE wall_ns IS NOT NULL AND NOT is_warmup) \
SELECT bundle, invocation, start_ns, wall_ns, busy_ns FROM ranked WHERE nth = floor((calls + 1) / 2)";

/// A call, and when it ran.
pub struct MedianCall {
    pub bundle: String,
    pub number: u64,
    /// By the clock of its dispatches: a number of SQL, as a `f64` is not exact enough for nanoseconds since 1970.
    pub start_ns: String,
    pub wall_ns: f64,
    pub busy_ns: f64,
    /// The query for its dispatches and those of the next call, with times since it began, and the answer.
    pub query: String,
    answer: Asked,
}

impl MedianCall {
    /// Finds the call; `None` if no call was timed.
    pub fn find(workspace: &Workspace) -> Result<Option<Self>, PanelError> {
        let asked = ask(workspace, MEDIAN)?;
        let rows = asked.rows();
        let Some(row) = rows.first() else { return Ok(None) };
        let [wall_ns, busy_ns] = ["wall_ns", "busy_ns"].map(|name| row.number(name).unwrap_or(0.0));
        let [bundle, start_ns] = ["bundle", "start_ns"].map(|name| row.text(name));
        let number = row.count("invocation");
        let query = format!(
            "SELECT session_id AS session, physical_device_ordinal AS device, queue_ordinal AS queue, stream_id AS stream, \
             submission_id AS submission, invocation, key, time_domain, start_ns - {start_ns} AS from_ns, \
             end_ns - {start_ns} AS to_ns FROM dispatches WHERE bundle = {} AND invocation BETWEEN {number} AND {number} + 1 \
             AND is_valid AND is_best_clock AND start_ns IS NOT NULL ORDER BY start_ns",
            literal(&bundle)
        );
        let answer = ask(workspace, &query)?;
        Ok(Some(Self { bundle, number, start_ns, wall_ns, busy_ns, query, answer }))
    }

    /// Returns its dispatches by start.
    pub fn dispatches(&self) -> Vec<Row<'_>> {
        let mut rows = self.answer.rows();
        rows.retain(|row| row.count("invocation") == self.number);
        rows
    }

    /// Returns the host time of its first submission, and the nanoseconds until that of the next call. `None` if they were not recorded.
    pub(crate) fn host_times(
        &self,
        workspace: &Workspace,
    ) -> Result<Option<(String, f64)>, PanelError> {
        let rows = self.answer.rows();
        let first = |number: u64| {
            let row = rows.iter().find(|row| row.count("invocation") == number)?;
            let columns = [
                ("session", "session_id"),
                ("device", "physical_device_ordinal"),
                ("queue", "queue_ordinal"),
                ("stream", "stream_id"),
                ("submission", "submission_id"),
            ];
            let is =
                |(name, column): (&str, &str)| Some(format!("{column} = {}", row.whole(name)?));
            columns.map(is).into_iter().collect::<Option<Vec<_>>>().map(|all| all.join(" AND "))
        };
        let (Some(own), Some(next)) = (first(self.number), first(self.number + 1)) else {
            return Ok(None);
        };
        let query = format!(
            "SELECT min(host_time_ns) FILTER (WHERE {own}) AS from_ns, min(host_time_ns) FILTER (WHERE {next}) \
             - min(host_time_ns) FILTER (WHERE {own}) AS length_ns FROM queue_events \
             WHERE bundle = {} AND ({own} OR {next})",
            literal(&self.bundle)
        );
        let asked = ask(workspace, &query)?;
        let rows = asked.rows();
        let length = |row: &Row<'_>| Some((row.text("from_ns"), row.number("length_ns")?));
        Ok(rows.first().and_then(length).filter(|(_, length)| *length > 0.0))
    }
}
