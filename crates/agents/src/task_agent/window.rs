//! What of a prompt fits into the window of its model: what is always there is measured, the log gets what
//! is left, and what the wake can do without is left out, whole, counted and said.

use dormouse_changes::ledger;
use dormouse_runs::RunError;
use dormouse_runs::gate::{Draft, Part, Piece};
use dormouse_runs::request::{self, Offer};
use dormouse_runs::window::TooLarge;
use dormouse_types::memory::{FoldLimits, Room, tokens};
use dormouse_types::model::FragmentKind;

use super::TaskAgent;
use super::wake_input::WakeInput;
use crate::context::system;
use crate::memory::log::cut_to;
use crate::tools;

/// Units: tokens. What headings, marks of data and sentences about what is left out take.
const MARKS: u64 = 200;

impl TaskAgent<'_> {
    /// Returns what is left for the lines of the log. Units: tokens.
    pub(super) fn room_for_log(&self, input: &WakeInput) -> u64 {
        let Some(room) = self.room else { return u64::MAX };
        let summary = size_of_summary(input);
        let left = room.of_log(summary).unwrap_or(0);
        room.of_affordable_log(summary, left, input.affordable)
    }

    /// Returns the limits of the log beside everything else in the first prompt; `None` if the model has no
    /// window.
    ///
    /// Errors: the rest does not fit, so nothing is sent.
    pub(super) fn limits_of_log(&self, input: &WakeInput) -> Result<Option<FoldLimits>, RunError> {
        let Some(room) = self.room else { return Ok(None) };
        let summary = size_of_summary(input);
        match room.of_log(summary) {
            Some(left) => {
                let left = room.of_affordable_log(summary, left, input.affordable);
                Ok(Some(FoldLimits::in_room(room.window, left)))
            }
            None => Err(RunError::TooLarge(refusal(room, summary))),
        }
    }

    /// Returns the most that a new summary may have, also so that the model that folds can read it again
    /// beside the next piece. Units: tokens.
    pub(super) fn room_for_summary(&self, input: &WakeInput) -> u64 {
        let read_again = input.fold_window.map_or(u64::MAX, |window| window / 4);
        self.room.map_or(u64::MAX, Room::of_summary).min(read_again)
    }
}

/// Estimates the tokens of the summary in a prompt.
pub(super) fn size_of_summary(input: &WakeInput) -> u64 {
    let text = input.checkpoint.as_ref().and_then(|found| found.text.as_deref());
    text.map_or(0, tokens)
}

/// Returns whether the window has a place for the summary of earlier lines. It has none if the model was
/// changed to one with a smaller window.
pub(super) fn has_place_for_summary(input: &WakeInput) -> bool {
    let Some(window) = input.window else { return true };
    let standing = tokens(tools::offer().text()) + tokens(&system::prompt(&input.effective));
    let room = Room::shared(window, input.max_output, standing + MARKS, 0);
    room.has_place_for(size_of_summary(input))
}

/// Measures what a prompt has besides the log, its summary, and what it can do without.
pub(super) fn room_beside(
    fragments: &[Draft],
    offer: &Offer,
    window: u64,
    max_output: u64,
) -> Room {
    let (mut standing, mut present) = (tokens(offer.text()) + MARKS, 0);
    for draft in fragments {
        match draft.kind {
            FragmentKind::System => standing += size(draft),
            FragmentKind::Log
            | FragmentKind::Summary
            | FragmentKind::LinkedTasks
            | FragmentKind::Decisions => {}
            FragmentKind::Work
            | FragmentKind::EarlierRuns
            | FragmentKind::TaskState
            | FragmentKind::Trend
            | FragmentKind::Delta
            | FragmentKind::Message
            | FragmentKind::Instruction => present += size(draft),
        }
    }
    Room::shared(window, max_output, standing, present)
}

/// Units: bytes. To what the texts of entries are cut, one after the other, until a prompt fits. The first is
/// that of a line of the log.
const ENTRY_SIZES: [usize; 4] = [16 * 1024, 8 * 1024, 4 * 1024, 2 * 1024];

/// Cuts the texts of long entries, as far as a prompt needs it to fit with a summary and at least an eighth of
/// the window for its log. A mark says what was cut.
pub(super) fn with_entries_cut(
    fragments: &mut [Draft],
    offer: &Offer,
    (window, max_output): (u64, u64),
    summary: u64,
) -> Room {
    let has_room = |room: Room| room.of_log(summary).is_some_and(|left| left >= window / 8);
    let mut room = room_beside(fragments, offer, window, max_output);
    if has_room(room) {
        return room;
    }
    let whole: Vec<Draft> = fragments.to_vec();
    for most in ENTRY_SIZES {
        for (draft, whole) in fragments.iter_mut().zip(&whole) {
            for (part, whole) in draft.parts.iter_mut().zip(&whole.parts) {
                if part.piece == Piece::Entry {
                    part.text = cut_to(&whole.text, most);
                }
            }
        }
        room = room_beside(fragments, offer, window, max_output);
        if has_room(room) {
            break;
        }
    }
    room
}

/// Says that a prompt does not fit even without its log and everything it can do without.
pub(super) fn refusal(room: Room, summary: u64) -> TooLarge {
    let needed = [room.standing, room.present, summary, room.turns, room.answer];
    TooLarge { window: room.window, needed: needed.iter().fold(0, |sum, n| sum.saturating_add(*n)) }
}

/// Estimates the tokens of a fragment as it is sent: cut where it is too long.
fn size(draft: &Draft) -> u64 {
    let mut text = String::new();
    for part in &draft.parts {
        text.push_str(&part.text);
        for label in &part.labels {
            text.push_str(&label.text);
            text.push_str(", ");
        }
        text.push('\n');
        text.extend(part.heading.filter(|_| draft.kind != FragmentKind::LinkedTasks));
    }
    if draft.kind != FragmentKind::Log {
        text.truncate(text.floor_char_boundary(request::cap(draft.kind)));
    }
    tokens(&text)
}

/// What a prompt can do without, in the order in which it is left out.
#[derive(Debug, Clone, Copy)]
enum Spare {
    LinkedTasks,
    Decisions,
    OpenProposals,
}

impl Spare {
    const ALL: [Self; 3] = [Self::LinkedTasks, Self::Decisions, Self::OpenProposals];

    fn has(self, kind: FragmentKind, part: &Part) -> bool {
        match self {
            Self::LinkedTasks => kind == FragmentKind::LinkedTasks,
            Self::Decisions => part.heading == Some(ledger::DECISIONS),
            Self::OpenProposals => part.heading == Some(ledger::OPEN),
        }
    }

    /// The number of those left out, in words; `None` if none is.
    fn left_out(self, parts: &[Part], n_linked: usize) -> Option<String> {
        let (n, one, many) = match self {
            Self::LinkedTasks => {
                (if parts.is_empty() { 0 } else { n_linked }, "linked task", "linked tasks")
            }
            Self::Decisions => (parts.len(), "earlier decision", "earlier decisions"),
            Self::OpenProposals => (parts.len(), "open proposal", "open proposals"),
        };
        match n {
            0 => None,
            1 => Some(format!("\nThere is no room for 1 {one}: it is left out.")),
            n => Some(format!("\nThere is no room for {n} {many}: they are left out.")),
        }
    }
}

/// Leaves out linked tasks, then decisions, then open proposals, until the prompt fits, and says in the
/// instruction how many of each. `n_linked` counts the linked tasks, which may have more than one row or
/// none.
pub(super) fn within(
    mut fragments: Vec<Draft>,
    n_linked: usize,
    offer: &Offer,
    room: Room,
) -> Vec<Draft> {
    for spare in Spare::ALL {
        let all =
            fragments.iter().map(size).fold(tokens(offer.text()) + MARKS, u64::saturating_add);
        if all <= room.of_prompt() {
            break;
        }
        let mut left_out = Vec::new();
        for draft in &mut fragments {
            let kind = draft.kind;
            left_out.extend(draft.parts.extract_if(.., |part| spare.has(kind, part)));
        }
        fragments.retain(|draft| !draft.parts.is_empty());
        let is_instruction = |draft: &&mut Draft| draft.kind == FragmentKind::Instruction;
        if let Some(note) = spare.left_out(&left_out, n_linked)
            && let Some(instruction) = fragments.iter_mut().find(is_instruction)
        {
            instruction.parts.push(Part::fixed(note));
        }
    }
    fragments
}

#[cfg(test)]
mod tests {
    use dormouse_types::model::FragmentData;

    use super::*;

    fn draft(kind: FragmentKind, parts: Vec<Part>) -> Draft {
        Draft::tainted(kind, parts, FragmentData::None)
    }

    /// A prompt with two linked tasks, two decisions and one open proposal, of 100 tokens each.
    fn prompt() -> Vec<Draft> {
        let part = |heading| Part::new(Piece::Other, "word".repeat(100), Vec::new()).below(heading);
        let ledger = [ledger::DECISIONS, ledger::DECISIONS, ledger::OPEN].map(part).to_vec();
        let linked = [request::LINKED_FROM, request::LINKED_TO].map(part).to_vec();
        vec![
            draft(FragmentKind::LinkedTasks, linked),
            draft(FragmentKind::Decisions, ledger),
            draft(FragmentKind::Instruction, vec![Part::fixed("Go on.")]),
        ]
    }

    /// What is left of the prompt, as the counts of its fragments, and what the instruction says.
    fn check(most: u64, expected: &[(FragmentKind, usize)], says: &str) {
        let offer = Offer::new(Vec::new());
        let window = most + MARKS + tokens(offer.text());
        let room = Room { window, answer: 0, turns: 0, standing: 0, present: 0 };
        let left = within(prompt(), 2, &offer, room);
        let counts: Vec<_> = left.iter().map(|draft| (draft.kind, draft.parts.len())).collect();
        assert_eq!(counts, expected, "{most}");
        let instruction = left.last().expect("an instruction").parts.iter();
        let instruction: String = instruction.map(|part| part.text.as_str()).collect();
        assert_eq!(instruction, format!("Go on.{says}"), "{most}");
    }

    #[test]
    fn what_has_no_room_is_left_out_whole_and_counted_open_proposals_last() {
        use FragmentKind::{Decisions, Instruction, LinkedTasks};
        check(1_000, &[(LinkedTasks, 2), (Decisions, 3), (Instruction, 1)], "");
        let tasks = "\nThere is no room for 2 linked tasks: they are left out.";
        check(450, &[(Decisions, 3), (Instruction, 2)], tasks);
        let decisions = "\nThere is no room for 2 earlier decisions: they are left out.";
        let decisions = format!("{tasks}{decisions}");
        check(200, &[(Decisions, 1), (Instruction, 3)], &decisions);
        let open = "\nThere is no room for 1 open proposal: it is left out.";
        check(60, &[(Instruction, 4)], &format!("{decisions}{open}"));
    }

    #[test]
    fn a_fragment_is_measured_as_it_is_sent() {
        let long = "word".repeat(request::cap(FragmentKind::Delta));
        let of = |kind| size(&draft(kind, vec![Part::fixed(long.clone())]));
        assert_eq!(of(FragmentKind::Delta), 32 * 1024);
        assert_eq!(of(FragmentKind::Log), 128 * 1024 + 1, "a log is not cut");
    }
}
