//! Peaks of devices that were measured, in a file of JSON.

use std::io::{self, Write};
use std::path::Path;

use base::replace;
use serde::{Deserialize, Serialize};

/// The peak of a device for an element type.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// The model of the device.
    pub device: String,
    /// The driver, as sessions are named.
    pub driver: String,
    /// The UUID of the device in a profile, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_device_uuid: Option<String>,
    /// The model of the machine's processor, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// The element type of the operands.
    pub dtype: String,
    pub flops_per_s: f64,
    pub bytes_per_s: f64,
    /// The time of a dispatch that does next to nothing.
    pub launch_ns: f64,
    /// When it was measured (RFC 3339).
    pub measured: String,
    /// How: dispatches and versions of the tools.
    pub source: String,
}

/// Reads the measured peaks. A file that does not exist has none.
pub fn peaks(path: &Path) -> io::Result<Vec<Peak>> {
    match std::fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(io::Error::from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Stores measured peaks in place of earlier ones of the same devices and types.
pub fn remember(path: &Path, new: &[Peak]) -> io::Result<()> {
    let identity = |peak: &Peak| {
        let Peak { device, driver, physical_device_uuid, dtype, .. } = peak.clone();
        (device, driver, physical_device_uuid, dtype)
    };
    let mut all = peaks(path)?;
    all.retain(|old| new.iter().all(|peak| identity(peak) != identity(old)));
    all.extend_from_slice(new);
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let text = serde_json::to_string_pretty(&all)? + "\n";
    replace(path, |file| file.write_all(text.as_bytes()))
}
