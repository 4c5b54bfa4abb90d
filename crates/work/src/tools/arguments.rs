//! How arguments of calls are checked.

use dormouse_changes::Refused;
use dormouse_types::limits::{Beyond, Limit};

pub(super) fn invalid(text: impl Into<String>) -> Refused {
    Refused::Invalid(text.into())
}

pub(super) fn within(checked: Result<(), Beyond>) -> Result<(), Refused> {
    checked.map_err(|beyond| invalid(beyond.to_string()))
}

pub(super) fn characters(text: &str, what: &str, limit: Limit) -> Result<String, Refused> {
    within(limit.check(text.trim().chars().count()))?;
    filled(text, what)
}

pub(super) fn bytes(text: &str, what: &str, limit: Limit) -> Result<String, Refused> {
    within(limit.check(text.trim().len()))?;
    filled(text, what)
}

fn filled(text: &str, what: &str) -> Result<String, Refused> {
    let text = text.trim();
    if text.is_empty() {
        return Err(invalid(format!("the {what} is empty; write it")));
    }
    Ok(text.into())
}
