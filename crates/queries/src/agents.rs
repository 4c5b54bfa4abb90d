//! Agents: one of them, and finding them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use dormouse_agents::wake::policy::is_automatic;
use dormouse_journal::JournalError;
use dormouse_store::agent::agent_entity::{self, AgentPlace, DormantReason, Lifecycle, State};
use dormouse_store::agent::entity::{self, Line, Stored};
use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::wake_queue;
use dormouse_store::{Query, ReadError, in_list};
use dormouse_types::agent::PutOff;
use dormouse_types::closed_list::Listed;
use dormouse_types::{AgentId, TaskId, Timestamp, WorkspaceId};

use crate::agent_state::changed_since;
use crate::scheduled::{self, AgentFacts, put_off};
use crate::view::{Agent, Page, Slots};
use crate::{Queries, QueryError, page};

/// The fewest final characters of an id that identify something.
pub(crate) const SHORT_ID: usize = 5;

impl Queries {
    /// An agent.
    pub async fn agent(&self, ws: WorkspaceId, id: &AgentId) -> Result<Agent, QueryError> {
        let agent = self.agents.agent(ws, id).await?;
        self.agent_view(ws, agent).await
    }

    /// A page of the agents found by an id or its end, a name, or words of the task's title, newest first.
    ///
    /// Errors: a cursor of another list.
    pub async fn find_agents(
        &self,
        ws: WorkspaceId,
        text: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Agent>, QueryError> {
        let (at, id) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return Ok(page::page_of(Vec::new(), limit, |_: &Agent| String::new()));
        }
        let place = (at, id.as_str());
        // A damaged agent is reported when requested by its full id; it does not hide others.
        let found = match self.of_ending(ws, &text, place).await? {
            Some(found) => found,
            None => match self.of_name(ws, &text, place, limit).await? {
                Some(found) => found,
                None => self.about_tasks(ws, &text, place, limit).await?,
            },
        };
        let cut = page::page_of(found, limit, |agent| {
            page::cursor_of(agent.doc.value.created_at, &agent.doc.value.id)
        });
        let items = self.agent_views(ws, cut.items, &mut Vec::new()).await?;
        Ok(Page { items, next_cursor: cut.next_cursor, damaged: Vec::new() })
    }

    /// The agents whose id ends like this, after a place; `None` if there are none at all.
    async fn of_ending(
        &self,
        ws: WorkspaceId,
        text: &str,
        place: (Timestamp, &str),
    ) -> Result<Option<Vec<Stored<agent_entity::Agent>>>, QueryError> {
        if text.len() < SHORT_ID {
            return Ok(None);
        }
        let mut found = self.read_each(entity::by_ending(ws, text)).await?;
        if found.is_empty() {
            return Ok(None);
        }
        let live =
            |agent: &Stored<agent_entity::Agent>| agent.doc.value.lifecycle != Lifecycle::Destroyed;
        if found.iter().any(live) {
            found.retain(live);
        }
        let place_of = |agent: &Stored<agent_entity::Agent>| {
            (agent.doc.value.created_at, agent.doc.value.id.to_string())
        };
        found.sort_by_cached_key(|agent| Reverse(place_of(agent)));
        found.retain(|agent| place_of(agent) < (place.0, place.1.to_owned()));
        Ok(Some(found))
    }

    /// The agents of a name, as many as a page needs after a place; `None` if there are none at all. Destroyed
    /// ones are found only if no live one has the name.
    async fn of_name(
        &self,
        ws: WorkspaceId,
        name: &str,
        place: (Timestamp, &str),
        limit: usize,
    ) -> Result<Option<Vec<Stored<agent_entity::Agent>>>, QueryError> {
        let has_name = |line: &Line<agent_entity::Agent>| {
            line.row.as_ref().is_ok_and(|row| row.doc.value.display_name.to_lowercase() == name)
        };
        for is_live in [true, false] {
            let query = |place: (Timestamp, &str), limit| {
                agent_entity::page_of_name(ws, name, is_live, place, limit)
            };
            let lines = self.sifted(place, limit, query, has_name).await?;
            // A cursor may be after the last of them.
            if !lines.is_empty()
                || !self.sifted((page::LATEST, "~"), 0, query, has_name).await?.is_empty()
            {
                return Ok(Some(lines.into_iter().filter_map(|line| line.row.ok()).collect()));
            }
        }
        Ok(None)
    }

    /// The agents of the tasks that a text names, as many as a page needs after a place. Destroyed ones are
    /// found only if no live one is.
    async fn about_tasks(
        &self,
        ws: WorkspaceId,
        text: &str,
        place: (Timestamp, &str),
        limit: usize,
    ) -> Result<Vec<Stored<agent_entity::Agent>>, QueryError> {
        let mut places: BTreeSet<AgentPlace> = BTreeSet::new();
        for some in self.journal.find_ids(ws, text).await?.chunks(in_list::MOST) {
            places.extend(self.store.all(agent_entity::places_of_tasks(ws, some)).await?);
        }
        if places.iter().any(|one| one.is_live) {
            places.retain(|one| one.is_live);
        }
        let lines = self.of_places(ws, places, place, limit, |line| line.row.is_ok()).await?;
        Ok(lines.into_iter().filter_map(|line| line.row.ok()).collect())
    }

    /// Reads the rows of a query that can be read.
    async fn read_each(
        &self,
        query: Query<Stored<agent_entity::Agent>>,
    ) -> Result<Vec<Stored<agent_entity::Agent>>, QueryError> {
        Ok(self.store.each(query).await?.into_iter().flatten().collect())
    }

    /// The live agent of a task.
    pub async fn agent_of_task(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<Option<Agent>, QueryError> {
        self.journal.task(ws, task).await?;
        match self.agents.of_task(ws, task).await? {
            Some(agent) => self.agent_view(ws, agent).await.map(Some),
            None => Ok(None),
        }
    }

    /// An agent that was read or just written, as it is shown.
    pub async fn agent_view(
        &self,
        ws: WorkspaceId,
        stored: Stored<agent_entity::Agent>,
    ) -> Result<Agent, QueryError> {
        let id = &stored.doc.value.id;
        let state: State = self.agents.state(ws, id).await?.value;
        let row = self.store.first(wake_queue::of_holder(ws, id)).await?;
        let row = row.as_ref();
        let task_title = match &state.slots.active_task_id {
            None => None,
            Some(task) => match self.journal.task(ws, task).await {
                Ok(view) => Some(view.task.value.title.clone()),
                Err(
                    JournalError::NoTask { .. } | JournalError::Read(ReadError::Corrupt { .. }),
                ) => None,
                Err(error) => return Err(error.into()),
            },
        };
        let timers = self.store.all(timer::of_holders(ws, std::slice::from_ref(id))).await?;
        // A damaged timer is reported where timers are listed.
        let timers: Vec<Timer> = timers.into_iter().flatten().collect();
        let since = self.awake_since(ws, row.into_iter()).await?.remove(id);
        Ok(self.agent_as(stored, state, row, &timers, task_title, since))
    }

    /// Builds the view of an agent.
    pub(crate) fn agent_as(
        &self,
        stored: Stored<agent_entity::Agent>,
        state: State,
        row: Option<&wake_queue::QueueEntry>,
        timers: &[Timer],
        task_title: Option<String>,
        awake_since: Option<Timestamp>,
    ) -> Agent {
        let agent = stored.doc.value;
        let model = self.model_of(&agent);
        let automatic = is_automatic(&agent, model.class());
        let now = self.clock.now();
        let known = AgentFacts { agent: &agent, automatic, state: &state, row, timers, now };
        let scheduled_wakes = scheduled::wakes(&known);
        let put_off = row.and_then(|row| put_off(row, now));
        let (lifecycle, dormant_reason) = effective(&agent, put_off.as_ref());
        Agent {
            automatic,
            id: agent.id,
            kind: agent.kind.clone(),
            display_name: agent.display_name,
            lifecycle,
            dormant_reason: dormant_reason.map(Listed::Known),
            own_model: agent.config.model.clone(),
            template_id: agent.config.template_id.clone(),
            put_off,
            mode: agent.mode.clone(),
            automation: agent.config.automation,
            allowed_category_ids: agent.allowed_category_ids,
            slots: Slots { active_task_id: state.slots.active_task_id },
            task_title,
            activity: self.activity_of(row, model.class()),
            awake_since,
            run_key: row.and_then(|row| row.run_key.clone()),
            due_at: row.and_then(|row| row.due_at),
            last_wake_at: state.last_wake_at,
            next_wake_at: scheduled::next(&scheduled_wakes),
            scheduled_wakes,
            consecutive_failure_count: state.consecutive_failure_count,
            revision: state.revision,
            processed_counter_by_host: state.processed_counter_by_host,
            stale_since: row.and_then(changed_since),
            sleep_until: self.sleeps_until(row),
            wake_on_linked: agent.config.wake_on_linked,
            model: model.name().to_owned(),
            reads_messages: model.reads_messages(),
            created_at: agent.created_at,
            destroyed_at: agent.destroyed_at,
            vector_clock: stored.columns.clock,
        }
    }
}

/// Where an agent is in its life, and why it is dormant. One whose budget of the day is used up is
/// dormant until the timer of its wake, which its row does not say: it ends by itself.
pub(crate) fn effective(
    agent: &agent_entity::Agent,
    put_off: Option<&Listed<PutOff>>,
) -> (Lifecycle, Option<DormantReason>) {
    let is_over = put_off.is_some_and(|why| *why == PutOff::AgentBudget);
    match agent.lifecycle {
        Lifecycle::Created | Lifecycle::Active if is_over => {
            (Lifecycle::Dormant, Some(DormantReason::Budget))
        }
        Lifecycle::Created | Lifecycle::Active | Lifecycle::Dormant | Lifecycle::Destroyed => {
            (agent.lifecycle, agent.dormant_reason)
        }
    }
}
