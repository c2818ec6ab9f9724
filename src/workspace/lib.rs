//! Opens bundles, capture sets, datasets, histories and folders of results, and answers questions about them.
//!
//! [`Workspace`] is what programs use: it owns an engine and the threads that run its queries. With it, [`comparison`] judges two
//! sides, [`tracking`] keeps histories of builds, [`export`] writes files for other tools, and [`timeline`] draws.
//!
//! It knows no flags and no terminal: nothing here prints or reads standard input. What the user should know goes to a
//! [`Listener`].

mod addresses;
mod answers;
mod bench_folder;
mod catalogue;
pub mod comparison;
mod definitions;
mod error;
pub mod export;
mod findings;
mod gaps;
mod histories;
mod known;
mod labels;
mod limits;
mod notice;
mod open;
mod options;
mod progress;
mod query;
mod reports;
mod running;
mod sql;
pub mod timeline;
mod times;
mod top;
pub mod tracking;
mod tune_folder;
mod unmatched;
mod user_folders;

pub use answers::{DEEP_STACK, STACK, Threads, Workspace};
pub use catalogue::{Accepts, Command};
pub use definitions::{define, initialize};
pub use error::OpenError;
pub use findings::Finding;
pub use gaps::{AnswerCommand, Gap, Gaps, of_questions};
pub(crate) use histories::open_or_create_history;
pub use histories::{is_history, open_history};
pub use known::peaks_file;
pub use labels::prefixed;
pub use limits::{SqlError, SqlLimits};
pub use notice::{Listener, Notice};
pub use open::{bundles_only, open_bundles};
pub use options::WorkspaceOptions;
pub use progress::Progress;
pub use query::{Next, Query, RowReader};
pub use reports::{HEALTH, Overview, ReportError, ReportRequest, WARMUP};
pub use running::Running;
pub use sql::SqlSession;
pub use times::{FunctionTimes, dispatch_times};
pub use top::{GroupBy, SortBy, Top, TopFunction, TopRequest};
pub use unmatched::{Unmatched, similar};
pub use user_folders::{cache, config, state};
