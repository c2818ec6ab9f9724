//! Checks that no files import each other in a circle, within a crate, and that commands do not import each other.
//!
//! A file imports another if it names it in a `use` or in a path that begins with `crate`, `self`, `super` or a child module.
//! Declaring a child module (`mod name;`) is no import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, UseTree};

use super::tidy::crates;
use crate::Test;
use crate::support::ask::root;

pub const TESTS: &[Test] = &[
    ("no_files_import_each_other_in_a_circle", none),
    ("circles_are_found", found),
    ("commands_do_not_import_each_other", commands_apart),
];

/// The modules of the commands in `src/cli`. What they share stands beside them (`cluster` and `profile`, too), or in the library.
const COMMANDS: &[&str] = &[
    "att",
    "bench",
    "capture",
    "compare",
    "completions",
    "doctor",
    "export",
    "gaps",
    "history",
    "mcp",
    "plot",
    "race",
    "render",
    "report",
    "serve",
    "spec",
    "sql",
    "tables",
    "top",
    "tune",
];

/// A module by its path below the crate.
type Module = Vec<String>;

fn none() {
    let inner = |folder: String| {
        let inner = format!("{folder}/src");
        if root().join(&inner).exists() { inner } else { folder }
    };
    let all = crates().into_iter().map(inner).chain(["src", "python/src"].map(str::to_owned));
    for folder in all {
        let mut files = BTreeMap::new();
        read(&root().join(&folder), &[], &mut files);
        assert!(files.len() > 1, "{folder} has modules");
        let circles = circles(&files);
        let said: Vec<String> = circles.iter().map(|circle| told(circle)).collect();
        assert!(circles.is_empty(), "{folder}: files import each other:\n{}", said.join("\n"));
    }
}

fn found() {
    let files = |texts: &[(&str, &str)]| {
        let file = |(path, text): &(&str, &str)| {
            (path.split('/').map(str::to_owned).collect(), (*text).to_owned())
        };
        texts.iter().map(file).collect::<BTreeMap<Module, String>>()
    };
    let lower = ("b", "pub fn g() {} #[cfg(test)] mod tests { use crate::a; }");
    assert!(circles(&files(&[("a", "use crate::b::{g, h as i};"), lower])).is_empty());
    for upper in ["use crate::a;", "fn g() { super::a::f() }", "type T = crate::a::T;"] {
        assert_eq!(circles(&files(&[("a", "use super::b;"), ("b", upper)])).len(), 1, "{upper}");
    }
    let room = files(&[("a", "mod b; pub use b::F;"), ("a/b", "use super::G;")]);
    assert_eq!(circles(&room).len(), 1, "a folder and its file");
    let room =
        files(&[("a", "mod b; mod c; pub use b::F;"), ("a/b", "use super::c::G;"), ("a/c", "")]);
    assert!(circles(&room).is_empty(), "siblings");
}

fn commands_apart() {
    let mut files = BTreeMap::new();
    read(&root().join("src"), &[], &mut files);
    let command = |module: &Module| match module.as_slice() {
        [cli, command, ..] if cli == "cli" && COMMANDS.contains(&command.as_str()) => {
            Some(command.clone())
        }
        _ => None,
    };
    let all: BTreeSet<String> = files.keys().filter_map(command).collect();
    assert_eq!(all.len(), COMMANDS.len(), "{all:?} are the commands");
    let mut said = Vec::new();
    for (module, text) in &files {
        let Some(own) = command(module) else { continue };
        for target in imports(module, text, &files) {
            if command(target).is_some_and(|other| other != own) {
                said.push(format!("{} imports {}", module.join("/"), target.join("/")));
            }
        }
    }
    assert!(said.is_empty(), "commands import each other:\n{}", said.join("\n"));
}

/// The text of every module below a folder, without those of other crates.
fn read(folder: &Path, module: &[String], files: &mut BTreeMap<Module, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let child = [module, std::slice::from_ref(&stem)].concat();
        if path.is_dir() && !path.join("Cargo.toml").exists() {
            read(&path, &child, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let is_root = ["mod", "lib", "main"].contains(&&*stem);
            let text = std::fs::read_to_string(&path).unwrap();
            files.insert(if is_root { module.to_vec() } else { child }, text);
        }
    }
}

/// Modules that import each other, directly or through others.
fn circles(files: &BTreeMap<Module, String>) -> Vec<Vec<&Module>> {
    let imports: BTreeMap<&Module, BTreeSet<&Module>> =
        files.iter().map(|(module, text)| (module, imports(module, text, files))).collect();
    // Two modules are in one circle if each reaches the other.
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        files.keys().map(|module| (module, reached(module, &imports))).collect();
    let mut circles: Vec<Vec<&Module>> = Vec::new();
    for module in files.keys().filter(|module| reach[module].contains(module)) {
        if circles.iter().any(|circle| circle.contains(&module)) {
            continue;
        }
        let others = files.keys();
        let is_mutual =
            |other: &&Module| reach[module].contains(other) && reach[*other].contains(module);
        circles.push(others.filter(is_mutual).collect());
    }
    circles
}

fn reached<'a>(
    from: &Module,
    imports: &BTreeMap<&'a Module, BTreeSet<&'a Module>>,
) -> BTreeSet<&'a Module> {
    let mut known = BTreeSet::new();
    let mut next: Vec<&Module> = imports[from].iter().copied().collect();
    while let Some(module) = next.pop() {
        if known.insert(module) {
            next.extend(&imports[module]);
        }
    }
    known
}

fn imports<'a>(
    module: &Module,
    text: &str,
    files: &'a BTreeMap<Module, String>,
) -> BTreeSet<&'a Module> {
    let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{module:?}: {error}"));
    let mut names = Names::default();
    names.visit_file(&parsed);
    let targets = names.paths.iter().filter_map(|path| {
        let absolute = absolute(module, path, files)?;
        let mut known = (0..=absolute.len()).rev();
        known.find_map(|length| files.get_key_value(&absolute[..length]))
    });
    targets.map(|(target, _)| target).filter(|target| *target != module).collect()
}

/// A path from the root of the crate; `None` for those of other crates and local names.
fn absolute(module: &Module, path: &[String], files: &BTreeMap<Module, String>) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([module, rest].concat()),
        "super" => {
            let parent = module[..module.len().checked_sub(1)?].to_vec();
            if rest.first().is_some_and(|next| next == "super") {
                absolute(&parent, rest, files)
            } else {
                Some([&parent, rest].concat())
            }
        }
        _ => {
            let child = [module.as_slice(), path].concat();
            files.contains_key(&child[..=module.len()]).then_some(child)
        }
    }
}

/// All paths that a file names outside its unit tests.
#[derive(Default)]
struct Names {
    paths: Vec<Vec<String>>,
    /// How many modules written in the file itself surround the place: there, `super` is the file.
    depth: usize,
}

impl Names {
    fn add(&mut self, mut path: Vec<String>) {
        let ups = path.iter().take_while(|word| *word == "super").count();
        if self.depth > 0 && ups > 0 {
            path.drain(..ups.min(self.depth));
            path.insert(0, "self".to_owned());
        }
        self.paths.push(path);
    }

    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.add(with(&name.ident)),
            UseTree::Rename(rename) => self.add(with(&rename.ident)),
            UseTree::Glob(_) => self.add(before.to_vec()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(before, tree));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let is_test = |it: &Attribute| {
            it.path().is_ident("cfg") && it.parse_args::<syn::Ident>().is_ok_and(|it| it == "test")
        };
        if !module.attrs.iter().any(is_test) {
            self.depth += 1;
            visit::visit_item_mod(self, module);
            self.depth -= 1;
        }
    }
}

fn told(circle: &[&Module]) -> String {
    let names: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
    format!("  {}", names.join(", "))
}
