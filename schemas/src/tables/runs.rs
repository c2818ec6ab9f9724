//! Runs of the capture sets that are open.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `runs`.
pub static TABLE: Table = Table {
    name: "runs",
    row: "One run of a tool in an open capture set, from its manifest; `bundle` is NULL if the run recorded nothing.",
    source: Source::Directory,
    repeated: &[],
    fields: &[
        derived("capture_set", Kind::Text, "Folder of the capture set."),
        derived("run", Kind::Text, "Name of the run within the set."),
        derived("outcome", Kind::Text, "Outcome: `captured`, `given` (the bundle was captured elsewhere), `empty` (the tool recorded nothing), `refused`, `failed`, `time_limit`, `interrupted`, `passed` (no profile was requested) or `running` (ireescope was terminated before the tool)."),
        derived("side", Kind::Text, "Side of a race that it is a run of: `base` or `new`; NULL for other runs, such as those that warm up."),
        derived("questions", Kind::Text, "Questions of the run, comma-separated."),
        derived("asked", Kind::Text, "Modes that were initially requested, comma-separated."),
        derived("got", Kind::Text, "Modes with records in the bundle, comma-separated."),
        derived("refused", Kind::Text, "Requested modes and counters without records, each with the reason (the message of the driver or tool); NULL if there are none."),
        derived("counters", Kind::Text, "Requested hardware counters, comma-separated; NULL if there are none."),
        derived("tool", Kind::Text, "Name of the tool."),
        derived("tool_version", Kind::Text, "Version of the tool; NULL if unknown."),
        derived("tool_revision", Kind::Text, "Source revision of IREE from which the tool was built; NULL if unknown."),
        derived("compiler_version", Kind::Text, "Version of the compiler installed with the tool; NULL if there is none."),
        derived("device", Kind::Text, "Values of the tool's `--device`, comma-separated; NULL if not given."),
        derived("command", Kind::Text, "Command line of the run, quoted for a shell."),
        derived("directory", Kind::Text, "Working directory of the run."),
        derived("module_sha256", Kind::Text, "Digests of the modules and replays, comma-separated; NULL if none is known."),
        derived("os", Kind::Text, "Operating system."),
        derived("kernel", Kind::Text, "Kernel of the operating system; NULL if unknown."),
        derived("arch", Kind::Text, "Architecture of the machine."),
        derived("cpu", Kind::Text, "Model of the processor; NULL if unknown."),
        derived("cores", Kind::U64, "Number of hardware threads of the machine."),
        derived("memory_bytes", Kind::U64, "Memory of the machine; NULL if unknown.").unit(Unit::Bytes),
        derived("external", Kind::Text, "Files of external profilers, as one line PROVIDER: PATH each; NULL if none was requested."),
        derived("environment", Kind::Text, "Environment variables that affect the run, as a JSON object."),
        derived("started", Kind::Text, "Start time (RFC 3339)."),
        derived("duration_ns", Kind::U64, "Duration of the run.").unit(Unit::Ns),
        derived("other_cpu_ns", Kind::U64, "Processor time of other processes during the run; NULL if unknown.").unit(Unit::Ns),
        derived("cpu_hz", Kind::U64, "Clock of the fastest processor during the run, on average; NULL if unknown."),
        derived("wall_ns", Kind::U64, "Wall time of an iteration, as a benchmark tool measured it while this run recorded: the mean over its repetitions; NULL for other tools, several functions, or a stopped run.").unit(Unit::Ns),
        derived("cpu_ns", Kind::U64, "CPU time of an iteration, likewise.").unit(Unit::Ns),
        derived("iterations", Kind::U64, "Number of iterations that the benchmark tool timed in all its repetitions; NULL like `wall_ns`."),
        derived("exit_code", Kind::U32, "Exit code; NULL if a signal terminated the tool."),
        derived("signal", Kind::U32, "Signal that terminated the tool; NULL if none did."),
    ],
};
