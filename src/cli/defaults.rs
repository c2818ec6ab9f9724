//! Tests that the defaults of flags are those of the library's requests, which state them.

use std::time::Duration;

use clap::{Command, CommandFactory};

use super::args::Cli;
use super::values::{duration, share, warmup};
use crate::bench::{Device, Target, peaks, run};
use crate::comparison::{CompareOptions, Selection};
use crate::compiler::CompilerOptions;
use crate::race::{DEFAULT_RUNS, DEFAULT_SEED};
use crate::statistics::Summary;
use crate::tracking::{AddRequest, DriftRequest};
use crate::tune::TuneOptions;
use crate::workspace::{ReportRequest, TopRequest};

/// Returns the default that a flag of a command has, or that its help tells.
fn told(words: &[&str], flag: &str) -> String {
    let all = Cli::command();
    let command = words.iter().fold(&all, |at: &Command, word| at.find_subcommand(word).unwrap());
    let argument =
        command.get_arguments().find(|argument| argument.get_long() == Some(flag)).unwrap();
    if let [value] = argument.get_default_values() {
        return value.to_str().unwrap().to_owned();
    }
    let help = argument.get_help().unwrap().to_string();
    let (_, told) = help.split_once("[default: ").unwrap_or_else(|| panic!("--{flag}: {help}"));
    told.split([']', ',']).next().unwrap().to_owned()
}

fn time(words: &[&str], flag: &str) -> Duration {
    duration(&told(words, flag)).unwrap()
}

#[test]
fn of_tune() {
    let words = ["tune"];
    assert_eq!(share(&told(&words, "cover")), Ok(TuneOptions::COVER));
    assert_eq!(share(&told(&words, "noise-floor")), Ok(TuneOptions::NOISE_FLOOR));
    assert_eq!(told(&words, "candidates"), TuneOptions::CANDIDATES.to_string());
    assert_eq!(told(&words, "patience"), TuneOptions::PATIENCE.to_string());
    assert_eq!(told(&words, "seed"), TuneOptions::SEED.to_string());
    assert_eq!(time(&words, "budget"), TuneOptions::BUDGET);
    assert_eq!(time(&words, "compile-timeout"), TuneOptions::COMPILE_TIMEOUT);
    assert_eq!(time(&words, "run-timeout"), TuneOptions::RUN_TIMEOUT);
}

#[test]
fn of_bench() {
    let (own, target) = (run::Settings::default(), Target::default());
    for command in ["generate", "compile", "verify", "profile", "run"] {
        let words = ["bench", command];
        assert_eq!(told(&words, "processes"), own.processes.to_string());
        assert_eq!(told(&words, "benchmark-repetitions"), own.repetitions.to_string());
        assert_eq!(told(&words, "warmup-repetitions"), own.warmup.to_string());
        assert_eq!(told(&words, "batch-size"), own.batch_size.to_string());
        assert_eq!(time(&words, "compile-timeout"), own.compile_limit);
        assert_eq!(time(&words, "run-timeout"), own.run_limit);
    }
    let words = ["bench", "peaks"];
    assert_eq!(time(&words, "compile-timeout"), peaks::settings().compile_limit);
    assert_eq!(time(&words, "run-timeout"), peaks::settings().run_limit);
    for words in [["bench", "run"], words] {
        assert_eq!(Device::named(&told(&words, "device")).ok(), Some(target.device));
        assert_eq!(told(&words, "cuda-arch"), target.cuda_arch);
        assert_eq!(told(&words, "rocm-target"), target.rocm_target);
        assert_eq!(told(&words, "target-cpu"), target.target_cpu);
    }
}

#[test]
fn of_spec() {
    let limit = CompilerOptions::default().time_limit;
    let mut found = 0;
    for command in Cli::command().find_subcommand("spec").unwrap().get_subcommands() {
        let has = |name: &str| command.get_arguments().any(|it| it.get_long() == Some(name));
        for flag in ["compile-timeout", "run-timeout"].into_iter().filter(|flag| has(flag)) {
            assert_eq!(time(&["spec", command.get_name()], flag), limit);
            found += 1;
        }
    }
    assert!(found >= 2, "some subcommands compile or run");
}

#[test]
fn of_questions() {
    let (of_top, of_report) = (TopRequest::default(), ReportRequest::default());
    assert_eq!(told(&["top"], "by"), of_top.by.name());
    assert_eq!(told(&["top"], "sort"), of_top.sort.name());
    assert_eq!(told(&["top"], "filter"), of_top.filter);
    assert_eq!(warmup(&told(&["top"], "warmup")), Ok(of_top.warmup));
    assert_eq!(told(&["dispatch"], "filter"), of_report.filter);
    assert_eq!(told(&["dispatch"], "id"), of_report.id.to_string());
}

#[test]
fn of_comparisons() {
    let (selection, options) = (Selection::default(), CompareOptions::default());
    assert_eq!(told(&["compare"], "measure"), selection.measure.name);
    assert_eq!(warmup(&told(&["compare"], "warmup")), Ok(selection.warmup));
    assert_eq!(told(&["compare"], "filter"), selection.filter);
    assert_eq!(told(&["compare"], "iterations") == "auto", options.by_iteration);
    for words in [&["compare"][..], &["history", "check"]] {
        assert_eq!((told(words, "stat").as_str(), options.summary), ("median", Summary::Median));
    }
    assert_eq!(told(&["race"], "repeat"), DEFAULT_RUNS.to_string());
    assert_eq!(told(&["race"], "seed"), DEFAULT_SEED.to_string());
}

#[test]
fn of_histories() {
    let (addition, drift) = (AddRequest::default(), DriftRequest::default());
    assert_eq!(told(&["history", "add"], "branch"), addition.branch);
    for command in ["add", "check"] {
        assert_eq!(warmup(&told(&["history", command], "warmup")), Ok(addition.warmup));
    }
    assert_eq!(Some(told(&["history", "drift"], "last")), drift.last.map(|last| last.to_string()));
    assert_eq!(told(&["history", "drift"], "filter"), drift.filter);
}
