//! `att`: decodes, lists and extracts the instruction traces of AMD GPUs.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::error::CliError;
use super::names;
use super::open::Opening;
use super::profile;
use super::profile::args::Profile;
use super::values::local;
use crate::att::{Outcome, Selection, Settings, TIME_LIMIT};
use crate::base::Pattern;
use crate::engine::Parameters;
use crate::report::att::{NEXT, TRACES};

pub mod child;
pub mod code_objects;
pub mod extract;
pub mod list;

const LIMIT: &str = "Maximum number of traces, and of rows per table (text)";
const ID: &str = "Only the trace or dispatch event with this id";

#[derive(Debug, Args)]
#[command(
    mut_arg("limit", |arg| arg.help(LIMIT)),
    mut_arg("id", |arg| arg.help(ID)),
    // Of all commands that share the flags, these are for others.
    mut_arg("dispatch_events", |arg| arg.hide(true)),
    mut_arg("counter_samples", |arg| arg.hide(true)),
    mut_arg("warmup", |arg| arg.hide(true))
)]
pub struct Att {
    #[command(flatten)]
    pub profile: Profile,
    /// List the traces, and whether the code objects are there that decoding needs; requires no library of ROCm
    #[arg(long)]
    pub list: bool,
    /// Write the traces, the code objects and a manifest with the load addresses into this folder; requires no library
    #[arg(long, value_name = "DIR", conflicts_with_all = ["list", "format", "json", "output"], value_parser = local())]
    pub extract: Option<PathBuf>,
    /// Folder of ROCm's libraries, or one of them; by default that of the environment variables
    /// `IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH` and `IREE_HAL_AMDGPU_LIBHSA_PATH`, else where the system looks
    #[arg(long, value_name = "PATH", conflicts_with_all = ["list", "extract"])]
    pub rocm_library_path: Option<PathBuf>,
    /// Sort instructions by `stall`, `duration`, `hits` or `pc` (the address); by default text by stall, other formats by
    /// address
    #[arg(long, value_name = "FIGURE", value_parser = sort, conflicts_with_all = ["list", "extract"])]
    pub sort: Option<&'static str>,
    /// Decode traces again even if what was decoded of them was kept
    #[arg(long, conflicts_with_all = ["list", "extract"])]
    pub no_cache: bool,
    /// Seconds that the decoding of one trace may take
    #[arg(long, value_name = "SECONDS", default_value_t = TIME_LIMIT.as_secs(), conflicts_with_all = ["list", "extract"])]
    pub time_limit: u64,
}

/// Runs the command.
pub fn run(args: &Att, opening: &Opening) -> Result<(), CliError> {
    let profile = &args.profile;
    let parameters = selected(&profile.filter, profile.id);
    let bundles = (profile.bundles.as_slice(), opening);
    let count = if let Some(folder) = &args.extract {
        let every = Parameters::default();
        let reports = [(extract::TRACE, &parameters), (extract::CODE_OBJECT, &every)];
        extract::extract(&reports, bundles, folder)?
    } else if args.list {
        list::print(&TRACES, profile.limit, NEXT, &parameters, bundles, &profile.printing)?
    } else {
        decode(args, opening)?
    };
    list::found(count, "instruction traces", &parameters)
}

/// Decodes the selected traces, and prints them. Returns their number. Fails if any could not be decoded.
fn decode(args: &Att, opening: &Opening) -> Result<usize, CliError> {
    let profile = &args.profile;
    let selection =
        Selection { filter: Pattern::new(&profile.filter), id: u64::try_from(profile.id).ok() };
    let settings = Settings {
        selection,
        rocm_library_path: args.rocm_library_path.clone(),
        is_fresh: args.no_cache,
        time_limit: Duration::from_secs(args.time_limit),
        ..Settings::default()
    };
    let opening = Opening { traces: settings.clone(), ..opening.clone() };
    let is_text = profile.printing.of_report().is_none();
    let sort = args.sort.unwrap_or(if is_text { "stall" } else { "pc" });
    profile::run_sorted("att", sort, profile, &opening)?;
    let Outcome { traces, problems } = settings.take_outcome();
    if problems.is_empty() { Ok(traces) } else { Err(CliError::Undecoded(problems)) }
}

/// Parses a value of `--sort`.
fn sort(name: &str) -> Result<&'static str, String> {
    names::named(name, "figures", &["stall", "duration", "hits", "pc"])
}

/// Returns the parameters of a report that select by name and id.
pub fn selected(filter: &str, id: i64) -> Parameters {
    Parameters {
        filter: filter.to_owned(),
        id: u64::try_from(id).ok(),
        id_filter: id,
        ..Parameters::default()
    }
}
