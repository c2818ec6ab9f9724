//! `report`: writes a page about captures, a comparison or a history.

use std::io::Write;
use std::path::{Path, PathBuf};

use base::{folder_of, temporary};
use read::history::History;
use report::comparison::Terms;
use serde::Deserialize;
use serde_json::Value;
use show::page::{Page, html, of_captures, of_comparison, of_history};

use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{bundles, object, paths, text, whole};
use crate::tool::Tool;

pub const TOOL: Tool = Tool {
    name: "report",
    description: "Writes one HTML page for people, of bundles or a history, or of base and new (one path each), to a new file ending with .html below \
the server's folders.",
    input: || object(&[("output", text("")), bundles(), ("base", text("")), ("new", text(""))], 1),
    output: || object(&[("path", text("")), ("bytes", whole("")), ("panels", paths())], 3),
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    output: String,
    #[serde(default)]
    bundles: Vec<String>,
    #[serde(default)]
    base: Option<String>,
    #[serde(default)]
    new: Option<String>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let arguments: Arguments = read(arguments)?;
    let path = call.folders.new_file(&arguments.output, "html")?;
    let page = page(call, &arguments)?;
    call.checked()?;
    let text = html(&page).map_err(|error| CallError::System {
        action: "lay out the page",
        what: error.to_string(),
    })?;
    call.go_on()?;
    write(&path, text.as_bytes())?;
    let panels: Vec<String> = page.panels.iter().map(|panel| panel.title.clone()).collect();
    let told = format!("wrote {} ({} bytes): {}", path.display(), text.len(), panels.join("; "));
    Ok(Reply { text: told, rows: panels.len(), ..Reply::default() }
        .with("path", path.display().to_string())
        .with("bytes", text.len())
        .with("panels", panels))
}

fn page(call: &Call, arguments: &Arguments) -> Result<Page, CallError> {
    let Arguments { bundles, base, new, .. } = arguments;
    match (base, new, bundles.as_slice()) {
        (Some(base), Some(new), []) => {
            let [base, new] = [side(call, "base", base)?, side(call, "new", new)?];
            Ok(of_comparison([&base, &new], &call.options, &Terms::default())?)
        }
        (None, None, bundles) => {
            let bundles = call.arguments(bundles)?;
            match bundles.as_slice() {
                [folder] if History::is_one(Path::new(folder)) => {
                    Ok(of_history(Path::new(folder), &call.options)?)
                }
                all => Ok(of_captures(all, &call.options)?),
            }
        }
        _ => Err(CallError::Arguments("give `bundles`, or both `base` and `new`".into())),
    }
}

/// Returns a side as NAME=PATH.
fn side(call: &Call, name: &str, path: &str) -> Result<String, CallError> {
    match call.folders.named(path)?.as_slice() {
        [only] => Ok(format!("{name}={only}")),
        _ => Err(CallError::Arguments(format!("`{name}` is one file, folder or capture set"))),
    }
}

/// Writes a file that does not exist.
fn write(path: &PathBuf, bytes: &[u8]) -> Result<(), CallError> {
    let failed = |source| CallError::Write { path: path.clone(), source };
    let mut file = temporary(folder_of(path)).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(())
}
