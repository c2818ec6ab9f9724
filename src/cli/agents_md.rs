//! `--agents-md`: a Markdown guide for scripts and agents, generated from the declarations of commands, tables and
//! views.

use super::profile;
use crate::engine::function_docs;

/// Returns the guide.
pub fn guide() -> String {
    let mut text = String::from(INTRODUCTION);
    text.push_str("\n## Commands\n\n| command | takes | prints, as JSON lines |\n|---|---|---|\n");
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
    text.push_str("\n## Tables\n\nEvery record of a file, by family; `ireescope tables NAME` lists the columns.\n\n");
    for table in schemas::all() {
        text.push_str(&format!("- `{}`: {}\n", table.name, table.row));
    }
    text.push_str("\n## Views\n\n");
    for view in sql::all().iter().filter(|view| view.kind == sql::Kind::View) {
        text.push_str(&format!("- `{}`: {}\n", view.name, view.header().doc));
    }
    text.push_str("\n## Functions\n\nBeside DataFusion's own:\n\n");
    for (call, doc) in function_docs() {
        text.push_str(&format!("- `{call}`: {doc}\n"));
    }
    text
}

const INTRODUCTION: &str = "\
# ireescope, for those who script it

`ireescope COMMAND [FLAGS] BUNDLE…` reads `.ireeprof` bundles of IREE's HAL. Results go to standard output, all else to
standard error. Exit codes: 0 success, 1 negative result, 2 usage error, 3 invalid input, 4 environment error.

- `--format=jsonl` prints one JSON object a line. Its key `type` says what the line is; the keys of a type and their order
  never vary, but for those marked as optional. With several bundles open every line also names its `bundle`.
- The same rows are relations: `ireescope sql -c 'SELECT * FROM report.<type>' BUNDLE`.
- Without `--format` a command prints text for people, whose layout may change: do not parse it.
- `--filter=PATTERN` keeps names that match: `*` is any run of letters, `?` is one.
- `--id=N` keeps one thing: an event (`dispatch`), an executable (`executable`), a command buffer (`command`), a
  submission (`queue`), an allocation (`memory`), a sample or what it is of (`counter`).
- Flags may precede or follow the command, with dashes or underscores.
- Times of the device are in its own ticks and, where its clock could be fitted to the host's, also in nanoseconds
  (`clock_fit_available`). Times of the host are in nanoseconds of IREE's host clock. The two are different clocks.
- Ask `ireescope summary` first: it says whether the capture is whole and what it holds.
- `ireescope doctor --format=jsonl BUNDLE` says what is wrong with a capture and exits with 1 where that is an error; `ireescope
  gaps --format=jsonl --for=QUESTION BUNDLE` says whether it answers a question, and if not, what would capture the answer
  (`--check` exits with 1). Both always name the `bundle`.
- `ireescope bench run` measures single dispatches; its results are rows of `dispatch_runs` once its folder is opened
  (`ireescope sql -c '…' DIR`), or JSON lines of the same keys with `--output=FILE.jsonl`.
- Whatever the commands do not answer, SQL does: `ireescope sql -c '…' --format=jsonl BUNDLE`.
";

const ROWS: &str = "
## Rows

What the keys of each type mean, in order.
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
