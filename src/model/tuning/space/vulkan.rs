//! Configurations for Vulkan: `#iree_codegen.lowering_config<tile_sizes = …>` with a `workgroup_size`.
//!
//! The first list of sizes has the tile of a workgroup, the second that of a thread, the third the steps along
//! reductions. Threads are numbered from the innermost loop on, so the sizes of a workgroup follow from both tiles.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::limits::{
    FEWEST_THREADS, REDUCTION_SIZES, SPIRV_VECTOR, THREAD_BODY, THREAD_RESULTS, VECTOR_SIZES,
    Vulkan,
};
use super::points::Space;
use super::sizes::{combinations, divides, elements, per_loop};
use crate::tuning::attribute::Attribute;
use crate::tuning::configuration::{Configuration, Loop, Operation};

const TILES: &str = "tile_sizes";
const THREADS: &str = "workgroup_size";
/// Pipelines that tile for workgroups and threads alone (`SPIRV/Passes.cpp` of IREE). The second makes vectors.
const PIPELINES: [&str; 2] = ["BaseDistribute", "BaseVectorize"];

struct Root {
    loops: Vec<Loop>,
    own: Configuration,
    limits: Vulkan,
}

impl Space {
    /// Generates configurations for Vulkan. `None` if the operation has no loops that are known, or a pipeline that
    /// needs more than tiles.
    pub fn of_vulkan(root: &Operation, own: &Configuration, limits: Vulkan) -> Option<Self> {
        let root = Root { loops: root.loops.clone(), own: own.clone(), limits };
        let pipeline = PIPELINES.iter().position(|name| own.pipeline() == Some(*name))?;
        let own_tiles = [0, 1, 2].map(|level| root.own_sizes(level));
        if root.loops.is_empty() || own_tiles.iter().all(|tiles| tiles.iter().all(|it| *it == 0)) {
            return None;
        }
        let names = ["workgroup", "thread", "reduction"];
        let knobs = names
            .iter()
            .flat_map(|name| (0..root.loops.len()).map(move |nth| format!("{name}[{nth}]")));
        let knobs = knobs.chain(["pipeline".to_owned()]).collect();
        let number = |pipeline: usize| i64::try_from(pipeline).unwrap_or(0);
        let mut own_values = own_tiles.concat();
        own_values.push(number(pipeline));
        let mut values = BTreeSet::new();
        for threads in root.threads() {
            for workgroups in root.workgroups(&threads) {
                for other in pipeline..PIPELINES.len() {
                    for reductions in root.reductions(other != pipeline, &threads) {
                        let tiles = [workgroups.as_slice(), &threads, &reductions].concat();
                        values.insert(tiles.into_iter().chain([number(other)]).collect());
                    }
                }
            }
        }
        let make = Arc::new(move |values: &[i64]| root.configuration(values));
        Some(Space::new(knobs, values, &own_values, own.clone(), make))
    }
}

impl Root {
    fn own_sizes(&self, level: usize) -> Vec<i64> {
        let list = self.own.get(&format!("{TILES}[{level}]")).and_then(Attribute::integers);
        per_loop(list, self.loops.len())
    }

    fn parallel(&self) -> impl Iterator<Item = (usize, &Loop)> {
        self.loops.iter().enumerate().filter(|(_, it)| !it.is_reduction)
    }

    /// Returns tiles of threads. Threads are along the three innermost parallel loops; others have one element.
    fn threads(&self) -> Vec<Vec<i64>> {
        let own = self.own_sizes(1);
        let inner: Vec<usize> = self.inner();
        let lists = self.loops.iter().enumerate().map(|(nth, it)| {
            let own = own.get(nth).copied().unwrap_or(0);
            if it.is_reduction {
                return vec![own];
            }
            if !inner.contains(&nth) || it.extent.is_none() {
                return vec![own.max(1)];
            }
            let sizes = VECTOR_SIZES.iter().copied();
            let sizes = sizes.filter(|size| *size <= 4 * SPIRV_VECTOR && divides(*size, it));
            sizes.chain([own.max(1)]).collect::<BTreeSet<i64>>().into_iter().collect()
        });
        let lists: Vec<Vec<i64>> = lists.collect();
        combinations(&lists, &|begun| elements(begun) <= THREAD_RESULTS)
    }

    /// Returns the three innermost parallel loops, innermost first.
    fn inner(&self) -> Vec<usize> {
        let all: Vec<usize> = self.parallel().map(|(nth, _)| nth).collect();
        all.into_iter().rev().take(3).collect()
    }

    /// Returns tiles of workgroups for tiles of threads.
    fn workgroups(&self, threads: &[i64]) -> Vec<Vec<i64>> {
        let own = self.own_sizes(0);
        let inner = self.inner();
        let lists = self.loops.iter().enumerate().map(|(nth, it)| {
            let own = own.get(nth).copied().unwrap_or(0);
            let thread = threads.get(nth).copied().unwrap_or(1).max(1);
            let Some(axis) = inner.iter().position(|loop_| *loop_ == nth) else {
                return vec![own];
            };
            let most = self.limits.sizes.get(axis).copied().unwrap_or(1);
            // Where the compiler's own choice leaves a remainder, others may do so as well.
            let any = own > 0 && !divides(own, it);
            let counts = std::iter::successors(Some(1), |count| Some(count * 2));
            let tiles = counts.take_while(|count| *count <= most).map(|count| count * thread);
            let mut tiles: BTreeSet<i64> = tiles.filter(|tile| any || divides(*tile, it)).collect();
            if own % thread == 0 && own / thread <= most && own > 0 {
                tiles.insert(own);
            }
            tiles.into_iter().collect()
        });
        let lists: Vec<Vec<i64>> = lists.collect();
        let mut all = combinations(&lists, &|_| true);
        all.retain(|tiles| {
            let sizes = self.sizes(tiles, threads);
            (FEWEST_THREADS..=self.limits.threads).contains(&sizes.iter().product())
        });
        all
    }

    /// Returns the threads along x, y and z.
    fn sizes(&self, workgroups: &[i64], threads: &[i64]) -> [i64; 3] {
        let inner = self.inner();
        [0, 1, 2].map(|axis| {
            let nth = inner.get(axis);
            let size = |of: &[i64]| nth.and_then(|nth| of.get(*nth)).copied().unwrap_or(1).max(1);
            (size(workgroups) / size(threads)).max(1)
        })
    }

    /// Returns steps along reductions. Where the compiler makes none, there are none, unless the pipeline is another:
    /// one that makes vectors unrolls all that is not in steps, which can take it hours.
    fn reductions(&self, is_other: bool, threads: &[i64]) -> Vec<Vec<i64>> {
        let own = self.own_sizes(2);
        if own.iter().all(|size| *size == 0) && !is_other {
            return vec![own];
        }
        let lists = self.loops.iter().zip(&own).map(|(it, own)| {
            if !it.is_reduction {
                return vec![*own];
            }
            let sizes = REDUCTION_SIZES.iter().copied().filter(|size| divides(*size, it));
            sizes.chain([(*own).max(1)]).collect::<BTreeSet<i64>>().into_iter().collect()
        });
        let lists: Vec<Vec<i64>> = lists.collect();
        let results = elements(threads);
        combinations(&lists, &|begun| {
            let stepped = begun.iter().filter(|size| **size > 1).count();
            stepped <= 1 && results * elements(begun) <= THREAD_BODY
        })
    }

    fn configuration(&self, values: &[i64]) -> Configuration {
        let mut configuration = self.own.clone();
        let (tiles, pipeline) = values.split_at(values.len().saturating_sub(1));
        let lists: Vec<&[i64]> = tiles.chunks(self.loops.len().max(1)).collect();
        let sizes = match lists.as_slice() {
            [workgroups, threads, ..] => self.sizes(workgroups, threads),
            _ => [1; 3],
        };
        // The lists of the own choice may be shorter: they leave out zeros at their ends, and last lists without any.
        let parallel = self.parallel().last().map_or(0, |(nth, _)| nth + 1);
        let lists = lists.iter().enumerate().filter_map(|(level, list)| {
            let end = if level < 2 { parallel } else { list.len() };
            let list = list.get(..end).unwrap_or(list);
            let is_empty = list.iter().all(|size| *size == 0);
            (!is_empty).then(|| Attribute::list(list.iter().copied()))
        });
        let name = pipeline.first().and_then(|nth| usize::try_from(*nth).ok());
        let name = name.and_then(|nth| PIPELINES.get(nth)).copied().unwrap_or(PIPELINES[0]);
        for (path, value) in [
            (TILES, Attribute::Array(lists.collect())),
            (THREADS, Attribute::list(sizes)),
            ("pipeline", Attribute::Verbatim(name.to_owned())),
        ] {
            // The paths are plain names, which cannot fail.
            let _ = configuration.set(path, value);
        }
        configuration
    }
}
