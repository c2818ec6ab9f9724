//! Checks the rules of the code base: borders, file and function sizes, documentation, and generated pages.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::sql_files::settle;
use crate::Test;
use crate::support::ask::root;

pub const TESTS: &[Test] = &[
    ("every_file_opens_with_its_purpose", purposes),
    ("files_stay_small", sizes),
    ("crates_know_only_what_they_may", borders),
    ("crates_are_said_in_a_sentence", said_in_a_sentence),
    ("crates_are_listed_with_what_they_use", listed),
    ("guards_name_tests_and_files", guards),
    ("what_is_pub_is_named_elsewhere", public),
    ("texts_of_the_library_name_no_flags", no_flags),
    ("unsafe_stands_in_few_files", few_unsafe),
    ("sql_stands_in_files", sql_in_files),
    ("sql_files_document_themselves", sql_documents),
    ("tables_document_themselves", table_documents),
    ("joins_name_columns_that_exist", joins),
    ("the_reference_page_is_fresh", reference_page),
    ("pages_name_files_that_exist", named_files),
];

/// Reads all Rust files in the folders. Paths are relative to the root of the repository.
fn rust(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for folder in folders {
        walk(&root().join(folder), &mut files);
    }
    assert!(!files.is_empty(), "{folders:?} hold Rust");
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            walk(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            files.push((path.strip_prefix(root()).unwrap().to_owned(), text));
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    rust(&["src", "schemas", "sql", "exporters", "python/src"])
}

/// Returns the part of a file before its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests").next().unwrap()
}

fn purposes() {
    for (path, text) in rust(&["src", "schemas", "sql", "exporters", "python/src", "tests", "fuzz"])
    {
        assert!(
            text.starts_with("//! "),
            "{} does not start with a module comment",
            path.display()
        );
    }
}

fn sizes() {
    let mut lines: Vec<usize> = Vec::new();
    for (path, text) in sources() {
        let count = without_tests(&text).lines().count();
        assert!(count <= 500, "{} has {count} lines; nothing has more than 500", path.display());
        lines.push(count);
        for (name, length) in functions(without_tests(&text)) {
            assert!(
                length <= 80,
                "{}: {name} has {length} lines; nothing has more than 80",
                path.display()
            );
        }
    }
    lines.sort_unstable();
    let nine_in_ten = lines[lines.len() * 9 / 10];
    assert!(nine_in_ten <= 300, "nine files in ten stay under 300 lines, but {nine_in_ten}");
}

/// Returns the names and line counts of the functions of a formatted file, which end at the indentation of their start.
fn functions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if open.is_none()
            && let Some((before, after)) = line.split_once("fn ")
            && before.split_whitespace().all(|word| {
                matches!(word, "pub" | "const" | "async" | "unsafe") || word.starts_with("pub(")
            })
        {
            let name: String = after
                .chars()
                .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
                .collect();
            open = Some((name, number, indent));
        }
        if let Some((name, start, level)) = &open
            && indent == *level
            && (line.trim_end().ends_with('}') || line.trim_end().ends_with(';'))
        {
            found.push((name.clone(), number + 1 - start));
            open = None;
        }
    }
    found
}

/// Checks that no file of a folder names one of the modules or crates. Files that hold tests alone may.
fn forbid(folder: &str, words: &[&str]) {
    let is_of_tests = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        stem.ends_with("tests") || stem == "simulation"
    };
    // What a build script prints is for Cargo.
    let is_checked = |path: &Path| !is_of_tests(path) && !path.ends_with("build.rs");
    for (path, text) in rust(&[folder]).into_iter().filter(|(path, _)| is_checked(path)) {
        let code: Vec<&str> = without_tests(&text)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        for word in words {
            let line = code.iter().find(|line| names(line, word));
            assert!(line.is_none(), "{} must not name {word}: {}", path.display(), line.unwrap());
        }
    }
}

/// The folders of the crates of the library.
pub fn crates() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap().path());
    let is_crate = |folder: &PathBuf| folder.join("Cargo.toml").exists();
    let name = |folder: PathBuf| format!("src/{}", folder.file_name().unwrap().to_str().unwrap());
    let mut found: Vec<String> = folders.filter(is_crate).map(name).collect();
    found.extend(["schemas", "sql", "exporters"].map(str::to_owned));
    found.sort();
    found
}

/// Checks what crates must not know and their `Cargo.toml` cannot say: only the program has a terminal, an end and a path of its
/// own, and what is read of a bundle does not know what it means.
fn borders() {
    let of_program = [
        "clap",
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "process::exit",
        "std::process::exit",
        "io::stdin",
        "std::io::stdin",
        "env::current_exe",
        "std::env::current_exe",
    ];
    let all = crates();
    assert!(all.len() > 15, "{all:?}");
    for folder in &all {
        forbid(folder, &of_program);
    }
    forbid("src/read/bundle", &["arrow", "dispatch_event", "schemas::all", "crate::table"]);
    forbid("src/read/record", &["arrow", "crate::table"]);
    forbid("src/show/plot", &["arrow", "workspace", "crate::panel"]);
    forbid("src/show/page", &["arrow"]);
}

/// Checks that a crate says in its first lines what it does and what it does not know, and is not too large.
fn said_in_a_sentence() {
    for folder in crates() {
        let main = root().join(&folder).join("lib.rs");
        let main = if main.exists() { main } else { root().join(&folder).join("src/lib.rs") };
        let text = std::fs::read_to_string(&main).unwrap();
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head[0].ends_with('.') || head[0].ends_with(':'), "{folder}: {}", head[0]);
        assert!(
            head.iter().any(|line| line.contains("knows no ")),
            "{folder} says what it does not know"
        );
        let lines: usize =
            rust(&[&folder]).iter().map(|(_, text)| without_tests(text).lines().count()).sum();
        assert!(lines <= 25_000, "{folder} has {lines} lines; no crate has more than 25,000");
    }
}

/// Checks that docs/architecture.md says which crates a crate uses, as its `Cargo.toml` does, and that tests/build.toml has it.
fn listed() {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let build = std::fs::read_to_string(root().join("tests/build.toml")).unwrap();
    let folders = crates();
    let name = |folder: &str| folder.trim_start_matches("src/").to_owned();
    let names: Vec<String> = folders.iter().map(|folder| name(folder)).collect();
    for folder in folders.iter().filter(|folder| *folder != "src/features") {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let (_, uses) = manifest.split_once("\n[dependencies]\n").unwrap_or((&manifest, ""));
        let uses = uses.split("\n[").next().unwrap().lines();
        let uses = uses.filter_map(|line| line.split(['.', ' ']).next());
        let uses: Vec<String> = uses
            .filter(|it| names.iter().any(|name| name == it))
            .map(|it| format!("`{it}`"))
            .collect();
        let row = page.lines().find(|line| line.starts_with(&format!("| `{folder}` |")));
        let said = row.unwrap_or_else(|| panic!("docs/architecture.md has no row of {folder}"));
        let said = said.trim_end_matches('|').rsplit('|').next().unwrap().trim();
        assert_eq!(said, uses.join(", "), "docs/architecture.md: what {folder} uses");
        let profile = format!("[profile.release.package.ireescope-{}]", name(folder));
        assert!(build.contains(&profile), "tests/build.toml has no {profile}");
    }
}

/// Checks that the table of tests/run names suites and files that exist.
fn guards() {
    let script = std::fs::read_to_string(root().join("tests/run")).unwrap();
    let (_, table) = script.split_once("\nguards=(\n").unwrap();
    let table = table.split("\n)\n").next().unwrap();
    for guard in table.lines() {
        let mut words = guard.trim().trim_matches('"').split_whitespace();
        let (module, test) = words.next().unwrap().split_once("::").unwrap();
        let file = match module {
            "python" => format!("python/tests/{test}.py"),
            _ => format!("tests/suite/{module}.rs"),
        };
        for path in words.chain([file.as_str()]) {
            assert!(root().join(path).exists(), "tests/run: {path} does not exist");
        }
    }
    assert!(table.lines().count() > 5, "{table}");
}

/// Checks that another crate names the functions, constants and modules that are `pub`. Others are `pub(crate)`, so that the
/// compiler finds what is unused. Types and fields may be public for what has them in its signature, or copies the rest of them.
fn public() {
    let words = |text: &str| -> HashSet<String> {
        let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        text.split(|letter| !is_of_word(letter)).map(str::to_owned).collect()
    };
    let all_words =
        |files: &[(PathBuf, String)]| files.iter().flat_map(|it| words(&it.1)).collect();
    let folders = crates();
    let crates: Vec<_> = folders.iter().map(|folder| rust(&[folder])).collect();
    let named: Vec<HashSet<String>> = crates.iter().map(|files| all_words(files)).collect();
    let outside = ["src/cli", "tests", "benches", "examples", "fuzz", "python/src"];
    let mut outside: HashSet<String> = all_words(&rust(&outside));
    outside.extend(words(&std::fs::read_to_string(root().join("src/lib.rs")).unwrap()));
    let mut declared = 0;
    for (nth, files) in crates.iter().enumerate() {
        let others = || named.iter().enumerate().filter(|(other, _)| *other != nth);
        for (path, text) in
            files.iter().filter(|(_, text)| !text.contains("\n// This file is @generated"))
        {
            for name in text.lines().filter_map(public_name) {
                // Under this name, or under that with which its crate passes it on.
                let renamed = format!("{name} as ");
                let is_named = outside.contains(name)
                    || others().any(|it| it.1.contains(name))
                    || files.iter().any(|(_, text)| text.contains(&renamed));
                assert!(is_named, "{}: no other crate names {name}", path.display());
                declared += 1;
            }
        }
    }
    assert!(declared > 1_000, "{declared} names are public");
}

/// Returns the name of the function, constant or module that a line declares as `pub`.
fn public_name(line: &str) -> Option<&str> {
    let declared = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["fn ", "const fn ", "async fn ", "unsafe fn ", "const ", "static ", "mod "];
    let name = kinds.iter().find_map(|kind| declared.strip_prefix(kind))?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

/// True if `word` occurs in a line at the start of a word or path.
fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(|before| {
            before.is_alphanumeric() || matches!(before, '_' | ':' | '.' | '/' | '"' | '`' | '-')
        })
    })
}

/// Where texts of the library name flags: commands that are suggested, and the documentation of SQL functions.
const NAME_FLAGS: &[&str] = &[
    "src/att/error.rs",
    "src/engine/functions/matches_pattern.rs",
    "src/engine/functions/operations.rs",
    "src/show/panel/operations.rs",
    "src/report/att.rs",
    "src/report/layouts",
    "src/report/relations.rs",
    "src/passes/rules/commands.rs",
    "src/passes/rules/doctor/records.rs",
    "src/passes/rules/doctor/usage.rs",
];

/// Flags of IREE's tools that ireescope has too.
const OF_TOOLS: &[&str] = &[
    "batch-size",
    "benchmark-repetitions",
    "device",
    "function",
    "output",
    "print-device-statistics",
];

/// Checks that texts of the library name options as in ``option `memory_limit` ``, and that the command line knows these.
fn no_flags() {
    let flags: HashSet<String> =
        rust(&["src/cli"]).iter().flat_map(|(_, text)| flags(text)).collect();
    assert!(flags.len() > 100, "{flags:?}");
    let spelled = std::fs::read_to_string(root().join("src/cli/flags.rs")).unwrap();
    let mut options = 0;
    for (path, text) in rust(&["src"]) {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.starts_with("src/cli") || stem.ends_with("tests") {
            continue;
        }
        let code = without_tests(&text).lines().filter(|line| !line.trim_start().starts_with("//"));
        let may_name = NAME_FLAGS.iter().any(|place| path.starts_with(place));
        for line in code {
            let mut named = line.split("--").skip(1).map(name_at);
            let flag =
                named.find(|name| flags.contains(name) && !OF_TOOLS.contains(&name.as_str()));
            assert!(may_name || flag.is_none(), "{} names a flag: {line}", path.display());
            for option in line.split("option `").skip(1).map(name_at).filter(|it| !it.is_empty()) {
                let is_known = spelled.replace('_', "-").contains(&format!("\"{option}\""));
                assert!(is_known, "{}: src/cli/flags.rs does not spell {option}", path.display());
                options += 1;
            }
        }
    }
    assert!(options > 20, "{options} options are named");
}

/// Returns the word at the start of a text, with dashes.
fn name_at(text: &str) -> String {
    let is_of_name = |letter: &char| letter.is_ascii_lowercase() || matches!(letter, '_' | '-');
    text.chars().take_while(is_of_name).collect::<String>().replace('_', "-")
}

/// Returns the flags that a file of the command line declares.
fn flags(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for argument in text.split("#[arg(").skip(1) {
        let (attribute, rest) = argument.split_once(")]").unwrap();
        let field =
            rest.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let field = field.and_then(|line| line.trim_start_matches("pub ").split(':').next());
        let mut words = attribute
            .split(',')
            .map(str::trim)
            .filter(|word| *word == "long" || word.starts_with("long ="));
        if let Some(word) = words.next() {
            let named = word.split('"').nth(1);
            found.extend(named.or(field).map(|name| name.replace('_', "-")));
        }
    }
    found
}

fn few_unsafe() {
    for (path, text) in sources() {
        let places = [
            "src/read/bundle/map.rs",
            "src/att/foreign",
            "src/serve/memory.rs",
            "python/src/foreign.rs",
        ];
        if !places.iter().any(|place| path.starts_with(place)) {
            assert!(
                !text.contains("unsafe {") && !text.contains("unsafe fn"),
                "{} is not the place for unsafe",
                path.display()
            );
        }
    }
    let roots = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(roots.contains("unsafe_code = \"deny\""));
}

fn sql_in_files() {
    for (path, text) in
        rust(&["src/read/bundle", "src/read/record", "src/read/table", "src/engine", "src/report"])
    {
        let code = without_tests(&text);
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            assert!(!line.contains("\"SELECT "), "{} holds SQL: {line}", path.display());
        }
    }
}

fn sql_documents() {
    assert!(sql::all().len() >= 11);
    for view in sql::all() {
        let name = view.name;
        assert!(
            view.header().doc.len() > 20 && view.header().doc.ends_with('.'),
            "{name} says what a row is"
        );
        assert!(!view.header().columns.is_empty(), "{name} documents its columns");
        for column in &view.header().columns {
            assert!(column.doc.ends_with('.'), "{name}.{} has a sentence", column.name);
            let unit = !column.name.starts_with("has_")
                && ["_ns", "_bytes", "_ticks", "_tick"]
                    .iter()
                    .any(|end| column.name.ends_with(end));
            assert!(!unit || !column.unit.is_empty(), "{name}.{} has a unit", column.name);
        }
        assert!(!view.query.trim_end().ends_with(';'), "{name} is one query");
        // DataFusion ignores the name of a window in parentheses.
        let windows = view.query.split("OVER (").skip(1);
        let mut starts = windows.filter_map(|window| window.split_whitespace().next());
        assert!(
            starts.all(|word| word.starts_with(')') || word.to_uppercase() == word),
            "{name} names a window in parentheses"
        );
    }
}

fn table_documents() {
    assert_eq!(schemas::all().len(), 47);
    // A report may have the name of a view, as it is in another schema.
    let mut names: Vec<String> = schemas::all()
        .iter()
        .map(|table| table.name.to_owned())
        .chain(sql::all().iter().map(sql::View::qualified))
        .collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "names are unique");
    for table in schemas::all() {
        assert!(table.row.ends_with('.'), "{} says what a row is", table.name);
        let columns = table.columns();
        let mut seen: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), columns.len(), "columns of {} are unique", table.name);
        for column in &columns {
            assert!(column.doc.ends_with('.'), "{}.{} has a sentence", table.name, column.name);
            let unit = column.name.ends_with("_ns") || column.name.ends_with("_bytes");
            assert!(
                !unit || !column.unit.name().is_empty(),
                "{}.{} has a unit",
                table.name,
                column.name
            );
        }
    }
}

fn joins() {
    for table in schemas::all() {
        for column in table.columns().iter().filter(|column| !column.joins.is_empty()) {
            let (target, field) = column.joins.split_once('.').unwrap();
            let target = schemas::find(target)
                .unwrap_or_else(|| panic!("{}.{} joins {}", table.name, column.name, column.joins));
            assert!(
                target.columns().iter().any(|known| known.name == field),
                "{}.{} joins {}",
                table.name,
                column.name,
                column.joins
            );
        }
    }
}

fn reference_page() {
    let path = root().join("docs/tables.md");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ireescope"))
        .args(["tables", "--markdown"])
        .output()
        .unwrap();
    let fresh = String::from_utf8(output.stdout).unwrap();
    settle(&path, &std::fs::read_to_string(&path).unwrap_or_default(), &fresh);
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for name in schemas::all().iter().map(|table| table.name).chain(
        sql::all().iter().filter(|view| view.kind != sql::Kind::Export).map(|view| view.name),
    ) {
        assert!(
            readme.contains(&format!("`{name}`")) || readme.contains(&format!("`report.{name}`")),
            "the README's table of tables lists {name}"
        );
    }
}

/// Checks that paths in backticks that start with a folder of the repository exist. Paths with placeholders are
/// skipped.
fn named_files() {
    let folders: Vec<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("{}/", entry.file_name().to_str().unwrap()))
        .collect();
    let pages = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut seen = 0;
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    for page in pages.chain([root().join("README.md")]).filter(is_page) {
        let text = std::fs::read_to_string(&page).unwrap();
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = name.chars().all(|it| it.is_ascii_alphanumeric() || "._-/".contains(it));
            if is_path && folders.iter().any(|folder| name.starts_with(folder)) {
                assert!(root().join(name).exists(), "{}: there is no {name}", page.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen} files are named");
}
