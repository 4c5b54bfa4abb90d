//! Settings of the workspace that its people choose.

use dormouse_types::{Caller, Scope};
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
}

/// What is to be changed. A setting left out is unchanged.
#[derive(Debug, Clone, Default)]
pub struct SettingsPatch {
    /// The order of day and month; `Some(None)` leaves it to each reader.
    pub date_order: Option<Option<DayOrder>>,
}

impl Dormouse {
    /// The settings of the workspace.
    pub async fn settings(&self, caller: &Caller) -> Result<WorkspaceSettings, Error> {
        require(caller, Scope::Read)?;
        Ok(WorkspaceSettings { date_order: self.date_order().await? })
    }

    /// Changes settings of the workspace.
    pub async fn edit_settings(
        &self,
        caller: &Caller,
        patch: SettingsPatch,
    ) -> Result<WorkspaceSettings, Error> {
        require(caller, Scope::Admin)?;
        if let Some(order) = patch.date_order {
            let name = order.map(|order| order.to_string());
            self.journal.set_date_order(WORKSPACE, name.as_deref(), &caller.actor).await?;
        }
        Ok(WorkspaceSettings { date_order: self.date_order().await? })
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
        let name = self.journal.date_order(WORKSPACE).await?;
        Ok(name.and_then(|name| name.parse().ok()))
    }
}
