//! Tests `examples/compare_gate.rs`, a program that compares with the library alone: its verdicts are those of the command.

use std::process::Command;

use super::compare::sides;
use super::profile::ours;
use crate::Test;

#[path = "../../examples/compare_gate.rs"]
#[expect(dead_code, reason = "the program parses its arguments itself")]
mod program;

pub const TESTS: &[Test] = &[("the_library_judges_as_the_command_does", same_verdicts)];

fn same_verdicts() {
    for (runs, factor, rule, code, verdict) in [
        (6, 1.2, "slower:2%", 1, "rule slower:2%: "),
        (6, 1.0, "slower:2%", 0, "passed: nothing breaks rule slower:2%"),
        (6, 1.2, "total:90%", 0, "passed: nothing breaks rule total:90%"),
    ] {
        let folder = sides(runs, factor);
        let named = |side: &str| format!("{side}={}/*.jsonl", folder.path().join(side).display());
        let (base, new) = (named("base"), named("new"));
        let (text, found) = program::judge([&base, &new], rule).unwrap();
        let rule = format!("--fail-on={rule}");
        let ran = Command::new(ours()).args(["compare", &base, &new, &rule]).output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{ran:?}");
        assert_eq!(i32::from(found), code, "{text}");
        let [out, err] = [&ran.stdout, &ran.stderr].map(|it| String::from_utf8_lossy(it));
        assert_eq!(text.lines().next(), out.lines().next());
        let last = text.lines().last().unwrap();
        assert!(last.starts_with(verdict), "{text}");
        let said = err.trim_start_matches("ireescope: ").trim_start_matches("error: ");
        assert_eq!(said.trim_end().replace("--fail-on", "rule"), last);
    }
}
