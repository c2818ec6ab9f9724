//! Collects the context of a run for the manifest: inputs, host and environment variables, without secrets.

use std::collections::BTreeMap;
use std::path::Path;

use base::digest;
use chrono::{SecondsFormat, Utc};
use read::bundle::set::{External, Host, Input};

/// The environment variables that are recorded: they choose devices and drivers or change how they run. All others are
/// left out, because any of them may hold a secret.
const MATTERS: &[&str] = &[
    "AMD_SERIALIZE_KERNEL",
    "AMD_VULKAN_ICD",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "DRI_PRIME",
    "GALLIUM_DRIVER",
    "GOMP_CPU_AFFINITY",
    "GPU_DEVICE_ORDINAL",
    "GPU_MAX_HW_QUEUES",
    "HIP_LAUNCH_BLOCKING",
    "HIP_VISIBLE_DEVICES",
    "HSA_CU_MASK",
    "HSA_ENABLE_INTERRUPT",
    "HSA_ENABLE_SDMA",
    "HSA_OVERRIDE_GFX_VERSION",
    "HSA_XNACK",
    "IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH",
    "IREE_HAL_AMDGPU_LIBHSA_PATH",
    "IREE_HAL_VULKAN_LIBVULKAN_PATH",
    "IREE_HIP_DYLIB_PATH",
    "IREE_PRESERVE_DYLIB_TEMP_FILES",
    "KMP_AFFINITY",
    "LP_NUM_THREADS",
    "MESA_SHADER_CACHE_DISABLE",
    "MESA_VK_DEVICE_SELECT",
    "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE",
    "METAL_DEVICE_WRAPPER_TYPE",
    "MTL_DEBUG_LAYER",
    "NVIDIA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "RADV_DEBUG",
    "RADV_PERFTEST",
    "ROCR_VISIBLE_DEVICES",
    "VK_ADD_DRIVER_FILES",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_INSTANCE_LAYERS",
    "VK_LAYER_PATH",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_LAYERS_DISABLE",
    "VK_LOADER_LAYERS_ENABLE",
];

/// Returns the variables that may be recorded.
pub fn environment(variables: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    // None of these variables takes a URL, and a URL may hold a password.
    let is_fine = |name: &str, value: &str| MATTERS.contains(&name) && !value.contains("://");
    variables.filter(|(name, value)| is_fine(name, value)).collect()
}

/// Returns the environment variables of this process whose names and values are UTF-8.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// Returns the operating system, processor and memory of this machine, without its name.
pub fn host() -> Host {
    let line = |path: &str, head: &str| -> Option<String> {
        let text = std::fs::read_to_string(path).ok()?;
        let found = text.lines().find_map(|line| line.strip_prefix(head))?;
        Some(found.trim_start_matches([' ', '\t', ':']).trim().to_owned())
    };
    let memory = line("/proc/meminfo", "MemTotal:")
        .and_then(|text| text.strip_suffix("kB")?.trim().parse::<u64>().ok());
    Host {
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        kernel: line("/proc/sys/kernel/osrelease", ""),
        cpu: line("/proc/cpuinfo", "model name"),
        cores: std::thread::available_parallelism().map_or(1, |count| count.get() as u64),
        memory_bytes: memory.map(|kibibytes| kibibytes.saturating_mul(1024)),
    }
}

/// Returns the values of a flag, given as `--flag=value` or `--flag value`.
pub fn values<'a>(arguments: &'a [String], flag: &str) -> Vec<&'a str> {
    let mut values = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(rest) = word.strip_prefix(flag) else { continue };
        match rest.strip_prefix('=') {
            Some(value) => values.push(value),
            None if rest.is_empty() => values.extend(words.next().map(String::as_str)),
            None => {}
        }
    }
    values
}

/// Returns the values of the `--device` flags, separated by commas; `None` if the tool uses its default.
pub fn device(arguments: &[String], directory: &Path) -> Option<String> {
    let words = spelled_out(arguments, directory);
    let devices = values(&words, "--device");
    (!devices.is_empty()).then(|| devices.join(","))
}

/// Returns the arguments with the flags of each flag file inserted after its `--flagfile`, in the order in which the
/// tools read them.
pub(super) fn spelled_out(arguments: &[String], directory: &Path) -> Vec<String> {
    let mut words = Vec::new();
    for word in arguments {
        words.push(word.clone());
        let Some(path) = word.strip_prefix("--flagfile=") else { continue };
        let text = std::fs::read_to_string(directory.join(path)).unwrap_or_default();
        let flags = text.lines().map(str::trim).filter(|line| line.starts_with("--"));
        words.extend(flags.map(str::to_owned));
    }
    words
}

/// Returns the modules and replays among the arguments, with sizes and digests. Reads each file; skips paths that are
/// not files.
pub fn inputs(arguments: &[String], directory: &Path) -> Vec<Input> {
    let arguments = &spelled_out(arguments, directory);
    let replays = arguments
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-') && word.ends_with(".ireereplay"));
    let modules = values(arguments, "--module");
    modules.into_iter().chain(replays).filter_map(|path| input(path, directory)).collect()
}

fn input(path: &str, directory: &Path) -> Option<Input> {
    let file = directory.join(path);
    if !file.is_file() {
        return None;
    }
    let (bytes, sha256) = digest::of_file(&file).ok()?;
    Some(Input { path: path.to_owned(), bytes, sha256 })
}

/// Returns the current time as manifests and rows spell it: RFC 3339, in UTC, with milliseconds.
pub fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Returns the file that an external profiler was told to write, with its size if it exists.
pub fn external(arguments: &[String], directory: &Path) -> Vec<External> {
    let providers = values(arguments, "--device_capture_tool");
    let files = values(arguments, "--device_capture_file");
    let artefact = |provider: &&str| {
        let path = files.last().copied().unwrap_or_default().to_owned();
        let file = std::fs::metadata(directory.join(&path)).ok().filter(|_| !path.is_empty());
        External { provider: (*provider).to_owned(), bytes: file.map(|file| file.len()), path }
    };
    providers.last().filter(|provider| !provider.is_empty()).map(artefact).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_recorded() {
        let given = [
            ("VK_ICD_FILENAMES", "a.json"),
            ("IREE_API_TOKEN", "x"),
            ("IREE_PASS", "x"),
            ("VK_COOKIE", "x"),
            ("IREE_URL", "https://u:pw@h"),
            ("VK_LAYER_PATH", "https://u:pw@h"),
            ("HIP_VISIBLE_DEVICES", "0"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("HOME", "/home/x"),
        ];
        let kept = environment(given.iter().map(|(n, v)| ((*n).into(), (*v).into())));
        let names: Vec<&str> = kept.keys().map(String::as_str).collect();
        assert_eq!(names, ["HIP_VISIBLE_DEVICES", "VK_ICD_FILENAMES"]);
    }

    #[test]
    fn all_devices_count_even_those_of_flag_files() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("f.txt"), "# flags\n--device=hip://1\n").expect("room");
        let words = ["--device=hip://0", "--flagfile=f.txt", "--device_allocator=x"];
        let words = words.map(str::to_owned);
        assert_eq!(device(&words, folder.path()).as_deref(), Some("hip://0,hip://1"));
        assert_eq!(device(&[], folder.path()), None);
    }

    #[test]
    fn flags_have_values() {
        let words = ["--module=a b.vmfb", "--module", "c.vmfb", "--modules=x"].map(str::to_owned);
        assert_eq!(values(&words, "--module"), ["a b.vmfb", "c.vmfb"]);
    }
}
