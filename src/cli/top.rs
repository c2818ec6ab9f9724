//! `top`: where the time went.

use super::args::{FormatChoice, Opening, Top};
use super::error::CliError;
use super::open;
use super::output::{Destination, terminal_width};
use crate::report::{Rows, health, top};

/// Runs the command.
pub fn run(args: &Top, opening: &Opening) -> Result<(), CliError> {
    let (engine, runtime) = open::engine(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref())?;
    let functions = runtime.block_on(engine.report("top_function"))?;
    if args.format.is_some() || args.output.is_some() {
        let format =
            destination.format(args.format.map_or(FormatChoice::Auto, FormatChoice::Named))?;
        let mut encoder =
            format.encoder(&functions.schema, destination.writer(), destination.target())?;
        for batch in &functions.batches {
            encoder.batch(batch)?;
        }
        encoder.finish()?;
        return destination.commit();
    }
    let health = runtime.block_on(engine.report("capture_health"))?;
    let health = health::lines(&Rows::new(health.batches));
    let layout = top::Layout { limit: args.limit, width: terminal_width() };
    let mut out = destination.writer();
    top::draw(&mut out, &health, &Rows::new(functions.batches), layout)
        .and_then(|()| out.flush())
        .map_err(|source| CliError::System { action: "write to standard output", source })
}
