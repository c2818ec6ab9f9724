//! Reads the columns of `runs` from the manifest of a capture set.

use serde_json::Value;

use crate::bundle::Bundle;
use crate::bundle::set::{Process, Run, SetRun, shell_words};

/// Returns the value of a column for a run; `None` if there is no such column. The bundle is NULL if the run recorded
/// nothing.
pub fn run(bundle: &Bundle, set_run: &SetRun, column: &str) -> Option<Value> {
    let SetRun { folder, run } = set_run;
    Some(match column {
        "bundle" => run.bundle.as_ref().map(|_| bundle.label.as_str()).into(),
        "capture_set" => folder.display().to_string().into(),
        "run" => run.name.as_str().into(),
        "outcome" => run.outcome.name().into(),
        "side" => run.side.as_deref().into(),
        "questions" => run.questions.join(",").into(),
        "asked" => run.asked.join(",").into(),
        "got" => run.got.join(",").into(),
        "refused" => refused(run).into(),
        "counters" => unless_empty(run.counters.join(",")).into(),
        _ => match &run.process {
            Some(process) => of_process(process, column)?,
            None => Value::Null,
        },
    })
}

fn unless_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn refused(run: &Run) -> Option<String> {
    let refused = run.refused.iter().map(|refused| {
        let counter = refused.counter.as_ref().map_or(String::new(), |name| format!(" {name}"));
        format!("{}{counter}: {}", refused.mode, refused.reason)
    });
    let filters = run.filters_refused.iter().map(|reason| format!("filters: {reason}"));
    unless_empty(refused.chain(filters).collect::<Vec<_>>().join("\n"))
}

fn of_process(process: &Process, column: &str) -> Option<Value> {
    let Process { tool, host, .. } = process;
    Some(match column {
        "tool" => tool.name.as_str().into(),
        "tool_version" => tool.version.as_deref().into(),
        "tool_revision" => tool.revision.as_deref().into(),
        "compiler_version" => tool.compiler_version.as_deref().into(),
        "device" => process.device.as_deref().into(),
        "command" => unless_empty(shell_words(process.ran.iter().map(String::as_str))).into(),
        "directory" => process.directory.display().to_string().into(),
        "module_sha256" => {
            let digests = process.inputs.iter().map(|input| input.sha256.as_str());
            unless_empty(digests.collect::<Vec<_>>().join(",")).into()
        }
        "os" => host.os.as_str().into(),
        "kernel" => host.kernel.as_deref().into(),
        "arch" => host.arch.as_str().into(),
        "cpu" => host.cpu.as_deref().into(),
        "cores" => host.cores.into(),
        "memory_bytes" => host.memory_bytes.into(),
        "external" => {
            let made = process.external.iter().map(|it| format!("{}: {}", it.provider, it.path));
            unless_empty(made.collect::<Vec<_>>().join("\n")).into()
        }
        "environment" => serde_json::to_string(&process.environment).ok().into(),
        "started" => process.started.as_str().into(),
        "duration_ns" => process.duration_ns.into(),
        "other_cpu_ns" => process.other_cpu_ns.into(),
        "cpu_hz" => process.cpu_hz.into(),
        "wall_ns" => process.benchmark.as_ref().map(|it| it.wall_ns).into(),
        "cpu_ns" => process.benchmark.as_ref().map(|it| it.cpu_ns).into(),
        "iterations" => process.benchmark.as_ref().map(|it| it.iterations).into(),
        "items" => items(process).into(),
        // The engine counts them.
        "calls" => Value::Null,
        "exit_code" => process.exit_code.into(),
        "signal" => process.signal.into(),
        _ => return None,
    })
}

/// Returns the number of items of a benchmark that counts them: its iterations.
fn items(process: &Process) -> Option<u64> {
    let counts = ["iree-benchmark-module", "iree-benchmark-executable"];
    let counted = process.benchmark.as_ref().filter(|_| counts.contains(&&*process.tool.name));
    counted.map(|benchmark| benchmark.iterations)
}
