//! What the tests share: the format's layouts, a writer of bundles, and ways to ask.

pub mod ask;
pub mod builder;
pub mod built;
pub mod built_counter;
pub mod built_explain;
pub mod built_memory;
pub mod built_smoke;
pub mod fake_bench;
pub mod fake_tool;
#[path = "../../benches/generator.rs"]
pub mod generator;
pub mod layouts;
pub mod random;
pub mod random_bundle;
