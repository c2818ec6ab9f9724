//! Embeds every `views/<area>/<name>.sql`, `reports/<command>/<name>.sql` and `exports/<format>/<name>.sql`, so that a new
//! file is a new view. Each is parsed here: to read what came of it takes a tenth of the time, whenever it is asked for.

#[path = "src/parse.rs"]
mod parse;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let mut list = String::from("&[\n");
    for kind in ["views", "reports", "exports"] {
        let folder = root.join(kind);
        println!("cargo::rerun-if-changed={}", folder.display());
        for area in sorted(&folder)?.into_iter().filter(|path| path.is_dir()) {
            println!("cargo::rerun-if-changed={}", area.display());
            for file in sorted(&area)?
                .iter()
                .filter(|path| path.extension().is_some_and(|end| end == "sql"))
            {
                let parsed = out.join(format!("{kind}.{}.{}.parsed", stem(&area), stem(file)));
                fs::write(&parsed, parsed_query(file)?)?;
                let (area, name) = (stem(&area), stem(file));
                let [query, parsed] = [file, &parsed].map(|path| path.display().to_string());
                let _ = writeln!(
                    list,
                    "    File {{ folder: {kind:?}, area: {area:?}, name: {name:?}, query: include_str!({query:?}), \
                     parsed: Some(include_bytes!({parsed:?})) }},",
                );
            }
        }
    }
    list.push(']');
    fs::write(out.join("files.rs"), list)
}

fn parsed_query(file: &Path) -> io::Result<Vec<u8>> {
    let fault = |what: String| io::Error::other(format!("{}: {what}", file.display()));
    let statement =
        parse::parse(&fs::read_to_string(file)?).map_err(|error| fault(error.to_string()))?;
    postcard::to_allocvec(&statement).map_err(|error| fault(error.to_string()))
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut paths: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
