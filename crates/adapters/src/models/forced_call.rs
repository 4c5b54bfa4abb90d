//! How a call is forced on a server that does not take every choice of a tool.

use dormouse_types::model::ToolChoice;
use dormouse_types::model_settings::ForcedCall;

static AUTO: ToolChoice = ToolChoice::Auto;
static REQUIRED: ToolChoice = ToolChoice::Required;

/// The choice that is sent instead of the one that is wanted.
pub(crate) fn taken(wanted: &ToolChoice, forced: Option<ForcedCall>) -> &ToolChoice {
    match (wanted, forced) {
        (ToolChoice::Auto, _) | (_, None) => wanted,
        (ToolChoice::Required | ToolChoice::OneOf(_), Some(ForcedCall::Required)) => &REQUIRED,
        (ToolChoice::Required | ToolChoice::OneOf(_), Some(ForcedCall::Auto)) => &AUTO,
    }
}
