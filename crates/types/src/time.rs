//! Points in time.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time.
///
/// Units: microseconds since 1970-01-01T00:00:00Z. JSON: RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates a time from microseconds since 1970 in UTC.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The latest that can be stored: later than any that happens.
    pub const MAX: Self = Self(i64::MAX);

    /// Returns microseconds since 1970 in UTC.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The day in a time zone.
    pub fn day_in(self, zone: &jiff::tz::TimeZone) -> jiff::civil::Date {
        self.to_jiff().to_zoned(zone.clone()).date()
    }

    /// Converts to a jiff timestamp; out-of-range values are clamped to the year 9999.
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::MAX)
    }

    /// Converts from a jiff timestamp.
    pub fn from_jiff(at: jiff::Timestamp) -> Self {
        Self(at.as_microsecond())
    }
}

impl Timestamp {
    /// The duration until a later time; zero if that time has passed.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_micros(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

impl std::ops::Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, rest: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(rest.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl std::ops::Sub<Duration> for Timestamp {
    type Output = Self;
    fn sub(self, rest: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(rest.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_jiff().fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.to_jiff())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        jiff::Timestamp::deserialize(deserializer).map(Self::from_jiff)
    }
}
