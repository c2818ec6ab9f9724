//! Locates a tool and finds out its version.
//!
//! A path is used as it is given. A name is looked up in one folder if that is given, else in the activated virtual
//! environment and then on the `PATH`. A script of a Python environment is resolved to the native program behind it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use read::bundle::set::ToolFacts;

use super::folder::absolute;
use super::process::printed;
use super::stop::Stop;
use crate::capture::error::CaptureError;

/// Folders of native programs, relative to the `site-packages` of a Python environment.
const NATIVE: [&str; 2] = ["iree/_runtime_libs", "iree/compiler/_mlir_libs"];

/// Finds the tool `given`, a path or a name, and its versions. A name is looked up in `bin_dir` if there is one, else
/// in the virtual environment and on the `PATH`.
pub fn find(given: &str, bin_dir: Option<&Path>, stop: &Stop) -> Result<ToolFacts, CaptureError> {
    let path = native(locate(given, bin_dir, |name| std::env::var_os(name))?);
    let (version, revision) = versions(&path, stop);
    let compiler_version = site_packages(&behind(&path))
        .and_then(|folder| distribution(&folder, "iree_base_compiler"));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ToolFacts { name, path, version, revision, compiler_version })
}

/// Returns the program that a new capture would run for a name.
pub fn located(name: &str) -> Option<PathBuf> {
    locate(name, None, |name| std::env::var_os(name)).ok().map(native)
}

/// Returns the absolute path of the tool; fails if it is not executable or not found.
fn locate(
    given: &str,
    bin_dir: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, CaptureError> {
    let (paths, looked) = if given.contains(std::path::MAIN_SEPARATOR) {
        (vec![absolute(Path::new(given))], "that is executable".to_owned())
    } else if let Some(folder) = bin_dir.map(absolute) {
        (vec![folder.join(given)], format!("in {}", folder.display()))
    } else {
        let activated = variable("VIRTUAL_ENV").map(|folder| Path::new(&folder).join("bin"));
        let path = variable("PATH").unwrap_or_default();
        let folders = activated.into_iter().chain(std::env::split_paths(&path));
        let paths = folders.filter(|it| it.is_absolute()).map(|it| it.join(given)).collect();
        (paths, "on the PATH or in an activated Python environment".to_owned())
    };
    let missing = || CaptureError::NoTool { tool: given.to_owned(), looked };
    paths.into_iter().find(|path| is_program(path)).ok_or_else(missing)
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

/// Returns the native program behind a script of a Python environment: it starts faster, and signals reach it. Returns
/// `path` itself if it is no script or no native program is found.
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

/// Resolves symbolic links. Returns `path` itself if that fails.
fn behind(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the `site-packages` folders of the environment whose `bin` holds the script.
fn packages(script: &Path) -> Vec<PathBuf> {
    let Some(root) = script.parent().and_then(Path::parent) else { return Vec::new() };
    let pattern =
        format!("{}/lib/python*/site-packages", glob::Pattern::escape(&root.to_string_lossy()));
    glob::glob(&pattern).into_iter().flatten().filter_map(Result::ok).collect()
}

/// Returns the `site-packages` folder in which a native program is installed, or `None` if there is none.
fn site_packages(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let native = NATIVE.iter().find(|native| folder.ends_with(native))?;
    folder.ancestors().nth(Path::new(native).components().count()).map(Path::to_owned)
}

/// Returns the version of an installed distribution, from the name of its `.dist-info` folder.
fn distribution(packages: &Path, name: &str) -> Option<String> {
    let entries = std::fs::read_dir(packages).ok()?;
    entries.filter_map(Result::ok).find_map(|entry| {
        let folder = entry.file_name().to_string_lossy().into_owned();
        let version = folder.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".dist-info")?;
        Some(version.to_owned())
    })
}

/// Returns the version and the source revision of a tool: from the files of its Python package, or else the version
/// alone, from its `--version` output.
fn versions(path: &Path, stop: &Stop) -> (Option<String>, Option<String>) {
    let linked = behind(path);
    let Some(packages) = site_packages(&linked) else {
        let said = printed(path, "--version", stop).unwrap_or_default();
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
