//! The rows of a history. The declarations of the tables document the columns.

use serde::{Deserialize, Serialize};

/// A row of `history_runs`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    pub entry: String,
    pub time: String,
    pub addition: Option<u64>,
    pub branch: String,
    pub commit: Option<String>,
    pub labels: Option<String>,
    pub run: String,
    pub driver: String,
    pub devices: String,
    #[serde(default)]
    pub has_counters: bool,
    #[serde(default)]
    pub is_throttled: bool,
    #[serde(default)]
    pub is_cut: bool,
    pub contradiction: Option<String>,
    pub tick_ns: Option<f64>,
    pub inputs: Option<String>,
    pub results: Option<String>,
    pub calls_confidence: Option<f64>,
    pub call_dispatches: Option<f64>,
    pub untimed_functions: Option<u64>,
    pub sequence: Option<String>,
    pub timing_source: String,
    pub source: String,
    pub source_sha256: String,
    pub iteration_count: u64,
    pub dispatch_count: u64,
    pub total_ns: f64,
    pub min_ns: f64,
    pub median_ns: f64,
    pub mean_ns: f64,
    pub p95_ns: f64,
}

/// A row of `history_functions`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionRow {
    pub entry: String,
    pub run: String,
    pub timing_source: String,
    pub function: String,
    pub function_hash: Option<String>,
    pub position: u64,
    pub iteration_count: u64,
    pub dispatch_count: u64,
    pub total_ns: f64,
    pub min_ns: f64,
    pub median_ns: f64,
    pub mean_ns: f64,
    pub p95_ns: f64,
}

/// A row of `history_samples`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub entry: String,
    pub run: String,
    pub timing_source: String,
    pub iteration: Option<u64>,
    pub function: String,
    pub function_hash: Option<String>,
    pub dispatch_count: u64,
    pub total_ns: Option<f64>,
    pub workgroup_count: Option<f64>,
    pub binding_count: Option<u64>,
    pub constant_count: Option<u64>,
}

/// A row of `history_accepted`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    pub branch: String,
    pub entry: String,
    pub time: String,
    pub addition: Option<u64>,
}
