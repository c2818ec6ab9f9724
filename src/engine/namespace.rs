//! Names in SQL: declared tables, views that are planned when first named, and what the user creates.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use datafusion::catalog::view::ViewTable;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::error::Result;
use datafusion::execution::SessionState;

use super::provider::BundleTable;
use super::statement::{self, Parameters};
use crate::bundle::Bundle;

/// The session that views are planned in; weak, as the session owns this namespace.
type State = Weak<parking_lot::RwLock<SessionState>>;

/// One schema of the catalogue.
#[derive(Debug)]
pub struct Namespace {
    kind: sql::Kind,
    bundles: Arc<[Arc<Bundle>]>,
    state: State,
    known: Mutex<HashMap<String, Arc<dyn TableProvider>>>,
}

impl Namespace {
    /// The schema of one kind of queries; that of views has the tables, too.
    pub fn new(kind: sql::Kind, bundles: Arc<[Arc<Bundle>]>, state: State) -> Self {
        Self { kind, bundles, state, known: Mutex::default() }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<dyn TableProvider>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn declared(&self, name: &str) -> Option<&'static schemas::Table> {
        if self.kind == sql::Kind::View { schemas::find(name) } else { None }
    }

    fn is_built_in(&self, name: &str) -> bool {
        self.declared(name).is_some() || sql::find(self.kind, name).is_some()
    }

    async fn plan(&self, name: &str, query: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let Some(state) = self.state.upgrade() else { return Ok(None) };
        let state = state.read().clone();
        let statement = match self.kind {
            sql::Kind::View | sql::Kind::Export => {
                statement::parse(query).map(|mut parsed| parsed.pop())
            }
            sql::Kind::Report => {
                statement::parse_report(query, &Parameters::of_relation(name)).map(Some)
            }
        };
        let Some(statement) = statement.map_err(|error| plan_datafusion_err!("{error}"))? else {
            return Ok(None);
        };
        let plan = state.statement_to_plan(statement.parsed).await?;
        Ok(Some(Arc::new(ViewTable::new(plan, Some(query.to_owned())))))
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
        let found: Option<Arc<dyn TableProvider>> =
            match (self.declared(name), sql::find(self.kind, name)) {
                (Some(table), _) => {
                    Some(Arc::new(BundleTable::new(table, Arc::clone(&self.bundles))))
                }
                (None, Some(query)) => self.plan(name, query).await?,
                (None, None) => None,
            };
        if let Some(found) = &found {
            self.known().insert(name.to_owned(), Arc::clone(found));
        }
        Ok(found)
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
