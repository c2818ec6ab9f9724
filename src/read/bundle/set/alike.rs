//! Whether the runs of a capture set are those of one build with the same inputs, each once.

use base::equal::are_equal;
use base::words::counted;

use super::capture_set::CaptureSet;
use super::manifest::Run;

/// How a file of a recorded program ends, which is no build.
const REPLAY: &str = ".ireereplay";

impl Run {
    /// Returns the digests of the modules that ran; `None` if they are not known.
    pub fn build(&self) -> Option<String> {
        let modules = self.process.iter().flat_map(|process| &process.inputs);
        let modules = modules.filter(|input| !input.path.ends_with(REPLAY));
        let mut digests: Vec<&str> = modules.map(|input| input.sha256.as_str()).collect();
        digests.sort_unstable();
        (!digests.is_empty()).then(|| digests.join(" "))
    }

    /// Returns the function and the inputs of the command; `None` if it is not known or names no inputs.
    pub fn inputs(&self) -> Option<String> {
        let process = self.process.as_ref()?;
        let named = |words: &[&str]| -> Vec<&str> {
            let is_named = |word: &&String| {
                let (name, _) = word.split_once('=').unwrap_or((word, ""));
                words.contains(&name.trim_start_matches('-'))
            };
            process.arguments.iter().filter(is_named).map(String::as_str).collect()
        };
        (!named(&["input"]).is_empty()).then(|| named(&["function", "input"]).join(" "))
    }

    /// Returns the processor, and how many processors the run was allowed to use; `None` if they are not known.
    pub fn machine(&self) -> Option<String> {
        let host = &self.process.as_ref()?.host;
        let cpu = host.cpu.as_deref().unwrap_or(&host.arch);
        Some(format!("{cpu} ({} to use)", counted(host.cores, "processor")))
    }

    /// Returns the flags of its command that neither name files nor say what to record, sorted; `None` if they are not known.
    pub fn flags(&self) -> Option<Vec<String>> {
        let process = self.process.as_ref()?;
        let is_kept = |word: &&String| {
            let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
            word.starts_with('-')
                && !name.starts_with("device_profiling")
                && !["module", "input", "parameters"].contains(&name)
        };
        let mut flags: Vec<String> = process.arguments.iter().filter(is_kept).cloned().collect();
        flags.sort_unstable();
        Some(flags)
    }
}

impl CaptureSet {
    /// Returns the first run that has something that another one has as well, and what both have, if that differs. Runs of a
    /// race are compared with those of their side.
    pub fn unlike<'a>(
        &'a self,
        own: &Run,
        of: impl Fn(&Run) -> Option<String>,
    ) -> Option<(&'a Run, [String; 2])> {
        let (first, has) = self.alike(own).find_map(|run| Some((run, of(run)?)))?;
        let own = of(own)?;
        (own != has).then_some((first, [has, own]))
    }

    /// Returns an earlier run whose bundle has the same bytes.
    pub fn copied<'a>(&'a self, own: &Run) -> Option<&'a Run> {
        let path = |run: &Run| Some(self.folder.join(run.bundle.as_ref()?));
        let earlier = self.runs.iter().take_while(|run| run.name != own.name);
        let mut same = earlier.filter(|run| {
            let paths = path(own).zip(path(run));
            paths.is_some_and(|(own, run)| are_equal(&own, &run).unwrap_or(false))
        });
        same.next()
    }

    /// Iterates over the runs with bundles that are of the same kind as another one.
    fn alike<'a>(&'a self, own: &Run) -> impl Iterator<Item = &'a Run> {
        let is_race = self.runs.iter().any(|run| run.side.is_some());
        let counts = move |run: &&Run| run.bundle.is_some() && (!is_race || run.side.is_some());
        let own = Some(own).filter(counts);
        let runs = self.runs.iter().filter(counts);
        runs.filter(move |run| own.is_some_and(|own| own.side == run.side))
    }
}
