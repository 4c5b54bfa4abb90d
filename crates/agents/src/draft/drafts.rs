//! The drafts of this process: what its runs are writing now.
//!
//! A draft is in memory only. It is read whole each time, so that a reader that missed the last one
//! or came late shows the same as all others. How often it is read is for the reader to decide: only
//! the reader knows that something is left to show when the model pauses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dormouse_runs::{DeltaSink, LiveTurn};
use dormouse_store::{HintSender, Hints};
use dormouse_types::{AgentId, EvolutionSessionId, HolderId, RunKey, WorkspaceId, limits};

use super::partial_report::PartialReport;
use crate::tools;

/// What a run has written so far of a report, or of an answer in a session about a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportDraft {
    /// The agent, or the session.
    pub writer: HolderId,
    /// The run that writes it.
    pub run: RunKey,
    /// Number of the turn, from 1.
    pub turn: u32,
    /// One to three sentences.
    pub tldr: String,
    /// The body, in Markdown.
    pub content: String,
    /// What is answered in a session; empty for a report.
    pub answer: String,
}

/// A call that is being written, and the draft that was read of it last.
struct Writing {
    writer: HolderId,
    run: RunKey,
    turn: u32,
    index: usize,
    report: PartialReport,
    /// The text next to the calls, in a session.
    answer: String,
    read: Option<Arc<ReportDraft>>,
}

/// The drafts of a process; a sink of its driver.
#[derive(Default)]
pub struct Drafts {
    writing: Mutex<BTreeMap<(WorkspaceId, HolderId), Writing>>,
    changed: HintSender,
}

impl Drafts {
    /// Receives a hint whenever a draft changed, began or is gone.
    pub fn hints(&self) -> Hints {
        self.changed.hints()
    }

    /// Returns the drafts of a workspace as they are now.
    pub fn of_workspace(&self, ws: WorkspaceId) -> Vec<Arc<ReportDraft>> {
        let mut writing = self.writing();
        let own = writing.iter_mut().filter(|((of, _), _)| *of == ws);
        own.filter_map(|(_, one)| one.draft()).collect()
    }

    fn writing(&self) -> MutexGuard<'_, BTreeMap<(WorkspaceId, HolderId), Writing>> {
        // No holder can leave it inconsistent, so poisoning is ignored.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writing {
    fn of(turn: &LiveTurn<'_>, index: usize) -> Self {
        Self {
            writer: turn.holder.clone(),
            run: turn.run.clone(),
            turn: turn.turn,
            index,
            report: PartialReport::default(),
            answer: String::new(),
            read: None,
        }
    }

    /// Returns the draft as it is now; what was read last while the call says nothing yet.
    fn draft(&mut self) -> Option<Arc<ReportDraft>> {
        let (tldr, content) = (self.report.tldr(), self.report.content());
        let is_same = |read: &Arc<ReportDraft>| {
            read.turn == self.turn
                && (read.tldr == tldr && read.content == content)
                && read.answer == self.answer
        };
        let says_nothing = tldr.is_empty() && content.is_empty() && self.answer.is_empty();
        if !says_nothing && !self.read.as_ref().is_some_and(is_same) {
            self.read = Some(Arc::new(ReportDraft {
                writer: self.writer.clone(),
                run: self.run.clone(),
                turn: self.turn,
                tldr: tldr.to_owned(),
                content: content.to_owned(),
                answer: self.answer.clone(),
            }));
        }
        self.read.clone()
    }

    /// Adds to the call; returns whether there may be more to read.
    fn push(&mut self, json: &str) -> bool {
        let was_over = self.report.is_over();
        self.report.push(json);
        let has_begun = !self.report.tldr().is_empty() || !self.report.content().is_empty();
        !was_over && has_begun
    }
}

impl DeltaSink for Drafts {
    fn text(&self, turn: &LiveTurn<'_>, delta: &str) {
        // Of a task agent only the report is for people.
        if EvolutionSessionId::try_from(turn.holder).is_err() || delta.is_empty() {
            return;
        }
        let is_new = {
            let mut writing = self.writing();
            let one = writing
                .entry((turn.ws, turn.holder.clone()))
                .or_insert_with(|| Writing::of(turn, 0));
            if (&one.run, one.turn) != (turn.run, turn.turn) {
                let read = one.draft().filter(|_| one.run == *turn.run);
                *one = Writing { read, ..Writing::of(turn, 0) };
            }
            let has_room = one.answer.len() + delta.len() <= limits::EVOLUTION_ANSWER.max;
            if has_room {
                one.answer.push_str(delta);
            }
            has_room
        };
        if is_new {
            self.changed.send();
        }
    }

    fn call(&self, turn: &LiveTurn<'_>, index: usize, tool: &str, json: &str) {
        if AgentId::try_from(turn.holder).is_err() {
            return;
        }
        if !tools::by_name(tool).is_some_and(tools::closes) {
            return;
        }
        let is_new = {
            let mut writing = self.writing();
            let one = writing
                .entry((turn.ws, turn.holder.clone()))
                .or_insert_with(|| Writing::of(turn, index));
            if (&one.run, one.turn, one.index) != (turn.run, turn.turn, index) {
                // The last call wins. What the one before it said stays until it says something.
                let read = one.draft().filter(|_| one.run == *turn.run);
                *one = Writing { read, ..Writing::of(turn, index) };
            }
            one.push(json)
        };
        if is_new {
            self.changed.send();
        }
    }

    fn ended(&self, ws: WorkspaceId, holder: &HolderId, run: &RunKey) {
        let was_written = {
            let mut writing = self.writing();
            let key = (ws, holder.clone());
            let is_it = writing.get(&key).is_some_and(|one| one.run == *run);
            is_it && writing.remove(&key).is_some_and(|mut one| one.draft().is_some())
        };
        if was_written {
            self.changed.send();
        }
    }
}

#[cfg(test)]
#[path = "drafts_tests.rs"]
mod tests;
