//! Request bodies about agent work.

use dormouse::dates::{DayOrder, Wording};
use dormouse_types::field_change::FieldValue;
use dormouse_types::task::Field;
use dormouse_types::task::Status;
use dormouse_types::work::{CatchUp, Overlap, WorkAction};
use dormouse_types::work_filter::{EventFilter, TaskEvent};
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_step::{StepCheck, WorkStep};
use dormouse_types::{CategoryId, ConversationId, LabelId, TaskId, TemplateId, WorkRunId};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::read::{Reading, present};
use crate::Problem;

/// A filter of changes. A change passes if it is of this event and fits every other member that is set.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct EventFilterParams {
    /// What happens.
    event: TaskEvent,
    /// The field that is set; only with `fieldSet`.
    field: Option<Field>,
    /// The value before; only with `field`. A status is compared without its reason.
    from: Option<FieldValue>,
    /// The value after; only with `field`. A status is compared without its reason.
    to: Option<FieldValue>,
    /// The label; only with `labelAdded` and `labelRemoved`.
    label: Option<LabelId>,
    /// The category that the task is in when the change is looked at.
    category: Option<CategoryId>,
    /// The tasks; all if left out.
    #[serde(default)]
    tasks: Vec<TaskId>,
}

impl From<EventFilterParams> for EventFilter {
    fn from(params: EventFilterParams) -> Self {
        let EventFilterParams { event, field, from, to, label, category, tasks } = params;
        Self { event, field, from, to, label, category, tasks }
    }
}

/// Something that runs have to do.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkStepParams {
    /// What is to be done, on one line.
    text: String,
    /// Whether a run may not end well without it; not, if left out.
    #[serde(default)]
    mandatory: bool,
    /// What is checked of the published result when the step is marked, and again at the end.
    check: Option<StepCheckParams>,
}

/// What is checked of a published result.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "type", deny_unknown_fields, rename_all = "camelCase")]
pub(crate) enum StepCheckParams {
    /// There is text.
    NotEmpty,
    /// It names every task of a query, by title or id.
    NamesTasks {
        /// Only tasks of this status.
        status: Option<Status>,
        /// Only tasks with all of these words in their title.
        #[serde(default)]
        words: String,
    },
    /// It has these headings.
    Headings {
        /// The headings, in any order.
        headings: Vec<String>,
    },
    /// Every address in it stood in something that the run read.
    Links,
    /// It is JSON that fits a schema.
    Schema {
        /// The schema: `type`, `properties`, `required`, `additionalProperties`, `items`, `enum` and limits
        /// of length, number and value.
        #[schema(value_type = Object)]
        schema: Value,
    },
    /// It has at most so many words.
    Words {
        /// The most words.
        most: usize,
    },
}

impl From<WorkStepParams> for WorkStep {
    fn from(params: WorkStepParams) -> Self {
        let WorkStepParams { text, mandatory, check } = params;
        Self { text, mandatory, check: check.map(StepCheck::from) }
    }
}

impl From<StepCheckParams> for StepCheck {
    fn from(params: StepCheckParams) -> Self {
        match params {
            StepCheckParams::NotEmpty => Self::NotEmpty,
            StepCheckParams::NamesTasks { status, words } => Self::NamesTasks { status, words },
            StepCheckParams::Headings { headings } => Self::Headings { headings },
            StepCheckParams::Links => Self::Links,
            StepCheckParams::Schema { schema } => Self::Schema { schema },
            StepCheckParams::Words { most } => Self::Words { most },
        }
    }
}

/// Agent work to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkParams {
    /// Its title.
    title: String,
    /// The instructions of its runs. Without a language model they are read as `POST /api/work/read` does.
    /// May be left out if there are `parameters`.
    instructions: Option<String>,
    /// What it does without a language model, as in `GET /api/work/gallery`. Members that are left out
    /// have their defaults.
    #[schema(value_type = Option<Object>)]
    parameters: Option<Value>,
    /// When it happens, in words such as `every weekday at 9`, or as a rule of RFC 5545 with or without `DTSTART`.
    /// If left out, the instructions may say it, as in `every weekday at 7 tell me what is new`; else it runs once,
    /// now, unless `events` start it.
    schedule: Option<String>,
    /// The changes of tasks that start it: any that passes one of these filters.
    #[serde(default)]
    events: Vec<EventFilterParams>,
    /// Whether it waits for calls of hooks, which are made afterwards, and does not run now.
    #[serde(default)]
    waits_for_calls: bool,
    /// What its runs have to do besides, and what is checked of the result. Only with a language model.
    #[serde(default)]
    steps: Vec<WorkStepParams>,
    /// The policy for missed occurrences; `once` if left out.
    #[schema(value_type = Option<CatchUp>)]
    catch_up: Option<String>,
    /// How many hours a missed occurrence may be late and still run, up to 720; 24 if left out.
    catch_up_hours: Option<usize>,
    /// The policy for occurrences that overlap an earlier run; `queue` if left out.
    #[schema(value_type = Option<Overlap>)]
    overlap: Option<String>,
    /// The model that it asks, `provider/model`; that of its template, or of the workspace, if left out.
    model: Option<String>,
    /// The template that its runs follow, one of the kind `agentWork`. Only with a language model.
    #[schema(value_type = Option<TemplateId>)]
    template_id: Option<String>,
    /// The conversation in which it is begun. Without a schedule it reports its result there, once.
    #[schema(value_type = Option<ConversationId>)]
    conversation_id: Option<String>,
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
            parameters: self.parameters.map(parameters).transpose()?,
            schedule: self.schedule,
            events: self.events.into_iter().map(EventFilter::from).collect(),
            waits_for_calls: self.waits_for_calls,
            steps: self.steps.into_iter().map(WorkStep::from).collect(),
            catch_up,
            catch_up_hours: self.catch_up_hours,
            overlap,
            model: self.model,
            template: reading.parse("/templateId", self.template_id),
            conversation: reading.parse("/conversationId", self.conversation_id),
        };
        Ok((reading.finish(new)?, Wording::of(order, self.lang.as_deref())))
    }
}

/// Reads the parameters of work without a language model, and names a member that no kind has.
fn parameters(given: Value) -> Result<WorkParameters, Problem> {
    let read: WorkParameters = serde_json::from_value(given.clone())
        .map_err(|error| Problem::invalid("/parameters", error.to_string()))?;
    let known = serde_json::to_value(&read).unwrap_or_default();
    let names = given.as_object().into_iter().flat_map(|given| given.keys());
    match names.into_iter().find(|name| known.get(name).is_none()) {
        None => Ok(read),
        Some(name) => {
            let known: Vec<&str> = known
                .as_object()
                .into_iter()
                .flat_map(|one| one.keys())
                .map(String::as_str)
                .collect();
            let message =
                format!("there is no parameter `{name}`; there are: {}", known.join(", "));
            Err(Problem::invalid("/parameters", message))
        }
    }
}

/// An instruction to read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkReadParams {
    /// The instruction, such as `every weekday at 7 tell me what is due`.
    pub(crate) text: String,
    /// The order of day and month in figures; by default the day is first.
    #[schema(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`; English is always understood.
    lang: Option<String>,
}

impl WorkReadParams {
    pub(crate) fn read(self) -> Result<(String, Wording), Problem> {
        let mut reading = Reading::default();
        let order = reading.parse("/dayOrder", self.day_order).unwrap_or(DayOrder::DayFirst);
        Ok((reading.finish(self.text)?, Wording::of(order, self.lang.as_deref())))
    }
}

/// Work to try.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkTryParams {
    /// Its parameters, as in `GET /api/work/gallery`. Members that are left out have their defaults.
    #[schema(value_type = Object)]
    parameters: Value,
    /// The language of the text, as a tag such as `de-AT`.
    lang: Option<String>,
}

impl WorkTryParams {
    pub(crate) fn read(self) -> Result<(WorkParameters, Wording), Problem> {
        let wording = Wording::of(DayOrder::DayFirst, self.lang.as_deref());
        Ok((parameters(self.parameters)?, wording))
    }
}

/// A change of agent work. Fields left out are unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkPatch {
    /// What is done with it. Cannot be combined with other fields.
    #[schema(value_type = Option<WorkAction>)]
    action: Option<String>,
    /// The run that `cancel` ends; without it, the newest that has not ended. Only with `cancel`.
    #[schema(value_type = Option<WorkRunId>)]
    run_id: Option<String>,
    /// Its title.
    title: Option<String>,
    /// The instructions of its runs, from the next run on. Those of work without a language model are
    /// read again.
    instructions: Option<String>,
    /// What it does without a language model, from the next run on. Members that are left out have their
    /// defaults.
    #[schema(value_type = Option<Object>)]
    parameters: Option<Value>,
    /// When it happens, in words or as a rule of RFC 5545. It cannot be removed: `null` is refused.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    schedule: Option<Option<String>>,
    /// The changes of tasks that start it, from now on; empty for none.
    events: Option<Vec<EventFilterParams>>,
    /// What its runs have to do besides, from the next run on; empty for nothing.
    steps: Option<Vec<WorkStepParams>>,
    /// The policy for missed occurrences.
    #[schema(value_type = Option<CatchUp>)]
    catch_up: Option<String>,
    /// How many hours a missed occurrence may be late and still run, up to 720.
    catch_up_hours: Option<usize>,
    /// The policy for occurrences that overlap an earlier run.
    #[schema(value_type = Option<Overlap>)]
    overlap: Option<String>,
    /// The model that it asks; `null` means that of its template, or of the workspace.
    #[serde(default, deserialize_with = "present")]
    model: Option<Option<String>>,
    /// The template that its runs follow from now on, one of the kind `agentWork`; `null` means none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<TemplateId>)]
    template_id: Option<Option<String>>,
    /// The order of day and month in figures; by default the day is first.
    #[schema(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`.
    lang: Option<String>,
}

/// What a patch asks for.
pub(crate) enum WorkChange {
    /// An action, with the run that it is about if it names one.
    Action(WorkAction, Option<WorkRunId>),
    /// An edit.
    Edit(Box<dormouse::WorkPatch>, Wording),
}

impl WorkPatch {
    pub(crate) fn read(self) -> Result<WorkChange, Problem> {
        let mut reading = Reading::default();
        let action: Option<WorkAction> = reading.parse("/action", self.action);
        let run: Option<WorkRunId> = reading.parse("/runId", self.run_id);
        let catch_up = reading.parse("/catchUp", self.catch_up);
        let overlap = reading.parse("/overlap", self.overlap);
        let order = reading.parse("/dayOrder", self.day_order).unwrap_or(DayOrder::DayFirst);
        let template =
            reading.clearable(self.template_id, |reading, id| reading.parse("/templateId", id));
        let schedule = self.schedule.map(|words| words.unwrap_or_default());
        if schedule.as_deref().is_some_and(|words| words.trim().is_empty()) {
            let detail = "the schedule of work cannot be removed: pause the work with the action `pause`, or delete it";
            return Err(Problem::invalid("/schedule", detail));
        }
        let patch = dormouse::WorkPatch {
            title: self.title,
            instructions: self.instructions,
            parameters: self.parameters.map(parameters).transpose()?,
            schedule,
            events: self.events.map(|all| all.into_iter().map(EventFilter::from).collect()),
            steps: self.steps.map(|all| all.into_iter().map(WorkStep::from).collect()),
            catch_up,
            catch_up_hours: self.catch_up_hours,
            overlap,
            model: self.model,
            template,
        };
        let patch = reading.finish(patch)?;
        if run.is_some() && action != Some(WorkAction::Cancel) {
            let detail = "only `cancel` names a run: leave it out, or send the action `cancel`";
            return Err(Problem::invalid("/runId", detail));
        }
        match action {
            None => Ok(WorkChange::Edit(Box::new(patch), Wording::of(order, self.lang.as_deref()))),
            Some(action) if patch == dormouse::WorkPatch::default() => {
                Ok(WorkChange::Action(action, run))
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

/// When an occurrence happens instead.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkMoveParams {
    /// The time, in words such as `tomorrow at 11` or `2026-03-04 11:00`, in the time zone of the workspace.
    to: String,
    /// The order of day and month in figures; by default that of the workspace.
    #[schema(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`; English is always understood.
    lang: Option<String>,
}

/// Until when nothing of a schedule is due.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkSuspendParams {
    /// The time, or the day with whose beginning it goes on, in words such as `next monday` or `2026-03-09`.
    until: String,
    /// The order of day and month in figures; by default that of the workspace.
    #[schema(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`; English is always understood.
    lang: Option<String>,
}

/// Words for a time, and how they are to be read.
pub(crate) type TimeInWords = (String, Option<DayOrder>, Option<String>);

fn in_words(
    text: String,
    order: Option<String>,
    lang: Option<String>,
) -> Result<TimeInWords, Problem> {
    let mut reading = Reading::default();
    let order = reading.parse("/dayOrder", order);
    reading.finish((text, order, lang))
}

impl WorkMoveParams {
    pub(crate) fn read(self) -> Result<TimeInWords, Problem> {
        in_words(self.to, self.day_order, self.lang)
    }
}

impl WorkSuspendParams {
    pub(crate) fn read(self) -> Result<TimeInWords, Problem> {
        in_words(self.until, self.day_order, self.lang)
    }
}
