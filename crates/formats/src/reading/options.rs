//! Options for reading a text: date order, today, time zone.

use dormouse_types::hash;
use dormouse_types::id::Digest;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::Cancel;

/// The order in which the reader writes day and month where both are numbers.
pub use crate::when::DayOrder;

/// Options for reading a text: date order, today, time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReadOptions {
    /// The order of day and month.
    pub order: DayOrder,
    /// The day on which the text is read, for dates without a year. Without it they stay text, and
    /// no sentence is searched for a deadline.
    pub today: Option<Date>,
    /// The day of the import, also where `today` is not used: a note is not written after it. What a day that is
    /// still ahead says in a heading is when something takes place.
    #[serde(skip)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub read_on: Option<Date>,
    /// The zone in which an instant is turned into a day, by its IANA name.
    #[serde(with = "jiff::fmt::serde::tz::required")]
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub zone: TimeZone,
    /// Whether the reading is still wanted; checked between lines and records.
    #[serde(skip)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub cancel: Cancel,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            order: DayOrder::DayFirst,
            today: None,
            read_on: None,
            zone: TimeZone::UTC,
            cancel: Cancel::default(),
        }
    }
}

impl ReadOptions {
    /// Identifies everything that a reading depends on besides its text.
    pub(crate) fn digest(&self) -> Digest {
        let today = self.today.map(|day| day.to_string()).unwrap_or_default();
        // A zone without a name is one of rules or of a distance; both show what they are.
        let zone = self.zone.iana_name().map_or_else(|| format!("{:?}", self.zone), str::to_owned);
        hash::joined(&["read", self.order.name(), &today, &zone])
    }
}
