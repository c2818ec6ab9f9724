//! Reads the columns of `runs` from the manifest of a capture set.

use crate::bundle::set::{Process, Run, SetRun, shell_words};

/// A value of a row.
pub enum Fact {
    Number(Option<u64>),
    Text(Option<String>),
}

/// Returns the value of a column for a run.
pub fn fact(run: &SetRun, column: &str) -> Fact {
    let SetRun { folder, run } = run;
    let text = |text: &str| Fact::Text(Some(text.to_owned()));
    match column {
        "capture_set" => Fact::Text(Some(folder.display().to_string())),
        "run" => text(&run.name),
        "outcome" => text(run.outcome.name()),
        "questions" => text(&run.questions.join(",")),
        "asked" => text(&run.asked.join(",")),
        "got" => text(&run.got.join(",")),
        "refused" => Fact::Text(refused(run)),
        "counters" => Fact::Text(some(run.counters.join(","))),
        "cores" | "memory_bytes" | "duration_ns" | "exit_code" | "signal" => {
            Fact::Number(run.process.as_ref().and_then(|process| number(process, column)))
        }
        _ => Fact::Text(run.process.as_ref().and_then(|process| word(process, column))),
    }
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn refused(run: &Run) -> Option<String> {
    let refused = run.refused.iter().map(|refused| {
        let counter = refused.counter.as_ref().map_or(String::new(), |name| format!(" {name}"));
        format!("{}{counter}: {}", refused.mode, refused.reason)
    });
    let filters = run.filters_refused.iter().map(|reason| format!("filters: {reason}"));
    some(refused.chain(filters).collect::<Vec<_>>().join("\n"))
}

fn number(process: &Process, column: &str) -> Option<u64> {
    match column {
        "cores" => Some(process.host.cores),
        "memory_bytes" => process.host.memory_bytes,
        "duration_ns" => Some(process.duration_ns),
        "exit_code" => process.exit_code.and_then(|code| u64::try_from(code).ok()),
        _ => process.signal.and_then(|signal| u64::try_from(signal).ok()),
    }
}

fn word(process: &Process, column: &str) -> Option<String> {
    match column {
        "tool" => Some(process.tool.name.clone()),
        "tool_version" => process.tool.version.clone(),
        "tool_revision" => process.tool.revision.clone(),
        "directory" => Some(process.directory.display().to_string()),
        "kernel" => process.host.kernel.clone(),
        "external" => {
            let made = process.external.iter();
            some(
                made.map(|it| format!("{}: {}", it.provider, it.path))
                    .collect::<Vec<_>>()
                    .join("\n"),
            )
        }
        "compiler_version" => process.tool.compiler_version.clone(),
        "device" => process.device.clone(),
        "command" => some(shell_words(process.ran.iter().map(String::as_str))),
        "module_sha256" => {
            let digests: Vec<&str> =
                process.inputs.iter().map(|input| input.sha256.as_str()).collect();
            some(digests.join(","))
        }
        "os" => Some(process.host.os.clone()),
        "arch" => Some(process.host.arch.clone()),
        "cpu" => process.host.cpu.clone(),
        "environment" => serde_json::to_string(&process.environment).ok(),
        _ => Some(process.started.clone()),
    }
}
