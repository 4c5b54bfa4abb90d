//! What a process knows about the time zone of the workspace, besides the zone itself.

use futures_util::lock::Mutex;
use jiff::tz::TimeZone;

/// What a process knows about the time zone of the workspace.
pub(crate) struct ZoneSettings {
    /// That which holds if none is stored.
    pub(crate) default: TimeZone,
    /// Whether what depends on the zone is planned by the present one. The lock lets one change after another
    /// take effect.
    pub(crate) is_followed: Mutex<bool>,
}

impl ZoneSettings {
    pub(crate) fn new(default: TimeZone) -> Self {
        Self { default, is_followed: Mutex::new(true) }
    }
}
