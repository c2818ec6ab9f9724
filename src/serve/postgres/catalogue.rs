//! `pg_catalog`: what clients ask to list tables, columns, types and their documentation.
//!
//! The tables are those of `datafusion-pg-catalog`, over the catalog of the engine. They are planned in a session of their own,
//! in which the tables of the engine have columns and cannot be read: a query that joins both is refused instead of answered
//! with no rows.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, AsArray, Int32Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int32Type, SchemaRef};
use datafusion::catalog::{
    CatalogProvider, MemTable, MemoryCatalogProvider, SchemaProvider, Session, TableProvider,
};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::TableType;
use datafusion::execution::context::{SessionConfig, SessionContext};
use datafusion::logical_expr::{ColumnarValue, Expr, ScalarUDF, Volatility, create_udf};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::sql::parser::Statement as Parsed;
use datafusion_postgres::datafusion_pg_catalog::pg_catalog::context::EmptyContextProvider;
use datafusion_postgres::datafusion_pg_catalog::setup_pg_catalog;
use datafusion_postgres::datafusion_pg_catalog::sql::PostgresCompatibilityParser;

use crate::engine::{Engine, EngineError, Ready};

/// The name of the database.
pub const DATABASE: &str = "ireescope";
/// The relation of PostgreSQL that lists relations, as descriptions name it.
const PG_CLASS: i32 = 1259;

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
        let wrong = |error| EngineError::from(datafusion::error::DataFusionError::from(error));
        let mut statements = self.parser.parse(text).map_err(wrong)?;
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
        for function in docs.functions() {
            self.context.register_udf(function);
        }
        Ok(())
    }
}

fn texts(column: &ArrayRef) -> Result<Vec<String>> {
    let column = cast(column, &DataType::Utf8)?;
    Ok(column.as_string::<i32>().iter().map(|it| it.unwrap_or_default().to_owned()).collect())
}

/// The documentation of relations and their columns.
#[derive(Debug, Default)]
struct Docs {
    /// By the number of the relation and of the column; 0 for the relation itself.
    texts: HashMap<(i32, i32), String>,
}

impl Docs {
    fn add(&mut self, number: i32, schema: &str, name: &str) {
        let table = schemas::find(name).filter(|_| schema == "public");
        let kind =
            sql::Kind::ALL.into_iter().find(|kind| kind.schema().unwrap_or("public") == schema);
        let view = kind.and_then(|kind| sql::find(kind, name));
        let (doc, columns): (String, Vec<String>) = if let Some(table) = table {
            let columns = table.columns().into_iter();
            (table.row.to_owned(), columns.map(|it| with_unit(&it.doc, it.unit.name())).collect())
        } else if let Some(view) = view {
            let header = view.header();
            let columns = header.columns.iter();
            (header.doc.clone(), columns.map(|it| with_unit(&it.doc, &it.unit)).collect())
        } else {
            return;
        };
        self.texts.insert((number, 0), doc);
        for (nth, doc) in (1..).zip(columns) {
            self.texts.insert((number, nth), doc);
        }
    }

    /// Returns the rows of `pg_description`.
    fn table(&self) -> Result<Arc<dyn TableProvider>> {
        let mut all: Vec<_> = self.texts.iter().collect();
        all.sort();
        let relations = all.iter().map(|((relation, _), _)| *relation);
        let columns = all.iter().map(|((_, column), _)| *column);
        let texts = all.iter().map(|(_, text)| Some(text.as_str()));
        let class = std::iter::repeat_n(PG_CLASS, all.len());
        let rows = RecordBatch::try_from_iter([
            ("objoid", Arc::new(relations.collect::<Int32Array>()) as ArrayRef),
            ("classoid", Arc::new(class.collect::<Int32Array>())),
            ("objsubid", Arc::new(columns.collect::<Int32Array>())),
            ("description", Arc::new(texts.collect::<StringArray>())),
        ])?;
        Ok(Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]])?))
    }

    /// Returns the functions that read descriptions.
    fn functions(self: &Arc<Self>) -> [ScalarUDF; 3] {
        let (of_column, of_object) = (Arc::clone(self), Arc::clone(self));
        let column = move |values: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(values)?;
            let [relations, columns] = arrays.as_slice() else { return plan_err!("two arguments") };
            of_column.found(relations, Some(columns))
        };
        let object = move |values: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(values)?;
            let [relations, _] = arrays.as_slice() else { return plan_err!("two arguments") };
            of_object.found(relations, None)
        };
        let nothing = |values: &[ColumnarValue]| {
            let rows = ColumnarValue::values_to_arrays(values)?.first().map_or(1, |it| it.len());
            let none = StringArray::new_null(rows);
            Ok(ColumnarValue::Array(Arc::new(none)))
        };
        let (int, text) = (DataType::Int32, DataType::Utf8);
        let of = |name, second: &DataType, run| {
            let taken = vec![int.clone(), second.clone()];
            create_udf(name, taken, text.clone(), Volatility::Stable, run)
        };
        [
            of("col_description", &int, Arc::new(column)),
            of("obj_description", &text, Arc::new(object)),
            of("shobj_description", &text, Arc::new(nothing)),
        ]
    }

    fn found(&self, relations: &ArrayRef, columns: Option<&ArrayRef>) -> Result<ColumnarValue> {
        let relations = relations.as_primitive::<Int32Type>();
        let columns = columns.map(|it| it.as_primitive::<Int32Type>());
        let found = relations.iter().enumerate().map(|(row, relation)| {
            let column = columns.map_or(0, |columns| columns.value(row));
            self.texts.get(&(relation?, column)).map(String::as_str)
        });
        Ok(ColumnarValue::Array(Arc::new(found.collect::<StringArray>())))
    }
}

fn with_unit(doc: &str, unit: &str) -> String {
    if unit.is_empty() { doc.to_owned() } else { format!("{doc} [{unit}]") }
}

/// `pg_catalog` with descriptions.
#[derive(Debug)]
struct Described {
    inner: Arc<dyn SchemaProvider>,
    table: Arc<dyn TableProvider>,
}

#[async_trait]
impl SchemaProvider for Described {
    fn table_names(&self) -> Vec<String> {
        self.inner.table_names()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if name == "pg_description" {
            return Ok(Some(Arc::clone(&self.table)));
        }
        self.inner.table(name).await
    }

    fn table_exist(&self, name: &str) -> bool {
        self.inner.table_exist(name)
    }
}

/// A schema of the engine whose tables have columns and cannot be read.
#[derive(Debug)]
struct Closed(Arc<dyn SchemaProvider>);

#[async_trait]
impl SchemaProvider for Closed {
    fn table_names(&self) -> Vec<String> {
        self.0.table_names()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        // A dataset does not have all of them.
        let table = self.0.table(name).await.ok().flatten();
        let kind = if schemas::find(name).is_some() { TableType::Base } else { TableType::View };
        Ok(table.map(|table| {
            Arc::new(ClosedTable { name: name.to_owned(), schema: table.schema(), kind }) as _
        }))
    }

    async fn table_type(&self, name: &str) -> Result<Option<TableType>> {
        let kind = if schemas::find(name).is_some() { TableType::Base } else { TableType::View };
        Ok(self.0.table_exist(name).then_some(kind))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.0.table_exist(name)
    }
}

#[derive(Debug)]
struct ClosedTable {
    name: String,
    schema: SchemaRef,
    kind: TableType,
}

#[async_trait]
impl TableProvider for ClosedTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        self.kind
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let name = &self.name;
        plan_err!(
            "{name} cannot be read together with pg_catalog or functions that tell of the server; ask for them in a statement of their own"
        )
    }
}
