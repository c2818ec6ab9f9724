//! The tool to run: where it is, which version it is of, and how it spells its flags.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::plan::{Planned, is_counter};
use super::{CaptureError, process};
use crate::bundle::set::ToolFacts;

/// A tool prints its help at once; one that does not is something else.
const HELP_LIMIT: Duration = Duration::from_secs(10);

/// A tool that was found.
#[derive(Debug, Clone)]
pub struct Tool {
    pub facts: ToolFacts,
    pub spelling: Spelling,
}

/// How an installed tool spells what versions spell differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The filter by function was one by export before IREE 3.13.
    filter_function: &'static str,
    /// Modes that it lists; `None` where it lists none.
    modes: Option<Vec<&'static str>>,
    can_profile: bool,
}

/// What heavy families are recorded of.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    pub function: Option<String>,
    pub command_buffer: Option<u64>,
    pub command_index: Option<u32>,
    pub physical_device: Option<u32>,
    pub queue: Option<u32>,
}

impl Tool {
    /// Finds the tool that `given` names, in `bin_dir` or else where the environment says, and asks for its help.
    pub fn find(given: &str, bin_dir: Option<&Path>) -> Result<Self, CaptureError> {
        let path = native(locate(given, bin_dir, |name| std::env::var_os(name))?);
        let help = process::printed(&path, "--help", HELP_LIMIT)?;
        let spelling = Spelling::of(&help);
        if !spelling.can_profile {
            return Err(CaptureError::CannotProfile { path });
        }
        let (version, revision) = versions(&path);
        let compiler_version = site_packages(&behind(&path))
            .and_then(|folder| distribution(&folder, "iree_base_compiler"));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { facts: ToolFacts { name, path, version, revision, compiler_version }, spelling })
    }

    /// Why a mode is not to be had from this tool, whatever the device.
    pub fn lacks(&self, mode: &str) -> Option<String> {
        let modes = self.spelling.modes.as_ref()?;
        let version = self.facts.version.as_deref().map_or(String::new(), |it| format!(" {it}"));
        let name = &self.facts.name;
        (!modes.contains(&mode)).then(|| format!("{name}{version} does not list this mode"))
    }
}

impl Spelling {
    /// That of IREE 3.13.
    pub const NEWEST: Self = Self {
        filter_function: "--device_profiling_filter_function",
        modes: None,
        can_profile: true,
    };

    /// What a tool's help tells. One that prints none is taken at its word.
    fn of(help: &str) -> Self {
        if help.trim().is_empty() {
            return Self::NEWEST;
        }
        let is_old = !help.contains("--device_profiling_filter_function")
            && help.contains("--device_profiling_filter_export");
        let filter_function = if is_old {
            "--device_profiling_filter_export"
        } else {
            "--device_profiling_filter_function"
        };
        let listed: Vec<&'static str> = schemas::questions::MODES
            .iter()
            .map(|mode| mode.name)
            .filter(|name| help.contains(&format!("'{name}'")))
            .collect();
        Self {
            filter_function,
            modes: (!listed.is_empty()).then_some(listed),
            can_profile: help.contains("--device_profiling_mode"),
        }
    }
}

impl Filters {
    fn flags(&self, spelling: &Spelling) -> Vec<String> {
        let one = |name: &str, value: Option<String>| {
            value.map(|value| format!("--device_profiling_filter_{name}={value}"))
        };
        let function =
            self.function.as_ref().map(|it| format!("{}={it}", spelling.filter_function));
        [
            function,
            one("command_buffer", self.command_buffer.map(|it| it.to_string())),
            one("command_index", self.command_index.map(|it| it.to_string())),
            one("physical_device", self.physical_device.map(|it| it.to_string())),
            one("queue", self.queue.map(|it| it.to_string())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Whether everything is recorded.
    pub fn is_empty(&self) -> bool {
        self.flags(&Spelling::NEWEST).is_empty()
    }
}

/// The flags that make a tool record what is planned into `bundle`.
pub fn command_line(
    planned: &Planned,
    bundle: &Path,
    filters: &Filters,
    flush_interval_ms: Option<u32>,
    spelling: &Spelling,
) -> Vec<String> {
    let mut flags = vec![
        format!("--device_profiling_mode={}", planned.modes.join(",")),
        format!("--device_profiling_output={}", bundle.display()),
    ];
    if planned.modes.iter().any(|mode| is_counter(mode)) {
        flags.extend(
            planned.counters.iter().map(|name| format!("--device_profiling_counter={name}")),
        );
    }
    flags.extend(filters.flags(spelling));
    flags.extend(
        flush_interval_ms.map(|every| format!("--device_profiling_flush_interval_ms={every}")),
    );
    flags
}

/// The tool's file: the path that was given, or a name that is looked up.
fn locate(
    given: &str,
    bin_dir: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, CaptureError> {
    let missing = |looked: String| CaptureError::NoTool { tool: given.to_owned(), looked };
    if given.contains(std::path::MAIN_SEPARATOR) {
        let path = std::path::absolute(given).unwrap_or_else(|_| given.into());
        return if is_program(&path) { Ok(path) } else { Err(missing("that can be run".into())) };
    }
    if let Some(folder) = bin_dir {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let path = folder.join(given);
        let looked = || missing(format!("in {}", folder.display()));
        return if is_program(&path) { Ok(path) } else { Err(looked()) };
    }
    let activated = variable("VIRTUAL_ENV").map(|folder| Path::new(&folder).join("bin"));
    let path = variable("PATH").unwrap_or_default();
    activated
        .into_iter()
        .chain(std::env::split_paths(&path))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(given))
        .find(|path| is_program(path))
        .ok_or_else(|| missing("on the PATH or in an activated Python environment".into()))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The native program behind a script of a Python environment: it starts at once, and signals reach it.
fn native(path: PathBuf) -> PathBuf {
    let is_script = std::fs::File::open(&path).is_ok_and(|mut file| {
        let mut first = [0; 2];
        std::io::Read::read_exact(&mut file, &mut first).is_ok() && first == *b"#!"
    });
    if !is_script {
        return path;
    }
    let linked = behind(&path);
    let name = linked.file_name().unwrap_or_default();
    let behind = packages(&path)
        .into_iter()
        .chain(packages(&linked))
        .map(|folder| folder.join("iree/_runtime_libs").join(name))
        .find(|path| is_program(path));
    behind.unwrap_or(path)
}

/// Where a file really is, if it is reached through a link.
fn behind(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Folders of packages of the environment whose `bin` holds a script.
fn packages(script: &Path) -> Vec<PathBuf> {
    let Some(root) = script.parent().and_then(Path::parent) else { return Vec::new() };
    let pattern =
        format!("{}/lib/python*/site-packages", glob::Pattern::escape(&root.to_string_lossy()));
    glob::glob(&pattern).into_iter().flatten().filter_map(Result::ok).collect()
}

/// The folder of packages that a native program is of.
fn site_packages(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    folder.ends_with("iree/_runtime_libs").then(|| folder.parent()?.parent().map(Path::to_owned))?
}

/// The version of an installed distribution, by its folder's name.
fn distribution(packages: &Path, name: &str) -> Option<String> {
    let entries = std::fs::read_dir(packages).ok()?;
    entries.filter_map(Result::ok).find_map(|entry| {
        let folder = entry.file_name().to_string_lossy().into_owned();
        let version = folder.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".dist-info")?;
        Some(version.to_owned())
    })
}

/// Version and revision of the sources: as its package tells, or else as it says itself.
fn versions(path: &Path) -> (Option<String>, Option<String>) {
    let linked = behind(path);
    let Some(packages) = site_packages(&linked) else {
        let said = process::printed(path, "--version", HELP_LIMIT).unwrap_or_default();
        let line = said.lines().find(|line| line.contains(|letter: char| letter.is_ascii_digit()));
        return (line.map(|line| line.trim().to_owned()), None);
    };
    let version = distribution(&packages, "iree_base_runtime");
    let module = linked.with_file_name("version.py");
    let text = std::fs::read_to_string(module).unwrap_or_default();
    let revision = text.split_once("\"IREE\": \"").and_then(|(_, rest)| rest.split_once('"'));
    (version, revision.map(|(revision, _)| revision.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_tools_filter_by_export() {
        let old =
            Spelling::of("--device_profiling_mode=\"\"\n--device_profiling_filter_export=\"\"");
        assert!(old.can_profile);
        let filters =
            Filters { function: Some("a b*".into()), queue: Some(0), ..Filters::default() };
        assert_eq!(
            filters.flags(&old),
            ["--device_profiling_filter_export=a b*", "--device_profiling_filter_queue=0"]
        );
        assert_eq!(filters.flags(&Spelling::NEWEST)[0], "--device_profiling_filter_function=a b*");
    }

    #[test]
    fn help_says_what_a_tool_can() {
        let spelling = Spelling::of("# drawn from ['queue-events',\n--device_profiling_mode=\"\"");
        assert_eq!(spelling.modes, Some(vec!["queue-events"]));
        assert!(!Spelling::of("usage: something else").can_profile);
    }

    #[test]
    fn an_environment_comes_before_the_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("room");
            std::fs::write(&path, "").expect("room");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
                    .expect("mine");
            }
            path
        };
        let on_path = make("usr bin/iree-run-module");
        let variable = |environment: Option<&'static str>| {
            let root = folder.path().to_owned();
            move |name: &str| match name {
                "VIRTUAL_ENV" => environment.map(|it| root.join(it).into()),
                _ => Some(root.join("usr bin").into()),
            }
        };
        let found = |environment| locate("iree-run-module", None, variable(environment)).ok();
        assert_eq!(found(None), Some(on_path.clone()));
        assert_eq!(found(Some("venv")), Some(on_path));
        let activated = make("venv/bin/iree-run-module");
        assert_eq!(found(Some("venv")), Some(activated.clone()));
        let native_one =
            make("venv/lib/python3.11/site-packages/iree/_runtime_libs/iree-run-module");
        assert_eq!(native(activated.clone()), activated, "it is no script");
        std::fs::write(&activated, "#!/usr/bin/python\n").expect("room");
        #[cfg(unix)]
        {
            let link = folder.path().join("linked");
            std::os::unix::fs::symlink(&activated, &link).expect("mine");
            let found = native(link);
            assert_eq!(found.canonicalize().ok(), native_one.canonicalize().ok(), "{found:?}");
        }
        assert_eq!(native(activated), native_one);
    }
}
