//! Parts of an attribute by path: `distribution`, `tile_sizes[0][1]`, `gpu_pipeline_options.prefetch_num_stages`.
//!
//! A dictionary that stands in a body without a key is looked through: `workgroup` is the path of a part of
//! `#iree_gpu.lowering_config<{workgroup = [64, 64, 0]}>`.

use super::value::{Attribute, Entry};

/// Why a part of an attribute cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("{path}: there is no {part}; there are {known}")]
    NoPart { path: String, part: String, known: String },
    #[error("{path}: {part} is no index of {of}, which has {length} parts")]
    NoIndex { path: String, part: String, of: String, length: usize },
    #[error("{path}: {of} has no parts")]
    NoParts { path: String, of: String },
}

impl Attribute {
    /// Returns the part at a path.
    pub fn get(&self, path: &str) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        if let Some((index, rest)) = index(path) {
            let Self::Array(values) = self else { return None };
            return values.get(index?)?.get(rest);
        }
        let path = path.strip_prefix('.').unwrap_or(path);
        let parts = entries(self);
        let found = parts.iter().filter(|entry| rest_behind(&entry.key, path).is_some());
        let entry = found.max_by_key(|entry| entry.key.len())?;
        entry.value.get(rest_behind(&entry.key, path)?)
    }

    /// Sets the part at a path. A key that is missing is added to what has keys.
    pub fn set(&mut self, path: &str, value: Self) -> Result<(), PathError> {
        self.set_below(path, path, value)
    }

    fn set_below(&mut self, path: &str, left: &str, value: Self) -> Result<(), PathError> {
        if left.is_empty() {
            *self = value;
            return Ok(());
        }
        let of = self.to_string();
        if let Some((index, rest)) = index(left) {
            let Self::Array(values) = self else {
                return Err(PathError::NoParts { path: path.to_owned(), of });
            };
            let length = values.len();
            let part = left.strip_suffix(rest).unwrap_or(left).to_owned();
            let chosen = index.and_then(|index| values.get_mut(index));
            let no_index = PathError::NoIndex { path: path.to_owned(), part, of, length };
            return chosen.ok_or(no_index)?.set_below(path, rest, value);
        }
        let left = left.strip_prefix('.').unwrap_or(left);
        let known: Vec<String> = entries(self).iter().map(|entry| entry.key.clone()).collect();
        let found = known.iter().filter(|key| rest_behind(key, left).is_some());
        let key = found.max_by_key(|key| key.len());
        let Some(all) = entries_mut(self) else {
            return Err(PathError::NoParts { path: path.to_owned(), of });
        };
        if let Some(key) = key
            && let Some(entry) = find_mut(all, key)
        {
            return entry.value.set_below(path, rest_behind(key, left).unwrap_or(""), value);
        }
        if left.contains(['[', ']']) || left.is_empty() {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let part = left.to_owned();
            return Err(PathError::NoPart { path: path.to_owned(), part, known });
        }
        all.push(Entry::new(left, value));
        Ok(())
    }

    /// Returns the paths of the parts that have values of their own, such as a list, a number or a keyword, with these, in
    /// order.
    pub fn knobs(&self) -> Vec<(String, &Self)> {
        let mut knobs = Vec::new();
        self.collect(String::new(), &mut knobs);
        knobs
    }

    fn collect<'a>(&'a self, path: String, knobs: &mut Vec<(String, &'a Self)>) {
        let parts = entries(self);
        if parts.is_empty() {
            knobs.push((path, self));
            return;
        }
        for entry in parts {
            let dot = if path.is_empty() { "" } else { "." };
            entry.value.collect(format!("{path}{dot}{}", entry.key), knobs);
        }
    }
}

/// Reads `[1]` at the start of a path. Returns the number, if it is one, and what follows.
fn index(path: &str) -> Option<(Option<usize>, &str)> {
    let (number, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((number.parse().ok(), rest))
}

/// Returns what follows a key that a path begins with.
fn rest_behind<'a>(key: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(key)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

/// Returns the parts with keys, also those of a dictionary without a key.
fn entries(attribute: &Attribute) -> Vec<&Entry> {
    let all = match attribute {
        Attribute::Dictionary(all) | Attribute::Dialect { body: Some(all), .. } => all.as_slice(),
        _ => &[],
    };
    let parts = all.iter().flat_map(|entry| match &entry.value {
        Attribute::Dictionary(inside) if entry.key.is_empty() => inside.iter().collect(),
        _ if entry.key.is_empty() => Vec::new(),
        _ => vec![entry],
    });
    parts.collect()
}

/// Returns where a key would be added; `None` for what has no keys.
fn entries_mut(attribute: &mut Attribute) -> Option<&mut Vec<Entry>> {
    match attribute {
        Attribute::Dictionary(all) => Some(all),
        Attribute::Dialect { body: Some(all), .. } => match all.as_slice() {
            [Entry { key, value: Attribute::Dictionary(_), .. }] if key.is_empty() => {
                all.first_mut().and_then(|entry| entries_mut(&mut entry.value))
            }
            // A keyword alone, such as the name of a pipeline.
            [Entry { key, .. }] if key.is_empty() => None,
            _ => Some(all),
        },
        _ => None,
    }
}

fn find_mut<'a>(all: &'a mut [Entry], key: &str) -> Option<&'a mut Entry> {
    all.iter_mut().find_map(|entry| {
        if entry.key == key {
            return Some(entry);
        }
        match &mut entry.value {
            Attribute::Dictionary(inside) if entry.key.is_empty() => find_mut(inside, key),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Attribute {
        Attribute::parse(text).expect(text)
    }

    const CPU: &str = "#iree_cpu.lowering_config<distribution = [32, 64, 0], vector_common_parallel = [8, 16, 0]>";
    const GPU: &str = "#iree_gpu.lowering_config<{convert_acc_gemm, mma_kind = #iree_gpu.mma_layout<A>, workgroup = [64, 32, 0]}>";
    const SPIRV: &str = "#iree_codegen.lowering_config<tile_sizes = [[16, 256], [8, 8]]>";
    const INFO: &str = "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>, iree_codegen.denormal_fp_math_f32 = #iree_codegen.denormal_fp_math<\"preserve-sign\">}>";

    #[test]
    fn parts_are_found_by_path() {
        for (text, path, found) in [
            (CPU, "distribution", Some("[32, 64, 0]")),
            (CPU, "distribution[1]", Some("64")),
            (CPU, "distribution[3]", None),
            (CPU, "distribution.x", None),
            (CPU, "reduction", None),
            (GPU, "workgroup[0]", Some("64")),
            (GPU, "mma_kind", Some("#iree_gpu.mma_layout<A>")),
            (SPIRV, "tile_sizes[0][1]", Some("256")),
            (INFO, "workgroup_size[0]", Some("128")),
            (INFO, "gpu_pipeline_options.prefetch_num_stages", Some("2")),
            (
                INFO,
                "iree_codegen.denormal_fp_math_f32",
                Some("#iree_codegen.denormal_fp_math<\"preserve-sign\">"),
            ),
        ] {
            let read = read(text);
            assert_eq!(read.get(path).map(ToString::to_string).as_deref(), found, "{path}");
        }
        assert_eq!(read(INFO).get("pipeline").and_then(Attribute::keyword), Some("TileAndFuse"));
        assert_eq!(
            read(CPU).get("distribution").and_then(Attribute::integers),
            Some(vec![32, 64, 0])
        );
    }

    #[test]
    fn parts_are_set_by_path() {
        for (text, path, value, before, after) in [
            (CPU, "distribution[1]", "16", "[32, 64, 0]", "[32, 16, 0]"),
            (CPU, "distribution", "[1]", "[32, 64, 0]", "[1]"),
            (CPU, "vector_reduction", "[0]", "16, 0]>", "16, 0], vector_reduction = [0]>"),
            (GPU, "workgroup[0]", "16", "[64, 32", "[16, 32"),
            (GPU, "reduction", "[0]", "32, 0]}>", "32, 0], reduction = [0]}>"),
            (GPU, "mma_kind", "#iree_gpu.mma_layout<B>", "layout<A>", "layout<B>"),
            (SPIRV, "tile_sizes[1][0]", "4", "[8, 8]", "[4, 8]"),
            (INFO, "gpu_pipeline_options.prefetch_num_stages", "0", "stages = 2", "stages = 0"),
            (INFO, "subgroup_size", "32", "subgroup_size = 64", "subgroup_size = 32"),
        ] {
            let mut changed = read(text);
            changed.set(path, read(value)).expect(path);
            assert_eq!(changed.to_string(), text.replace(before, after), "{path}");
        }
    }

    #[test]
    fn paths_that_lead_nowhere_are_errors() {
        for (text, path, words) in [
            (CPU, "distribution[3]", "[3] is no index of [32, 64, 0], which has 3 parts"),
            (CPU, "distribution[x]", "[x] is no index"),
            (CPU, "distribution.x", "[32, 64, 0] has no parts"),
            (
                CPU,
                "reduction[0]",
                "there is no reduction[0]; there are distribution, vector_common_parallel",
            ),
            ("1", "x", "1 has no parts"),
            ("#iree_cpu.pipeline<A>", "x", "has no parts"),
        ] {
            let mut changed = read(text);
            let error = changed.set(path, Attribute::Integer(1)).expect_err(path);
            assert!(error.to_string().contains(words), "{error}");
            assert_eq!(changed, read(text));
        }
    }

    #[test]
    fn knobs_are_the_parts_with_values() {
        let paths =
            |text: &str| read(text).knobs().into_iter().map(|(path, _)| path).collect::<Vec<_>>();
        assert_eq!(paths(CPU), ["distribution", "vector_common_parallel"]);
        assert_eq!(paths(GPU), ["convert_acc_gemm", "mma_kind", "workgroup"]);
        assert_eq!(
            paths(INFO),
            [
                "pipeline",
                "workgroup_size",
                "subgroup_size",
                "gpu_pipeline_options.prefetch_num_stages",
                "iree_codegen.denormal_fp_math_f32"
            ]
        );
    }
}
