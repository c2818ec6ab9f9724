//! Generates a list that embeds the text of each `views/<area>/<name>.sql`, `reports/<command>/<name>.sql` and
//! `exports/<format>/<name>.sql`, so that adding a file adds a view.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let mut list = String::from("vec![\n");
    for (kind, folder) in [("View", "views"), ("Report", "reports"), ("Export", "exports")] {
        let folder = root.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        for area in sorted(&folder)?.into_iter().filter(|path| path.is_dir()) {
            println!("cargo::rerun-if-changed={}", area.display());
            for file in sorted(&area)?
                .iter()
                .filter(|path| path.extension().is_some_and(|end| end == "sql"))
            {
                let _ = writeln!(
                    list,
                    "    View::of(Kind::{kind}, {:?}, {:?}, include_str!({:?})),",
                    stem(&area),
                    stem(file),
                    file.display().to_string(),
                );
            }
        }
    }
    list.push(']');
    fs::write(out.join("files.rs"), list)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
