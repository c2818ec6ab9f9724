//! Spaces: the configurations that are worth trying for a dispatch.
//!
//! [`Space::of_constraints`] takes what the compiler states. For targets without such constraints, [`Space::of_cpu`]
//! and [`Space::of_vulkan`] generate configurations from the loops of the root operation and the limits in `limits`.
//! A space always has the compiler's own choice and its neighbors. [`Space::of_values`] takes what a user gives.

mod cpu;
mod given;
mod limits;
mod of_constraints;
mod points;
mod sizes;
mod vulkan;

pub use given::Values;
pub use limits::{Cpu, Vulkan};
pub use points::Space;

#[cfg(test)]
mod tests;
