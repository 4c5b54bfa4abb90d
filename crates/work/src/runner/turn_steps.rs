//! The steps of a run as a turn leaves them: rows, and what their checks look at.

use std::collections::BTreeSet;

use dormouse_store::Op;
use dormouse_store::agent::source::Source;
use dormouse_store::agent::work::step;
use dormouse_types::work_step::{StepState, WorkRunStep, WorkStep};
use dormouse_types::{WorkRunId, WorkspaceId, limits};

use crate::tools::Call;

/// The steps of a run as a turn leaves them so far.
pub(super) struct StepsOfTurn {
    pub steps: Vec<WorkRunStep>,
    /// Those whose rows are written with the turn.
    changed: BTreeSet<i64>,
    added: BTreeSet<i64>,
    /// What the run has published so far.
    pub published: Option<String>,
    pub read: Vec<String>,
    /// Whether it was reminded already that it cannot end well.
    pub was_reminded: bool,
    /// The tasks whose titles its answers name.
    pub sources: Vec<Source>,
}

/// How a call is answered.
pub(super) struct StepAnswer {
    pub is_refused: bool,
    pub text: String,
    /// Whether the run ends with it.
    pub ends: bool,
}

impl StepsOfTurn {
    /// The steps as they are stored; nothing is marked yet.
    pub fn new(steps: Vec<WorkRunStep>) -> Self {
        Self {
            steps,
            changed: BTreeSet::new(),
            added: BTreeSet::new(),
            published: None,
            read: Vec::new(),
            was_reminded: false,
            sources: Vec::new(),
        }
    }

    /// Takes note of an accepted call of an earlier turn: what is published, and what the run read. What only says back its own
    /// words is nothing that it read.
    pub fn take_note(&mut self, call: &Call, answer: &str) {
        match call {
            Call::Publish(published) => self.published = Some(published.text.clone()),
            Call::Read(_) => self.read.push(answer.to_owned()),
            Call::End(_) | Call::Step(_) | Call::Propose(_) => {}
        }
    }

    /// Puts a step in the place of another.
    pub fn replace(&mut self, at: usize, step: WorkRunStep) {
        self.changed.insert(step.n);
        self.steps[at] = step;
    }

    /// Adds a step that the run wants.
    pub fn add(&mut self, text: String) -> StepAnswer {
        if let Err(beyond) = limits::WORK_STEPS.check(self.steps.len() + 1) {
            return StepAnswer::refused(beyond.to_string());
        }
        let n = self.steps.iter().map(|one| one.n).max().unwrap_or(0) + 1;
        let step = WorkStep { text, mandatory: false, check: None };
        let (state, is_added) = (StepState::Open, true);
        self.steps.push(WorkRunStep { n, step, state, is_added, attempts: 0, note: None });
        self.added.insert(n);
        StepAnswer { is_refused: false, text: format!("it is step {n}"), ends: false }
    }

    /// Returns whether a check failed for the last time.
    pub fn has_failed(&self) -> bool {
        self.steps.iter().any(|one| one.state == StepState::Failed)
    }

    /// The writes for the commit of the turn.
    pub fn ops(&self, ws: WorkspaceId, run: &WorkRunId) -> Vec<Op> {
        let written = self.steps.iter().filter_map(|one| {
            if self.added.contains(&one.n) {
                Some(step::insert(ws, run, one))
            } else if self.changed.contains(&one.n) {
                Some(step::update(ws, run, one))
            } else {
                None
            }
        });
        written.collect()
    }
}

impl StepAnswer {
    /// The call is refused, and the run goes on.
    pub fn refused(text: String) -> Self {
        Self { is_refused: true, text, ends: false }
    }
}
