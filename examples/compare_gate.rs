//! Fails if a side is slower than the baseline, as `ireescope compare BASE NEW --fail-on RULE` does, by the library alone:
//! `cargo run --release --example compare_gate -- BASE NEW RULE`, such as `base='runs/*.ireeprof' new='new/*.ireeprof' slower:2%`.

#![expect(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::process::ExitCode;

use ireescope::compare::{Gate, GateResult};
use ireescope::comparison::{CompareRequest, compare};
use ireescope::report::comparison::{Terms, broken, passed, text, unjudged};
use ireescope::workspace::WorkspaceOptions;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base, new, rule] = arguments.as_slice() else { return Err("BASE NEW RULE".into()) };
    let (said, code) = judge([base, new], rule)?;
    print!("{said}");
    Ok(ExitCode::from(code))
}

/// Compares a side with the baseline. Returns the text of the comparison and of the verdict, and the exit code of the
/// command.
pub fn judge(sides: [&str; 2], rule: &str) -> Result<(String, u8), Box<dyn Error>> {
    let gate = Gate { rules: vec![rule.parse()?], ..Gate::default() };
    let request =
        CompareRequest { sides: sides.map(str::to_owned).into(), ..CompareRequest::default() };
    let comparisons = compare(&request, &WorkspaceOptions::default())?;
    let terms = Terms::default();
    let mut drawn = Vec::new();
    text::draw(&mut drawn, &comparisons, (20, None), &terms)?;
    let (verdict, code) = match gate.check(&comparisons)? {
        GateResult::Passed { uncertain } => (passed(&gate, &uncertain, &terms), 0),
        GateResult::Broken(limit) => (broken(&limit, &terms), 1),
        GateResult::Unjudged(limit) => (unjudged(&limit, &terms), 5),
    };
    Ok((format!("{}\n{verdict}\n", String::from_utf8(drawn)?), code))
}
