//! What a tool of a run is, and what its accepted calls mean.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::work::WorkOutcome;
use serde_json::Value;

use super::proposing::Proposal;
use super::reading::Reading;

/// A tool of a run: what its arguments mean once they are checked.
pub trait RunTool: Tool {
    /// What an accepted call asks for.
    type Meaning;

    /// Checks the arguments; reads and writes nothing.
    ///
    /// Errors: what is wrong with them and what was expected, for the model to read.
    fn check(args: Self::Args) -> Result<Self::Meaning, Refused>;
}

/// Reads and checks the arguments of one tool.
pub type Check<M> = fn(&Value) -> Result<M, Refused>;

/// What happens to an accepted call.
#[derive(Clone, Copy)]
pub enum Policy {
    /// It ends the run.
    Ends(Check<End>),
    /// What it holds is published when the run ends.
    Publishes(Check<Published>),
    /// It reads and writes nothing.
    Reads(Check<Reading>),
    /// It is about the steps of the run, and is written with the turn.
    Steps(Check<StepCall>),
}

impl Policy {
    pub(crate) const fn ends<T: RunTool<Meaning = End>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Ends(checked::<T>))
    }

    pub(crate) const fn publishes<T: RunTool<Meaning = Published>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Publishes(checked::<T>))
    }

    pub(crate) const fn reads<T: RunTool<Meaning = Reading>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Reads(checked::<T>))
    }

    pub(crate) const fn steps<T: RunTool<Meaning = StepCall>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Steps(checked::<T>))
    }

    pub(crate) fn call(self, args: &Value) -> Result<Call, Refused> {
        match self {
            Self::Ends(check) => check(args).map(Call::End),
            Self::Publishes(check) => check(args).map(Call::Publish),
            Self::Reads(check) => check(args).map(Call::Read),
            Self::Steps(check) => check(args).map(Call::Step),
        }
    }
}

fn checked<T: RunTool>(args: &Value) -> Result<T::Meaning, Refused> {
    T::check(T::read(args)?)
}

/// An accepted call, by what happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// It ends the run.
    End(End),
    /// It publishes the result.
    Publish(Published),
    /// It reads.
    Read(Reading),
    /// It is about the steps of the run.
    Step(StepCall),
    /// It proposes to change a task.
    Propose(Box<Proposal>),
}

impl Call {
    /// Whether the call ends the run.
    pub fn ends(&self) -> bool {
        matches!(self, Self::End(_))
    }
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// For good.
    Finish {
        /// How the run ended.
        outcome: WorkOutcome,
        /// What it did.
        summary: String,
    },
    /// Until the person answers.
    Ask {
        question: String,
        /// Answers to choose from.
        options: Vec<String>,
    },
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The title of the result.
    pub title: String,
    /// The result.
    pub text: String,
}

/// A call about the steps of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepCall {
    /// A step is done.
    Finish {
        /// Its number.
        n: i64,
        /// What the run says about it.
        note: Option<String>,
    },
    /// A step is added.
    Add {
        /// What is to be done.
        text: String,
    },
}
