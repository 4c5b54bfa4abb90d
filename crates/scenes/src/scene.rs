//! A scene: what a person does, as values that can be done again after a crash.

use std::time::Duration;

use dormouse::{TaskPatch, Verdict};
use dormouse_testkit::scripted::Answer;
use dormouse_types::task::LinkKind;

/// What happens, from an empty store to an end.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What it is called in failures and snapshots.
    pub name: &'static str,
    /// Who answers the agents.
    pub model: Model,
    /// What the person does, in order.
    pub steps: Vec<Step>,
}

/// The model of a scene.
#[derive(Debug, Clone)]
pub enum Model {
    /// The rules model.
    Builtin,
    /// A script: one entry for each call of the model.
    Scripted(Vec<Answers>),
    /// The same by a provider: its answers come piece by piece, cost money, and have a part that it
    /// must get back.
    Hosted(Vec<Answers>),
}

impl Model {
    /// The script, if it is a scripted model.
    pub fn answers(&self) -> Option<&[Answers]> {
        match self {
            Self::Builtin => None,
            Self::Scripted(answers) | Self::Hosted(answers) => Some(answers),
        }
    }

    /// The same model with another script.
    #[must_use]
    pub fn with_answers(&self, answers: Vec<Answers>) -> Self {
        match self {
            Self::Builtin => Self::Builtin,
            Self::Scripted(_) => Self::Scripted(answers),
            Self::Hosted(_) => Self::Hosted(answers),
        }
    }
}

/// What a scripted model says to one question.
#[derive(Debug, Clone)]
pub struct Answers {
    /// The first time.
    pub first: Answer,
    /// When the same turn is requested again, because the first answer was lost in a crash.
    pub again: Answer,
}

impl Answers {
    /// The same answer to every request.
    pub fn always(answer: Answer) -> Self {
        Self { first: answer.clone(), again: answer }
    }
}

/// One thing a person does. Steps name tasks by a word of the scene and proposals by a part of
/// their summary, so that they mean the same after ids have changed.
#[derive(Debug, Clone)]
pub enum Step {
    /// Makes a task.
    Task {
        /// How later steps call it.
        task: &'static str,
        title: &'static str,
        /// Its first note.
        note: &'static str,
        /// Its checklist.
        items: &'static [&'static str],
        labels: &'static [&'static str],
    },
    /// Makes the agent of a task.
    Agent(&'static str),
    /// Adds a note to a task.
    Note(&'static str, &'static str),
    /// Adds a checklist item to a task.
    Item(&'static str, &'static str),
    /// Ticks a checklist item of a task.
    Tick(&'static str, &'static str),
    /// Sets fields of a task.
    Edit(&'static str, TaskPatch),
    /// Puts a label on a task.
    Label(&'static str, &'static str),
    /// Says what a task is to another.
    Link(&'static str, LinkKind, &'static str),
    /// Takes the link between two tasks away.
    Unlink(&'static str, &'static str),
    /// Wakes the agent of a task with words.
    Say(&'static str, &'static str),
    /// Removes the line with these words from what the agent of a task knows, and its entry from the
    /// task.
    Forget(&'static str, &'static str),
    /// Has the agent of a task look at everything afresh.
    Reanalyse(&'static str),
    /// Has what a tool proposes applied by itself for those who follow the default template.
    ApplyByItself(&'static str),
    /// Pauses the agent of a task.
    Pause(&'static str),
    /// Resumes the agent of a task.
    Resume(&'static str),
    /// Decides the proposal of a task whose summary contains a text.
    Decide {
        task: &'static str,
        /// A part of the summary.
        item: &'static str,
        verdict: Verdict,
        /// Why, of a rejection.
        reason: Option<&'static str>,
    },
    /// Confirms every proposal of a task that is shown.
    ConfirmAll(&'static str),
    /// Puts every open proposal of a task off.
    Dismiss(&'static str),
    /// Deletes a task.
    Delete(&'static str),
    /// Restores a task.
    Restore(&'static str),
    /// Runs the wakes of every task of the scene, and whatever else is due.
    Drain,
    /// Lets time pass.
    Wait(Duration),
}

impl Step {
    /// A confirmation.
    pub fn confirm(task: &'static str, item: &'static str) -> Self {
        Self::Decide { task, item, verdict: Verdict::Confirm, reason: None }
    }

    /// A rejection without a reason.
    pub fn reject(task: &'static str, item: &'static str) -> Self {
        Self::Decide { task, item, verdict: Verdict::Reject, reason: None }
    }

    /// A rejection with a reason.
    pub fn reject_because(task: &'static str, item: &'static str, why: &'static str) -> Self {
        Self::Decide { task, item, verdict: Verdict::Reject, reason: Some(why) }
    }

    /// Later.
    pub fn defer(task: &'static str, item: &'static str) -> Self {
        Self::Decide { task, item, verdict: Verdict::Defer, reason: None }
    }

    /// Takes a verdict back.
    pub fn undo(task: &'static str, item: &'static str) -> Self {
        Self::Decide { task, item, verdict: Verdict::Undo, reason: None }
    }

    /// Lets minutes pass.
    pub fn minutes(minutes: u64) -> Self {
        Self::Wait(Duration::from_secs(60 * minutes))
    }
}
