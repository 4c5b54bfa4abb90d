//! What a run reads of the person's tasks. Each piece says what it was made of: a model is shown what it
//! may see, and what the run writes from then on is as private as that.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_runs::RunError;
use dormouse_store::agent::forgotten_entry;
use dormouse_store::agent::source::Source;
use dormouse_store::journal::task::{self, ListQuery, Task};
use dormouse_store::journal::task_list::{self, Text};
use dormouse_types::task::Status;
use dormouse_types::{EntryId, Id as _, TaskId, fold};

use super::WorkRun;
use crate::history::HistoryPart;

/// The most that one call answers. Units: bytes.
const MOST: usize = 64 * 1024;
/// The most of one entry that `read_task` shows. Units: bytes.
const ENTRY: usize = 8 * 1024;
/// What a search shows around the first of its words. Units: bytes.
const AROUND: usize = 80;
/// The places that a search shows of one task.
const PLACES: usize = 3;

impl WorkRun<'_> {
    pub(super) async fn list_tasks(
        &self,
        status: Option<Status>,
        words: Vec<String>,
        limit: usize,
    ) -> Result<(String, Vec<Source>), RunError> {
        let wanted = ListQuery {
            status,
            words,
            title: None,
            include_deleted: false,
            after: None,
            limit: i64::try_from(limit).unwrap_or(i64::MAX),
        };
        let lines = self.work.store.all(task::list(self.lease.ws, &wanted)).await?;
        let tasks = lines.into_iter().filter_map(|line| line.row.ok());
        let parts = tasks.map(|listed| {
            let task = listed.task.doc.value;
            let items = match listed.n_open + listed.n_done {
                0 => String::new(),
                n => format!(", {} of {n} items done", listed.n_done),
            };
            part(format!("- {}{items}", in_a_line(&task)), Source::Task(task.id))
        });
        self.shown_within("Tasks, newest first", parts.collect(), "no task").await
    }

    pub(super) async fn search(
        &self,
        words: &[String],
        limit: usize,
    ) -> Result<(String, Vec<Source>), RunError> {
        let (ws, store) = (self.lease.ws, &self.work.store);
        let hits = store.all(task_list::hits(ws, words)).await?;
        let found = hits.into_iter().filter(|hit| hit.words.iter().all(|it| *it));
        // The newest ids are the newest tasks.
        let mut ids: Vec<String> = found.map(|hit| hit.task).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        let mut tasks: Vec<Task> = Vec::new();
        for ids in ids.chunks(dormouse_store::in_list::MOST) {
            let lines = store.all(task_list::some(ws, ids)).await?;
            let mut live: Vec<Task> = lines
                .into_iter()
                .filter_map(|line| line.task.ok())
                .map(|stored| stored.doc.value)
                .filter(|task| task.deleted_at.is_none())
                .collect();
            live.sort_by(|a, b| b.id.cmp(&a.id));
            tasks.extend(live);
            if tasks.len() >= limit {
                break;
            }
        }
        tasks.truncate(limit);
        let ids: Vec<String> = tasks.iter().map(|task| task.id.to_string()).collect();
        let mut forgotten: BTreeSet<EntryId> = BTreeSet::new();
        for task in &tasks {
            forgotten.extend(store.all(forgotten_entry::of_task(ws, &task.id)).await?);
        }
        let mut places: BTreeMap<String, Vec<HistoryPart>> = BTreeMap::new();
        for text in store.each(task_list::texts(ws, &ids)).await?.into_iter().flatten() {
            let (task, text, source) = match text {
                Text::Item(item) => {
                    let item = item.doc.value;
                    (item.task_id.clone(), item.title, Source::Task(item.task_id))
                }
                Text::Entry(entry) => {
                    let entry = entry.doc.value;
                    // A person had the words forgotten, and kept the entry for themselves.
                    if forgotten.contains(&entry.id) {
                        continue;
                    }
                    let text = entry.says().to_owned();
                    (entry.task_id, text, Source::Entry(entry.id))
                }
            };
            let places = places.entry(task.to_string()).or_default();
            if places.len() < PLACES
                && let Some(place) = around(&text, words)
            {
                places.push(part(format!("  {place}"), source));
            }
        }
        let mut parts = Vec::new();
        for task in tasks {
            parts.push(part(format!("- {}", in_a_line(&task)), Source::Task(task.id.clone())));
            parts.extend(places.remove(task.id.as_str()).unwrap_or_default());
        }
        self.shown_within("Found, newest first", parts, "nothing found").await
    }

    pub(super) async fn read_task(&self, id: &TaskId) -> Result<(String, Vec<Source>), RunError> {
        let (ws, store) = (self.lease.ws, &self.work.store);
        let ids = [id.to_string()];
        let found = store.first(task_list::some(ws, &ids)).await?;
        let live = |task: &Task| task.deleted_at.is_none();
        let found = found.and_then(|line| line.task.ok()).map(|stored| stored.doc.value);
        let Some(task) = found.filter(live) else {
            return Ok((format!("there is no task {id}"), Vec::new()));
        };
        let mut fields = vec![in_a_line(&task)];
        fields.extend(task.status.reason.iter().map(|why| format!("reason: {why}")));
        fields.extend(task.estimate_minutes.iter().map(|it| format!("estimate: {it} minutes")));
        let of_task = || Source::Task(task.id.clone());
        let mut parts = vec![part(fields.join("\n"), of_task())];
        let forgotten = store.all(forgotten_entry::of_task(ws, &task.id)).await?;
        for text in store.each(task_list::texts(ws, &ids)).await?.into_iter().flatten() {
            parts.push(match text {
                Text::Item(item) => {
                    let item = item.doc.value;
                    if item.is_archived {
                        continue;
                    }
                    let mark = if item.is_checked { "x" } else { " " };
                    part(format!("- [{mark}] {}", item.title), of_task())
                }
                Text::Entry(entry) => {
                    let entry = entry.doc.value;
                    if forgotten.contains(&entry.id) {
                        continue;
                    }
                    let zone = &self.work.zone.get();
                    let day = entry.on.unwrap_or_else(|| entry.created_at.day_in(zone));
                    let entry_text = entry.says();
                    let text = &entry_text[..entry_text.floor_char_boundary(ENTRY)];
                    let cut = if text.len() < entry_text.len() { "\u{2026}" } else { "" };
                    let time =
                        entry.minutes.map(|it| format!(", {it} minutes")).unwrap_or_default();
                    part(format!("{day}{time}: {text}{cut}"), Source::Entry(entry.id))
                }
            });
        }
        self.shown_within("The task", parts, "nothing").await
    }

    /// Joins what the model may see, as far as there is room.
    async fn shown_within(
        &self,
        heading: &str,
        mut parts: Vec<HistoryPart>,
        nothing: &str,
    ) -> Result<(String, Vec<Source>), RunError> {
        let n_all = parts.len();
        let mut room = MOST;
        let fitting = parts.iter().take_while(|part| {
            let fits = part.text.len() < room;
            room = room.saturating_sub(part.text.len() + 1);
            fits
        });
        let n_fitting = fitting.count();
        parts.truncate(n_fitting);
        let heading = match n_all - n_fitting {
            0 => heading.to_owned(),
            n => format!("{heading} ({n} pieces left out because there is no room)"),
        };
        self.visible_parts("journal", heading, parts, nothing).await
    }
}

fn part(text: String, source: Source) -> HistoryPart {
    HistoryPart { text, sources: vec![source] }
}

/// A task with what a list shows of it.
fn in_a_line(task: &Task) -> String {
    let title = if task.title.is_empty() { "(untitled)" } else { task.title.as_str() };
    let mut line = format!("{title} [{}], {}", task.id, task.status.status);
    if let Some(day) = task.due_on {
        line.push_str(&format!(", due {day}"));
    }
    if let Some(priority) = task.priority {
        line.push_str(&format!(", {priority}"));
    }
    line
}

/// The text around the first of the words; `None` if it has none of them.
fn around(text: &str, words: &[String]) -> Option<String> {
    let place = |line: &str| words.iter().filter_map(|word| fold::find(line, word)).min();
    let (line, (from, upto)) = text.lines().find_map(|line| Some((line, place(line)?)))?;
    let from = line.floor_char_boundary(from.saturating_sub(AROUND));
    let upto = line.ceil_char_boundary((upto + AROUND).min(line.len()));
    let before = if from > 0 { "\u{2026}" } else { "" };
    let after = if upto < line.len() { "\u{2026}" } else { "" };
    Some(format!("{before}{}{after}", line[from..upto].trim()))
}
