//! Paths and names of tracks.

/// The name of the tracks of allocated bytes.
pub(crate) const ALLOCATED: &str = "queue allocation bytes";

/// Returns the path of a device's track.
pub fn device_path(device: u64) -> String {
    format!("device[{device}]")
}

/// Returns the path of a queue's track. Events without a queue have a track of their own beside the queues.
pub fn queue_path(device: u64, queue: Option<u64>) -> String {
    match queue {
        Some(queue) => format!("{}/queue[{queue}]", device_path(device)),
        None => format!("{}/device-scope events", device_path(device)),
    }
}

/// Returns the path of a pool's track.
pub(crate) fn pool_path(device: u64, pool: u64) -> String {
    format!("{}/{}", device_path(device), pool_name(pool))
}

/// Returns the name of a pool's track.
pub(crate) fn pool_name(pool: u64) -> String {
    format!("pool[{pool}] bytes reserved")
}
