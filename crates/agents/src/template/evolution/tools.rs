//! The tools of a session: proposing directives, and noting something for later sessions.

use std::sync::{Arc, LazyLock};

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_runs::request::Offer;
use dormouse_types::evolution::EvolutionNoteKind;
use dormouse_types::limits;
use dormouse_types::model::ToolCall;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::template::edit::directive;

/// Directives that a model proposes: each a complete text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    pub general: String,
    pub report: String,
    /// Why, for the person.
    pub rationale: String,
}

/// What a model notes for later sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    pub kind: EvolutionNoteKind,
    pub content: String,
}

/// A valid call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    Propose(Proposed),
    Note(Noted),
}

/// Reads and checks the arguments of a tool.
pub type Check = fn(&Value) -> Result<Call, Refused>;

/// The tools as models call them.
pub const TOOLS: &[&ModelTool<Check>] = &[&PROPOSE, &NOTE];

static PROPOSE: ModelTool<Check> = ModelTool::new::<ProposeDirectives>(propose);
static NOTE: ModelTool<Check> = ModelTool::new::<RecordEvolutionNote>(note);

/// Returns the tools of a session, the same in each turn.
pub fn offer() -> Arc<Offer> {
    static OFFER: LazyLock<Arc<Offer>> =
        LazyLock::new(|| Arc::new(Offer::new(TOOLS.iter().map(|tool| tool.spec()).collect())));
    (*OFFER).clone()
}

/// Reads a call.
///
/// Errors: what is wrong with it and what was expected, for the model to read.
pub fn read(call: &ToolCall) -> Result<Call, String> {
    let Some(tool) = TOOLS.iter().find(|tool| tool.answers_to(&call.name)) else {
        let names: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        let names = names.join(", ");
        return Err(format!("there is no tool {}; nothing was done. Tools: {names}", call.name));
    };
    (tool.policy)(&call.args).map_err(|refused| refused.text().to_owned())
}

#[derive(Deserialize, JsonSchema)]
struct ProposeArgs {
    /// How agents work and talk: the complete text, not only what changes.
    general_directive: String,
    /// What their reports look like: the complete text, not only what changes.
    report_directive: String,
    /// Why, for the person: one to three sentences that name what it rests on.
    rationale: String,
}

struct ProposeDirectives;

impl Tool for ProposeDirectives {
    type Args = ProposeArgs;
    const NAME: &'static str = "propose_directives";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Propose a new general directive and a new report directive. Both are complete texts; one that is to stay is repeated word for word. The person sees both differences and approves or rejects them. A later call replaces the proposal.";
    const EXAMPLE: Option<&'static str> =
        Some(r#"{"general_directive": "…", "report_directive": "…", "rationale": "…"}"#);
}

fn propose(args: &Value) -> Result<Call, Refused> {
    let args = ProposeDirectives::read(args)?;
    let invalid = |message: String| Refused::Invalid(format!("{message}; nothing was proposed"));
    let text = |field: &'static str, text: &str| {
        if text.trim().is_empty() {
            return Err(invalid(format!("{field} is blank: give the complete text")));
        }
        directive(field, text).map_err(|error| invalid(format!("{field}: {error}")))
    };
    let general = text("general_directive", &args.general_directive)?;
    let report = text("report_directive", &args.report_directive)?;
    let rationale = plain("rationale", &args.rationale).map_err(invalid)?;
    limits::EVOLUTION_RATIONALE
        .check(rationale.chars().count())
        .map_err(|beyond| invalid(beyond.to_string()))?;
    Ok(Call::Propose(Proposed { general, report, rationale }))
}

#[derive(Deserialize, JsonSchema)]
struct NoteArgs {
    /// reflection (what you think about what happened), hypothesis (what may be the case), decision (what
    /// was settled with the person) or pattern (what happens again and again).
    kind: EvolutionNoteKind,
    /// The note, in one to three sentences.
    content: String,
}

struct RecordEvolutionNote;

impl Tool for RecordEvolutionNote {
    type Args = NoteArgs;
    const NAME: &'static str = "record_evolution_note";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Note something about this template that later sessions should know. It changes nothing about the template.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"kind": "pattern", "content": "…"}"#);
}

fn note(args: &Value) -> Result<Call, Refused> {
    let args = RecordEvolutionNote::read(args)?;
    let invalid = |message: String| Refused::Invalid(format!("{message}; nothing was noted"));
    let content = plain("content", &args.content).map_err(invalid)?;
    limits::EVOLUTION_NOTE
        .check(content.chars().count())
        .map_err(|beyond| invalid(beyond.to_string()))?;
    Ok(Call::Note(Noted { kind: args.kind, content }))
}

/// A text that says something, without control characters.
fn plain(field: &str, text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("{field} is blank: say something"));
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(format!("{field} contains control characters: leave them out"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(name: &str, args: Value) -> String {
        let call = ToolCall { id: "c".into(), name: name.into(), args };
        read(&call).expect_err("a refusal")
    }

    #[test]
    fn each_of_the_three_fields_is_needed() {
        let whole = json!({ "general_directive": "A", "report_directive": "B", "rationale": "C" });
        for field in ["general_directive", "report_directive", "rationale"] {
            let mut args = whole.clone();
            args.as_object_mut().expect("an object").remove(field);
            let missing = refusal("propose_directives", args);
            assert!(missing.contains(&format!("missing field `{field}`")), "{missing}");
            let mut args = whole.clone();
            args[field] = json!(" \n");
            let blank = refusal("propose_directives", args);
            assert!(blank.starts_with(&format!("{field} is blank")), "{blank}");
        }
    }

    #[test]
    fn what_no_prompt_can_hold_is_not_proposed() {
        let propose = |general: &str| {
            let args =
                json!({ "general_directive": general, "report_directive": "B", "rationale": "C" });
            refusal("propose_directives", args)
        };
        let long = propose(&"a".repeat(12 * 1024 + 1));
        assert!(long.contains("at most 12288") && long.ends_with("nothing was proposed"), "{long}");
        let control = propose("Be\u{7} kind.");
        assert!(control.contains("control characters"), "{control}");
        let fence = propose("Be </DATA> kind.");
        assert!(fence.contains("<data>"), "{fence}");
    }

    #[test]
    fn a_note_has_a_known_kind_and_text() {
        let unknown = refusal("record_evolution_note", json!({ "kind": "mood", "content": "A" }));
        assert!(unknown.contains("mood"), "{unknown}");
        let blank = refusal("record_evolution_note", json!({ "kind": "pattern", "content": "" }));
        assert!(blank.starts_with("content is blank"), "{blank}");
        let other = refusal("update_report", json!({}));
        assert!(other.ends_with("Tools: propose_directives, record_evolution_note"), "{other}");
    }
}
