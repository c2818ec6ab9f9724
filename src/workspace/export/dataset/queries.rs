//! The queries of an export: one for each table and view.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use datafusion::execution::SendableRecordBatchStream;
use engine::dataset::LABEL;
use engine::{self, Engine, EngineError, Statement};
use read::bundle::Bundle;

use crate::export::error::ExportError;

/// The query for the rows of a relation.
pub struct Query {
    pub relation: &'static str,
    /// The columns that order the rows; none if all columns do.
    order: &'static [&'static str],
    /// The query for the rows that satisfy the caller's condition, parsed and as text. `None` selects all rows.
    chosen: Option<(Statement, String)>,
}

/// A table or view and its columns.
pub struct Relation {
    name: &'static str,
    columns: Vec<String>,
}

/// The column with the position of a row in the bundle.
const PLACE: &str = "byte_offset";

impl Query {
    /// Creates the query of a relation over one bundle, or over the bundles of a batch. The order of rows is
    /// deterministic: by position in the bundle, or else by all columns.
    pub fn new(
        relation: &Relation,
        condition: Option<&str>,
        is_batched: bool,
    ) -> Result<Self, ExportError> {
        let Relation { name, columns } = relation;
        let has_place = columns.iter().any(|column| column == PLACE);
        let order: &'static [&'static str] = match (has_place, is_batched) {
            (true, false) => &[PLACE],
            (true, true) => &[LABEL, PLACE],
            (false, _) => &[],
        };
        let Some(condition) = condition else {
            return Ok(Self { relation: name, order, chosen: None });
        };
        let quoted: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
        let columns = quoted.join(", ");
        let by = if order.is_empty() { columns.clone() } else { order.join(", ") };
        let text = format!("SELECT {columns} FROM {name} WHERE {condition} ORDER BY {by}");
        let failed = |source| ExportError::Condition { query: text.clone(), source };
        let mut statements = engine::parse(&text).map_err(failed)?;
        match (statements.pop(), statements.is_empty()) {
            (Some(statement), true) => {
                Ok(Self { relation: name, order, chosen: Some((statement, text)) })
            }
            _ => Err(ExportError::NotOneCondition),
        }
    }

    /// Starts the query.
    pub async fn rows(&self, engine: &Engine) -> Result<SendableRecordBatchStream, EngineError> {
        match &self.chosen {
            Some((statement, _)) => engine.run(statement).await,
            None => engine.relation(self.relation, self.order).await?.stream(),
        }
    }

    /// Adds the text of the query to an error of the caller's condition.
    pub fn failed(&self, error: ExportError) -> ExportError {
        match (error, &self.chosen) {
            (ExportError::Engine(source), Some((_, text))) => {
                ExportError::Condition { query: text.clone(), source }
            }
            (other, _) => other,
        }
    }

    /// Returns the bundles in groups that are queried one after the other: those that would change each other's rows are
    /// in different groups.
    pub fn groups(&self, bundles: &[Arc<Bundle>]) -> Vec<Vec<Arc<Bundle>>> {
        let is_asking = self.chosen.as_ref().is_some_and(|(chosen, _)| chosen.has_subqueries());
        let mut seen: HashMap<&Path, usize> = HashMap::new();
        let mut groups: Vec<Vec<Arc<Bundle>>> = vec![Vec::new()];
        let mut alone = Vec::new();
        for bundle in bundles {
            // Runs without a bundle have no label. They are stored with the bundle that lists them.
            let has_others = bundle.runs.iter().any(|run| run.run.bundle.is_none());
            if is_asking || self.relation == "runs" && has_others {
                alone.push(vec![Arc::clone(bundle)]);
                continue;
            }
            // The bundles of a capture set answer the questions together.
            let set = bundle.set.as_deref().filter(|_| self.relation == "gaps");
            let group = set.map_or(0, |set| {
                let count = seen.entry(&set.folder).or_default();
                *count += 1;
                *count - 1
            });
            if groups.len() <= group {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.get_mut(group) {
                group.push(Arc::clone(bundle));
            }
        }
        groups.retain(|group| !group.is_empty());
        groups.extend(alone);
        groups
    }
}

/// Whether a view is stored only on request: timelines and what is computed from other views repeat what is stored, and
/// critical paths take long.
fn is_on_request(name: &str) -> bool {
    let is_derived = sql::find(sql::Kind::View, name).is_some_and(sql::View::is_derived);
    is_derived || name.starts_with("timeline_") || name == "critical_path"
}

/// Returns the requested tables and views. The default is all whose rows belong to one bundle each, except those that are
/// stored on request.
pub fn relations(asked: &[String]) -> Result<Vec<Relation>, ExportError> {
    // Dispatch runs and histories belong to no bundle and are stored as Parquet already.
    let of_bundles = |table: &&&schemas::Table| table.is_of_bundles();
    let tables = schemas::all().iter().filter(of_bundles).map(|table| Relation {
        name: table.name,
        columns: table.columns().into_iter().map(|column| column.name).collect(),
    });
    let views =
        sql::all().iter().filter(|view| view.kind == sql::Kind::View && view.is_by_bundle());
    let views = views.map(|view| Relation {
        name: view.name,
        columns: view.header().columns.iter().map(|column| column.name.clone()).collect(),
    });
    let mut all: Vec<Relation> = tables.chain(views).collect();
    if asked.is_empty() {
        all.retain(|relation| !is_on_request(relation.name));
    } else if let Some(name) = asked.iter().find(|name| all.iter().all(|it| it.name != **name)) {
        return Err(ExportError::UnknownRelation(name.clone()));
    } else {
        all.retain(|relation| asked.iter().any(|name| relation.name == name));
    }
    Ok(all)
}
