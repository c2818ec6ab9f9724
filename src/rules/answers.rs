//! What there is of each way of answering each question.

use std::collections::{BTreeMap, HashSet};

use schemas::drivers::{flags_of_mode, rows_for_question};
use schemas::questions::{Clock as On, MODES, Mode, QUESTIONS, Question, Way};

use crate::fold::{Clock, Columns, DEVICE, Group};
use crate::rules::commands::Commands;
use crate::rules::modes::{Recorded, State, is_of};

/// One way of answering a question.
pub struct Judged<'a> {
    pub question: &'static Question,
    position: u64,
    way: u64,
    clock: On,
    /// The modes that it needs or profits from, in their order.
    modes: Vec<Part<'a>>,
}

/// One mode of a way.
struct Part<'a> {
    mode: &'static Mode,
    recorded: &'a Recorded,
    is_needed: bool,
    /// There are records of it that are of use.
    is_there: bool,
    /// Why there are none of use, or not all.
    reason: Option<String>,
}

impl Part<'_> {
    fn is_unsupported(&self) -> bool {
        self.recorded.state == State::Unsupported
    }

    /// Another capture may get more of it. Ticks that cannot be converted are no better in another capture like it.
    const fn is_open(&self) -> bool {
        !self.is_there || self.recorded.reason.is_some() && !self.recorded.is_final
    }
}

/// What is known of the bundle.
struct Known<'a> {
    groups: &'a [Group],
    modes: &'a [Recorded],
    /// Devices whose events of a table stay in ticks.
    clockless: BTreeMap<&'static str, u64>,
}

impl<'a> Known<'a> {
    fn ways(&self) -> Vec<Judged<'a>> {
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

    fn parts(&self, question: &str, how: &Way) -> Vec<Part<'a>> {
        let part = |(mode, recorded): (&'static Mode, &'a Recorded)| {
            let is_needed = how.needs.contains(&mode.name);
            if !is_needed && !how.helps.contains(&mode.name) {
                return None;
            }
            let wanted = rows_for_question(question, mode.name);
            let of_table = self.groups.iter().filter(|group| group.table == mode.table());
            let is_there = of_table.filter(|group| is_of(group, wanted)).any(|it| it.row_count > 0);
            Some(Part {
                mode,
                recorded,
                is_needed,
                is_there,
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
            On::Device => self.clockless.get(mode.table()),
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

impl Judged<'_> {
    fn any(&self, is_it: fn(&Part<'_>) -> bool) -> bool {
        self.modes.iter().any(is_it)
    }

    /// All that it needs is there.
    pub fn is_enough(&self) -> bool {
        !self.any(|part| !part.is_there && part.is_needed)
    }

    /// Something that it needs is there.
    pub fn is_begun(&self) -> bool {
        self.any(|part| part.is_there && part.is_needed)
    }

    fn is_unsupported(&self) -> bool {
        self.any(|part| part.is_unsupported() && part.is_needed)
    }

    fn is_fillable(&self) -> bool {
        self.any(|part| part.is_open() && !part.is_unsupported())
    }

    fn can_be_filled(&self) -> bool {
        self.is_fillable() && !self.is_unsupported()
    }

    /// Texts of some modes; NULL of none.
    fn list(&self, between: &str, text: impl Fn(&Part<'_>) -> Option<String>) -> Option<String> {
        let texts: Vec<String> = self.modes.iter().filter_map(text).collect();
        (!texts.is_empty()).then(|| texts.join(between))
    }

    fn names(&self, is_it: impl Fn(&Part<'_>) -> bool) -> Option<String> {
        self.list(",", |part| is_it(part).then(|| part.mode.name.to_owned()))
    }

    /// The modes to capture.
    fn wanted(&self) -> Option<String> {
        self.names(|part| !part.is_unsupported())
    }

    /// Why something of it is missing.
    pub fn reasons(&self) -> Option<String> {
        let said = |part: &Part<'_>| Some(format!("{}: {}", part.mode.name, part.reason.as_ref()?));
        self.list("; ", said)
    }

    fn flags(&self) -> Option<String> {
        self.list(" ", |part| {
            let flags = flags_of_mode(part.mode.name);
            (!part.is_unsupported() && !flags.is_empty()).then(|| flags.to_owned())
        })
    }
}

/// Every way of answering, question by question.
pub fn ways<'a>(
    groups: &'a [Group],
    clocks: &BTreeMap<u64, Clock>,
    modes: &'a [Recorded],
) -> Vec<Judged<'a>> {
    Known { groups, modes, clockless: clockless(groups, clocks) }.ways()
}

/// A way of answering, with the commands about its bundle.
pub type Row<'a> = (&'a Judged<'a>, &'a Commands);

/// The rows of `ways_to_answer`.
pub fn columns<'a>() -> Columns<Row<'a>> {
    Columns::<Row<'_>>::new()
        .text("question", |(way, _)| way.question.name)
        .number("question_position", |(way, _)| way.position)
        .number("way", |(way, _)| way.way)
        .text("clock", |(way, _)| way.clock.name())
        .flag("is_enough", |(way, _)| way.is_enough())
        .flag("is_begun", |(way, _)| way.is_begun())
        .flag("is_unsupported", |(way, _)| way.is_unsupported())
        .flag("is_fillable", |(way, _)| way.is_fillable())
        .composed("has", |(way, _)| way.names(|part| part.is_there))
        .composed("missing", |(way, _)| way.names(|part| part.reason.is_some()))
        .composed("why", |(way, _)| way.reasons())
        .composed("modes", |(way, _)| way.wanted())
        .composed("flags", |(way, _)| way.flags())
        .optional_text("capture_set", |(_, commands)| commands.capture_set.as_deref())
        .text("asks", |(way, _)| way.question.asks)
        .composed("fill", |(way, commands)| {
            way.can_be_filled().then(|| commands.fill(way.question))
        })
        .composed("capture", |(way, commands)| {
            let modes = way.wanted().unwrap_or_default();
            let capture = || commands.capture(way.question, &modes, way.flags().as_deref());
            way.can_be_filled().then(capture)
        })
        .composed("answer", |(way, commands)| way.is_begun().then(|| commands.answer(way.question)))
}

/// Tables whose events are in ticks of a device.
pub const TICKING: [&str; 2] = ["dispatch_events", "queue_device_events"];

/// Devices whose events of a table stay in ticks, by table.
fn clockless(groups: &[Group], clocks: &BTreeMap<u64, Clock>) -> BTreeMap<&'static str, u64> {
    let has_clock = |device: u64| clocks.get(&device).is_some_and(|it| it.preferred().is_some());
    let mut devices: BTreeMap<&'static str, HashSet<Option<u64>>> = BTreeMap::new();
    for group in groups.iter().filter(|group| TICKING.contains(&group.table)) {
        let device = group.key(DEVICE);
        if !device.is_some_and(has_clock) {
            devices.entry(group.table).or_default().insert(device);
        }
    }
    devices.into_iter().map(|(table, devices)| (table, devices.len() as u64)).collect()
}
