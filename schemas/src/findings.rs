//! What there may be to find about a capture, in words: what is so, what shows it, and what to do.
//!
//! A new finding is a [`Finding`] in [`FINDINGS`]; `src/fold/health/findings.rs` finds it.

/// A kind of finding.
///
/// Its texts have places for what was found: `{count}` of it, `{total}` of which, the `{table}` that it is in, its
/// `{session}` and `{device}`, `{detail}` in words, and `{first}`, which says that it is one of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    pub name: &'static str,
    pub what: &'static str,
    /// The rows that show it: what a query that begins `SELECT * FROM` goes on with; nothing where there is nothing more to
    /// see.
    pub evidence: &'static str,
    /// What to do about it; nothing where there is nothing to do.
    pub advice: &'static str,
}

/// A problem of the file, which has words already.
const PROBLEM: Finding = Finding {
    name: "",
    what: "{detail}{first}",
    evidence: "problems WHERE kind = '{finding}'",
    advice: "",
};

const CLOCK: Finding = Finding {
    name: "unfitted_clock",
    what: "times of device {device} stay in ticks: {detail} (events: {count})",
    evidence: "clock_fits WHERE physical_device_ordinal = {device}",
    advice: "compare ticks with each other, not with the host; a longer capture gathers more correlations",
};

const NEWER: &str = "a newer version of ireescope may know it";

/// Every kind of finding but problems that have no words of their own.
pub const FINDINGS: &[Finding] = &[
    Finding {
        name: "lost_bundle",
        what: "the capture set names {detail}, and it is not there",
        evidence: "runs",
        advice: "copy it back into the set, or capture again: ireescope gaps names the command",
    },
    Finding {
        name: "nothing_recorded",
        what: "none of the capture set's runs recorded anything{detail}",
        evidence: "runs",
        advice: "ireescope gaps says what can be had of this device",
    },
    Finding {
        name: "failed_run",
        what: "{detail}; what it had recorded is here",
        evidence: "runs WHERE outcome = 'failed'",
        advice: "see what the tool printed, in the set's folder, and capture again",
    },
    Finding {
        name: "unrecorded_run",
        what: "{detail}{first}",
        evidence: "runs WHERE bundle IS NULL",
        advice: "see what the tool printed, in the set's folder",
    },
    Finding {
        name: "refused_run",
        what: "{detail}{first}",
        evidence: "runs WHERE bundle IS NULL",
        advice: "",
    },
    Finding {
        name: "cut_run",
        what: "{detail}; what it had recorded is here",
        evidence: "runs WHERE outcome IN ('time_limit', 'interrupted', 'running')",
        advice: "capture again and let the tool end; ireescope gaps names the command",
    },
    Finding {
        name: "filtered_run",
        what: "heavy records are {detail}",
        evidence: "runs WHERE command LIKE '%--device_profiling_filter_%'",
        advice: "sums are of what the filters left; ireescope fill captures the rest without them",
    },
    Finding {
        name: "unfinished",
        advice: "what was recorded before is here; let the tool end by itself, and where it cannot, lose less with --device_profiling_flush_interval_ms=N",
        ..PROBLEM
    },
    Finding {
        name: "cut_record",
        advice: "capture again, or copy the file again: its end is missing",
        ..PROBLEM
    },
    Finding {
        name: "cut_gzip",
        advice: "copy or compress the file again: its end is missing",
        ..PROBLEM
    },
    Finding {
        name: "damaged_chunk",
        advice: "copy the file again, or capture again; commands that read this chunk refuse the bundle",
        ..PROBLEM
    },
    Finding {
        name: "open_session",
        advice: "the tool did not end its profiling session; capture again and let it end",
        ..PROBLEM
    },
    Finding {
        name: "repeated_session",
        advice: "ask for one session at a time, by the offsets of its records",
        ..PROBLEM
    },
    Finding { name: "unknown_record", advice: NEWER, ..PROBLEM },
    Finding {
        name: "empty_bundle",
        what: "nothing was recorded: the file is its header of {total} bytes",
        evidence: "bundles",
        advice: "see what the tool printed: a driver that refuses one of the modes leaves such a file; capture with fewer",
    },
    Finding {
        name: "unknown_chunk",
        what: "chunks of a kind that this version does not know: {count}",
        evidence: "records WHERE record_type = 'chunk' AND family IS NULL",
        advice: NEWER,
    },
    Finding {
        name: "failed_session",
        what: "sessions that failed: {detail}",
        evidence: "sessions WHERE status_code <> 0",
        advice: "see what the tool printed; what was recorded before is here",
    },
    Finding {
        name: "lost_records",
        what: "the producer lost {table}: {detail} dropped, chunks truncated: {total}",
        evidence: "records WHERE {family} AND (flag_truncated OR dropped_record_count > 0)",
        advice: "record less at a time: fewer modes, --device_profiling_filter_function=PATTERN, or --device_profiling_flush_interval_ms=N",
    },
    Finding {
        name: "no_events",
        what: "sessions and devices were recorded, but no event of any kind",
        evidence: "recorded_modes",
        advice: "the modes were not recorded, or nothing ran while it was profiled: ask for other modes (ireescope gaps), and look whether a filter left all out",
    },
    Finding {
        name: "no_dispatches",
        what: "work that runs code was queued (operations: {count}), but {detail}",
        evidence: "queue_events WHERE type IN ('dispatch', 'execute')",
        advice: "capture with dispatch-events (GPUs) or host-execution (CPUs): ireescope gaps --for kernel-time names the command",
    },
    Finding { name: "no_clock", evidence: "clock_correlations", ..CLOCK },
    Finding { name: "unaligned_clock", ..CLOCK },
    CLOCK,
    Finding {
        name: "invalid_events",
        what: "of {total} {table}, {count} cannot be timed: they have no start, or end before it",
        evidence: "{table} WHERE {untimed}",
        advice: "reports leave them out of all sums; where there are many, tell the driver's developers",
    },
    Finding {
        name: "missing_metadata",
        what: "{table} of session {session} refer to what no record describes: {detail}",
        evidence: "missing_metadata WHERE \"table\" = '{table}'",
        advice: "commands that need it refuse the bundle, as iree-profile does; top and SQL read it. Capture again from the beginning of the session, with executable-metadata for functions",
    },
    Finding {
        name: "recorded",
        what: "recorded: {detail}",
        evidence: "recorded_modes",
        advice: "",
    },
    Finding {
        name: "not_recorded",
        what: "{detail}",
        evidence: "recorded_modes",
        advice: "ireescope gaps names the commands that would capture it",
    },
    Finding { name: "answers", what: "answers: {detail}", evidence: "", advice: "" },
];

/// What was found, for the places in texts.
#[derive(Debug, Default)]
pub struct Found {
    pub count: u64,
    pub total: Option<u64>,
    pub table: Option<&'static str>,
    pub session: Option<u64>,
    pub device: Option<u64>,
    pub detail: String,
}

impl Finding {
    /// The kind of this name; of a problem, where it is not declared.
    pub fn of(name: &'static str) -> Self {
        let declared = FINDINGS.iter().find(|known| known.name == name).copied();
        declared.unwrap_or(Self { name, ..PROBLEM })
    }

    /// What is so.
    pub fn what(&self, found: &Found) -> String {
        self.filled(self.what, found)
    }

    /// The query that shows it, where there is more to see.
    pub fn evidence(&self, found: &Found) -> Option<String> {
        let rows = self.filled(self.evidence, found);
        (!rows.is_empty()).then(|| format!("SELECT * FROM {rows}"))
    }

    /// A text with what was found in its places.
    fn filled(&self, text: &str, found: &Found) -> String {
        let mut filled = String::new();
        // What was found may have braces of its own, so it is never looked through.
        for part in text.split('{') {
            match part.split_once('}') {
                Some(("finding", rest)) => filled.extend([self.name, rest]),
                Some((place, rest)) => filled.extend([&*found.at(place), rest]),
                None => filled.push_str(part),
            }
        }
        filled
    }
}

impl Found {
    fn at(&self, place: &str) -> String {
        let number = |number: Option<u64>| number.map_or("none".to_owned(), |it| it.to_string());
        match place {
            "count" => self.count.to_string(),
            "total" => number(self.total),
            "session" => number(self.session),
            "device" => number(self.device),
            "table" => self.table.unwrap_or("records of an unknown kind").to_owned(),
            "family" => match self.table {
                Some(table) => format!("family = '{table}'"),
                None => "family IS NULL".to_owned(),
            },
            "untimed" => match self.table {
                Some("dispatch_events" | "queue_device_events") => {
                    "start_tick = 0 OR end_tick < start_tick".to_owned()
                }
                _ => "start_host_time_ns < 0 OR end_host_time_ns < start_host_time_ns".to_owned(),
            },
            "first" if self.count > 1 => format!("; the first of {}", self.count),
            "first" => String::new(),
            _ => self.detail.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_known_and_what_is_found_is_left_as_it_is() {
        let known = [
            "finding", "count", "total", "session", "device", "table", "family", "untimed",
            "first", "detail",
        ];
        for finding in FINDINGS.iter().chain([&PROBLEM]) {
            for text in [finding.what, finding.evidence] {
                for part in text.split('{').skip(1) {
                    let place = part.split_once('}').map(|(place, _)| place);
                    assert!(place.is_some_and(|place| known.contains(&place)), "{text}");
                }
            }
        }
        let found = Found { count: 2, detail: "{count} of }{".into(), ..Found::default() };
        let unknown = Finding::of("of_a_newer_version");
        assert_eq!(unknown.what(&found), "{count} of }{; the first of 2");
        let evidence = "SELECT * FROM problems WHERE kind = 'of_a_newer_version'";
        assert_eq!(unknown.evidence(&found).as_deref(), Some(evidence));
        assert_eq!(Finding::of("answers").evidence(&found), None);
    }
}
