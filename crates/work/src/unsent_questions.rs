//! Open questions without a delivery: they are from a version that wrote none.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::work::place::Place;
use dormouse_store::agent::work::question::{self, OpenQuestion};
use dormouse_store::agent::work::{definition, delivery};
use dormouse_store::{Commit, Db, Refusal, in_list};
use dormouse_types::delivery::{DeliveryKind, DeliveryTarget};
use dormouse_types::port::BoxFuture;
use dormouse_types::{DeliveryId, EventKind, Id as _, Timestamp, WorkspaceId, limits};

use crate::{Work, WorkError, event};

/// How many questions are looked at together.
const AT_ONCE: i64 = in_list::MOST as i64;

// A delivery that was read must outlive its question, or it would be written again.
const _: () = assert!(limits::READ_DELIVERY_SECONDS > limits::WORK_QUESTION_SECONDS);

/// Gives each question that can still be answered its delivery, if it has none.
pub struct UnsentQuestions(pub Work);

/// The delivery of a question.
fn delivery_of(question: &OpenQuestion) -> DeliveryId {
    DeliveryId::about(&question.run, question.attempt, DeliveryKind::Question, DeliveryTarget::App)
}

impl Work {
    /// Writes the delivery of a question, as long as its run waits for the answer.
    ///
    /// Each commit that moves a run writes its definition, so this one is refused if the question was
    /// answered, given up or cancelled since the run was read.
    async fn add_question_delivery(
        &self,
        ws: WorkspaceId,
        question: &OpenQuestion,
    ) -> Result<(), WorkError> {
        let snapshot = self.snapshot(ws, &question.work).await?;
        let run = self.run(ws, &question.run).await?;
        let kind = snapshot.delivery_kind(&run).filter(|kind| *kind == DeliveryKind::Question);
        let Some(kind) = kind.filter(|_| run.attempt == question.attempt) else { return Ok(()) };
        let (about, of) = ((DeliveryTarget::App, kind), (&run.id, run.attempt));
        let commit = Commit::new("work.notify", Db::Agent, ws)
            .op(definition::unchanged(ws, &snapshot.definition))
            .op(delivery::insert(ws, about, &run.work, of, self.clock.now()))
            .change(event(EventKind::DeliveryChanged, run.id.as_str()));
        match self.store.commit(commit).await {
            Err(error) if error.refusal() == Some(Refusal::Stale) => Ok(()),
            other => Ok(other.map(drop)?),
        }
    }

    /// Those of some questions that have no delivery.
    async fn unsent(
        &self,
        ws: WorkspaceId,
        question: Vec<OpenQuestion>,
    ) -> Result<Vec<OpenQuestion>, WorkError> {
        let ids: Vec<DeliveryId> = question.iter().map(delivery_of).collect();
        let known = self.store.all(delivery::known(ws, &ids)).await?;
        let known: BTreeSet<DeliveryId> = known.into_iter().collect();
        Ok(question.into_iter().filter(|one| !known.contains(&delivery_of(one))).collect())
    }
}

impl Chore for UnsentQuestions {
    fn name(&self) -> &'static str {
        "questions without a delivery"
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
            let mut place = Some(Place::START);
            while let Some(after) = place {
                let page = self.0.store.all(question::open(of, now, &after, AT_ONCE)).await;
                let page = page.map_err(WorkError::from)?;
                place = Place::after_page(&page, AT_ONCE);
                let mut question: BTreeMap<WorkspaceId, Vec<OpenQuestion>> = BTreeMap::new();
                for one in page {
                    match one.row {
                        Ok(row) => question.entry(one.place.workspace).or_default().push(row),
                        Err(damaged) => done.lines.push(Err(damaged.to_string())),
                    }
                }
                for (ws, question) in question {
                    for one in self.0.unsent(ws, question).await? {
                        if let Err(error) = self.0.add_question_delivery(ws, &one).await {
                            done.lines.push(Err(format!("question of run {}: {error}", one.run)));
                        }
                    }
                }
            }
            Ok(done)
        })
    }
}
