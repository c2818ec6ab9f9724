//! What there is of each way of answering each question.

use std::collections::BTreeMap;

use arrow::datatypes::DataType::{Boolean, UInt64, Utf8View};
use schemas::drivers::{flags_of_mode, rows_for_question};
use schemas::questions::{Clock as On, MODES, Mode, QUESTIONS, Question, Way};

use super::super::arrays::{flags, numbers, optional_texts, texts};
use super::super::{Clock, Column, Columns};
use super::groups::Group;
use super::modes::{Recorded, State, clockless, is_of, table};

/// The columns of `ways_to_answer`.
pub const COLUMNS: &[Column] = &[
    ("question", Utf8View),
    ("question_position", UInt64),
    ("way", UInt64),
    ("clock", Utf8View),
    ("is_enough", Boolean),
    ("is_begun", Boolean),
    ("is_unsupported", Boolean),
    ("is_fillable", Boolean),
    ("has", Utf8View),
    ("missing", Utf8View),
    ("why", Utf8View),
    ("modes", Utf8View),
    ("flags", Utf8View),
];

/// One way of answering a question.
struct Judged {
    question: &'static Question,
    position: u64,
    way: u64,
    clock: On,
    /// The modes that it needs or profits from, in their order.
    modes: Vec<Part>,
}

/// One mode of a way.
struct Part {
    mode: &'static Mode,
    is_needed: bool,
    /// There are records of it that are of use.
    is_there: bool,
    is_supported: bool,
    /// Another capture may get more of it.
    is_open: bool,
    /// Why there are none of use, or not all.
    reason: Option<String>,
}

/// What is known of the bundle.
struct Known<'a> {
    groups: &'a [Group],
    modes: &'a [Recorded],
    /// Devices whose events of a table stay in ticks.
    clockless: BTreeMap<&'static str, u64>,
}

impl Known<'_> {
    fn ways(&self) -> Vec<Judged> {
        let ways = |(position, question): (u64, &'static Question)| {
            let judged = move |(way, how): (u64, &'static Way)| Judged {
                question,
                position,
                way,
                clock: how.clock,
                modes: self.parts(question.name, how),
            };
            (1..).zip(question.ways).map(judged)
        };
        (1..).zip(QUESTIONS).flat_map(ways).collect()
    }

    fn parts(&self, question: &str, how: &Way) -> Vec<Part> {
        let part = |(mode, recorded): (&'static Mode, &Recorded)| {
            let is_needed = how.needs.contains(&mode.name);
            if !is_needed && !how.helps.contains(&mode.name) {
                return None;
            }
            let wanted = rows_for_question(question, mode.name);
            let of_table = self.groups.iter().filter(|group| group.table == table(mode));
            let is_there = of_table.filter(|group| is_of(group, wanted)).any(|it| it.row_count > 0);
            let may_get_more = recorded.reason.is_some() && !recorded.is_final;
            Some(Part {
                mode,
                is_needed,
                is_there,
                is_supported: recorded.state != State::Unsupported,
                // Ticks that cannot be converted are no better in another capture like it.
                is_open: !is_there || may_get_more,
                reason: self.reason(mode, how.clock, recorded, is_there),
            })
        };
        MODES.iter().zip(self.modes).filter_map(part).collect()
    }

    fn reason(
        &self,
        mode: &Mode,
        clock: On,
        recorded: &Recorded,
        is_there: bool,
    ) -> Option<String> {
        let in_ticks = match clock {
            On::Device => self.clockless.get(table(mode)),
            On::Host | On::None => None,
        };
        if !is_there && recorded.row_count > 0 {
            return Some("recorded, but no dispatch among it".into());
        }
        let in_ticks = in_ticks.map(|devices| {
            format!("times stay in ticks, as the clock could not be fitted (devices: {devices})")
        });
        recorded.reason.clone().or(in_ticks)
    }
}

impl Judged {
    /// Texts of some modes; NULL of none.
    fn list(&self, between: &str, text: impl Fn(&Part) -> Option<String>) -> Option<String> {
        let texts: Vec<String> = self.modes.iter().filter_map(text).collect();
        (!texts.is_empty()).then(|| texts.join(between))
    }

    fn names(&self, is_it: impl Fn(&Part) -> bool) -> Option<String> {
        self.list(",", |part| is_it(part).then(|| part.mode.name.to_owned()))
    }

    fn reasons(&self) -> Option<String> {
        let said = |part: &Part| Some(format!("{}: {}", part.mode.name, part.reason.as_ref()?));
        self.list("; ", said)
    }

    fn flags(&self) -> Option<String> {
        self.list(" ", |part| {
            let flags = flags_of_mode(part.mode.name);
            (part.is_supported && !flags.is_empty()).then(|| flags.to_owned())
        })
    }
}

/// The rows of `ways_to_answer`.
pub fn columns(groups: &[Group], clocks: &BTreeMap<u64, Clock>, modes: &[Recorded]) -> Columns {
    let has_clock = |device| clocks.get(&device).is_some_and(|it| it.preferred().is_some());
    let ways = Known { groups, modes, clockless: clockless(groups, has_clock) }.ways();
    let each = || ways.iter();
    let any = |is_it: fn(&Part) -> bool| flags(each().map(|way| way.modes.iter().any(is_it)));
    vec![
        texts(each().map(|way| way.question.name)),
        numbers(each().map(|way| way.position)),
        numbers(each().map(|way| way.way)),
        texts(each().map(|way| way.clock.name())),
        flags(each().map(|way| way.modes.iter().all(|part| part.is_there || !part.is_needed))),
        any(|part| part.is_there && part.is_needed),
        any(|part| !part.is_supported && part.is_needed),
        any(|part| part.is_open && part.is_supported),
        optional_texts(each().map(|way| way.names(|part| part.is_there))),
        optional_texts(each().map(|way| way.names(|part| part.reason.is_some()))),
        optional_texts(each().map(Judged::reasons)),
        optional_texts(each().map(|way| way.names(|part| part.is_supported))),
        optional_texts(each().map(Judged::flags)),
    ]
}
