//! Names in SQL: declared tables, views that are planned when first named, and what the user creates.

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
use schemas::Source as Origin;

use super::dataset::Dataset;
use super::error::external;
use super::parameters::Parameters;
use super::provider::BundleTable;
use super::statement;
use crate::bundle::Bundle;

/// The session that views are planned in; weak, as the session owns this namespace.
type State = Weak<parking_lot::RwLock<SessionState>>;

/// What the tables are of.
#[derive(Debug, Clone)]
pub enum Source {
    /// Bundles, and the rows of `dispatch_runs` that stand beside them.
    Bundles(Arc<[Arc<Bundle>]>, Arc<[RecordBatch]>),
    /// A folder holds views as well as tables; only those over all of its bundles are worked out.
    Dataset(Arc<Dataset>),
}

impl Source {
    fn holds(&self, name: &str) -> bool {
        match self {
            Self::Bundles(..) => schemas::find(name).is_some(),
            Self::Dataset(dataset) => dataset.holds(name),
        }
    }

    fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        Ok(match self {
            Self::Bundles(bundles, dispatch_runs) => match schemas::find(name) {
                Some(table) if table.source == Origin::DispatchRuns => {
                    let schema = schemas::arrow::schema(table);
                    Some(Arc::new(MemTable::try_new(schema, vec![dispatch_runs.to_vec()])?))
                }
                Some(table) => Some(Arc::new(BundleTable::new(table, Arc::clone(bundles)))),
                None => None,
            },
            Self::Dataset(dataset) if dataset.holds(name) => {
                Some(Arc::new(dataset.relation(name).map_err(external)?))
            }
            Self::Dataset(_) => None,
        })
    }

    /// The file of a view or report that is not held but can be worked out.
    fn file(&self, kind: sql::Kind, name: &str) -> Result<Option<&'static sql::View>> {
        let file = sql::find(kind, name);
        let Self::Dataset(dataset) = self else { return Ok(file) };
        if file.is_none() && schemas::find(name).is_none() {
            return Ok(None);
        }
        if let Some(schema) = kind.schema() {
            return plan_err!(
                "{schema}.{name} asks the bundle itself, and this is a folder of Parquet files; open the bundle"
            );
        }
        if sql::all().iter().any(|view| view.name == name && !view.is_by_bundle()) {
            return Ok(file);
        }
        plan_err!(
            "{} does not hold {name}; export it there, or open the bundle",
            dataset.folder.display()
        )
    }
}

/// One schema of the catalog.
#[derive(Debug)]
pub struct Namespace {
    kind: sql::Kind,
    source: Source,
    state: State,
    /// Tables and views that were looked up before, and what the user created.
    known: Mutex<HashMap<String, Arc<dyn TableProvider>>>,
}

impl Namespace {
    /// The schema of one kind of queries; that of views has the tables, too.
    pub fn new(kind: sql::Kind, source: Source, state: State) -> Self {
        Self { kind, source, state, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn TableProvider>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_built_in(&self, name: &str) -> bool {
        let is_table = self.kind == sql::Kind::View
            && (self.source.holds(name) || schemas::find(name).is_some());
        is_table || sql::find(self.kind, name).is_some()
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
        names.extend(self.known().keys().cloned());
        names.sort();
        names.dedup();
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Some(known) = self.known().get(name) {
            return Ok(Some(Arc::clone(known)));
        }
        let held = match self.kind {
            sql::Kind::View => self.source.table(name)?,
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
            return plan_err!("{name} is built in and stays");
        }
        Ok(self.known().remove(name))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.known().contains_key(name) || self.is_built_in(name)
    }
}
