//! What a run of agent work may read of the person's tasks: the arguments of these calls, read and
//! checked. They read only.

use dormouse_types::TaskId;
use dormouse_types::fold::folded;
use dormouse_types::limits;
use dormouse_types::model::{ToolCall, ToolSpec};
use dormouse_types::task::Status;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{arguments, spec, within};

/// Finds tasks by their words.
pub const SEARCH: &str = "search";
/// Lists tasks.
pub const LIST_TASKS: &str = "list_tasks";
/// Reads a task.
pub const READ_TASK: &str = "read_task";

/// The names of the tools.
pub const NAMES: [&str; 3] = [SEARCH, LIST_TASKS, READ_TASK];

/// How many tasks a call without a limit gets.
const TASKS: usize = 20;
/// The most tasks that a call gets.
const MOST_TASKS: usize = 50;

/// A call that reads tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// `search`.
    Search {
        /// Words that must all be there, folded.
        words: Vec<String>,
        /// The most tasks.
        limit: usize,
    },
    /// `list_tasks`.
    ListTasks {
        /// Only those of this status.
        status: Option<Status>,
        /// Words that must all be in the title, folded.
        words: Vec<String>,
        /// The most tasks.
        limit: usize,
    },
    /// `read_task`.
    ReadTask {
        /// The task.
        task: TaskId,
    },
}

#[derive(Deserialize, JsonSchema)]
struct SearchArgs {
    /// One to four words that must all be there; case and accents make no difference.
    query: String,
    /// The most tasks: 1 to 50, 20 if left out.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
struct ListTasksArgs {
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

#[derive(Deserialize, JsonSchema)]
struct ReadTaskArgs {
    /// The id of the task, jt-…, as search and list_tasks give it.
    #[serde(rename = "taskId", alias = "task_id")]
    task_id: String,
}

pub(super) fn specs() -> Vec<ToolSpec> {
    vec![
        spec::<SearchArgs>(
            SEARCH,
            "Find tasks of the person by words in their title, checklist or entries, with the passages that match.",
        ),
        spec::<ListTasksArgs>(
            LIST_TASKS,
            "List tasks of the person, newest first, with status, due date and priority.",
        ),
        spec::<ReadTaskArgs>(
            READ_TASK,
            "Read one task of the person: its fields, its checklist and its entries.",
        ),
    ]
}

/// Reads a call; `None` if it is of another tool.
///
/// Errors: what is wrong with it and what was expected, for the model to read.
pub(super) fn read(call: &ToolCall) -> Option<Result<Reading, String>> {
    Some(match call.name.as_str() {
        SEARCH => search(call),
        LIST_TASKS => list_tasks(call),
        READ_TASK => read_task(call),
        _ => return None,
    })
}

fn search(call: &ToolCall) -> Result<Reading, String> {
    let args: SearchArgs = arguments(&call.args, r#"{"query": "van price"}"#)?;
    let words = words(&args.query)?;
    if words.is_empty() {
        return Err("the query has no word; give words to look for".into());
    }
    Ok(Reading::Search { words, limit: checked(args.limit)? })
}

fn list_tasks(call: &ToolCall) -> Result<Reading, String> {
    let args: ListTasksArgs = arguments(&call.args, r#"{"status": "OPEN", "limit": 20}"#)?;
    let status = args.status.map(|name| name.parse::<Status>()).transpose();
    let words = words(args.text.as_deref().unwrap_or_default())?;
    let status = status.map_err(|e| e.to_string())?;
    Ok(Reading::ListTasks { status, words, limit: checked(args.limit)? })
}

fn read_task(call: &ToolCall) -> Result<Reading, String> {
    let args: ReadTaskArgs = arguments(&call.args, r#"{"taskId": "jt-…"}"#)?;
    Ok(Reading::ReadTask {
        task: args.task_id.trim().parse::<TaskId>().map_err(|e| e.to_string())?,
    })
}

fn words(text: &str) -> Result<Vec<String>, String> {
    within(limits::SEARCH.check(text.chars().count()))?;
    let words: Vec<String> = folded(text).split_whitespace().map(ToOwned::to_owned).collect();
    if words.len() > dormouse_store::journal::task::WORDS {
        return Err(format!(
            "{} words are too many; give at most {}",
            words.len(),
            dormouse_store::journal::task::WORDS
        ));
    }
    Ok(words)
}

fn checked(limit: Option<usize>) -> Result<usize, String> {
    match limit.unwrap_or(TASKS) {
        0 => Err("limit is 0; ask for at least one task".into()),
        limit if limit > MOST_TASKS => {
            Err(format!("limit is {limit}; ask for at most {MOST_TASKS}"))
        }
        limit => Ok(limit),
    }
}
