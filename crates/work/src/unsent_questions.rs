//! Open questions that nothing tells the person of: a version that wrote no deliveries asked them.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::work::place::Place;
use dormouse_store::agent::work::question::{self, Asked};
use dormouse_store::agent::work::{definition, delivery};
use dormouse_store::{Commit, Db, Refusal, in_list};
use dormouse_types::delivery::{DeliveryKind, DeliveryTarget};
use dormouse_types::port::BoxFuture;
use dormouse_types::{DeliveryId, EventKind, Id as _, Timestamp, WorkspaceId, limits};

use crate::{Work, WorkError, event};

/// How many questions are looked at together.
const AT_ONCE: i64 = in_list::MOST as i64;

// A delivery that was read must outlive its question, or it would be written anew.
const _: () = assert!(limits::READ_DELIVERY_SECONDS > limits::WORK_QUESTION_SECONDS);

/// Gives each question that can still be answered its delivery, if it has none.
pub struct UnsentQuestions(pub Work);

/// The delivery that tells a question.
fn delivery_of(asked: &Asked) -> DeliveryId {
    DeliveryId::about(&asked.run, asked.attempt, DeliveryKind::Question, DeliveryTarget::App)
}

impl Work {
    /// Writes the delivery of a question, as long as its run waits for the answer.
    ///
    /// Each commit that moves a run writes its definition, so this one is refused if the question was
    /// answered, given up or cancelled since the run was read.
    async fn tell_question(&self, ws: WorkspaceId, asked: &Asked) -> Result<(), WorkError> {
        let snapshot = self.snapshot(ws, &asked.work).await?;
        let run = self.run(ws, &asked.run).await?;
        let kind = snapshot.delivery_kind(&run).filter(|kind| *kind == DeliveryKind::Question);
        let Some(kind) = kind.filter(|_| run.attempt == asked.attempt) else { return Ok(()) };
        let (about, of) = ((DeliveryTarget::App, kind), (&run.id, run.attempt));
        let commit = Commit::new("work.tell", Db::Agent, ws)
            .op(definition::unchanged(ws, &snapshot.definition))
            .op(delivery::insert(ws, about, &run.work, of, self.clock.now()))
            .change(event(EventKind::DeliveryChanged, run.id.as_str()));
        match self.store.commit(commit).await {
            Err(error) if error.refusal() == Some(Refusal::Stale) => Ok(()),
            other => Ok(other.map(drop)?),
        }
    }

    /// Those of some questions that have no delivery.
    async fn unsent(&self, ws: WorkspaceId, asked: Vec<Asked>) -> Result<Vec<Asked>, WorkError> {
        let ids: Vec<DeliveryId> = asked.iter().map(delivery_of).collect();
        let known = self.store.all(delivery::known(ws, &ids)).await?;
        let known: BTreeSet<DeliveryId> = known.into_iter().collect();
        Ok(asked.into_iter().filter(|one| !known.contains(&delivery_of(one))).collect())
    }
}

impl Chore for UnsentQuestions {
    fn name(&self) -> &'static str {
        "questions that nothing tells of"
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
                let mut asked: BTreeMap<WorkspaceId, Vec<Asked>> = BTreeMap::new();
                for one in page {
                    match one.row {
                        Ok(row) => asked.entry(one.place.workspace).or_default().push(row),
                        Err(damaged) => done.lines.push(Err(damaged.to_string())),
                    }
                }
                for (ws, asked) in asked {
                    for one in self.0.unsent(ws, asked).await? {
                        if let Err(error) = self.0.tell_question(ws, &one).await {
                            done.lines.push(Err(format!("question of run {}: {error}", one.run)));
                        }
                    }
                }
            }
            Ok(done)
        })
    }
}
