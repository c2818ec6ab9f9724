//! Expands BUNDLE arguments to files: a path, a glob, a folder, a capture set, `-` (standard input), or NAME=PATH. A
//! folder without bundles stands for those in the folders below.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::below::{below, is_bundle};
use super::error::BundleError;
use super::limits;
use super::of_set::{last_name, of_set};
use super::set;
use super::source::{BundleSource, StandIn, stem};

/// Expands arguments to sources with distinct labels, in the order given. Files of folders and globs are sorted by
/// name. Fails if an argument matches nothing or two labels are equal.
pub fn expand(arguments: &[String]) -> Result<Vec<BundleSource>, BundleError> {
    expand_others(arguments, |_| None)
}

/// Does the same with arguments that are no paths, of which the sources are `known`, or with paths of copies.
pub fn expand_others(
    arguments: &[String],
    known: impl Fn(&str) -> Option<Result<Vec<BundleSource>, BundleError>>,
) -> Result<Vec<BundleSource>, BundleError> {
    let mut sources = Vec::new();
    for argument in arguments {
        match known(argument) {
            Some(known) => sources.extend(known?),
            None => sources.extend(expand_one(argument)?),
        }
    }
    // Equal labels are prefixed with ever more parent folders until they differ: `a/m` and `b/m`.
    for parents in 1..=limits::LABEL_PARENTS {
        let twice = repeated(&sources);
        if twice.is_empty() {
            break;
        }
        for source in
            sources.iter_mut().filter(|source| twice.contains(&source.label) && !source.named)
        {
            source.label = lengthened(source, parents);
        }
    }
    let mut seen: HashMap<&str, &Path> = HashMap::new();
    for source in &sources {
        if let Some(first) = seen.insert(&source.label, &source.path) {
            return Err(BundleError::SameLabel {
                label: source.label.clone(),
                first: first.to_owned(),
                second: source.path.clone(),
            });
        }
    }
    Ok(sources)
}

fn repeated(sources: &[BundleSource]) -> HashSet<String> {
    let mut seen = HashSet::new();
    sources
        .iter()
        .filter(|source| !seen.insert(&source.label))
        .map(|source| source.label.clone())
        .collect()
}

/// Returns the label of a source without NAME, prefixed with up to `parents` of the parent folders of its path.
fn lengthened(source: &BundleSource, parents: usize) -> String {
    let folders: Vec<_> = source
        .path
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    let kept = folders.len().saturating_sub(parents);
    let label = folders.iter().skip(kept).fold(String::new(), |label, part| label + part + "/");
    let is_folder = source.stand_in == Some(StandIn::Nothing);
    label + &if is_folder { last_name(&source.path) } else { stem(&source.path) }
}

/// Expands one argument, to labels that other arguments may repeat.
pub fn expand_one(argument: &str) -> Result<Vec<BundleSource>, BundleError> {
    let path = Path::new(argument);
    if argument == "-" {
        return Ok(vec![BundleSource {
            label: "stdin".into(),
            ..BundleSource::unnamed(path.into())
        }]);
    }
    if path.is_dir() && set::is_one(path) {
        return of_set(path, None);
    }
    if path.is_dir() {
        return in_folder(argument);
    }
    if path.exists() {
        return Ok(vec![BundleSource::unnamed(path.to_owned())]);
    }
    if let Some((name, target)) = named(argument) {
        let path = PathBuf::from(target);
        if path.is_dir() && set::is_one(&path) {
            return of_set(&path, Some(name));
        }
        if path.is_dir() || (!path.exists() && target.contains(['*', '?', '['])) {
            return Err(BundleError::Missing {
                path: argument.to_owned(),
                hint: "NAME=PATH requires a file; give folders and patterns without NAME",
            });
        }
        return Ok(vec![BundleSource::named(name.to_owned(), path)]);
    }
    if argument.contains(['*', '?', '[']) {
        return matches(argument);
    }
    Err(BundleError::Missing {
        path: argument.to_owned(),
        hint: "there is no such file, folder or pattern; check the path, or capture one with --device_profiling_output",
    })
}

/// Splits NAME=PATH.
pub fn named(argument: &str) -> Option<(&str, &str)> {
    argument.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains('/'))
}

/// Returns the bundles in a folder, or if there are none, the bundles and capture sets in the folders below.
fn in_folder(argument: &str) -> Result<Vec<BundleSource>, BundleError> {
    let missing = |hint| BundleError::Missing { path: argument.to_owned(), hint };
    let pattern = format!("{}/*", glob::Pattern::escape(argument));
    let paths = glob::glob(&pattern).map_err(|_| missing("the path is no pattern"))?;
    let top: Vec<PathBuf> = paths.filter_map(Result::ok).filter(|path| is_bundle(path)).collect();
    if !top.is_empty() {
        return of_paths(top);
    }
    let found = below(Path::new(argument)).ok_or_else(|| {
        missing("the folder has no .ireeprof file, and too many files below to search; name a folder below")
    })?;
    if found.is_empty() {
        return Err(missing(
            "neither the folder nor one up to four levels below contains a .ireeprof or .ireeprof.gz file or a capture set",
        ));
    }
    of_paths(found)
}

/// Returns the sources that match a glob pattern, sorted by path. Fails if there are none.
fn matches(pattern: &str) -> Result<Vec<BundleSource>, BundleError> {
    let missing = |hint| BundleError::Missing { path: pattern.to_owned(), hint };
    let paths = glob::glob(pattern).map_err(|_| missing("the pattern is invalid"))?;
    let keep = |path: &PathBuf| path.is_file() || set::is_one(path);
    let paths: Vec<PathBuf> = paths.filter_map(Result::ok).filter(keep).collect();
    if paths.is_empty() {
        return Err(missing("the pattern matches no file and no capture set"));
    }
    of_paths(paths)
}

/// Returns the sources of bundles and capture sets.
fn of_paths(paths: Vec<PathBuf>) -> Result<Vec<BundleSource>, BundleError> {
    let mut sources = Vec::new();
    for path in paths {
        if path.is_dir() {
            sources.extend(of_set(&path, None)?);
        } else {
            sources.push(BundleSource::unnamed(path));
        }
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_stems() {
        for (path, label) in [
            ("a/m.ireeprof", "m"),
            ("m.ireeprof.gz", "m"),
            ("m.v2.ireeprof", "m.v2"),
            ("m.ireeperf.jsonl.gz", "m"),
            ("m", "m"),
            (".x", ".x"),
        ] {
            assert_eq!(stem(Path::new(path)), label);
        }
    }

    #[test]
    fn a_name_before_an_equals_sign_is_a_label() {
        let sources = expand(&["before=x.ireeprof".into(), "after=y.ireeprof".into()])
            .expect("both are named");
        assert_eq!(sources[1].label, "after");
        assert_eq!(sources[1].path, Path::new("y.ireeprof"));
        assert!(expand(&["a=x".into(), "a=y".into()]).is_err());
    }

    #[test]
    fn files_of_one_name_are_told_apart_by_folder() {
        let paths = ["x/a/m.ireeprof", "x/b/m.ireeprof"];
        let sources: Vec<_> = paths.iter().map(|path| BundleSource::unnamed(path.into())).collect();
        assert_eq!(repeated(&sources).len(), 1);
        assert_eq!(lengthened(&sources[1], 1), "b/m");
        assert_eq!(lengthened(&sources[1], 9), "x/b/m");
    }

    #[test]
    fn a_folder_keeps_its_whole_name() {
        let folder = BundleSource {
            stand_in: Some(StandIn::Nothing),
            ..BundleSource::unnamed("x/caps.v2".into())
        };
        assert_eq!(lengthened(&folder, 1), "x/caps.v2");
    }
}
