//! The tools of a run of agent work: one file per tool, and the registry that lists them.

mod arguments;
pub mod finish;
pub mod ask;
pub mod publish_result;
pub mod read_task_log;
pub mod list_agent_work;
pub mod finish_step;
pub mod add_step;
pub mod search;
pub mod list_tasks;
pub mod read_task;
pub mod reading;
pub mod proposing;

use std::sync::{Arc, LazyLock};

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_runs::request::Offer;
use dormouse_types::model::{ToolCall, ToolSpec};
use dormouse_types::work::WorkOutcome;
use serde_json::Value;

use self::proposing::Proposal;
use self::reading::Reading;

/// The tools of this room as models call them. A run is offered these and, of the tools of the changes
/// room, those that [`proposing`] names.
pub const TOOLS: &[&ModelTool<Policy>] = &[
    &finish::TOOL,
    &ask::TOOL,
    &publish_result::TOOL,
    &read_task_log::TOOL,
    &list_agent_work::TOOL,
    &finish_step::TOOL,
    &add_step::TOOL,
    &search::TOOL,
    &list_tasks::TOOL,
    &read_task::TOOL,
];

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
    const fn ends<T: RunTool<Meaning = End>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Ends(checked::<T>))
    }

    const fn publishes<T: RunTool<Meaning = Published>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Publishes(checked::<T>))
    }

    const fn reads<T: RunTool<Meaning = Reading>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Reads(checked::<T>))
    }

    const fn steps<T: RunTool<Meaning = StepCall>>() -> ModelTool<Self> {
        ModelTool::new::<T>(Self::Steps(checked::<T>))
    }

    fn call(self, args: &Value) -> Result<Call, Refused> {
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
        /// The question.
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

/// Finds a tool of this room by name or alias.
pub fn by_name(name: &str) -> Option<&'static ModelTool<Policy>> {
    TOOLS.iter().copied().find(|tool| tool.answers_to(name))
}

/// Returns the tools of a run, the same in each of its turns.
pub fn offer() -> Arc<Offer> {
    static OFFER: LazyLock<Arc<Offer>> = LazyLock::new(|| Arc::new(Offer::new(specs())));
    (*OFFER).clone()
}

/// Returns the names of the tools that end a run.
pub fn closing_names() -> Vec<String> {
    let closing = TOOLS.iter().filter(|tool| matches!(tool.policy, Policy::Ends(_)));
    closing.map(|tool| tool.name.to_owned()).collect()
}

fn specs() -> Vec<ToolSpec> {
    let mut specs: Vec<ToolSpec> = TOOLS.iter().map(|tool| tool.spec()).collect();
    specs.extend(proposing::specs());
    specs
}

/// Reads a call.
///
/// Errors: what is wrong with it and what was expected, for the model to read.
pub fn read(call: &ToolCall) -> Result<Call, String> {
    if let Some(tool) = by_name(&call.name) {
        return tool.policy.call(&call.args).map_err(|refused| refused.text().to_owned());
    }
    if let Some(read) = proposing::read(call) {
        return read.map(|proposal| Call::Propose(Box::new(proposal)));
    }
    let names: Vec<_> = offer().tools().iter().map(|tool| tool.name.clone()).collect();
    let names = names.join(", ");
    Err(format!("there is no tool {}; nothing was done. Tools: {names}", call.name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(name: &str, args: Value) -> Result<Call, String> {
        read(&ToolCall { id: "call-1".into(), name: name.into(), args })
    }

    #[test]
    fn arguments_in_a_code_fence_are_read() {
        let args = json!({ "outcome": "no_op", "summary": "Nothing new." });
        let fenced = json!(format!("```json\n{args}\n```"));
        assert_eq!(check("finish", fenced), check("finish", args));
    }

    #[test]
    fn every_tool_that_is_offered_is_read() {
        for tool in offer().tools() {
            let refusal = check(&tool.name, json!(7)).expect_err("no object");
            assert!(!refusal.starts_with("there is no tool"), "{}", tool.name);
        }
    }

    #[test]
    fn finish_and_ask_end_a_run() {
        assert_eq!(closing_names(), ["finish", "ask"]);
    }
}

#[cfg(test)]
mod recorded_tests;
