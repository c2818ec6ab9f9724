//! Runs without an `.ireeprof` profile: the recording of a replay, device statistics, and captures by external
//! profilers.

use std::path::Path;

use read::bundle::set::{Outcome, Run};

use super::attempt::Attempt;
use super::folder;
use super::session::Session;
use crate::capture::error::CaptureError;
use crate::capture::tool::Tool;

/// The tool that runs a recorded replay repeatedly.
pub const REPLAYER: &str = "iree-benchmark-replay";

/// Prefixes of the flags that a replay takes over from the run that recorded it: device selection and execution
/// options.
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

/// Prefixes of the flags that get a run of their own, because they exclude a profile or would disturb it.
const STATISTICS: &str = "--print_device_statistics";
const EXTERNAL: &str = "--device_capture_";

/// The user's arguments, split by the runs that they are for.
#[derive(Debug, Clone)]
pub struct Passes {
    /// Arguments of every run.
    pub arguments: Vec<String>,
    /// Flags of the run that prints device statistics; empty if there is none.
    pub statistics: Vec<String>,
    /// Flags of the run with an external profiler; empty if there is none.
    pub external: Vec<String>,
}

/// Separates the flags that get a run of their own from the arguments of every run.
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

/// Returns the path of the replay tool in the folder of the recording tool, or its name alone if it is not there.
pub(crate) fn replayer(tool: &Path) -> String {
    let beside = tool.with_file_name(REPLAYER);
    if beside.exists() { beside.to_string_lossy().into_owned() } else { REPLAYER.into() }
}

/// Returns the arguments of a replay: the device flags of the run that recorded it, and the file.
pub fn replayed(arguments: &[String], replay: &Path) -> Vec<String> {
    let is_of_device = |word: &&String| OF_DEVICES.iter().any(|head| word.starts_with(head));
    let own = arguments.iter().filter(is_of_device).cloned();
    own.chain([replay.to_string_lossy().into_owned()]).collect()
}

/// Returns the flag that records a replay into this file.
pub fn recording(replay: &Path) -> String {
    format!("--device_replay_output={}", replay.display())
}

impl Session<'_> {
    /// Records the work once, then replaces tool and arguments so that the following runs profile its replay. Fails if
    /// the recording is missing or incomplete.
    pub(crate) fn record_replay(&mut self) -> Result<(), CaptureError> {
        let name = self.manifest.free_name(&self.start.folder);
        let replay = self.start.folder.join(format!("{name}.ireereplay"));
        let why = match self.pass(&name, &[recording(&replay)], "a recording for replays")?? {
            Outcome::Interrupted => return Ok(()),
            Outcome::Passed if replay.exists() => {
                let replayer = replayer(&self.start.tool.facts.path);
                self.start.tool = Tool::find(&replayer, None, self.stop)?;
                self.start.arguments = replayed(&self.start.arguments, &replay);
                return Ok(());
            }
            Outcome::TimeLimit => "the time limit stopped the tool",
            _ => "the tool wrote no recording",
        };
        Err(CaptureError::NoReplay { why: why.to_owned() })
    }

    /// Does the runs for device statistics and external profilers. Returns the first failure of a tool, which does not
    /// stop the capture.
    pub(crate) fn pass_through(&mut self) -> Result<Option<CaptureError>, CaptureError> {
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

    /// Does one run without a profile and records it in the manifest. The inner result is its outcome, or the failure
    /// of the tool.
    fn pass(
        &mut self,
        name: &str,
        flags: &[String],
        what: &str,
    ) -> Result<Result<Outcome, CaptureError>, CaptureError> {
        let attempt = Attempt::passing(&self.start, flags, name, what);
        let process = attempt.process();
        let run = |outcome, process| Run {
            outcome,
            process: Some(process),
            ..Run::named(name.to_owned())
        };
        let begun = run(Outcome::Running, process.clone());
        folder::begin(begun, &mut self.manifest, &self.start.folder)?;
        let attempted = attempt.run(process, self.stop, self.tell)?;
        let outcome = attempted.outcome;
        self.put(run(outcome, attempted.process))?;
        Ok(attempted.failure.map_or(Ok(outcome), Err))
    }
}
