//! Titles and instructions as people give them.

use dormouse_types::limits;

use crate::WorkError;

fn text(what: &'static str, text: &str) -> Result<String, WorkError> {
    let text = text.trim();
    if text.is_empty() { Err(WorkError::Blank { what }) } else { Ok(text.to_owned()) }
}

/// Checks a title.
pub(crate) fn title(given: &str) -> Result<String, WorkError> {
    let title = text("title", given)?;
    limits::TITLE.check(title.chars().count())?;
    Ok(title)
}

/// Checks instructions.
pub(crate) fn instructions(given: &str) -> Result<String, WorkError> {
    let instructions = text("instructions", given)?;
    limits::WORK_INSTRUCTIONS.check(instructions.len())?;
    Ok(instructions)
}
