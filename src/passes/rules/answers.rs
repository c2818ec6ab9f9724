//! Determines how far a bundle can answer each question, in each way of answering it.

use std::collections::{BTreeMap, HashSet};

use schemas::Clock;
use schemas::drivers::{flags_of_mode, rows_for_question};
use schemas::questions::{MODES, Mode, QUESTIONS, Question, Way};

use crate::fold::{Absence, Clocks, Columns, DEVICE, Group};
use crate::rules::commands::Commands;
use crate::rules::modes::{Recorded, State, is_of};
use crate::rules::shortcomings::Shortcomings;

/// A way of answering a question, with the state of its modes.
pub struct Judged<'a> {
    pub question: &'static Question,
    position: u64,
    way: u64,
    clock: Option<Clock>,
    /// The modes that the way needs or that help, in the order of [`MODES`].
    modes: Vec<WayMode<'a>>,
}

/// A mode of a way.
struct WayMode<'a> {
    mode: &'static Mode,
    recorded: &'a Recorded,
    is_needed: bool,
    /// Whether there are records that help to answer the question.
    is_there: bool,
    /// Why such records are missing or incomplete.
    reason: Option<String>,
    /// Whether the program runs nothing that would be recorded.
    has_none: bool,
}

impl WayMode<'_> {
    fn is_unsupported(&self) -> bool {
        self.recorded.state == State::Unsupported
    }

    /// Whether another capture may record more. Ticks that cannot be converted do not count: another capture would
    /// have the same.
    const fn is_open(&self) -> bool {
        let is_open = !self.is_there || self.recorded.reason.is_some() && !self.recorded.is_final;
        is_open && !self.has_none
    }
}

/// The facts from which ways are judged.
struct Facts<'a> {
    groups: &'a [Group],
    modes: &'a [Recorded],
    /// By table, the number of devices whose times stay in ticks.
    clockless: BTreeMap<&'static str, u64>,
    /// Why there are no dispatches that could be recorded; `None` if there are some.
    no_dispatches: Option<&'static str>,
    shortcomings: Shortcomings,
}

/// Modes that record nothing if there are no dispatches. Spans of other kinds do not tell how long functions ran.
const OF_DISPATCHES: [&str; 5] =
    ["dispatch-events", "host-execution", "executable-metadata", "executable-traces", "counters"];

impl<'a> Facts<'a> {
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

    fn parts(&self, question: &str, how: &Way) -> Vec<WayMode<'a>> {
        let part = |(mode, recorded): (&'static Mode, &'a Recorded)| {
            let is_needed = how.needs.contains(&mode.name);
            if !is_needed && !how.helps.contains(&mode.name) {
                return None;
            }
            let wanted = rows_for_question(question, mode.name);
            let of_table = self.groups.iter().filter(|group| group.table == mode.table());
            let is_there = of_table.filter(|group| is_of(group, wanted)).any(|it| it.row_count > 0);
            let is_of_dispatches = !is_there
                && recorded.state != State::Unsupported
                && OF_DISPATCHES.contains(&mode.name);
            let nothing = self.no_dispatches.filter(|_| is_of_dispatches).map(str::to_owned);
            let has_none = nothing.is_some() || recorded.has_none;
            let reason = nothing
                .or_else(|| self.reason(mode, how.clock, recorded, is_there))
                .or_else(|| self.shortcomings.reason(question, mode.name));
            Some(WayMode { mode, recorded, is_needed, is_there, reason, has_none })
        };
        MODES.iter().zip(self.modes).filter_map(part).collect()
    }

    fn reason(
        &self,
        mode: &Mode,
        clock: Option<Clock>,
        recorded: &Recorded,
        is_there: bool,
    ) -> Option<String> {
        let in_ticks = match clock {
            Some(Clock::Device) => self.clockless.get(mode.table()),
            Some(Clock::Host) | None => None,
        };
        if !is_there && recorded.row_count > 0 {
            return Some("recorded, but without dispatches".into());
        }
        let in_ticks = in_ticks.map(|devices| {
            format!("times remain in ticks, because there is no clock fit (devices: {devices})")
        });
        recorded.reason.clone().or(in_ticks)
    }
}

impl Judged<'_> {
    fn any(&self, is_it: fn(&WayMode<'_>) -> bool) -> bool {
        self.modes.iter().any(is_it)
    }

    /// Whether all needed modes are there.
    pub fn is_enough(&self) -> bool {
        !self.any(|part| !part.is_there && part.is_needed)
    }

    /// Whether a needed mode is there.
    pub(crate) fn is_begun(&self) -> bool {
        self.any(|part| part.is_there && part.is_needed)
    }

    fn is_unsupported(&self) -> bool {
        self.any(|part| part.is_unsupported() && part.is_needed)
    }

    /// Whether the program runs nothing that would answer it.
    fn has_none(&self) -> bool {
        self.any(|part| part.has_none && part.is_needed)
    }

    fn is_fillable(&self) -> bool {
        self.any(|part| part.is_open() && !part.is_unsupported())
    }

    fn can_be_filled(&self) -> bool {
        self.is_fillable() && !self.is_unsupported() && !self.has_none()
    }

    /// Joins the texts of modes; `None` if there are none.
    fn list(&self, between: &str, text: impl Fn(&WayMode<'_>) -> Option<String>) -> Option<String> {
        let texts: Vec<String> = self.modes.iter().filter_map(text).collect();
        (!texts.is_empty()).then(|| texts.join(between))
    }

    fn names(&self, is_it: impl Fn(&WayMode<'_>) -> bool) -> Option<String> {
        self.list(",", |part| is_it(part).then(|| part.mode.name.to_owned()))
    }

    /// Returns the modes to capture.
    fn wanted(&self) -> Option<String> {
        self.names(|part| !part.is_unsupported())
    }

    /// Returns why modes are missing or incomplete.
    pub fn reasons(&self) -> Option<String> {
        let said =
            |part: &WayMode<'_>| Some(format!("{}: {}", part.mode.name, part.reason.as_ref()?));
        self.list("; ", said)
    }

    fn flags(&self) -> Option<String> {
        self.list(" ", |part| {
            let flags = flags_of_mode(part.mode.name);
            (!part.is_unsupported() && !flags.is_empty()).then(|| flags.to_owned())
        })
    }
}

/// Judges every way of answering, question by question.
pub fn ways<'a>(
    groups: &'a [Group],
    clocks: &Clocks,
    modes: &'a [Recorded],
    absence: Option<Absence>,
) -> Vec<Judged<'a>> {
    let no_dispatches = absence.and_then(Absence::why_nothing);
    let shortcomings = Shortcomings::of(groups);
    Facts { groups, modes, clockless: clockless(groups, clocks), no_dispatches, shortcomings }
        .ways()
}

/// A row of `ways_to_answer`: a way, and the commands for the bundle.
pub type Row<'a> = (&'a Judged<'a>, &'a Commands);

/// The columns of `ways_to_answer`.
pub fn columns<'a>() -> Columns<Row<'a>> {
    Columns::<Row<'_>>::new()
        .text("question", |(way, _)| way.question.name)
        .number("question_position", |(way, _)| way.position)
        .number("way", |(way, _)| way.way)
        .text("clock", |(way, _)| way.clock.map_or("none", Clock::name))
        .flag("is_enough", |(way, _)| way.is_enough())
        .flag("is_begun", |(way, _)| way.is_begun())
        .flag("is_unsupported", |(way, _)| way.is_unsupported())
        .flag("is_fillable", |(way, _)| way.is_fillable())
        .flag("has_none", |(way, _)| way.has_none())
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

/// Tables whose times are device ticks.
pub(crate) const TICKING: [&str; 2] = ["dispatch_events", "queue_device_events"];

/// Counts, by table, the devices whose times cannot be converted.
fn clockless(groups: &[Group], clocks: &Clocks) -> BTreeMap<&'static str, u64> {
    let mut devices: BTreeMap<&'static str, HashSet<Option<u64>>> = BTreeMap::new();
    for group in groups.iter().filter(|group| TICKING.contains(&group.table)) {
        let device = group.key(DEVICE);
        let clock = device.and_then(|device| clocks.get(&[group.session_id, device]));
        if clock.is_none_or(|clock| clock.preferred().is_none()) {
            devices.entry(group.table).or_default().insert(device);
        }
    }
    devices.into_iter().map(|(table, devices)| (table, devices.len() as u64)).collect()
}
