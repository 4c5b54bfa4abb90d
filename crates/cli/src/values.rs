//! The values of arguments: how a status, a day or `none` is read from the command line.

use std::str::FromStr;

use dormouse_types::task::{Priority, Status};

/// A value, or `none` to clear it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clearable<T>(pub Option<T>);

/// The words of a day or a time. Unlike other text, they do not begin with a dash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateText(pub String);

/// Reads a status.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn status(text: &str) -> Result<Status, String> {
    Status::from_str(text).map_err(|e| e.to_string())
}

/// Reads a priority or `none`.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn priority(text: &str) -> Result<Clearable<Priority>, String> {
    clearable(text, |text| Priority::from_str(text).map_err(|e| e.to_string()))
}

/// Takes a day or a time; it is parsed later, in the time zone of the workspace.
///
/// Errors: none.
pub fn date(text: &str) -> Result<DateText, String> {
    Ok(DateText(text.to_owned()))
}

/// Takes a day, a time or `none`.
///
/// Errors: none.
pub fn date_or_none(text: &str) -> Result<Clearable<DateText>, String> {
    clearable(text, date)
}

/// Reads a duration or `none`.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn minutes_or_none(text: &str) -> Result<Clearable<u32>, String> {
    clearable(text, crate::terminal::time::read_minutes)
}

/// Reads text or `none`.
///
/// Errors: none.
pub fn text_or_none(text: &str) -> Result<Clearable<String>, String> {
    clearable(text, |text| Ok(text.to_owned()))
}

/// Reads a model, or `workspace` for that of the workspace; `none` means the same.
///
/// Errors: none.
pub fn model_or_workspace(text: &str) -> Result<Clearable<String>, String> {
    match text {
        "workspace" => Ok(Clearable(None)),
        other => text_or_none(other),
    }
}

fn clearable<T>(
    text: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Clearable<T>, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Clearable(None));
    }
    read(text).map(|value| Clearable(Some(value)))
}

/// What a pair of switches such as `--private` and `--no-private` says; nothing if neither is given.
pub fn flag(on: bool, off: bool) -> Option<bool> {
    (on || off).then_some(on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_clears_and_a_value_must_exist() {
        assert_eq!(date_or_none("None"), Ok(Clearable(None)));
        assert_eq!(date_or_none("friday"), Ok(Clearable(Some(DateText("friday".into())))));
        assert_eq!(status("in-progress"), Ok(Status::InProgress));
        assert!(status("finished").unwrap_err().contains("IN PROGRESS"));
    }
}
