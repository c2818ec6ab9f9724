//! `pg_catalog`: what clients ask to list tables, columns, types and their documentation.
//!
//! The tables are those of `datafusion-pg-catalog`, over the catalog of the engine. They are planned in a session of their own,
//! in which the tables of the engine have columns and cannot be read: a query that joins both is refused instead of answered
//! with no rows.

mod closed;
mod docs;
mod functions;

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int32Type};
use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::execution::context::{SessionConfig, SessionContext};
use datafusion::sql::parser::Statement as Parsed;
use datafusion_postgres::datafusion_pg_catalog::pg_catalog::context::EmptyContextProvider;
use datafusion_postgres::datafusion_pg_catalog::setup_pg_catalog;
use datafusion_postgres::datafusion_pg_catalog::sql::PostgresCompatibilityParser;

use self::closed::Closed;
use self::docs::{Described, Docs};
use self::functions::functions;
use crate::engine::{Engine, EngineError, Ready};

/// The name of the database.
pub const DATABASE: &str = "ireescope";
/// Parts of psql's statements that have no plan, and what stands for them. No relation has options.
const REPLACED: &[(&str, &str)] = &[(
    "pg_catalog.array_to_string(c.reloptions || array(select 'toast.' || x from pg_catalog.unnest(tc.reloptions) x), ', ')",
    "''",
)];

/// The catalogue of one state of what is served.
pub struct Catalogue {
    context: SessionContext,
    parser: PostgresCompatibilityParser,
}

impl Catalogue {
    /// Creates the catalogue of an engine.
    pub async fn new(engine: &Engine) -> Result<Self, EngineError> {
        let config = SessionConfig::new()
            .with_default_catalog_and_schema(DATABASE, "public")
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(true);
        let context = SessionContext::new_with_config(config);
        let catalog = Arc::new(MemoryCatalogProvider::new());
        for (name, schema) in engine.schemas()? {
            catalog.register_schema(&name, Arc::new(Closed(schema)))?;
        }
        context.register_catalog(DATABASE, Arc::clone(&catalog) as Arc<dyn CatalogProvider>);
        setup_pg_catalog(&context, DATABASE, EmptyContextProvider).map_err(|error| *error)?;
        let this = Self { context, parser: PostgresCompatibilityParser::new() };
        this.document(&catalog).await?;
        Ok(this)
    }

    /// Plans a statement about the catalogue.
    pub async fn ready(&self, text: &str) -> Result<Ready, EngineError> {
        let wrong = |error| EngineError::from(DataFusionError::from(error));
        let text = REPLACED.iter().fold(text.to_owned(), |text, (part, by)| text.replace(part, by));
        let mut statements = self.parser.parse(&text).map_err(wrong)?;
        let (Some(statement), 0) = (statements.pop(), statements.len()) else {
            return Err(EngineError::Query("expected one statement".into()));
        };
        let statement = Parsed::Statement(Box::new(statement));
        let plan = self.context.state().statement_to_plan(statement).await?;
        Ready::reading(self.context.clone(), plan)
    }

    /// Returns the session.
    pub const fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Adds the documentation of tables and columns, which the catalogue knows by the numbers of the tables.
    async fn document(&self, catalog: &MemoryCatalogProvider) -> Result<(), EngineError> {
        let text = "SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c \
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace";
        let mut docs = Docs::default();
        for batch in self.context.sql(text).await?.collect().await? {
            let [numbers, schemas, names] = batch.columns() else { continue };
            let numbers = numbers.as_primitive::<Int32Type>();
            let (schemas, names) = (texts(schemas)?, texts(names)?);
            for ((number, schema), name) in numbers.iter().zip(&schemas).zip(&names) {
                if let Some(number) = number {
                    docs.add(number, schema, name);
                }
            }
        }
        let docs = Arc::new(docs);
        let Some(pg_catalog) = catalog.schema("pg_catalog") else { return Ok(()) };
        let described = Described { inner: pg_catalog, table: docs.table()? };
        catalog.register_schema("pg_catalog", Arc::new(described))?;
        for function in functions(&docs) {
            self.context.register_udf(function);
        }
        Ok(())
    }
}

fn texts(column: &ArrayRef) -> Result<Vec<String>> {
    let column = cast(column, &DataType::Utf8)?;
    Ok(column.as_string::<i32>().iter().map(|it| it.unwrap_or_default().to_owned()).collect())
}
