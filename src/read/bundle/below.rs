//! Finds the bundles and capture sets in the folders below a folder.

use std::path::{Path, PathBuf};

use super::limits;
use super::set;

/// Whether a file has the name of a bundle.
pub fn is_bundle(path: &Path) -> bool {
    path.is_file() && is_bundle_name(&path.file_name().unwrap_or_default().to_string_lossy())
}

/// Whether a name is that of a bundle.
pub fn is_bundle_name(name: &str) -> bool {
    name.ends_with(".ireeprof") || name.ends_with(".ireeprof.gz")
}

/// Returns the capture sets in `folder` and all bundles and sets in the folders below, sorted by path; `None` if there
/// are too many files to search. Hidden folders and links to folders are left out, as are folders that cannot be read.
pub fn below(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut count = 0;
    let mut level = vec![folder.to_owned()];
    for _ in 0..=limits::FOLDER_DEPTH {
        let mut next = Vec::new();
        for entry in level.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten() {
            count += 1;
            if count > limits::FOLDER_ENTRIES {
                return None;
            }
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_bundle(&path) || (is_folder && set::is_one(&path)) {
                found.push(path);
            } else if is_folder && !entry.file_name().as_encoded_bytes().starts_with(b".") {
                next.push(path);
            }
        }
        level = next;
    }
    found.sort();
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::fs::{File, create_dir_all};

    use super::*;

    #[test]
    fn folders_are_searched_to_a_depth() {
        let folder = tempfile::tempdir().unwrap();
        let deep = |levels: usize| vec!["d"; levels].join("/");
        for path in ["b/y.ireeprof".into(), "a/x.ireeprof.gz".into(), ".git/z.ireeprof".into()]
            .into_iter()
            .chain(
                [limits::FOLDER_DEPTH, limits::FOLDER_DEPTH + 1].map(|n| deep(n) + "/m.ireeprof"),
            )
        {
            let path = folder.path().join(path);
            create_dir_all(path.parent().unwrap()).unwrap();
            File::create(path).unwrap();
        }
        let found = below(folder.path()).unwrap();
        let found: Vec<_> =
            found.iter().map(|path| path.strip_prefix(folder.path()).unwrap()).collect();
        let deepest = deep(limits::FOLDER_DEPTH) + "/m.ireeprof";
        assert_eq!(found, ["a/x.ireeprof.gz", "b/y.ireeprof", &deepest].map(Path::new));
    }

    #[test]
    fn too_many_files_are_not_searched() {
        let folder = tempfile::tempdir().unwrap();
        for nth in 0..=limits::FOLDER_ENTRIES {
            File::create(folder.path().join(nth.to_string())).unwrap();
        }
        assert_eq!(below(folder.path()), None);
        std::fs::remove_file(folder.path().join("0")).unwrap();
        assert_eq!(below(folder.path()), Some(Vec::new()));
    }
}
