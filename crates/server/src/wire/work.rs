//! Request bodies about agent work.

use dormouse::dates::{DayOrder, Wording};
use dormouse_types::work::{CatchUp, Overlap};
use serde::Deserialize;
use utoipa::ToSchema;

use super::read::{Reading, present};
use crate::Problem;

/// Agent work to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkParams {
    /// Its title.
    title: String,
    /// What its runs are told to do.
    instructions: String,
    /// When it happens, in words such as `every weekday at 9`. If left out, it runs once, now.
    schedule: Option<String>,
    /// What becomes of occurrences that were missed; `once` if left out.
    #[schema(value_type = Option<CatchUp>)]
    catch_up: Option<String>,
    /// What becomes of occurrences that overlap an earlier run; `queue` if left out.
    #[schema(value_type = Option<Overlap>)]
    overlap: Option<String>,
    /// The model that it asks, `provider/model`; that of the workspace if left out.
    model: Option<String>,
    /// The order of day and month in figures; by default the day is first.
    #[schema(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`.
    lang: Option<String>,
}

impl WorkParams {
    pub(crate) fn read(self) -> Result<(dormouse::NewWork, Wording), Problem> {
        let mut reading = Reading::default();
        let catch_up = reading.parse("/catchUp", self.catch_up).unwrap_or_default();
        let overlap = reading.parse("/overlap", self.overlap).unwrap_or_default();
        let order = reading.parse("/dayOrder", self.day_order).unwrap_or(DayOrder::DayFirst);
        let new = dormouse::NewWork {
            title: self.title,
            instructions: self.instructions,
            schedule: self.schedule,
            catch_up,
            overlap,
            model: self.model,
        };
        Ok((reading.finish(new)?, Wording::of(order, self.lang.as_deref())))
    }
}

/// What a change of agent work does besides editing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkAction {
    /// Starts nothing until it is resumed.
    Pause,
    /// Starts runs again.
    Resume,
    /// Ends the run that is under way or waits.
    Cancel,
    /// Never runs again; its history stays.
    Archive,
}

const ACTIONS: &[(&str, WorkAction)] = &[
    ("pause", WorkAction::Pause),
    ("resume", WorkAction::Resume),
    ("cancel", WorkAction::Cancel),
    ("archive", WorkAction::Archive),
];

/// A change of agent work. Fields left out are unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkPatch {
    /// `pause`, `resume`, `cancel` (ends the run that is under way or waits) or `archive`. Cannot be
    /// combined with other fields.
    action: Option<String>,
    /// Its title.
    title: Option<String>,
    /// What its runs are told to do, from the next run on.
    instructions: Option<String>,
    /// When it happens, in words.
    schedule: Option<String>,
    /// What becomes of occurrences that were missed.
    #[schema(value_type = Option<CatchUp>)]
    catch_up: Option<String>,
    /// What becomes of occurrences that overlap an earlier run.
    #[schema(value_type = Option<Overlap>)]
    overlap: Option<String>,
    /// The model that it asks; `null` means that of the workspace.
    #[serde(default, deserialize_with = "present")]
    model: Option<Option<String>>,
    /// The order of day and month in figures; by default the day is first.
    #[schema(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`.
    lang: Option<String>,
}

/// What a patch asks for.
pub(crate) enum WorkChange {
    /// An action.
    Action(WorkAction),
    /// An edit.
    Edit(dormouse::WorkPatch, Wording),
}

impl WorkPatch {
    pub(crate) fn read(self) -> Result<WorkChange, Problem> {
        let mut reading = Reading::default();
        let action =
            self.action.as_deref().and_then(|text| reading.one_of("/action", text, ACTIONS));
        let catch_up = reading.parse("/catchUp", self.catch_up);
        let overlap = reading.parse("/overlap", self.overlap);
        let order = reading.parse("/dayOrder", self.day_order).unwrap_or(DayOrder::DayFirst);
        let patch = dormouse::WorkPatch {
            title: self.title,
            instructions: self.instructions,
            schedule: self.schedule,
            catch_up,
            overlap,
            model: self.model,
        };
        let patch = reading.finish(patch)?;
        match action {
            None => Ok(WorkChange::Edit(patch, Wording::of(order, self.lang.as_deref()))),
            Some(action) if patch == dormouse::WorkPatch::default() => {
                Ok(WorkChange::Action(action))
            }
            Some(_) => Err(Problem::invalid(
                "/action",
                "an action cannot be combined with other fields: send two requests",
            )),
        }
    }
}

/// Words of the person about agent work.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkCorrectionParams {
    /// What the runs are to do otherwise.
    pub(crate) text: String,
}

/// An answer to the question of a run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkAnswerParams {
    /// The answer: one of the options, or other words.
    pub(crate) answer: String,
}

/// What the person makes of a run that ended without an outcome.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkReviewParams {
    /// Whether what the run left is its result.
    pub(crate) approve: bool,
    /// Why not.
    pub(crate) reason: Option<String>,
}
