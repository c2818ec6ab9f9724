//! Watches the machine while a tool runs: what other processes take of its processors, and how fast these run.

use std::time::Duration;

/// When the clocks of the processors are read first. The time doubles with each reading, so that reading them takes no
/// share of a long run.
const FIRST_LOOK: Duration = Duration::from_millis(20);

/// Length of a tick of `/proc`, which Linux fixes for programs (`USER_HZ`).
const TICK_NS: u64 = 10_000_000;

/// What the machine does during a run.
#[derive(Debug)]
pub struct Watch {
    begun: Option<Ticks>,
    next_look: Duration,
    /// The clocks that were read.
    clocks: Vec<u64>,
}

/// Processor time since boot, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticks {
    /// Of all processes, and of the other guests of a virtual machine's host.
    all: u64,
    /// Of this process and the children that it waited for.
    own: u64,
}

impl Watch {
    /// Begins before the tool starts.
    pub fn begin() -> Self {
        Self { begun: Ticks::now(), next_look: FIRST_LOOK, clocks: Vec::new() }
    }

    /// Reads the clocks of the processors, if it is time.
    pub fn look(&mut self, elapsed: Duration) {
        if elapsed >= self.next_look {
            self.next_look = elapsed * 2;
            self.clocks.extend(fastest_hz());
        }
    }

    /// Returns the processor time that other processes took, after the tool has ended; `None` if the system does not tell.
    pub fn other_cpu_ns(&self) -> Option<u64> {
        let (begun, ended) = (self.begun?, Ticks::now()?);
        let all = ended.all.checked_sub(begun.all)?;
        let own = ended.own.checked_sub(begun.own)?;
        Some(all.saturating_sub(own).saturating_mul(TICK_NS))
    }

    /// Returns the mean of the clocks that were read; `None` if there are none.
    pub fn cpu_hz(&self) -> Option<u64> {
        self.clocks.iter().sum::<u64>().checked_div(self.clocks.len() as u64)
    }
}

impl Ticks {
    fn now() -> Option<Self> {
        let read = |path| std::fs::read_to_string(path).ok();
        Some(Self { all: all(&read("/proc/stat")?)?, own: own(&read("/proc/self/stat")?)? })
    }
}

/// Reads the first line of `/proc/stat`: `cpu user nice system idle iowait irq softirq steal …`. Idle processors, and those
/// that wait for a disk, do no work.
fn all(text: &str) -> Option<u64> {
    let words = text.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let ticks: Option<Vec<u64>> = words.take(8).map(|word| word.parse().ok()).collect();
    let busy: u64 =
        ticks?.iter().enumerate().filter(|(nth, _)| !matches!(nth, 3 | 4)).map(|it| it.1).sum();
    // Some containers show zeros.
    (busy > 0).then_some(busy)
}

/// Reads `/proc/self/stat`: the fields 14 to 17, of which the state after the name in parentheses is the third.
fn own(text: &str) -> Option<u64> {
    let (_, fields) = text.rsplit_once(')')?;
    let words: Vec<&str> = fields.split_whitespace().skip(11).take(4).collect();
    let ticks: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
    ticks.filter(|ticks| ticks.len() == 4).map(|ticks| ticks.iter().sum())
}

/// Returns the clock of the fastest processor.
fn fastest_hz() -> Option<u64> {
    let paths = glob::glob("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq").ok()?;
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).ok()?.trim().parse().ok();
    let kilohertz: Option<u64> = paths.flatten().filter_map(read).max();
    Some(kilohertz?.saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_those_of_work() {
        let text = "cpu  100 1 20 5000 300 2 3 4 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert_eq!(all(text), Some(130));
        assert_eq!(all("cpu  0 0 0 0 0 0 0 0 0 0\n"), None);
        assert_eq!(all(""), None);
        let text = "12 (a b) c) R 1 2 3 4 -1 5 6 7 8 9 10 20 30 40 20 0 1 0";
        assert_eq!(own(text), Some(100));
        assert_eq!(own("12 (a) R 1"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn own_work_is_no_work_of_others() {
        let watch = Watch::begin();
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_millis(300) {
            std::hint::black_box(begun.elapsed());
        }
        let others = watch.other_cpu_ns().expect("Linux tells");
        let (begun, ended) = (watch.begun.expect("it did"), Ticks::now().expect("it does"));
        // Even beside other work, this thread had a sixth of the time.
        let most = ended.all - begun.all - 5;
        assert!(others <= most * TICK_NS, "{others} ns in {begun:?} to {ended:?}");
    }
}
