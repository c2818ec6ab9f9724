//! The documentation of relations and columns, as `pg_description` and its functions tell it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use datafusion::catalog::{MemTable, SchemaProvider, TableProvider};
use datafusion::common::Result;

/// A relation as the catalogue names it.
pub struct Relation {
    pub number: i32,
    pub schema: String,
    pub name: String,
}

/// The documentation of relations and their columns.
#[derive(Debug, Default)]
pub struct Docs {
    /// By the number of the relation and of the column; 0 for the relation itself.
    texts: HashMap<(i32, i32), String>,
    /// The SQL of views, by their numbers.
    queries: HashMap<i32, &'static str>,
    /// The relations that are found without their schema, by their numbers.
    visible: HashSet<i32>,
    /// The number of the relation that lists relations, as descriptions name it.
    class: i32,
}

impl Docs {
    /// Adds a relation.
    pub fn add(&mut self, relation: &Relation) {
        let Relation { number, schema, name } = relation;
        let (number, schema, name) = (*number, schema.as_str(), name.as_str());
        if schema == "public" || schema == "pg_catalog" {
            self.visible.insert(number);
        }
        if (schema, name) == ("pg_catalog", "pg_class") {
            self.class = number;
        }
        let table = schemas::find(name).filter(|_| schema == "public");
        let kind =
            sql::Kind::ALL.into_iter().find(|kind| kind.schema().unwrap_or("public") == schema);
        let view = kind.and_then(|kind| sql::find(kind, name));
        let (doc, columns): (String, Vec<String>) = if let Some(table) = table {
            let columns = table.columns().into_iter();
            (table.row.to_owned(), columns.map(|it| with_unit(&it.doc, it.unit.name())).collect())
        } else if let Some(view) = view {
            self.queries.insert(number, view.query);
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
    pub fn table(&self) -> Result<Arc<dyn TableProvider>> {
        let mut all: Vec<_> = self.texts.iter().collect();
        all.sort();
        let relations = all.iter().map(|((relation, _), _)| *relation);
        let columns = all.iter().map(|((_, column), _)| *column);
        let texts = all.iter().map(|(_, text)| Some(text.as_str()));
        let class = std::iter::repeat_n(self.class, all.len());
        let rows = RecordBatch::try_from_iter([
            ("objoid", Arc::new(relations.collect::<Int32Array>()) as ArrayRef),
            ("classoid", Arc::new(class.collect::<Int32Array>())),
            ("objsubid", Arc::new(columns.collect::<Int32Array>())),
            ("description", Arc::new(texts.collect::<StringArray>())),
        ])?;
        Ok(Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]])?))
    }

    /// Returns the description of a relation or, with a number above 0, of one of its columns.
    pub fn text(&self, relation: i32, column: i32) -> Option<&str> {
        self.texts.get(&(relation, column)).map(String::as_str)
    }

    /// Whether a relation is found without its schema.
    pub(crate) fn is_visible(&self, relation: i32) -> bool {
        self.visible.contains(&relation)
    }

    /// Returns the SQL of a view.
    pub fn query(&self, relation: i32) -> Option<&str> {
        self.queries.get(&relation).copied()
    }
}

fn with_unit(doc: &str, unit: &str) -> String {
    if unit.is_empty() { doc.to_owned() } else { format!("{doc} [{unit}]") }
}

/// `pg_catalog` with relations of our own in place of some.
#[derive(Debug)]
pub struct Overlaid {
    pub inner: Arc<dyn SchemaProvider>,
    pub tables: HashMap<&'static str, Arc<dyn TableProvider>>,
}

#[async_trait]
impl SchemaProvider for Overlaid {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.inner.table_names();
        names.extend(self.tables.keys().map(|name| (*name).to_owned()));
        names.sort();
        names.dedup();
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        match self.tables.get(name) {
            Some(table) => Ok(Some(Arc::clone(table))),
            None => self.inner.table(name).await,
        }
    }

    fn table_exist(&self, name: &str) -> bool {
        self.tables.contains_key(name) || self.inner.table_exist(name)
    }
}
