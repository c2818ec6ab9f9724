//! `pg_catalog`: what clients ask to list tables, columns, types and their documentation.
//!
//! The tables are those of `datafusion-pg-catalog`, over the catalog of the engine, with those that clients need beside them:
//! descriptions, settings, functions, and `information_schema`. They are planned in a session of their own, in which the tables of the
//! engine have columns and cannot be read: a query that joins both is refused instead of answered with no rows.

mod attributes;
mod closed;
mod docs;
mod drivers;
mod empty;
mod function;
mod functions;
mod information;
mod rewrite;
mod settings;

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema};
use datafusion::catalog::{CatalogProvider, MemTable, MemoryCatalogProvider, SchemaProvider};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::execution::FunctionRegistry;
use datafusion::execution::context::{SessionConfig, SessionContext};
use datafusion::sql::parser::Statement as Parsed;
use datafusion_pg_catalog::pg_catalog::context::EmptyContextProvider;
use datafusion_pg_catalog::setup_pg_catalog;
use datafusion_pg_catalog::sql::PostgresCompatibilityParser;
use engine::{Engine, EngineError, Ready};

use self::closed::Closed;
use self::docs::{Docs, Overlaid, Relation};
use self::drivers::answering;
pub use self::drivers::parameters as of_driver;
use self::empty::{EMPTY, without_rows};
use self::functions::{Numbers, functions, of_session};
use self::rewrite::{rewritten, with_names};
use crate::postgres::settings::Settings;

/// The name of the database.
pub const DATABASE: &str = "ireescope";

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
            .set_str("datafusion.execution.time_zone", "UTC");
        let context = SessionContext::new_with_config(config);
        let catalog = Arc::new(MemoryCatalogProvider::new());
        for (name, schema) in engine.schemas()? {
            catalog.register_schema(&name, Arc::new(Closed(schema)))?;
        }
        context.register_catalog(DATABASE, Arc::clone(&catalog) as Arc<dyn CatalogProvider>);
        setup_pg_catalog(&context, DATABASE, EmptyContextProvider).map_err(|error| *error)?;
        let this = Self { context, parser: PostgresCompatibilityParser::new() };
        let relations = this.relations().await?;
        let mut docs = Docs::default();
        for relation in &relations {
            docs.add(relation);
        }
        let docs = Arc::new(docs);
        let numbers = numbers(&relations, &docs);
        for function in functions(&docs, this.types().await?, numbers) {
            this.context.register_udf(function);
        }
        let Some(inner) = catalog.schema("pg_catalog") else { return Ok(this) };
        // Before its relations are there, whose views read the attributes, and after, with theirs.
        this.overlay(&catalog, &inner, &relations, &docs).await?;
        information::add(&this.context, catalog.as_ref()).await?;
        this.overlay(&catalog, &inner, &relations, &docs).await?;
        Ok(this)
    }

    /// Puts relations of our own in place of some of `pg_catalog`.
    async fn overlay(
        &self,
        catalog: &MemoryCatalogProvider,
        inner: &Arc<dyn SchemaProvider>,
        relations: &[Relation],
        docs: &Docs,
    ) -> Result<(), EngineError> {
        let Some(attributes) = inner.table("pg_attribute").await? else { return Ok(()) };
        let attributes = attributes::table(&self.context, attributes, catalog, relations).await?;
        let mut tables = HashMap::from([
            ("pg_attribute", attributes),
            ("pg_description", docs.table()?),
            ("pg_settings", settings::table()?),
        ]);
        let texts = ["schemaname", "tablename", "indexname", "tablespace", "indexdef"];
        let texts = texts.map(|name| Field::new(name, DataType::Utf8, true));
        let indexes = Arc::new(Schema::new(texts.to_vec()));
        tables.insert("pg_indexes", Arc::new(MemTable::try_new(indexes, vec![vec![]])?));
        // `datafusion-pg-catalog` has the keys and indexes of PostgreSQL's own relations.
        for name in EMPTY {
            if let Some(table) = inner.table(name).await? {
                tables.insert(name, Arc::new(MemTable::try_new(table.schema(), vec![vec![]])?));
            }
        }
        let overlaid = Overlaid { inner: Arc::clone(inner), tables };
        catalog.register_schema("pg_catalog", Arc::new(overlaid))?;
        Ok(())
    }

    /// Plans a statement about the catalogue.
    pub async fn ready(
        &self,
        text: &str,
        settings: &Arc<Settings>,
        user: &str,
    ) -> Result<Ready, EngineError> {
        let wrong = |error| EngineError::from(DataFusionError::from(error));
        let mut statements = self.parser.parse(&with_names(answering(text))).map_err(wrong)?;
        let (Some(mut statement), 0) = (statements.pop(), statements.len()) else {
            return Err(EngineError::Query("expected one statement".into()));
        };
        rewritten(&mut statement).map_err(wrong)?;
        let mut state = self.context.state();
        for function in of_session(settings, user) {
            state.register_udf(Arc::new(function))?;
        }
        let plan = match without_rows(&statement) {
            Some(nothing) => state.create_logical_plan(&nothing).await?,
            None => state.statement_to_plan(Parsed::Statement(Box::new(statement))).await?,
        };
        Ready::reading(SessionContext::new_with_state(state), plan)
    }

    /// Returns the relations with their numbers.
    async fn relations(&self) -> Result<Vec<Relation>, EngineError> {
        let text = "SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c \
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace";
        let mut relations = Vec::new();
        for batch in self.context.sql(text).await?.collect().await? {
            let [numbers, schemas, names] = batch.columns() else { continue };
            let numbers = numbers.as_primitive::<Int32Type>();
            let names = texts(schemas)?.into_iter().zip(texts(names)?);
            for (number, (schema, name)) in numbers.iter().zip(names) {
                if let Some(number) = number {
                    relations.push(Relation { number, schema, name });
                }
            }
        }
        Ok(relations)
    }

    /// Returns the numbers of types by their names.
    async fn types(&self) -> Result<Numbers, EngineError> {
        let text = "SELECT oid, typname FROM pg_catalog.pg_type";
        let mut types = Numbers::new();
        for batch in self.context.sql(text).await?.collect().await? {
            let [numbers, names] = batch.columns() else { continue };
            let numbers = cast(numbers, &DataType::Int32).map_err(DataFusionError::from)?;
            let numbers = numbers.as_primitive::<Int32Type>().iter();
            types.extend(
                texts(names)?.into_iter().zip(numbers).filter_map(|(name, it)| Some((name, it?))),
            );
        }
        Ok(types)
    }
}

/// Returns the numbers of relations by their names, without the schema where they are found without.
fn numbers(relations: &[Relation], docs: &Docs) -> Numbers {
    let mut numbers = Numbers::new();
    for Relation { number, schema, name } in relations {
        numbers.insert(format!("{schema}.{name}"), *number);
        if docs.is_visible(*number) {
            numbers.insert(name.clone(), *number);
        }
    }
    numbers
}

fn texts(column: &ArrayRef) -> Result<Vec<String>> {
    let column = cast(column, &DataType::Utf8)?;
    Ok(column.as_string::<i32>().iter().map(|it| it.unwrap_or_default().to_owned()).collect())
}
