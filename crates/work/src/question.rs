//! Questions of runs: answered by a person, or given up after a week.

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::work::place::Place;
use dormouse_store::agent::work::question::{self, OverdueQuestion, Question};
use dormouse_store::{Commit, Db, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::port::BoxFuture;
use dormouse_types::work::{RunEvent, RunState};
use dormouse_types::{EventKind, Id as _, QuestionId, Timestamp, WorkRunId, WorkspaceId, limits};

use crate::execution::signal;
use crate::{ATTEMPTS, RequestContext, Work, WorkError, event};

/// How many questions one call of the chore gives up, about. Those that it cannot give up do not count, so
/// that they stand in no other's way.
const AT_ONCE: i64 = 100;

impl Work {
    pub async fn question(&self, ws: WorkspaceId, id: &QuestionId) -> Result<Question, WorkError> {
        let found = self.store.first(question::by_id(ws, id)).await?;
        found.ok_or_else(|| WorkError::NoQuestion { question: id.clone() })
    }

    /// The questions of a run, oldest first.
    pub async fn questions(
        &self,
        ws: WorkspaceId,
        run: &WorkRunId,
    ) -> Result<Vec<Question>, WorkError> {
        Ok(self.store.all(question::of_run(ws, run)).await?)
    }

    /// Answers a question; its run goes on with the answer. Returns the question with it.
    ///
    /// The answer and the step of the run are one commit, so there is never an answer that no run
    /// reads.
    ///
    /// Errors: it has an answer already, which the error names; its time has passed.
    pub async fn answer(
        &self,
        ws: WorkspaceId,
        id: &QuestionId,
        answer: &str,
        context: &RequestContext,
    ) -> Result<Question, WorkError> {
        let answer = answer.trim();
        if answer.is_empty() {
            return Err(WorkError::Blank { what: "answer" });
        }
        limits::WORK_ANSWER.check(answer.len())?;
        let work = self.question(ws, id).await?.work;
        let once = context.once("work.answer", &format!("{id}|{answer}"), id.as_str());
        let answered = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let snapshot = self.snapshot(ws, &work).await?;
            let question = self.question(ws, id).await?;
            let now = self.clock.now();
            let run = self.run(ws, &question.run).await?;
            if let Some(answer) = question.answer {
                return Err(WorkError::Answered { question: id.clone(), answer });
            }
            let is_open = question.closed_at.is_none() && question.expires_at > now;
            let is_there = snapshot.definition.deleted_at.is_none();
            if !is_open || !is_there || run.state != RunState::NeedsInput {
                return Err(WorkError::Closed { question: id.clone() });
            }
            let mut step = snapshot.step();
            step.move_run(&run, RunEvent::Answered, now, |run| run.attempt += 1)?;
            let by = context.actor.to_string();
            let mut commit = Commit::new("work.answer", Db::Agent, ws)
                .op(question::answer(ws, id, answer, &by, now))
                .ops(step.ops(ws, now))
                .op(wake_queue::signal(ws, &signal(&run.id, now)))
                .change(event(EventKind::WorkStatus, run.id.as_str()))
                .change(event(EventKind::WorkLog, id.as_str()))
                .audit(context.audit(AuditAction::WorkAnswer, id.as_str()));
            commit.once.clone_from(&once);
            let committed = self.store.commit(commit).await?;
            let question = Question {
                answer: Some(answer.to_owned()),
                answered_by: Some(by),
                closed_at: Some(now),
                ..question
            };
            Ok(committed.replayed.is_none().then_some(question))
        })
        .await;
        match answered.map_err(|error: WorkError| self.busy(&work, error)) {
            Ok(Some(question)) => return Ok(question),
            Ok(None) => {}
            Err(refused) => _ = self.unless_repeated(ws, once.as_ref(), refused).await?,
        }
        self.question(ws, id).await
    }

    /// Gives up a question whose time has passed, and the run whose question it is.
    async fn give_up_question(
        &self,
        ws: WorkspaceId,
        question: &OverdueQuestion,
    ) -> Result<(), WorkError> {
        retry(ATTEMPTS, &[Refusal::Stale], || async {
            let snapshot = self.snapshot(ws, &question.work).await?;
            // It may have been answered since it was listed, and its run may ask another one by now.
            if self.store.first(question::open_by_id(ws, &question.id)).await?.is_none() {
                return Ok(());
            }
            let run = self.run(ws, &question.run).await?;
            let now = self.clock.now();
            let mut commit = Commit::new("work.expire", Db::Agent, ws)
                .op(question::close_of_run(ws, &run.id, now));
            if run.state == RunState::NeedsInput {
                let mut step = snapshot.step();
                step.move_run(&run, RunEvent::Expired, now, |run| {
                    run.error = Some("nobody answered its question in time".into());
                })?;
                commit = commit
                    .change(event(EventKind::WorkStatus, run.id.as_str()))
                    .changes(step.client_events())
                    .ops(step.ops(ws, now));
            }
            self.store.commit(commit).await?;
            Ok(())
        })
        .await
    }
}

/// Gives up questions that nobody answered in time.
pub struct Expiry(pub Work);

impl Chore for Expiry {
    fn name(&self) -> &'static str {
        "questions of agent work"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        of: Option<WorkspaceId>,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let mut done = Done::default();
            let (mut place, mut n_given_up) = (Some(Place::START), 0);
            while let Some(after) = place.filter(|_| n_given_up < AT_ONCE) {
                let page = self.0.store.all(question::overdue(of, now, &after, AT_ONCE)).await;
                let page = page.map_err(WorkError::from)?;
                place = Place::after_page(&page, AT_ONCE);
                for one in page {
                    let question = match one.row {
                        Ok(question) => question,
                        Err(damaged) => {
                            done.lines.push(Err(damaged.to_string()));
                            continue;
                        }
                    };
                    match self.0.give_up_question(one.place.workspace, &question).await {
                        Ok(()) => n_given_up += 1,
                        Err(error) => {
                            done.lines.push(Err(format!("question {}: {error}", question.id)));
                        }
                    }
                }
            }
            Ok(done)
        })
    }
}
