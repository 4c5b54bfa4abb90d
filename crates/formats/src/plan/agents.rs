//! Which tasks deserve an agent unless the person says otherwise.

use dormouse_types::draft::Task;
use dormouse_types::task::Status;

use super::correction::AgentChoice;

/// Fewer items or lines than this leave an agent nothing to say that a glance does not.
const PLENTY: usize = 3;

/// Units: words. A single note of this length is worth a summary.
const LONG_NOTE: usize = 30;

/// Whether a task gets an agent by default: an open one with a lot of text, which is several items
/// and lines of text, or a long note. A task whose items are all ticked is as good as closed.
pub fn deserves_agent(task: &Task) -> AgentChoice {
    let is_closed = task.status.is_some_and(Status::is_terminal);
    let all_ticked = !task.items.is_empty() && task.items.iter().all(|item| item.is_checked);
    let texts = || task.entries.iter().map(|entry| entry.text.as_str());
    let lines = texts().flat_map(str::lines).filter(|line| !line.trim().is_empty());
    let n_lines = lines.take(PLENTY).count();
    let n_words = texts().flat_map(str::split_whitespace).take(LONG_NOTE).count();
    let has_plenty = task.items.len() + n_lines >= PLENTY || n_words == LONG_NOTE;
    if has_plenty && !is_closed && !all_ticked { AgentChoice::Give } else { AgentChoice::Refuse }
}
