//! Resolves names in SQL: declared tables, views, reports, and tables that the user creates. Views are planned when
//! they are first named.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::view::ViewTable;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::error::Result;
use datafusion::execution::SessionState;
use read::bundle::Bundle;
use read::history::{self, History};
use schemas::Source as Origin;

use super::dataset::Dataset;
use super::decoded::{DecodedTable, Traces};
use super::files;
use super::kept::KeptTable;
use super::parameters::Parameters;
use super::provider::BundleTable;
use super::runs::Runs;
use super::statement;
use crate::functions::{Folds, external};

/// The session in which views are planned. Weak, because the session owns this namespace.
type State = Weak<parking_lot::RwLock<SessionState>>;

/// Rows of tables that commands store beside their captures, by the name of the table.
pub type ExtraTables = HashMap<&'static str, Vec<RecordBatch>>;

/// The source of the tables.
#[derive(Debug, Clone)]
pub enum Source {
    /// Bundles, the rows that are stored beside them, and what is decoded of their traces.
    Bundles(Arc<[Arc<Bundle>]>, Arc<ExtraTables>, Arc<Traces>),
    /// A folder of Parquet files, which stores views as well as tables. Derived views and views across bundles are computed.
    Dataset(Arc<Dataset>),
    /// A folder that keeps results: its own tables, and those of bundles that were kept with them.
    History(Arc<History>),
}

impl Source {
    fn holds(&self, name: &str) -> bool {
        match self {
            Self::Bundles(..) => schemas::find(name).is_some(),
            Self::Dataset(dataset) => dataset.holds(name),
            Self::History(history) => {
                schemas::find(name).is_some_and(|table| table.source == Origin::History)
                    || history::stored(history, name).is_ok_and(|files| !files.is_empty())
            }
        }
    }

    fn table(&self, name: &str, folds: &Arc<Folds>) -> Result<Option<Arc<dyn TableProvider>>> {
        Ok(match self {
            Self::Bundles(bundles, stored, traces) => match schemas::find(name) {
                Some(table) if table.name == "runs" => {
                    Some(Arc::new(Runs::new(table, Arc::clone(bundles), Arc::clone(folds))))
                }
                Some(table) if table.is_of_bundles() => {
                    Some(Arc::new(BundleTable::new(table, Arc::clone(bundles))))
                }
                Some(table) if table.source == Origin::Decoded => {
                    Some(Arc::new(DecodedTable::new(table, Arc::clone(traces))))
                }
                Some(table) => Some(held(table, stored.get(name).cloned().unwrap_or_default())?),
                None => None,
            },
            Self::Dataset(dataset) if dataset.holds(name) => {
                Some(Arc::new(dataset.relation(name).map_err(external)?))
            }
            Self::Dataset(_) => None,
            Self::History(history) => {
                let Some(table) = schemas::find(name) else { return Ok(None) };
                match KeptTable::open(history, table).map_err(external)? {
                    Some(kept) => Some(Arc::new(kept)),
                    None if table.source == Origin::History => Some(held(table, Vec::new())?),
                    None => None,
                }
            }
        })
    }

    /// Returns the SQL file of a view or report that can be computed; an error if the source cannot compute it.
    fn file(&self, kind: sql::Kind, name: &str) -> Result<Option<&'static sql::View>> {
        let file = sql::find(kind, name);
        let folder = match self {
            Self::Bundles(..) => return Ok(file),
            Self::Dataset(dataset) => &dataset.folder,
            Self::History(history) => &history.folder,
        };
        if file.is_none() && schemas::find(name).is_none() {
            return Ok(None);
        }
        if let Some(schema) = kind.schema() {
            return plan_err!(
                "{schema}.{name} requires the bundle, but this is a folder of Parquet files; open the bundle"
            );
        }
        if file.is_some_and(sql::View::is_derived) {
            return Ok(file);
        }
        let way = match self {
            Self::History(_) => {
                "a history has tables of bundles if they were added with option `keep raw`"
            }
            _ => "export it into the folder",
        };
        plan_err!("{} does not contain {name}; {way}, or open the bundle", folder.display())
    }
}

/// Returns a table with these rows.
fn held(table: &schemas::Table, rows: Vec<RecordBatch>) -> Result<Arc<dyn TableProvider>> {
    Ok(Arc::new(MemTable::try_new(schemas::arrow::schema(table), vec![rows])?))
}

/// A schema of the catalog.
#[derive(Debug)]
pub struct Namespace {
    kind: sql::Kind,
    source: Source,
    folds: Arc<Folds>,
    state: State,
    /// Whether names of files are tables.
    opens_files: bool,
    /// Cache of looked-up tables and views, and the tables that the user created.
    known: Mutex<HashMap<String, Arc<dyn TableProvider>>>,
}

impl Namespace {
    /// Creates the schema for one kind of SQL files. That of views has the tables as well.
    pub fn new(
        kind: sql::Kind,
        source: Source,
        folds: Arc<Folds>,
        state: State,
        opens_files: bool,
    ) -> Self {
        Self { kind, source, folds, state, opens_files, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn TableProvider>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_built_in(&self, name: &str) -> bool {
        let is_table = self.kind == sql::Kind::View
            && (self.source.holds(name) || schemas::find(name).is_some());
        is_table || sql::find(self.kind, name).is_some()
    }

    /// Whether a built-in relation can be opened: of Parquet files, it is stored, or computed of others that are.
    fn is_offered(&self, name: &str, state: &SessionState) -> bool {
        let is_held = self.kind == sql::Kind::View && self.source.holds(name);
        if is_held || matches!(self.source, Source::Bundles(..)) {
            return true;
        }
        let file = sql::find(self.kind, name).filter(|file| file.is_derived());
        let statement = file.and_then(|it| statement::of_file(it, &Parameters::default()).ok());
        let names = statement.and_then(|it| state.resolve_table_references(&it.parsed).ok());
        names.is_some_and(|names| {
            names.iter().all(|it| it.schema().is_none() && self.is_offered(it.table(), state))
        })
    }

    /// Plans a view or report.
    async fn plan(&self, file: &sql::View) -> Result<Option<Arc<dyn TableProvider>>> {
        let Some(state) = self.state.upgrade() else { return Ok(None) };
        let state = state.read().clone();
        let parameters = match self.kind {
            sql::Kind::View | sql::Kind::Export => Parameters::default(),
            sql::Kind::Report => Parameters::of_relation(file.name),
        };
        let statement = statement::of_file(file, &parameters);
        let statement = statement.map_err(|error| plan_datafusion_err!("{error}"))?;
        let plan = state.statement_to_plan(statement.parsed).await?;
        Ok(Some(Arc::new(ViewTable::new(plan, Some(file.query.to_owned())))))
    }
}

#[async_trait]
impl SchemaProvider for Namespace {
    fn table_names(&self) -> Vec<String> {
        let mut names: Vec<String> = sql::names(self.kind).map(str::to_owned).collect();
        if self.kind == sql::Kind::View {
            names.extend(schemas::all().iter().map(|table| table.name.to_owned()));
        }
        if let Some(state) = self.state.upgrade() {
            let state = state.read();
            names.retain(|name| self.is_offered(name, &state));
        }
        names.extend(self.known().keys().cloned());
        names.sort();
        names.dedup();
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Some(known) = self.known().get(name) {
            return Ok(Some(Arc::clone(known)));
        }
        // Not cached, as the file may change.
        if self.kind == sql::Kind::View
            && let Some(file) = files::table(name, self.opens_files)?
        {
            return Ok(Some(file));
        }
        let held = match self.kind {
            sql::Kind::View => self.source.table(name, &self.folds)?,
            _ => None,
        };
        let found = match held {
            Some(table) => Some(table),
            None => match self.source.file(self.kind, name)? {
                Some(file) => self.plan(file).await?,
                None => None,
            },
        };
        let Some(table) = found else { return Ok(None) };
        self.known().insert(name.to_owned(), Arc::clone(&table));
        Ok(Some(table))
    }

    fn register_table(
        &self,
        name: String,
        table: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        if self.is_built_in(&name) {
            return plan_err!("{name} is built in; choose another name");
        }
        Ok(self.known().insert(name, table))
    }

    fn deregister_table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if self.is_built_in(name) {
            return plan_err!("{name} is built in and cannot be dropped");
        }
        Ok(self.known().remove(name))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.known().contains_key(name) || self.is_built_in(name)
    }
}
