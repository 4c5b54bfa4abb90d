//! Settings of the workspace, as they are sent.

use dormouse::SettingsPatch;
use dormouse::dates::DayOrder;
use serde::Deserialize;
use utoipa::ToSchema;

use super::read::{Reading, present};
use crate::Problem;

/// Settings of the workspace. Fields left out are unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SettingsParams {
    /// The order of day and month in dates written in figures; `null` leaves it to each reader.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<DayOrder>)]
    date_order: Option<Option<String>>,
    /// The time zone, by its IANA name such as `Europe/Berlin`; `null` sets it back to the default.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    time_zone: Option<Option<String>>,
    /// When something is due that has a day and no time, such as `06:30`; `null` sets it back to 08:00.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    day_starts: Option<Option<String>>,
}

impl SettingsParams {
    pub(crate) fn read(self) -> Result<SettingsPatch, Problem> {
        let mut reading = Reading::default();
        let date_order =
            reading.clearable(self.date_order, |reading, text| reading.parse("/dateOrder", text));
        let (time_zone, day_starts) = (self.time_zone, self.day_starts);
        reading.finish(SettingsPatch { date_order, time_zone, day_starts })
    }
}
