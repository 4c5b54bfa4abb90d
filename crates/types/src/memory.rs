//! The memory of an agent: what the older lines of its log are folded into, and when.
//!
//! Tokens are estimated, because every model counts them differently: four bytes of ASCII make one,
//! and every other character is one by itself.

use serde::{Deserialize, Serialize};

use crate::id::{EntryId, HolderId, RunKey};
use crate::time::Timestamp;

crate::closed_list! {
    /// What the text of a checkpoint is.
    pub enum CheckpointKind, "kind of a checkpoint" {
        /// A summary in words.
        Summary = "summary",
        /// The facts of the built-in rules.
        Facts = "facts",
    }
}

crate::closed_list! {
    /// Which models a checkpoint is for.
    pub enum Audience, "audience of a checkpoint" {
        /// Models that may see everything: the person's own, and the built-in one.
        Everything = "everything",
        /// Models of somebody else, which do not see what is private.
        Public = "public",
    }
}

crate::closed_list! {
    /// What a text in an agent's memory is about.
    pub enum MemoryKind, "kind of a memory" {
        /// An entry: added, edited, deleted or flagged.
        Entry = "entry",
        /// A field, an item or a label of the task, or the task itself.
        Change = "change",
        /// A link of the task.
        Link = "link",
        /// A note of the agent.
        Observation = "observation",
        /// What lines were folded into.
        Summary = "summary",
    }
}

crate::closed_list! {
    /// The next step of a removal of words from both databases.
    pub enum PurgePhase, "phase of a removal" {
        /// The words are out of the agent store, and still in the journal.
        Journal = "journal",
        /// They are in no row, but may be in what the files of the databases keep of earlier rows.
        Files = "files",
        /// They are gone.
        Done = "done",
    }
}

/// What is in place of removed words. It has no character that JSON escapes.
pub const REMOVED: &str = "[removed]";

/// What the removal of a line from an agent's memory takes away, before it happens or afterwards. It
/// has none of the words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// The line, as the list of what the agent knows names it.
    pub line: String,
    /// The entry that the line was made of. No agent is shown it any more.
    pub entry_id: Option<EntryId>,
    /// Whether that entry is removed from its task as well.
    pub with_entry: bool,
    /// Lines of logs that have the words; those of the same entry are removed whole.
    pub log_lines: usize,
    /// Summaries that fold such a line. They are removed, and the next wake folds again.
    pub summaries: usize,
    /// Stored texts of requests, answers and messages that have the words.
    pub texts: usize,
    /// Reports, proposals, decisions and other rows that have the words.
    pub other_rows: usize,
    /// How many other agents have them in their memory.
    pub other_agents: usize,
    /// How many wakes can then no longer be shown as they were.
    pub wakes_changed: usize,
    /// Those wakes, at most 50.
    pub wakes: Vec<RunKey>,
    /// Whether the words still stand in the task, in a value or an entry that is not removed.
    pub stays_in_task: bool,
    /// Whether the words are too short to be looked for outside of this line and its entry.
    pub is_too_short: bool,
    /// Who is at work and may be reading the words, an agent, a session about a template or agent
    /// work: nothing can be removed before that run has ended.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub at_work: Option<HolderId>,
    /// When it was removed; `null` while it is only looked at.
    pub removed_at: Option<Timestamp>,
    /// What is left to be done; `null` while it is only looked at.
    pub phase: Option<PurgePhase>,
}

/// The window that is assumed of a model which does not state one. Units: tokens.
pub const ASSUMED_WINDOW: u64 = 8_192;

/// When a log is folded, and how much of it stays as it is. Units: tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldLimits {
    /// Lines beyond this are folded.
    pub fold_at: u64,
    /// The newest lines that stay.
    pub keep: u64,
    /// The most lines that one call folds.
    pub piece: u64,
}

impl FoldLimits {
    /// Returns the limits for a window of which `room` is left for the lines of a log: where the shares of
    /// the window do not fit beside everything else, all of them shrink alike. Units: tokens.
    pub fn in_room(window: u64, room: u64) -> Self {
        Self::of_window(window.min(room.saturating_mul(5) / 2))
    }

    /// Returns the limits for a window. Units: tokens.
    pub fn of_window(window: u64) -> Self {
        let part = |percent: u64| window.saturating_mul(percent) / 100;
        Self {
            fold_at: part(40).min(50_000),
            keep: part(15).min(20_000),
            piece: part(35).min(12_000),
        }
    }
}

/// Units: tokens. What a few lines of a log need, whatever they cost.
const FEW_LINES: u64 = 1_000;

/// What the prompt of a wake shares its window with. Units: tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How much the model reads and writes in one turn.
    pub window: u64,
    /// What is kept free for the answer.
    pub answer: u64,
    /// What is kept free for later turns, which repeat the first prompt, the answers and their results.
    pub turns: u64,
    /// Rules and tools, which are the same in each wake.
    pub standing: u64,
    /// What this wake has to show besides its memory: the task, the news, the instruction.
    pub present: u64,
}

impl Room {
    /// Returns the shares of a window whose model may write `max_output`.
    pub fn shared(window: u64, max_output: u64, standing: u64, present: u64) -> Self {
        let answer = Self::for_answer(window, max_output);
        Self { window, answer, turns: Self::for_turns(window, answer), standing, present }
    }

    /// Returns what is kept free for an answer: as much as the model may write, but no more than a fifth of
    /// the window, because most of a small one is needed for reading.
    pub fn for_answer(window: u64, max_output: u64) -> u64 {
        max_output.min(window / 5)
    }

    /// Returns what is kept free for later turns beside the half of an answer that they may take: with it an
    /// eighth of the window.
    pub fn for_turns(window: u64, answer: u64) -> u64 {
        (window / 8).saturating_sub(answer / 2)
    }

    /// Returns the most that the first prompt may have.
    pub fn of_prompt(self) -> u64 {
        self.window.saturating_sub(self.answer).saturating_sub(self.turns)
    }

    /// Returns the most that a new summary may have: half of what rules and tools leave.
    pub fn of_summary(self) -> u64 {
        self.of_prompt().saturating_sub(self.standing) / 2
    }

    /// Returns whether a summary of an earlier wake can still be shown. It may be larger than a new one, so
    /// that rules which grow by a sentence do not have the whole log folded again.
    pub fn has_place_for(self, summary: u64) -> bool {
        summary <= self.of_summary().saturating_mul(3) / 2
    }

    /// Returns how much of what is left for the log a prompt of at most `affordable` tokens has, but not less than
    /// a few lines need.
    pub fn of_affordable_log(self, summary: u64, left: u64, affordable: Option<u64>) -> u64 {
        let fixed = self.standing.saturating_add(self.present).saturating_add(summary);
        let most = affordable.map_or(u64::MAX, |all| all.saturating_sub(fixed));
        left.min(most.max(FEW_LINES))
    }

    /// Returns what is left for the lines of the log; `None` if the prompt does not fit even without them.
    pub fn of_log(self, summary: u64) -> Option<u64> {
        let fixed = self.standing.saturating_add(self.present).saturating_add(summary);
        self.of_prompt().checked_sub(fixed)
    }
}

/// Estimates the tokens of a text.
pub fn tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    u64::try_from(ascii.div_ceil(4) + others).unwrap_or(u64::MAX)
}

/// Returns how many of the oldest lines are folded next; 0 if none.
///
/// `sizes` are the lines that no checkpoint folds, oldest first. Folding begins beyond `fold_at` and
/// then goes on, piece by piece, until no more than `keep` is left; `has_begun` says that it does. A
/// piece has at least one line, however long.
pub fn lines_to_fold(sizes: &[u64], limits: FoldLimits, has_begun: bool) -> usize {
    let all: u64 = sizes.iter().fold(0, |sum, size| sum.saturating_add(*size));
    let most = if has_begun { limits.keep } else { limits.fold_at };
    if all <= most {
        return 0;
    }
    let mut folded = 0u64;
    let mut n = 0;
    for size in sizes {
        let fits = folded.saturating_add(*size) <= limits.piece;
        if n > 0 && (!fits || all - folded <= limits.keep) {
            break;
        }
        folded = folded.saturating_add(*size);
        n += 1;
    }
    n
}

/// Returns how many of the oldest lines must be left out so that the rest fits.
pub fn lines_beyond(sizes: &[u64], most: u64) -> usize {
    let mut room = most;
    let fitting = sizes.iter().rev().take_while(|size| {
        let fits = **size <= room;
        room = room.saturating_sub(**size);
        fits
    });
    sizes.len() - fitting.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_shares_of_small_windows_and_fixed_for_large_ones() {
        let limits = FoldLimits::of_window(8_192);
        assert_eq!((limits.fold_at, limits.keep, limits.piece), (3_276, 1_228, 2_867));
        let limits = FoldLimits::of_window(1_000_000);
        assert_eq!((limits.fold_at, limits.keep, limits.piece), (50_000, 20_000, 12_000));
    }

    #[test]
    fn where_the_shares_do_not_fit_all_of_them_shrink_alike() {
        let whole = FoldLimits::of_window(8_192);
        assert_eq!(FoldLimits::in_room(8_192, 3_277), whole);
        assert_eq!(FoldLimits::in_room(8_192, u64::MAX), whole);
        let limits = FoldLimits::in_room(8_192, 1_600);
        assert_eq!((limits.fold_at, limits.keep, limits.piece), (1_600, 600, 1_400));
        assert_eq!(FoldLimits::in_room(8_192, 0).fold_at, 0);
    }

    #[test]
    fn what_is_left_of_a_window_is_what_nothing_else_takes() {
        let answer = Room::for_answer(8_192, 4_096);
        let turns = Room::for_turns(8_192, answer);
        let room = Room { window: 8_192, answer, turns, standing: 4_800, present: 400 };
        assert_eq!((answer, turns), (1_638, 205));
        assert_eq!((room.of_prompt(), room.of_summary()), (6_349, 774));
        assert_eq!(room.of_log(600), Some(549));
        assert_eq!(room.of_log(1_149), Some(0));
        assert_eq!(room.of_log(1_150), None);
        assert!(room.has_place_for(1_161) && !room.has_place_for(1_162));
        assert_eq!(Room::for_answer(200_000, 4_096), 4_096);
        assert_eq!(Room::for_turns(8_192, 200), 924, "short answers leave more to later turns");
    }

    fn check(sizes: &[u64], has_begun: bool, expected: usize) {
        let limits = FoldLimits { fold_at: 100, keep: 40, piece: 30 };
        assert_eq!(lines_to_fold(sizes, limits, has_begun), expected, "{sizes:?}");
    }

    #[test]
    fn nothing_is_folded_before_the_limit_and_then_down_to_what_stays() {
        check(&[], false, 0);
        check(&[10; 10], false, 0);
        check(&[10; 11], false, 3);
        check(&[10; 8], false, 0);
        check(&[10; 8], true, 3);
        check(&[10; 5], true, 1);
        check(&[10; 4], true, 0);
    }

    #[test]
    fn a_line_that_is_longer_than_a_piece_is_folded_by_itself() {
        check(&[500, 10], false, 1);
        check(&[10, 500], false, 1);
        check(&[500], false, 1);
        check(&[u64::MAX, u64::MAX], false, 1);
    }

    #[test]
    fn the_newest_lines_that_fit_are_kept() {
        assert_eq!(lines_beyond(&[10, 10, 10], 30), 0);
        assert_eq!(lines_beyond(&[10, 10, 10], 29), 1);
        assert_eq!(lines_beyond(&[1, 500, 10], 100), 2, "no gap in the middle");
        assert_eq!(lines_beyond(&[], 0), 0);
    }

    #[test]
    fn tokens_are_estimated_from_above_for_other_scripts() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("four"), 1);
        assert_eq!(tokens("fünf"), 2);
        assert_eq!(tokens("五个字符吧"), 5);
    }
}
