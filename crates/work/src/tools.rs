//! The tools of a run of agent work: one file per tool, and the registry that lists them.

mod arguments;
mod tool;
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

use dormouse_changes::ModelTool;
use dormouse_runs::request::Offer;
use dormouse_types::model::{ToolCall, ToolSpec};

pub use self::tool::{Call, Check, End, Policy, Published, RunTool, StepCall};

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
