//! What a manifest says beside what was captured: inputs, host and environment, and no secrets.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::bundle::set::{External, Host, Input};

/// Beginnings of names of variables that change what runs or how fast.
const MATTERS: &[&str] = &[
    "IREE_", "VK_", "MESA_", "LP_", "GALLIUM_", "CUDA_", "NVIDIA_", "HIP_", "ROCR_", "HSA_",
    "AMD_", "GPU_", "OMP_", "KMP_", "GOMP_", "MTL_", "METAL_",
];

/// Parts of names of variables whose values are nobody's business.
const SECRET: &[&str] = &["TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"];

/// The variables that matter.
pub fn environment(variables: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    let matters = |name: &str| MATTERS.iter().any(|head| name.starts_with(head));
    let is_secret = |name: &str| {
        let name = name.to_uppercase();
        SECRET.iter().any(|part| name.contains(part))
    };
    variables.filter(|(name, _)| matters(name) && !is_secret(name)).collect()
}

/// Those of this process whose names and values are text.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// The machine, without its name.
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

/// The values of a flag, given as `--flag=value` or `--flag value`.
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

/// Modules and replays among the arguments, with digests; what is no file is left out.
pub fn inputs(arguments: &[String], directory: &Path) -> Vec<Input> {
    let replays = arguments
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-') && word.ends_with(".ireereplay"));
    let modules = values(arguments, "--module");
    modules.into_iter().chain(replays).filter_map(|path| input(path, directory)).collect()
}

fn input(path: &str, directory: &Path) -> Option<Input> {
    let mut file = File::open(directory.join(path)).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0_u64;
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            count => {
                digest.update(buffer.get(..count)?);
                bytes = bytes.saturating_add(count as u64);
            }
        }
    }
    let sha256 = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Input { path: path.to_owned(), bytes, sha256 })
}

/// What an external profiler was told to write.
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
            ("IREE_key", "x"),
            ("HIP_VISIBLE_DEVICES", "0"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("HOME", "/home/x"),
        ];
        let kept = environment(given.iter().map(|(n, v)| ((*n).into(), (*v).into())));
        let names: Vec<&str> = kept.keys().map(String::as_str).collect();
        assert_eq!(names, ["HIP_VISIBLE_DEVICES", "VK_ICD_FILENAMES"]);
    }

    #[test]
    fn flags_have_values() {
        let words = ["--module=a b.vmfb", "--module", "c.vmfb", "--modules=x"].map(str::to_owned);
        assert_eq!(values(&words, "--module"), ["a b.vmfb", "c.vmfb"]);
    }
}
