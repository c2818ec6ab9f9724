//! The lines that say what is left out as warm-up.

use std::io::{self, Write};

use super::rows::Row;
use super::text::{count, counted, duration};

/// Writes what is left out as warm-up, one line per timing source.
pub fn draw(out: &mut dyn Write, warmup: &[Row<'_>]) -> io::Result<()> {
    for row in warmup.iter().filter(|row| row.count("left_out_count") > 0) {
        let (left, all) = (row.count("left_out_count"), row.count("invocation_count"));
        let time = |name| row.number(name).map_or_else(|| "unknown time".to_owned(), duration);
        writeln!(
            out,
            "{} of {} left out as warm-up: {} of {} on the {} (--warmup=keep includes them)",
            count(left),
            counted(all, "invocation"),
            time("left_out_ns"),
            time("total_ns"),
            row.text("timing_source")
        )?;
    }
    Ok(())
}
