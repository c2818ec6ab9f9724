//! Why a timeline cannot be drawn.

use exporters::EncodeError;

use engine::EngineError;

/// Why a timeline cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The rows of a query cannot be drawn, or the output could not be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A text is no time window.
    #[error(
        "`{0}` is not a valid window; write START:END, each in nanoseconds, with the unit us, ms or s, or as a percentage, such as 10ms:20ms or 25%:50%"
    )]
    Window(String),
    /// The time window has no time.
    #[error("the window ends before it starts, or is empty")]
    EmptyWindow,
    /// Instruction traces were to be drawn, but none was selected.
    #[error("no instruction traces of the selected functions were recorded")]
    NoTraces,
    /// Instruction traces could not be decoded, for these reasons.
    #[error("{}", .0.join("\n"))]
    Undecoded(Vec<String>),
}
