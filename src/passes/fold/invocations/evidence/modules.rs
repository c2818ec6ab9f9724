//! Evidence: which submissions share executables.
//!
//! A call runs one module, and those that it calls. Back ends for CPUs link all dispatches of a module into one executable, so executables that never
//! occur in a common submission are of different modules, and in different calls.
//!
//! Where it is silent: back ends for GPUs make an executable of each dispatch, so only executables with several functions
//! tell modules apart; a module on several devices is loaded for each.

use super::names::Entries;
use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::Steps;

/// The modules of executables, as sets that are joined (union-find).
#[derive(Debug, Default)]
pub struct Modules {
    /// For each executable, another one of its module, or itself.
    parents: Vec<u32>,
    /// Whether an executable has several functions.
    is_linked: Vec<bool>,
}

impl Modules {
    /// Adds an executable, which may be known.
    pub fn add(&mut self, executable: u32) {
        for next in self.parents.len()..=executable as usize {
            self.parents.push(u32::try_from(next).unwrap_or(u32::MAX));
            self.is_linked.push(false);
        }
    }

    /// Notes that an executable has several functions.
    pub fn link(&mut self, executable: u32) {
        if let Some(linked) = self.is_linked.get_mut(executable as usize) {
            *linked = true;
        }
    }

    /// Notes that two executables are of one module.
    pub fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.of(one), self.of(other));
        if let Some(parent) = self.parents.get_mut(other as usize) {
            *parent = one;
        }
        if self.is_linked.get(other as usize).copied().unwrap_or_default() {
            self.link(one);
        }
    }

    /// Returns the executable that stands for the module of `executable`.
    pub fn of(&mut self, mut executable: u32) -> u32 {
        while let Some(parent) = self.parents.get(executable as usize).copied()
            && parent != executable
        {
            // Halves the path for the next search.
            let above = self.parents.get(parent as usize).copied().unwrap_or(parent);
            if let Some(parent) = self.parents.get_mut(executable as usize) {
                *parent = above;
            }
            executable = above;
        }
        executable
    }

    /// Whether the executables of a module tell it from others.
    pub(crate) fn is_linked(&self, module: u32) -> bool {
        self.is_linked.get(module as usize).copied().unwrap_or_default()
    }
}

/// Calls have submissions of several modules on one device.
const MIXED: f64 = 0.2;

/// Says how well a reading agrees with the modules.
pub fn weight(steps: &Steps, reading: &Reading, names: &Entries) -> f64 {
    // The device and the module of the first step of each call.
    let mut firsts = vec![None; reading.count as usize];
    let mut is_mixed = false;
    for ((step, place), is_called) in steps.all.iter().zip(reading.places()).zip(&names.called) {
        let Some((module, place)) = step.module.zip(place).filter(|_| !is_called) else { continue };
        if let Some(first) = firsts.get_mut(place.call as usize) {
            let (device, known) = *first.get_or_insert((step.device, module));
            is_mixed |= device == step.device && known != module;
        }
    }
    if is_mixed { MIXED } else { 1.0 }
}
