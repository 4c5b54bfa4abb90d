//! Lists agents. A page always costs the same number of queries.

use std::collections::{BTreeSet, HashMap};

use dormouse_store::agent::agent_entity::{self, Agent as Stored, AgentPlace, State};
use dormouse_store::agent::entity::{self, Line};
use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::wake_queue::{self, QueueEntry};
use dormouse_store::journal::task_list;
use dormouse_store::{Query, in_list};
use dormouse_types::agent::{AgentActivity, Lifecycle, PutOff};
use dormouse_types::closed_list::Listed;
use dormouse_types::{AgentId, HolderId, Id as _, TaskId, Timestamp, WorkspaceId};

use crate::agents::effective;
use crate::scheduled::put_off;
use crate::view::{Agent, Page};
use crate::{Queries, QueryError, page};

/// Which agents a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFilter {
    /// Of this lifecycle.
    pub lifecycle: Option<Lifecycle>,
    /// Doing any of these, if any is named.
    pub activities: Vec<AgentActivity>,
}

impl Queries {
    /// A page of all agents, including destroyed ones, newest first.
    ///
    /// Errors: a cursor of another list.
    pub async fn agents(
        &self,
        ws: WorkspaceId,
        filter: &AgentFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Agent>, QueryError> {
        if let Some(lifecycle) = filter.lifecycle.filter(|_| filter.activities.is_empty()) {
            return self.agents_of_lifecycle(ws, lifecycle, limit, cursor).await;
        }
        let (lifecycle, activities) = (filter.lifecycle, &filter.activities);
        let (at, id) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let up = if activities.is_empty() { HashMap::new() } else { self.up(ws).await? };
        let does = |agent: &AgentId| up.get(agent).copied().unwrap_or(AgentActivity::Asleep);
        let is_doing = |agent: &AgentId| activities.is_empty() || activities.contains(&does(agent));
        // The active agents are known by id, so the others need not be read.
        let few: Option<Vec<&AgentId>> = (!activities.is_empty()
            && !activities.contains(&AgentActivity::Asleep))
        .then(|| up.keys().filter(|agent| is_doing(agent)).collect());
        let place = (at, id.as_str());
        let held = if lifecycle.is_some() { self.put_off(ws).await? } else { HashMap::new() };
        let is_wanted = |line: &Line<Stored>| match &line.row {
            Ok(agent) => {
                let agent = &agent.doc.value;
                let (life, _) = effective(agent, held.get(&agent.id));
                lifecycle.is_none_or(|wanted| life == wanted) && is_doing(&agent.id)
            }
            // Its activity is unknown, so report it only in unfiltered lists.
            Err(_) => lifecycle.is_none() && activities.is_empty(),
        };
        let wanted: Vec<Line<Stored>> = match few {
            Some(few) => {
                let mut places = BTreeSet::new();
                for some in few.chunks(in_list::MOST) {
                    places.extend(self.store.all(agent_entity::places(ws, some)).await?);
                }
                self.of_places(ws, places, place, limit, is_wanted).await?
            }
            None => {
                let query =
                    |place: (Timestamp, &str), n| entity::page_of_kind::<Stored>(ws, place, n);
                self.sifted(place, limit, query, is_wanted).await?
            }
        };
        self.page_of_lines(ws, wanted, limit).await
    }

    /// A page of the agents of a lifecycle, newest first. An agent whose budget is used up is dormant
    /// though its row does not say so: those few come from the queue.
    async fn agents_of_lifecycle(
        &self,
        ws: WorkspaceId,
        lifecycle: Lifecycle,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Agent>, QueryError> {
        let (at, id) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let place = (at, id.as_str());
        let mut held = self.put_off(ws).await?;
        held.retain(|_, why| *why == PutOff::AgentBudget);
        let is_wanted = |line: &Line<Stored>| {
            line.row.as_ref().is_ok_and(|agent| {
                let agent = &agent.doc.value;
                effective(agent, held.get(&agent.id)).0 == lifecycle
            })
        };
        let query =
            |place: (Timestamp, &str), n| agent_entity::page_of_lifecycle(ws, lifecycle, place, n);
        let mut wanted = self.sifted(place, limit, query, is_wanted).await?;
        if lifecycle == Lifecycle::Dormant {
            let ids: Vec<&AgentId> = held.keys().collect();
            for some in ids.chunks(in_list::MOST) {
                let some = entity::lines(entity::some::<Stored>(ws, some));
                let lines = self.store.all(some).await?.into_iter();
                wanted.extend(lines.filter(|line| {
                    let is_stored_so =
                        line.row.as_ref().is_ok_and(|agent| agent.doc.value.lifecycle == lifecycle);
                    is_wanted(line) && !is_stored_so && (line.created_at, &*line.id) < place
                }));
            }
        }
        self.page_of_lines(ws, newest_first(wanted, limit), limit).await
    }

    /// Reads the agents of some places, newest first after a place, until enough of them are wanted.
    pub(crate) async fn of_places(
        &self,
        ws: WorkspaceId,
        places: BTreeSet<AgentPlace>,
        after: (Timestamp, &str),
        limit: usize,
        is_wanted: impl Fn(&Line<Stored>) -> bool,
    ) -> Result<Vec<Line<Stored>>, QueryError> {
        let enough = limit.saturating_add(1);
        let rest = places.iter().rev().filter(|one| (one.created_at, one.id.as_str()) < after);
        let ids: Vec<&AgentId> = rest.map(|one| &one.id).collect();
        let mut wanted = Vec::new();
        for some in ids.chunks(enough.min(in_list::MOST)) {
            let lines = self.store.all(entity::lines(entity::some::<Stored>(ws, some))).await?;
            wanted.extend(newest_first(lines, limit).into_iter().filter(|line| is_wanted(line)));
            if wanted.len() >= enough {
                break;
            }
        }
        wanted.truncate(enough);
        Ok(wanted)
    }

    /// Reads pages of agents until enough of them are wanted, or none is left.
    pub(crate) async fn sifted(
        &self,
        (at, id): (Timestamp, &str),
        limit: usize,
        query: impl Fn((Timestamp, &str), i64) -> Query<Line<Stored>>,
        is_wanted: impl Fn(&Line<Stored>) -> bool,
    ) -> Result<Vec<Line<Stored>>, QueryError> {
        let enough = limit.saturating_add(1);
        let (mut wanted, mut place) = (Vec::new(), (at, id.to_owned()));
        loop {
            let lines =
                self.store.all(query((place.0, &place.1), page::rows_to_read(limit))).await?;
            let is_last = lines.len() < enough;
            if let Some(last) = lines.last() {
                place = (last.created_at, last.id.clone());
            }
            wanted.extend(lines.into_iter().filter(|line| is_wanted(line)));
            if is_last || wanted.len() >= enough {
                wanted.truncate(enough);
                return Ok(wanted);
            }
        }
    }

    /// The page of some lines: as many as its limit, and one more if another page follows.
    async fn page_of_lines(
        &self,
        ws: WorkspaceId,
        wanted: Vec<Line<Stored>>,
        limit: usize,
    ) -> Result<Page<Agent>, QueryError> {
        let cut = page::page_of(wanted, limit, |line| page::cursor_of(line.created_at, &line.id));
        let (mut rows, mut damaged) = (Vec::new(), Vec::new());
        for line in cut.items {
            match line.row {
                Ok(row) => rows.push(row),
                Err(error) => damaged.push(error.to_string()),
            }
        }
        let items = self.agent_views(ws, rows, &mut damaged).await?;
        Ok(Page { items, next_cursor: cut.next_cursor, damaged })
    }

    /// Why the wakes of agents are put off.
    async fn put_off(
        &self,
        ws: WorkspaceId,
    ) -> Result<HashMap<AgentId, Listed<PutOff>>, QueryError> {
        let now = self.clock.now();
        let rows = self.store.each(wake_queue::put_off(ws)).await?.into_iter().flatten();
        Ok(rows
            .filter_map(|row| Some(((&row.holder).try_into().ok()?, put_off(&row, now)?)))
            .collect())
    }

    /// The activity of all agents that are running or queued.
    async fn up(&self, ws: WorkspaceId) -> Result<HashMap<AgentId, AgentActivity>, QueryError> {
        let mut rows = self.store.each(wake_queue::waiting(ws)).await?;
        rows.extend(self.store.each(wake_queue::leased(ws)).await?);
        let rows = rows.into_iter().flatten();
        let rows = rows.filter_map(|row| Some((AgentId::try_from(&row.holder).ok()?, row)));
        let rows: Vec<(AgentId, QueueEntry)> = rows.collect();
        let ids: Vec<AgentId> = rows.iter().map(|(agent, _)| agent.clone()).collect();
        let models = self.agents.models_of(ws, &ids).await?;
        let does = rows.into_iter().filter_map(|(agent, row)| {
            let class = models.get(&agent)?.class();
            Some((agent, self.activity_of(Some(&row), class)))
        });
        Ok(does.filter(|(_, does)| *does != AgentActivity::Asleep).collect())
    }

    /// Builds the views of agents. One whose state cannot be read is listed as damaged.
    pub(crate) async fn agent_views(
        &self,
        ws: WorkspaceId,
        agents: Vec<entity::Stored<Stored>>,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<Agent>, QueryError> {
        let mut views = Vec::with_capacity(agents.len());
        let mut rest = agents.into_iter().peekable();
        while rest.peek().is_some() {
            let some: Vec<_> = rest.by_ref().take(in_list::MOST).collect();
            let ids: Vec<AgentId> = some.iter().map(|agent| agent.doc.value.id.clone()).collect();
            let mut states: HashMap<HolderId, State> = HashMap::new();
            for state in self.store.each(agent_entity::states(ws, &ids)).await? {
                match state {
                    Ok(state) => _ = states.insert(state.columns.holder, state.doc.value),
                    Err(error) => damaged.push(error.to_string()),
                }
            }
            let mut rows: HashMap<HolderId, QueueEntry> = HashMap::new();
            for row in self.store.each(wake_queue::of_holders(ws, &ids)).await? {
                match row {
                    Ok(row) => _ = rows.insert(row.holder.clone(), row),
                    Err(error) => damaged.push(error.to_string()),
                }
            }
            let mut timers: HashMap<HolderId, Vec<Timer>> = HashMap::new();
            for timer in self.store.all(timer::of_holders(ws, &ids)).await? {
                match timer {
                    Ok(timer) => timers.entry(timer.holder.clone()).or_default().push(timer),
                    Err(error) => damaged.push(error.to_string()),
                }
            }
            let since = self.awake_since(ws, rows.values()).await?;
            let slots = states.values().filter_map(|state| state.slots.active_task_id.as_ref());
            let tasks = slots.map(ToString::to_string).collect::<Vec<_>>();
            let titles = self.titles(ws, &tasks).await?;
            for agent in some {
                let id = &agent.doc.value.id;
                let holder = &HolderId::from(id);
                // An agent without a state was reported above, or never had one.
                let Some(state) = states.remove(holder) else { continue };
                let task = state.slots.active_task_id.as_ref();
                let title = task.and_then(|task| titles.get(task).cloned());
                let row = rows.get(holder);
                let since = since.get(id).copied();
                let timers = timers.remove(holder).unwrap_or_default();
                views.push(self.agent_as(agent, state, row, &timers, title, since));
            }
        }
        Ok(views)
    }

    /// The titles of at most a page of tasks; a task that is gone or damaged has none.
    pub(crate) async fn titles(
        &self,
        ws: WorkspaceId,
        tasks: &[String],
    ) -> Result<HashMap<TaskId, String>, QueryError> {
        let lines = self.store.all(task_list::some(ws, tasks)).await?;
        Ok(lines.into_iter().filter_map(task_list::title).collect())
    }

    /// The display names of at most a page of agents.
    pub(crate) async fn names(
        &self,
        ws: WorkspaceId,
        agents: &[AgentId],
    ) -> Result<HashMap<AgentId, String>, QueryError> {
        let agents = self.store.each(entity::some::<Stored>(ws, agents)).await?;
        let agents = agents.into_iter().flatten().map(|agent| agent.doc.value);
        Ok(agents.map(|agent| (agent.id, agent.display_name)).collect())
    }
}

/// Sorts lines, newest first, and keeps as many as a page needs.
fn newest_first(mut lines: Vec<Line<Stored>>, limit: usize) -> Vec<Line<Stored>> {
    lines.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    lines.truncate(limit.saturating_add(1));
    lines
}
