//! `--agents-md`: a Markdown guide for scripts and agents, generated from the declarations of commands, tables and
//! views. The brief one has what most scripts need; the full one has everything.

use super::flags::of_parameter;
use crate::functions;
use crate::workspace::Command;

/// The views of the brief guide.
const MAIN: [&str; 9] = [
    "dispatches",
    "device_times",
    "functions",
    "invocations",
    "queue_submissions",
    "idle_gaps",
    "transfers",
    "memory_peaks",
    "doctor",
];

/// Returns the brief guide, of at most 8 KB.
pub fn brief() -> String {
    let mut text = String::from(BRIEF);
    for name in MAIN {
        let Some(view) = sql::find(sql::Kind::View, name) else { continue };
        let header = view.header();
        let doc = header.doc.split_inclusive(". ").next().unwrap_or_default().trim();
        let columns: Vec<&str> = header.columns.iter().map(|column| column.name.as_str()).collect();
        text.push_str(&format!("- `{name}`: {doc}\n  {}\n", columns.join(" ")));
    }
    text + JOINS
}

/// Returns the flags that a command accepts.
fn flags(command: &Command) -> String {
    let names: Vec<String> = command
        .accepted()
        .iter()
        .map(|parameter| format!("`{}`", of_parameter(*parameter)))
        .collect();
    names.join(", ")
}

/// Returns the full guide.
pub fn full() -> String {
    let mut text = String::from(INTRODUCTION);
    text.push_str(
        "\n## Commands\n\n| command | flags | types of its JSON lines |\n|---|---|---|\n",
    );
    for command in Command::all() {
        let reports: Vec<String> =
            command.reports().iter().map(|report| format!("`{report}`")).collect();
        text.push_str(&format!(
            "| `{}` | {} | {} |\n",
            command.name,
            flags(command),
            reports.join(", ")
        ));
    }
    text.push_str(ROWS);
    for command in Command::all() {
        text.push_str(&format!("\n### {}\n", command.name));
        for name in command.reports() {
            text.push_str(&report(name));
        }
    }
    text.push_str("\n## Tables\n\nThe records of a file by family; `ireescope tables NAME` lists the columns.\n\n");
    for table in schemas::all() {
        text.push_str(&format!("- `{}`: {}\n", table.name, table.row));
    }
    text.push_str("\n## Views\n\n");
    for view in sql::all().iter().filter(|view| view.kind == sql::Kind::View) {
        text.push_str(&format!("- `{}`: {}\n", view.name, view.header().doc));
    }
    text.push_str("\n## Functions\n\nIn addition to DataFusion's functions:\n\n");
    for (call, doc) in functions::docs() {
        text.push_str(&format!("- `{call}`: {doc}\n"));
    }
    text
}

const BRIEF: &str = "\
# ireescope for scripts and agents

`ireescope COMMAND [FLAGS] BUNDLE…` reads `.ireeprof` bundles of IREE's HAL: files, globs, folders, capture sets, or
NAME=PATH. Results go to standard output, everything else to standard error. `ireescope --agents-md=full` prints the
types of all JSON lines, all tables, views and functions; `ireescope tables NAME` documents one of them.

Exit codes: 0 success, 1 negative result (a check failed), 2 wrong usage or SQL, 3 a bundle cannot be read, 4 the
environment failed (a tool is missing, a file cannot be written), 5 no verdict (nothing to judge or to compare with, or not
comparable), 130 Ctrl-C. An error is one line that says what to do.

## Recipes

1. Is the capture usable? `ireescope doctor --format=jsonl B` (exit 1: a problem); `ireescope gaps --check --for=QUESTION
   B` (exit 1: it cannot answer, and the output says which command captures the answer).
2. Where did the time go? `ireescope top --format=jsonl B` (`--by=op`, `--sort=tail`, `--filter=PATTERN`); `ireescope
   explain B` names bottlenecks, each with the SQL for its figures.
3. Anything else: `ireescope sql --format=jsonl -c 'SELECT …' B`. Several bundles: filter or group by `bundle`.
4. A condition in CI: `ireescope sql --check -c 'SELECT … WHERE …' B` exits with 1 if there are rows; `-v NAME=VALUE`
   sets `$NAME`.
5. For other tools: `ireescope export --format=parquet -o DIR B…` (open DIR again like a bundle, or with DuckDB),
   `--format=ireeperf-jsonl`, or `ireescope render -o trace.pftrace B` for the Perfetto viewer.
6. Record: `ireescope capture --for=QUESTION -o SET -- TOOL ARGS` (the tools are IREE's, such as `iree-benchmark-module`).
   What a capture cannot answer: `ireescope fill B --for=QUESTION`, with `-- TOOL ARGS` if it does not know its command.
7. Did a change help? `ireescope compare base='a-*.ireeprof' new='b-*.ireeprof' --fail-on=slower:2%`, or, measured in turns
   until it is decided, `ireescope race -o SET -- TOOL ARGS --vs TOOL ARGS`. Over time: `ireescope history add DIR B…
   --commit=ID`, `history accept DIR`, `history check DIR --fail-on=total:2%`, `history drift DIR`.
8. Make it faster: `ireescope spec knobs MODEL.mlir --profile=B` (what the compiler chose), `spec write MODEL.mlir
   --dispatch=NAME --set=KNOB=VALUE -o SPEC`, `spec verify SPEC MODEL.mlir`; `ireescope tune MODEL.mlir -- TOOL ARGS`
   searches and proves.

The commands of `iree-profile` (summary explain dispatch executable command queue memory counter statistics att cat) print
its lines byte for byte with `--format=jsonl`; each line `{\"type\":\"T\",…}` is a row of `report.T` in SQL. Text output is
for people: do not parse it.

## SQL

Close to PostgreSQL (Apache DataFusion), answers as DuckDB's. `/` is a DOUBLE, `//` divides integers, sums fail on
overflow, absent is NULL. `_ns` are signed nanoseconds, `_ticks` of the device's clock, `_bytes` bytes. Percentiles:
`quantile_cont(x, 0.9)`. What is not supported is refused with what to write instead; docs/sql.md has the page.

- `dispatches` has a row per dispatch and clock (`timing_source` device or host): never add up both. `device_times` has
  one clock per device and can be added up.
- Slow first invocations are marked `is_warmup`; leave them out for steady state: `WHERE NOT is_warmup`.
- `op_kind(key)`, `op_shape(key)`, `dtype(key)`, `flops(key)`, `bytes(key)` tell what a function computes.

## Views and their columns

";

const JOINS: &str = "
## Joins

`invocation` joins on `bundle`. Everything else joins on `bundle` and `session_id`, then on what both have:
`physical_device_ordinal`, `queue_ordinal`, `stream_id` and `submission_id` (queues, dispatches), `key` (functions),
`executable_id` and `function_ordinal` (metadata), `command_buffer_id` and `command_index` (operations).
";

const INTRODUCTION: &str = "\
# ireescope for scripts and agents

`ireescope COMMAND [FLAGS] BUNDLE…` reads `.ireeprof` bundles of IREE's HAL. Results are printed to standard output,
everything else to standard error. Exit codes: 0 success, 1 negative result, 2 usage error, 3 invalid input, 4 environment
error, 5 no verdict (nothing to judge or to compare with, or not comparable), 130 Ctrl-C.

- `--format=jsonl` prints one JSON object per line. Its key `type` is the type of the line; the keys of a type and their
  order are fixed, except for keys that are marked as optional. With several bundles, every line also has a key `bundle`.
- The same rows are relations: `ireescope sql -c 'SELECT * FROM report.<type>' BUNDLE`.
- Without `--format`, a command prints text for people. Its layout may change: do not parse it.
- `--filter=PATTERN` selects names that match: `*` matches any characters, `?` matches one.
- `--id=N` selects an event (`dispatch`), an executable (`executable`), a command buffer (`command`), a submission
  (`queue`), an allocation (`memory`), or counter samples by sample, dispatch, submission or command buffer (`counter`).
- Flags may precede or follow the command, with dashes or underscores.
- Times of the device are in device ticks and, if the device has a clock fit (`clock_fit_available`), also in nanoseconds.
  Times of the host are in nanoseconds of IREE's host clock. The two are different clocks.
- Start with `ireescope summary`: it reports whether the capture is complete and what it contains.
- `ireescope doctor --format=jsonl BUNDLE` reports problems of a capture; the exit code is 1 if there is an error.
  `ireescope gaps --format=jsonl --for=QUESTION BUNDLE` reports whether a capture answers a question, and if not, the
  command that captures the answer (with `--check`, the exit code is then 1). Lines of both always have the key `bundle`.
- `ireescope bench run` measures single dispatches. Its results are rows of `dispatch_runs` if its folder is opened
  (`ireescope sql -c '…' DIR`), or JSON lines with the same keys with `--output=FILE.jsonl`.
- For all other questions, use SQL: `ireescope sql -c '…' --format=jsonl BUNDLE`.
";

const ROWS: &str = "
## Rows

The keys of each type, in order.
";

fn report(name: &str) -> String {
    let Some(report) = sql::report(name) else { return String::new() };
    let mut text = format!("\n#### {name}\n\n{}\n\n", report.header().doc);
    for column in report
        .header()
        .columns
        .iter()
        .filter(|column| !column.print.hidden && column.name != "bundle")
    {
        let unit =
            if column.unit.is_empty() { String::new() } else { format!(" [{}]", column.unit) };
        let optional = if column.print.optional { " Optional." } else { "" };
        text.push_str(&format!("- `{}`{unit}: {}{optional}\n", column.name, column.doc));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_brief_guide_is_brief() {
        let brief = brief();
        assert!(brief.len() <= 8192, "{} bytes", brief.len());
        for name in MAIN {
            assert!(brief.contains(&format!("- `{name}`: ")), "{name}");
        }
    }
}
