//! `update_report`: publishes the report that the person reads.

use dormouse_changes::ModelTool;
use dormouse_changes::tool::{Policy, Refused, schema, typed};
use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Deserialized leniently, so that one error can name every missing field.
#[derive(Deserialize)]
struct Args {
    #[serde(default)]
    tldr: String,
    #[serde(default, alias = "report")]
    content: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "what the model is shown: both fields are required")]
struct Shown {
    /// One to three sentences, at most 400 characters: state now, what changed, what is next.
    tldr: String,
    /// Markdown: achieved, left, learnings, links.
    content: String,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "update_report",
    aliases: &["publish_report"],
    description: "Publish the report the person reads. Needs tldr and content; the last call of a wake wins.",
    policy: Policy::Immediate,
    schema: schema::<Shown>,
    item: None,
};

/// A report as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// One to three sentences.
    pub tldr: String,
    /// The body, in Markdown.
    pub content: String,
}

/// Validates arguments; the error names every missing or blank field.
pub fn check(args: &Value) -> Result<Draft, Refused> {
    let args: Args = typed(args, "{\"tldr\": \"…\", \"content\": \"…\"}")?;
    let blank: Vec<&str> = [("tldr", &args.tldr), ("content", &args.content)]
        .into_iter()
        .filter(|(_, text)| text.trim().is_empty())
        .map(|(name, _)| name)
        .collect();
    if !blank.is_empty() {
        return Err(Refused::Invalid(format!(
            "{} missing or blank; give both tldr and content",
            blank.join(" and ")
        )));
    }
    let (tldr, content) = (args.tldr.trim().to_owned(), args.content.trim().to_owned());
    limits::TLDR
        .check(tldr.chars().count())
        .and_then(|()| limits::REPORT.check(content.len()))
        .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
    Ok(Draft { tldr, content })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_blank_field_is_named() {
        let error = check(&json!({ "tldr": " ", "content": "x" })).expect_err("blank");
        assert!(error.text().starts_with("tldr missing"), "{error}");
        let error = check(&json!({})).expect_err("blank");
        assert!(error.text().starts_with("tldr and content missing"), "{error}");
    }

    #[test]
    fn report_is_another_name_for_content() {
        let draft = check(&json!({ "tldr": "Fine.", "report": "# All" })).expect("valid");
        assert_eq!(draft.content, "# All");
    }
}
