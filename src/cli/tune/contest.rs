//! The proof: runs of the untuned and the tuned model in turns, until it is decided for each target and the whole.

use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::laps::{Fault, Laps};
use super::targets::Target;
use crate::compare::{Lap, Standing, pairs};
use crate::statistics::shuffle;

/// Blocks of four runs that are done at most.
const BLOCKS: u32 = 10;

/// How the tuned model compares with the untuned one.
#[derive(Debug, Clone)]
pub struct Proof {
    pub total: Standing,
    /// One for each target.
    pub targets: Vec<Standing>,
    /// The last times of the whole model, untuned and tuned.
    pub ns: [f64; 2],
}

/// Runs both modules. `floor` is a logarithm of a ratio. Only targets that `are_changed` are judged.
pub fn run(
    laps: &mut Laps<'_>,
    modules: [&Path; 2],
    targets: &[Target],
    are_changed: &[bool],
    (floor, seed): (f64, u64),
) -> Result<Proof, Fault> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut total: Vec<Lap> = Vec::new();
    let mut each: Vec<Vec<Lap>> = vec![Vec::new(); targets.len()];
    let mut ns = [0.0; 2];
    for block in 1.. {
        let mut order = [false, true];
        shuffle(&mut order, &mut random);
        let [first, second] = order;
        for is_new in [first, second, second, first] {
            let [base, new] = modules;
            let lap = laps.run(if is_new { new } else { base })?;
            ns[usize::from(is_new)] = lap.total;
            total.push(Lap { is_new, logarithm: lap.total.ln() });
            for (target, all) in targets.iter().zip(&mut each) {
                let time = lap.of(&target.functions).unwrap_or(f64::NAN);
                all.push(Lap { is_new, logarithm: time.ln() });
            }
        }
        let standing = |laps: &Vec<Lap>| Standing::of(&pairs(laps), Some(floor));
        let result =
            Proof { total: standing(&total), targets: each.iter().map(standing).collect(), ns };
        let changed = result.targets.iter().zip(are_changed).filter(|(_, is)| **is);
        let is_decided =
            result.total.is_decided() && changed.clone().all(|(standing, _)| standing.is_decided());
        if is_decided || block == BLOCKS {
            return Ok(result);
        }
    }
    Err(Fault::Refused("no block was run".to_owned()))
}
