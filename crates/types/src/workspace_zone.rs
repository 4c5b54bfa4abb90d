//! The time zone of the workspace, as all rooms of a process share it.

use std::sync::{Arc, PoisonError, RwLock};

use jiff::tz::TimeZone;

/// The time zone of the workspace, which defines "today", "by Friday" and "at 9".
///
/// Its clones show the same zone: where it changes, every room sees the new one with its next look. A
/// rule takes a [`TimeZone`] as a value, which its caller got from here.
#[derive(Debug, Clone)]
pub struct WorkspaceZone(Arc<RwLock<TimeZone>>);

impl WorkspaceZone {
    /// The zone now.
    pub fn get(&self) -> TimeZone {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its IANA name; `UTC` if it has none.
    pub fn name(&self) -> String {
        self.get().iana_name().unwrap_or("UTC").to_owned()
    }

    /// Changes it for everybody who holds a clone. Returns whether it was another one.
    pub fn set(&self, zone: &TimeZone) -> bool {
        let mut present = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_other = *present != *zone;
        zone.clone_into(&mut present);
        is_other
    }
}

impl From<TimeZone> for WorkspaceZone {
    fn from(zone: TimeZone) -> Self {
        Self(Arc::new(RwLock::new(zone)))
    }
}
