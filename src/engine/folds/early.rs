//! Passes over large bundles that begin before anybody wants their rows: while a report is made ready to run, there is little
//! that other threads could do.

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use datafusion::common::ScalarValue;
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, TableFactor, Value, Visit, Visitor,
};
use futures::executor::block_on;

use super::{FOLDS, Folds, Run, arguments};
use crate::bundle::limits;

impl Folds {
    /// Until this is dropped, a pass begins as soon as a query that calls it is being planned.
    pub fn begin_early(&self) -> impl Drop + '_ {
        self.being_planned.fetch_add(1, Ordering::Relaxed);
        Planning(self)
    }

    /// Begins the passes that a statement calls itself: those that views call are known when these are planned. Columns are
    /// not pruned yet, so a report calls folds in FROM.
    pub fn begin_called(self: &Arc<Self>, statement: &Parsed) {
        if let Parsed::Statement(statement) = statement {
            let _: ControlFlow<()> = statement.visit(&mut Beginning(self));
        }
    }

    /// Begins a pass that nobody has asked for before.
    pub(super) fn begin(self: &Arc<Self>, run: &Run) {
        let bytes: u64 = self.bundles.iter().map(|bundle| bundle.directory.end).sum();
        if bytes < limits::PARALLEL_BYTES || self.being_planned.load(Ordering::Relaxed) == 0 {
            return;
        }
        match self.runs().entry(run.clone()) {
            Entry::Occupied(_) => return,
            Entry::Vacant(new) => {
                new.insert(self.no_results());
            }
        }
        let (folds, run) = (Arc::clone(self), run.clone());
        // Where there is no thread, or it fails, whoever wants the rows makes them.
        let _ = thread::Builder::new().spawn(move || {
            (0..folds.bundles.len())
                .try_for_each(|nth| block_on(folds.relations(&run, nth)).map(drop))
        });
    }
}

/// Somebody plans queries that are going to be run.
struct Planning<'a>(&'a Folds);

impl Drop for Planning<'_> {
    fn drop(&mut self) {
        self.0.being_planned.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Begins the passes of the calls that it comes by.
struct Beginning<'a>(&'a Arc<Folds>);

impl Visitor for Beginning<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let Some(run) = run_of(factor) {
            self.0.begin(&run);
        }
        ControlFlow::Continue(())
    }
}

/// What is run for a call of a fold that takes its time; planning says what is wrong with others.
fn run_of(factor: &TableFactor) -> Option<Run> {
    let TableFactor::Table { name, args: Some(given), .. } = factor else { return None };
    let name = name.to_string();
    let mut folds = FOLDS.iter().enumerate().filter(|(_, pass)| !pass.is_small());
    let (fold, output) = folds.find_map(|(fold, pass)| {
        Some((fold, pass.outputs().iter().find(|output| output.name == name)?))
    })?;
    Some((fold, arguments(given.args.iter().map(literal), output).ok()?))
}

fn literal(given: &FunctionArg) -> Option<ScalarValue> {
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) = given else {
        return None;
    };
    match &value.value {
        Value::Null => Some(ScalarValue::Null),
        Value::Number(number, _) => number.parse().ok().map(|it| ScalarValue::UInt64(Some(it))),
        Value::SingleQuotedString(text) => Some(ScalarValue::Utf8(Some(text.clone()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Argument;
    use super::*;
    use crate::bundle::{BundleSource, open};
    use crate::engine::namespace::Source;
    use crate::engine::parameters::Parameters;
    use crate::engine::planner::{Planner, Subject};
    use crate::engine::prepared::{all, prepare};
    use crate::engine::statement::{Statement, of_report, parse};

    /// Collects them.
    struct Collecting(Vec<Run>);

    impl Visitor for Collecting {
        type Break = ();

        fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
            self.0.extend(run_of(factor));
            ControlFlow::Continue(())
        }
    }

    /// What would begin for a report.
    fn called(statement: &Statement) -> Vec<Run> {
        let Parsed::Statement(parsed) = &statement.parsed else { panic!("{statement:?}") };
        let mut calls = Collecting(Vec::new());
        let _: ControlFlow<()> = parsed.visit(&mut calls);
        calls.0
    }

    /// Asks every report, and checks that the passes that have run would have begun, with the same arguments; gives how many
    /// they are.
    fn assert_all_are_called(capture: &str, parameters: &Parameters) -> usize {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(capture);
        let bundle = open(&BundleSource::named("capture".into(), path), false).unwrap();
        let bundles: Arc<[_]> = [Arc::new(bundle)].into();
        let folds = Arc::new(Folds::new(Arc::clone(&bundles), 1));
        let subject = Subject {
            source: Source::Bundles(bundles, Arc::new([])),
            folds: Arc::clone(&folds),
            asked: Arc::default(),
            threads: 1,
            is_small: true,
            all_rules: false,
        };
        let planner = Planner::new(&subject).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut begun = 0;
        for name in sql::names(sql::Kind::Report) {
            let statement =
                of_report(sql::find(sql::Kind::Report, name).unwrap(), parameters).unwrap();
            let calls = called(&statement);
            folds.runs().clear();
            for prepared in all(|take| prepare(&planner, &[statement], take)).unwrap() {
                runtime.block_on(prepared.answer()).unwrap();
            }
            for run in folds.runs().keys() {
                let is_called = calls.iter().any(|(fold, _)| *fold == run.0);
                assert!(!is_called || calls.contains(run), "{name} wants {run:?}");
                begun += usize::from(is_called);
            }
        }
        begun
    }

    #[test]
    fn what_reports_want_is_what_they_call() {
        let one = Parameters { id: Some(1), id_filter: 1, by: "command", ..Parameters::default() };
        let some = Parameters { filter: "*matmul*".into(), by: "queue", ..Parameters::default() };
        for parameters in [Parameters::default(), one, some] {
            assert!(assert_all_are_called("mlp-vulkan.ireeprof", &parameters) > 20);
        }
    }

    #[test]
    fn what_is_no_call_of_a_fold_is_left_to_planning() {
        let calls = |query: &str| {
            let mut statement = parse(query).unwrap().pop().unwrap();
            statement.fill(&Parameters::default());
            called(&statement)
        };
        let arguments = |calls: Vec<Run>| calls.into_iter().map(|(_, given)| given).next();
        assert_eq!(
            arguments(calls("SELECT 1 FROM memory_pools($filter, 7)")),
            Some(vec![Argument::Text("*".into()), Argument::Number(Some(7))])
        );
        for query in [
            "SELECT 1 FROM memory_pools",
            "SELECT 1 FROM memory_pools('*')",
            "SELECT 1 FROM memory_pools('*', -7)",
            "SELECT 1 FROM memory_pools(1 + 1, 7)",
            "SELECT 1 FROM declared_modes()",
            "SELECT 1 FROM nothing(1)",
        ] {
            assert_eq!(calls(query), [], "{query}");
        }
    }
}
