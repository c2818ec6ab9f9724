//! `--agents-md`: a Markdown guide for scripts and agents, generated from the declarations of commands, tables and
//! views.

use super::profile;
use crate::engine::function_docs;

/// Returns the guide.
pub fn guide() -> String {
    let mut text = String::from(INTRODUCTION);
    text.push_str(
        "\n## Commands\n\n| command | flags | types of its JSON lines |\n|---|---|---|\n",
    );
    for command in profile::all() {
        let reports: Vec<String> =
            command.reports().iter().map(|report| format!("`{report}`")).collect();
        text.push_str(&format!(
            "| `{}` | {} | {} |\n",
            command.name,
            command.flags(),
            reports.join(", ")
        ));
    }
    text.push_str(ROWS);
    for command in profile::all() {
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
    for (call, doc) in function_docs() {
        text.push_str(&format!("- `{call}`: {doc}\n"));
    }
    text
}

const INTRODUCTION: &str = "\
# ireescope for scripts and agents

`ireescope COMMAND [FLAGS] BUNDLE…` reads `.ireeprof` bundles of IREE's HAL. Results are printed to standard output,
everything else to standard error. Exit codes: 0 success, 1 negative result, 2 usage error, 3 invalid input, 4 environment
error.

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
