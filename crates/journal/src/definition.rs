//! Labels, categories and settings of a workspace.

use dormouse_store::journal::category::Category;
use dormouse_store::journal::label::{Definition, Label, definitions};
use dormouse_store::journal::row::{self, Entity};
use dormouse_store::journal::setting;
use dormouse_store::{Audit, ChangeRow, Commit, Db, Refusal};
use dormouse_types::audit::AuditAction;
use dormouse_types::closed_list::Listed;
use dormouse_types::day_order::DayOrder;
use dormouse_types::{
    Actor, CategoryId, Id as _, LabelId, Timestamp, WorkspaceId, address, limits,
};
use jiff::tz::TimeZone;

use crate::Journal;
use crate::edit::EditError;
use crate::error::JournalError;
use crate::write::EditCtx;

/// The time zone of a workspace, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredZone {
    /// That which holds.
    pub zone: TimeZone,
    /// That which held before a person chose; `None` if nobody did.
    pub before: Option<TimeZone>,
}

impl StoredZone {
    /// That which holds if nobody chooses.
    pub fn default(&self) -> &TimeZone {
        self.before.as_ref().unwrap_or(&self.zone)
    }

    /// That which a person chose.
    pub fn chosen(&self) -> Option<&TimeZone> {
        self.before.as_ref().map(|_| &self.zone)
    }
}

impl Journal {
    /// Every live label, by name.
    pub async fn labels(&self, ws: WorkspaceId) -> Result<Vec<Label>, JournalError> {
        let all = self.store.all(definitions(ws)).await?;
        Ok(all
            .into_iter()
            .filter_map(|definition| match definition {
                Definition::Label(label) => Some(label.doc.value),
                Definition::Category(_) => None,
            })
            .collect())
    }

    /// Every live category, by name.
    pub async fn categories(&self, ws: WorkspaceId) -> Result<Vec<Category>, JournalError> {
        let all = self.store.all(definitions(ws)).await?;
        Ok(all
            .into_iter()
            .filter_map(|definition| match definition {
                Definition::Category(category) => Some(category.doc.value),
                Definition::Label(_) => None,
            })
            .collect())
    }

    /// Finds a label by name, ignoring case, or creates it.
    ///
    /// Errors: a name that is empty or too long.
    pub async fn ensure_label(
        &self,
        ws: WorkspaceId,
        name: &str,
        ctx: &EditCtx,
    ) -> Result<Label, JournalError> {
        let name = name_of("label", name)?;
        let folded = name.to_lowercase();
        let find = |all: Vec<Label>| all.into_iter().find(|it| it.name.to_lowercase() == folded);
        if let Some(label) = find(self.labels(ws).await?) {
            return Ok(label);
        }
        let at = self.clock.now();
        let label = Label {
            id: LabelId::fresh(at, &*self.entropy),
            name: name.clone(),
            color: None,
            description: None,
            applicable_category_ids: Vec::new(),
            created_at: at,
            updated_at: at,
            deleted_at: None,
        };
        if self.define(ws, &label, AuditAction::LabelCreate, ctx).await? {
            return Ok(label);
        }
        // If another process created it in between, this finds that one.
        let made = find(self.labels(ws).await?);
        made.ok_or_else(|| EditError::NoLabel { label: label.id }.into())
    }

    /// Finds a category by name, ignoring case, or creates it.
    ///
    /// Errors: a name that is empty or too long.
    pub async fn ensure_category(
        &self,
        ws: WorkspaceId,
        name: &str,
        ctx: &EditCtx,
    ) -> Result<Category, JournalError> {
        let name = name_of("category", name)?;
        let folded = name.to_lowercase();
        let find = |all: Vec<Category>| all.into_iter().find(|it| it.name.to_lowercase() == folded);
        if let Some(category) = find(self.categories(ws).await?) {
            return Ok(category);
        }
        let at: Timestamp = self.clock.now();
        let category = Category {
            id: CategoryId::fresh(at, &*self.entropy),
            name: name.clone(),
            color: None,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        };
        if self.define(ws, &category, AuditAction::CategoryCreate, ctx).await? {
            return Ok(category);
        }
        let made = find(self.categories(ws).await?);
        made.ok_or_else(|| EditError::NoCategory { category: category.id }.into())
    }

    /// Adds a definition; returns false if the name already exists.
    async fn define<T: Entity>(
        &self,
        ws: WorkspaceId,
        value: &T,
        action: AuditAction,
        ctx: &EditCtx,
    ) -> Result<bool, JournalError> {
        let object = value.columns().id;
        let audit = Audit { actor: ctx.actor.clone(), action, object, detail: String::new() };
        let commit = Commit::new("journal.define", Db::Journal, ws)
            .op(row::insert(ws, value))
            .change(ChangeRow::journal(ctx.origin.clone(), Vec::new(), Vec::new()))
            .audit(audit);
        match self.store.commit(commit).await {
            Ok(_) => Ok(true),
            Err(error) if error.refusal() == Some(Refusal::Exists) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The workspace's time zone; `default` if none is set.
    ///
    /// Errors: a stored name that this version does not know.
    pub async fn zone(
        &self,
        ws: WorkspaceId,
        default: &TimeZone,
    ) -> Result<TimeZone, JournalError> {
        match self.store.first(setting::by_key(ws, setting::TIME_ZONE)).await? {
            None => Ok(default.clone()),
            Some(name) => named_zone(&name),
        }
    }

    /// Sets the workspace's time zone by its IANA name.
    ///
    /// Errors: an unknown time zone name.
    pub async fn set_zone(
        &self,
        ws: WorkspaceId,
        name: &str,
        actor: &Actor,
    ) -> Result<TimeZone, JournalError> {
        let zone = named_zone(name)?;
        let commit = Commit::new("journal.setting", Db::Journal, ws)
            .op(setting::put(ws, setting::TIME_ZONE, name.trim()))
            .audit(Audit {
                actor: actor.clone(),
                action: AuditAction::SettingSet,
                object: setting::TIME_ZONE.to_owned(),
                detail: name.trim().to_owned(),
            });
        self.store.commit(commit).await?;
        Ok(zone)
    }

    /// The workspace's time zone, and which one holds if nobody chooses; `None` if none is stored.
    ///
    /// Errors: a stored name that this version does not know.
    pub async fn stored_zone(&self, ws: WorkspaceId) -> Result<Option<StoredZone>, JournalError> {
        let settings = self.store.all(setting::all(ws)).await?;
        let of = |key: &str| settings.iter().find(|(found, _)| found == key);
        let Some((_, zone)) = of(setting::TIME_ZONE) else { return Ok(None) };
        let before =
            of(setting::DEFAULT_TIME_ZONE).map(|(_, name)| named_zone(name)).transpose()?;
        Ok(Some(StoredZone { zone: named_zone(zone)?, before }))
    }

    /// Sets the workspace's time zone for a person; `None` sets it back to what it was before anybody
    /// chose. `default` is that of the program, which counts if none is stored.
    pub async fn choose_zone(
        &self,
        ws: WorkspaceId,
        chosen: Option<&TimeZone>,
        default: &TimeZone,
        actor: &Actor,
    ) -> Result<(), JournalError> {
        let stored = self.stored_zone(ws).await?;
        let default = stored.as_ref().map_or(default, StoredZone::default);
        let name = |zone: &TimeZone| zone.iana_name().unwrap_or("UTC").to_owned();
        let kept = match chosen {
            Some(_) => setting::put(ws, setting::DEFAULT_TIME_ZONE, &name(default)),
            None => setting::remove(ws, setting::DEFAULT_TIME_ZONE),
        };
        let commit = Commit::new("journal.setting", Db::Journal, ws)
            .op(kept)
            .op(setting::put(ws, setting::TIME_ZONE, &name(chosen.unwrap_or(default))))
            .audit(Audit {
                actor: actor.clone(),
                action: AuditAction::SettingSet,
                object: setting::TIME_ZONE.to_owned(),
                detail: chosen.map_or("none".to_owned(), name),
            });
        self.store.commit(commit).await?;
        Ok(())
    }

    /// The workspace's order of day and month, as it was chosen; `None` if nobody did.
    pub async fn date_order(
        &self,
        ws: WorkspaceId,
    ) -> Result<Option<Listed<DayOrder>>, JournalError> {
        Ok(self.store.first(setting::date_order(ws)).await?)
    }

    /// Sets the workspace's order of day and month; `None` leaves it to each reader.
    pub async fn set_date_order(
        &self,
        ws: WorkspaceId,
        order: Option<DayOrder>,
        actor: &Actor,
    ) -> Result<(), JournalError> {
        self.set_setting(ws, setting::DATE_ORDER, order.map(DayOrder::name), actor).await
    }

    /// When something is due that has a day and no time, as `06:30`; `None` if nobody chose a time.
    pub async fn day_starts(&self, ws: WorkspaceId) -> Result<Option<String>, JournalError> {
        Ok(self.store.first(setting::by_key(ws, setting::DAY_STARTS)).await?)
    }

    /// Sets when something is due that has a day and no time; `None` sets it back to the usual time.
    pub async fn set_day_starts(
        &self,
        ws: WorkspaceId,
        time: Option<&str>,
        actor: &Actor,
    ) -> Result<(), JournalError> {
        self.set_setting(ws, setting::DAY_STARTS, time, actor).await
    }

    async fn set_setting(
        &self,
        ws: WorkspaceId,
        key: &str,
        value: Option<&str>,
        actor: &Actor,
    ) -> Result<(), JournalError> {
        let op = match value {
            Some(value) => setting::put(ws, key, value),
            None => setting::remove(ws, key),
        };
        let commit = Commit::new("journal.setting", Db::Journal, ws).op(op).audit(Audit {
            actor: actor.clone(),
            action: AuditAction::SettingSet,
            object: key.to_owned(),
            detail: value.unwrap_or("none").to_owned(),
        });
        self.store.commit(commit).await?;
        Ok(())
    }
}

/// A time zone by its IANA name.
///
/// Errors: no such zone is known.
pub fn named_zone(name: &str) -> Result<TimeZone, JournalError> {
    let found = TimeZone::get(name.trim()).ok().filter(|zone| !zone.is_unknown());
    found.ok_or_else(|| JournalError::Zone { given: name.chars().take(60).collect() })
}

fn name_of(field: &'static str, name: &str) -> Result<String, EditError> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if !name.contains(address::is_seen) {
        return Err(EditError::Empty { field });
    }
    let length = limits::LABEL_NAME.check(name.chars().count());
    length.map_err(|beyond| EditError::Beyond { field, beyond })?;
    Ok(name)
}
