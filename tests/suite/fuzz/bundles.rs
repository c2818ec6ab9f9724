//! Changed bundles: every command must print the bytes of `iree-profile`, or refuse what that refuses, but for the
//! differences in [`super::rules`].

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use super::process::Said;
use super::rules;
use super::runs::folder;
use crate::differential::TOOLS;
use crate::profile::{first_difference, ours};
use crate::support::ask::{captures, file};
use crate::support::mutate::{change, damage};
use crate::support::parts::Parts;
use crate::support::random::Random;
use crate::support::{built, random_bundle};

/// What both programs said of a bundle.
#[derive(Debug)]
pub struct Answer {
    pub command: String,
    pub theirs: Said,
    pub ours: Said,
    /// The bytes of the bundle.
    pub bytes: Vec<u8>,
}

/// How the programs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    /// A panic or a hang of ours.
    Flaw,
    RefusedThere,
    RefusedHere,
    Bytes,
}

impl Answer {
    fn of(command: &str, bytes: &[u8]) -> Self {
        let bundle = file(bytes);
        let run = |program: &Path| {
            Said::by(Command::new(program).args(command.split(' ')).arg(bundle.path()))
        };
        Self {
            command: command.to_owned(),
            theirs: run(&TOOLS.join("iree-profile")),
            ours: run(&ours()),
            bytes: bytes.to_vec(),
        }
    }

    fn difference(&self) -> Option<(Difference, String)> {
        if let Some(flaw) = self.ours.flaw() {
            return Some((Difference::Flaw, flaw));
        }
        let (theirs, ours) = (self.theirs.is_fine(), self.ours.is_fine());
        let (kind, what) = match (theirs, ours) {
            (true, true) if self.theirs.out == self.ours.out => return None,
            (false, false) if matches!(self.ours.code(), Some(2 | 3)) => return None,
            (true, true) => (Difference::Bytes, first_difference(&self.theirs.out, &self.ours.out)),
            (false, true) => (Difference::RefusedThere, self.theirs.why().to_owned()),
            _ => (Difference::RefusedHere, format!("{:?} {}", self.ours.code(), self.ours.err)),
        };
        rules::explains(self).is_none().then(|| (kind, format!("{kind:?}: {what}")))
    }
}

/// The bundles that are changed.
static SOURCES: LazyLock<Vec<(String, Parts)>> = LazyLock::new(|| {
    let read = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap())
    };
    let built = built::ALL.iter().map(|name| ((*name).to_owned(), built::named(name)));
    let parts = captures().into_iter().map(read).chain(built);
    parts.map(|(name, bytes)| (name, Parts::of(&bytes))).collect()
});

/// A bundle to change, the changes, and the damage that follows them, by their seeds.
#[derive(Debug, Clone)]
struct Plan {
    source: String,
    parts: Parts,
    changes: Vec<u64>,
    damage: Option<u64>,
}

impl Plan {
    fn of(random: &mut Random) -> Self {
        let (source, parts) = if random.below(4) == 0 {
            let seed = random.below(1000) as u64;
            (format!("random_bundle {seed}"), Parts::of(&random_bundle::bundle(seed)))
        } else {
            SOURCES[random.below(SOURCES.len())].clone()
        };
        let changes = (0..=random.below(4)).map(|_| random.next()).collect();
        let damage = (random.below(12) == 0).then(|| random.next());
        Self { source, parts, changes, damage }
    }

    /// Returns the changed bundle, and what was changed.
    fn changed(&self) -> (Parts, Vec<String>) {
        let mut parts = self.parts.clone();
        let said = self.changes.iter().map(|seed| change(&mut parts, &mut Random(*seed))).collect();
        (parts, said)
    }

    fn finish(&self, parts: &Parts) -> Vec<u8> {
        let mut bytes = parts.bytes();
        if let Some(seed) = self.damage {
            damage(&mut bytes, &mut Random(seed));
        }
        bytes
    }
}

fn pick<'a>(random: &mut Random, values: &[&'a str]) -> &'a str {
    values[random.below(values.len())]
}

/// Draws a command of `iree-profile` with flags.
fn command(random: &mut Random) -> String {
    const COMMANDS: [&str; 12] = [
        "cat",
        "summary",
        "statistics",
        "explain",
        "explain",
        "dispatch",
        "executable",
        "command",
        "queue",
        "counter",
        "memory",
        "export",
    ];
    const PATTERNS: [&str; 10] =
        ["*", "", "*matmul*", "?o*x*", "dispatch", "queue*", "*0*", "**a*?", "execute", "[a]\\*"];
    const IDS: [&str; 10] = [
        "0",
        "1",
        "2",
        "3",
        "5",
        "-1",
        "9223372036854775807",
        "4294967295",
        "-9223372036854775808",
        "7",
    ];
    let name = pick(random, &COMMANDS);
    if name == "export" {
        return "export --format=ireeperf-jsonl --output=-".into();
    }
    let mut command = format!("{name} --format=jsonl");
    if matches!(name, "cat" | "summary" | "statistics") {
        return command;
    }
    if random.below(3) == 0 {
        command += &format!(" --filter={}", pick(random, &PATTERNS));
    }
    if random.below(3) == 0 && command.len() < 40 {
        command += &format!(" --id={}", pick(random, &IDS));
    }
    match name {
        "counter" if random.below(2) == 0 => command += " --counter_samples",
        "dispatch" | "executable" | "command" | "queue" if random.below(2) == 0 => {
            command += " --dispatch_events";
        }
        _ => {}
    }
    command
}

/// Draws a command that only we have, which must neither panic nor hang.
fn command_of_ours(random: &mut Random) -> Vec<String> {
    const TEXT: [&str; 14] = [
        "top",
        "top --by op",
        "doctor",
        "gaps",
        "summary",
        "explain",
        "dispatch",
        "executable",
        "command",
        "queue",
        "memory",
        "counter",
        "render -o -",
        "export --format=ireeperf-jsonl",
    ];
    let views: Vec<&str> = sql::all()
        .iter()
        .filter(|view| view.kind != sql::Kind::Export)
        .map(|view| view.name)
        .collect();
    if random.below(2) == 0 {
        return pick(random, &TEXT).split(' ').map(str::to_owned).collect();
    }
    let tables: Vec<&str> = schemas::all().iter().map(|table| table.name).collect();
    let name = if random.below(2) == 0 { pick(random, &views) } else { pick(random, &tables) };
    let report = sql::all().iter().any(|view| view.name == name && view.kind == sql::Kind::Report);
    let name = if report { format!("report.{name}") } else { name.to_owned() };
    let forms = ["* FROM", "count(*) FROM", "DISTINCT * FROM"];
    let form = pick(random, &forms);
    vec!["sql".into(), "-c".into(), format!("SELECT {form} {name}")]
}

/// Runs the case of a seed.
pub fn one(seed: u64) -> Result<(), String> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0xb0);
    let plan = Plan::of(&mut random);
    let (parts, changes) = plan.changed();
    let bytes = plan.finish(&parts);
    let told = |bytes: &[u8]| {
        std::fs::write(folder("bundles", seed).join("case.ireeprof"), bytes).unwrap();
        format!("{} with {changes:?}, damaged: {:?}", plan.source, plan.damage)
    };
    for _ in 0..3 {
        let command = command(&mut random);
        if let Some((kind, what)) = Answer::of(&command, &bytes).difference() {
            let small = shrunk(&plan, &command, kind);
            let small_what =
                Answer::of(&command, &small).difference().map_or(what, |(_, what)| what);
            return Err(format!("{command} of {}\n  {small_what}", told(&small)));
        }
    }
    let words = command_of_ours(&mut random);
    let bundle = file(&bytes);
    let said = Said::by(Command::new(ours()).args(&words).arg(bundle.path()));
    match said.flaw() {
        Some(flaw) => Err(format!("{words:?} of {}\n  {flaw}", told(&bytes))),
        None => Ok(()),
    }
}

/// Leaves out changes, chunks and records as long as the difference stays.
fn shrunk(plan: &Plan, command: &str, kind: Difference) -> Vec<u8> {
    let stays = |bytes: &[u8]| {
        Answer::of(command, bytes).difference().is_some_and(|(found, _)| found == kind)
    };
    let mut plan = plan.clone();
    let mut at = 0;
    while at < plan.changes.len() {
        let mut fewer = plan.clone();
        fewer.changes.remove(at);
        if stays(&fewer.finish(&fewer.changed().0)) {
            plan = fewer;
        } else {
            at += 1;
        }
    }
    let mut parts = plan.changed().0;
    if plan.damage.is_some() {
        return plan.finish(&parts);
    }
    fewer(&mut parts, |parts| &mut parts.chunks, &stays);
    for chunk in 0..parts.chunks.len() {
        fewer(&mut parts, |parts| &mut parts.chunks[chunk].records, &stays);
    }
    parts.bytes()
}

/// Leaves out elements of a list, first many at once, as long as the difference stays.
fn fewer<T: Clone>(
    parts: &mut Parts,
    list: impl Fn(&mut Parts) -> &mut Vec<T>,
    stays: &impl Fn(&[u8]) -> bool,
) {
    let mut step = list(parts).len().div_ceil(2);
    while step > 0 {
        let mut at = 0;
        while at < list(parts).len() {
            let mut tried = parts.clone();
            let end = (at + step).min(list(&mut tried).len());
            list(&mut tried).drain(at..end);
            if stays(&tried.bytes()) {
                *parts = tried;
            } else {
                at += step;
            }
        }
        step /= 2;
    }
}
