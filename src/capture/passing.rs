//! Runs that record no profile of ours: the work for a replay, device statistics, captures of external profilers.

use super::attempt::Attempt;
use super::session::Session;
use super::{CaptureError, Tool};
use crate::bundle::set::Outcome;

/// The tool that runs a recorded replay again and again.
const REPLAYER: &str = "iree-benchmark-replay";

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

impl Session<'_> {
    /// Records the work once; what is profiled is its replay.
    pub fn record_replay(&mut self) -> Result<(), CaptureError> {
        let name = self.manifest.free_name(&self.start.folder);
        let replay = self.start.folder.join(format!("{name}.ireereplay"));
        let flag = format!("--device_replay_output={}", replay.display());
        if let Some(failure) = self.pass(&name, &[flag], "the work, for a replay")? {
            return Err(failure);
        }
        let beside = self.start.tool.facts.path.with_file_name(REPLAYER);
        let tool =
            if beside.exists() { beside.to_string_lossy().into_owned() } else { REPLAYER.into() };
        self.start.tool = Tool::find(&tool, None)?;
        let is_of_device = |word: &&String| OF_DEVICES.iter().any(|head| word.starts_with(head));
        let mut arguments: Vec<String> =
            self.start.arguments.iter().filter(is_of_device).cloned().collect();
        arguments.push(replay.to_string_lossy().into_owned());
        self.start.arguments = arguments;
        Ok(())
    }

    /// Does the runs that were asked for beside the profile, which goes on where one of them fails.
    pub fn pass_through(&mut self) -> Result<Option<CaptureError>, CaptureError> {
        let (statistics, external) = self.separate();
        let mut failure = None;
        if statistics {
            let name = self.manifest.free_name(&self.start.folder);
            failure = self.pass(&name, &[STATISTICS.to_owned()], "device statistics")?;
        }
        if !external.is_empty() {
            let name = self.manifest.free_name(&self.start.folder);
            let failed = self.pass(&name, &external, "an external capture")?;
            failure = failure.or(failed);
        }
        Ok(failure)
    }

    /// Takes the flags of those runs out of what every run is given.
    fn separate(&mut self) -> (bool, Vec<String>) {
        let arguments = std::mem::take(&mut self.start.arguments);
        let (external, rest): (Vec<_>, Vec<_>) =
            arguments.into_iter().partition(|word| word.starts_with(EXTERNAL));
        let (statistics, rest): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|word| word.starts_with(STATISTICS));
        self.start.arguments = rest;
        let asked = statistics.iter().any(|word| !word.ends_with("=false"));
        (self.start.settings.statistics || asked, external)
    }

    fn pass(
        &mut self,
        name: &str,
        flags: &[String],
        what: &str,
    ) -> Result<Option<CaptureError>, CaptureError> {
        let attempt = Attempt::passing(&self.start, flags, name, what);
        let attempted = attempt.run(self.start.settings.time_limit, self.stop, self.tell)?;
        let outcome: Outcome = attempted.outcome;
        self.put(Self::without_bundle(name.to_owned(), outcome, Some(attempted.process)))?;
        Ok(attempted.failure)
    }
}
