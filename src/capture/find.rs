//! Where a tool is, and which version it is of.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{CaptureError, process};
use crate::bundle::set::ToolFacts;

/// A tool prints its help at once; one that does not is something else.
const HELP_LIMIT: Duration = Duration::from_secs(10);

/// Folders of native programs in a Python environment, from its folder of packages on.
const NATIVE: [&str; 2] = ["iree/_runtime_libs", "iree/compiler/_mlir_libs"];

/// Finds the tool that `given` names, in `bin_dir` or else where the environment says.
pub fn find(given: &str, bin_dir: Option<&Path>) -> Result<ToolFacts, CaptureError> {
    let path = native(locate(given, bin_dir, |name| std::env::var_os(name))?);
    let (version, revision) = versions(&path);
    let compiler_version = site_packages(&behind(&path))
        .and_then(|folder| distribution(&folder, "iree_base_compiler"));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ToolFacts { name, path, version, revision, compiler_version })
}

/// What the tool prints for one flag.
pub fn asked(path: &Path, flag: &str) -> Result<String, CaptureError> {
    process::printed(path, flag, HELP_LIMIT)
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
    let inside = |folder: PathBuf| NATIVE.map(|native| folder.join(native).join(name));
    let folders = packages(&path).into_iter().chain(packages(&linked));
    let found = folders.flat_map(inside).find(|path| is_program(path));
    found.unwrap_or(path)
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
    let native = NATIVE.iter().find(|native| folder.ends_with(native))?;
    folder.ancestors().nth(Path::new(native).components().count()).map(Path::to_owned)
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
        let said = asked(path, "--version").unwrap_or_default();
        let line = said.lines().find(|line| line.contains(|letter: char| letter.is_ascii_digit()));
        return (line.map(|line| line.trim().to_owned()), None);
    };
    let is_compiler = linked.parent().is_some_and(|folder| folder.ends_with("_mlir_libs"));
    let (name, module) = if is_compiler {
        ("iree_base_compiler", packages.join("iree/compiler/version.py"))
    } else {
        ("iree_base_runtime", linked.with_file_name("version.py"))
    };
    let version = distribution(&packages, name);
    let text = std::fs::read_to_string(module).unwrap_or_default();
    let revision = text.split_once("\"IREE\": \"").and_then(|(_, rest)| rest.split_once('"'));
    (version, revision.map(|(revision, _)| revision.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
