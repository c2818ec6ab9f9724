//! Table functions over the declarations of questions, modes and drivers, so that SQL can report on them.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, RecordBatch, StringViewArray, UInt32Array, UInt64Array,
};
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::Result;
use schemas::drivers::{DRIVERS, Rows, flags_of_mode, rows_for_question, rows_of_mode};
use schemas::questions::{Clock, MODES, Mode, QUESTIONS};

/// The columns of a relation, with their names.
type Columns = Vec<(&'static str, ArrayRef)>;

/// A table function without arguments.
#[derive(Debug)]
struct Declared {
    name: &'static str,
    columns: fn() -> Columns,
}

static DECLARED: &[Declared] = &[
    Declared { name: "declared_modes", columns: modes },
    Declared { name: "declared_questions", columns: questions },
    Declared { name: "declared_question_modes", columns: question_modes },
    Declared { name: "declared_drivers", columns: drivers },
];

/// Returns all table functions of this file by name.
pub fn functions() -> impl Iterator<Item = (&'static str, Arc<dyn TableFunctionImpl>)> {
    DECLARED.iter().map(|declared| {
        let function: Arc<dyn TableFunctionImpl> = Arc::new(Function { declared });
        (declared.name, function)
    })
}

#[derive(Debug)]
struct Function {
    declared: &'static Declared,
}

impl TableFunctionImpl for Function {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if !args.exprs().is_empty() {
            return plan_err!("{}() takes no arguments", self.declared.name);
        }
        let batch = RecordBatch::try_from_iter((self.declared.columns)())?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
}

fn modes() -> Columns {
    vec![
        ("position", positions(MODES.len())),
        ("mode", texts(MODES.iter().map(|mode| mode.name))),
        ("table", texts(MODES.iter().map(Mode::table))),
        ("only_kind", kinds(MODES.iter().map(|mode| only(rows_of_mode(mode.name))))),
        ("but_kind", kinds(MODES.iter().map(|mode| but(rows_of_mode(mode.name))))),
        ("perturbs", truths(MODES.iter().map(|mode| mode.perturbs))),
        ("flags", texts(MODES.iter().map(|mode| flags_of_mode(mode.name)))),
    ]
}

fn questions() -> Columns {
    vec![
        ("position", positions(QUESTIONS.len())),
        ("question", texts(QUESTIONS.iter().map(|question| question.name))),
        ("asks", texts(QUESTIONS.iter().map(|question| question.asks))),
        ("answer", texts(QUESTIONS.iter().map(|question| question.answer))),
    ]
}

/// A mode of a way of answering a question.
struct Use {
    question: &'static str,
    way: u64,
    clock: Clock,
    mode: &'static str,
    is_needed: bool,
}

fn question_modes() -> Columns {
    let uses: Vec<Use> = QUESTIONS
        .iter()
        .flat_map(|question| {
            (1..).zip(question.ways).flat_map(move |(number, way)| {
                let needed = way.needs.iter().map(|mode| (*mode, true));
                needed.chain(way.helps.iter().map(|mode| (*mode, false))).map(
                    move |(mode, is_needed)| Use {
                        question: question.name,
                        way: number,
                        clock: way.clock,
                        mode,
                        is_needed,
                    },
                )
            })
        })
        .collect();
    let rows = |used: &Use| rows_for_question(used.question, used.mode);
    vec![
        ("question", texts(uses.iter().map(|used| used.question))),
        ("way", Arc::new(uses.iter().map(|used| used.way).collect::<UInt64Array>())),
        ("clock", texts(uses.iter().map(|used| used.clock.name()))),
        ("mode", texts(uses.iter().map(|used| used.mode))),
        ("is_needed", truths(uses.iter().map(|used| used.is_needed))),
        ("only_kind", kinds(uses.iter().map(|used| only(rows(used))))),
        ("but_kind", kinds(uses.iter().map(|used| but(rows(used))))),
    ]
}

fn drivers() -> Columns {
    let never = || {
        DRIVERS
            .iter()
            .flat_map(|driver| driver.never_records.iter().map(move |mode| (driver.name, *mode)))
    };
    vec![
        ("driver", texts(never().map(|(driver, _)| driver))),
        ("mode", texts(never().map(|(_, mode)| mode))),
    ]
}

const fn only(rows: Rows) -> Option<u32> {
    if let Rows::Of(kind) = rows { Some(kind) } else { None }
}

const fn but(rows: Rows) -> Option<u32> {
    if let Rows::NotOf(kind) = rows { Some(kind) } else { None }
}

fn texts(values: impl Iterator<Item = &'static str>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(values))
}

fn truths(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<BooleanArray>())
}

fn kinds(values: impl Iterator<Item = Option<u32>>) -> ArrayRef {
    Arc::new(values.collect::<UInt32Array>())
}

fn positions(count: usize) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(1..=count as u64))
}
