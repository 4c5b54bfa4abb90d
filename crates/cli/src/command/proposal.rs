//! How a proposal is shown: what changes, before, after, and the quoted evidence.

use dormouse::view::ChangeItem;
use dormouse_types::Id as _;

use crate::command::counted;
use crate::terminal::style::Color;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{Style, line};

/// `k3f9a:1`.
pub fn name(item: &ChangeItem) -> String {
    format!("{}:{}", item.set.short(), item.index)
}

/// The first eight digits of the digest: enough to identify the proposal.
pub fn digest8(item: &ChangeItem) -> &str {
    item.digest.as_str().get(..8).unwrap_or(item.digest.as_str())
}

/// `2 open proposals, 1 put off`.
pub fn counts(open: usize, put_off: usize) -> String {
    match (open, put_off) {
        (open, 0) => counted(open, "open proposal"),
        (0, put_off) => format!("{} put off", counted(put_off, "proposal")),
        (open, put_off) => format!("{}, {put_off} put off", counted(open, "open proposal")),
    }
}

/// The lines of a proposal, its summary first.
pub fn lines(item: &ChangeItem, width: usize, style: Style) -> Vec<String> {
    let mut lines = wrap::text(&line(&item.human_summary), width, Margin { first: "", rest: "  " });
    for text in &mut lines {
        *text = style.bold(text);
    }
    lines.extend(diff(item, width, style));
    if let Some(evidence) = &item.evidence {
        let quote = format!("“{}”", line(&evidence.quote));
        let margin = Margin { first: "  says      ", rest: "            " };
        lines.extend(wrap::text(&quote, width, margin));
    }
    if let Some(rationale) = item.rationale.as_deref().filter(|text| !text.trim().is_empty()) {
        let margin = Margin { first: "  because   ", rest: "            " };
        lines.extend(wrap::text(&line(rationale), width, margin));
    }
    if let Some(error) = &item.error {
        let margin = Margin { first: "  failed    ", rest: "            " };
        lines.extend(wrap::text(&line(error), width, margin));
    }
    lines
}

/// Before and after. The value at the time of the proposal is shown only if it has changed since.
fn diff(item: &ChangeItem, width: usize, style: Style) -> Vec<String> {
    let now = item.now.as_ref().or(item.before.as_ref());
    let mut rows = Vec::new();
    if let Some(before) = item.before.as_ref().filter(|before| Some(*before) != now) {
        rows.push(("then", before, Color::Plain));
    }
    // A field of the task has a before also when it is empty; an item or a label that is new has
    // none, and the summary tells it whole.
    let is_field = ["set_task_", "update_task_"].iter().any(|of| item.tool_name.starts_with(of));
    let none = "none".to_owned();
    let now = now.or((is_field || item.set_since).then_some(&none));
    let by_you;
    if let Some(now) = now {
        by_you = if item.set_since { format!("{now} (you set it since)") } else { now.clone() };
        rows.push(("now", &by_you, Color::Plain));
    }
    let is_told =
        now.is_none() && item.proposed.as_ref().is_some_and(|p| item.human_summary.contains(p));
    if let Some(proposed) = item.proposed.as_ref().filter(|_| !is_told) {
        rows.push(("proposed", proposed, Color::Green));
    }
    let mut lines = Vec::new();
    for (name, value, color) in rows {
        let first = format!("  {name:<10}");
        let margin = Margin { first: &first, rest: "            " };
        let span = wrap::Span { text: line(value), color };
        lines.extend(wrap::spans(&[span], width, margin, style));
    }
    lines
}

/// A status in plain words.
pub fn status(item: &ChangeItem) -> String {
    match item.status.as_str() {
        "pending" => "open".to_owned(),
        "deferred" => "put off".to_owned(),
        other => line(other),
    }
}
