//! The formats `arrow` and `csv`: the rows of one table or view over all bundles.

use exporters::Format;

use super::super::encode;
use super::super::error::CliError;
use super::super::open::Opening;
use super::super::output::Destination;
use super::what::What;
use crate::engine;
use crate::workspace::Workspace;

/// Writes the rows in one of the two formats.
pub fn write(args: &What, opening: &Opening, format: Format) -> Result<(), CliError> {
    let [relation] = args.tables.as_slice() else {
        return Err(CliError::Usage(
            "arrow and csv write one table; name it with --tables, or use `ireescope sql` for other queries"
                .into(),
        ));
    };
    let Workspace { engine, runtime } = opening.open_any(&args.bundles)?;
    let destination = Destination::new(Some(&args.output), [&engine])?;
    let destination = destination.for_spreadsheet(args.csv_safe);
    let format = destination.format(Some(format))?;
    let condition =
        args.condition.as_ref().map(|text| format!(" WHERE {text}")).unwrap_or_default();
    let statements = engine::parse(&format!("SELECT * FROM {relation}{condition}"))?;
    let [statement] = statements.as_slice() else {
        return Err(CliError::Usage(
            "--tables requires one name, and --where one condition".into(),
        ));
    };
    runtime.block_on(async {
        let batches = engine.run(statement).await?;
        encode::write(&batches.schema(), batches, format, &destination).await
    })?;
    destination.commit()
}
