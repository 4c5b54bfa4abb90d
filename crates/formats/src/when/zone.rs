//! Time zones by name, from the database that is built in: no file of the machine is read.

use std::sync::LazyLock;

use jiff::tz::{TimeZone, TimeZoneDatabase};

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The zone of a name such as `Europe/Berlin`; letter case does not matter.
pub(crate) fn named(name: &str) -> Option<TimeZone> {
    ZONES.get(name).ok()
}

/// The names of all zones.
pub(crate) fn names() -> impl Iterator<Item = String> {
    ZONES.available().map(|name| name.as_str().to_owned())
}

/// Reads `Z`, `+02:00`, `-0530` or `+01`. Units: seconds east of UTC.
pub(super) fn offset(text: &str) -> Option<i32> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let hours: i32 = digits[..2].parse().ok()?;
    let minutes: i32 = if digits.len() == 4 { digits[2..].parse().ok()? } else { 0 };
    (hours <= 15 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}
