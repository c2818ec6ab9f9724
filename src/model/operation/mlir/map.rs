//! Indexing maps, and the loops that follow from them and the shapes of operands.

use std::collections::HashMap;

use super::text::{inside, parts};
use super::types::Tensor;

/// Which loop each dimension of an operand follows; `None` for sums and constants.
#[derive(Debug, PartialEq, Eq)]
pub struct Map {
    pub loops: usize,
    pub results: Vec<Option<usize>>,
}

/// Reads the indexing maps of an operation. `None` if it has none or one is not understood.
pub fn maps(line: &str, aliases: &HashMap<&str, &str>) -> Option<Vec<Map>> {
    let list = inside(line, "indexing_maps = [")?;
    parts(list).into_iter().map(|map| read(aliases.get(map).unwrap_or(&map))).collect()
}

fn read(text: &str) -> Option<Map> {
    let (loops, results) = text.strip_prefix("affine_map<")?.split_once("->")?;
    let names = parts(inside(loops, "(")?);
    let each = parts(inside(results, "(")?);
    let place = |result: &str| names.iter().position(|name| *name == result);
    Some(Map { loops: names.len(), results: each.into_iter().map(place).collect() })
}

/// Returns the number of iterations of each loop. `None` if one is dynamic, or follows from no operand alone.
pub fn loops(maps: &[Map], operands: &[Tensor<'_>]) -> Option<Vec<u64>> {
    extents(maps, operands)?.into_iter().collect()
}

/// Returns the number of iterations of each loop, where it is known. `None` if the maps are not those of the operands.
pub fn extents(maps: &[Map], operands: &[Tensor<'_>]) -> Option<Vec<Option<u64>>> {
    let mut extents = vec![None; maps.first()?.loops];
    if maps.len() != operands.len() {
        return None;
    }
    for (map, tensor) in maps.iter().zip(operands) {
        for (place, size) in map.results.iter().zip(&tensor.shape) {
            if let Some(extent) = place.and_then(|place| extents.get_mut(place)) {
                *extent = extent.or(*size);
            }
        }
    }
    Some(extents)
}
