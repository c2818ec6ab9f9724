//! What may take the time of a capture, in words: what does, with its figures, and the query that shows more of it.

/// One thing that takes time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bottleneck<'a> {
    /// A function with a large share of the time in dispatches.
    Function {
        key: &'a str,
        /// Which side timed the dispatches.
        timed_by: &'static str,
        share: f64,
    },
    /// A device that runs nothing for a part of the time between its first and last dispatch.
    IdleDevice { device: u64, idle: f64, span_ns: f64 },
    /// A queue whose submissions wait for one another or for the host.
    WaitingQueue {
        device: u64,
        queue: u64,
        gaps: u64,
        total_gap_ns: f64,
        max_gap_ns: f64,
        busy_ns: f64,
    },
    /// Queue operations that software holds back.
    Deferred { deferred: u64, operations: u64 },
    /// Work that waited for a pool's memory.
    PoolWaits { device: u64, waits: u64 },
}

impl Bottleneck<'_> {
    /// Which part it is of the time or the operations that it is about, from 0 to 1; 0 where that is not known.
    #[expect(clippy::cast_precision_loss, reason = "three digits are printed")]
    pub fn weight(&self) -> f64 {
        match *self {
            Self::Function { share, .. } => share,
            Self::IdleDevice { idle, .. } => idle,
            Self::WaitingQueue { total_gap_ns, busy_ns, .. } => {
                (total_gap_ns / (total_gap_ns + busy_ns)).min(1.0)
            }
            Self::Deferred { deferred, operations } => deferred as f64 / operations as f64,
            Self::PoolWaits { .. } => 0.0,
        }
    }

    /// What takes time.
    pub fn finding(&self) -> String {
        match *self {
            Self::Function { key, timed_by, share } => format!(
                "{key} takes {} of the time in dispatches that the {timed_by} timed",
                percent(share)
            ),
            Self::IdleDevice { device, idle, span_ns } => format!(
                "device {device} runs no dispatch for {} of the {} from its first dispatch to its last",
                percent(idle),
                ms(span_ns)
            ),
            Self::WaitingQueue { device, queue, gaps, total_gap_ns, max_gap_ns, busy_ns } => {
                format!(
                    "queue {queue} of device {device} waits {} in {gaps} gaps between submissions, the longest {}, beside {} of work",
                    ms(total_gap_ns),
                    ms(max_gap_ns),
                    ms(busy_ns)
                )
            }
            Self::Deferred { deferred, operations } => format!(
                "{deferred} of {operations} queue operations were held back by software, not by the device"
            ),
            Self::PoolWaits { device, waits } => {
                format!("pools of device {device} made work wait {waits} times for memory")
            }
        }
    }

    /// The query that shows it in full.
    pub fn evidence(&self) -> String {
        let rows = match *self {
            Self::Function { key, .. } => {
                format!("dispatches WHERE key = '{}'", key.replace('\'', "''"))
            }
            Self::IdleDevice { device, .. } => {
                format!("report.explain_queue WHERE physical_device_ordinal = {device}")
            }
            Self::WaitingQueue { .. } => "queue_submissions ORDER BY wait_ns DESC".to_owned(),
            Self::Deferred { .. } => {
                "queue_events WHERE dependency_strategy = 'software_defer'".to_owned()
            }
            Self::PoolWaits { .. } => "memory_events WHERE type = 'pool_wait'".to_owned(),
        };
        format!("SELECT * FROM {rows}")
    }
}

fn percent(part: f64) -> String {
    format!("{:?} %", (part * 1e3).round() / 10.0)
}

fn ms(ns: f64) -> String {
    format!("{:?} ms", (ns / 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_figures_rounded() {
        let function = Bottleneck::Function { key: "it's", timed_by: "host", share: 0.43 };
        let finding = "it's takes 43.0 % of the time in dispatches that the host timed";
        assert_eq!(function.finding(), finding);
        assert_eq!(function.evidence(), "SELECT * FROM dispatches WHERE key = 'it''s'");
        let idle = Bottleneck::IdleDevice { device: 2, idle: 0.692_5, span_ns: 53_538_400.0 };
        let finding = "device 2 runs no dispatch for 69.3 % of the 53.538 ms from its first dispatch to its last";
        assert_eq!(idle.finding(), finding);
    }

    #[test]
    fn a_queue_that_only_waits_weighs_one() {
        let queue = |busy_ns| Bottleneck::WaitingQueue {
            device: 0,
            queue: 1,
            gaps: 3,
            total_gap_ns: 9e6,
            max_gap_ns: 4.5e6,
            busy_ns,
        };
        let weight = |busy_ns| format!("{:.3}", queue(busy_ns).weight());
        assert_eq!([0.0, 27e6].map(weight), ["1.000", "0.250"]);
        let finding = "queue 1 of device 0 waits 9.0 ms in 3 gaps between submissions, the longest 4.5 ms, beside 27.0 ms of work";
        assert_eq!(queue(27e6).finding(), finding);
    }
}
