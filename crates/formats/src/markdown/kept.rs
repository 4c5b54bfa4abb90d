//! What of a line has no place in its task, and is kept as text with a remark.

use dormouse_types::draft::Task;
use dormouse_types::limits::{self, Limit};

use super::check_box::CheckBox;
use super::entries::Gatherer;
use super::signs::Signs;
use crate::reading::Role;

/// Adds the labels of a line that are within the limits; the others stay words of the entry that
/// keeps them.
pub(super) fn add_labels(task: &mut Task, signs: &Signs) {
    for name in &signs.labels {
        let fits = limits::LABEL_NAME.check(name.chars().count()).is_ok()
            && task.labels.len() < limits::LABELS_PER_TASK.max;
        let known = task.labels.iter().any(|label| label.to_lowercase() == name.to_lowercase());
        if fits && !known {
            task.labels.push(name.clone());
        }
    }
}

/// Keeps the fields of a line that a task has no place for, and says so.
pub(super) fn keep_signs(line: usize, signs: &Signs, gatherer: &mut Gatherer<'_>) {
    let too_long = signs
        .labels
        .iter()
        .filter(|name| limits::LABEL_NAME.check(name.chars().count()).is_err())
        .map(|name| format!("#{name}"));
    let kept: Vec<String> = signs.kept.iter().cloned().chain(too_long).collect();
    say_impossible(line, signs, gatherer);
    if !kept.is_empty() {
        let text = kept.join(" ");
        let shown: String = text.chars().take(100).collect();
        gatherer.remark(line, format!("no matching field for `{shown}`: kept in the note"));
        gatherer.whole(line, "fields".to_owned(), &text);
    }
}

/// Keeps the items that a checklist has no room for as a list in the text of the task, and says so.
pub(super) fn keep_surplus(surplus: &[CheckBox], outermost: u32, gatherer: &mut Gatherer<'_>) {
    let Some(first) = surplus.first() else { return };
    let message = format!(
        "{} items are more than the {} that a checklist holds: kept in the note; a heading of their own makes \
         them items",
        surplus.len(),
        limits::ITEMS_PER_TASK.max
    );
    gatherer.remark(first.first, message);
    let lines = surplus.iter().map(|check| {
        for line in check.first..=check.title_last {
            gatherer.place(line, Role::Note);
        }
        let sign = if check.is_checked { 'x' } else { check.mark };
        let sign = if matches!(sign, '\0' | '\t') { ' ' } else { sign };
        let indent = "  ".repeat(check.depth.saturating_sub(outermost).min(20) as usize);
        format!("{indent}- [{sign}] {}", check.title)
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    gatherer.whole(first.first, "items".to_owned(), &text);
}

/// Says which dates of a line are not in the calendar.
pub(super) fn say_impossible(line: usize, signs: &Signs, gatherer: &mut Gatherer<'_>) {
    for text in &signs.impossible {
        let message = format!("`{text}` is not a valid date: it stays in the text");
        gatherer.remark(line, message);
    }
}

/// The remark on a box with another sign than a tick.
pub(super) fn not_ticked(mark: char) -> String {
    let mark = if mark == '\0' { String::new() } else { mark.to_string() };
    format!("box `[{mark}]` read as not ticked")
}

/// The remark on such a box of an item, which is ticked or not and has no other state.
pub(super) fn sign_kept(mark: char) -> String {
    format!(
        "box `[{mark}]`: an item is ticked or not, so it is not, and the sign stays before its title"
    )
}

pub(super) struct Cut {
    pub text: String,
    pub remark: String,
}

/// A text cut to a limit, including the ellipsis; `None` if it fits.
pub(super) fn cut(text: &str, limit: Limit) -> Option<Cut> {
    let beyond = limit.check(text.chars().count()).err()?;
    let mut text: String = text.chars().take(limit.max - 1).collect();
    text.push('…');
    Some(Cut { text, remark: format!("{beyond}: shortened, with the full text kept as an entry") })
}
