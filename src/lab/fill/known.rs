//! What is known before the first run: the existing captures, their gaps, and the modes that the device refuses.

use std::collections::BTreeMap;

use read::bundle::set::{Absence, CaptureSet};
use schemas::questions::MODES;
use tools::capture::plan::{Contents, Known, Wanted};
use tools::capture::{contents_of_bundle, contents_of_set, driver_of, unsupported};
use workspace::Gaps;

use super::subject::Subject;

/// Collects the existing captures, their gaps, and the modes that the device is known to refuse.
pub fn known(wanted: &Wanted, subject: &Subject, gaps: &Gaps, device: Option<&str>) -> Known {
    let set = subject.set();
    let of_set =
        subject.manifest.as_ref().map(|manifest| contents_of_set(manifest, &subject.folder));
    let captured = match (of_set, &subject.given) {
        (Some(contents), _) => contents,
        (None, Some(path)) => vec![contents_of_bundle(path)],
        (None, None) => Vec::new(),
    };
    let open = gaps.gaps.iter().filter(|gap| !gap.is_closed).filter_map(|gap| {
        // The modes that another device needs may not apply to this one.
        let is_same = is_of(&set, gaps, &gap.bundle, device);
        let modes = if is_same { gap.modes.clone() } else { Vec::new() };
        (!is_same || !modes.is_empty()).then_some((gap.question.name, modes))
    });
    let mut refused = refused(&set, gaps, &captured, device);
    // Modes that were requested by name are tried again.
    refused.retain(|mode, _| !wanted.modes.contains(mode));
    Known {
        before: captured.len(),
        gaps: Some(open.collect()),
        captured,
        refused,
        ..Known::default()
    }
}

/// True if a bundle was captured on the device, as far as is known.
fn is_of(set: &CaptureSet, gaps: &Gaps, label: &str, device: Option<&str>) -> bool {
    let run = set.runs.iter().find(|run| run.name == label);
    if let Some(process) = run.and_then(|run| run.process.as_ref()) {
        return process.device.as_deref() == device;
    }
    let known = gaps.drivers.iter().find(|(known, _)| known == label);
    match (known.and_then(|(_, driver)| driver.as_deref()), device) {
        (Some(driver), Some(device)) => Some(driver) == driver_of(device),
        (None, _) => set.last_process().is_none_or(|it| it.device.as_deref() == device),
        (Some(_), None) => true,
    }
}

/// Returns the modes that the device is known not to record, and why.
fn refused(
    set: &CaptureSet,
    gaps: &Gaps,
    captured: &[Contents],
    device: Option<&str>,
) -> BTreeMap<&'static str, String> {
    let of_device = |label: &str| is_of(set, gaps, label, device);
    let is_held = |mode: &str| {
        captured.iter().any(|held| held.modes.contains(&mode) && of_device(&held.name))
    };
    let own = gaps.drivers.iter().find(|(label, driver)| driver.is_some() && of_device(label));
    let own = own.and_then(|(_, driver)| driver.as_deref());
    let name = device.map_or(own, driver_of);
    let never = name.map(unsupported).unwrap_or_default();
    let mut refused = BTreeMap::new();
    for mode in MODES.iter().map(|mode| mode.name).filter(|mode| !is_held(mode)) {
        let reason = match set.told(None, device, mode) {
            Absence::Refused(said) => format!("not supported by this driver: {said}"),
            Absence::Nothing(said) => format!("not recorded by this driver: {said}"),
            _ => match never.get(mode) {
                Some(reason) => reason.clone(),
                None => continue,
            },
        };
        refused.insert(mode, reason);
    }
    refused
}
