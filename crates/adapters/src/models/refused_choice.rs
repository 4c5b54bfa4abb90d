//! What to send to a server that refused how a call was forced.

use dormouse_types::model::{ModelError, Request};
use dormouse_types::model_settings::{ForcedCall, ToolMode};

use super::config::ModelConfig;
use super::wire;

/// What to send after a server refused the choice of a tool: the strongest that says something else than what was
/// refused. `None` if the refusal is about something else, or nothing weaker is left.
pub(crate) fn weaker(
    error: &ModelError,
    config: &ModelConfig,
    request: &Request,
) -> Option<ForcedCall> {
    if config.rung != ToolMode::Native || !refuses_choice(error) {
        return None;
    }
    let left = match config.forced_call {
        None => &[ForcedCall::Required, ForcedCall::Auto][..],
        Some(ForcedCall::Required) => &[ForcedCall::Auto],
        Some(ForcedCall::Auto) => &[],
    };
    let choice = |forced_call| {
        let config = ModelConfig { forced_call, ..config.clone() };
        wire::tool_choice(request, &config)
    };
    let refused = choice(config.forced_call);
    left.iter().copied().find(|forced| choice(Some(*forced)) != refused)
}

fn refuses_choice(error: &ModelError) -> bool {
    let ModelError::Rejected { detail } = error else { return false };
    let words = detail.to_lowercase();
    CHOICE.iter().any(|name| words.contains(name))
}

/// How servers name the choice of a tool in what they refuse. Sources: the members of the formats, and the refusals of
/// DeepSeek, DashScope, Anthropic, LM Studio and vLLM.
const CHOICE: &[&str] = &[
    "tool_choice",
    "tool choice",
    "toolchoice",
    "toolconfig",
    "tool_config",
    "functioncallingconfig",
    "function_calling_config",
    "function calling config",
    "function calling mode",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_that_names_the_choice_is_about_it() {
        let rejected = |detail: &str| ModelError::Rejected { detail: detail.to_owned() };
        for detail in [
            "deepseek-reasoner does not support this tool_choice",
            "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
            "The tool_choice parameter does not support being set to required or object in thinking mode",
            "Thinking may not be enabled when tool_choice forces tool use.",
            "Function calling mode ANY is not supported",
        ] {
            assert!(refuses_choice(&rejected(detail)), "{detail}");
        }
        for detail in ["this model does not support tools", "unknown member tools", ""] {
            assert!(!refuses_choice(&rejected(detail)), "{detail}");
        }
        assert!(!refuses_choice(&ModelError::Request { detail: "tool_choice".to_owned() }));
    }
}
