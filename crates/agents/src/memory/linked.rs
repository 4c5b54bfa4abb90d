//! Reads the tasks one link away with the reports of their agents, in a number of queries that does
//! not grow with the links.

use std::collections::BTreeMap;

use dormouse_store::agent::report::{self, Report, TaskHead};
use dormouse_store::agent::source::Source;
use dormouse_store::in_list;
use dormouse_store::journal::label::{self, Definition};
use dormouse_store::journal::linked_task::{self, Linked};
use dormouse_store::journal::task::Task;
use dormouse_types::linked::LinkedContext;
use dormouse_types::model::Named;
use dormouse_types::task::{LinkDirection, LinkKind};
use dormouse_types::{LabelId, ReportId, RunKey, TaskId, WorkspaceId};

use crate::context::linked::{LinkedReport, LinkedTask, LinkedTasks, MOST_BYTES, context, grouped};
use crate::{AgentError, Agents};

/// What rows need apart from their tasks: the labels of the workspace, and by task the minutes and the
/// report.
struct Details {
    labels: Vec<Named<LabelId>>,
    minutes: BTreeMap<String, u32>,
    reports: BTreeMap<String, LinkedReport>,
}

impl Agents {
    /// Returns what an agent of a task reads of the tasks one link away.
    ///
    /// Errors: a query failed. A damaged row affects itself only: a task that cannot be read has no
    /// row, and a report that cannot be read is left out of its row.
    pub async fn linked_context(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<LinkedContext, AgentError> {
        Ok(context(&self.linked_tasks(ws, task).await?, MOST_BYTES))
    }

    /// Reads the tasks one link away.
    pub(crate) async fn linked_tasks(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<LinkedTasks, AgentError> {
        let rows = self.store.all(linked_task::of_task(ws, task)).await?;
        let (deleted, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_deleted);
        let deleted = deleted_tasks(&deleted);
        let mut ids: Vec<TaskId> = rows.iter().filter_map(|row| row.task_id.parse().ok()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(LinkedTasks { deleted, ..LinkedTasks::default() });
        }
        let mut details = Details {
            labels: self.label_names(ws).await?,
            minutes: BTreeMap::new(),
            reports: BTreeMap::new(),
        };
        for page in ids.chunks(in_list::MOST) {
            for (task, minutes) in self.store.all(linked_task::minutes(ws, page)).await? {
                *details.minutes.entry(task).or_default() += minutes.unwrap_or(0);
            }
            match self.reports_of(ws, page).await {
                Ok(reports) => details.reports.extend(reports),
                // Rows without reports are better than no rows.
                Err(error) => tracing::warn!(%task, %error, "reports of linked tasks are left out"),
            }
        }
        let side = |side: LinkDirection| {
            let rows = rows.iter().filter(|row| row.direction == side);
            grouped(rows.filter_map(|row| details.row(row)).collect())
        };
        Ok(LinkedTasks { from: side(LinkDirection::In), to: side(LinkDirection::Out), deleted })
    }

    async fn label_names(&self, ws: WorkspaceId) -> Result<Vec<Named<LabelId>>, AgentError> {
        let definitions = self.store.all(label::definitions(ws)).await?;
        let labels = definitions.into_iter().filter_map(|definition| match definition {
            Definition::Label(label) => {
                let label = label.doc.value;
                Some(Named { id: label.id, name: label.name })
            }
            Definition::Category(_) => None,
        });
        Ok(labels.collect())
    }

    /// The report of each task: that of the agent linked last which has one that is not empty.
    async fn reports_of(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<BTreeMap<String, LinkedReport>, AgentError> {
        let mut heads: Vec<(String, ReportId)> = Vec::new();
        for TaskHead { task_id, head } in self.store.all(report::heads_of_tasks(ws, tasks)).await? {
            match head {
                Ok(head) => heads.push((task_id, head.doc.value.report_id)),
                Err(error) => {
                    tracing::warn!(task = task_id, %error, "the report of a linked task is left out");
                }
            }
        }
        let ids: Vec<ReportId> = heads.iter().map(|(_, id)| id.clone()).collect();
        let mut reports: BTreeMap<ReportId, Report> = BTreeMap::new();
        for page in ids.chunks(in_list::MOST) {
            for read in self.store.all(report::by_ids(ws, page)).await? {
                match read {
                    Ok(report) => {
                        let report = report.doc.value;
                        reports.insert(report.id.clone(), report);
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the report of a linked task is left out");
                    }
                }
            }
        }
        let mut found = BTreeMap::new();
        for (task, id) in heads {
            let Some(report) = reports.get(&id).and_then(linked_report) else { continue };
            found.entry(task).or_insert(report);
        }
        Ok(found)
    }
}

/// Returns whether a linked task was deleted. One that cannot be read is reported with the live ones.
fn is_deleted(row: &Linked) -> bool {
    row.task.as_ref().is_ok_and(|task| task.doc.value.deleted_at.is_some())
}

/// Returns deleted tasks by their titles, each once.
fn deleted_tasks(rows: &[Linked]) -> Vec<Named<TaskId>> {
    let tasks = rows.iter().filter_map(|row| row.task.as_ref().ok()).map(|task| &task.doc.value);
    let by_id: BTreeMap<&TaskId, &str> = tasks.map(|task| (&task.id, &*task.title)).collect();
    by_id.into_iter().map(|(id, title)| Named { id: id.clone(), name: title.to_owned() }).collect()
}

/// Returns a report as a linked task's agent reads it; `None` if it is empty. A report of an older
/// format, which is no Markdown, is passed on as its JSON.
fn linked_report(report: &Report) -> Option<LinkedReport> {
    let content = match &report.content {
        serde_json::Value::String(text) => text.trim().to_owned(),
        serde_json::Value::Object(parts) if !parts.is_empty() => report.content.to_string(),
        _ => String::new(),
    };
    let (agent, at) = (report.agent_id.clone(), report.created_at);
    let addresses = report.own_addresses.clone();
    let run = report.provenance["runKey"].as_str();
    let run = run.map_or(Source::Unknown, |run| Source::Run(RunKey(run.to_owned())));
    let added = report.sources.clone().unwrap_or_else(|| vec![Source::Unknown]);
    let sources = std::iter::once(run).chain(added).collect();
    (!content.is_empty()).then_some(LinkedReport { agent, content, addresses, sources, at })
}

impl Details {
    /// The row of a linked task; `None` if its document cannot be read.
    fn row(&self, linked: &Linked) -> Option<LinkedTask> {
        let task = match &linked.task {
            Ok(task) => &task.doc.value,
            Err(error) => {
                tracing::warn!(task = linked.task_id, %error, "a linked task is left out");
                return None;
            }
        };
        let relation = linked
            .link
            .as_ref()
            .ok()
            .map(|link| LinkKind::words_of(&link.value.kind, linked.direction).to_owned());
        Some(LinkedTask {
            id: task.id.clone(),
            title: task.title.clone(),
            status: task.status.status,
            priority: task.priority,
            estimate_minutes: task.estimate_minutes,
            time_spent_minutes: self.minutes.get(&linked.task_id).copied().unwrap_or(0),
            created_at: task.created_at,
            labels: self.labels_of(task),
            language: task.language_code.clone(),
            relations: relation.into_iter().collect(),
            report: self.reports.get(&linked.task_id).cloned(),
        })
    }

    fn labels_of(&self, task: &Task) -> Vec<Named<LabelId>> {
        self.labels.iter().filter(|label| task.label_ids.contains(&label.id)).cloned().collect()
    }
}
