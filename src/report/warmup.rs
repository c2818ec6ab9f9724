//! The line that says what is left out as warm-up.

use std::io::{self, Write};

use base::words::OptionStyle;

use super::rows::Row;
use super::text::{count, counted, duration};

/// Writes how many invocations are left out as warm-up, and how much of the time of the functions that is, if any are given.
pub fn draw(
    out: &mut dyn Write,
    warmup: &[Row<'_>],
    functions: &[Row<'_>],
    options: OptionStyle,
) -> io::Result<()> {
    for row in warmup.iter().filter(|row| row.count("left_out_count") > 0) {
        let (left, all) = (row.count("left_out_count"), row.count("invocation_count"));
        let times = ["device", "host"].into_iter().filter_map(|source| time(functions, source));
        let times = times.collect::<Vec<_>>().join(", ");
        writeln!(
            out,
            "{} of {} left out as warm-up{}{times} ({} includes them)",
            count(left),
            counted(all, "invocation"),
            if times.is_empty() { "" } else { ": " },
            options.spell("option `warmup=keep`")
        )?;
    }
    Ok(())
}

/// Returns the left out and the whole time of a timing source; `None` if nothing of it is left out, or its clock cannot be
/// converted.
fn time(functions: &[Row<'_>], source: &str) -> Option<String> {
    let of_source = functions.iter().filter(|row| row.text("timing_source") == source);
    let sum = |name| of_source.clone().filter_map(|row| row.number(name)).sum::<f64>();
    let left = sum("left_out_ns");
    let all = left + sum("total_ns");
    (left > 0.0).then(|| format!("{} of {} on the {source}", duration(left), duration(all)))
}
