//! Agent work: definitions, runs, questions, and the lines of a log.

use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::closed_list;
use dormouse_types::work::{
    CatchUp, Overlap, RunStart, RunState, SkipReason, WorkAction, WorkCreator, WorkOutcome,
    WorkSource, WorkStart, WorkState, WorkStatus, WorkType,
};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_kind::{WorkKind, WorkParameters, WorkReads, WorkRefusal};
use dormouse_types::work_outcome::{BuiltInOutcome, Figure};
use dormouse_types::work_step::{WorkRunStep, WorkStep};
use dormouse_types::{QuestionId, RunKey, SessionId, TemplateId, Timestamp, WorkId, WorkRunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A schedule as it was understood, to be shown before it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SchedulePreview {
    /// What it means, as an English sentence.
    pub sentence: String,
    /// The next times, at most five.
    pub next: Vec<Timestamp>,
    /// Times before 7:00 that were written without a half of the day, such as `06:00` for "every day at 6". A schedule
    /// takes them literally; show them, so that a person who means the evening can say so.
    #[serde(default)]
    pub early_times: Vec<String>,
}

/// What new work would be, to be shown before it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkPreview {
    /// What would start its first run.
    pub starts: WorkStart,
    /// What its schedule means: the one that is given, or that its instructions say. `None` without one.
    pub schedule: Option<SchedulePreview>,
    /// When such work usually runs, in words, if it would run once, now: a schedule to choose.
    pub usual_schedule: Option<String>,
    /// What it does without a language model, as an English sentence; `None` if a language model reads it.
    pub sentence: Option<String>,
    /// The parts of its instructions that it does nothing about, if no language model reads them.
    pub not_understood: Vec<String>,
    /// The language model that reads its instructions; `None` if none does.
    #[serde(default)]
    pub model: Option<String>,
}

/// A kind of work without a language model, ready to switch on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkTemplate {
    /// The kind.
    pub work_kind: WorkKind,
    /// Its name.
    pub name: String,
    /// What it does, in one sentence.
    pub sentence: String,
    /// When it usually runs, in words.
    pub schedule: String,
    /// The next times of that schedule, at most five.
    pub next: Vec<Timestamp>,
    /// What a run may read. Nothing of it leaves the process.
    pub reads: Vec<WorkReads>,
    /// The parameters that it starts with; `None` if it needs the title of a task first.
    pub parameters: Option<WorkParameters>,
}

/// An instruction as it was understood, to be shown before it is saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkInstruction {
    /// The kind.
    pub work_kind: WorkKind,
    /// The parameters.
    pub parameters: WorkParameters,
    /// What it does and when, in one sentence.
    pub sentence: String,
    /// When it happens, in words.
    pub schedule: String,
    /// Whether the instruction does not say when, so that it happens at the usual time of its kind.
    pub is_usual_time: bool,
    /// The next times, at most five.
    pub next: Vec<Timestamp>,
    /// Times before 7:00 that were written without a half of the day, as in [`SchedulePreview`].
    #[serde(default)]
    pub early_times: Vec<String>,
    /// Parts of the instruction that were not understood, as they were written.
    pub not_understood: Vec<String>,
    /// Why it cannot be switched on; `None` if it can be.
    pub refusal: Option<WorkRefusal>,
    /// The language that the instruction was read in, as an ISO 639 code.
    pub language: String,
}

/// What a run would come to if it ran now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkTrial {
    /// The outcome.
    pub outcome: BuiltInOutcome,
    /// What the work does, in one sentence.
    pub sentence: String,
}

/// A definition of agent work, joined with the run that stands for it: the newest that has not ended, or
/// the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentWork {
    /// Its id.
    pub id: WorkId,
    /// By a schedule, or once.
    #[serde(rename = "type")]
    pub kind: WorkType,
    /// Where it comes from.
    pub source_type: WorkSource,
    /// What leads back there.
    pub source_ref: Option<String>,
    /// Its title.
    pub title: String,
    /// The newest version of its instructions.
    pub instructions: String,
    /// The number of that version, from 1.
    pub version: i64,
    /// What it is up to.
    pub status: WorkStatus,
    /// The exact state of the run; `None` if nothing has run.
    pub run_state: Option<RunState>,
    /// The title of what the run came to; `None` if it published nothing.
    #[serde(default)]
    pub result_title: Option<String>,
    /// Whether it may start runs.
    pub state: WorkState,
    /// Whether it was paused with all agent work, and is resumed with it.
    #[serde(default)]
    pub paused_with_all: bool,
    /// What can be done with it now, besides editing it.
    #[serde(default)]
    pub actions: Vec<WorkAction>,
    /// The session of its runs.
    pub session_id: SessionId,
    /// One for all occurrences of a series.
    pub recurrence_id: Option<String>,
    /// The original start of the occurrence that the run is of, on the clock of the series.
    pub occurrence_date: Option<String>,
    /// The words of its schedule.
    pub schedule: Option<String>,
    /// The changes of tasks that start it.
    pub events: Vec<EventFilter>,
    /// What its runs have to do besides, and what is checked of it.
    #[serde(default)]
    pub steps: Vec<WorkStep>,
    /// When the next occurrence is due.
    pub next_due_at: Option<Timestamp>,
    /// Until when nothing of its schedule is due; `None` if it is not suspended.
    #[serde(default)]
    pub suspended_until: Option<Timestamp>,
    /// The policy for missed occurrences.
    pub catch_up: CatchUp,
    /// The most that a missed occurrence may be late and still run. Units: hours.
    #[serde(default)]
    pub catch_up_hours: i64,
    /// The policy for overlapping occurrences.
    pub overlap: Overlap,
    /// The model it asks; `None` is that of its template, or of the workspace.
    pub model: Option<String>,
    /// The template that its runs follow; `None` for none.
    #[serde(default)]
    pub template_id: Option<TemplateId>,
    /// What it does without a language model; `None` if its instructions are for one.
    pub built_in: Option<BuiltInWork>,
    /// When the run was due.
    pub scheduled_for: Option<Timestamp>,
    /// When the run began.
    pub started_at: Option<Timestamp>,
    /// When the run ended.
    pub completed_at: Option<Timestamp>,
    /// Who made it.
    pub created_by: WorkCreator,
    /// When it was made.
    pub created: Timestamp,
    /// The name of its log; derived from the id.
    pub log_path: String,
    /// The id of the run.
    pub latest_run: Option<WorkRunId>,
}

/// A run of agent work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkRun {
    /// Its id.
    pub id: WorkRunId,
    /// Its definition.
    pub task_id: WorkId,
    /// Its number within the definition, from 1.
    pub n: i64,
    /// The version of the instructions that it followed.
    pub version: i64,
    /// Its state.
    pub run_state: RunState,
    /// Why it was left out.
    pub skip_reason: Option<SkipReason>,
    /// What started it.
    pub started_by: RunStart,
    /// When it was due; `None` if its schedule did not start it.
    pub scheduled_for: Option<Timestamp>,
    /// The original start of its occurrence, on the clock of the series.
    pub occurrence_date: Option<String>,
    /// How it says that it ended.
    pub outcome: Option<WorkOutcome>,
    /// What it says that it did.
    pub summary: Option<String>,
    /// The title of what it published.
    pub result_title: Option<String>,
    /// What it published, in Markdown.
    pub result: Option<String>,
    /// Its steps, with how far it has got.
    #[serde(default)]
    pub steps: Vec<WorkRunStep>,
    /// The numbers that the result names, each with what it counts; empty if a model wrote it.
    pub figures: Vec<Figure>,
    /// Why it failed, or waits for a review.
    pub error: Option<String>,
    /// Who ended it, if a person did.
    pub ended_by: Option<String>,
    /// Who started it: `scheduler` if a schedule, a change of a task or a call did.
    pub created_by: WorkCreator,
    /// The session of the run. Runs that may be side by side have one each; all others have that of the work.
    pub session_id: SessionId,
    /// The run that it does again: a person corrected the work after it, and requested this run.
    #[serde(default)]
    pub revises: Option<WorkRunId>,
    /// When it was made.
    pub created: Timestamp,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
}

/// A question of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkQuestion {
    /// Its id.
    pub id: QuestionId,
    /// The run that asks.
    pub run_id: WorkRunId,
    /// What it asks.
    pub question: String,
    /// The answers that it offers.
    pub options: Vec<String>,
    /// The answer.
    pub answer: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// Until when it can be answered.
    pub expires_at: Timestamp,
    /// Whether it still waits for an answer.
    pub is_open: bool,
}

/// A definition of agent work with its newest runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentWorkDetail {
    /// The definition.
    pub task: AgentWork,
    /// Its newest runs, newest first, at most ten.
    pub runs: Vec<WorkRun>,
    /// The questions that wait for an answer.
    pub questions: Vec<WorkQuestion>,
    /// The newest lines of the log, oldest first, at most 20, of the run that stands for the definition. What
    /// is long is cut, and ends with `…`.
    #[serde(default)]
    pub log: Vec<WorkLogLine>,
    /// Where the log of that run begins: the `cursor` of `/api/tasks/{work}/log` that gives it whole. `None` if
    /// nothing has run.
    #[serde(default)]
    pub log_cursor: Option<String>,
    /// Whether `log` has every line of that run as it is.
    #[serde(default)]
    pub is_log_whole: bool,
}

closed_list! {
    /// What a line of a log holds.
    pub enum LogLineKind, "kind of log line" {
        /// A run began.
        Run = "run",
        /// What the model said.
        Message = "said",
        /// A call of a tool.
        Call = "call",
        /// The result of a call.
        Result = "result",
        /// What the person answered to a question of the run.
        Answer = "answer",
        /// What earlier runs were folded into, or why they were not.
        Summary = "summary",
        /// A row that cannot be read; the lines around it are all there are.
        Damaged = "damaged",
        /// How the run ended, or what it waits for.
        End = "end",
    }
}

/// A line of the log of agent work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkLogLine {
    /// The definition.
    pub task_id: WorkId,
    /// The run; `None` if its row cannot be read.
    pub run_id: Option<WorkRunId>,
    /// The number of the run within the definition, from 1.
    pub run: i64,
    /// The key of the attempt; `None` for the lines that begin and end a run.
    pub run_key: Option<RunKey>,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: LogLineKind,
    /// When the run began or ended; `None` for what is between.
    pub at: Option<Timestamp>,
    /// The text: what was said, answered, or how it ended.
    pub text: Option<String>,
    /// The tool that was called.
    pub tool: Option<String>,
    /// The arguments of the call.
    pub arguments: Option<Value>,
    /// Whether the call was refused.
    pub refused: Option<bool>,
    /// The state of the run, in its last line.
    pub run_state: Option<RunState>,
    /// The run that this one does again, with a correction; in its first line.
    #[serde(default)]
    pub revises: Option<WorkRunId>,
}

/// An occurrence of agent work that is still to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkOccurrence {
    /// Which one it is: its original start on the clock of the schedule.
    pub key: String,
    /// When it is due, or would be if it were not skipped.
    pub due: Timestamp,
    /// Whether a person moved it.
    pub is_moved: bool,
    /// Whether a person skips it.
    pub is_skipped: bool,
    /// Whether it was skipped or moved, and can still happen as the schedule says.
    #[serde(default)]
    pub can_restore: bool,
}

/// What comes of the schedule of agent work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkOccurrences {
    /// The next five that happen, and all that a person skipped or moved, in the order in which they are due.
    pub items: Vec<WorkOccurrence>,
    /// Until when nothing of it is due; `None` if it is not suspended.
    pub suspended_until: Option<Timestamp>,
}
