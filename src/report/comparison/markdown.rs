//! The Markdown of a comparison, short enough for a comment on a pull request, with all functions folded.

use std::io::{self, Write};

use model::compare::{Comparison, Verdict};

use super::figures::{float, signed};
use super::remarks::remarks;
use super::terms::Terms;
use super::text::{
    marked_change, shown_function, shown_interval, shown_verdict, sides, signs, sums, verdict,
};
use crate::text::{counted, duration};

/// Writes the comparisons, each with at most `limit` functions.
pub fn draw(
    out: &mut dyn Write,
    all: &[Comparison],
    limit: usize,
    terms: &Terms,
) -> io::Result<()> {
    for compared in all {
        writeln!(out, "**{}**\n", escaped(&verdict(compared)))?;
        writeln!(out, "{}\n", escaped(&sides(compared)))?;
        for remark in remarks(compared, terms) {
            writeln!(out, "{}\n", escaped(&remark))?;
        }
        let functions = compared.functions();
        let different = functions.iter().filter(|it| {
            !matches!(it.verdict, Verdict::Same | Verdict::Ambiguous | Verdict::NotComparable)
        });
        let changed = counted(different.count() as u64, "function");
        let all = counted(functions.len() as u64, "function");
        writeln!(out, "<details><summary>{changed} of {all} changed</summary>\n")?;
        writeln!(out, "| verdict | change | 95 % interval | delta | base | new | function |")?;
        writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | --- |")?;
        for function in functions.iter().take(limit) {
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} |",
                shown_verdict(function),
                escaped(&marked_change(function)),
                shown_interval(function),
                signed(function.delta_ns()),
                duration(float(function.base_ns)),
                duration(float(function.new_ns)),
                escaped(&shown_function(function))
            )?;
        }
        let left = functions.len().saturating_sub(limit);
        if left > 0 {
            writeln!(out, "\n… and {}", counted(left as u64, "more function"))?;
        }
        if let Some(note) = signs(compared, limit, terms) {
            writeln!(out, "\n{}", escaped(&note))?;
        }
        writeln!(out, "\n{}\n\n</details>", escaped(&sums(compared)))?;
    }
    Ok(())
}

/// Escapes what Markdown would take for markup.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' => escaped.extend(['\\', letter]),
            '\n' => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
