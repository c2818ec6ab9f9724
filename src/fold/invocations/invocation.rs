//! An invocation: one call of the model within a session, on one device.

/// One invocation. Times are ticks of the device, or nanoseconds of the host.
#[derive(Debug)]
pub struct Invocation {
    pub session_id: u64,
    pub is_on_device: bool,
    pub device: u64,
    /// Number among those of the session and device, by start, from 1.
    pub number: u64,
    /// Equal for invocations of the same functions, from 1.
    pub kind: u64,
    pub method: &'static str,
    /// The share of the module's dispatches, from the first invocation on, that are in invocations.
    pub confidence: f64,
    pub start: Option<u64>,
    pub end: Option<u64>,
    /// The time in which at least one dispatch ran.
    pub busy: u64,
    pub dispatch_count: u64,
    pub submission_count: u64,
    pub is_warm_up: bool,
}
