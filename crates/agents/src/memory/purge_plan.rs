//! What a removal of a line from an agent's memory takes away: the line, its words, and every row that
//! has them. Writes nothing.

use std::collections::BTreeSet;

use dormouse_journal::{JournalError, state};
use dormouse_runs::{request, run_log};
use dormouse_store::agent::change_set::Decision;
use dormouse_store::agent::checkpoint::{self, Checkpoint, CheckpointText};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::log_line::{self, Line};
use dormouse_store::agent::message::{Message, Payload};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_request::Span;
use dormouse_store::agent::{link, subscription, wake_queue, wake_run};
use dormouse_store::journal::entry::Entry;
use dormouse_store::stored_words::{self, PLACES, Place, StoredText};
use dormouse_store::{Db, Query, Value, in_list};
use dormouse_types::agent::{AgentLinkKind, MessageKind};
use dormouse_types::line_name::LineName;
use dormouse_types::memory::Removal;
use dormouse_types::{AgentId, Digest, EntryId, HolderId, Id as _, RunKey, TaskId, WorkspaceId};

use super::log;
use super::words::{MARK, SHORTEST, Words};
use crate::{AgentError, Agents};

/// Rows that are searched at once.
const PAGE: i64 = 500;
/// The most wakes that a removal names.
const WAKES: usize = 50;

/// A row that has the words.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) place: &'static Place,
    pub(super) key: Vec<Value>,
    pub(super) old: String,
    pub(super) new: String,
}

/// What a person points at.
#[derive(Debug)]
pub(super) enum Target {
    /// A line of the log; if it was made of an entry, all lines of that entry.
    Lines(Vec<Line>),
    Summary(Box<CheckpointText>),
    Decision(Box<Stored<Decision>>),
    /// What a person said to the agent.
    Message {
        payload: Box<Stored<Payload>>,
        text: String,
    },
}

impl Target {
    /// The lines of the log among it.
    pub(super) fn lines(&self) -> &[Line] {
        match self {
            Self::Lines(lines) => lines,
            Self::Summary(_) | Self::Decision(_) | Self::Message { .. } => &[],
        }
    }
}

/// Everything that a removal changes.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) target: Target,
    pub(super) task: Option<TaskId>,
    pub(super) words: Words,
    pub(super) hits: Vec<Hit>,
    pub(super) checkpoints: Vec<(HolderId, i64)>,
    pub(super) runs: BTreeSet<RunKey>,
    /// Who may be reading the words when it is at work.
    pub(super) readers: Vec<HolderId>,
    pub(super) removal: Removal,
}

/// The words of a target.
struct TargetWords {
    /// Looked for as a whole.
    whole: Vec<String>,
    /// Looked for with their sentences.
    quoted: Vec<String>,
    /// Whether some of them are too short to be looked for.
    is_too_short: bool,
}

impl Agents {
    /// Plans the removal of a line.
    pub(super) async fn plan_removal(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        name: &str,
        with_entry: bool,
    ) -> Result<Plan, AgentError> {
        let task = self.state(ws, id).await?.value.slots.active_task_id;
        let target = self.target(ws, id, name).await?;
        let entry = target.lines().iter().find_map(entry_of);
        let with_entry = with_entry && entry.is_some();
        let holder = HolderId::from(id);
        let own = self.store.all(checkpoint::of_holder(ws, &holder, i64::MAX)).await?;
        let folding = own.iter().filter(|one| is_made_of(&one.checkpoint, &target));
        let mut target_words = target_words(&target, entry.as_ref());
        target_words.whole.extend(folding.clone().filter_map(|one| one.text.clone()));
        let mut checkpoints: BTreeSet<(HolderId, i64)> =
            folding.map(|one| (holder.clone(), one.checkpoint.n)).collect();
        if let (Some(task), Some(entry)) = (&task, &entry) {
            target_words
                .quoted
                .extend(self.text_of_entry(ws, task, entry, with_entry, &target_words).await?);
        }
        let words = Words::new(&target_words.whole, &target_words.quoted);
        let dbs: &[Db] = if with_entry { &[Db::Agent, Db::Journal] } else { &[Db::Agent] };
        let hits = self.hits(ws, &words, dbs).await?;
        let changed: BTreeSet<String> = hits.iter().filter_map(text_key).collect();
        let lines = self.lines_of(ws, &changed).await?;
        let holders: BTreeSet<HolderId> = lines.iter().map(|(holder, _)| holder.clone()).collect();
        for holder in &holders {
            let all = self.store.all(checkpoint::of_holder(ws, holder, i64::MAX)).await?;
            let all = all.into_iter().map(|one| one.checkpoint);
            let all = all.filter(|one| one.removed_at.is_none());
            let has_words = all.filter(|one| {
                let folds =
                    |(of, n): &(HolderId, i64)| of == holder && (one.from..=one.upto).contains(n);
                changed.contains(one.sha256.as_str()) || lines.iter().any(folds)
            });
            checkpoints.extend(has_words.map(|one| (holder.clone(), one.n)));
        }
        let runs = self.runs_of(ws, &changed, &lines).await?;
        let mut readers: BTreeSet<HolderId> = holders.clone();
        readers.insert(holder.clone());
        readers.extend(self.neighbours(ws, task.as_ref()).await?);
        readers.extend(self.holders_under_way(ws, &runs).await?);
        let readers: Vec<HolderId> = readers.into_iter().collect();
        let own_removed = |(of, n): &&(HolderId, i64)| {
            *of == holder && target.lines().iter().any(|line| line.n == *n)
        };
        let n_texts = hits.iter().filter(|hit| hit.place.table == "texts").count();
        let removal = Removal {
            line: name.to_owned(),
            with_entry,
            log_lines: target.lines().len()
                + lines.iter().filter(|line| !own_removed(line)).count(),
            summaries: checkpoints.len(),
            texts: n_texts,
            other_rows: hits.len() - n_texts,
            other_agents: holders.iter().filter(|one| **one != holder).count(),
            wakes_changed: runs.len(),
            wakes: runs.iter().take(WAKES).cloned().collect(),
            stays_in_task: self
                .stays(ws, task.as_ref(), &words, entry.as_ref(), with_entry)
                .await?,
            is_too_short: target_words.is_too_short,
            at_work: self.at_work(ws, &readers).await?,
            removed_at: None,
            phase: None,
            entry_id: entry,
        };
        let checkpoints = checkpoints.into_iter().collect();
        Ok(Plan { target, task, words, hits, checkpoints, runs, readers, removal })
    }

    async fn target(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        name: &str,
    ) -> Result<Target, AgentError> {
        let none =
            || AgentError::NoLine { agent: id.clone(), line: name.chars().take(60).collect() };
        match name.parse().map_err(|_| none())? {
            LineName::Line(n) => {
                let only = self.store.all(log_line::of_holder(ws, id, n, n)).await?;
                let line = only.into_iter().find(|line| line.removed_at.is_none());
                let line = line.ok_or_else(none)?;
                let Some(entry) = entry_of(&line) else { return Ok(Target::Lines(vec![line])) };
                let mut all = self.store.all(log_line::of_holder(ws, id, 1, i64::MAX)).await?;
                all.retain(|line| entry_of(line).as_ref() == Some(&entry));
                Ok(Target::Lines(all))
            }
            LineName::Summary(n) => {
                let holder = HolderId::from(id);
                let all = self.store.all(checkpoint::of_holder(ws, &holder, i64::MAX)).await?;
                let is_it = |one: &CheckpointText| {
                    one.checkpoint.n == n && one.checkpoint.removed_at.is_none()
                };
                Ok(Target::Summary(Box::new(all.into_iter().find(is_it).ok_or_else(none)?)))
            }
            LineName::Decision(decision) => {
                let found = entity::by_id::<Decision>(ws, decision.as_str());
                let found = self.store.first(found).await?;
                let is_own = |one: &Stored<Decision>| {
                    one.doc.value.proposer == *id && one.doc.value.deleted_at.is_none()
                };
                Ok(Target::Decision(Box::new(found.filter(is_own).ok_or_else(none)?)))
            }
            LineName::Message(message) => {
                let found = entity::by_id::<Message>(ws, message.as_str());
                let found = self.store.first(found).await?.map(|found| found.doc.value);
                let is_own = |one: &Message| {
                    one.holder == *id && one.kind == MessageKind::User && one.deleted_at.is_none()
                };
                let found = found.filter(is_own).ok_or_else(none)?;
                let text = run_log::text(&self.store, ws, &found).await?;
                let text = text.filter(|text| text.trim() != MARK).ok_or_else(none)?;
                let payload = found.content_entry_id.ok_or_else(none)?;
                let payload = entity::by_id::<Payload>(ws, payload.as_str());
                let payload = Box::new(self.store.first(payload).await?.ok_or_else(none)?);
                Ok(Target::Message { payload, text })
            }
        }
    }

    /// The present text of an entry, if it is to be removed as well, or if a line shows only its
    /// beginning.
    async fn text_of_entry(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        id: &EntryId,
        with_entry: bool,
        target_words: &TargetWords,
    ) -> Result<Option<String>, AgentError> {
        let all = self.store.all(stored_words::entry_documents(ws, task)).await?;
        let document = all.into_iter().find(|one| one.id == id.as_str());
        let entry = document.and_then(|one| serde_json::from_str::<Entry>(&one.serialized).ok());
        let text = entry.map(|entry| entry.says().to_owned());
        let is_cut = |text: &String| {
            let start = text.get(..text.floor_char_boundary(200)).unwrap_or_default();
            target_words
                .quoted
                .iter()
                .any(|words| words.len() < text.len() && words.starts_with(start))
        };
        Ok(text.filter(|text| with_entry || is_cut(text)))
    }

    /// Every row of these databases that has the words.
    pub(super) async fn hits(
        &self,
        ws: WorkspaceId,
        words: &Words,
        dbs: &[Db],
    ) -> Result<Vec<Hit>, AgentError> {
        let mut hits = Vec::new();
        if words.is_empty() {
            return Ok(hits);
        }
        for place in PLACES.iter().filter(|place| dbs.contains(&place.db)) {
            self.each_row(
                place.start(),
                |key| place.after(ws, key, PAGE),
                |row| {
                    let StoredText { key, text } = row;
                    let Some(old) = text else { return };
                    if let Some(new) = words.removed_from(&old) {
                        hits.push(Hit { place, key, old, new });
                    }
                },
            )
            .await?;
        }
        Ok(hits)
    }

    /// Reads all rows of a table, page by page.
    async fn each_row(
        &self,
        mut key: Vec<Value>,
        page: impl Fn(&[Value]) -> Query<StoredText>,
        mut row: impl FnMut(StoredText),
    ) -> Result<(), AgentError> {
        loop {
            let rows = self.store.all(page(&key)).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            key.clone_from(&last.key);
            rows.into_iter().for_each(&mut row);
        }
    }

    /// The log lines that have one of these texts.
    async fn lines_of(
        &self,
        ws: WorkspaceId,
        texts: &BTreeSet<String>,
    ) -> Result<Vec<(HolderId, i64)>, AgentError> {
        let mut lines = Vec::new();
        if texts.is_empty() {
            return Ok(lines);
        }
        let page = |key: &[Value]| stored_words::line_hashes(ws, key, PAGE);
        self.each_row(stored_words::first_line(), page, |row| {
            let is_hit = row.text.is_some_and(|sha256| texts.contains(&sha256));
            if let ([Value::Text(holder), Value::Int(n)], true) = (row.key.as_slice(), is_hit)
                && let Ok(holder) = holder.parse()
            {
                lines.push((holder, *n));
            }
        })
        .await?;
        Ok(lines)
    }

    /// The runs whose requests, answers or messages have one of these texts or lines.
    async fn runs_of(
        &self,
        ws: WorkspaceId,
        texts: &BTreeSet<String>,
        lines: &[(HolderId, i64)],
    ) -> Result<BTreeSet<RunKey>, AgentError> {
        let mut runs = BTreeSet::new();
        let mut numbers: Vec<(BTreeSet<RunKey>, Vec<i64>)> = Vec::new();
        let holders: BTreeSet<&HolderId> = lines.iter().map(|(holder, _)| holder).collect();
        for holder in holders {
            let keys = self.store.all(wake_run::keys_of(ws, holder)).await?.into_iter().collect();
            let own = lines.iter().filter(|(of, _)| of == holder).map(|(_, n)| *n);
            numbers.push((keys, own.collect()));
        }
        let page = |key: &[Value]| stored_words::request_spans(ws, key, PAGE);
        self.each_row(stored_words::first_request(), page, |row| {
            let Some(Value::Text(run)) = row.key.first() else { return };
            let run = RunKey(run.clone());
            let spans = row.text.and_then(|text| serde_json::from_str::<Vec<Span>>(&text).ok());
            let shows = |span: &Span| match span {
                Span::Text { sha256, .. } => texts.contains(sha256.as_str()),
                Span::Log { from, upto, .. } => numbers.iter().any(|(keys, own)| {
                    keys.contains(&run) && own.iter().any(|n| (*from..=*upto).contains(n))
                }),
            };
            if spans.unwrap_or_default().iter().any(shows) {
                runs.insert(run);
            }
        })
        .await?;
        let mut payloads = Vec::new();
        let Some(entities) = PLACES.iter().find(|place| place.table == "agent_entities") else {
            return Ok(runs);
        };
        self.each_row(
            entities.start(),
            |key| entities.after(ws, key, PAGE),
            |row| {
                let text = row.text.filter(|text| text.contains("\"spans\":["));
                let payload = text.and_then(|text| serde_json::from_str::<Payload>(&text).ok());
                let has_text = |payload: &Payload| {
                    payload.spans.iter().any(|sha256| texts.contains(sha256.as_str()))
                };
                payloads.extend(payload.filter(has_text).map(|payload| payload.id));
            },
        )
        .await?;
        for payload in payloads {
            for link in self.store.all(link::to(ws, payload.as_str())).await? {
                if link.kind.known() != Some(AgentLinkKind::MessagePayload) {
                    continue;
                }
                let message = self.store.first(entity::by_id::<Message>(ws, &link.from_id)).await?;
                runs.extend(message.and_then(|one| one.doc.value.metadata.run_key).map(RunKey));
            }
        }
        Ok(runs)
    }

    /// The agents of the tasks one link away: they may be reading the report.
    async fn neighbours(
        &self,
        ws: WorkspaceId,
        task: Option<&TaskId>,
    ) -> Result<Vec<HolderId>, AgentError> {
        let Some(task) = task else { return Ok(Vec::new()) };
        let linked = self.linked_tasks(ws, task).await?;
        let mut tasks: Vec<TaskId> = linked.all().map(|task| task.id.clone()).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let mut holders = Vec::new();
        for page in tasks.chunks(in_list::MOST) {
            let owners = self.store.all(subscription::own_on_tasks(ws, page)).await?;
            holders.extend(owners.into_iter().map(|owner| HolderId::from(&owner.agent)));
        }
        Ok(holders)
    }

    /// The holders of those of these runs that have not ended: sessions about templates and agent
    /// work, too, repeat with each turn what the first one showed.
    async fn holders_under_way(
        &self,
        ws: WorkspaceId,
        runs: &BTreeSet<RunKey>,
    ) -> Result<Vec<HolderId>, AgentError> {
        let unfinished = self.store.each(wake_run::unfinished(ws)).await?;
        let has_words = unfinished.into_iter().flatten().filter(|run| runs.contains(&run.key));
        Ok(has_words.map(|run| run.holder).collect())
    }

    /// One of these holders that is at work.
    async fn at_work(
        &self,
        ws: WorkspaceId,
        holders: &[HolderId],
    ) -> Result<Option<HolderId>, AgentError> {
        for page in holders.chunks(in_list::MOST) {
            let rows = self.store.all(wake_queue::of_holders(ws, page)).await?;
            if let Some(row) = rows.into_iter().find(|row| row.owner.is_some()) {
                return Ok(Some(row.holder));
            }
        }
        Ok(None)
    }

    /// Whether the words stay in the task.
    async fn stays(
        &self,
        ws: WorkspaceId,
        task: Option<&TaskId>,
        words: &Words,
        entry: Option<&EntryId>,
        with_entry: bool,
    ) -> Result<bool, AgentError> {
        let Some(task) = task else { return Ok(false) };
        if entry.is_some() && !with_entry {
            return Ok(true);
        }
        match self.journal.task(ws, task).await {
            Ok(view) => {
                let mut state = state(&view, &self.zone.get());
                state.entries.retain(|one| Some(&one.id) != entry);
                Ok(words.are_in(&serde_json::to_string(&state).unwrap_or_default()))
            }
            Err(JournalError::NoTask { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The hash of a text that has the words.
fn text_key(hit: &Hit) -> Option<String> {
    match (hit.place.table, hit.key.as_slice()) {
        ("texts", [Value::Text(sha256)]) => Some(sha256.clone()),
        _ => None,
    }
}

/// The digest of the text of a hit.
pub(super) fn digest_of(hit: &Hit) -> Option<Digest> {
    text_key(hit).map(Digest)
}

fn entry_of(line: &Line) -> Option<EntryId> {
    line.sources.iter().find_map(Source::entry).cloned()
}

/// Returns whether a checkpoint was made of what is removed, in whatever words.
fn is_made_of(checkpoint: &Checkpoint, target: &Target) -> bool {
    let is_of = match target {
        Target::Lines(lines) => {
            lines.iter().any(|line| (checkpoint.from..=checkpoint.upto).contains(&line.n))
        }
        Target::Summary(found) => {
            let first = &found.checkpoint;
            checkpoint.n >= first.n && checkpoint.audience == first.audience
        }
        Target::Decision(_) | Target::Message { .. } => false,
    };
    is_of && checkpoint.removed_at.is_none()
}

fn target_words(target: &Target, entry: Option<&EntryId>) -> TargetWords {
    let mut target_words =
        TargetWords { whole: Vec::new(), quoted: Vec::new(), is_too_short: false };
    match target {
        Target::Lines(lines) => {
            for line in lines {
                let inner = request::unfenced(line.text.as_deref().unwrap_or_default());
                let words = log::words(inner);
                target_words.is_too_short |= words.chars().count() < SHORTEST;
                if let Some(entry) = entry {
                    // As a prompt shows an entry that is not in the log.
                    target_words.whole.push(format!("(id: {entry}):\n{words}"));
                }
                target_words.whole.push(inner.to_owned());
                target_words.quoted.push(words.to_owned());
            }
        }
        Target::Summary(found) => target_words.whole.extend(found.text.clone()),
        Target::Decision(found) => {
            let reason = found.doc.value.rejection_reason.clone();
            target_words.is_too_short =
                reason.as_ref().is_some_and(|reason| reason.chars().count() < SHORTEST);
            target_words.quoted.extend(reason);
        }
        Target::Message { text, .. } => {
            target_words.is_too_short = text.chars().count() < SHORTEST;
            target_words.quoted.push(text.clone());
        }
    }
    target_words
}
