//! Answers the commands of `iree-profile`: their rows, and what their text shows.

use std::collections::BTreeMap;

use base::different;
use engine::{Answer, EngineError, Head, Parameters, Prepared, Warmup};
use report::layouts::{FUNCTIONS, Layout};
use report::section::Section;
use report::{absence, rows};

use super::answers::Workspace;
use super::catalogue::{Accepts, Command};
use super::unmatched::Unmatched;

/// The report of the first lines of all commands.
pub const HEALTH: &str = "capture_health";
/// The report of what was left out, of commands that leave out warm-up.
pub const WARMUP: &str = "warmup";

/// What is asked of a command. The defaults select everything, without warm-up where the command can tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRequest {
    /// Only items whose name matches this pattern: `*` matches any characters, `?` matches one.
    pub filter: String,
    /// Only items with this id, whose kind depends on the command; a negative number selects all, as in `iree-profile`.
    pub id: i64,
    /// The invocations at the start of a run that are left out.
    pub warmup: Warmup,
    /// Every dispatch instead of aggregates.
    pub dispatch_events: bool,
    /// Every counter sample besides the aggregates.
    pub counter_samples: bool,
    /// Only rows of these types; empty for all.
    pub rows: Vec<String>,
    /// What `att` sorts by: `stall`, `duration`, `hits` or `pc`.
    pub sort: &'static str,
}

impl Default for ReportRequest {
    fn default() -> Self {
        let Parameters { filter, id_filter: id, sort, .. } = Parameters::default();
        let (rows, warmup) = (Vec::new(), Warmup::default());
        Self { filter, id, warmup, dispatch_events: false, counter_samples: false, rows, sort }
    }
}

/// Why a command has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is no such command.
    #[error("unknown command {0}")]
    Command(String),
    /// The command has no rows of this type.
    #[error("`{command}` prints no rows `{rows}`; its types are {}", .known.join(", "))]
    Rows { command: &'static str, rows: String, known: Vec<&'static str> },
    /// The command does not accept this parameter.
    #[error("`{command}` does not accept {parameter:?}; commands that do: {}", .takers.join(", "))]
    Parameter { command: &'static str, parameter: Accepts, takers: Vec<&'static str> },
}

/// What the text of a command shows.
pub struct Overview {
    /// The first rows of each report.
    pub heads: BTreeMap<&'static str, Head>,
    /// What there is instead, if nothing matches.
    pub unmatched: Option<Unmatched>,
    /// Why there is nothing to show, if nothing was recorded.
    pub nothing: Option<String>,
}

impl ReportRequest {
    /// Returns the reports of the command's selected rows in the order of their JSON lines, grouped as they are merged.
    pub fn reports(&self, command: &Command) -> Result<Vec<Vec<&'static str>>, ReportError> {
        let all = command.lines(self.dispatch_events, self.counter_samples);
        let known = all.concat();
        if let Some(other) = self.rows.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(ReportError::Rows { command: command.name, rows: other.clone(), known });
        }
        let is_wanted = |report: &&'static str| {
            self.rows.is_empty() || self.rows.iter().any(|name| name == report)
        };
        Ok(all.iter().map(|reports| reports.iter().copied().filter(is_wanted).collect()).collect())
    }

    /// Returns the parameters of the command's reports.
    pub fn parameters(&self, command: &Command) -> Parameters {
        Parameters {
            filter: self.filter.clone(),
            id: u64::try_from(self.id).ok(),
            id_filter: self.id,
            by: command.by(),
            warmup: self.warmup.invocations(),
            events: self.dispatch_events || self.counter_samples,
            sort: self.sort,
            ..Parameters::default()
        }
    }

    /// Returns the parameters that are asked, and of which not every command can tell something.
    pub fn asked(&self) -> Vec<Accepts> {
        let asked = [
            (Accepts::Filter, !matches!(self.filter.as_str(), "" | "*")),
            (Accepts::Id, self.id >= 0),
            (Accepts::DispatchEvents, self.dispatch_events),
            (Accepts::CounterSamples, self.counter_samples),
        ];
        asked
            .into_iter()
            .filter(|(_, is_asked)| *is_asked)
            .map(|(parameter, _)| parameter)
            .collect()
    }

    /// Fails if the command does not accept one of these parameters.
    pub fn check(command: &Command, asked: &[Accepts]) -> Result<(), ReportError> {
        let Some(&parameter) = asked.iter().find(|parameter| !command.accepts(**parameter)) else {
            return Ok(());
        };
        let takers = Command::all().iter().filter(|command| command.accepts(parameter));
        let takers = takers.map(|command| command.name).collect();
        Err(ReportError::Parameter { command: command.name, parameter, takers })
    }
}

impl Workspace {
    /// Returns the rows of a command of `iree-profile`, such as `memory`: an answer for each type of rows, in the order of
    /// their JSON lines. `ireescope tables report.<type>` documents the columns.
    pub fn report(
        &self,
        command: &str,
        request: &ReportRequest,
    ) -> Result<Vec<(&'static str, Answer)>, ReportError> {
        let Some(known) = Command::named(command) else {
            return Err(ReportError::Command(command.to_owned()));
        };
        ReportRequest::check(known, &request.asked())?;
        let names = request.reports(known)?.concat();
        let parameters = request.parameters(known);
        let prepared = self.engine.prepare_all(sql::Kind::Report, &names, &parameters)?;
        let answers = self.at_once(prepared.into_iter().map(Prepared::answer))?;
        Ok(names.into_iter().zip(answers).collect())
    }

    /// Returns what the text of a command shows, with at most `limit` rows of each report.
    pub fn overview(
        &self,
        command: &Command,
        request: &ReportRequest,
        limit: usize,
    ) -> Result<Overview, EngineError> {
        let parameters = request.parameters(command);
        let layout = command.layout;
        let reports = layout.sections.iter().map(|section| section.report);
        let leaves_out = command.accepts(Accepts::Warmup) && request.warmup != Warmup::Keep;
        let names = different(reports.chain([HEALTH]).chain(leaves_out.then_some(WARMUP)));
        let prepared = self.engine.prepare_all(sql::Kind::Report, &names, &parameters)?;
        let read = names.iter().zip(prepared).map(|(name, prepared)| {
            // The largest rows may be the last of the report.
            let is_ranked = |it: &Section| it.report == *name && it.is_ranked();
            let is_whole = matches!(*name, HEALTH | WARMUP)
                || layout.each.is_some()
                || layout.sections.iter().any(is_ranked);
            prepared.head(if is_whole { usize::MAX } else { limit })
        });
        let heads = self.at_once(read)?;
        let heads: BTreeMap<&str, Head> = names.into_iter().zip(heads).collect();
        let is_everything = request.filter == "*" && request.id < 0;
        let unmatched = match layout.names {
            Some(names) if !is_everything => self.unmatched(&parameters, names, layout.ids)?,
            _ => None,
        };
        let nothing = match unmatched {
            Some(_) => None,
            None => match absent(layout, &heads) {
                None => self.unrecorded(layout, &heads)?,
                some => some.map(str::to_owned),
            },
        };
        Ok(Overview { heads, unmatched, nothing })
    }

    /// Returns why there are no records of the family that a command is about.
    fn unrecorded(
        &self,
        layout: &Layout,
        heads: &BTreeMap<&str, Head>,
    ) -> Result<Option<String>, EngineError> {
        let Some(family) = layout.family else { return Ok(None) };
        let counted = heads.get(family.report).map(|head| rows(&head.batches)).unwrap_or_default();
        if counted.iter().any(|row| family.columns.iter().any(|column| row.count(column) > 0)) {
            return Ok(None);
        }
        let modes = self.runtime.block_on(async {
            let all = Parameters::default();
            self.engine.prepare(sql::Kind::View, "recorded_modes", &all).await?.answer().await
        })?;
        Ok(Some(absence::of_family(family.nouns, family.mode, &rows(&modes.batches))))
    }
}

/// Returns why there are no dispatches, for commands that are about them.
fn absent(layout: &Layout, heads: &BTreeMap<&str, Head>) -> Option<&'static str> {
    layout.names.filter(|names| names.noun == FUNCTIONS.noun)?;
    absence::of_dispatches(&rows(&heads.get(HEALTH)?.batches))
}
