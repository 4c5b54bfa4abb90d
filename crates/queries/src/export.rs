//! The workspace as one JSON document: all of the user's data, and what their agents wrote.
//!
//! Documents are passed through as stored, so nothing that a newer version wrote is lost. The order
//! depends only on the rows: the same rows give the same bytes. `docs/export.md` describes the
//! format.

use std::collections::BTreeSet;

use dormouse_store::agent::agent_entity::{self, Agent, State};
use dormouse_store::agent::change_set::Decision;
use dormouse_store::agent::entity::{self, Entity, Stored};
use dormouse_store::agent::report::Report;
use dormouse_store::journal::category::Category;
use dormouse_store::journal::checklist::Checklist;
use dormouse_store::journal::entry::Entry;
use dormouse_store::journal::item::Item;
use dormouse_store::journal::raw::{self, Raw};
use dormouse_store::journal::row::Entity as _;
use dormouse_store::journal::task::Task;
use dormouse_store::journal::{field_say, linked_entry, setting};
use dormouse_store::{Db, Store, change_log};
use dormouse_types::{Id as _, Seq, TaskId, Timestamp, WorkspaceId};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{Queries, QueryError};

/// The name of the format, in every document.
pub const FORMAT: &str = "dormouse-export";
/// The version of the format. It increases when a reader of the previous version would misread it.
pub const VERSION: u32 = 1;

/// How many tasks or links to look up at once.
const BATCH: i64 = 100;

/// An export in progress: pieces of text that together form one JSON document.
pub struct Export {
    store: Store,
    ws: WorkspaceId,
    only: Option<TaskId>,
    stage: ExportStage,
    damaged: Vec<Value>,
}

enum ExportStage {
    Head,
    Tasks {
        after: (Timestamp, String),
        ready: Vec<Raw>,
        is_first: bool,
    },
    /// A link needs both of its tasks, so links follow them.
    Links {
        after: String,
        is_first: bool,
    },
    End,
    Over,
}

impl Queries {
    /// Starts an export of the workspace, or of one task.
    ///
    /// Errors: no such task.
    pub async fn export(
        &self,
        ws: WorkspaceId,
        only: Option<TaskId>,
    ) -> Result<Export, QueryError> {
        let store = self.store.clone();
        if let Some(task) = &only
            && store.first(raw::of_task(ws, task)).await?.is_none_or(|row| row.id != task.as_str())
        {
            return Err(QueryError::NotFound { what: "task", id: task.to_string() });
        }
        Ok(Export { store, ws, only, stage: ExportStage::Head, damaged: Vec::new() })
    }
}

impl Export {
    /// The next piece of the document; `None` after the last one.
    ///
    /// Errors: rows cannot be read; the document is then incomplete.
    pub async fn next(&mut self) -> Result<Option<String>, QueryError> {
        loop {
            match &mut self.stage {
                ExportStage::Head => {
                    self.stage = ExportStage::Tasks {
                        after: (Timestamp::from_micros(i64::MIN), String::new()),
                        ready: Vec::new(),
                        is_first: true,
                    };
                    return self.head().await.map(Some);
                }
                ExportStage::Tasks { after, ready, is_first } => {
                    let Some(row) = ready.pop() else {
                        let (at, id) = after.clone();
                        let mut rows = self.tasks(at, &id).await?;
                        rows.reverse();
                        match (&mut self.stage, rows.first()) {
                            (ExportStage::Tasks { after, ready, .. }, Some(last)) => {
                                *after = (last.created_at, last.id.clone());
                                *ready = rows;
                            }
                            (stage, _) => {
                                *stage =
                                    ExportStage::Links { after: String::new(), is_first: true };
                                return Ok(Some("\n],\n\"links\": [".to_owned()));
                            }
                        }
                        continue;
                    };
                    let comma = if std::mem::take(is_first) { "" } else { "," };
                    return Ok(Some(format!("{comma}\n{}", self.task(&row).await?)));
                }
                ExportStage::Links { after, is_first } => {
                    let at = after.clone();
                    let first = *is_first;
                    let Some((last, texts)) = self.links(&at).await? else {
                        self.stage = ExportStage::End;
                        continue;
                    };
                    let is_first = first && texts.is_empty();
                    self.stage = ExportStage::Links { after: last, is_first };
                    let comma = if first || texts.is_empty() { "" } else { "," };
                    let text = texts.join(",\n");
                    return Ok(Some(if text.is_empty() {
                        text
                    } else {
                        format!("{comma}\n{text}")
                    }));
                }
                ExportStage::End => {
                    self.stage = ExportStage::Over;
                    let damaged = json!(std::mem::take(&mut self.damaged));
                    return Ok(Some(format!("\n],\n\"damaged\": {damaged}}}\n")));
                }
                ExportStage::Over => return Ok(None),
            }
        }
    }

    /// The links after an id, and the last of their ids; `None` at the end. For one task, only its
    /// live links.
    async fn links(&mut self, after: &str) -> Result<Option<(String, Vec<String>)>, QueryError> {
        let rows: Vec<(String, String)> = match &self.only {
            None => {
                let rows = self.store.all(linked_entry::after(self.ws, after, BATCH)).await?;
                rows.into_iter().map(|row| (row.id, row.text)).collect()
            }
            Some(_) if !after.is_empty() => Vec::new(),
            Some(only) => {
                let edges = self.store.all(linked_entry::of_task(self.ws, only)).await?;
                let mut rows: Vec<(String, String)> = edges
                    .into_iter()
                    .map(|edge| (edge.doc.value.id.to_string(), edge.doc.text()))
                    .collect();
                rows.sort();
                rows
            }
        };
        let Some((last, _)) = rows.last() else { return Ok(None) };
        let last = last.clone();
        let mut texts = Vec::new();
        for (id, text) in rows {
            match serde_json::from_str::<&RawValue>(&text) {
                Ok(_) => texts.push(text),
                Err(_) => self.damaged.push(json!({"id": id, "type": "link", "text": text})),
            }
        }
        Ok(Some((last, texts)))
    }

    async fn tasks(&self, at: Timestamp, id: &str) -> Result<Vec<Raw>, QueryError> {
        let Some(only) = &self.only else {
            return Ok(self.store.all(raw::tasks(self.ws, (at, id), BATCH)).await?);
        };
        // The task itself comes first among its rows; it was given out when its id is the place.
        let row = self.store.first(raw::of_task(self.ws, only)).await?;
        Ok(row.into_iter().filter(|row| row.id != id).collect())
    }

    async fn head(&mut self) -> Result<String, QueryError> {
        let (store, ws) = (&self.store, self.ws);
        let mut source = serde_json::Map::new();
        for db in Db::ALL {
            let head: Seq = store.first(change_log::head(db, ws)).await?.unwrap_or_default();
            let place = json!({"host": store.host(db), "seq": head.0});
            source.insert(db.name().into(), place);
        }
        let settings: serde_json::Map<String, Value> = match self.only {
            Some(_) => serde_json::Map::new(),
            None => store
                .all(setting::all(ws))
                .await?
                .into_iter()
                .map(|(key, value)| (key, Value::String(value)))
                .collect(),
        };
        let named = self.named().await?;
        let definitions = store.all(raw::definitions(ws)).await?;
        let wanted = definitions
            .into_iter()
            .filter(|row| named.as_ref().is_none_or(|named| named.contains(&row.id)));
        let (mut categories, mut labels) = (Vec::new(), Vec::new());
        for row in wanted {
            let list = if row.kind == Category::KIND { &mut categories } else { &mut labels };
            keep(list, row, &mut self.damaged);
        }
        Ok(format!(
            "{{\"format\": {}, \"version\": {VERSION},\n\"source\": {},\n\"settings\": {},\n\
             \"categories\": {},\n\"labels\": {},\n\"tasks\": [",
            json!(FORMAT),
            Value::Object(source),
            Value::Object(settings),
            list(&categories),
            list(&labels),
        ))
    }

    /// The labels and category of the exported task; `None` if all tasks are exported.
    async fn named(&self) -> Result<Option<BTreeSet<String>>, QueryError> {
        let Some(task) = &self.only else { return Ok(None) };
        let own = self.store.first(raw::of_task(self.ws, task)).await?;
        let own: Value =
            own.and_then(|row| serde_json::from_str(&row.text).ok()).unwrap_or_default();
        let labels = own["labelIds"].as_array().into_iter().flatten();
        let named = labels.chain([&own["categoryId"]]).filter_map(Value::as_str);
        Ok(Some(named.map(ToOwned::to_owned).collect()))
    }

    async fn task(&mut self, row: &Raw) -> Result<String, QueryError> {
        let (store, ws) = (self.store.clone(), self.ws);
        let id: TaskId = match row.id.parse() {
            Ok(id) => id,
            Err(_) => {
                self.damaged.push(damage_line(row));
                return Ok("{\"task\": null}".to_owned());
            }
        };
        let mut own = Vec::new();
        let (mut checklists, mut items) = (Vec::new(), Vec::new());
        let (mut entries, mut others) = (Vec::new(), Vec::new());
        for part in store.all(raw::of_task(ws, &id)).await? {
            let list = match part.kind.as_str() {
                Task::KIND => &mut own,
                Checklist::KIND => &mut checklists,
                Item::KIND => &mut items,
                Entry::KIND => &mut entries,
                _ => &mut others,
            };
            keep(list, part, &mut self.damaged);
        }
        let says = match store.all(field_say::of_task(ws, &id)).await {
            Ok(says) => json!(says),
            Err(damaged) => {
                self.damaged.push(json!({"id": id, "type": "says", "error": damaged.to_string()}));
                json!([])
            }
        };
        let agents = self.agents(&id).await?;
        Ok(format!(
            "{{\"task\": {}, \"revision\": {}, \"checklists\": {}, \"items\": {}, \
             \"entries\": {}, \"others\": {}, \"says\": {says}, \"readOnly\": {{\"agents\": {}}}}}",
            own.first().map_or("null", |text| text.as_str()),
            row.revision,
            list(&checklists),
            list(&items),
            list(&entries),
            list(&others),
            list(&agents),
        ))
    }

    /// What the agents of a task wrote, the first agent first.
    async fn agents(&mut self, task: &TaskId) -> Result<Vec<String>, QueryError> {
        let (store, ws) = (self.store.clone(), self.ws);
        let mut agents = Vec::new();
        let mut all = store.all(entity::each(agent_entity::of_task(ws, task))).await?;
        all.reverse();
        for agent in all {
            let agent: Stored<Agent> = match agent {
                Ok(agent) => agent,
                Err(damaged) => {
                    self.damaged.push(json!({"type": "agent", "error": damaged.to_string()}));
                    continue;
                }
            };
            let id = &agent.doc.value.id;
            let reports = self.entities::<Report>(entity::of_agent(ws, id, i64::MAX)).await?;
            let decisions = self.entities::<Decision>(entity::of_agent(ws, id, i64::MAX)).await?;
            let state = entity::by_id::<State>(ws, agent.doc.value.current_state_id.as_str());
            let state = self.entities(state).await?;
            agents.push(format!(
                "{{\"agent\": {}, \"state\": {}, \"reports\": {}, \"decisions\": {}}}",
                agent.doc.text(),
                state.first().map_or("null", |text| text.as_str()),
                list(&reports),
                list(&decisions),
            ));
        }
        Ok(agents)
    }

    /// Documents as they are stored, oldest first.
    async fn entities<T: Entity>(
        &mut self,
        query: dormouse_store::Query<Stored<T>>,
    ) -> Result<Vec<String>, QueryError> {
        let mut texts = Vec::new();
        for stored in self.store.all(entity::each(query)).await?.into_iter().rev() {
            match stored {
                Ok(stored) => texts.push(stored.doc.text()),
                Err(damaged) => {
                    self.damaged.push(json!({"type": T::KIND, "error": damaged.to_string()}));
                }
            }
        }
        Ok(texts)
    }
}

/// Keeps a document as stored; one that is not JSON is listed at the end, as text.
fn keep(list: &mut Vec<String>, row: Raw, damaged: &mut Vec<Value>) {
    match serde_json::from_str::<&RawValue>(&row.text) {
        Ok(_) => list.push(row.text),
        Err(_) => damaged.push(damage_line(&row)),
    }
}

fn damage_line(row: &Raw) -> Value {
    json!({"id": row.id, "type": row.kind, "text": row.text})
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.join(", "))
}
