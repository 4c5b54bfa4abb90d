//! How a proposal is shown: what changes, before, after, and the quoted evidence.

use dormouse::view::ChangeItem;
use dormouse_types::Id as _;
use dormouse_types::agent::ItemStatus;
use dormouse_types::field_change::{FieldChange, FieldRef};

use crate::terminal::style::Color;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{Style, change, counted, line, value};

/// What is shown to a person before a confirm.
pub const MADE_OF_PRIVATE: &str =
    "it was made of something private; once confirmed, it can be seen wherever its task can";

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

/// What it does, in one line. An open one is compared with the present value, as a confirm would be, a closed
/// one with the value at the time of the proposal.
pub fn summary(item: &ChangeItem) -> String {
    let is_open = matches!(item.status, ItemStatus::Pending | ItemStatus::Deferred);
    let change = item.change.clone().map(|change| {
        let current = item.current.clone().filter(|_| is_open);
        FieldChange { from: current.or(change.from), ..change }
    });
    change::words(change.as_ref(), &item.human_summary)
}

/// The lines of a proposal, its summary first.
pub fn lines(item: &ChangeItem, width: usize, style: Style) -> Vec<String> {
    let mut lines = wrap::text(&line(&summary(item)), width, Margin { first: "", rest: "  " });
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
    if item.made_of_private {
        let margin = Margin { first: "  private   ", rest: "            " };
        lines.extend(wrap::text(MADE_OF_PRIVATE, width, margin));
    }
    if let Some(error) = &item.error {
        let margin = Margin { first: "  failed    ", rest: "            " };
        lines.extend(wrap::text(&line(error), width, margin));
    }
    lines
}

/// Before and after. The value at the time of the proposal is shown only if it has changed since.
fn diff(item: &ChangeItem, width: usize, style: Style) -> Vec<String> {
    let before = item.change.as_ref().and_then(|change| change.from.as_ref()).map(value::words);
    let now = item.current.as_ref().map(value::words).or_else(|| before.clone());
    let mut rows = Vec::new();
    if let Some(before) = before.filter(|before| Some(before) != now.as_ref()) {
        rows.push(("then", before, Color::Plain));
    }
    let now = now.or_else(|| (is_field(item) || item.set_since).then(|| "none".to_owned()));
    let is_new = now.is_none();
    if let Some(now) = now {
        let by_you = if item.set_since { format!("{now} (you set it since)") } else { now };
        rows.push(("now", by_you, Color::Plain));
    }
    // The summary says all of something that is new.
    let summary = summary(item);
    let is_named = |proposed: &String| is_new && summary.contains(proposed);
    if let Some(proposed) = proposed(item).filter(|words| !is_named(words)) {
        rows.push(("proposed", proposed, Color::Green));
    }
    let mut lines = Vec::new();
    for (name, value, color) in rows {
        let first = format!("  {name:<10}");
        let margin = Margin { first: &first, rest: "            " };
        let span = wrap::Span { text: line(&value), color };
        lines.extend(wrap::spans(&[span], width, margin, style));
    }
    lines
}

/// The proposed value.
pub fn proposed(item: &ChangeItem) -> Option<String> {
    item.change.as_ref().and_then(|change| change.to.as_ref()).map(value::words)
}

/// Whether it sets a field of the task, which has a value before even when it is empty.
fn is_field(item: &ChangeItem) -> bool {
    item.change.as_ref().is_some_and(|change| match change.field {
        FieldRef::Title
        | FieldRef::Status
        | FieldRef::Priority
        | FieldRef::DueDate
        | FieldRef::Estimate
        | FieldRef::Language
        | FieldRef::Category
        | FieldRef::Starred
        | FieldRef::Private => true,
        FieldRef::Item { .. }
        | FieldRef::Label { .. }
        | FieldRef::ItemTask { .. }
        | FieldRef::FollowUp
        | FieldRef::Link { .. }
        | FieldRef::Other(_) => false,
    })
}

/// A status in plain words.
pub fn status(item: &ChangeItem) -> &'static str {
    match item.status {
        ItemStatus::Pending => "open",
        ItemStatus::Deferred => "put off",
        ItemStatus::Applying
        | ItemStatus::Confirmed
        | ItemStatus::Rejected
        | ItemStatus::Retracted
        | ItemStatus::Expired => item.status.name(),
    }
}
