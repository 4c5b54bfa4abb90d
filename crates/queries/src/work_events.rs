//! What the events about agent work say of it: the whole work when it was made, its status, a turn of its
//! log, why it waits for the person.
//!
//! All of it is read when the event is, and a turn as the file of the log has it, so an event says what
//! a request for the same id answers.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::question;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_types::{EventKind, QuestionId, WorkId, WorkRunId, WorkspaceId};
use dormouse_work::attempt::TurnPlace;
use serde_json::Value;

use crate::events::{AboutWork, Event};
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
    created: BTreeMap<WorkId, AgentWork>,
    turns: BTreeMap<String, Value>,
}

fn subject_of<T: std::str::FromStr>(event: &Event) -> Option<T> {
    event.subject.as_deref()?.parse().ok()
}

fn place_of(event: &Event) -> Option<TurnPlace> {
    TurnPlace::read(event.subject.as_deref()?)
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
            let found = self.store.first(question::by_id(ws, &id)).await?;
            rows.questions.extend(found.map(|question| (id, question.run)));
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
        for id in works {
            let found = self.store.first(definition::by_id(ws, &id)).await?;
            rows.definitions.extend(found.map(|definition| (id, definition)));
        }
        let created = about.iter().filter(|event| is_of(event, EventKind::WorkCreated));
        let created =
            created.filter_map(|event| rows.definitions.get(&subject_of(event)?).cloned());
        for view in self.work_views(ws, created.collect()).await? {
            rows.created.insert(view.id.clone(), view);
        }
        self.read_turns(ws, about, &mut rows).await?;
        Ok(rows)
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
            for (subject, line) in self.announced_turns(ws, run, &places).await? {
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

    /// What an event says; `None` if its rows are gone.
    fn about(&self, event: &Event) -> Option<AboutWork> {
        let run = self.run_of(event);
        let work = run.map(|run| run.work.clone()).or_else(|| subject_of(event))?;
        let task_id = work.clone();
        match event.kind.known()? {
            EventKind::WorkCreated => {
                Some(AboutWork::Created { task: Box::new(self.created.get(&work)?.clone()) })
            }
            EventKind::WorkStatus => {
                let status = self.definitions.get(&work)?.status;
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
