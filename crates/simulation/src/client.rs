//! The people of a play: they write, decide, pause, cancel, and ask again when nobody answers.

use std::sync::Arc;
use std::time::Duration;

use dormouse::{
    AgentPatch, Caller, Error, ImportAgents, ImportFile, ImportOptions, ItemPatch, NewEntry,
    NewTask, Shown, TaskPatch, Verdict, VerdictOf, WORKSPACE,
};
use dormouse_agents::lifecycle::RequestContext;
use dormouse_agents::wake::cancel::Cancelled;
use dormouse_store::Db;
use dormouse_types::agent::{Automation, ItemStatus};
use dormouse_types::port::{BoxFuture, Clock as _, ModelClass};
use dormouse_types::task::{LinkKind, Priority};
use dormouse_types::{Actor, AgentId, ChangeSetId, Id as _, ItemId, RunKey, TaskId};
use futures_util::future::{Either, select};
use tokio::sync::oneshot;

use crate::locks::lock;
use crate::process::NodeAccess;
use crate::sim_state::SimState;
use crate::{heard, oracle, process_life};

/// How often a person asks the same before they give up.
const PATIENCE: usize = 4;

/// A person.
pub(crate) struct Client {
    pub(crate) sim: Arc<SimState>,
    pub(crate) name: &'static str,
    /// Their requests so far.
    count: u64,
}

fn me() -> Caller {
    Caller::owner(WORKSPACE)
}

pub(crate) type Reply<T> = BoxFuture<'static, Result<T, Error>>;

impl Client {
    pub(crate) fn new(sim: &Arc<SimState>, name: &'static str) -> Self {
        sim.come();
        Self { sim: sim.clone(), name, count: 0 }
    }

    /// Lives through so many acts.
    pub(crate) async fn live(mut self, acts: u64) {
        self.arrive().await;
        for _ in 0..acts {
            let (kind, within) = self.sim.draw(|chance| (chance.below(16), chance.below(1000)));
            let millis = match kind {
                0..9 => within * 3,
                9..14 => within * 30,
                _ => within * 200,
            };
            self.sim.wait(Duration::from_millis(millis)).await;
            self.act().await;
        }
        self.sim.leave();
    }

    /// Makes the first tasks, each with an agent.
    async fn arrive(&mut self) {
        for _ in 0..=self.sim.draw(|chance| chance.below(2)) {
            self.make_task().await;
        }
    }

    pub(crate) fn fresh(&mut self) -> String {
        self.count += 1;
        format!("{}{}", self.name, self.count)
    }

    /// Asks a node for something, and another one when no answer comes. Returns the answer, if
    /// anything was.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        what: &str,
        make: impl Fn(NodeAccess, String) -> Reply<T>,
        key: &str,
    ) -> Option<Result<T, Error>> {
        let sim = &self.sim;
        for attempt in 0..PATIENCE {
            if attempt > 0 {
                let pause = sim.draw(|chance| chance.below(6));
                sim.wait(Duration::from_secs(pause)).await;
            }
            let Some(place) = process_life::any(sim) else { continue };
            let access = lock(&sim.nodes)[place].access.clone();
            let (sender, answer) = oneshot::channel();
            let (group, reply) = (access.group, make(access, key.to_owned()));
            sim.spawn(group, format!("{} {what}", self.name), async move {
                // The person may have given up.
                let _ = sender.send(reply.await);
            });
            let longest = 5 + sim.draw(|chance| chance.below(60));
            let patience = Box::pin(sim.wait(Duration::from_secs(longest)));
            match select(answer, patience).await {
                Either::Left((Ok(Ok(answer)), _)) => {
                    sim.trace(format_args!("{} {what}: done", self.name));
                    return Some(Ok(answer));
                }
                Either::Left((Ok(Err(error)), _)) => {
                    sim.trace(format_args!("{} {what}: {error}", self.name));
                    if error.problem().retry != dormouse::Retry::Later {
                        return Some(Err(error));
                    }
                }
                Either::Left((Err(_), _)) | Either::Right(_) => {
                    sim.trace(format_args!("{} {what}: no answer", self.name));
                }
            }
        }
        None
    }

    async fn make_task(&mut self) {
        let name = self.fresh();
        let (title, note) = (format!("task {name}"), format!("note {name} of the first day"));
        let new = NewTask {
            title,
            note: Some(note.clone()),
            items: vec![format!("chore {name}")],
            labels: vec!["home".into()],
            ..NewTask::default()
        };
        let make = |access: NodeAccess, key| -> Reply<TaskId> {
            let new = new.clone();
            Box::pin(
                async move { Ok(access.dormouse.create_task(&me(), new, Some(key)).await?.id) },
            )
        };
        let Some(Ok(task)) = self.ask("makes a task", make, &name).await else { return };
        oracle::note_written(&self.sim, "entry", &note);
        self.make_agent(task).await;
    }

    async fn make_agent(&mut self, task: TaskId) {
        let key = self.fresh();
        let make = |access: NodeAccess, key| -> Reply<AgentId> {
            let task = task.clone();
            Box::pin(async move {
                Ok(access.dormouse.create_agent(&me(), &task, None, Some(key)).await?.id)
            })
        };
        self.ask("makes an agent", make, &key).await;
    }

    /// A note on a task, which must wake its agent.
    pub(crate) async fn note(&mut self, task: TaskId) {
        let name = self.fresh();
        // Some are so long that a few of them fill what a window leaves to a log.
        let n_more = if self.sim.draw(|chance| chance.one_in(2)) { 0 } else { 150 };
        let text = format!("note {name} by the person{}", ", and so on".repeat(n_more));
        let new = NewEntry { text: text.clone(), ..NewEntry::default() };
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (task, new) = (task.clone(), new.clone());
            Box::pin(async move {
                access.dormouse.add_entry(&me(), &task, new, Some(key)).await.map(drop)
            })
        };
        if let Some(Ok(())) = self.ask("writes a note", make, &name).await {
            oracle::note_written(&self.sim, "entry", &text);
        }
    }

    async fn act(&mut self) {
        let tasks = tasks(&self.sim);
        let agents = agents(&self.sim);
        let task = self.sim.draw(|chance| chance.pick(&tasks).cloned());
        let agent = self.sim.draw(|chance| chance.pick(&agents).cloned());
        if self.sim.terms.class() == ModelClass::Paid && self.sim.draw(|chance| chance.one_in(6)) {
            return self.see_to_money(agent).await;
        }
        let which = self.sim.draw(|chance| chance.below(48));
        match (task, agent, which) {
            (Some(task), _, 0..10) => self.note(task).await,
            (Some(task), _, 10..12) => self.item(task).await,
            (Some(task), _, 12..14) => self.tick(task).await,
            (Some(task), _, 14..17) => self.edit(task).await,
            (Some(task), _, 17) => self.link(task, &tasks).await,
            (_, _, 18) if tasks.len() < 6 => self.import().await,
            (_, _, 19) if tasks.len() < 6 => self.make_task().await,
            (Some(task), _, 20) => self.make_agent(task).await,
            (Some(task), _, 21) => self.delete(task, true).await,
            (Some(task), _, 22 | 23) => self.delete(task, false).await,
            (_, Some(agent), 24) => self.say(agent).await,
            (_, Some(agent), 25) => self.wake(agent).await,
            (_, Some(agent), 26 | 27) => self.rest(agent, Rest::Pause).await,
            (_, Some(agent), 28..31) => self.rest(agent, Rest::Resume).await,
            (_, Some(agent), 31) if agents.len() > 1 => self.rest(agent, Rest::Destroy).await,
            (_, Some(agent), 32) => self.automation(agent).await,
            (_, Some(agent), 33) => self.later(agent, true).await,
            (_, Some(agent), 34) => self.later(agent, false).await,
            (_, Some(agent), 35) => self.cancel(agent).await,
            (_, Some(agent), 36 | 37) => self.say(agent).await,
            (_, _, 38..46) => self.decide().await,
            _ => self.decide_all().await,
        }
    }

    async fn item(&mut self, task: TaskId) {
        let name = self.fresh();
        let title = format!("chore {name} of the person");
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (task, title) = (task.clone(), title.clone());
            Box::pin(async move {
                access.dormouse.add_item(&me(), &task, title, Some(key)).await.map(drop)
            })
        };
        if let Some(Ok(())) = self.ask("adds an item", make, &name).await {
            oracle::note_written(&self.sim, "item", &title);
        }
    }

    async fn tick(&mut self, task: TaskId) {
        let sql = "SELECT id FROM journal WHERE ws = 1 AND task_id = ?1 AND type = 'checklistItem'
                   ORDER BY id";
        let rows = self.sim.rows(Db::Journal, sql, vec![task.to_string().into()]);
        let items: Vec<ItemId> =
            rows.iter().filter_map(|row| row.text(0).ok()?.parse().ok()).collect();
        let Some(item) = self.sim.draw(|chance| chance.pick(&items).cloned()) else { return };
        let (key, on) = (self.fresh(), self.sim.draw(|chance| chance.one_in(2)));
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (task, item) = (task.clone(), item.clone());
            let patch = ItemPatch { is_checked: Some(on), ..ItemPatch::default() };
            Box::pin(async move {
                access.dormouse.edit_item(&me(), &task, &item, patch, Some(key)).await.map(drop)
            })
        };
        self.ask("ticks an item", make, &key).await;
    }

    async fn edit(&mut self, task: TaskId) {
        let name = self.fresh();
        let title = format!("title {name} of the person");
        let (kind, day) = self.sim.draw(|chance| (chance.below(4), chance.below(28)));
        let mut patch = TaskPatch::default();
        match kind {
            0 => patch.title = Some(title.clone()),
            1 => patch.priority = Some(Some(Priority::P1)),
            2 => patch.estimate_minutes = Some(Some(30)),
            _ => {
                let day = i8::try_from(1 + day).unwrap_or(1);
                patch.due_on = Some(Some(jiff::civil::date(2026, 3, day)));
            }
        }
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (task, patch) = (task.clone(), patch.clone());
            Box::pin(async move {
                access.dormouse.edit_task(&me(), &task, patch, None, Some(key)).await.map(drop)
            })
        };
        if let (Some(Ok(())), 0) = (self.ask("edits a task", make, &name).await, kind) {
            oracle::note_written(&self.sim, "title", &title);
        }
    }

    /// Links a task to another, so that what happens to the one is near the other.
    async fn link(&mut self, task: TaskId, tasks: &[TaskId]) {
        let kinds = LinkKind::ALL;
        let (to, kind) =
            self.sim.draw(|chance| (chance.pick(tasks).cloned(), chance.pick(kinds).copied()));
        let (Some(to), Some(kind)) = (to, kind) else { return };
        let key = self.fresh();
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (task, to) = (task.clone(), to.clone());
            Box::pin(async move {
                access.dormouse.link_task(&me(), &task, (kind, to), None, Some(key)).await.map(drop)
            })
        };
        self.ask("links a task", make, &key).await;
    }

    async fn import(&mut self) {
        let name = self.fresh();
        let file = format!("{name}.md");
        let text =
            format!("# imported {name}\n\nThe text of {name}.\n\n- [ ] chore {name} from a file\n");
        let make = |access: NodeAccess, _key| -> Reply<()> {
            let (file, text) = (file.clone(), text.clone());
            Box::pin(async move {
                let options =
                    ImportOptions { agents: ImportAgents::All, ..ImportOptions::default() };
                let mut hear = |_| {};
                let file = ImportFile::new(file, text.as_bytes());
                access.dormouse.import(&me(), &file, &options, &mut hear).await
            })
        };
        if let Some(Ok(())) = self.ask("imports a file", make, &name).await {
            oracle::note_written(&self.sim, "item", &format!("chore {name} from a file"));
        }
    }

    async fn delete(&mut self, task: TaskId, away: bool) {
        let key = self.fresh();
        let make = |access: NodeAccess, key| -> Reply<()> {
            let task = task.clone();
            Box::pin(async move {
                let dormouse = access.dormouse;
                let answer = if away {
                    dormouse.delete_task(&me(), &task, Some(key)).await
                } else {
                    dormouse.restore_task(&me(), &task, Some(key)).await
                };
                answer.map(drop)
            })
        };
        self.ask(if away { "deletes a task" } else { "restores a task" }, make, &key).await;
    }

    async fn wake(&mut self, agent: AgentId) {
        let key = self.fresh();
        let make = |access: NodeAccess, key: String| -> Reply<()> {
            let agent = agent.clone();
            Box::pin(async move {
                access.dormouse.reanalyse_agent(&me(), &agent, Some(key)).await.map(drop)
            })
        };
        self.ask("wakes an agent", make, &key).await;
    }

    /// Says something to an agent, and often something more before it can have heard.
    async fn say(&mut self, agent: AgentId) {
        for _ in 0..=self.sim.draw(|chance| chance.below(3)) {
            let key = self.fresh();
            let words = format!("words {key}");
            let make = |access: NodeAccess, key: String| -> Reply<()> {
                let (agent, words) = (agent.clone(), Some(words.clone()));
                Box::pin(async move {
                    access.dormouse.wake_agent(&me(), &agent, words, Some(key)).await.map(drop)
                })
            };
            match self.ask("speaks to an agent", make, &key).await {
                Some(Ok(())) => heard::acknowledged(&self.sim, agent.as_str(), &words),
                Some(Err(_)) | None => return,
            }
        }
    }

    /// Pauses, resumes or destroys an agent.
    pub(crate) async fn rest(&mut self, agent: AgentId, rest: Rest) {
        let key = self.fresh();
        let make = |access: NodeAccess, key| -> Reply<()> {
            let agent = agent.clone();
            Box::pin(async move {
                let dormouse = access.dormouse;
                let answer = match rest {
                    Rest::Pause => dormouse.pause_agent(&me(), &agent, Some(key)).await,
                    Rest::Resume => dormouse.resume_agent(&me(), &agent, Some(key)).await,
                    Rest::Destroy => {
                        let stopped = dormouse.destroy_agent(&me(), &agent, Some(key)).await;
                        stopped.map(|stopped| stopped.agent)
                    }
                };
                answer.map(drop)
            })
        };
        let what = match rest {
            Rest::Pause => "pauses an agent",
            Rest::Resume => "resumes an agent",
            Rest::Destroy => "destroys an agent",
        };
        let answer = self.ask(what, make, &key).await;
        if let (Some(Ok(())), Rest::Pause | Rest::Destroy) = (answer, rest) {
            self.sim.count(what);
            oracle::note_held(&self.sim, agent.to_string().as_str());
        }
    }

    pub(crate) async fn automation(&mut self, agent: AgentId) {
        let key = self.fresh();
        let to = self.sim.draw(|chance| {
            chance.pick(&[Automation::Off, Automation::On, Automation::Auto]).copied()
        });
        let to = to.unwrap_or_default();
        let make = |access: NodeAccess, key| -> Reply<()> {
            let agent = agent.clone();
            Box::pin(async move {
                let patch = AgentPatch { automation: Some(to), ..AgentPatch::default() };
                access.dormouse.edit_agent(&me(), &agent, patch, Some(key)).await.map(drop)
            })
        };
        self.ask("sets an automation", make, &key).await;
    }

    /// Sets a time to wake at, or a time to sleep until.
    async fn later(&mut self, agent: AgentId, wakes: bool) {
        let key = self.fresh();
        let within = self.sim.draw(|chance| chance.below(3 * 3600));
        let at = self.sim.clock.now() + Duration::from_secs(within);
        let at = (!self.sim.draw(|chance| chance.one_in(5))).then_some(at);
        let make = |access: NodeAccess, key| -> Reply<()> {
            let agent = agent.clone();
            Box::pin(async move {
                let context = RequestContext { actor: Actor::Owner, key: Some(key) };
                let agents = access.agents;
                let answer = if wakes {
                    agents.wake_at(WORKSPACE, &agent, at, &context).await
                } else {
                    agents.sleep_until(WORKSPACE, &agent, at, &context).await
                };
                answer.map(drop).map_err(Error::from)
            })
        };
        self.ask(if wakes { "sets a timer" } else { "wants quiet" }, make, &key).await;
    }

    async fn cancel(&mut self, agent: AgentId) {
        let key = self.fresh();
        let sql = "SELECT run_key FROM wake_queue
                   WHERE ws = 1 AND agent_id = ?1 AND owner IS NOT NULL AND run_key IS NOT NULL";
        let rows = self.sim.rows(Db::Agent, sql, vec![agent.to_string().into()]);
        let running = rows.first().and_then(|row| row.text(0).ok()).map(ToOwned::to_owned);
        if let Some(run) = running.map(RunKey) {
            return self.cancel_run(agent, run, &key).await;
        }
        let make = |access: NodeAccess, key| -> Reply<Cancelled> {
            let agent = agent.clone();
            Box::pin(async move {
                let context = RequestContext { actor: Actor::Owner, key: Some(key) };
                access.agents.cancel(WORKSPACE, &agent, &context).await.map_err(Error::from)
            })
        };
        if let Some(Ok(cancelled)) = self.ask("cancels a wake", make, &key).await
            && cancelled.is_done
        {
            self.sim.count("cancelled wake");
            let words = cancelled.unheard.into_iter().filter_map(|words| words.text);
            heard::named(&self.sim, agent.as_str(), words.collect());
        }
    }

    async fn cancel_run(&mut self, agent: AgentId, run: RunKey, key: &str) {
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (agent, run) = (agent.clone(), run.clone());
            Box::pin(async move {
                let context = RequestContext { actor: Actor::Owner, key: Some(key) };
                let cancelled = access.agents.cancel_run(WORKSPACE, &agent, &run, &context).await;
                cancelled.map_err(Error::from)
            })
        };
        if let Some(Ok(())) = self.ask("cancels a run", make, key).await {
            self.sim.count("cancelled run");
        }
    }

    async fn decide(&mut self) {
        let sql = "SELECT set_id, item_index, fingerprint FROM change_items WHERE ws = 1
                   ORDER BY is_open DESC, created_at DESC, set_id, item_index LIMIT 12";
        let rows = self.sim.rows(Db::Agent, sql, Vec::new());
        let items: Vec<(ChangeSetId, i64, String)> = rows
            .iter()
            .filter_map(|row| {
                let set = row.text(0).ok()?.parse().ok()?;
                Some((set, row.int(1).ok()?, row.text(2).ok()?.to_owned()))
            })
            .collect();
        let Some((set, index, digest)) = self.sim.draw(|chance| chance.pick(&items).cloned())
        else {
            return;
        };
        use Verdict::{Confirm, Defer, Reject, Undo};
        let verdicts = [Confirm, Confirm, Confirm, Confirm, Reject, Defer, Undo, Undo];
        let verdict = self.sim.draw(|chance| chance.pick(&verdicts).copied()).unwrap_or(Confirm);
        let key = self.fresh();
        let make = |access: NodeAccess, key| -> Reply<ItemStatus> {
            let (set, digest) = (set.clone(), Some(digest.clone()));
            let wanted =
                VerdictOf { task: None, set, index, verdict, digest, reason: None, over: None };
            Box::pin(async move {
                let decided = access.dormouse.decide_item(&me(), wanted, Some(key)).await?;
                Ok(decided.item.status)
            })
        };
        let what = format!("decides {verdict:?} on {}:{index}", &set.to_string()[24..]);
        if let Some(Ok(status)) = self.ask(&what, make, &key).await {
            self.sim.count(&format!("answered {status}"));
        }
    }

    async fn decide_all(&mut self) {
        let sql = "SELECT DISTINCT set_id FROM change_items WHERE ws = 1 AND is_open = 1
                   ORDER BY set_id";
        let rows = self.sim.rows(Db::Agent, sql, Vec::new());
        let sets: Vec<ChangeSetId> =
            rows.iter().filter_map(|row| row.text(0).ok()?.parse().ok()).collect();
        let Some(set) = self.sim.draw(|chance| chance.pick(&sets).cloned()) else { return };
        let (key, all) = (self.fresh(), self.sim.draw(|chance| chance.one_in(3)));
        let sql = "SELECT item_index, fingerprint FROM change_items
                   WHERE ws = 1 AND set_id = ?1 AND state = 'pending' ORDER BY item_index LIMIT 10";
        let rows = self.sim.rows(Db::Agent, sql, vec![set.to_string().as_str().into()]);
        let shown: Vec<Shown> = rows
            .iter()
            .filter_map(|row| {
                Some(Shown { index: row.int(0).ok()?, digest: row.text(1).ok()?.to_owned() })
            })
            .collect();
        let make = |access: NodeAccess, key| -> Reply<()> {
            let (set, shown) = (set.clone(), shown.clone());
            Box::pin(async move {
                let dormouse = access.dormouse;
                if all {
                    dormouse.dismiss(&me(), &set, Some(key)).await.map(drop)
                } else {
                    let answer = dormouse.confirm_all(&me(), &set, shown, Some(key)).await?;
                    let mut failed = answer.into_iter().filter_map(|(_, one)| one.err());
                    let later =
                        failed.find(|error| error.problem().retry == dormouse::Retry::Later);
                    later.map_or(Ok(()), Err)
                }
            })
        };
        self.ask(if all { "puts all off" } else { "confirms all" }, make, &key).await;
    }
}

/// What a person does to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    Pause,
    Resume,
    Destroy,
}

/// Every task, deleted ones included.
pub(crate) fn tasks(sim: &SimState) -> Vec<TaskId> {
    let sql = "SELECT id FROM journal WHERE ws = 1 AND type = 'task' ORDER BY id";
    let rows = sim.rows(Db::Journal, sql, Vec::new());
    rows.iter().filter_map(|row| row.text(0).ok()?.parse().ok()).collect()
}

/// Every agent that was not destroyed.
pub(crate) fn agents(sim: &SimState) -> Vec<AgentId> {
    let sql = "SELECT agent_id FROM subscriptions WHERE ws = 1 ORDER BY agent_id";
    let rows = sim.rows(Db::Agent, sql, Vec::new());
    rows.iter().filter_map(|row| row.text(0).ok()?.parse().ok()).collect()
}
