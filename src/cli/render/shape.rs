//! The contents of a timeline, parsed from the flags.

use exporters::perfetto::Rows;

use super::drawing::{Drawing, Waves};
use super::window::Window;
use crate::cli::error::CliError;
use crate::engine::{self, Statement};

/// The contents of a timeline.
#[derive(Debug, Default)]
pub struct Shape {
    pub window: Option<Window>,
    pub filter: Option<String>,
    /// User queries, each with the kind of its rows.
    pub queries: Vec<(Rows, Statement)>,
    /// Whether the default tracks are left out.
    pub only_queries: bool,
    /// Whether dispatches and counters become GPU packets.
    pub gpu_packets: bool,
    /// What is drawn of instruction traces.
    pub waves: Option<Waves>,
}

impl Shape {
    /// Parses the flags.
    pub fn of(args: &Drawing) -> Result<Self, CliError> {
        let mut queries = Vec::new();
        let given = [
            (Rows::Slices, &args.slices),
            (Rows::Instants, &args.instants),
            (Rows::Counters, &args.counters),
        ];
        for (rows, texts) in given {
            for text in texts {
                queries.extend(engine::parse(text)?.into_iter().map(|statement| (rows, statement)));
            }
        }
        let window = args.window.as_deref().map(Window::parse).transpose();
        Ok(Self {
            window: window.map_err(CliError::Usage)?,
            filter: args.filter.clone(),
            only_queries: !queries.is_empty() && !args.all,
            queries,
            gpu_packets: args.gpu_packets,
            waves: args.att,
        })
    }
}
