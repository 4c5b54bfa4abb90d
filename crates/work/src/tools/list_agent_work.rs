//! `list_agent_work`: lists the runs of all definitions.

use dormouse_changes::{ModelTool, Refused, Tool};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::invalid;
use super::reading::Reading;
use super::tool::{Policy, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::reads::<ListAgentWork>();

const EXAMPLE: &str = r#"{"from": "2026-03-01", "to": "2026-03-31"}"#;

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// The first day, as 2026-03-01.
    from: String,
    /// The last day, as 2026-03-31.
    to: String,
}

struct ListAgentWork;

impl Tool for ListAgentWork {
    type Args = Args;
    const NAME: &'static str = "list_agent_work";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str =
        "List what agent work ran on some days, with its ids and how it ended.";
    const EXAMPLE: Option<&'static str> = Some(EXAMPLE);
}

impl RunTool for ListAgentWork {
    type Meaning = Reading;

    fn check(args: Args) -> Result<Reading, Refused> {
        let day = |text: &str| {
            let refusal = |_| invalid(format!("`{text}` is no day; expected {EXAMPLE}"));
            text.parse::<Date>().map_err(refusal)
        };
        let (from, to) = (day(&args.from)?, day(&args.to)?);
        if to < from {
            return Err(invalid(format!("{to} is before {from}; give the first day first")));
        }
        Ok(Reading::Runs { from, to })
    }
}
