//! Settings of the workspace that its people choose.

use dormouse_journal::definition::{StoredZone, named_zone};
use dormouse_store::{ChangeRow, Commit, Db};
use dormouse_types::workspace_zone::USUAL_DAY_START;
use dormouse_types::{Caller, EventKind, Origin, Scope};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::dates::{DayOrder, Wording};
use crate::request::require;
use crate::{Dormouse, Error, WORKSPACE};

/// What is chosen for the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkspaceSettings {
    /// The order of day and month in dates written in figures; `null` if nobody chose one, then the
    /// day is first where a request names no order.
    pub date_order: Option<DayOrder>,
    /// The time zone that a person chose, by its IANA name; `null` if nobody chose one.
    pub time_zone: Option<String>,
    /// The time zone that holds while nobody has chosen one: that of the system in which the workspace was
    /// first opened.
    pub default_time_zone: String,
    /// When something is due that has a day and no time, by that zone, as `08:00`.
    pub day_starts: String,
}

impl WorkspaceSettings {
    /// The time zone that holds.
    pub fn zone(&self) -> &str {
        self.time_zone.as_ref().unwrap_or(&self.default_time_zone)
    }
}

/// What is to be changed. A setting left out is unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsPatch {
    /// The order of day and month; `Some(None)` leaves it to each reader.
    pub date_order: Option<Option<DayOrder>>,
    /// The time zone, by its IANA name; `Some(None)` sets it back to the default.
    pub time_zone: Option<Option<String>>,
    /// When something is due that has a day and no time, as `06:30`; `Some(None)` sets it back to 08:00.
    pub day_starts: Option<Option<String>>,
}

/// How a time of day is written.
const HOURS: &str = "%H:%M";

fn time_of_day(text: &str) -> Result<Time, Error> {
    Time::strptime(HOURS, text.trim()).map_err(|_| Error::Invalid {
        field: "dayStarts",
        message: format!("`{text}` is no time of day: write one such as 06:30"),
    })
}

impl Dormouse {
    /// The settings of the workspace.
    pub async fn settings(&self, caller: &Caller) -> Result<WorkspaceSettings, Error> {
        require(caller, Scope::Read)?;
        self.settings_now().await
    }

    async fn settings_now(&self) -> Result<WorkspaceSettings, Error> {
        let name = |zone: &TimeZone| zone.iana_name().unwrap_or("UTC").to_owned();
        let stored = self.journal.stored_zone(WORKSPACE).await?;
        let default = stored.as_ref().map_or(&self.zone_settings.default, StoredZone::default);
        Ok(WorkspaceSettings {
            date_order: self.date_order().await?,
            time_zone: stored.as_ref().and_then(StoredZone::chosen).map(name),
            default_time_zone: name(default),
            day_starts: self.stored_day_starts().await?.strftime(HOURS).to_string(),
        })
    }

    /// Changes settings of the workspace.
    ///
    /// Errors: an unknown time zone, or no time of day; then nothing is changed.
    pub async fn edit_settings(
        &self,
        caller: &Caller,
        patch: SettingsPatch,
    ) -> Result<WorkspaceSettings, Error> {
        require(caller, Scope::Admin)?;
        if patch == SettingsPatch::default() {
            return self.settings_now().await;
        }
        let zone = match patch.time_zone {
            None => None,
            Some(name) => Some(name.as_deref().map(named_zone).transpose()?),
        };
        let day_starts = match patch.day_starts {
            None => None,
            Some(text) => Some(text.as_deref().map(time_of_day).transpose()?),
        };
        let is_other_day = zone.is_some() || day_starts.is_some();
        if let Some(order) = patch.date_order {
            self.journal.set_date_order(WORKSPACE, order, &caller.actor).await?;
        }
        if let Some(chosen) = zone {
            let default = &self.zone_settings.default;
            let (journal, actor) = (&self.journal, &caller.actor);
            journal.choose_zone(WORKSPACE, chosen.as_ref(), default, actor).await?;
        }
        if let Some(chosen) = day_starts {
            let chosen = chosen.map(|time| time.strftime(HOURS).to_string());
            self.journal.set_day_starts(WORKSPACE, chosen.as_deref(), &caller.actor).await?;
        }
        if is_other_day {
            self.load_zone().await?;
        }
        let origin = Origin::Person { via: None };
        let changed = ChangeRow::agent(origin, EventKind::SettingsChanged, None, "settings");
        self.store
            .commit(Commit::new("settings.edit", Db::Agent, WORKSPACE).change(changed))
            .await?;
        self.settings_now().await
    }

    /// Lets everything follow the time zone that is stored, and the time at which days start, if they are
    /// others than before: days, due dates, schedules without a zone of their own. Another node may have
    /// changed them.
    ///
    /// Errors: it cannot be read, or this version does not know it: then the zone stays as it is. Something
    /// could not be planned again: then it is tried again the next time.
    pub async fn load_zone(&self) -> Result<(), Error> {
        let mut is_followed = self.zone_settings.is_followed.lock().await;
        let stored = self.journal.stored_zone(WORKSPACE).await?;
        let zone = stored.as_ref().map_or(&self.zone_settings.default, |stored| &stored.zone);
        let is_other_day = self.load_day_starts().await?;
        if self.zone.set(zone) || is_other_day {
            *is_followed = false;
        }
        if !*is_followed {
            self.follow_zone().await?;
            *is_followed = true;
        }
        Ok(())
    }

    /// Takes over when days start, as it is stored. Returns whether it was another time.
    pub(crate) async fn load_day_starts(&self) -> Result<bool, Error> {
        let time = self.stored_day_starts().await?;
        Ok(self.zone.set_day_starts(time))
    }

    /// When days start. A value of a newer version counts as none.
    async fn stored_day_starts(&self) -> Result<Time, Error> {
        let stored = self.journal.day_starts(WORKSPACE).await?;
        Ok(stored.and_then(|text| time_of_day(&text).ok()).unwrap_or(USUAL_DAY_START))
    }

    /// Plans again, by the zone that the clock shows now, what was planned by another one.
    pub(crate) async fn follow_zone(&self) -> Result<(), Error> {
        self.work.follow_zone(WORKSPACE).await?;
        self.agents.follow_zone(WORKSPACE).await?;
        Ok(())
    }

    /// The time zone of the workspace now.
    pub fn time_zone(&self) -> TimeZone {
        self.zone.get()
    }

    /// How a request is read that may name an order of day and month: otherwise by that of the
    /// workspace.
    pub async fn wording(
        &self,
        order: Option<DayOrder>,
        language: Option<&str>,
    ) -> Result<Wording, Error> {
        let order = match order {
            Some(order) => order,
            None => self.date_order().await?.unwrap_or(DayOrder::DayFirst),
        };
        Ok(Wording::of(order, language))
    }

    /// The order that was chosen. A name of a newer version counts as none.
    async fn date_order(&self) -> Result<Option<DayOrder>, Error> {
        let order = self.journal.date_order(WORKSPACE).await?;
        Ok(order.and_then(|order| order.known()))
    }
}
