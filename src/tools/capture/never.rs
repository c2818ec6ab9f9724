//! Modes that are not asked for, because the driver is known not to record them.

use std::collections::BTreeMap;

use schemas::drivers::driver;

/// The beginning of the reason of such a mode.
pub(crate) const UNSUPPORTED: &str = "not supported by ";

/// Returns the driver of device URIs that commas separate: `vulkan` for `vulkan://0`. `None` if they have several
/// drivers.
pub fn driver_of(devices: &str) -> Option<&str> {
    let mut names =
        devices.split(',').map(|uri| uri.split_once("://").map_or(uri, |(driver, _)| driver));
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// Returns the modes that a driver never records, and the reason in words.
pub fn unsupported(name: &str) -> BTreeMap<&'static str, String> {
    let never = driver(name).map_or(&[][..], |driver| driver.never_records);
    never.iter().map(|mode| (*mode, format!("{UNSUPPORTED}{name}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_several_drivers_have_none() {
        assert_eq!(driver_of("vulkan://0"), Some("vulkan"));
        assert_eq!(driver_of("hip://0,hip://1"), Some("hip"));
        assert_eq!(driver_of("vulkan://0,local-task"), None);
        assert!(unsupported("local-task").contains_key("dispatch-events"));
        assert!(unsupported("another").is_empty());
    }
}
