//! `ireescope` opens IREE device profiles as tables, and answers questions about them.
//!
//! A [`Workspace`] opens what a program names: `.ireeprof` bundles, globs, folders, capture sets, datasets or histories, each
//! also as `NAME=PATH`. Its functions return Arrow batches, whose columns `docs/tables.md` documents.
//!
//! SQL:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ireescope::{Workspace, WorkspaceOptions};
//!
//! let bundles = ["tests/data/mlp-local-task.ireeprof"];
//! let workspace = Workspace::open(&bundles, &WorkspaceOptions::default())?;
//! let answer = workspace.sql("SELECT key, total_ns FROM top_functions ORDER BY total_ns DESC")?;
//! assert_eq!(answer.schema.field(1).name(), "total_ns");
//! assert_eq!(answer.batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 4);
//! # Ok(())
//! # }
//! ```
//!
//! What takes the time, and a report of `iree-profile`:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ireescope::{GroupBy, ReportRequest, TopRequest, Workspace, WorkspaceOptions};
//!
//! let bundles = ["tests/data/mlp-local-task.ireeprof"];
//! let workspace = Workspace::open(&bundles, &WorkspaceOptions::default())?;
//! let top = workspace.top(&TopRequest { by: GroupBy::Op, ..TopRequest::default() })?;
//! for group in top.rows()? {
//!     println!("{}: {:?} ns in {} dispatches", group.key, group.total_ns, group.dispatch_count);
//! }
//!
//! let matmuls = ReportRequest { filter: "*matmul*".into(), ..ReportRequest::default() };
//! for (rows, answer) in workspace.report("dispatch", &matmuls)? {
//!     println!("{rows}: {} batches", answer.batches.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A comparison of two builds, each with its runs; with a gate, `examples/compare_gate.rs` is a whole program:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ireescope::WorkspaceOptions;
//! use ireescope::comparison::{CompareRequest, compare};
//!
//! let sides = ["task=tests/data/mlp-local-task.ireeprof", "sync=tests/data/mlp-local-sync.ireeprof"];
//! let request = CompareRequest { sides: sides.map(str::to_owned).into(), ..CompareRequest::default() };
//! for comparison in compare(&request, &WorkspaceOptions::default())? {
//!     // Runs of different drivers are not comparable.
//!     assert_eq!(comparison.total().verdict.name(), "not comparable");
//!     for function in comparison.functions() {
//!         println!("{}: {} ns more in an iteration", function.new, function.delta_ns());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | to | call |
//! |---|---|
//! | open bundles, run SQL | [`Workspace::open`], [`Workspace::sql`], [`SqlSession`] for many statements with limits |
//! | see where the time went | [`Workspace::top`] |
//! | get the rows of a command of `iree-profile` | [`Workspace::report`] |
//! | see what is wrong with a capture, and what it lacks | [`Workspace::findings`], [`Workspace::gaps`] |
//! | compare, with a gate | [`comparison::compare`], [`compare::Gate`] |
//! | race two commands | [`race::run`], with [`capture::of_kernel_times`] for each |
//! | keep a history of builds, check it, find changes | [`tracking`] |
//! | export, draw a timeline | [`export`], [`timeline`] |
//! | capture, and capture what is missing | [`capture::CaptureRequest`], [`fill::prepare`] |
//! | measure dispatches | [`bench::plan`](bench::plan()), [`sweep::run`] |
//! | try tuning specs, tune a model | [`compiler`], [`tune::run`](tune::run()) |
//!
//! Nothing here prints, reads standard input, ends the process or starts the program itself; that is up to [`cli`], which is
//! the command line, and to other front ends. Warnings go to the [`Listener`](workspace::Listener) of the options.
//!
//! The data passes through layers: bytes, records, columns, tables, views, reports. Each layer is a crate, which cannot use
//! a later one. Here they are put together. See docs/architecture.md.

pub mod cli;

pub use ::{att, base, engine, report, workspace};
#[cfg(feature = "servers")]
pub use ::{mcp, serve};
#[cfg(feature = "cluster")]
pub use ::cluster;
pub use engine::functions;
pub use lab::{fill, race, sweep, tune};
pub use model::{compare, operation, statistics, tuning};
pub use passes::{fold, rules};
pub use read::{bundle, history, record, remote, store, table};
pub use show::{page, panel, plot};
pub use tools::{bench, capture, compiler};
pub use workspace::{comparison, export, timeline, tracking};

pub use engine::{Answer, EngineError, Warmup};
pub use workspace::{
    GroupBy, OpenError, ReportError, ReportRequest, SortBy, SqlError, SqlLimits, SqlSession, Top,
    TopFunction, TopRequest, Workspace, WorkspaceOptions,
};
