//! The outcome of a scene: everything that must be equal however often the program was cut off.
//!
//! Ids are named by first appearance; times, epochs, crash counts and sequence numbers are left
//! out, because a run that was resumed has others.

use std::collections::BTreeMap;

use dormouse::view::{Agent, Task};
use dormouse::{AgentFilter, Deleted, Store, TaskFilter, WORKSPACE};
use dormouse_store::agent::checkpoint::{self, Checkpoint};
use dormouse_store::agent::{log_line, purge, saga, wake_queue};
use dormouse_store::{Db, Value};
use dormouse_types::AgentId;
use serde_json::json;

use crate::names::Names;
use crate::tables::{Dump, Fields};
use crate::world::World;

/// The outcome of a scene as text, one fact on each line.
pub async fn of(world: &World) -> anyhow::Result<String> {
    Ok(Names::default().in_text(&plain(world).await?))
}

/// The outcome with its ids as they are.
pub(crate) async fn plain(world: &World) -> anyhow::Result<String> {
    let mut page = Page::default();
    let tasks = tasks(world).await?;
    for task in &tasks {
        page.task(world, task).await?;
    }
    let mut agents =
        world.dormouse.agents(&world.me, &AgentFilter::default(), 200, None).await?.items;
    agents.sort_by_key(|agent| agent.created_at);
    for agent in &agents {
        page.agent(world, agent).await?;
    }
    page.rest(world).await?;
    Ok(page.lines.join("\n"))
}

/// What may never remain: an operation half way, a lease, a run without an end.
///
/// Each line names one; none is the only right answer.
pub async fn unfinished(world: &World) -> anyhow::Result<Vec<String>> {
    let store = &world.store;
    let mut left = Vec::new();
    for saga in store.all(saga::by_status(WORKSPACE, saga::OperationStatus::Pending)).await? {
        left.push(format!("open operation {} of {}", saga.operation, saga.tool));
    }
    for row in store.all(wake_queue::leased(WORKSPACE)).await? {
        left.push(format!("agent {} is leased by {:?}", row.holder, row.owner));
    }
    for purge in store.all(purge::open(WORKSPACE)).await? {
        left.push(format!("the removal of {} has not ended: {}", purge.line, purge.phase.name()));
    }
    let dump = Dump::of(store).await?;
    // With the space before it, because a digest may have these digits.
    for purge in rows(&dump, Db::Agent, "purges") {
        if let Some(place) = words_left(&dump, " 4711").filter(|_| text(purge, "phase") == "done") {
            left.push(format!("removed words stand in {place}"));
        }
    }
    left.extend(spend(&dump, world.stage.crashes()));
    for item in rows(&dump, Db::Agent, "change_items") {
        if text(item, "state") == "applying" {
            left.push(format!(
                "item {} of {} is applying",
                text(item, "tool"),
                text(item, "set_id")
            ));
        }
    }
    for run in rows(&dump, Db::Agent, "wake_run_log") {
        let status = text(run, "status");
        if ["started", "queued"].contains(&status) {
            left.push(format!("run {} is {status}", text(run, "run_key")));
        }
    }
    Ok(left)
}

/// The table that has some words.
fn words_left(dump: &Dump, words: &str) -> Option<String> {
    let has_words = |(_, value): &(String, Value)| match value {
        Value::Text(text) => text.contains(words),
        Value::Null | Value::Int(_) | Value::Real(_) | Value::Blob(_) => false,
    };
    dump.tables.iter().find_map(|((db, name), rows)| {
        let is_in = rows.iter().any(|row| row.iter().any(has_words));
        is_in.then(|| format!("{}.{name}", db.name()))
    })
}

async fn tasks(world: &World) -> anyhow::Result<Vec<Task>> {
    let filter = TaskFilter { deleted: Deleted::Too, ..TaskFilter::default() };
    let page = world.dormouse.tasks(&world.me, filter, 100, None).await?;
    anyhow::ensure!(page.next_cursor.is_none(), "a scene has at most 100 tasks");
    let mut tasks = Vec::new();
    for row in page.items {
        tasks.push(world.dormouse.task(&world.me, &row.id).await?);
    }
    tasks.sort_by_key(|task| task.created_at);
    Ok(tasks)
}

#[derive(Default)]
struct Page {
    lines: Vec<String>,
}

impl Page {
    fn line(&mut self, depth: usize, line: impl AsRef<str>) {
        let indent = "  ".repeat(depth);
        for part in line.as_ref().lines() {
            self.lines.push(format!("{indent}{part}").trim_end().to_owned());
        }
    }

    async fn task(&mut self, world: &World, task: &Task) -> anyhow::Result<()> {
        self.line(0, format!("task {} {:?}", task.id, task.title));
        let history: Vec<_> = task.status_history.iter().map(|s| s.status.to_string()).collect();
        let reason = task.status_reason.as_deref().unwrap_or("-");
        self.line(1, format!("status {} ({reason}) after [{}]", task.status, history.join(", ")));
        self.line(
            1,
            format!(
                "priority {:?}, due {:?}, estimate {:?}, language {:?}, deleted {}",
                task.priority,
                task.due_on.map(|day| day.to_string()),
                task.estimate_minutes,
                task.language,
                task.deleted_at.is_some(),
            ),
        );
        let names = |all: &[dormouse::view::Named<_>]| {
            all.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(", ")
        };
        let suppressed = task.suppressed_labels.len();
        self.line(1, format!("labels [{}], {suppressed} suppressed", names(&task.labels)));
        for item in &task.items {
            let mark = if item.is_checked { "x" } else { " " };
            let archived = if item.is_archived { " archived" } else { "" };
            self.line(1, format!("[{mark}] {} by {:?}{archived}", item.title, item.checked_by));
        }
        for entry in &task.entries {
            self.line(1, format!("entry {:?}: {:?}", entry.kind, entry.text));
        }
        for link in &task.links {
            let (way, other) = (link.direction, &link.task);
            self.line(1, format!("link {way:?} {} {:?}, {}", link.kind, other.title, other.status));
        }
        for change in world.dormouse.task_activity(&world.me, &task.id).await? {
            self.line(1, format!("changed by {}: {}", change.origin, json!(change.what)));
        }
        let mut sets = world.dormouse.change_sets(&world.me, Some(task.id.clone()), true).await?;
        sets.sort_by_key(|set| set.created_at);
        for set in sets {
            self.line(1, format!("set {} is {}", set.id, set.status));
            for item in set.items {
                let quote = item.evidence.map(|e| e.quote).unwrap_or_default();
                let error = item.error.unwrap_or_default();
                self.line(
                    2,
                    format!(
                        "{}. {} {} ({})",
                        item.index, item.status, item.human_summary, item.digest
                    ),
                );
                self.line(
                    3,
                    format!(
                        "{} {} round {}, shown {}, quote {quote:?}, error {error:?}",
                        item.tool_name, item.args, item.round, item.shown
                    ),
                );
            }
        }
        let mut decisions = world.dormouse.task_decisions(&world.me, &task.id).await?;
        decisions.sort_by_key(|one| (one.created_at, one.item_index));
        for one in decisions {
            let undone = if one.undone_at.is_some() { ", taken back" } else { "" };
            self.line(
                1,
                format!(
                    "decided {} {}: {} {:?}{undone}",
                    one.verdict, one.human_summary, one.outcome, one.rejection_reason
                ),
            );
        }
        Ok(())
    }

    async fn agent(&mut self, world: &World, agent: &Agent) -> anyhow::Result<()> {
        let (dormouse, me) = (&world.dormouse, &world.me);
        self.line(
            0,
            format!(
                "agent {} of {:?} is {} {:?}, {}, {} failures",
                agent.id,
                agent.task_title,
                agent.lifecycle,
                agent.dormant_reason,
                agent.activity,
                agent.consecutive_failure_count
            ),
        );
        let mut wakes = dormouse.wakes(me, &agent.id, 1000).await?;
        wakes.sort_by_key(|wake| wake.created_at);
        for wake in wakes {
            let error = wake.error_message.unwrap_or_default();
            self.line(1, format!("wake {} {} {error}", wake.reason, wake.status));
        }
        for report in dormouse.reports(me, &agent.id, 1000).await?.into_iter().rev() {
            self.line(1, format!("report {:?}", report.tldr.unwrap_or_default()));
        }
        if let Some(report) = dormouse.report(me, &agent.id).await? {
            self.line(1, "report now:");
            self.line(2, report.content.as_str().unwrap_or_default());
        }
        let mut messages = dormouse.messages(me, &agent.id, None, 10_000).await?;
        messages.sort_by_key(|message| message.created_at);
        for message in messages {
            let tool = message.tool_name.unwrap_or_default();
            let refused = if message.refused == Some(true) { " refused" } else { "" };
            let shown = match message.kind.name() {
                "observation" | "user" | "summary" => {
                    message.content.unwrap_or_default().to_string()
                }
                _ => String::new(),
            };
            self.line(1, format!("message {} {tool}{refused} {shown}", message.kind));
        }
        for line in log(&world.store, &agent.id).await? {
            self.line(1, format!("log {line:?}"));
        }
        let holder = (&agent.id).into();
        for found in world.store.all(checkpoint::of_holder(WORKSPACE, &holder, 1000)).await? {
            let Checkpoint { n, from, upto, depth, model, .. } = found.checkpoint;
            let text = found.text.unwrap_or_default();
            self.line(1, format!("folded {n}: {from} to {upto}, depth {depth}, {model}: {text}"));
        }
        Ok(())
    }

    /// What no view shows: links, receipts, audit lines.
    async fn rest(&mut self, world: &World) -> anyhow::Result<()> {
        let dump = Dump::of(&world.store).await?;
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for link in rows(&dump, Db::Journal, "linked_entries") {
            let gone =
                if field(link, "deleted_at") == Some(&Value::Null) { "" } else { " (deleted)" };
            *kinds.entry(format!("task links {}{gone}", text(link, "type"))).or_default() += 1;
        }
        for link in rows(&dump, Db::Agent, "agent_links") {
            let dead =
                if field(link, "deleted_at") == Some(&Value::Null) { "" } else { " (deleted)" };
            *kinds.entry(format!("links {}{dead}", text(link, "type"))).or_default() += 1;
        }
        for db in Db::ALL {
            let receipts = rows(&dump, db, "applied_operations").count();
            kinds.insert(format!("receipts {}", db.name()), receipts);
            for line in rows(&dump, db, "audit_log") {
                *kinds.entry(format!("audit {}", text(line, "action"))).or_default() += 1;
            }
        }
        for (kind, count) in kinds {
            self.line(0, format!("{kind}: {count}"));
        }
        Ok(())
    }
}

/// What may never be so of spending: accounts that say something else than the calls, and more calls
/// whose cost nobody knows than there were crashes.
fn spend(dump: &Dump, crashes: u64) -> Vec<String> {
    let mut wrong = Vec::new();
    let calls = || rows(dump, Db::Agent, "model_calls");
    let open = calls().filter(|call| text(call, "status") == "reserved").count();
    if u64::try_from(open).unwrap_or(u64::MAX) > crashes {
        wrong.push(format!("{open} calls have no cost after {crashes} crashes"));
    }
    let cost = |call: &&Fields| number(call, "cost").or_else(|| number(call, "reserved"));
    for account in rows(dump, Db::Agent, "spend") {
        let scope = text(account, "scope");
        let is_own = |call: &&Fields| scope == "workspace" || text(call, "holder") == scope;
        let called: i64 = calls().filter(is_own).filter_map(|call| cost(&call)).sum();
        let held = ["reserved", "spent"].map(|column| number(account, column).unwrap_or(0));
        if held.iter().sum::<i64>() != called {
            wrong.push(format!("{scope} holds {held:?}, its calls come to {called}"));
        }
    }
    wrong
}

fn number(fields: &Fields, name: &str) -> Option<i64> {
    match field(fields, name) {
        Some(Value::Int(number)) => Some(*number),
        Some(_) | None => None,
    }
}

/// The log lines of an agent.
pub async fn log(store: &Store, agent: &AgentId) -> anyhow::Result<Vec<String>> {
    let lines = store.all(log_line::of_holder(WORKSPACE, agent, 1, i64::MAX)).await?;
    Ok(lines.into_iter().map(|line| line.text.unwrap_or_else(|| "[purged]".into())).collect())
}

fn rows<'d>(dump: &'d Dump, db: Db, table: &'static str) -> impl Iterator<Item = &'d Fields> {
    dump.tables.get(&(db, table)).into_iter().flatten()
}

fn field<'f>(fields: &'f Fields, name: &str) -> Option<&'f Value> {
    fields.iter().find(|(column, _)| column == name).map(|(_, value)| value)
}

fn text<'f>(fields: &'f Fields, name: &str) -> &'f str {
    match field(fields, name) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}
