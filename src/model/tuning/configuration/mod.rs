//! Configurations: what the compiler chose for the operations of dispatches, as it writes them with
//! `--iree-hal-dump-executable-configurations-to` and `--iree-codegen-add-tuner-attributes`.

mod dispatch;
mod head;
mod known;
mod operation;
mod values;

pub use dispatch::{Dispatch, dispatches, knobs_by_time};
pub use operation::{Loop, Operand, Operation};
pub use values::Configuration;
