//! Shared test support: format layouts, bundle builders, fake tools, and functions that run queries.

pub mod ask;
pub mod builder;
pub mod built;
pub mod built_clocks;
pub mod built_contradictions;
pub mod built_counter;
pub mod built_explain;
pub mod built_idle;
pub mod built_memory;
pub mod built_queues;
pub mod built_smoke;
pub mod built_times;
pub mod built_traces;
#[cfg(any(feature = "cluster", feature = "servers"))]
pub mod certificates;
pub mod changes;
pub mod day;
pub mod fake_bench;
pub mod fake_tool;
#[path = "../../benches/generator.rs"]
pub mod generator;
pub mod layouts;
pub mod models;
pub mod mutate;
pub mod parts;
pub mod perfetto;
pub mod played_calls;
pub mod proxy;
pub mod random;
pub mod random_bundle;
pub mod random_program;
pub mod random_sql;
pub mod recorded_calls;
#[cfg(feature = "cluster")]
pub mod workers;
