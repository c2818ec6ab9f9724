//! Workers of a cluster: processes of the program, on ports of this machine.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ireescope::cluster::Cluster;
use ireescope::engine::dataset::Dataset;
use ireescope::engine::{Engine, Options};

use crate::profile::ours;

/// A worker, which is killed in the end. Its standard error is read to its end.
pub struct Worker {
    pub child: Child,
    /// The address that it has told.
    pub place: String,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Worker {
    /// Starts a worker on a free port.
    pub fn start(words: &[&str], settings: &[(&str, &str)]) -> Self {
        let mut command = Command::new(ours());
        command.args(["worker", "--memory-limit=1GB"]).args(words);
        if !words.iter().any(|word| word.starts_with("--threads")) {
            command.arg("--threads=2");
        }
        if !words.iter().any(|word| word.starts_with("--listen")) {
            command.arg("--listen=127.0.0.1:0");
        }
        command.envs(settings.iter().copied());
        let mut child = command.stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let place = line.trim().rsplit("//").next().unwrap().to_owned();
        assert!(line.contains("http"), "{words:?}: {line}");
        thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Self { child, place }
    }

    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Returns the processor time that it has taken, in ticks of 10 ms.
    pub fn ticks(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields = text.rsplit_once(") ").unwrap().1.split(' ');
        fields.skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum()
    }

    /// Returns the memory that it has, in bytes.
    pub fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }
}

/// The workers of a cluster.
pub struct Workers {
    pub all: Vec<Worker>,
    timeout: u64,
    settings: Vec<(String, String)>,
}

impl Workers {
    /// Starts workers. One that is silent for longer than `timeout` seconds is lost.
    pub fn start(count: usize, timeout: u64, settings: &[(&str, &str)]) -> Self {
        let owned = settings.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let mut workers = Self { all: Vec::new(), timeout, settings: owned.collect() };
        for _ in 0..count {
            workers.add();
        }
        workers
    }

    /// Starts another worker.
    pub fn add(&mut self) {
        let settings: Vec<(&str, &str)> =
            self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let timeout = format!("--worker-timeout={}", self.timeout);
        self.all.push(Worker::start(&[&timeout], &settings));
    }

    /// Returns the flag that names them.
    pub fn flag(&self) -> String {
        let places: Vec<&str> = self.all.iter().map(|worker| worker.place.as_str()).collect();
        format!("--cluster={}", places.join(","))
    }

    /// Returns an engine over a dataset whose statements they run, with so many parts of a task.
    pub fn engine(&self, folder: &Path, parts: Option<usize>) -> Engine {
        let places = self.all.iter().map(|worker| worker.place.as_str());
        let cluster = Cluster::at(places, None, parts, Duration::from_secs(self.timeout)).unwrap();
        let options = Options { planning: Some(cluster.planning()), ..Options::default() };
        Engine::of_dataset(Dataset::open(folder).unwrap(), options)
    }

    /// Waits until they compute nothing more; false if they still do after `limit`.
    pub fn are_idle_within(&self, limit: Duration) -> bool {
        let ticks = || self.all.iter().map(Worker::ticks).sum::<u64>();
        let begun = Instant::now();
        let mut last = ticks();
        while begun.elapsed() < limit {
            thread::sleep(Duration::from_millis(500));
            let now = ticks();
            if now - last <= 2 {
                return true;
            }
            last = now;
        }
        false
    }
}
