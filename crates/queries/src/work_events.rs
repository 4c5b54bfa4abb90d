//! What the events about agent work say of it: the whole work when it was made, its status, a turn of its
//! log, why it waits for the person.
//!
//! All of it is read when the event is, and a turn as the file of the log has it, so an event says what
//! a request for the same id answers. A status is the one after the commit of the event, so that a client that reads
//! several events at once sees each of them.
//!
//! What cannot be read is left out: its event has its kind and its subject, and stops no other.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_store::ReadError;
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::question;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::agent::work::status;
use dormouse_types::work::WorkStatus;
use dormouse_types::{EventKind, QuestionId, Seq, WorkId, WorkRunId, WorkspaceId};
use dormouse_work::attempt::TurnPlace;
use serde_json::Value;

use crate::events::{AboutWork, Cursor, Event};
use crate::view::AgentWork;
use crate::work_attention;
use crate::{Queries, QueryError};

/// The most of a turn in an event. What is longer is cut, and says so. Units: bytes.
const MOST_OF_TURN: usize = 256 * 1024;

/// The rows that events are about.
#[derive(Default)]
struct Rows {
    runs: BTreeMap<WorkRunId, Run>,
    questions: BTreeMap<QuestionId, WorkRunId>,
    definitions: BTreeMap<WorkId, Definition>,
    /// The positions at which the status of a definition changed, with the status before.
    replaced: BTreeMap<WorkId, Vec<(Seq, WorkStatus)>>,
    created: BTreeMap<WorkId, AgentWork>,
    turns: BTreeMap<String, Value>,
}

fn subject_of<T: std::str::FromStr>(event: &Event) -> Option<T> {
    event.subject.as_deref()?.parse().ok()
}

fn place_of(event: &Event) -> Option<TurnPlace> {
    TurnPlace::read(event.subject.as_deref()?)
}

fn position_of(event: &Event) -> Seq {
    Cursor::read(&event.cursor).map_or(Seq(i64::MAX), |cursor| cursor.agent_position())
}

fn is_of(event: &Event, kind: EventKind) -> bool {
    event.kind == kind
}

impl Queries {
    /// Adds to the events about agent work what they say of it. Other events cost nothing.
    pub(crate) async fn add_work_details(
        &self,
        ws: WorkspaceId,
        events: &mut [Event],
    ) -> Result<(), QueryError> {
        let kinds = [
            EventKind::WorkCreated,
            EventKind::WorkStatus,
            EventKind::WorkLog,
            EventKind::WorkNeedsAttention,
        ];
        let is_about_work = |event: &&mut Event| kinds.iter().any(|kind| is_of(event, *kind));
        let mut about: Vec<&mut Event> = events.iter_mut().filter(is_about_work).collect();
        if about.is_empty() {
            return Ok(());
        }
        let rows = self.rows_of(ws, &about).await?;
        for event in &mut about {
            event.work = rows.about(event);
        }
        Ok(())
    }

    async fn rows_of(&self, ws: WorkspaceId, about: &[&mut Event]) -> Result<Rows, QueryError> {
        let mut rows = Rows::default();
        let questions: BTreeSet<QuestionId> =
            about.iter().filter_map(|event| subject_of(event)).collect();
        for id in questions {
            let found = self.store.each(question::by_id(ws, &id)).await?.into_iter().flatten();
            rows.questions.extend(found.map(|question| (question.id, question.run)));
        }
        let mut runs: BTreeSet<WorkRunId> = rows.questions.values().cloned().collect();
        runs.extend(about.iter().filter_map(|event| subject_of(event)));
        runs.extend(about.iter().filter_map(|event| Some(place_of(event)?.run)));
        let runs: Vec<WorkRunId> = runs.into_iter().collect();
        for ids in runs.chunks(dormouse_store::in_list::MOST) {
            let found = self.store.each(run::by_ids(ws, ids)).await?.into_iter().flatten();
            rows.runs.extend(found.map(|run| (run.id.clone(), run)));
        }
        let mut works: BTreeSet<WorkId> = rows.runs.values().map(|run| run.work.clone()).collect();
        works.extend(about.iter().filter_map(|event| subject_of(event)));
        let works: Vec<WorkId> = works.into_iter().collect();
        for ids in works.chunks(dormouse_store::in_list::MOST) {
            let found = self.store.each(definition::by_ids(ws, ids)).await?.into_iter().flatten();
            rows.definitions.extend(found.map(|definition| (definition.id.clone(), definition)));
        }
        let created = about.iter().filter(|event| is_of(event, EventKind::WorkCreated));
        let created =
            created.filter_map(|event| rows.definitions.get(&subject_of(event)?).cloned());
        for view in self.work_views(ws, created.collect(), &mut Vec::new()).await? {
            rows.created.insert(view.id.clone(), view);
        }
        self.read_statuses(ws, about, &mut rows).await?;
        self.read_turns(ws, about, &mut rows).await?;
        Ok(rows)
    }

    /// Reads what the definitions were when their events were written. Later than the definitions: what changes
    /// in between has a row here.
    async fn read_statuses(
        &self,
        ws: WorkspaceId,
        about: &[&mut Event],
        rows: &mut Rows,
    ) -> Result<(), QueryError> {
        let mut ranges: BTreeMap<WorkId, [Seq; 2]> = BTreeMap::new();
        for event in about.iter().filter(|event| is_of(event, EventKind::WorkStatus)) {
            let (Some(work), at) = (rows.work_of(event), position_of(event)) else { continue };
            let [first, last] = ranges.entry(work).or_insert([at, at]);
            (*first, *last) = (at.min(*first), at.max(*last));
        }
        for (work, range) in ranges {
            let replaced = self.store.each(status::replaced_between(ws, &work, range)).await?;
            rows.replaced.insert(work, replaced.into_iter().flatten().collect());
        }
        Ok(())
    }

    /// Reads the turns that were added, run by run.
    async fn read_turns(
        &self,
        ws: WorkspaceId,
        about: &[&mut Event],
        rows: &mut Rows,
    ) -> Result<(), QueryError> {
        let mut places: BTreeMap<WorkRunId, Vec<TurnPlace>> = BTreeMap::new();
        for event in about.iter().filter(|event| is_of(event, EventKind::WorkLog)) {
            let answered = subject_of(event).and_then(|id| rows.questions.get(&id));
            match (place_of(event), answered) {
                (Some(place), _) => places.entry(place.run.clone()).or_default().push(place),
                (None, Some(run)) => _ = places.entry(run.clone()).or_default(),
                (None, None) => {}
            }
        }
        for (id, places) in places {
            let Some(run) = rows.runs.get(&id) else { continue };
            let announced = match self.announced_turns(ws, run, &places).await {
                Err(QueryError::Read(ReadError::Corrupt { .. })) => continue,
                announced => announced?,
            };
            for (subject, line) in announced {
                let text = line.render_within(MOST_OF_TURN);
                let turn = serde_json::from_str(&text).expect("a line is one JSON object");
                rows.turns.insert(subject, turn);
            }
        }
        Ok(())
    }
}

impl Rows {
    fn run_of(&self, event: &Event) -> Option<&Run> {
        let id = subject_of(event).or_else(|| Some(place_of(event)?.run));
        let answered = || self.questions.get(&subject_of(event)?).cloned();
        self.runs.get(&id.or_else(answered)?)
    }

    fn work_of(&self, event: &Event) -> Option<WorkId> {
        let of_run = self.run_of(event).map(|run| run.work.clone());
        of_run.or_else(|| subject_of(event))
    }

    /// The status of a definition after the commit of an event: the one that the next change replaced, or that
    /// of its row.
    fn status_after(&self, event: &Event, work: &WorkId) -> Option<WorkStatus> {
        let now = self.definitions.get(work)?.status;
        let at = position_of(event);
        let next = self.replaced.get(work).and_then(|all| all.iter().find(|(seq, _)| *seq > at));
        Some(next.map_or(now, |(_, before)| *before))
    }

    /// What an event says; `None` if its rows are gone or cannot be read.
    fn about(&self, event: &Event) -> Option<AboutWork> {
        let run = self.run_of(event);
        let work = self.work_of(event)?;
        let task_id = work.clone();
        match event.kind.known()? {
            EventKind::WorkCreated => {
                Some(AboutWork::Created { task: Box::new(self.created.get(&work)?.clone()) })
            }
            EventKind::WorkStatus => {
                let status = self.status_after(event, &work)?;
                Some(AboutWork::Status { task_id, status })
            }
            EventKind::WorkLog => {
                let turn = self.turns.get(event.subject.as_deref()?)?.clone();
                Some(AboutWork::Log { task_id, turn })
            }
            EventKind::WorkNeedsAttention => {
                let cause = work_attention::cause_of(self.definitions.get(&work)?, run);
                let reason = cause.map(|cause| cause.kind());
                Some(AboutWork::NeedsAttention { task_id, reason })
            }
            _ => None,
        }
    }
}
