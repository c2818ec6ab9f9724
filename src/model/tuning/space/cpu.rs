//! Configurations for processors: `#iree_cpu.lowering_config`.
//!
//! Each loop has a tile for a workgroup (`distribution`), within it a tile of vectors (`vector_common_parallel`), and
//! along reductions a step (`vector_reduction`). Contractions may have a tile between (`cache_parallel`).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::limits::{
    BODY, COARSE_TILES, Cpu, LARGEST_TILE, LARGEST_TILE_OF_MANY, REDUCTION_SIZES, SPILL,
    VECTOR_LOOPS, VECTOR_SIZES, WHOLE_REDUCTION,
};
use super::points::Space;
use super::sizes::{combinations, divides, element_bytes, elements, extent, per_loop};
use crate::tuning::attribute::Attribute;
use crate::tuning::configuration::{Configuration, Loop, Operation};

const DISTRIBUTION: &str = "distribution";
const CACHE: &str = "cache_parallel";
const PARALLEL: &str = "vector_common_parallel";
const REDUCTION: &str = "vector_reduction";

/// What a pipeline lets one choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freedom {
    /// All tiles.
    All,
    /// All tiles, but loops that the compiler gives one element stay at one: the pipeline takes them apart.
    AllButOnes,
    /// Tiles of workgroups only: vectors follow from how data lies in memory.
    Distribution,
}

/// Pipelines for processors, by what they do (`LLVMCPU/Passes.cpp` of IREE). All others are treated like the last.
const PIPELINES: [(&str, Freedom); 3] = [
    ("DoubleTilingExpert", Freedom::All),
    ("ConvTileAndDecomposeExpert", Freedom::AllButOnes),
    ("Mmt4dTilingExpert", Freedom::Distribution),
];

struct Root {
    loops: Vec<Loop>,
    own: Configuration,
    freedom: Freedom,
    /// The elements of a vector register.
    lanes: i64,
    /// Elements of all vector registers, with what may spill.
    registers: i64,
    /// Elements of the cache.
    cache: i64,
}

impl Space {
    /// Generates configurations for a processor. `None` if the operation has no loops that are known, or the compiler
    /// did not configure it.
    pub fn of_cpu(root: &Operation, own: &Configuration, cpu: Cpu) -> Option<Self> {
        let named = PIPELINES.iter().find(|(name, _)| own.pipeline() == Some(*name));
        let bytes = element_bytes(root);
        let lanes = (cpu.vector_bytes / bytes).max(1);
        let root = Root {
            loops: root.loops.clone(),
            own: own.clone(),
            freedom: named.map_or(Freedom::Distribution, |(_, freedom)| *freedom),
            lanes,
            registers: lanes * cpu.vector_registers * SPILL,
            cache: cpu.cache_bytes / bytes,
        };
        own.get(DISTRIBUTION)?;
        if root.loops.is_empty() {
            return None;
        }
        Some(root.space())
    }
}

impl Root {
    fn space(self) -> Space {
        let names = self.kinds();
        let knobs = names
            .iter()
            .flat_map(|name| (0..self.loops.len()).map(move |nth| format!("{name}[{nth}]")));
        let knobs: Vec<String> = knobs.collect();
        let own: Vec<i64> = names.iter().flat_map(|name| self.own_sizes(name)).collect();
        let mut values = BTreeSet::new();
        for vectors in self.vectors() {
            for distribution in self.distributions(&vectors) {
                let mut point = distribution.clone();
                point.extend(&vectors);
                if !names.contains(&CACHE) {
                    values.insert(point);
                    continue;
                }
                for cached in self.cached(&distribution, &vectors) {
                    values.insert(point.iter().copied().chain(cached).collect());
                }
            }
        }
        let choice = self.own.clone();
        let make = Arc::new(move |values: &[i64]| self.configuration(&names, values));
        Space::new(knobs, values, &own, choice, make)
    }

    /// Returns the knobs that are chosen.
    fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = vec![DISTRIBUTION];
        if self.freedom != Freedom::Distribution {
            kinds.extend([PARALLEL, REDUCTION]);
            let parallel = self.loops.iter().filter(|it| !it.is_reduction).count();
            if parallel < self.loops.len() && parallel >= VECTOR_LOOPS {
                kinds.push(CACHE);
            }
        }
        kinds
    }

    fn own_sizes(&self, name: &str) -> Vec<i64> {
        per_loop(self.own.get(name).and_then(Attribute::integers), self.loops.len())
    }

    /// Returns sizes of vectors: along parallel loops for each loop, then the same for reductions.
    fn vectors(&self) -> Vec<Vec<i64>> {
        if self.freedom == Freedom::Distribution {
            return vec![Vec::new()];
        }
        let (own_parallel, own_reduction) = (self.own_sizes(PARALLEL), self.own_sizes(REDUCTION));
        let sizes = |is_reduction: bool, own: &[i64]| -> Vec<Vec<i64>> {
            let of = |(it, own): (&Loop, &i64)| {
                if it.is_reduction == is_reduction { self.sizes(it, *own) } else { vec![0] }
            };
            self.loops.iter().zip(own).map(of).collect()
        };
        let mut parallel = combinations(&sizes(false, &own_parallel), &|begun| {
            let many = begun.iter().filter(|size| **size > 1).count();
            elements(begun) <= self.registers && many <= VECTOR_LOOPS
        });
        let mut reductions = combinations(&sizes(true, &own_reduction), &|begun| {
            begun.iter().filter(|size| **size > 1).count() <= VECTOR_LOOPS
        });
        // What the compiler leaves out stays possible, so that its own choice has neighbors.
        for (all, own) in [(&mut parallel, own_parallel), (&mut reductions, own_reduction)] {
            if !all.contains(&own) {
                all.push(own);
            }
        }
        let both = parallel.iter().flat_map(|one| {
            reductions.iter().map(|other| [one.as_slice(), other.as_slice()].concat())
        });
        both.filter(|sizes| elements(sizes) < self.lanes * BODY).collect()
    }

    /// Returns the sizes of vectors along a loop. A size that does not divide the extent leaves a remainder, for which
    /// most pipelines make no vectors at all, so only the compiler itself chooses it.
    fn sizes(&self, of: &Loop, own: i64) -> Vec<i64> {
        if self.freedom == Freedom::AllButOnes && own <= 1 {
            return vec![own];
        }
        let all: &[i64] = if of.is_reduction { &REDUCTION_SIZES } else { &VECTOR_SIZES };
        let whole = extent(of).filter(|extent| of.is_reduction && *extent <= WHOLE_REDUCTION);
        let fitting = all.iter().copied().filter(|size| divides(*size, of));
        let sizes: BTreeSet<i64> = fitting.chain(whole).chain([own.max(1)]).collect();
        sizes.into_iter().collect()
    }

    /// Returns tiles of workgroups that consist of whole vectors. Their results fit the cache.
    fn distributions(&self, vectors: &[i64]) -> Vec<Vec<i64>> {
        let own = self.own_sizes(DISTRIBUTION);
        let parallel = self.loops.iter().filter(|it| !it.is_reduction).count();
        let largest = if parallel > 1 { LARGEST_TILE_OF_MANY } else { LARGEST_TILE };
        let tiles = self.loops.iter().enumerate().map(|(nth, it)| {
            let own = own.get(nth).copied().unwrap_or(0);
            // Reductions are not distributed.
            if it.is_reduction {
                return vec![own];
            }
            let vector = vectors.get(nth).copied().unwrap_or(1).max(1);
            let most = extent(it).unwrap_or(largest).min(largest);
            let doubled = std::iter::successors(Some(vector), |tile| Some(tile * 2));
            let coarse = parallel > VECTOR_LOOPS && vector == 1;
            let fits = |tile: &i64| *tile <= most;
            let mut tiles: BTreeSet<i64> = if coarse {
                COARSE_TILES.into_iter().filter(fits).collect()
            } else {
                doubled.take_while(fits).collect()
            };
            if own % vector == 0 {
                tiles.insert(own);
            }
            tiles.into_iter().collect()
        });
        let tiles: Vec<Vec<i64>> = tiles.collect();
        combinations(&tiles, &|begun| self.results(begun) <= self.cache)
    }

    /// Returns the results of a tile, where 0 stands for a whole loop.
    fn results(&self, tile: &[i64]) -> i64 {
        let of = |(size, it): (&i64, &Loop)| match (*size, it.is_reduction) {
            (_, true) => 1,
            (0, _) => extent(it).unwrap_or(1),
            (size, _) => size,
        };
        tile.iter().zip(&self.loops).map(of).fold(1_i64, i64::saturating_mul)
    }

    /// Returns tiles between those of workgroups and vectors: none, or twice the vectors along two loops where the tile
    /// of the workgroup is larger still.
    fn cached(&self, distribution: &[i64], vectors: &[i64]) -> Vec<Vec<i64>> {
        let own = self.own_sizes(CACHE);
        let none = vec![0; self.loops.len()];
        let doubled =
            self.loops.iter().zip(distribution).zip(vectors).map(|((it, tile), vector)| {
                if it.is_reduction { 0 } else { (2 * vector).min(*tile).max(*vector) }
            });
        let doubled: Vec<i64> = doubled.collect();
        let larger = distribution.iter().zip(&doubled).zip(vectors);
        let larger = larger.filter(|((tile, double), vector)| tile > double && **vector > 1);
        let pays = larger.count() >= VECTOR_LOOPS && self.freedom == Freedom::All;
        let mut all = vec![none];
        all.extend(Some(doubled).filter(|_| pays));
        if !all.contains(&own) {
            all.push(own);
        }
        all
    }

    fn configuration(&self, names: &[&str], values: &[i64]) -> Configuration {
        let mut configuration = self.own.clone();
        for (name, sizes) in names.iter().zip(values.chunks(self.loops.len().max(1))) {
            // What the compiler leaves out is left out, too, where it would say nothing.
            if configuration.get(name).is_some() || sizes.iter().any(|size| *size != 0) {
                // The path is a plain name, which cannot fail.
                let _ = configuration.set(name, Attribute::list(sizes.iter().copied()));
            }
        }
        configuration
    }
}
