//! The drafts of this process: what its runs are writing now.
//!
//! A draft is in memory only. It is shown whole each time, so that a reader that missed the last one
//! or came late shows the same as all others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dormouse_runs::{DeltaSink, LiveTurn};
use dormouse_store::{HintSender, Hints};
use dormouse_types::port::Clock;
use dormouse_types::{AgentId, HolderId, RunKey, Timestamp, WorkspaceId};

use super::partial_report::PartialReport;
use crate::tools;

/// A draft changes at most this often for its readers.
const EVERY: Duration = Duration::from_millis(200);

/// What an agent has written of its report so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportDraft {
    /// The agent.
    pub agent: AgentId,
    /// The run that writes it.
    pub run: RunKey,
    /// Number of the turn, from 1.
    pub turn: u32,
    /// One to three sentences.
    pub tldr: String,
    /// The body, in Markdown.
    pub content: String,
}

/// A call that is being written, and what its readers have seen of it.
struct Writing {
    run: RunKey,
    turn: u32,
    index: usize,
    report: PartialReport,
    shown: Option<(Timestamp, Arc<ReportDraft>)>,
}

/// The drafts of a process; a sink of its driver.
pub struct Drafts {
    clock: Arc<dyn Clock>,
    writing: Mutex<BTreeMap<(WorkspaceId, HolderId), Writing>>,
    changed: HintSender,
}

impl Drafts {
    /// Creates an empty list.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, writing: Mutex::default(), changed: HintSender::default() }
    }

    /// Receives a hint whenever a draft changed, began or is gone.
    pub fn hints(&self) -> Hints {
        self.changed.hints()
    }

    /// Returns the drafts of a workspace.
    pub fn of_workspace(&self, ws: WorkspaceId) -> Vec<Arc<ReportDraft>> {
        let writing = self.writing();
        let own = writing.iter().filter(|((of, _), _)| *of == ws);
        own.filter_map(|(_, one)| Some(one.shown.as_ref()?.1.clone())).collect()
    }

    fn writing(&self) -> MutexGuard<'_, BTreeMap<(WorkspaceId, HolderId), Writing>> {
        // No holder can leave it inconsistent, so poisoning is ignored.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writing {
    fn of(turn: &LiveTurn<'_>, index: usize) -> Self {
        let (run, report, shown) = (turn.run.clone(), PartialReport::default(), None);
        Self { run, turn: turn.turn, index, report, shown }
    }

    /// Shows the readers what there is by now, if it is time; returns whether they see something
    /// new.
    fn show(&mut self, agent: AgentId, now: Timestamp) -> bool {
        let (tldr, content) = (self.report.tldr(), self.report.content());
        if tldr.is_empty() && content.is_empty() {
            return false;
        }
        if let Some((at, shown)) = &self.shown {
            let is_same = shown.turn == self.turn && shown.tldr == tldr && shown.content == content;
            // If the clock was set back, the next time would seem far away.
            let is_early = now < *at + EVERY && now >= *at;
            if is_same || (is_early && !self.report.is_over()) {
                return false;
            }
        }
        let (run, tldr, content) = (self.run.clone(), tldr.to_owned(), content.to_owned());
        let draft = ReportDraft { agent, run, turn: self.turn, tldr, content };
        self.shown = Some((now, Arc::new(draft)));
        true
    }
}

impl DeltaSink for Drafts {
    fn call(&self, turn: &LiveTurn<'_>, index: usize, tool: &str, json: &str) {
        let Ok(agent) = AgentId::try_from(turn.holder) else { return };
        if !tools::by_name(tool).is_some_and(tools::closes) {
            return;
        }
        let now = self.clock.now();
        let is_new = {
            let mut writing = self.writing();
            let one = writing
                .entry((turn.ws, turn.holder.clone()))
                .or_insert_with(|| Writing::of(turn, index));
            if (&one.run, one.turn, one.index) != (turn.run, turn.turn, index) {
                // The last call wins. What was shown stays until it says something.
                let shown = one.shown.take().filter(|_| one.run == *turn.run);
                *one = Writing { shown, ..Writing::of(turn, index) };
            }
            one.report.push(json);
            one.show(agent, now)
        };
        if is_new {
            self.changed.send();
        }
    }

    fn ended(&self, ws: WorkspaceId, holder: &HolderId, run: &RunKey) {
        let was_shown = {
            let mut writing = self.writing();
            let key = (ws, holder.clone());
            let is_it = writing.get(&key).is_some_and(|one| one.run == *run);
            is_it && writing.remove(&key).is_some_and(|one| one.shown.is_some())
        };
        if was_shown {
            self.changed.send();
        }
    }
}

#[cfg(test)]
#[path = "drafts_tests.rs"]
mod tests;
