//! Tests `gaps` and `fill` on capture sets: reasons come from the manifest, and refused modes are not tried again.

use std::process::Command;

use ireescope::bundle::Severity;
use ireescope::capture::plan::Wanted;
use ireescope::fill::{FillPlan, FillRequest, prepare};
use ireescope::workspace::{AnswerCommand, Workspace, WorkspaceOptions};
use schemas::questions::{Verb, question};

use crate::Test;
use crate::capture::{Place, Said};

pub const TESTS: &[Test] = &[
    ("the_reason_of_a_gap_is_what_the_manifest_knows", reasons),
    ("the_printed_command_is_the_one_that_ran", command),
    ("captures_of_a_set_answer_together", together),
    ("what_one_way_needs_is_wanted_of_one_capture", one_capture),
    ("what_a_filter_left_out_is_said", filtered),
    ("what_was_refused_is_not_tried_again", refused),
    ("a_bundle_without_its_set_knows_no_more_than_it_holds", alone),
    ("a_gap_that_helps_is_filled_too", helpful),
    ("programs_get_gaps_and_plans_as_types", typed),
];

/// Returns a column of `gaps` for the questions.
fn gaps(place: &Place, column: &str, questions: &str) -> Vec<String> {
    let query = format!(
        "SELECT {column} FROM gaps WHERE question IN ({questions}) ORDER BY question_position"
    );
    place.sql(&query).lines().skip(1).map(str::to_owned).collect()
}

fn fill(place: &Place, fake: &str, words: &[&str]) -> Said {
    let words: Vec<&str> = ["fill", "set"].iter().chain(words).copied().collect();
    place.said_by_fake(fake, &words)
}

fn reasons() {
    let place = Place::new();
    let modes = "--mode=queue-events,host-execution";
    assert_eq!(place.capture("gpu", &[modes], &[]).code, Some(1));
    let said = place.said_by(&["gaps", "--check", "--for=scheduling,memory", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.starts_with("set: answers 0 of 2 questions\n"), "{}", said.out);
    assert!(
        said.out.contains("host-execution: not supported by this driver: UNIMPLEMENTED; unsupported fake profiling data families 0x2\n"),
        "{}",
        said.out
    );
    assert!(said.out.contains("command-region-events: not requested\n"), "{}", said.out);
    assert!(said.out.contains("memory-events: not requested\n"), "{}", said.out);
    assert!(said.out.contains("fill:    ireescope fill set --for memory\n"), "{}", said.out);
    // A way with a refused mode is replaced by the next one, if there is any.
    let modes = gaps(&place, "coalesce(modes, 'none')", "'kernel-time', 'scheduling'");
    assert_eq!(modes, ["\"dispatch-events,executable-metadata\"", "command-region-events"]);
}

fn command() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &["--x=a 'b'"]).code, Some(0));
    let said = place.said_by(&["gaps", "--for=memory", "set"]);
    let line = said.out.lines().find_map(|line| line.trim().strip_prefix("or:")).unwrap();
    let output = Command::new("bash")
        .args(["-c", line.trim()])
        .current_dir(place.path(""))
        .env("IREESCOPE_FAKE", "gpu")
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let heard = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(heard.starts_with("\"--module=m.vmfb\"\n\"--x=a 'b'\"\n"), "{heard}");
    let said = place.said_by(&["gaps", "--check", "--for=memory", "memory.ireeprof"]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

fn together() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--for=memory"], &[]).code, Some(0));
    assert_eq!(place.capture("gpu", &["--for=kernel-time"], &[]).code, Some(0));
    let said = place.said_by(&["gaps", "--check", "--for=memory,kernel-time,kernel-code", "set"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.starts_with("set: answers 3 of 3 questions\n"), "{}", said.out);
    assert_eq!(gaps(&place, "bundle", "'memory', 'kernel-time'"), ["run-2", "run-1"]);
    // Each set has its own answer.
    let said = place.said_by(&["gaps", "--for=memory", "set", "b=set/run-2.ireeprof"]);
    assert_eq!(said.out.matches(": answers ").count(), 2, "{}", said.out);
}

fn one_capture() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &[]).code, Some(0));
    assert_eq!(place.capture("gpu", &["--mode=device-queue-events"], &[]).code, Some(0));
    assert_eq!(gaps(&place, "answerable", "'queue-wait'"), ["partly"]);
    let why = gaps(&place, "why", "'queue-wait'");
    assert_eq!(
        why,
        ["\"device-queue-events: only recorded in run-2, whose ids do not apply to this bundle\""]
    );
    assert_eq!(fill(&place, "gpu", &["--for=queue-wait"]).code, Some(0));
    assert_eq!(place.runs("got")[2], r#"["queue-events","device-queue-events"]"#);
    assert!(gaps(&place, "bundle", "'queue-wait'") == ["run-3"]);
}

fn filtered() {
    let place = Place::new();
    let modes = "--mode=queue-events,dispatch-events";
    let said = place.capture("filtered", &[modes, "--filter-function=none"], &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(place.manifest()["runs"][0]["refused"][0]["why"], "filtered");
    let [why] = &gaps(&place, "why", "'device-time'")[..] else { panic!("one row") };
    assert!(why.contains("dispatch-events: filtered out: "), "{why}");
    // `fill` captures it without the filter.
    assert_eq!(fill(&place, "filtered", &["--for=device-time"]).code, Some(0));
}

fn refused() {
    let place = Place::new();
    let modes = "--mode=queue-events,command-region-events";
    assert_eq!(place.capture("gpu", &[modes], &[]).code, Some(1));
    let said = fill(&place, "gpu", &["--for=scheduling"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("scheduling: not answered: command-region-events: not supported by this driver: UNIMPLEMENTED"), "{}", said.err);
    assert_eq!(place.runs("name"), ["run-1"], "nothing was run");
    // A mode that is named explicitly is tried again, because the driver may have changed.
    let said = fill(&place, "", &["--for=scheduling", "--mode=command-region-events"]);
    assert!(said.err.contains("command-region-events"), "{said:?}");
    assert_eq!(place.runs("name").len(), 2, "{said:?}");
    // A refusal by one device does not apply to another.
    let place = Place::new();
    place.make_set();
    assert_eq!(place.capture("unprofiled", &["--for=memory"], &["--device=a"]).code, Some(1));
    let bin = place.path("bin it's");
    let tool = bin.join("iree-run-module");
    let words = ["--for=memory", "--", tool.to_str().unwrap(), "--device=b"];
    assert_eq!(fill(&place, "gpu", &words).code, Some(0));
    assert_eq!(gaps(&place, "answerable", "'memory'"), ["yes"]);
}

fn alone() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &[]).code, Some(0));
    let said = place.said_by(&["gaps", "--for=memory", "set/run-1.ireeprof"]);
    assert!(said.out.contains("(not requested, or refused)"), "{}", said.out);
    assert!(said.out.contains("or:      TOOL ARGS… "), "{}", said.out);
}

fn helpful() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=dispatch-events"], &[]).code, Some(0));
    assert_eq!(gaps(&place, "answerable", "'kernel-time'"), ["partly"]);
    assert_eq!(fill(&place, "gpu", &[]).code, Some(0));
    assert_eq!(gaps(&place, "answerable", "'kernel-time'"), ["yes"]);
    let said = fill(&place, "gpu", &[]);
    assert!(said.err.contains("there is nothing to capture"), "{said:?}");
    assert_eq!(place.runs("name").len(), 2);
}

fn typed() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--for=memory"], &[]).code, Some(0));
    let set = place.path("set");
    let options = WorkspaceOptions::default();
    let questions = ["memory", "kernel-time"].map(|name| question(name).unwrap());
    let workspace = Workspace::salvage(&[set.display().to_string()], &options).unwrap();
    let gaps = workspace.gaps(&questions).unwrap().gaps;
    let of = |name: &str| gaps.iter().find(|gap| gap.question.name == name).unwrap();
    let bundles = vec![set.join("run-1.ireeprof")];
    assert_eq!(of("memory").answer, Some(AnswerCommand { verb: Verb::Report("memory"), bundles }));
    assert!(of("memory").is_closed && !of("memory").is_fillable(), "{gaps:?}");
    assert_eq!(of("kernel-time").answer, None);
    assert_eq!(of("kernel-time").modes, ["dispatch-events", "executable-metadata"]);
    let findings = workspace.findings().unwrap();
    let recorded = findings.iter().find(|finding| finding.name == "recorded").unwrap();
    assert_eq!((recorded.bundle.as_str(), recorded.severity), ("run-1", Severity::Info));

    let request = FillRequest::of(set.display().to_string());
    let plan = prepare(&request, &options, &mut |_| {}).unwrap();
    let FillPlan::Capture { request: capture, consent, .. } = plan else { panic!("{plan:?}") };
    assert_eq!(
        (capture.folder, capture.arguments),
        (Some(set), vec!["--module=m.vmfb".to_owned()])
    );
    // The fake tool is not on the PATH of this process.
    let reasons = consent.unwrap().reasons;
    assert!(reasons[0].ends_with("which is not on the PATH"), "{reasons:?}");
    let wanted = Wanted::of(vec![question("memory").unwrap()], &[], &[]);
    let plan = prepare(&FillRequest { wanted, ..request }, &options, &mut |_| {}).unwrap();
    assert!(matches!(plan, FillPlan::Complete { .. }), "{plan:?}");
}
