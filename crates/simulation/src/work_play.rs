//! Agent work in the same play: two schedules, in a workspace of their own, whose runs ask, publish, end or
//! say nothing; and a person who answers, corrects, judges, cancels and pauses, on whichever node answers.
//!
//! What must hold: no occurrence is missed and none has two runs; a result is shown once; what was acknowledged to a person
//! is written is there, once; a correction is in every request of a run that was claimed after it; an answer is
//! in a request of the run whose question it was.

use std::sync::Arc;
use std::time::Duration;

use dormouse::dates::Wording;
use dormouse::{Caller, Error, NewWork};
use dormouse_store::{Db, Value};
use dormouse_types::work::{CatchUp, Overlap};
use dormouse_types::{QuestionId, WorkId, WorkRunId};

use crate::client::{Client, Reply};
use crate::locks::lock;
use crate::process::NodeAccess;
use crate::sim_state::SimState;
use crate::work_known::{EVERY, WS};
use crate::work_rest;
use crate::work_watch::{rows, text};

/// After this time a node has looked at what is due.
const SWEPT: Duration = Duration::from_secs(100);

fn me() -> Caller {
    Caller::owner(WS)
}

/// A person who has agents work.
pub(crate) struct Boss(pub(crate) Client);

impl Boss {
    pub(crate) fn new(sim: &Arc<SimState>, name: &'static str) -> Self {
        Self(Client::new(sim, name))
    }

    fn sim(&self) -> &Arc<SimState> {
        &self.0.sim
    }

    /// Lives through so many acts.
    pub(crate) async fn live(mut self, acts: u64) {
        for (n, every) in (0..).zip(EVERY) {
            self.make(n, every).await;
        }
        for _ in 0..acts {
            let millis = self.sim().draw(|chance| {
                let longest = if chance.one_in(3) { 200_000 } else { 9_000 };
                chance.below(longest)
            });
            self.sim().wait(Duration::from_millis(millis)).await;
            self.act().await;
        }
        self.sim().leave();
    }

    async fn make(&mut self, n: usize, every: i64) {
        let key = self.0.fresh();
        let new = NewWork {
            title: format!("Work {n}"),
            instructions: Some(format!("Do work {n}.")),
            schedule: Some(format!("every {every} minutes")),
            catch_up: CatchUp::Once,
            overlap: if n == 0 { Overlap::Parallel } else { Overlap::Queue },
            ..NewWork::default()
        };
        let make = |access: NodeAccess, key| -> Reply<()> {
            let new = new.clone();
            Box::pin(async move {
                let me = me();
                let made = access.dormouse.create_work(&me, new, Wording::default(), Some(key));
                made.await.map(drop)
            })
        };
        self.0.ask("makes work", make, &key).await;
    }

    fn pick<T: Clone>(&self, from: &[T]) -> Option<T> {
        self.sim().draw(|chance| chance.pick(from).cloned())
    }

    async fn act(&mut self) {
        match self.sim().draw(|chance| chance.below(20)) {
            0..=7 => self.answer().await,
            8..=10 => self.judge().await,
            11..=13 => self.correct().await,
            14 | 15 => self.run_now().await,
            16 => self.cancel().await,
            17 => self.retry().await,
            _ => self.rest().await,
        }
    }

    fn works(&self) -> Vec<WorkId> {
        let found = rows(self.sim(), "SELECT id FROM work_definitions WHERE ws = 3 ORDER BY title");
        found.iter().filter_map(|row| text(row, 0).parse().ok()).collect()
    }

    fn runs(&self, state: &str) -> Vec<WorkRunId> {
        let sql = "SELECT id FROM work_runs WHERE ws = 3 AND state = ?1 ORDER BY id";
        let found = self.sim().rows(Db::Agent, sql, vec![Value::Text(state.to_owned())]);
        found.iter().filter_map(|row| text(row, 0).parse().ok()).collect()
    }

    fn questions(&self) -> Vec<QuestionId> {
        let sql = "SELECT id FROM work_questions WHERE ws = 3 AND closed_at IS NULL ORDER BY id";
        rows(self.sim(), sql).iter().filter_map(|row| text(row, 0).parse().ok()).collect()
    }

    /// Answers one that waits.
    pub(crate) async fn answer(&mut self) {
        let Some(question) = self.pick(&self.questions()) else { return };
        let key = self.0.fresh();
        let words = format!("answer {key}.");
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (question, words) = (question.clone(), words.clone());
            Box::pin(async move {
                let me = me();
                let answered =
                    access.dormouse.answer_work_question(&me, &question, &words, Some(key));
                answered.await.map(drop)
            })
        };
        if let Some(Ok(())) = self.0.ask("answers", make, &key).await {
            self.sim().count("work answered");
            lock(&self.sim().work).answers.push((question.to_string(), words));
        }
    }

    /// Waits until a node has looked at what is due, and lets nothing come due any more.
    pub(crate) async fn end_all(mut self) {
        self.sim().wait(SWEPT).await;
        work_rest::planned(self.sim());
        for work in self.works() {
            let key = self.0.fresh();
            let make = |access: NodeAccess, key| -> Reply<()> {
                let work = work.clone();
                Box::pin(async move {
                    access.dormouse.archive_work(&me(), &work, Some(key)).await.map(drop)
                })
            };
            self.0.ask("ends work", make, &key).await;
        }
        self.sim().leave();
    }

    /// Answers all that wait.
    pub(crate) async fn answer_all(mut self) {
        for _ in 0..self.questions().len() {
            self.answer().await;
        }
        self.sim().leave();
    }

    async fn judge(&mut self) {
        let Some(run) = self.pick(&self.runs("needs_review")) else { return };
        let (key, well) = (self.0.fresh(), self.sim().draw(|chance| chance.one_in(2)));
        let make = |access: NodeAccess, key| -> Reply<()> {
            let run = run.clone();
            Box::pin(async move {
                let me = me();
                let judged = access.dormouse.review_work_run(&me, &run, well, None, Some(key));
                judged.await.map(drop)
            })
        };
        if let Some(Ok(())) = self.0.ask("judges", make, &key).await {
            self.sim().count("work judged");
        }
    }

    async fn correct(&mut self) {
        let Some(work) = self.pick(&self.works()) else { return };
        let key = self.0.fresh();
        let words = format!("correction {key}.");
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (work, words) = (work.clone(), words.clone());
            Box::pin(async move {
                access.dormouse.correct_work(&me(), &work, &words, Some(key)).await.map(drop)
            })
        };
        if let Some(Ok(())) = self.0.ask("corrects", make, &key).await {
            self.sim().count("work corrected");
            lock(&self.sim().work).corrections.push((work.to_string(), words));
        }
    }

    async fn run_now(&mut self) {
        let Some(work) = self.pick(&self.works()) else { return };
        let key = self.0.fresh();
        let make = |access: NodeAccess, key| -> Reply<()> {
            let work = work.clone();
            Box::pin(
                async move { access.dormouse.run_work(&me(), &work, Some(key)).await.map(drop) },
            )
        };
        if let Some(Ok(())) = self.0.ask("runs work", make, &key).await {
            self.sim().count("work requested");
        }
    }

    async fn cancel(&mut self) {
        let all = [self.runs("running"), self.runs("queued"), self.runs("needs_input")].concat();
        let Some(run) = self.pick(&all) else { return };
        let key = self.0.fresh();
        let make = |access: NodeAccess, _key| -> Reply<()> {
            let run = run.clone();
            Box::pin(
                async move { access.dormouse.cancel_work_run(&me(), &run, None).await.map(drop) },
            )
        };
        if let Some(Ok(())) = self.0.ask("cancels work", make, &key).await {
            self.sim().count("work cancelled");
        }
    }

    async fn retry(&mut self) {
        let all =
            [self.runs("failed"), self.runs("interrupted"), self.runs("needs_review")].concat();
        let Some(run) = self.pick(&all) else { return };
        let key = self.0.fresh();
        let make = |access: NodeAccess, key| -> Reply<()> {
            let run = run.clone();
            Box::pin(async move {
                access.dormouse.retry_work_run(&me(), &run, Some(key)).await.map(drop)
            })
        };
        if let Some(Ok(())) = self.0.ask("tries work again", make, &key).await {
            self.sim().count("work tried again");
        }
    }

    /// Pauses the second definition, or resumes it.
    async fn rest(&mut self) {
        let works = self.works();
        let [_, work] = &works[..] else { return };
        let (key, is_pause) = (self.0.fresh(), self.sim().draw(|chance| chance.one_in(2)));
        let make = |access: NodeAccess, key| -> Reply<()> {
            let work = work.clone();
            Box::pin(async move {
                let rested: Result<_, Error> = match is_pause {
                    true => access.dormouse.pause_work(&me(), &work, Some(key)).await,
                    false => access.dormouse.resume_work(&me(), &work, Some(key)).await,
                };
                rested.map(drop)
            })
        };
        if let Some(Ok(())) = self.0.ask("rests work", make, &key).await {
            self.sim().count("work paused or resumed");
        }
    }
}
