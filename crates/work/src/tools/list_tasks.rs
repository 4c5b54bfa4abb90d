//! `list_tasks`: lists tasks of the person.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::task::Status;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::invalid;
use super::reading::{Reading, at_most, words};
use super::tool::{Policy, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::reads::<ListTasks>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// Only tasks of this status: OPEN, GROOMED, IN PROGRESS, BLOCKED, ON HOLD, DONE or REJECTED.
    #[serde(default)]
    status: Option<String>,
    /// Words of the title, up to four.
    #[serde(default)]
    text: Option<String>,
    /// The most tasks: 1 to 50, 20 if left out.
    #[serde(default)]
    limit: Option<usize>,
}

struct ListTasks;

impl Tool for ListTasks {
    type Args = Args;
    const NAME: &'static str = "list_tasks";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str =
        "List tasks of the person, newest first, with status, due date and priority.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"status": "OPEN", "limit": 20}"#);
}

impl RunTool for ListTasks {
    type Meaning = Reading;

    fn check(args: Args) -> Result<Reading, Refused> {
        let status = args.status.map(|name| name.parse::<Status>()).transpose();
        let words = words(args.text.as_deref().unwrap_or_default())?;
        let status = status.map_err(|e| invalid(e.to_string()))?;
        Ok(Reading::Tasks { status, words, limit: at_most(args.limit)? })
    }
}
