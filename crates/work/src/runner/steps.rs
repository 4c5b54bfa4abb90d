//! The steps of a run during a turn: marked, added, and checked against what the run published.

use std::collections::BTreeMap;

use dormouse_runs::RunError;
use dormouse_runs::clearance::clearance;
use dormouse_store::agent::source::Source;
use dormouse_store::agent::work::{correction, question, step};
use dormouse_store::journal::task::{self, ListQuery};
use dormouse_types::fold::folded;
use dormouse_types::work::WorkOutcome;
use dormouse_types::work_step::{StepCheck, StepState, WorkRunStep};

use super::WorkRun;
use super::turn_steps::{StepAnswer, StepsOfTurn};
use crate::steps::{self, Checked};
use crate::tools::{self, StepCall};

/// The most tasks that a check looks for.
const MOST_TASKS: i64 = 500;
/// How a refusal to finish begins; a run is refused once.
const UNFINISHED: &str = "the run cannot end well yet";

impl WorkRun<'_> {
    /// Returns the steps of the run as they are stored.
    pub(super) async fn steps(&self) -> Result<Vec<WorkRunStep>, RunError> {
        Ok(self.work.store.all(step::of_run(self.lease.ws, &self.id)).await?)
    }

    /// Reads the steps with what their checks look at.
    pub(super) async fn steps_of_turn(&self) -> Result<StepsOfTurn, RunError> {
        let ws = self.lease.ws;
        let mut turn = StepsOfTurn::new(self.steps().await?);
        if turn.steps.is_empty() {
            return Ok(turn);
        }
        let (work, store) = (&self.run.work, &self.work.store);
        turn.read.push(self.work.instructions(ws, work, self.run.version).await?);
        let corrections = store.all(correction::after(ws, work, 0)).await?;
        turn.read.extend(corrections.into_iter().map(|one| one.text));
        let questions = store.all(question::of_run(ws, &self.id)).await?;
        turn.read.extend(questions.into_iter().filter_map(|one| one.answer));
        let with_turns = self.work.with_turns(ws, self.run.clone()).await?;
        for (key, turns) in &with_turns.attempts {
            for logged in turns {
                for (call, result) in logged.calls.iter().zip(&logged.results) {
                    let Some(result) = result else { continue };
                    if result.refused {
                        let is_own = *key == self.lease.run.key;
                        turn.was_reminded |= is_own && result.text.starts_with(UNFINISHED);
                    } else if let Ok(call) = tools::read(call) {
                        turn.take_note(&call, &result.text);
                    }
                }
            }
        }
        Ok(turn)
    }

    /// Answers a call about steps.
    pub(super) async fn step_call(
        &self,
        turn: &mut StepsOfTurn,
        call: StepCall,
    ) -> Result<StepAnswer, RunError> {
        match call {
            StepCall::Add { text } => Ok(turn.add(text)),
            StepCall::Finish { n, note } => {
                let Some(at) = turn.steps.iter().position(|one| one.n == n) else {
                    let all: Vec<&WorkRunStep> = turn.steps.iter().collect();
                    return Ok(StepAnswer::refused(match all.as_slice() {
                        [] => "this run has no steps".into(),
                        all => {
                            format!("there is no step {n}; there are: {}", steps::in_a_line(all))
                        }
                    }));
                };
                let found = self.check(turn, at).await?;
                let is_ok = found.is_ok();
                turn.replace(at, steps::after_check(&turn.steps[at], found, note));
                let one = &turn.steps[at];
                if is_ok {
                    let left = turn.steps.iter().filter(|one| one.state == StepState::Open);
                    let left: Vec<&WorkRunStep> = left.collect();
                    let left = match left.as_slice() {
                        [] => "all steps are done".to_owned(),
                        left => format!("still to do: {}", steps::in_a_line(left)),
                    };
                    return Ok(StepAnswer {
                        is_refused: false,
                        text: format!("step {n} is done; {left}"),
                        ends: false,
                    });
                }
                let why = one.note.clone().unwrap_or_default();
                let ends = one.state == StepState::Failed;
                let then = match ends {
                    true => "that was the third time: the run ends, and the person looks at it",
                    false => "put it right, publish again, and call this again",
                };
                Ok(StepAnswer { is_refused: true, text: format!("{why}; {then}"), ends })
            }
        }
    }

    /// Checks every step again before the run ends; `None` if it may end.
    pub(super) async fn before_finish(
        &self,
        turn: &mut StepsOfTurn,
        outcome: WorkOutcome,
    ) -> Result<Option<StepAnswer>, RunError> {
        if outcome == WorkOutcome::Failed {
            return Ok(None);
        }
        let mut wrong = Vec::new();
        for at in 0..turn.steps.len() {
            if turn.steps[at].state != StepState::Done {
                continue;
            }
            if let Err(why) = self.check(turn, at).await? {
                wrong.push(format!("step {}: {why}", turn.steps[at].n));
                turn.replace(at, steps::after_check(&turn.steps[at], Err(why), None));
            }
        }
        let missing = steps::missing(&turn.steps);
        if missing.is_empty() && wrong.is_empty() {
            return Ok(None);
        }
        let missing =
            (!missing.is_empty()).then(|| format!("not done: {}", steps::in_a_line(&missing)));
        let why = missing.into_iter().chain(wrong).collect::<Vec<_>>().join("; ");
        let has_failed = turn.steps.iter().any(|one| one.state == StepState::Failed);
        if turn.was_reminded || has_failed {
            let text = format!("the run ends, and the person looks at it: {why}");
            return Ok(Some(StepAnswer { is_refused: false, text, ends: true }));
        }
        turn.was_reminded = true;
        Ok(Some(StepAnswer::refused(format!(
            "{UNFINISHED}; {why}. Do that, then call finish again."
        ))))
    }

    /// Returns why what is stored as the result does not pass the checks of the steps that are done.
    ///
    /// The last turn may be part of the same commit as the end, so its steps are not in the rows yet.
    pub(super) async fn unfit(
        &mut self,
        published: Option<&str>,
    ) -> Result<Option<String>, RunError> {
        let mut turn = match self.last_turn.take() {
            Some(turn) => turn,
            None => self.steps_of_turn().await?,
        };
        turn.published = published.map(ToOwned::to_owned);
        if let Some(why) = steps::obstacle(&turn.steps) {
            return Ok(Some(why));
        }
        for at in 0..turn.steps.len() {
            if turn.steps[at].state == StepState::Done
                && let Err(why) = self.check(&mut turn, at).await?
            {
                return Ok(Some(format!("step {}: {why}", turn.steps[at].n)));
            }
        }
        Ok(None)
    }

    async fn check(
        &self,
        turn: &mut StepsOfTurn,
        at: usize,
    ) -> Result<Result<(), String>, RunError> {
        let Some(check) = turn.steps[at].step.check.clone() else { return Ok(Ok(())) };
        let mut tasks = Vec::new();
        if let StepCheck::NamesTasks { status, words } = &check {
            for (id, title) in self.tasks_of(*status, words).await? {
                turn.sources.push(Source::Task(id.parse().map_err(crate::error::broken)?));
                tasks.push((id, title));
            }
        }
        let (published, read) = (turn.published.as_deref(), turn.read.as_slice());
        Ok(steps::check(&check, &Checked { published, read, tasks: &tasks }))
    }

    /// The tasks of a query that the model of the run may see: it cannot name another one.
    async fn tasks_of(
        &self,
        status: Option<dormouse_types::task::Status>,
        words: &str,
    ) -> Result<BTreeMap<String, String>, RunError> {
        let (ws, run) = (self.lease.ws, &self.lease.run);
        let wanted = ListQuery {
            status,
            words: folded(words).split_whitespace().map(ToOwned::to_owned).collect(),
            title: None,
            include_deleted: false,
            after: None,
            limit: MOST_TASKS,
        };
        let found = self.work.store.all(task::list(ws, &wanted)).await?;
        let found = found.into_iter().filter_map(|line| line.row.ok());
        let tasks: Vec<task::Task> = found.map(|listed| listed.task.doc.value).collect();
        let requested = tasks.iter().map(|task| Source::Task(task.id.clone())).collect();
        let model = self.work.driver.models().named(run.model.as_deref());
        let clearance = clearance(&self.work.store, ws, &run.holder, &*model, requested).await?;
        let shown =
            tasks.into_iter().filter(|task| clearance.allows_all(&[Source::Task(task.id.clone())]));
        Ok(shown.map(|task| (task.id.to_string(), task.title)).collect())
    }
}
