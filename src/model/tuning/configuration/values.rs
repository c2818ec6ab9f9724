//! The values of a configuration: of an operation and of the function around it.

use super::known;
use crate::tuning::attribute::{Attribute, Entry, PathError};

/// What a configuration sets. `workgroup` is a knob of the lowering configuration, `workgroup_size` one of the
/// translation, and those of a decomposition begin with `decomposition_config`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Configuration {
    pub lowering: Option<Attribute>,
    pub translation: Option<Attribute>,
    pub decomposition: Option<Attribute>,
}

/// What paths into the decomposition begin with.
const DECOMPOSITION: &str = "decomposition_config";

/// The parts of a translation in the order in which they are written. A space separates them.
const TRANSLATION: [&str; 3] = ["pipeline", "workgroup_size", "subgroup_size"];

impl Configuration {
    /// Returns the keyword of the pipeline, such as `DoubleTilingExpert`.
    pub fn pipeline(&self) -> Option<&str> {
        self.translation.as_ref()?.get(TRANSLATION[0])?.keyword()
    }

    /// Returns all knobs with their values as text, besides the pipeline.
    pub fn knobs(&self) -> Vec<(String, String)> {
        let of = |attribute: Option<&Attribute>, prefix: &str| {
            let knobs = attribute.map(Attribute::knobs).unwrap_or_default();
            let named = knobs.into_iter().filter(|(path, _)| !path.is_empty());
            named.map(|(path, value)| (format!("{prefix}{path}"), value.to_string())).collect()
        };
        let mut knobs: Vec<(String, String)> = of(self.lowering.as_ref(), "");
        knobs.extend(of(self.decomposition.as_ref(), &format!("{DECOMPOSITION}.")));
        let translation = of(self.translation.as_ref(), "");
        knobs.extend(translation.into_iter().filter(|(path, _)| path != TRANSLATION[0]));
        knobs
    }

    /// Like [`Self::knobs`], for tables with a row per knob: one without name and value if there is none.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut knobs = self.knobs();
        if knobs.is_empty() {
            knobs.push((String::new(), String::new()));
        }
        knobs
    }

    /// Returns all knobs and the pipeline with their values as text.
    pub fn values(&self) -> Vec<(String, String)> {
        let pipeline = self.pipeline().map(|it| (TRANSLATION[0].to_owned(), it.to_owned()));
        self.knobs().into_iter().chain(pipeline).collect()
    }

    /// Returns the value of a knob.
    pub fn get(&self, path: &str) -> Option<&Attribute> {
        match path.strip_prefix(DECOMPOSITION) {
            Some(rest) => self.decomposition.as_ref()?.get(rest),
            None => [&self.translation, &self.lowering]
                .into_iter()
                .find_map(|attribute| attribute.as_ref()?.get(path)),
        }
    }

    /// Sets a knob. For an attribute around a keyword, such as a pipeline or an intrinsic, the keyword is enough.
    pub fn set(&mut self, path: &str, value: Attribute) -> Result<(), PathError> {
        let value = match (self.get(path), value) {
            (Some(around @ Attribute::Dialect { .. }), Attribute::Verbatim(word))
                if around.keyword().is_some() =>
            {
                with_keyword(around, word)
            }
            (_, value) => value,
        };
        let none = || PathError::NoParts { path: path.to_owned(), of: "nothing".to_owned() };
        if let Some(rest) = path.strip_prefix(DECOMPOSITION) {
            return self.decomposition.as_mut().ok_or_else(none)?.set(rest, value);
        }
        let root = path.split(['[', '.']).next().unwrap_or(path);
        let is_of_translation = TRANSLATION.contains(&root)
            || self.translation.as_ref().is_some_and(|it| it.get(path).is_some());
        if !is_of_translation {
            self.check(path, root)?;
            return self.lowering.as_mut().ok_or_else(none)?.set(path, value);
        }
        let translation = self.translation.as_mut().ok_or_else(none)?;
        if translation.get(path).is_none() && path == root {
            insert(translation, path, value);
            return Ok(());
        }
        translation.set(path, value)
    }

    /// Fails if neither the lowering nor its dialect has a knob of this name.
    fn check(&self, path: &str, root: &str) -> Result<(), PathError> {
        let known = self.lowering.as_ref().map(known::of_lowering).unwrap_or_default();
        if known.is_empty() || known.iter().any(|knob| knob == root) {
            return Ok(());
        }
        let all = known.iter().map(String::as_str).chain(TRANSLATION).collect::<Vec<_>>();
        Err(PathError::NoPart {
            path: path.to_owned(),
            part: format!("knob {root}"),
            known: all.join(", "),
        })
    }
}

/// Returns an attribute with another keyword.
fn with_keyword(around: &Attribute, word: String) -> Attribute {
    let Attribute::Dialect { name, .. } = around else { return Attribute::Verbatim(word) };
    Attribute::dialect(name.clone(), vec![Entry::new("", Attribute::Verbatim(word))])
}

/// Adds a part to a translation at its place.
fn insert(translation: &mut Attribute, key: &str, value: Attribute) {
    let Attribute::Dialect { body: Some(body), .. } = translation else { return };
    let rank = |key: &str| TRANSLATION.iter().position(|it| *it == key).unwrap_or(usize::MAX);
    let place = body.iter().position(|entry| rank(&entry.key) > rank(key)).unwrap_or(body.len());
    body.insert(place, Entry { key: key.to_owned(), value, comma: false });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration() -> Configuration {
        let read = |text: &str| Some(Attribute::parse(text).expect(text));
        Configuration {
            lowering: read(
                "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<A>, workgroup = [64, 32, 0]}>",
            ),
            translation: read(
                "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>",
            ),
            decomposition: read(
                "{qk_attrs = {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 4], [0, 1]]}>}}",
            ),
        }
    }

    #[test]
    fn knobs_of_all_parts_are_listed() {
        let paths: Vec<String> = configuration().knobs().into_iter().map(|knob| knob.0).collect();
        assert_eq!(
            paths,
            [
                "mma_kind",
                "workgroup",
                "decomposition_config.qk_attrs.lowering_config.subgroup_basis",
                "subgroup_size",
                "gpu_pipeline_options.prefetch_num_stages",
            ]
        );
        assert_eq!(configuration().pipeline(), Some("TileAndFuse"));
    }

    #[test]
    fn knobs_are_set_where_they_belong() {
        let mut all = configuration();
        for (path, value) in [
            ("pipeline", "VectorDistribute"),
            ("mma_kind", "B"),
            ("workgroup[1]", "16"),
            ("reduction", "[0, 0, 4]"),
            ("workgroup_size", "[64, 1, 1]"),
            ("gpu_pipeline_options.prefetch_num_stages", "0"),
            ("decomposition_config.qk_attrs.lowering_config.subgroup_basis[0][1]", "2"),
        ] {
            all.set(path, Attribute::parse(value).expect(value)).expect(path);
        }
        let text = |attribute: &Option<Attribute>| attribute.as_ref().map(ToString::to_string);
        assert_eq!(
            text(&all.lowering).as_deref(),
            Some(
                "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<B>, workgroup = [64, 16, 0], reduction = [0, 0, 4]}>"
            )
        );
        assert_eq!(
            text(&all.translation).as_deref(),
            Some(
                "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 0>}>"
            )
        );
        assert_eq!(
            text(&all.decomposition).as_deref(),
            Some(
                "{qk_attrs = {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 2], [0, 1]]}>}}"
            )
        );
        let error = all.set("workgruop", Attribute::Unit).expect_err("no such knob").to_string();
        let begin = "workgruop: there is no knob workgruop; there are mma_kind, workgroup, ";
        assert!(error.starts_with(begin) && error.contains("subgroup_size"), "{error}");
        let error = Configuration::default().set("x", Attribute::Unit).expect_err("no lowering");
        assert!(error.to_string().contains("x: nothing has no parts"), "{error}");
    }
}
