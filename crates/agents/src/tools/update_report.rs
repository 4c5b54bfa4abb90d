//! `update_report`: publishes the report that the person reads.

use dormouse_changes::tool::{CallContext, Effect, Immediate, ModelTool, Refused, Tool};
use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::immediate(&UpdateReport);

// The model is shown that both fields are required. A missing one is read as blank nevertheless, so
// that one refusal can name every missing field.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    /// One to three sentences, at most 400 characters: state now, what changed, what is next.
    #[serde(default)]
    #[schemars(!default)]
    tldr: String,
    /// Markdown: achieved, left, learnings, links.
    #[serde(default, alias = "report")]
    #[schemars(!default)]
    content: String,
}

/// The tool.
pub(crate) struct UpdateReport;

impl Tool for UpdateReport {
    type Args = Args;
    const NAME: &'static str = "update_report";
    const ALIASES: &'static [&'static str] = &["publish_report"];
    const DESCRIPTION: &'static str = "Publish the report the person reads. Needs tldr and content; the last call of a wake wins.";
    const EXAMPLE: Option<&'static str> = Some("{\"tldr\": \"…\", \"content\": \"…\"}");
}

impl Immediate for UpdateReport {
    fn run(args: Args, _context: &CallContext<'_>) -> Result<Effect, Refused> {
        args.draft()?;
        Ok(Effect::Recorded { reply: "Report published.".into() })
    }
}

/// A report as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// One to three sentences.
    pub tldr: String,
    /// The body, in Markdown.
    pub content: String,
}

impl Args {
    /// Returns the report.
    ///
    /// Errors: names every missing or blank field.
    pub(crate) fn draft(self) -> Result<Draft, Refused> {
        let blank: Vec<&str> = [("tldr", &self.tldr), ("content", &self.content)]
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
        let (tldr, content) = (self.tldr.trim().to_owned(), self.content.trim().to_owned());
        limits::TLDR
            .check(tldr.chars().count())
            .and_then(|()| limits::REPORT.check(content.len()))
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        Ok(Draft { tldr, content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn draft(args: Value) -> Result<Draft, Refused> {
        UpdateReport::read(&args)?.draft()
    }

    #[test]
    fn a_blank_field_is_named() {
        let error = draft(json!({ "tldr": " ", "content": "x" })).expect_err("blank");
        assert!(error.text().starts_with("tldr missing"), "{error}");
        let error = draft(json!({})).expect_err("blank");
        assert!(error.text().starts_with("tldr and content missing"), "{error}");
    }

    #[test]
    fn report_is_another_name_for_content() {
        let draft = draft(json!({ "tldr": "Fine.", "report": "# All" })).expect("valid");
        assert_eq!(draft.content, "# All");
    }
}
