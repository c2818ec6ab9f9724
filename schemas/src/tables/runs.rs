//! Runs of the capture sets that are open.

use crate::fields::{derived};
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `runs`.
pub static TABLE: Table = Table {
    name: "runs",
    row: "One run of a tool in an open capture set, as its manifest tells; `bundle` is NULL where the run recorded nothing.",
    source: Source::Directory,
    repeated: &[],
    fields: &[
        derived("capture_set", Kind::Text, "Folder of the capture set."),
        derived("run", Kind::Text, "Name of the run within the set."),
        derived("outcome", Kind::Text, "`captured`, `given` (the bundle was captured elsewhere), `empty` (the tool recorded nothing), `refused`, `failed`, `time_limit`, `interrupted`, `passed` (no profile was asked for) or `running` (ireescope was ended before the tool)."),
        derived("questions", Kind::Text, "Questions that the run was to answer, with commas between."),
        derived("asked", Kind::Text, "Modes that were asked for at first, with commas between."),
        derived("got", Kind::Text, "Modes of which the bundle holds records, with commas between."),
        derived("refused", Kind::Text, "Modes and counters that were asked for and not had, each with the reason in the words of who refused; NULL where there are none."),
        derived("counters", Kind::Text, "Hardware counters that were asked for, with commas between; NULL where there are none."),
        derived("tool", Kind::Text, "Name of the tool."),
        derived("tool_version", Kind::Text, "Its version; NULL where it does not say."),
        derived("tool_revision", Kind::Text, "Revision of IREE's sources that it was built from; NULL where it does not say."),
        derived("compiler_version", Kind::Text, "Version of the compiler that is installed beside it; NULL where there is none."),
        derived("device", Kind::Text, "The tool's `--device`, with commas between several; NULL where it was given none."),
        derived("command", Kind::Text, "The command line that ran, quoted for a shell."),
        derived("directory", Kind::Text, "Folder that it ran in."),
        derived("module_sha256", Kind::Text, "Digests of the modules and replays that ran, with commas between; NULL where none is known."),
        derived("os", Kind::Text, "Operating system."),
        derived("kernel", Kind::Text, "Its kernel; NULL where it is not known."),
        derived("arch", Kind::Text, "Architecture of the machine."),
        derived("cpu", Kind::Text, "Model of the machine's processor; NULL where it is not known."),
        derived("cores", Kind::U64, "Threads that the machine runs at once."),
        derived("memory_bytes", Kind::U64, "Memory of the machine; NULL where it is not known.").unit(Unit::Bytes),
        derived("external", Kind::Text, "What an external profiler made, as PROVIDER: PATH, a line each; NULL where none was asked for."),
        derived("environment", Kind::Text, "Variables that matter, as a JSON object."),
        derived("started", Kind::Text, "When it started (RFC 3339)."),
        derived("duration_ns", Kind::U64, "How long the tool ran.").unit(Unit::Ns),
        derived("exit_code", Kind::U32, "Exit code; NULL where a signal ended it."),
        derived("signal", Kind::U32, "Signal that ended it; NULL where none did."),
    ],
};
