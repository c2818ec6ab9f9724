//! Instruction traces of AMD GPUs (ATT): their bytes, the code objects that they refer to, and decoding.
//!
//! Decoding calls libraries of ROCm, which may crash or hang. So the program starts itself once for each trace
//! ([`request`] says what is sent both ways); that process alone loads the libraries, in [`foreign`].
//!
//! It knows bundles and their records. It knows no SQL, nothing of what is shown of a trace, and flags only as words of
//! suggested commands.

mod cache;
mod child;
mod decode;
mod detail;
mod elf;
mod error;
mod foreign;
mod grouping;
mod inputs;
mod request;
mod rocm;
mod row;
mod stored;

pub use child::serve;
pub use decode::{Outcome, Settings, TIME_LIMIT, Tables, decode};
pub use detail::Detail;
pub use error::AttError;
pub use inputs::Selection;
pub use request::ARGUMENT;
pub use stored::{code_object, trace};
