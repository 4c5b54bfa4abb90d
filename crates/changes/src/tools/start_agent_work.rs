//! `start_agent_work`: proposes that agent work is started now, whose result comes back to the task.

use dormouse_types::field_change::FieldChange;
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{
    Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool, WantedWork, folded,
};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&StartAgentWork);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What it is, in a few words.
    title: String,
    /// What is to be done and what is to come back, complete in itself: the agent that does it sees nothing of
    /// this task but these words.
    instructions: String,
}

struct StartAgentWork;

impl Tool for StartAgentWork {
    type Args = Args;
    const NAME: &'static str = "start_agent_work";
    const ALIASES: &'static [&'static str] = &["delegate", "start_work"];
    const DESCRIPTION: &'static str = "Propose that background work is done once, now: to find out, compare or write something that takes many steps. If the person confirms it, the result comes back as an entry of this task, and you wake.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"title": "…", "instructions": "…"}"#);
}

impl Proposal for StartAgentWork {
    // What it reads may be sent to a model elsewhere.
    const MAY_CONFIRM_BY_RULE: bool = false;

    fn check(args: Args, _task: &TaskState) -> Result<Checked<Args>, Refused> {
        let title = args.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let instructions = args.instructions.trim().to_owned();
        if title.is_empty() || instructions.is_empty() {
            let why = "title and instructions are both needed: say what is to be done";
            return Err(Refused::Invalid(why.into()));
        }
        limits::TITLE
            .check(title.chars().count())
            .and_then(|()| limits::WORK_INSTRUCTIONS.check(instructions.len()))
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        Ok(Checked { args: Args { title, instructions }, edits: Vec::new() })
    }

    fn target(args: &Args) -> Target {
        Target { part: TargetKey::Work(folded(&args.title)), single: false }
    }

    // It costs what the run costs, so nobody starts it among others.
    fn is_destructive(_args: &Args) -> bool {
        true
    }

    fn starts(args: &Args) -> Option<WantedWork> {
        let Args { title, instructions } = args;
        Some(WantedWork { title: title.clone(), instructions: instructions.clone() })
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        format!("Start agent work \"{}\": {}", args.title, args.instructions)
    }

    fn prompt_args(args: &Args, _task: &TaskState) -> String {
        format!("{:?}", args.title)
    }

    fn change(_args: &Args, _task: Option<&TaskState>) -> Option<FieldChange> {
        None
    }
}
