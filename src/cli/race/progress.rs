//! Prints the progress of a race on standard error: a line for each block, and why it ended.

use std::time::Duration;

use crate::bundle::set::{Run, SIDES};
use crate::capture::Event;
use crate::cli::captured::{flushes, refused};
use crate::cli::progress::{LONG, Spinner};
use crate::compare::{Standing, Verdict};
use crate::race::{Clocks, End, Race, RaceEvent};
use crate::report::comparison::change;
use crate::report::text::{counted, time};
use crate::statistics::float;

/// From this number of processors on, what other processes take is worth a word.
const BUSY: f64 = 0.2;

/// Processor time below it says nothing: it is counted in ticks of 10 ms.
const FEW_NS: f64 = 5e7;

/// A printer of progress.
#[derive(Default)]
pub struct Progress {
    spinner: Spinner,
    /// No block begins after this time.
    time_limit: Option<Duration>,
    /// What the machine did during the block.
    other_ns: f64,
    elapsed_ns: f64,
    clocks: Clocks,
}

impl Progress {
    /// Creates a printer for a race that begins no block after this time.
    pub fn new(time_limit: Option<Duration>) -> Self {
        Self { time_limit, ..Self::default() }
    }

    /// Prints an event.
    pub fn take(&mut self, event: &RaceEvent<'_>) {
        match event {
            RaceEvent::Continues { runs, folder } => {
                let runs = counted(*runs as u64, "run");
                eprintln!("ireescope: going on from {runs} in {}", folder.display());
            }
            RaceEvent::WarmedUp { run, most } => self.expects(*run, *most),
            RaceEvent::Capture(event) => self.of_run(event),
            RaceEvent::Ran { is_new, run, is_throttled } => self.ran(*is_new, run, *is_throttled),
            RaceEvent::Block { block, most, standing, pairs } => {
                self.block(*block, *most, standing, pairs);
            }
        }
    }

    /// Says how long the race takes at most, if that is long.
    fn expects(&mut self, run: Duration, most: u32) {
        let most = (run * 2).saturating_mul(most);
        let most = self.time_limit.map_or(most, |limit| most.min(limit));
        if most >= LONG {
            let (run, most) = (time(run), time(most));
            self.print(&format!("a run takes {run}, and the race at most {most} more"));
        }
    }

    /// Prints an event of a run.
    fn of_run(&mut self, event: &Event<'_>) {
        match event {
            Event::GoesOn { name, elapsed, .. } => self.spinner.turn(*elapsed, || {
                format!("{name} ({} s); Ctrl-C ends the race and keeps its runs", elapsed.as_secs())
            }),
            Event::Begins { .. } => {}
            Event::Refused { name, what, reason } => {
                self.print(&refused(name, what, reason));
            }
            Event::Flushes { name, every_ms, reason } => {
                self.print(&flushes(name, *every_ms, reason));
            }
            Event::Ended { .. } => self.spinner.clear(),
        }
    }

    /// Takes a run that counts.
    fn ran(&mut self, is_new: bool, run: &Run, is_throttled: bool) {
        if is_throttled {
            self.print(&format!("warning: in {}, the device throttled its clocks", run.name));
        }
        self.clocks.take(is_new, run);
        let Some(process) = &run.process else { return };
        self.other_ns += number(process.other_cpu_ns.unwrap_or_default());
        self.elapsed_ns += number(process.duration_ns);
    }

    /// Prints the standing after a block.
    fn block(&mut self, block: u32, most: u32, standing: &Standing, pairs: &[f64]) {
        let mean = pairs.iter().sum::<f64>() / float(pairs.len());
        let so_far = match standing.interval {
            None => change(mean.exp()),
            Some(it) => format!("{} ({} to {})", change(it.ratio), change(it.low), change(it.high)),
        };
        let runs = counted(u64::from(block * 2), "run");
        let left = most.saturating_sub(block * 2);
        let busy = self.other_ns / self.elapsed_ns;
        let others = if busy >= BUSY && self.other_ns >= FEW_NS {
            format!("; other processes took {busy:.1} processors")
        } else {
            String::new()
        };
        (self.other_ns, self.elapsed_ns) = (0.0, 0.0);
        self.print(&format!(
            "block {block}: {so_far}, {}; {runs} a side, at most {left} more{others}",
            word(standing.verdict)
        ));
    }

    /// Prints why the race ended, and whether the machine treated the sides alike.
    pub fn ended(&mut self, race: &Race) {
        self.spinner.clear();
        if matches!(race.end, Ok(End::Decided)) {
            self.print("the verdict is decided");
        }
        if let Some(ratio) = self.clocks.ratio() {
            let by = change(ratio);
            let [of_base, of_new] = SIDES;
            self.print(&format!(
                "warning: the clock of the processors differs by {by} in the runs of {of_new} from those of {of_base}"
            ));
        }
    }

    fn print(&mut self, line: &str) {
        self.spinner.clear();
        eprintln!("ireescope: {line}");
    }
}

/// Returns the word for the verdict so far.
const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotComparable => "too few runs",
        verdict => verdict.name(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "times and clocks are far below 2^53")]
const fn number(value: u64) -> f64 {
    value as f64
}
