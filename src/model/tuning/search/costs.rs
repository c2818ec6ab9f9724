//! Played costs of configurations, with what real ones have: vectors that fill registers or do not, spills, caches that
//! overflow, workgroups that cost time or are too few, configurations that are refused, and noise.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::tuning::attribute::Attribute;
use crate::tuning::configuration::{Configuration, Operation};
use crate::tuning::space::{Cpu, Space, Vulkan};

/// A space with the true cost of each point; `None` for refused ones.
pub struct Table {
    pub name: &'static str,
    pub space: Space,
    pub costs: Vec<Option<f64>>,
}

impl Table {
    /// Returns what a measurement of a point gives: noise of about 4 %, and once in fifty times a disturbance.
    pub fn measure(&self, point: usize, random: &mut ChaCha8Rng) -> Option<f64> {
        let mut uniform = || f64::from(random.next_u32()) / f64::from(u32::MAX);
        let noise: f64 = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let disturbed = if uniform() < 0.02 { 1.5 } else { 1.0 };
        Some(self.costs[point]? * (1.0 + 0.04 * noise).max(0.8) * disturbed)
    }

    pub fn best(&self) -> f64 {
        self.costs.iter().flatten().copied().fold(f64::INFINITY, f64::min)
    }

    /// Reads points with what they were measured to cost. The first is the compiler's own choice.
    fn recorded(name: &'static str, text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let knobs: Vec<String> =
            lines.next().expect("knobs").split(';').map(str::to_owned).collect();
        let (_, knobs) = knobs.split_last().expect("knobs and a cost");
        let rows: Vec<(Vec<i64>, Option<f64>)> = lines
            .map(|line| {
                let (values, cost) = line.rsplit_once(';').expect("a cost");
                (
                    values.split(';').map(|it| it.parse().expect("a number")).collect(),
                    cost.parse().ok(),
                )
            })
            .collect();
        let own = rows[0].0.clone();
        let known: BTreeMap<Vec<i64>, Option<f64>> = rows.into_iter().collect();
        let (values, none) = (known.keys().cloned().collect(), Configuration::default());
        let make = Arc::new(|_: &[i64]| Configuration::default());
        let space = Space::new(knobs.to_vec(), values, &own, none, make);
        Self { name, costs: space.points.iter().map(|values| known[values]).collect(), space }
    }

    fn new(name: &'static str, space: Space, cost: impl Fn(&Configuration) -> f64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let costs = (0..space.points.len()).map(|nth| {
            let refused = random.next_u32() % 33 == 0 && nth != space.own;
            (!refused).then(|| cost(&space.configuration(nth)))
        });
        Self { name, costs: costs.collect(), space }
    }
}

fn parse(text: &str) -> Attribute {
    Attribute::parse(text).expect(text)
}

fn list(of: &Configuration, path: &str, loops: usize) -> Vec<f64> {
    let values = of.get(path).and_then(Attribute::integers).unwrap_or_default();
    let mut values: Vec<f64> =
        values.into_iter().map(|it| f64::from(i32::try_from(it).expect("small"))).collect();
    values.resize(loops, 0.0);
    values
}

fn product(of: &[f64]) -> f64 {
    of.iter().map(|it| it.max(1.0)).product()
}

/// The cost of a contraction on a processor with 32 registers of 16 elements and 2 cores: loops with their extents, the
/// loop along which memory is contiguous, and which are reductions.
fn on_processor(
    of: &Configuration,
    extents: &[f64],
    contiguous: usize,
    reductions: &[usize],
) -> f64 {
    let loops = extents.len();
    let tiles = list(of, "distribution", loops);
    let vectors = list(of, "vector_common_parallel", loops);
    let steps = list(of, "vector_reduction", loops);
    let lanes = 16.0_f64;
    let along = vectors[contiguous].max(1.0);
    // Vectors narrower than a register leave lanes empty. Some of them combine.
    let used = if along >= lanes { 1.0 } else { (along / lanes).powf(0.7) };
    let accumulators = (product(&vectors) / lanes).max(1.0);
    let latency = (accumulators / 8.0).min(1.0).powf(0.6);
    let spill = if accumulators > 28.0 { 2.2 } else { 1.0 };
    let unrolled = product(&steps).min(16.0);
    let overhead =
        1.0 + 3.0 / (accumulators * unrolled) + if product(&steps) > 32.0 { 0.4 } else { 0.0 };
    let work: f64 = extents.iter().product();
    let tile: Vec<f64> = tiles
        .iter()
        .zip(extents)
        .map(|(tile, all)| if *tile > 0.0 { tile.min(*all) } else { *all })
        .collect();
    let groups: f64 = tile
        .iter()
        .zip(extents)
        .enumerate()
        .filter(|(nth, _)| !reductions.contains(nth))
        .map(|(_, (tile, all))| (all / tile).ceil())
        .product();
    // What a workgroup reads: its part of both inputs.
    let read: f64 = reductions.iter().map(|nth| extents[*nth]).product();
    let sides: f64 = tile
        .iter()
        .enumerate()
        .filter(|(nth, _)| !reductions.contains(nth))
        .map(|(_, it)| it)
        .sum();
    let bytes = 4.0 * read * sides;
    let missed = if bytes > 1.0e6 {
        1.5
    } else if bytes > 4.0e5 {
        1.15
    } else {
        1.0
    };
    let streamed = 1.0 + 24.0 / sides;
    let balance = (groups / 2.0).ceil() * 2.0 / groups;
    work / lanes / used / latency * spill * overhead * missed * streamed * balance / 3.0e9
        + groups * 4.0e-6
}

pub fn tables() -> Vec<Table> {
    let cpu = Cpu { vector_bytes: 64, vector_registers: 32, cache_bytes: 1 << 20 };
    let read = |text: &str| Operation::read(&[text]).expect(text);
    let matmul = read(
        "%1 = linalg.matmul ins(%2, %3 : tensor<512x1024xf32>, tensor<1024x768xf32>) outs(%4 : tensor<512x768xf32>) -> tensor<512x768xf32>",
    );
    let convolution = read(
        "%1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\"]} ins(%2, %3 : tensor<?x256x512xf32>, tensor<512x256x5xf32>) outs(%4 : tensor<?x512x508xf32>) -> tensor<?x512x508xf32>",
    );
    let processor = |lowering: &str| Configuration {
        lowering: Some(parse(&format!("#iree_cpu.lowering_config<{lowering}>"))),
        translation: Some(parse(
            "#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>",
        )),
        decomposition: None,
    };
    let own = processor(
        "distribution = [64, 64, 0], vector_common_parallel = [8, 16, 0], vector_reduction = [0, 0, 16]",
    );
    let matmuls = Space::of_cpu(&matmul, &own, cpu).expect("a space");
    let own =
        processor("distribution = [32, 32, 4, 0, 0], vector_common_parallel = [1, 1, 1, 0, 0]");
    let convolutions = Space::of_cpu(&convolution, &own, cpu).expect("a space");
    let own = Configuration {
        lowering: Some(parse(
            "#iree_codegen.lowering_config<tile_sizes = [[16, 256], [8, 8], [0, 0, 4]]>",
        )),
        translation: Some(parse(
            "#iree_codegen.translation_info<pipeline = #iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [32, 2, 1]>",
        )),
        decomposition: None,
    };
    let limits = Vulkan { threads: 512, sizes: [512, 512, 64] };
    let shaders = Space::of_vulkan(&matmul, &own, limits).expect("a space");
    let recorded = [("matmul, recorded", "matmul"), ("convolution, recorded", "convolution")];
    let recorded = recorded.map(|(name, file)| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tuning");
        let text = std::fs::read_to_string(format!("{folder}/{file}.csv")).expect(file);
        Table::recorded(name, &text)
    });
    let mut tables = recorded.into_iter().collect::<Vec<Table>>();
    tables.extend([
        Table::new("matmul, processor", matmuls, |of| {
            on_processor(of, &[512.0, 768.0, 1024.0], 1, &[2])
        }),
        Table::new("convolution, processor", convolutions, |of| {
            on_processor(of, &[1.0, 512.0, 508.0, 256.0, 5.0], 2, &[3, 4])
        }),
        Table::new("matmul, graphics", shaders, on_graphics),
    ]);
    tables
}

/// The cost of a matmul on a device with subgroups of 32 threads and 64 registers for each thread.
fn on_graphics(of: &Configuration) -> f64 {
    let (tile, thread) = (list(of, "tile_sizes[0]", 2), list(of, "tile_sizes[1]", 2));
    let step = list(of, "tile_sizes[2]", 3)[2].max(1.0);
    let threads: f64 = product(&list(of, "workgroup_size", 3));
    let width = thread[1].max(1.0);
    let vector = if width >= 4.0 { 1.0 } else { 2.5 - width / 2.0 };
    let results = product(&thread);
    let registers = results + (thread[0] + thread[1]) * step;
    let spill = if registers > 64.0 { 1.0 + (registers - 64.0) / 40.0 } else { 1.0 };
    let loads = 1.0 + 4.0 * (thread[0] + thread[1]) / results / vector.recip();
    let idle = (threads / 32.0).ceil() * 32.0 / threads;
    let occupancy = if threads < 64.0 {
        1.6
    } else if threads > 256.0 {
        1.2
    } else {
        1.0
    };
    let groups = 512.0 * 768.0 / product(&tile);
    let tail = (groups / 24.0).ceil() * 24.0 / groups;
    let overhead = 1.0 + 1.5 / (results * step).sqrt();
    4.0e8 / 1.0e12 * vector * spill * loads * idle * occupancy * tail * overhead
}
