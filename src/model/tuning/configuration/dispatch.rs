//! Dispatches as the compiler dumps them: a function per dispatch, with its target and its operations.

use super::operation::Operation;
use super::values::Configuration;
use crate::operation::Knob;
use crate::operation::mlir::function_name;
use crate::tuning::attribute::{Attribute, Syntax};

/// A dispatch with its configuration.
#[derive(Debug, Clone)]
pub struct Dispatch {
    /// The name of its function, as profiles have it.
    pub name: String,
    /// The target of its executable: `<"llvm-cpu", "embedded-elf-x86_64", {…}>`.
    pub target: Option<Attribute>,
    pub translation: Option<Attribute>,
    /// The operations that have a configuration or are marked, in order.
    pub operations: Vec<Operation>,
}

impl Dispatch {
    /// Returns the name of the compiler's back end, such as `llvm-cpu`.
    pub fn backend(&self) -> &str {
        let Some(Attribute::Dialect { body: Some(body), .. }) = &self.target else { return "" };
        match body.first().map(|entry| &entry.value) {
            Some(Attribute::String(name)) => name,
            _ => "",
        }
    }

    /// Returns the operation that the others are fused with: the one that is marked, else the configured one with the
    /// most loops.
    pub fn root(&self) -> Option<&Operation> {
        let marked = self.operations.iter().find(|operation| operation.is_root);
        marked.or_else(|| {
            let configured = self.operations.iter().filter(|it| it.lowering.is_some());
            configured.max_by_key(|operation| operation.loops.len())
        })
    }

    /// Whether the compiler has chosen anything for it.
    pub fn is_configured(&self) -> bool {
        self.translation.is_some() || self.operations.iter().any(|it| it.lowering.is_some())
    }

    /// Returns what is set for an operation of it.
    pub fn configuration(&self, of: &Operation) -> Configuration {
        Configuration {
            lowering: of.lowering.clone(),
            translation: self.translation.clone(),
            decomposition: of.decomposition.clone(),
        }
    }

    /// Returns its knobs, those of the root operation and of the function; one without a name if it has none.
    pub fn knobs(&self) -> Vec<Knob> {
        let root = self.root();
        let of_function =
            || Configuration { translation: self.translation.clone(), ..Configuration::default() };
        let configuration = root.map_or_else(of_function, |root| self.configuration(root));
        let all = Knob {
            dispatch: self.name.clone(),
            target: self.backend().to_owned(),
            operation: root.map(|root| root.name.clone()).unwrap_or_default(),
            shapes: root.map(Operation::shapes).unwrap_or_default(),
            types: root.map(Operation::types).unwrap_or_default(),
            pipeline: configuration.pipeline().unwrap_or_default().to_owned(),
            ..Knob::default()
        };
        let rows = configuration.rows().into_iter();
        rows.map(|(knob, value)| Knob { knob, value, ..all.clone() }).collect()
    }
}

/// Returns the knobs of dispatches; those of the dispatch that takes the most time come first.
pub fn knobs_by_time(dispatches: &[Dispatch], total_ns: impl Fn(&str) -> Option<f64>) -> Vec<Knob> {
    let total = |dispatch: &Dispatch| total_ns(&dispatch.name).unwrap_or_default();
    let mut all: Vec<&Dispatch> = dispatches.iter().collect();
    all.sort_by(|one, other| total(other).total_cmp(&total(one)));
    all.into_iter().flat_map(Dispatch::knobs).collect()
}

/// Reads the dispatches of a file. Fails if an attribute of a function is malformed; its offset is that in the text.
pub fn dispatches(text: &str) -> Result<Vec<Dispatch>, Syntax> {
    let mut found: Vec<Dispatch> = Vec::new();
    let mut target = None;
    let lines: Vec<&str> = text.lines().collect();
    for (nth, line) in lines.iter().enumerate() {
        let attribute_behind = |words: &str| {
            let start = line.find(words)? + words.len();
            let read = Attribute::parse_prefix(line.get(start..).unwrap_or_default());
            let offset = line.as_ptr() as usize - text.as_ptr() as usize + start;
            Some(read.map_err(|error| Syntax { offset: offset + error.offset, ..error }))
        };
        let short = line.trim_start();
        if short.starts_with("hal.executable.variant ") {
            target = attribute_behind("target(").transpose()?.map(|(target, _)| target);
        } else if let Some(name) = function_name(short) {
            let translation = attribute_behind("translation_info = ").transpose()?;
            let name = name.to_owned();
            let translation = translation.map(|(attribute, _)| attribute);
            found.push(Dispatch {
                name,
                target: target.clone(),
                translation,
                operations: Vec::new(),
            });
        } else if (line.contains("lowering_config = ") || line.contains("root_op = "))
            && let Some(dispatch) = found.last_mut()
        {
            dispatch.operations.extend(Operation::read(with_region(&lines, nth)));
        }
    }
    Ok(found)
}

/// Returns the lines of an operation, up to the line that closes its region.
fn with_region<'a, 'b>(lines: &'b [&'a str], first: usize) -> &'b [&'a str] {
    let rest = lines.get(first..).unwrap_or_default();
    let Some(line) = rest.first().filter(|line| line.trim_end().ends_with('{')) else {
        return rest.get(..1).unwrap_or_default();
    };
    let indent = line.len() - line.trim_start().len();
    let closes = |line: &&str| line.get(indent..).is_some_and(|rest| rest.starts_with('}'));
    let end = rest.iter().skip(1).position(closes).map_or(rest.len(), |end| end + 2);
    rest.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dump of the compiler, shortened.
    const DUMP: &str = r#"hal.executable public @main_dispatch_0 {
  hal.executable.variant public @embedded_elf_x86_64 target(<"llvm-cpu", "embedded-elf-x86_64", {cpu = "znver4", native_vector_size = 64 : i64}>) {
    hal.executable.export public @main_dispatch_0_matmul_256x128x512_f32 ordinal(0) layout(#hal.pipeline.layout<bindings = []>) {
    }
    builtin.module {
      func.func @main_dispatch_0_matmul_256x128x512_f32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
        %6 = linalg.fill {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [8, 16]>} ins(%cst : f32) outs(%5 : tensor<256x128xf32>) -> tensor<256x128xf32>
        %7 = linalg.matmul {lowering_config = #iree_cpu.lowering_config<distribution = [32, 64, 0], vector_common_parallel = [8, 16, 0]>, root_op = #iree_codegen.root_op<set = 0>} ins(%3, %4 : tensor<256x512xf32>, tensor<512x128xf32>) outs(%6 : tensor<256x128xf32>) -> tensor<256x128xf32>
        %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%7 : tensor<256x128xf32>) attrs =  {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [8, 16]>} {
        ^bb0(%out: f32):
          linalg.yield %out : f32
        } -> tensor<256x128xf32>
        return
      }
    }
  }
}
"#;

    #[test]
    fn dispatches_have_targets_and_roots() {
        let read = dispatches(DUMP).expect("a dump");
        assert_eq!(read.len(), 1);
        let dispatch = &read[0];
        assert_eq!(dispatch.name, "main_dispatch_0_matmul_256x128x512_f32");
        assert_eq!(dispatch.backend(), "llvm-cpu");
        let native = dispatch.target.as_ref().and_then(|it| it.get("native_vector_size"));
        assert_eq!(native.and_then(Attribute::integer), Some(64));
        let names: Vec<&str> = dispatch.operations.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["linalg.fill", "linalg.matmul", "linalg.generic"]);
        let root = dispatch.root().expect("a root");
        assert_eq!(root.name, "linalg.matmul");
        let knobs = dispatch.configuration(root).knobs();
        let wanted = [("distribution", "[32, 64, 0]"), ("vector_common_parallel", "[8, 16, 0]")];
        assert_eq!(knobs, wanted.map(|(knob, value)| (knob.to_owned(), value.to_owned())));
    }

    #[test]
    fn without_a_mark_the_root_has_the_most_loops() {
        let unmarked = DUMP.replace(", root_op = #iree_codegen.root_op<set = 0>", "");
        let read = dispatches(&unmarked).expect("a dump");
        assert_eq!(read[0].root().map(|root| root.name.as_str()), Some("linalg.matmul"));
    }

    #[test]
    fn malformed_attributes_are_told_by_their_place() {
        let broken = DUMP.replace("pipeline<DoubleTilingExpert>", "pipeline<(>");
        let error = dispatches(&broken).expect_err("a bracket is missing");
        let line = broken[..error.offset].lines().count();
        assert_eq!(line, 6, "{error}");
        assert!(dispatches("").expect("nothing").is_empty());
    }
}
