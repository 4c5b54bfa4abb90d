//! The chore that turns occurrences into runs.

use std::collections::{BTreeSet, HashSet};

use dormouse_formats::recurrence::{OccurrenceId, Position};
use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::place::{Place, PlacedRow};
use dormouse_store::agent::work::run::{self, Occurrence};
use dormouse_store::agent::work::status;
use dormouse_store::{Commit, Db, Refusal, retry};
use dormouse_types::port::BoxFuture;
use dormouse_types::work::{WorkCreator, WorkState, public_status};
use dormouse_types::{EventKind, Id as _, Timestamp, WorkId, WorkRunId, WorkspaceId, limits};

use crate::error::{broken, exists_already};
use crate::planner::{
    DueOccurrences, Plan, Planned, Policies, Requested, due_occurrences, plan, requested,
};
use crate::snapshot::{NewRun, Snapshot};
use crate::{ATTEMPTS, Work, WorkError, event, series_text};

/// How many definitions are read together.
const PAGE: i64 = 100;

/// How often one call of the chore plans, about.
const AT_ONCE: usize = 5000;

/// Turns what is due into runs.
pub struct Schedules(pub Work);

/// What a request to run a definition makes of its schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Nothing of it is due: it stays as it is.
    NotDue,
    /// It moves on, by what is due up to the occurrence that runs.
    Due {
        /// The occurrence that the request runs; `None` if all that is due has run.
        wanted: Option<Planned>,
        /// What is decided about those before it.
        others: Vec<Planned>,
        /// How far the series has come.
        position: Position,
        /// When the next occurrence is due.
        next_due: Option<jiff::Timestamp>,
    },
}

impl Work {
    /// Turns everything of a definition that is due into runs. Returns `false` if another node was
    /// faster.
    ///
    /// The runs, how far the series has come and when it is due next are one commit, refused if the
    /// definition was written since it was read. So an occurrence is never lost: until its row is
    /// there, the definition stays due. It never runs twice either: the row of a run is unique by its
    /// occurrence.
    pub(crate) async fn plan_definition(
        &self,
        ws: WorkspaceId,
        definition: Definition,
        now: Timestamp,
    ) -> Result<bool, WorkError> {
        let snapshot = self.snapshot_of(ws, definition).await?;
        let id = snapshot.definition.id.clone();
        let due = self.due_of(&snapshot.definition, now, limits::WORK_OCCURRENCES)?;
        let planned = self.planned(ws, &snapshot, due, now).await?;
        let mut step = snapshot.step();
        for one in planned.occurrences {
            let new = scheduled(&id, one);
            step.add_run(WorkRunId::fresh(now, &*self.entropy), new, now);
        }
        if planned.next_due.is_some_and(|next| next <= now.to_jiff()) {
            step.has_more();
        }
        moves_on(step.definition(), &planned.position, planned.next_due)?;
        let commit = Commit::new("work.plan", Db::Agent, ws)
            .changes(step.client_events())
            .ops(step.ops(ws, now))
            .change(event(EventKind::WorkStatus, id.as_str()));
        match self.store.commit(commit).await {
            Ok(_) => Ok(true),
            Err(error) if error.refusal() == Some(Refusal::Stale) || exists_already(&error) => {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What is decided about occurrences of a definition that are due, apart from those that have a run.
    async fn planned(
        &self,
        ws: WorkspaceId,
        snapshot: &Snapshot,
        due: DueOccurrences,
        now: Timestamp,
    ) -> Result<Plan, WorkError> {
        let of = &snapshot.definition;
        let have_run = self.have_run(ws, &of.id, &due).await?;
        let has_run = |one: &OccurrenceId| have_run.contains(&occurrence(&of.id, one));
        let policies = Policies {
            catch_up: of.catch_up,
            catch_up_hours: of.catch_up_hours,
            overlap: of.overlap,
        };
        Ok(plan(due, has_run, policies, snapshot.n_holding(), now.to_jiff()))
    }

    /// Finds what a request to run a definition makes of its schedule. Writes what is left out of a long time that
    /// nothing ran, piece by piece, and returns `None` then: the definition has to be read again.
    pub(crate) async fn claim(
        &self,
        ws: WorkspaceId,
        snapshot: &Snapshot,
        now: Timestamp,
    ) -> Result<Option<Claim>, WorkError> {
        let of = &snapshot.definition;
        let is_due = of.state == WorkState::Active && of.next_due_at.is_some_and(|at| at <= now);
        // A schedule that cannot be read is reported where it is planned.
        let due = is_due.then(|| self.due_of(of, now, limits::WORK_OCCURRENCES).ok()).flatten();
        let Some(mut due) = due else { return Ok(Some(Claim::NotDue)) };
        let mut planned = self.planned(ws, snapshot, due.clone(), now).await?;
        let place = match requested(&planned, of.catch_up, now.to_jiff()) {
            Requested::LaterPiece => {
                self.plan_definition(ws, of.clone(), now).await?;
                return Ok(None);
            }
            Requested::Nothing => None,
            Requested::Occurrence(place) => {
                let wanted = planned.occurrences[place].id.clone();
                let most = due.occurrences.iter().take_while(|one| one.id != wanted).count() + 1;
                if most < due.occurrences.len() {
                    // What is due after it stays due.
                    due = self.due_of(of, now, most)?;
                    planned = self.planned(ws, snapshot, due, now).await?;
                }
                Some(wanted)
            }
        };
        let at = planned.occurrences.iter().position(|one| Some(&one.id) == place.as_ref());
        let Plan { mut occurrences, position, next_due } = planned;
        let wanted = at.map(|at| Planned { skipped: None, ..occurrences.remove(at) });
        Ok(Some(Claim::Due { wanted, others: occurrences, position, next_due }))
    }

    /// What of a definition is due, up to `most` occurrences and those that are due with the last of them.
    fn due_of(
        &self,
        definition: &Definition,
        now: Timestamp,
        most: usize,
    ) -> Result<DueOccurrences, WorkError> {
        let person = self.person();
        let text = definition.schedule.as_deref().unwrap_or_default();
        let series = series_text::read(text, &person).map_err(broken)?;
        let position = match &definition.position {
            Some(text) => serde_json::from_str(text).map_err(broken)?,
            None => Position::new(definition.created_at.to_jiff(), &person),
        };
        let not_before = definition.next_due_at.unwrap_or(now).to_jiff();
        Ok(due_occurrences(&series, &position, &person, not_before, now.to_jiff(), most))
    }

    /// The occurrences among what is due that have a run already.
    pub(crate) async fn have_run(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        due: &DueOccurrences,
    ) -> Result<HashSet<Occurrence>, WorkError> {
        let starts: Vec<String> =
            due.occurrences.iter().map(|one| occurrence(id, &one.id).original_start).collect();
        let mut found = HashSet::new();
        for page in starts.chunks(limits::WORK_OCCURRENCES) {
            found.extend(self.store.all(run::of_starts(ws, id.as_str(), "", page)).await?);
        }
        Ok(found)
    }

    /// Lets schedules that follow the person's clock be due by the clock of the zone that it is set to
    /// now: for a start with another zone than before. Returns how many are due at another time.
    ///
    /// What the clock moved past is due now, and the catch-up policy says which of it runs. What was due already
    /// under the zone before stays due.
    pub async fn follow_zone(&self, ws: WorkspaceId) -> Result<usize, WorkError> {
        let mut n_changed = 0;
        for known in self.definitions(ws).await? {
            let changed = retry(ATTEMPTS, &[Refusal::Stale], || async {
                let snapshot = self.snapshot(ws, &known.id).await?;
                let (now, definition) = (self.clock.now(), &snapshot.definition);
                let (Some(due), Some(text)) = (definition.next_due_at, &definition.schedule) else {
                    return Ok(false);
                };
                let person = self.person();
                // A schedule that cannot be read is reported where it is planned.
                let Ok(series) = series_text::read(text, &person) else { return Ok(false) };
                let Some(Ok(position)) = definition.position.as_deref().map(serde_json::from_str)
                else {
                    return Ok(false);
                };
                let next = series.next_due(&position, &person);
                let next = next.map(|next| Timestamp::from_jiff(next.at).max(now));
                if due <= now || next == Some(due) {
                    return Ok(false);
                }
                let id = definition.id.clone();
                let mut step = snapshot.step();
                step.definition().next_due_at = next;
                let commit = Commit::new("work.zone", Db::Agent, ws)
                    .ops(step.ops(ws, now))
                    .change(event(EventKind::WorkStatus, id.as_str()));
                self.store.commit(commit).await?;
                Ok(true)
            })
            .await;
            match changed {
                // One whose runs cannot be read is reported where it is planned.
                Err(error) if WorkError::is_damage(&error) => {}
                Err(error) => return Err(self.busy(&known.id, error)),
                Ok(changed) => n_changed += usize::from(changed),
            }
        }
        Ok(n_changed)
    }

    /// Lets a definition start no runs that cannot be planned or begun, until it is mended. Its runs are not read: one
    /// of them may be what is damaged.
    pub(crate) async fn disable(
        &self,
        ws: WorkspaceId,
        read: &Definition,
    ) -> Result<(), WorkError> {
        let now = self.clock.now();
        let after = Definition {
            state: WorkState::Disabled,
            next_due_at: None,
            status: public_status(WorkState::Disabled, read.run_state),
            updated_at: now,
            ..read.clone()
        };
        let commit = Commit::new("work.disable", Db::Agent, ws)
            .op(definition::put(ws, read.revision, &after))
            .ops((after.status != read.status).then(|| status::replaced(ws, &read.id, read.status)))
            .change(event(EventKind::WorkStatus, read.id.as_str()))
            .change(event(EventKind::WorkNeedsAttention, read.id.as_str()));
        self.store.commit(commit).await?;
        Ok(())
    }

    /// Plans a definition that is due. Returns whether it did; if it could not, with a line about it.
    async fn plan_one(
        &self,
        one: PlacedRow<Definition>,
        now: Timestamp,
    ) -> Result<bool, Result<String, String>> {
        let ws = one.place.workspace;
        let definition = one.row.map_err(|damaged| Err(damaged.to_string()))?;
        if definition.state != WorkState::Active {
            return Ok(false);
        }
        let error = match self.plan_definition(ws, definition.clone(), now).await {
            Ok(is_planned) => return Ok(is_planned),
            Err(error) => error,
        };
        let id = &definition.id;
        if !error.is_damage() {
            return Err(Ok(format!("agent work {id} is put off: {error}")));
        }
        Err(match self.disable(ws, &definition).await {
            Ok(()) => Ok(format!("agent work {id} is disabled: {error}")),
            Err(why) => {
                Err(format!("agent work {id} cannot be planned: {error}; nor disabled: {why}"))
            }
        })
    }

    /// Plans every definition that is due, until none is or [`AT_ONCE`] are planned. What cannot be planned is a
    /// line each, and stops no other.
    async fn plan_due(
        &self,
        of: Option<WorkspaceId>,
        now: Timestamp,
        done: &mut Done,
    ) -> Result<(), WorkError> {
        let (mut n_planned, mut put_off) = (0, BTreeSet::new());
        // What is due for longer than one plan covers is due again at once.
        loop {
            let before = n_planned;
            let mut place = Some(Place::START);
            while let Some(after) = place.filter(|_| n_planned < AT_ONCE) {
                let page = self.store.all(definition::due(of, now, &after, PAGE)).await?;
                place = Place::after_page(&page, PAGE);
                for one in page {
                    let key = (one.place.workspace, one.place.id.clone());
                    if put_off.contains(&key) {
                        continue;
                    }
                    match self.plan_one(one, now).await {
                        Ok(is_planned) => n_planned += usize::from(is_planned),
                        Err(line) => {
                            put_off.insert(key);
                            done.lines.push(line);
                        }
                    }
                }
            }
            if n_planned == before || n_planned >= AT_ONCE {
                return Ok(());
            }
        }
    }

    /// When the next definition is due, of one workspace or of all; `None` if none is.
    pub async fn next_due(&self, of: Option<WorkspaceId>) -> Result<Option<Timestamp>, WorkError> {
        Ok(self.store.first(definition::next_due(of)).await?.flatten())
    }
}

/// The run of an occurrence that the schedule starts, or leaves out.
pub(crate) fn scheduled(of: &WorkId, one: Planned) -> NewRun {
    NewRun {
        depth: 0,
        occurrence: occurrence(of, &one.id),
        scheduled_for: Some(Timestamp::from_jiff(one.due)),
        skipped: one.skipped,
        revises: None,
        by: WorkCreator::Scheduler,
    }
}

/// Lets a series have come as far as a plan of it.
///
/// Errors: the position cannot be written.
pub(crate) fn moves_on(
    after: &mut Definition,
    position: &Position,
    next_due: Option<jiff::Timestamp>,
) -> Result<(), WorkError> {
    after.position = Some(serde_json::to_string(position).map_err(broken)?);
    after.next_due_at = next_due.map(Timestamp::from_jiff);
    Ok(())
}

/// The identity under which an occurrence of a definition has its run.
pub(crate) fn occurrence(of: &WorkId, one: &OccurrenceId) -> Occurrence {
    Occurrence {
        source: of.to_string(),
        uid: String::new(),
        original_start: one.start.civil.to_string(),
        zone: one.clock.clone(),
        fold: one.start.fold,
    }
}

impl Chore for Schedules {
    fn name(&self) -> &'static str {
        "schedules of agent work"
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
            self.0.plan_due(of, now, &mut done).await?;
            Ok(done)
        })
    }

    fn next_due(
        &self,
        of: Option<WorkspaceId>,
    ) -> BoxFuture<'_, Result<Option<Timestamp>, HandlerError>> {
        Box::pin(async move { Ok(self.0.next_due(of).await?) })
    }
}
