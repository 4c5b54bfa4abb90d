//! `retract_suggestions`: an agent withdraws its own open proposals.

use dormouse_store::agent::change_item::State;
use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::{CallContext, Effect, Immediate, ModelTool, Refused, Retraction, Tool};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::immediate(&RetractSuggestions);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// At least one.
    proposals: Vec<Element>,
}

/// One proposal to withdraw.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Element {
    /// The fingerprint from the list of open proposals; its first 8 characters are enough.
    fingerprint: String,
    /// Why, 1 to 500 characters.
    reason: String,
}

struct RetractSuggestions;

impl Tool for RetractSuggestions {
    type Args = Args;
    const NAME: &'static str = "retract_suggestions";
    const ALIASES: &'static [&'static str] = &["retract_suggestion"];
    const DESCRIPTION: &'static str =
        "Withdraw your own open proposals that newer facts have overtaken.";
    const EXAMPLE: Option<&'static str> =
        Some("{\"proposals\": [{\"fingerprint\": \"…\", \"reason\": \"…\"}]}");
}

impl Immediate for RetractSuggestions {
    fn run(args: Args, context: &CallContext<'_>) -> Result<Effect, Refused> {
        ensure_reasons(&args)?;
        let mut retractions: Vec<Retraction> = Vec::new();
        let mut lines = Vec::new();
        for element in args.proposals {
            let fp = element.fingerprint.trim().trim_start_matches("fp=").to_lowercase();
            let open = context.items.iter().find(|item| {
                // An item that is being applied has just been confirmed: the agent may no longer
                // withdraw it.
                matches!(item.state, State::Pending | State::Deferred)
                    && !retractions.iter().any(|one| one.item == **item)
                    && item.proposer == *context.agent
                    && fp.len() >= 8
                    && item.fingerprint.0.starts_with(&fp)
            });
            match open {
                Some(item) => {
                    let reason = element.reason.trim().to_owned();
                    retractions.push(Retraction { item: item.clone(), reason });
                    lines.push(format!("fp={fp}: retracted"));
                }
                None => lines.push(format!("fp={fp}: not open")),
            }
        }
        Ok(Effect::Withdraw { retractions, reply: lines.join("\n") })
    }
}

fn ensure_reasons(args: &Args) -> Result<(), Refused> {
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
    Ok(())
}
