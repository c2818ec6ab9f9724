//! Runs that record no profile of ours: the work for a replay, device statistics, captures of external profilers.

use std::path::Path;

use super::attempt::Attempt;
use super::session::Session;
use super::{CaptureError, Tool};
use crate::bundle::set::Outcome;

/// The tool that runs a recorded replay again and again.
pub const REPLAYER: &str = "iree-benchmark-replay";

/// Beginnings of flags that a replay takes from the tool that recorded it: which device, and how it runs.
const OF_DEVICES: &[&str] = &[
    "--device=",
    "--device_allocator=",
    "--task_",
    "--vulkan_",
    "--hip_",
    "--cuda_",
    "--amdgpu_",
    "--metal_",
    "--executable_plugin=",
    "--benchmark_",
];

/// Flags that have a run of their own, as they do not go with a profile or would disturb it.
const STATISTICS: &str = "--print_device_statistics";
const EXTERNAL: &str = "--device_capture_";

/// What is run beside the profile, and what is left for it.
#[derive(Debug, Clone)]
pub struct Passes {
    /// For every run.
    pub arguments: Vec<String>,
    /// The tool prints its statistics.
    pub statistics: Vec<String>,
    /// For a run with an external profiler.
    pub external: Vec<String>,
}

/// Takes the flags of runs of their own out of what every run is given.
pub fn passes(arguments: &[String], wants_statistics: bool) -> Passes {
    let of = |head: &'static str| arguments.iter().filter(move |word| word.starts_with(head));
    let is_asked = wants_statistics || of(STATISTICS).any(|word| !word.ends_with("=false"));
    let is_left = |word: &&String| !word.starts_with(STATISTICS) && !word.starts_with(EXTERNAL);
    Passes {
        arguments: arguments.iter().filter(is_left).cloned().collect(),
        statistics: is_asked.then(|| STATISTICS.to_owned()).into_iter().collect(),
        external: of(EXTERNAL).cloned().collect(),
    }
}

/// The tool that replays, beside the one that recorded where it is there.
pub fn replayer(tool: &Path) -> String {
    let beside = tool.with_file_name(REPLAYER);
    if beside.exists() { beside.to_string_lossy().into_owned() } else { REPLAYER.into() }
}

/// What a replay is given of what the tool was given that recorded it.
pub fn replayed(arguments: &[String], replay: &Path) -> Vec<String> {
    let is_of_device = |word: &&String| OF_DEVICES.iter().any(|head| word.starts_with(head));
    let own = arguments.iter().filter(is_of_device).cloned();
    own.chain([replay.to_string_lossy().into_owned()]).collect()
}

/// The flag that records.
pub fn recording(replay: &Path) -> String {
    format!("--device_replay_output={}", replay.display())
}

impl Session<'_> {
    /// Records the work once; what is profiled is its replay.
    pub fn record_replay(&mut self) -> Result<(), CaptureError> {
        let name = self.manifest.free_name(&self.start.folder);
        let replay = self.start.folder.join(format!("{name}.ireereplay"));
        let outcome = self.pass(&name, &[recording(&replay)], "the work, for a replay")?;
        let why = match outcome {
            Ok(Outcome::Passed) if replay.exists() => None,
            Ok(Outcome::Interrupted) => return Ok(()),
            Ok(Outcome::TimeLimit) => Some("the time limit ended it".to_owned()),
            Ok(_) => Some("the tool wrote none".to_owned()),
            Err(failure) => return Err(failure),
        };
        if let Some(why) = why {
            return Err(CaptureError::NoReplay { why });
        }
        self.start.tool = Tool::find(&replayer(&self.start.tool.facts.path), None)?;
        self.start.arguments = replayed(&self.start.arguments, &replay);
        Ok(())
    }

    /// Does the runs that were asked for beside the profile, which goes on where one of them fails.
    pub fn pass_through(&mut self) -> Result<Option<CaptureError>, CaptureError> {
        let Passes { arguments, statistics, external } =
            passes(&self.start.arguments, self.start.settings.statistics);
        self.start.arguments = arguments;
        let mut failure = None;
        for (flags, what) in [(statistics, "device statistics"), (external, "an external capture")]
        {
            if flags.is_empty() || self.stop.is_asked() {
                continue;
            }
            let name = self.manifest.free_name(&self.start.folder);
            let failed = self.pass(&name, &flags, what)?.err();
            failure = failure.or(failed);
        }
        Ok(failure)
    }

    /// Does one of them; how it ended, or that the tool failed.
    fn pass(
        &mut self,
        name: &str,
        flags: &[String],
        what: &str,
    ) -> Result<Result<Outcome, CaptureError>, CaptureError> {
        let attempt = Attempt::passing(&self.start, flags, name, what);
        let process = attempt.process();
        let run = |outcome, process| Self::without_bundle(name.to_owned(), outcome, Some(process));
        self.begin(run(Outcome::Running, process.clone()))?;
        let attempted = attempt.run(process, self.stop, self.tell)?;
        let outcome = attempted.outcome;
        self.put(run(outcome, attempted.process))?;
        Ok(attempted.failure.map_or(Ok(outcome), Err))
    }
}
