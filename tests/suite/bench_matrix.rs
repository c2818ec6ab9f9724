//! Compiles the configurations that `src/tools/bench` supports: every kind of operation with every combination of types on
//! every target, and every row of every schedule table at least once. Checks in the dumped compilation phases that the
//! compiler keeps each configuration, and compares results on the CPU with the references.
//!
//! `IREESCOPE_BENCH_MATRIX=all` combines every row with every kind, types and epilogue, and also runs them on software
//! Vulkan, which takes long.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use ireescope::bench::configuration::limit::LIMITS;
use ireescope::bench::reference::reference;
use ireescope::bench::request::{Collection, Request, collections};
use ireescope::bench::{
    Backend, Configuration, Device, Element, Epilogue, Kind, Target, Types, source,
};
use libtest_mimic::Trial;

use super::differential::TOOLS;

/// Number of concurrent compilers, each of which takes some hundred megabytes.
const WORKERS: usize = 2;

/// The tests that need no tool.
pub const TESTS: &[super::Test] = &[
    ("what_targets_cannot_do_is_documented", documented),
    ("no_combination_is_without_a_schedule", everything_has_one),
];

fn documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench-targets.md");
    let text = std::fs::read_to_string(path).unwrap();
    for limit in LIMITS {
        let reason = limit.reason.replace("option `vulkan_target`", "--vulkan-target");
        assert!(text.contains(&reason), "docs/bench-targets.md lacks: {reason}");
    }
}

fn everything_has_one() {
    for target in targets() {
        for kind in Kind::ALL {
            for types in Types::ALL {
                let mut request = request(kind, types, Epilogue::None);
                request.convolution.batch = vec![2];
                let made = collections(&request, &target).expect("a request");
                let is_unnamed = target.architecture().is_none();
                let has_one = made[0].configurations.iter().any(|it| !it.is_default());
                let cannot = is_unnamed && types.operand() == Element::F16;
                assert_eq!(has_one, !cannot, "{kind:?} {types:?} {}", target.name());
            }
        }
    }
}

pub fn trials() -> Vec<Trial> {
    targets()
        .into_iter()
        .map(|target| {
            let name = format!("bench_matrix::{}", target.name());
            super::trial(name, move || compile(&target))
        })
        .collect()
}

fn targets() -> Vec<Target> {
    let mut targets: Vec<Target> =
        [Device::LocalSync, Device::Vulkan, Device::Cuda, Device::Rocm].map(Target::of).into();
    for gpu in ["llvmpipe", "ampere"] {
        let vulkan_target = Some(gpu.to_owned());
        targets.push(Target { vulkan_target, ..Target::of(Device::Vulkan) });
    }
    if cfg!(target_arch = "x86_64") {
        // The baseline of the architecture.
        let target_cpu = "x86-64".to_owned();
        targets.push(Target { target_cpu, ..Target::of(Device::LocalSync) });
    }
    targets
}

/// Creates a request for small operations that most tiles divide evenly.
fn request(kind: Kind, types: Types, epilogue: Epilogue) -> Request {
    let mut request = Request {
        kinds: vec![kind],
        types: vec![types],
        epilogues: vec![epilogue],
        m: vec![256],
        n: vec![256],
        k: vec![128],
        batch_count: vec![2],
        split_k_slices: vec![2],
        default_config: true,
        ..Request::default()
    };
    // A batch of 1 has another source than a larger one, so the types alternate between them.
    let column = Types::ALL.iter().position(|it| *it == types);
    request.convolution.batch = vec![if column.is_some_and(|it| it % 2 == 0) { 1 } else { 2 }];
    request
}

fn all() -> bool {
    std::env::var("IREESCOPE_BENCH_MATRIX").is_ok_and(|it| it == "all")
}

/// Returns the operations of a target with the configurations to compile.
fn chosen(target: &Target) -> Vec<Collection> {
    let all = all();
    let mut seen = HashSet::new();
    let mut chosen = Vec::new();
    // On GPUs with cooperative matrices, only configurations that use them are compiled.
    let cooperative = target.limits().cooperative && !all;
    for (row, kind) in Kind::ALL.into_iter().enumerate() {
        for (column, types) in Types::ALL.into_iter().enumerate() {
            if cooperative && (kind == Kind::Conv2d || types.operand() != Element::F16) {
                continue;
            }
            let epilogues: Vec<Epilogue> = if all {
                Epilogue::ALL.into()
            } else {
                vec![Epilogue::ALL[(row + column) % Epilogue::ALL.len()]]
            };
            for epilogue in epilogues {
                let request = request(kind, types, epilogue);
                for mut collection in collections(&request, target).expect("a request") {
                    if cooperative {
                        collection.configurations.retain(|it| it.core_class() != "simt");
                    } else if !all {
                        keep(&mut collection.configurations, kind, &mut seen);
                    }
                    if !collection.configurations.is_empty() {
                        chosen.push(collection);
                    }
                }
            }
        }
    }
    chosen
}

/// Keeps the default configuration and the schedule rows not seen yet, or the last row if all have been seen.
fn keep(
    configurations: &mut Vec<Configuration>,
    kind: Kind,
    seen: &mut HashSet<(bool, String, String)>,
) {
    let last = configurations.iter().rfind(|it| !it.is_default()).copied();
    configurations
        .retain(|it| it.is_default() || seen.insert((kind == Kind::Conv2d, it.tile(), it.name())));
    if configurations.iter().all(Configuration::is_default) {
        configurations.extend(last);
    }
}

fn compile(target: &Target) {
    let folder = tempfile::tempdir().unwrap();
    let collections = Mutex::new(chosen(target));
    let failures = Mutex::new(Vec::new());
    let count = collections.lock().unwrap().len();
    assert!(count >= if target.limits().cooperative { 5 } else { 12 }, "{count} operations");
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let next = collections.lock().unwrap().pop();
                    let Some(collection) = next else { break };
                    let said = one(&collection, target, folder.path());
                    failures.lock().unwrap().extend(said);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Compiles an operation, and returns descriptions of its failures.
fn one(collection: &Collection, target: &Target, folder: &Path) -> Vec<String> {
    let name = collection.operation.name();
    let text = source(collection, target);
    let module = match compiled(&name, &text, target, folder) {
        Ok(module) => module,
        Err(reason) => return vec![format!("{name} for {}: {reason}", target.name())],
    };
    let phase = std::fs::read_dir(folder.join(&name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("executable-configurations"))
        .expect("the phase is printed");
    let configured = std::fs::read_to_string(phase).unwrap();
    let mut failures: Vec<String> = collection
        .configurations
        .iter()
        .filter_map(|configuration| lost(collection, configuration, target, &configured))
        .collect();
    // On software Vulkan this takes long, because the driver compiles each shader again.
    let is_slow = target.backend() == Backend::VulkanSpirv && !target.limits().cooperative;
    if target.backend() == Backend::LlvmCpu || is_slow && all() {
        failures.extend(wrong(collection, &module, target, folder));
    }
    std::fs::remove_dir_all(folder.join(&name)).unwrap();
    failures
}

fn compiled(name: &str, text: &str, target: &Target, folder: &Path) -> Result<PathBuf, String> {
    let phases = folder.join(name);
    std::fs::create_dir_all(&phases).unwrap();
    let (source, module) = (phases.join("source.mlir"), phases.join("module.vmfb"));
    std::fs::write(&source, text).unwrap();
    let output = Command::new(TOOLS.join("../../../../../bin/iree-compile"))
        .args(target.compiler_flags())
        .args(["--mlir-disable-threading", "--iree-llvmcpu-number-of-threads=1"])
        .arg(format!("--dump-compilation-phases-to={}", phases.display()))
        .arg(source)
        .arg("-o")
        .arg(&module)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(module)
    } else {
        Err(said.lines().filter(|line| line.contains("error")).take(2).collect())
    }
}

/// Returns a message if the compiler did not keep the configuration.
fn lost(
    collection: &Collection,
    configuration: &Configuration,
    target: &Target,
    configured: &str,
) -> Option<String> {
    let attribute = configuration.attribute(&collection.operation, target)?;
    let name = collection.dispatch(configuration);
    let executable = format!("hal.executable private @{name}_dispatch_");
    let asked = configs(&attribute, "").pop().expect("an attribute has one");
    let is_kept = configured
        .match_indices(&executable)
        .map(|(at, _)| configured[at + 1..].split("hal.executable private").next().unwrap())
        .any(|text| configs(text, configured).contains(&asked));
    (!is_kept).then(|| format!("{name} for {}: its configuration is lost", target.name()))
}

/// Returns the lowering configurations in a text, each as sorted words, because the printer reorders entries. Resolves
/// the aliases that it defines in `whole` for repeated attributes.
fn configs(text: &str, whole: &str) -> Vec<Vec<String>> {
    let of = |rest: &str| {
        let name = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap();
        let named = whole.split(&format!("#{name} = #")).nth(1);
        words(balanced(named.unwrap_or(rest)))
    };
    text.split("lowering_config = #").skip(1).map(of).collect()
}

fn balanced(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|letter| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        letter == '>' && depth == 0
    });
    &text[..end.expect("brackets are closed")]
}

/// Splits an attribute into words, sorted.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.sort();
    words
}

/// Runs all configurations, and returns descriptions of the results that differ from the reference.
fn wrong(collection: &Collection, module: &Path, target: &Target, folder: &Path) -> Vec<String> {
    let name = collection.operation.name();
    let reference = reference(&collection.operation, 42, &folder.join("references").join(name));
    let reference = reference.expect("a reference");
    let check = |configuration: &Configuration| {
        let dispatch = collection.dispatch(configuration);
        let output = Command::new(TOOLS.join("iree-run-module"))
            .arg(format!("--device={}", target.uri()))
            .arg(format!("--module={}", module.display()))
            .arg(format!("--function={dispatch}"))
            .args(reference.flags())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let lines = || said.lines().take(3).collect::<Vec<_>>().join(" ");
        (!said.contains("[SUCCESS]"))
            .then(|| format!("{dispatch}: {} {}", lines(), String::from_utf8_lossy(&output.stderr)))
    };
    collection.configurations.iter().filter_map(check).collect()
}
