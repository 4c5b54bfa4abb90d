//! The machine a bench ran on: a figure without it says nothing.

use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

/// What the figures depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Machine {
    /// The processor, as the system names it.
    pub processor: String,
    /// How many of them may be used.
    pub cores: usize,
    /// Units: MiB.
    pub memory_mib: u64,
    /// Where the data lay: type and device of the file system.
    pub disk: String,
    /// `release` or `debug`: the figures of a debug build are not to be compared.
    pub build: &'static str,
}

impl Machine {
    /// Reads what Linux says of itself; what it does not say is `unknown`.
    pub fn of(folder: &Path) -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let processor = field(&read("/proc/cpuinfo"), "model name").unwrap_or("unknown").to_owned();
        let memory = read("/proc/meminfo");
        let kib = field(&memory, "MemTotal").and_then(|text| text.split(' ').next()?.parse().ok());
        Self {
            processor,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mib: kib.unwrap_or(0u64) / 1024,
            disk: disk(&read("/proc/mounts"), folder).unwrap_or_else(|| "unknown".into()),
            build: if cfg!(debug_assertions) { "debug" } else { "release" },
        }
    }

    /// Whether the data lay in memory: then a sync costs nothing, and the figures are of no use.
    pub fn is_memory(&self) -> bool {
        self.disk.starts_with("tmpfs") || self.disk.starts_with("ramfs")
    }
}

/// Units: bytes. What this process holds in memory, the pages of files it has mapped included.
///
/// Errors: the system does not say.
pub fn resident_bytes() -> anyhow::Result<u64> {
    bytes_of("VmRSS")
}

/// Units: bytes. The most that this process ever held in memory.
///
/// Errors: the system does not say.
pub fn peak_bytes() -> anyhow::Result<u64> {
    bytes_of("VmHWM")
}

fn bytes_of(name: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")
        .context("/proc/self/status cannot be read: this bench needs Linux")?;
    let kib = field(&status, name).and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    Ok(kib.with_context(|| format!("/proc/self/status does not say {name}"))? * 1024)
}

/// The value of the first line `name: value`.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// Type and device of the file system of a folder: the mount with the longest fitting path.
fn disk(mounts: &str, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let fitting = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (device, point, kind) = (words.next()?, words.next()?, words.next()?);
        folder.starts_with(point).then(|| (point.len(), format!("{kind} on {device}")))
    });
    fitting.max_by_key(|(len, _)| *len).map(|(_, disk)| disk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_is_that_of_the_nearest_mount() {
        let mounts = "/dev/a / ext4 rw 0 0\ntmpfs /proc tmpfs rw 0 0\n";
        assert_eq!(disk(mounts, Path::new("/")).as_deref(), Some("ext4 on /dev/a"));
        assert_eq!(disk(mounts, Path::new("/proc")).as_deref(), Some("tmpfs on tmpfs"));
    }
}
