//! Generated and changed SQL: DataFusion's panics must not become ours.

use std::process::Command;
use std::sync::LazyLock;

use super::grammar::Grammar;
use super::process::Said;
use crate::profile::ours;
use crate::sql_files::{files, queries};
use crate::support::ask::root;
use crate::support::random::Random;

/// The queries of tests/sql, as tokens.
static WRITTEN: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let paths = files(&root().join("tests/sql"), "slt");
    let queries = paths.iter().flat_map(|path| queries(path).1);
    queries.map(|query| tokens(&query)).filter(|tokens| !tokens.is_empty()).collect()
});

/// Splits SQL into words, numbers, texts and signs.
fn tokens(query: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut quote = None;
    let mut last = ' ';
    for letter in query.chars() {
        let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
        let goes_on = quote.is_some() || (is_word(letter) && is_word(last));
        match tokens.last_mut() {
            Some(token) if goes_on => token.push(letter),
            _ if letter.is_whitespace() => {}
            _ => tokens.push(letter.to_string()),
        }
        match quote {
            Some(open) if open == letter => (quote, last) = (None, ' '),
            Some(_) => {}
            None => {
                quote = (letter == '\'' || letter == '"').then_some(letter);
                last = letter;
            }
        }
    }
    tokens
}

/// The class of a token; tokens are mostly exchanged for others of their class.
fn class(token: &str) -> usize {
    match token.chars().next() {
        Some(first) if first.is_ascii_digit() => 0,
        Some('\'') => 1,
        Some(first) if first.is_alphabetic() && token.chars().all(|it| !it.is_lowercase()) => 2,
        Some(first) if first.is_alphabetic() || first == '"' => 3,
        _ => 4,
    }
}

/// Exchanges, repeats, removes and replaces tokens.
fn changed(random: &mut Random) -> String {
    const OTHERS: [&str; 24] = [
        "NULL",
        "-1",
        "9223372036854775807",
        "''",
        "'é'",
        "(",
        ")",
        "*",
        ",",
        "OVER ()",
        "DISTINCT",
        "1e308",
        "[]",
        "CAST('x' AS INT)",
        "INTERVAL '1 month'",
        "/",
        "%",
        "LATERAL",
        "IN",
        "EXISTS",
        "GROUP BY ALL",
        "LIMIT 0",
        "$x",
        "18446744073709551615",
    ];
    let mut words = WRITTEN[random.below(WRITTEN.len())].clone();
    for _ in 0..=random.below(3) {
        let other = &WRITTEN[random.below(WRITTEN.len())];
        let (at, target) = (random.below(words.len()), random.below(words.len()));
        let here = class(&words[at]);
        let alike = |list: &[String]| -> Vec<String> {
            list.iter().filter(|word| class(word) == here).cloned().collect()
        };
        match random.below(12) {
            0 => words.swap(at, target),
            1 if words.len() > 1 => drop(words.remove(at)),
            2 => words.insert(at, words[target].clone()),
            3 => words[at] = OTHERS[random.below(OTHERS.len())].into(),
            4 => {
                let from = random.below(other.len());
                let end = (from + 1 + random.below(8)).min(other.len());
                words.splice(at..at, other[from..end].iter().cloned());
            }
            draw => {
                let alike = if draw < 8 { alike(&words) } else { alike(other) };
                if let Some(word) = alike.get(random.below(alike.len())) {
                    words[at].clone_from(word);
                }
            }
        }
    }
    words.join(" ")
}

/// Runs the case of a seed.
pub fn one(seed: u64) -> Result<(), String> {
    let mut random = Random(seed ^ 0x5912_0000);
    let query = if random.below(2) == 0 {
        changed(&mut random)
    } else {
        Grammar::new(random.clone()).statement()
    };
    let bundles: &[&str] = match seed % 3 {
        0 => &["tests/data/mlp-vulkan.ireeprof"],
        1 => &["tests/data/matmul-local-task.ireeprof", "tests/data/queue-only.ireeprof"],
        _ => &["tests/data/loop-vulkan.ireeprof"],
    };
    // A join of many rows may take long without being a hang, so that its rows are limited.
    let format =
        ["--format=csv", "--format=jsonl", "--format=box", "--format=arrow"][(seed % 4) as usize];
    let mut command = Command::new(ours());
    command
        .current_dir(root())
        .args(["sql", format, "--memory-limit=300MB", "-c", &query])
        .args(bundles);
    let said = Said::by(&mut command);
    said.flaw().map_or(Ok(()), |flaw| Err(format!("sql -c {query:?} {bundles:?}\n  {flaw}")))
}
