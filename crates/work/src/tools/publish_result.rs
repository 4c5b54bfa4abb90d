//! `publish_result`: publishes the result of a run.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{bytes, characters};
use super::tool::{Policy, Published, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::publishes::<PublishResult>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// A short title.
    title: String,
    /// The whole result in Markdown, without remarks about how you made it.
    text: String,
}

struct PublishResult;

impl Tool for PublishResult {
    type Args = Args;
    const NAME: &'static str = "publish_result";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Give the person the result of this run. It is all that the person gets; a second call replaces the first.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"title": "…", "text": "…"}"#);
}

impl RunTool for PublishResult {
    type Meaning = Published;

    fn check(args: Args) -> Result<Published, Refused> {
        let title = characters(&args.title, "title", limits::TITLE)?;
        Ok(Published { title, text: bytes(&args.text, "text", limits::WORK_RESULT)? })
    }
}
