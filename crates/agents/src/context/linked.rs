//! The tasks one link away, as an agent reads them: a row for each, with the newest report of its
//! agent.

use std::collections::BTreeMap;

use dormouse_runs::gate::{Part, Piece};
use dormouse_runs::request;
use dormouse_store::agent::report::OwnAddress;
use dormouse_store::agent::source::Source;
use dormouse_types::linked::{LeftOut, LinkedContext, LinkedRow};
use dormouse_types::model::Named;
use dormouse_types::task::{Priority, Status};
use dormouse_types::{AgentId, LabelId, TaskId, Timestamp};

/// The most that rows and their reports may take together. Units: bytes of JSON.
pub const MOST_BYTES: usize = 20 * 1024;

/// The most that one report may take. A longer one is cut at the end of a line. Units: bytes.
const MOST_OF_A_REPORT: usize = 4 * 1024;

/// A task at the other end of one or more links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedTask {
    pub id: TaskId,
    /// Empty while it is untitled.
    pub title: String,
    pub status: Status,
    /// `None` if nobody set it.
    pub priority: Option<Priority>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// Units: minutes.
    pub time_spent_minutes: u32,
    pub created_at: Timestamp,
    pub labels: Vec<Named<LabelId>>,
    /// ISO 639 code.
    pub language: Option<String>,
    /// How the task that is read relates to it, in words: `blocks`, `part of`, …
    pub relations: Vec<String>,
    /// The report that a person reads of it.
    pub report: Option<LinkedReport>,
}

/// A report about a linked task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedReport {
    /// The agent that wrote it.
    pub agent: AgentId,
    /// Markdown; not empty.
    pub content: String,
    /// Addresses in it that entries of its own task have.
    pub addresses: Vec<OwnAddress>,
    /// What it was made of: its run, and entries with addresses that were added to it.
    pub sources: Vec<Source>,
    /// When it was published.
    pub at: Timestamp,
}

/// The linked tasks of a task, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedTasks {
    /// Tasks that point at it.
    pub from: Vec<LinkedTask>,
    /// Tasks that it points at.
    pub to: Vec<LinkedTask>,
    /// Deleted tasks that are still linked, each once. Nothing is shown of them but that they were deleted.
    pub deleted: Vec<Named<TaskId>>,
}

impl LinkedTasks {
    /// Every linked task once for each direction.
    pub fn all(&self) -> impl Iterator<Item = &LinkedTask> {
        self.from.iter().chain(&self.to)
    }

    /// The addresses that the reports of linked tasks have from their own entries, each once.
    pub fn addresses(&self) -> Vec<OwnAddress> {
        let mut known: Vec<OwnAddress> = Vec::new();
        for own in self.all().filter_map(|task| task.report.as_ref()).flat_map(|r| &r.addresses) {
            if !known.iter().any(|known| known.address == own.address) {
                known.push(own.clone());
            }
        }
        known
    }
}

/// Chooses what of the linked tasks is read, within a number of bytes.
///
/// The newest tasks are taken first, each with its report; the order of the rows is that of their
/// creation all the same. What does not fit is counted, and a task that is linked in both
/// directions has a row in both lists but its report only in the first.
pub fn context(linked: &LinkedTasks, most_bytes: usize) -> LinkedContext {
    let mut context = LinkedContext::default();
    let mut left_out = LeftOut::default();
    let mut room = most_bytes;
    let mut newest: Vec<(&LinkedTask, Side)> = (linked.from.iter().map(|task| (task, Side::From)))
        .chain(linked.to.iter().map(|task| (task, Side::To)))
        .collect();
    newest.sort_by(|(a, _), (b, _)| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    let mut reported: Vec<&TaskId> = Vec::new();
    for (task, side) in newest {
        let mut row = row(task);
        let bytes = bytes_of(&row);
        if bytes > room {
            left_out.tasks += 1;
            continue;
        }
        room -= bytes;
        if let Some(report) = task.report.as_ref().filter(|_| !reported.contains(&&task.id)) {
            let content = shortened(&report.content, MOST_OF_A_REPORT);
            let is_short = content.len() < report.content.len();
            let with_report = LinkedRow {
                task_agent_id: Some(report.agent.clone()),
                latest_task_agent_report: Some(content),
                latest_task_agent_report_created_at: Some(report.at),
                ..row.clone()
            };
            let more = bytes_of(&with_report) - bytes;
            if more <= room {
                room -= more;
                left_out.shortened += usize::from(is_short);
                reported.push(&task.id);
                row = with_report;
            } else {
                left_out.reports += 1;
            }
        }
        match side {
            Side::From => context.linked_from.push(row),
            Side::To => context.linked_to.push(row),
        }
    }
    context.linked_from.reverse();
    context.linked_to.reverse();
    context.left_out = (left_out != LeftOut::default()).then_some(left_out);
    context
}

/// Which of the two lists a task belongs to.
#[derive(Debug, Clone, Copy)]
enum Side {
    From,
    To,
}

fn row(task: &LinkedTask) -> LinkedRow {
    LinkedRow {
        id: task.id.clone(),
        title: task.title.clone(),
        status: task.status,
        priority: task.priority.unwrap_or_default(),
        estimate: task.estimate_minutes.map(hours_and_minutes),
        time_spent: hours_and_minutes(task.time_spent_minutes),
        created_at: task.created_at,
        labels: task.labels.clone(),
        language_code: task.language.clone(),
        relations: task.relations.clone(),
        task_agent_id: None,
        latest_task_agent_report: None,
        latest_task_agent_report_created_at: None,
    }
}

fn hours_and_minutes(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a row is plain data")
}

fn bytes_of(row: &LinkedRow) -> usize {
    json(row).len() + 2
}

/// Cuts a text at the end of the last line that fits.
fn shortened(text: &str, most: usize) -> String {
    const MARK: &str = "\n[…]";
    if text.len() <= most {
        return text.to_owned();
    }
    let start = &text[..text.floor_char_boundary(most - MARK.len())];
    let whole = start.rfind('\n').map_or(start, |end| &start[..end]);
    format!("{}{MARK}", whole.trim_end())
}

/// The rows as pieces of a prompt. A row whose report may not be seen is shown without it.
pub fn parts(linked: &LinkedTasks, context: &LinkedContext) -> Vec<Part> {
    let lists =
        [(request::LINKED_FROM, &context.linked_from), (request::LINKED_TO, &context.linked_to)];
    let rows = lists.into_iter().flat_map(|(list, rows)| rows.iter().map(move |row| (list, row)));
    let rows = rows.map(|(list, row)| {
        let own = vec![Source::Task(row.id.clone())];
        let report =
            linked.all().find(|task| task.id == row.id).and_then(|task| task.report.as_ref());
        let (Some(report), Some(_)) = (report, &row.task_agent_id) else {
            return Part::new(Piece::Link, json(row), own).below(list);
        };
        let bare = LinkedRow {
            task_agent_id: None,
            latest_task_agent_report: None,
            latest_task_agent_report_created_at: None,
            ..row.clone()
        };
        let bare = Part::new(Piece::Link, json(&bare), own.clone()).below(list);
        let sources = own.into_iter().chain(report.sources.iter().cloned()).collect();
        let whole = Part::new(Piece::Summary, json(row), sources).below(list);
        Part { otherwise: Some(Box::new(bare)), ..whole }
    });
    let left_out = context.left_out.as_ref();
    let left_out = left_out.map(|left| Part::fixed(json(left)).below(request::LEFT_OUT));
    rows.chain(left_out).collect()
}

/// Groups links by the task they lead to: a task with two links in one direction has one row.
pub fn grouped(rows: Vec<LinkedTask>) -> Vec<LinkedTask> {
    let mut order: Vec<LinkedTask> = Vec::new();
    let mut places: BTreeMap<TaskId, usize> = BTreeMap::new();
    for row in rows {
        match places.get(&row.id) {
            Some(&place) => {
                let known = &mut order[place].relations;
                let new = row.relations.into_iter().filter(|name| !known.contains(name));
                let new: Vec<String> = new.collect();
                known.extend(new);
            }
            None => {
                places.insert(row.id.clone(), order.len());
                order.push(row);
            }
        }
    }
    order
}
