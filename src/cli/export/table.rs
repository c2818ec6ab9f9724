//! The formats `arrow` and `csv`: the rows of one table or view over all bundles.

use exporters::Format;

use super::what::What;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::output::Destination;
use crate::export::{TableRequest, write_table};

/// Writes the rows in one of the two formats.
pub fn write(args: &What, opening: &Opening, format: Format) -> Result<(), CliError> {
    let [relation] = args.tables.as_slice() else {
        return Err(CliError::Usage(
            "arrow and csv write one table; name it with --tables, or use `ireescope sql` for other queries"
                .into(),
        ));
    };
    let workspace = opening.open_any(&args.bundles)?;
    let destination = Destination::new(Some(&args.output), [workspace.engine.as_ref()])?;
    let destination = destination.for_spreadsheet(args.csv_safe);
    let request = TableRequest {
        relation: relation.clone(),
        condition: args.condition.clone(),
        format: destination.format(Some(format))?,
        target: destination.target(),
    };
    write_table(&workspace, &request, destination.writer())?;
    destination.commit()
}
