//! The clock of the workspace, as all rooms of a process share it: its time zone, and when its days start.

use std::sync::{Arc, PoisonError, RwLock};

use jiff::civil::Time;
use jiff::tz::TimeZone;

/// When a day starts for what has a day and no time, until a person sets another time.
pub const USUAL_DAY_START: Time = Time::constant(8, 0, 0, 0);

/// The time zone of the workspace, which defines "today", "by Friday" and "at 9", and when its days start.
///
/// Its clones show the same: where it changes, every room sees the new value with its next look. A
/// rule takes a [`TimeZone`] and a [`Time`] as values, which its caller got from here.
#[derive(Debug, Clone)]
pub struct WorkspaceZone(Arc<RwLock<(TimeZone, Time)>>);

impl WorkspaceZone {
    fn now(&self) -> (TimeZone, Time) {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The zone now.
    pub fn get(&self) -> TimeZone {
        self.now().0
    }

    /// When something is due that has a day and no time.
    pub fn day_starts(&self) -> Time {
        self.now().1
    }

    /// Its IANA name; `UTC` if it has none.
    pub fn name(&self) -> String {
        self.get().iana_name().unwrap_or("UTC").to_owned()
    }

    /// Changes the zone for everybody who holds a clone. Returns whether it was another one.
    pub fn set(&self, zone: &TimeZone) -> bool {
        let mut present = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_other = present.0 != *zone;
        zone.clone_into(&mut present.0);
        is_other
    }

    /// Changes when days start, for everybody who holds a clone. Returns whether it was another time.
    pub fn set_day_starts(&self, time: Time) -> bool {
        let mut present = self.0.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut present.1, time) != time
    }
}

impl From<TimeZone> for WorkspaceZone {
    fn from(zone: TimeZone) -> Self {
        Self(Arc::new(RwLock::new((zone, USUAL_DAY_START))))
    }
}
