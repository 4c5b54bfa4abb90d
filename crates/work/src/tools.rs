//! What a run of agent work may call: its arguments, read and checked.

mod arguments;
pub mod proposing;
pub mod reading;
pub mod steps;

use std::sync::{Arc, LazyLock};

use dormouse_runs::request::Offer;
use dormouse_types::WorkId;
use dormouse_types::limits;
use dormouse_types::model::{ToolCall, ToolSpec};
use dormouse_types::work::WorkOutcome;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

use self::arguments::{arguments, bytes, characters, spec, within};
use self::proposing::Proposal;
use self::reading::Reading;
use self::steps::StepCall;

/// Ends a run.
pub const FINISH: &str = "finish";
/// Asks the person.
pub const ASK: &str = "ask";
/// Publishes the result.
pub const PUBLISH: &str = "publish_result";
/// Reads what earlier runs did.
pub const READ_LOG: &str = "read_task_log";
/// Lists the runs of all definitions.
pub const LIST: &str = "list_agent_work";

/// A call that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// `finish`.
    Finish {
        /// How the run ended.
        outcome: WorkOutcome,
        /// What it did.
        summary: String,
    },
    /// `ask`.
    Ask {
        /// The question.
        question: String,
        /// Answers to choose from.
        options: Vec<String>,
    },
    /// `publish_result`.
    Publish {
        /// The title of the result.
        title: String,
        /// The result.
        text: String,
    },
    /// `read_task_log`.
    ReadLog {
        /// The definition; `None` is that of the run.
        work: Option<WorkId>,
    },
    /// A call that reads the person's tasks.
    Journal(Reading),
    /// A call about the steps of the run.
    Step(StepCall),
    /// A proposal to change a task.
    Propose(Box<Proposal>),
    /// `list_agent_work`.
    List {
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
    },
}

impl Call {
    /// Whether the call ends the run.
    pub fn ends(&self) -> bool {
        matches!(self, Self::Finish { .. } | Self::Ask { .. })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// You did what you were told to do.
    Done,
    /// There was nothing to do.
    NoOp,
    /// You could not do it.
    Failed,
}

#[derive(Deserialize, JsonSchema)]
struct FinishArgs {
    /// done: you did what you were told to do. no_op: there was nothing to do. failed: you could not do
    /// it.
    outcome: Outcome,
    /// What you did and found, in one to five sentences, for the person and for your later runs.
    summary: String,
}

#[derive(Deserialize, JsonSchema)]
struct AskArgs {
    /// One question that the person can answer without knowing what you have seen.
    question: String,
    /// Up to ten answers to choose from; the person may give another one.
    #[serde(default)]
    options: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct PublishArgs {
    /// A short title.
    title: String,
    /// The whole result in Markdown, without remarks about how you made it.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct ReadLogArgs {
    /// The id of the agent work, task-…; your own if left out.
    #[serde(default, rename = "taskId", alias = "task_id")]
    task_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct ListArgs {
    /// The first day, as 2026-03-01.
    from: String,
    /// The last day, as 2026-03-31.
    to: String,
}

/// Returns the tools of a run, the same in each of its turns.
pub fn offer() -> Arc<Offer> {
    static OFFER: LazyLock<Arc<Offer>> = LazyLock::new(|| Arc::new(Offer::new(specs())));
    (*OFFER).clone()
}

/// Returns the names of the tools that end a run.
pub fn closing_names() -> Vec<String> {
    [FINISH, ASK].map(ToOwned::to_owned).to_vec()
}

fn specs() -> Vec<ToolSpec> {
    let mut specs = vec![
        spec::<FinishArgs>(
            FINISH,
            "End this run. Call it once, last, when everything is done. Publish first what the person is to get.",
        ),
        spec::<AskArgs>(
            ASK,
            "Ask the person and stop here: you go on with the answer later. Only for what you cannot find out or decide, and never in prose.",
        ),
        spec::<PublishArgs>(
            PUBLISH,
            "Give the person the result of this run. It is all that the person gets; a second call replaces the first.",
        ),
        spec::<ReadLogArgs>(
            READ_LOG,
            "Read what the runs of an agent work did, with their calls and results, oldest first.",
        ),
        spec::<ListArgs>(
            LIST,
            "List what agent work ran on some days, with its ids and how it ended.",
        ),
    ];
    specs.extend(steps::specs());
    specs.extend(reading::specs());
    specs.extend(proposing::specs());
    specs
}

/// Reads a call.
///
/// Errors: what is wrong with it and what was expected, for the model to read.
pub fn read(call: &ToolCall) -> Result<Call, String> {
    match call.name.as_str() {
        FINISH => {
            let args: FinishArgs = arguments(&call.args, r#"{"outcome": "done", "summary": "…"}"#)?;
            let outcome = match args.outcome {
                Outcome::Done => WorkOutcome::Done,
                Outcome::NoOp => WorkOutcome::NoOp,
                Outcome::Failed => WorkOutcome::Failed,
            };
            let summary = characters(&args.summary, "summary", limits::WORK_SUMMARY)?;
            Ok(Call::Finish { outcome, summary })
        }
        ASK => {
            let args: AskArgs = arguments(&call.args, r#"{"question": "…", "options": ["…"]}"#)?;
            let question = bytes(&args.question, "question", limits::WORK_QUESTION)?;
            within(limits::WORK_OPTIONS.check(args.options.len()))?;
            let option = |option: &String| characters(option, "option", limits::WORK_OPTION);
            let options = args.options.iter().map(option).collect::<Result<_, _>>()?;
            Ok(Call::Ask { question, options })
        }
        PUBLISH => {
            let args: PublishArgs = arguments(&call.args, r#"{"title": "…", "text": "…"}"#)?;
            let title = characters(&args.title, "title", limits::TITLE)?;
            Ok(Call::Publish { title, text: bytes(&args.text, "text", limits::WORK_RESULT)? })
        }
        READ_LOG => {
            let args: ReadLogArgs = arguments(&call.args, r#"{"taskId": "task-…"}"#)?;
            let work = args.task_id.map(|id| id.parse::<WorkId>()).transpose();
            Ok(Call::ReadLog { work: work.map_err(|e| e.to_string())? })
        }
        LIST => {
            let example = r#"{"from": "2026-03-01", "to": "2026-03-31"}"#;
            let args: ListArgs = arguments(&call.args, example)?;
            let day = |text: &str| {
                text.parse::<Date>().map_err(|_| format!("`{text}` is no day; expected {example}"))
            };
            let (from, to) = (day(&args.from)?, day(&args.to)?);
            if to < from {
                return Err(format!("{to} is before {from}; give the first day first"));
            }
            Ok(Call::List { from, to })
        }
        other => {
            if let Some(read) = reading::read(call) {
                return read.map(Call::Journal);
            }
            if let Some(read) = steps::read(call) {
                return read.map(Call::Step);
            }
            if let Some(read) = proposing::read(call) {
                return read.map(|proposal| Call::Propose(Box::new(proposal)));
            }
            let names: Vec<_> = offer().tools().iter().map(|tool| tool.name.clone()).collect();
            let names = names.join(", ");
            Err(format!("there is no tool {other}; nothing was done. Tools: {names}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(name: &str, args: Value) -> Result<Call, String> {
        read(&ToolCall { id: "call-1".into(), name: name.into(), args })
    }

    #[test]
    fn calls_are_read_and_what_is_wrong_is_said() {
        let done = check(FINISH, json!({ "outcome": "no_op", "summary": " Nothing new. " }));
        let summary = "Nothing new.".to_owned();
        assert_eq!(done, Ok(Call::Finish { outcome: WorkOutcome::NoOp, summary }));
        let asked = check(ASK, json!({ "question": "Which?" }));
        assert_eq!(asked, Ok(Call::Ask { question: "Which?".into(), options: Vec::new() }));
        let error = |name, args| check(name, args).expect_err("it is refused");
        assert!(
            error(FINISH, json!({ "outcome": "great", "summary": "x" })).contains("expected {")
        );
        assert_eq!(
            error(FINISH, json!({ "outcome": "done", "summary": " " })),
            "the summary is empty; write it"
        );
        assert!(error(READ_LOG, json!({ "taskId": "jt-1" })).contains("task-…"));
        assert!(
            error(LIST, json!({ "from": "2026-03-02", "to": "2026-03-01" }))
                .contains("first day first")
        );
        let long = "x".repeat(limits::WORK_RESULT.max + 1);
        assert!(error(PUBLISH, json!({ "title": "t", "text": long })).contains("at most"));
        assert!(error("rm", json!({})).starts_with("there is no tool rm"));
    }

    #[test]
    fn every_tool_that_is_offered_is_read() {
        for tool in offer().tools() {
            let refusal = check(&tool.name, json!(7)).expect_err("no object");
            assert!(!refusal.starts_with("there is no tool"), "{}", tool.name);
        }
        let closing: Vec<_> = offer().tools().iter().map(|tool| tool.name.clone()).collect();
        assert!(closing_names().iter().all(|name| closing.contains(name)));
    }
}
