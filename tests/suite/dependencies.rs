//! Tests what the program depends on: licences, known vulnerabilities, and crates that are there in several versions.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use semver::{Version, VersionReq};
use serde_json::Value;

use super::tidy::crates;
use crate::Test;
use crate::support::ask::root;

pub const TESTS: &[Test] = &[
    ("licences_are_permissive", licences),
    ("no_version_has_a_known_vulnerability", advisories),
    ("versions_of_one_crate_are_listed", duplicates),
    ("builds_share_what_they_compile", shared),
];

/// Licences that a program under the Apache License may include, those of fonts among them. Crates offer one of them, or ask
/// for all of those that they join by AND.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    // x509-certificate, from pgwire, with servers: it asks for the source of its own files only.
    "MPL-2.0",
    "NCSA",
    "OFL-1.1",
    "Ubuntu-font-1.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

/// Crates in several major versions, and what keeps the older ones.
const SEVERAL: &[(&str, &str)] = &[
    ("base64", "tonic, with clusters"),
    ("block-buffer", "digest 0.10"),
    ("const-oid", "der, from x509-certificate and pgwire"),
    ("cpufeatures", "sha2 0.10"),
    ("crypto-common", "digest 0.10"),
    ("digest", "sha2 0.10, and crc-fast, from object_store"),
    ("foldhash", "hashbrown 0.15, from petgraph"),
    ("getrandom", "the macros of const-random, and rand, from arrow and datafusion"),
    ("hashbrown", "dashmap and petgraph, from datafusion"),
    ("itertools", "the macros of prost, which are not in the program"),
    ("logos", "protox, which only tests use"),
    ("logos-codegen", "protox, which only tests use"),
    ("logos-derive", "protox, which only tests use"),
    ("miniz_oxide", "png, from resvg"),
    ("num-bigint", "bigdecimal, from datafusion"),
    ("object_store", "datafusion, which reads no objects here"),
    ("r-efi", "getrandom, on another system"),
    ("rand", "arrow and datafusion"),
    ("rand_chacha", "rand 0.8, from rust_decimal"),
    ("rand_core", "rand 0.9, from arrow and datafusion"),
    ("sha2", "this program; datafusion has the newer one, with clusters"),
    ("syn", "macros, which are not in the program"),
    ("unicode-width", "divan, which only benchmarks use"),
    ("untrusted", "aws-lc-rs"),
    ("windows-sys", "ring, on another system"),
    ("zstd", "arrow-ipc and parquet"),
    ("zstd-safe", "arrow-ipc and parquet"),
];

/// Advisories that tell of no fault, but that nobody maintains a crate any more, and why it is used.
const UNMAINTAINED: &[(&str, &str)] = &[(
    "RUSTSEC-2025-0141",
    "bincode 1.3.3, which its authors call complete: datafusion-distributed writes quantiles of latencies with it",
)];

fn lock() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in text.split("[[package]]").skip(1).filter(|it| it.contains("\nsource = ")) {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)).unwrap();
            line.trim_matches('"').to_owned()
        };
        packages.entry(value("name = ")).or_default().insert(value("version = "));
    }
    assert!(packages.len() > 200, "{packages:?}");
    packages
}

fn licences() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 200);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_permissive(licence), "{} has the licence {licence}", package["name"]);
    }
    assert!(!is_permissive("GPL-3.0") && !is_permissive("MIT AND GPL-3.0"));
    assert!(is_permissive("(MIT OR GPL-3.0) AND Zlib"));
}

/// Whether an SPDX expression without nested parentheses can be met by permissive licences alone.
fn is_permissive(expression: &str) -> bool {
    expression.split(" AND ").all(|all| {
        let mut any = all.trim_matches(['(', ')']).split(" OR ").flat_map(|it| it.split('/'));
        any.any(|licence| LICENCES.contains(&licence.trim()))
    })
}

fn advisories() {
    let text = std::fs::read_to_string(root().join("tests/data/advisories.json")).unwrap();
    let known: Value = serde_json::from_str(&text).unwrap();
    let crates: BTreeSet<&str> =
        known["crates"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let lock = lock();
    let unknown: Vec<_> = lock.keys().filter(|name| !crates.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "run tests/tools/advisories.py for {unknown:?}");
    let advisories = known["advisories"].as_array().unwrap();
    assert!(advisories.len() > 30);
    for advisory in advisories {
        let (name, id) = (advisory["crate"].as_str().unwrap(), advisory["id"].as_str().unwrap());
        if UNMAINTAINED.iter().any(|(known, _)| *known == id) {
            continue;
        }
        for version in lock.get(name).into_iter().flatten() {
            assert!(
                is_unaffected(version, &advisory["unaffected"]),
                "{name} {version} is affected by {id}"
            );
        }
    }
    assert!(!is_unaffected("0.9.10", &serde_json::json!([">= 0.9.11", "< 0.9.0, >= 0.8.6"])));
}

fn is_unaffected(version: &str, ranges: &Value) -> bool {
    let version = Version::parse(version).unwrap();
    let mut ranges = ranges.as_array().unwrap().iter().filter_map(Value::as_str);
    ranges.any(|range| VersionReq::parse(range).unwrap().matches(&version))
}

/// Checks that a crate has the features of the default build in all others, as it and all that use it would be compiled again.
fn shared() {
    let default = features(&["--edges=normal,build"]);
    assert!(default.len() > 300, "{default:?}");
    let all = "--features=cluster,servers";
    let mut builds = vec![
        vec![all, "--edges=normal,build"],
        vec!["--features=servers", "--edges=normal,build"],
        vec!["--package=ireescope-python", "--features=servers", "--edges=normal,build"],
        vec!["--workspace", all, "--edges=normal,build,dev"],
    ];
    let alone: Vec<String> = crates()
        .iter()
        .filter(|folder| *folder != "src/features")
        .map(|folder| format!("--package=ireescope-{}", folder.trim_start_matches("src/")))
        .collect();
    builds.extend(alone.iter().map(|package| vec![package.as_str(), "--edges=normal,build,dev"]));
    let mut wrong = BTreeSet::new();
    for build in builds {
        for (package, others) in features(&build) {
            for missing in default.get(&package).iter().flat_map(|it| it.difference(&others)) {
                wrong.insert(format!("{package} has {others:?} with {build:?}, not {missing}"));
            }
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(
        wrong.is_empty(),
        "add what is missing to src/features/Cargo.toml:\n{}",
        wrong.join("\n")
    );
}

/// The sets of features of each package of a build: for the target, and for build scripts and macros. Without our own crates.
fn features(build: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix=none", "--format={p}|{f}"])
        .args(build)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{build:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((package, features)) = line.split_once('|') else { continue };
        let package = package.split(' ').take(2).collect::<Vec<_>>().join(" ");
        if !package.starts_with("ireescope") {
            // What is listed above is marked.
            let features = features.trim_end_matches(" (*)").to_owned();
            found.entry(package).or_default().insert(features);
        }
    }
    found
}

fn duplicates() {
    let several: Vec<String> = lock()
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, _)| name)
        .collect();
    let listed: Vec<&str> = SEVERAL.iter().map(|(name, _)| *name).collect();
    assert_eq!(several, listed, "list them with what keeps the older version, or avoid them");
}
