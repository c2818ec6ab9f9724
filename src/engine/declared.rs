//! Table functions over the declarations of questions, modes and drivers, so that SQL can report on them.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::Result;
use passes::fold::Columns;
use read::bundle::set::shell_words;
use schemas::drivers::{DRIVERS, Rows, flags_of_mode, rows_for_question, rows_of_mode};
use schemas::questions::{MODES, Mode, QUESTIONS, Question};

/// The rows of a table function without arguments.
type Declared = fn() -> Result<RecordBatch>;

/// Returns all table functions of this file by name.
pub fn functions() -> impl Iterator<Item = (&'static str, Arc<dyn TableFunctionImpl>)> {
    let declared: [(_, Declared); 4] = [
        ("declared_modes", modes),
        ("declared_questions", questions),
        ("declared_question_modes", question_modes),
        ("declared_drivers", drivers),
    ];
    declared.into_iter().map(|(name, rows)| (name, Arc::new(DeclaredFunction { name, rows }) as _))
}

#[derive(Debug)]
struct DeclaredFunction {
    name: &'static str,
    rows: Declared,
}

impl TableFunctionImpl for DeclaredFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if !args.exprs().is_empty() {
            return plan_err!("{}() takes no arguments", self.name);
        }
        let batch = (self.rows)()?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
}

fn modes() -> Result<RecordBatch> {
    let columns = Columns::<(u64, &Mode)>::new()
        .number("position", |row| row.0)
        .text("mode", |row| row.1.name)
        .text("table", |row| row.1.table())
        .word("only_kind", |row| only(rows_of_mode(row.1.name)))
        .word("but_kind", |row| but(rows_of_mode(row.1.name)))
        .flag("perturbs", |row| row.1.perturbs)
        .text("flags", |row| flags_of_mode(row.1.name));
    batch(&columns, (1..).zip(MODES))
}

fn questions() -> Result<RecordBatch> {
    let columns = Columns::<(u64, &Question)>::new()
        .number("position", |row| row.0)
        .text("question", |row| row.1.name)
        .text("asks", |row| row.1.asks)
        .composed("answer", |row| {
            Some(shell_words(row.1.answer.words().iter().map(String::as_str)))
        });
    batch(&columns, (1..).zip(QUESTIONS))
}

/// A mode of a way of answering a question.
struct Use {
    question: &'static str,
    way: u64,
    clock: &'static str,
    mode: &'static str,
    is_needed: bool,
}

fn question_modes() -> Result<RecordBatch> {
    let uses = QUESTIONS.iter().flat_map(|question| {
        (1..).zip(question.ways).flat_map(move |(number, way)| {
            let needed = way.needs.iter().map(|mode| (*mode, true));
            needed.chain(way.helps.iter().map(|mode| (*mode, false))).map(
                move |(mode, is_needed)| Use {
                    question: question.name,
                    way: number,
                    clock: way.clock_name(),
                    mode,
                    is_needed,
                },
            )
        })
    });
    let columns = Columns::<Use>::new()
        .text("question", |used| used.question)
        .number("way", |used| used.way)
        .text("clock", |used| used.clock)
        .text("mode", |used| used.mode)
        .flag("is_needed", |used| used.is_needed)
        .word("only_kind", |used| only(rows_for_question(used.question, used.mode)))
        .word("but_kind", |used| but(rows_for_question(used.question, used.mode)));
    batch(&columns, uses)
}

fn drivers() -> Result<RecordBatch> {
    let never = DRIVERS
        .iter()
        .flat_map(|driver| driver.never_records.iter().map(move |mode| (driver.name, *mode)));
    let columns =
        Columns::<(&str, &str)>::new().text("driver", |row| row.0).text("mode", |row| row.1);
    batch(&columns, never)
}

fn batch<R>(columns: &Columns<R>, rows: impl Iterator<Item = R>) -> Result<RecordBatch> {
    let rows: Vec<R> = rows.collect();
    let schema = Arc::new(Schema::new(columns.fields()));
    Ok(RecordBatch::try_new(schema, columns.arrays_from(0, &rows))?)
}

const fn only(rows: Rows) -> Option<u32> {
    if let Rows::Of(kind) = rows { Some(kind) } else { None }
}

const fn but(rows: Rows) -> Option<u32> {
    if let Rows::NotOf(kind) = rows { Some(kind) } else { None }
}
