//! The flags that select the contents of a timeline, the call that draws it, and what is said of it.

use std::path::Path;

use clap::{Args, ValueEnum};
use exporters::perfetto::Rows;

use super::error::CliError;
use super::nothing::Asked;
use super::open::Opening;
use super::output::Destination;
use super::progress::bar;
use crate::att::Settings;
use crate::engine;
use crate::timeline::{
    self, Drawn, EmptyQuery, EmptyTimeline, Event, TimelineSpec, TraceClock, TraceDetail,
};

#[derive(Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Timelines")]
pub struct Drawing {
    /// Only this time window: each end in nanoseconds from the start of the capture, as a number with the unit ns, us,
    /// ms or s, or as a percentage of the capture; either end may be omitted
    #[arg(long, value_name = "START:END", allow_hyphen_values = true)]
    pub window: Option<String>,
    /// Only slices and instants whose name matches this pattern, and counters whose track name matches: `*` matches any
    /// characters, `?` matches one
    #[arg(long, value_name = "PATTERN")]
    pub filter: Option<String>,
    /// Draw the rows of this query as slices: `track`, `name`, `start_ns` and `end_ns` or `duration_ns`; may be repeated
    #[arg(long, value_name = "SQL")]
    pub slices: Vec<String>,
    /// Draw the rows of this query as instants: `track`, `name` and `time_ns`; may be repeated
    #[arg(long, value_name = "SQL")]
    pub instants: Vec<String>,
    /// Draw the rows of this query as counters: `track`, `time_ns` and `value`; may be repeated
    #[arg(long, value_name = "SQL")]
    pub counters: Vec<String>,
    /// Draw the default tracks in addition to those of queries
    #[arg(long)]
    pub all: bool,
    /// Which host time is the time 0 of the trace: `own`, for each bundle its own first event, so that all begin together; or
    /// `host`, the time 0 of the host's clock, so that captures of one machine since it started lie in their real order
    #[arg(
        long,
        value_enum,
        value_name = "CLOCK",
        default_value_t = Zero::Own,
        hide_possible_values = true
    )]
    pub clock: Zero,
    /// Write dispatches, counters and device metrics as Perfetto's GPU packets (render stages and GPU counters) instead of
    /// track events, and problems of the bundle as GPU logs
    #[arg(long)]
    pub gpu_packets: bool,
    /// Draw the waves of AMD GPUs by compute unit, SIMD and slot, with their states, and with `--att=instructions` each
    /// execution of an instruction; decodes the instruction traces of the functions that --filter selects, with ROCm's
    /// libraries
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "waves",
        hide_possible_values = true
    )]
    pub att: Option<Waves>,
}

/// What is drawn of instruction traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Waves {
    /// Waves and their states
    Waves,
    /// Also each execution of an instruction
    Instructions,
}

/// Which host time is the time 0 of a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Zero {
    /// The first event of each bundle
    #[default]
    Own,
    /// The time 0 of the host's clock
    Host,
}

impl Drawing {
    /// Draws bundles to a file.
    pub fn draw(
        &self,
        bundles: &[String],
        path: &Path,
        opening: &Opening,
    ) -> Result<Drawn, CliError> {
        let spec = self.spec()?;
        let opening = Opening { traces: Settings::default(), ..opening.clone() };
        let opened = timeline::open(bundles, &spec, &opening.options())?;
        let destination = Destination::new(Some(path), opened.iter().map(|it| it.engine.as_ref()))?;
        let mut shown = bar("drawing");
        let mut listener = |event| {
            let warning = match event {
                Event::Progress(progress) => return shown(progress),
                Event::EmptyTimeline { bundle, reason } => {
                    format!("{bundle}: nothing is drawn. {}", self.of_timeline(&reason))
                }
                Event::Unplaced { bundle } => {
                    format!("{bundle}: nothing is drawn. It has no host times for --clock=host.")
                }
                Event::EmptyQuery { rows, reason } => {
                    format!("a query of --{} draws nothing: {}", rows.noun(), of_query(reason))
                }
            };
            // A line is not printed into a bar.
            shown = bar("drawing");
            eprintln!("ireescope: warning: {warning}");
        };
        let drawn = timeline::draw(opened, &spec, destination.writer(), &mut listener)?;
        destination.commit()?;
        spec.check_traces(opening.traces.take_outcome())?;
        Ok(drawn)
    }

    /// Converts the flags.
    fn spec(&self) -> Result<TimelineSpec, CliError> {
        let mut queries = Vec::new();
        for (rows, texts) in [
            (Rows::Slices, &self.slices),
            (Rows::Instants, &self.instants),
            (Rows::Counters, &self.counters),
        ] {
            for text in texts {
                queries.extend(engine::parse(text)?.into_iter().map(|statement| (rows, statement)));
            }
        }
        Ok(TimelineSpec {
            window: self.window.as_deref().map(str::parse).transpose()?,
            filter: self.filter.clone(),
            only_queries: !queries.is_empty() && !self.all,
            queries,
            gpu_packets: self.gpu_packets,
            traces: self.att.map(|waves| match waves {
                Waves::Waves => TraceDetail::Waves,
                Waves::Instructions => TraceDetail::Instructions,
            }),
            clock: match self.clock {
                Zero::Own => TraceClock::Own,
                Zero::Host => TraceClock::Host,
            },
        })
    }

    /// Says why a timeline is empty.
    fn of_timeline(&self, reason: &EmptyTimeline) -> String {
        match reason {
            EmptyTimeline::Unmatched(names) => {
                let filter = self.filter.as_deref().unwrap_or("*");
                let asked = Asked::default().pattern("--filter", filter);
                let names = names.iter().map(String::as_str);
                asked.unmatched("slice name", names).unwrap_or_default()
            }
            EmptyTimeline::OutsideWindow => "No event lies within --window.".to_owned(),
            EmptyTimeline::NoEvents => "It has no events with a time.".to_owned(),
        }
    }
}

/// Says why a query draws nothing.
const fn of_query(reason: EmptyQuery) -> &'static str {
    match reason {
        EmptyQuery::NoRows => "its result has no rows",
        EmptyQuery::Incomplete => "its rows lack a time or a value, or end before they start",
        EmptyQuery::OutsideWindow => "none of its rows lies within --window",
        EmptyQuery::Unmatched => "none of its rows has a name that --filter matches",
    }
}
