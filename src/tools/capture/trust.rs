//! Decides what of a command that a file carries may run without a question. A capture set is data that people send to
//! each other, so its manifest may name a tool of IREE and its model, but not what else runs or is written.

use std::path::{Component, Path, PathBuf};

use read::bundle::set::Process;

/// Flags of IREE's tools that choose the work and the device, and neither write files nor load libraries. A name that
/// ends in `*` stands for all that begin with it.
const HARMLESS: &[&str] = &[
    "amdgpu_*",
    "batch_*",
    "benchmark_*",
    "binding",
    "cuda_*",
    "device",
    "device_allocator",
    "devices",
    "entry_function",
    "entry_point",
    "executable_file",
    "executable_format",
    "expected_*",
    "function",
    "hip_*",
    "input",
    "module",
    "module_mode",
    "parameter_mode",
    "parameters",
    "print_*",
    "task_*",
    "time_unit",
    "vulkan_*",
    "workgroup_count",
];

/// Parts of the names of flags that take a file to write, to load, or to read more flags from.
const HARMFUL: &[&str] =
    &["dylib", "file_out", "flagfile", "layer", "lib", "out", "path", "plugin"];

/// Environment variables that choose a device or a number of threads.
const CHOOSING: &[&str] = &[
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_VISIBLE_DEVICES",
    "HSA_OVERRIDE_GFX_VERSION",
    "HSA_XNACK",
    "OMP_NUM_THREADS",
    "ROCR_VISIBLE_DEVICES",
    "VK_LOADER_DEVICE_SELECT",
];

/// Returns what the command of an earlier run asks for beyond a tool of this machine, which is at `located`, and its
/// model. `set` is the folder of the set, and `added` are the environment variables that it would set.
pub fn objections<'a>(
    process: &Process,
    set: &Path,
    located: Option<&Path>,
    added: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Vec<String> {
    let mut found = Vec::new();
    let name = &process.tool.name;
    if !is_tool(name) {
        found.push(format!("{name} is not the name of a tool of IREE"));
    }
    let path = &process.tool.path;
    match located {
        _ if !path.is_file() => {}
        Some(located) if same(located, path) => {}
        Some(located) => found.push(format!(
            "the program is {}, but {name} on this machine is {}",
            path.display(),
            located.display()
        )),
        None => found.push(format!("the program is {}, which is not on the PATH", path.display())),
    }
    found.extend(process.arguments.iter().filter_map(|word| argument(word, process, set)));
    let added = added.into_iter().filter(|(name, _)| !CHOOSING.contains(&name.as_str()));
    found.extend(added.map(|(name, value)| format!("the environment variable {name}={value}")));
    found
}

/// Whether a name is one of a tool of IREE, and no path.
fn is_tool(name: &str) -> bool {
    let rest = name.strip_prefix("iree-").unwrap_or_default();
    !rest.is_empty() && rest.chars().all(|it| it.is_ascii_lowercase() || it == '-')
}

/// Returns why an argument is not harmless.
fn argument(word: &str, process: &Process, set: &Path) -> Option<String> {
    let Some(flag) = word.strip_prefix("--") else {
        return Some(format!("the argument {word}, which is no flag"));
    };
    let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
    if !is_harmless(name) {
        return Some(format!("the flag {word}, which may write files or load code"));
    }
    let is_code = matches!(name, "module" | "executable_file");
    let file = normal(&process.directory.join(value));
    (is_code && file.starts_with(normal(&crate::capture::absolute(set))))
        .then(|| format!("{value} came with the set, and is code"))
}

fn is_harmless(name: &str) -> bool {
    let is_listed = HARMLESS.iter().any(|known| match known.strip_suffix('*') {
        Some(head) => name.starts_with(head),
        None => name == *known,
    });
    is_listed && !name.split('_').any(|part| HARMFUL.iter().any(|harm| part.starts_with(harm)))
}

/// Whether two paths are the same file.
fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// Resolves symbolic links, or at least `..`.
fn normal(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_write_or_load_are_not_harmless() {
        for name in [
            "device",
            "module",
            "function",
            "input",
            "benchmark_repetitions",
            "task_topology_group_count",
            "batch_size",
            "hip_async_allocations",
        ] {
            assert!(is_harmless(name), "{name}");
        }
        for name in [
            "output",
            "benchmark_out",
            "benchmark_out_format",
            "executable_plugin",
            "flagfile",
            "hip_dylib_path",
            "amdgpu_libhsa_search_path",
            "vulkan_layer",
            "trace_output",
            "device_capture_file",
            "",
        ] {
            assert!(!is_harmless(name), "{name}");
        }
    }

    #[test]
    fn a_tool_is_a_name() {
        for name in ["iree-run-module", "iree-benchmark-module"] {
            assert!(is_tool(name), "{name}");
        }
        for name in ["", "iree-", "sh", "../iree-run-module", "/bin/iree-run-module", "iree-x;sh"] {
            assert!(!is_tool(name), "{name}");
        }
    }
}
