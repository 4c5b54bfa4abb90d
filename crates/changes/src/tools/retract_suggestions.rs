//! `retract_suggestions`: an agent withdraws its own open proposals.

use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{ModelTool, Policy, Refused, schema, typed};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// At least one.
    proposals: Vec<Element>,
}

/// One proposal to withdraw.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Element {
    /// The fingerprint from the list of open proposals; its first 8 characters are enough.
    pub fingerprint: String,
    /// Why, 1 to 500 characters.
    pub reason: String,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "retract_suggestions",
    aliases: &["retract_suggestion"],
    description: "Withdraw your own open proposals that newer facts have overtaken.",
    policy: Policy::Immediate,
    schema: schema::<Args>,
    item: None,
};

/// Validates arguments: at least one fingerprint, each with a reason.
pub fn check(args: &Value) -> Result<Vec<Element>, Refused> {
    let args: Args = typed(args, "{\"proposals\": [{\"fingerprint\": \"…\", \"reason\": \"…\"}]}")?;
    if args.proposals.is_empty() {
        return Err(Refused::Invalid("proposals is empty; name at least one fingerprint".into()));
    }
    for element in &args.proposals {
        let reason = element.reason.trim();
        if reason.is_empty() {
            return Err(Refused::Invalid(format!(
                "fp={} has no reason; say why it is withdrawn",
                element.fingerprint
            )));
        }
        limits::REASON
            .check(reason.chars().count())
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
    }
    Ok(args.proposals)
}
