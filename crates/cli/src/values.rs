//! The values of arguments: how a status, a day or `none` is read from the command line.

use std::str::FromStr;

use dormouse_types::task::{Priority, Status};
use jiff::civil::Date;

/// A value, or `none` to clear it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clearable<T>(pub Option<T>);

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

/// Reads a day or `none`.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn day_or_none(text: &str) -> Result<Clearable<Date>, String> {
    clearable(text, day)
}

/// Reads a day.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn day(text: &str) -> Result<Date, String> {
    let date: Option<Date> = text.parse().ok();
    date.filter(|date| date.to_string() == text)
        .ok_or_else(|| format!("`{text}` is not a valid date: write YYYY-MM-DD"))
}

/// Takes a time or `none`; it is parsed later, in the time zone of the workspace.
///
/// Errors: none.
pub fn time_or_none(text: &str) -> Result<Clearable<String>, String> {
    text_or_none(text)
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

fn clearable<T>(
    text: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Clearable<T>, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Clearable(None));
    }
    read(text).map(|value| Clearable(Some(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_clears_and_a_day_must_exist() {
        assert_eq!(day_or_none("none"), Ok(Clearable(None)));
        assert!(day_or_none("2026-02-30").unwrap_err().contains("2026-02-30"));
        assert_eq!(status("in-progress"), Ok(Status::InProgress));
        assert!(status("finished").unwrap_err().contains("IN PROGRESS"));
    }
}
