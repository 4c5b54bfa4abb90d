//! What decides when an agent runs: its row in the queue, what it watches, its timers, its links.

use dormouse_agents::wake::route::is_automatic;
use dormouse_store::agent::agent_entity::State;
use dormouse_store::agent::{link, subscription, timer, wake_queue};
use dormouse_types::{AgentId, Caller, Scope};

use crate::asked::require;
use crate::view::{AgentState, Lease, Link, Page, Subscription, SubscriptionFilter, Timer};
use crate::{Dormouse, Error, page};

impl Dormouse {
    /// Everything that decides when an agent runs next.
    pub async fn agent_state(&self, caller: &Caller, id: &AgentId) -> Result<AgentState, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        let state: State = self.agents.state(ws, id).await?.value;
        let row = self.store.first(wake_queue::of_agent(ws, id)).await?;
        let lease = row.as_ref().and_then(|row| {
            Some(Lease {
                owner: row.owner.clone()?,
                epoch: row.epoch,
                expires_at: row.expires_at,
                run_key: row.run_key.clone(),
            })
        });
        let reasons = row.iter().flat_map(|row| row.reasons.iter().rev());
        Ok(AgentState {
            agent_id: id.clone(),
            activity: activity(row.as_ref()).into(),
            reasons: reasons.map(|reason| reason.name().to_owned()).collect(),
            due_at: row.as_ref().and_then(|row| row.due_at),
            sleep_until: self.sleeps_until(row.as_ref()),
            changed_since: row.as_ref().and_then(changed_since),
            next_wake_at: state.next_wake_at,
            consecutive_failure_count: state.consecutive_failure_count,
            last_wake_at: state.last_wake_at,
            lease,
            epoch: row.as_ref().map_or(0, |row| row.epoch),
            crashes: row.as_ref().map_or(0, |row| row.crashes),
            revision: state.revision,
            active_task_id: state.slots.active_task_id,
            upto: row.as_ref().map_or(0, |row| row.upto.0),
            processed_counter_by_host: state.processed_counter_by_host,
            recent_head_message_id: state.recent_head_message_id,
        })
    }

    /// Until when automatic wakes are held back, as long as that is not over.
    pub(crate) fn sleeps_until(
        &self,
        row: Option<&wake_queue::Sleeper>,
    ) -> Option<dormouse_types::Timestamp> {
        row.and_then(|row| row.sleep_until).filter(|until| *until > self.clock.now())
    }

    /// What an agent watches.
    pub async fn subscriptions(
        &self,
        caller: &Caller,
        id: &AgentId,
    ) -> Result<Vec<Subscription>, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        let agent = self.agents.agent(ws, id).await?.doc.value;
        let at_once = agent.config.wake_on_linked && is_automatic(&agent, self.model.class());
        let all = self.store.all(subscription::of_agent(ws, id)).await?.into_iter();
        Ok(all
            .map(|subscription| Subscription {
                id: subscription.id,
                agent_id: subscription.agent,
                match_token_keys: vec!["taskNotification".into()],
                match_entity_ids: vec![subscription.task.to_string()],
                filter: SubscriptionFilter {
                    except_origins: vec!["agent".into()],
                    linked: if at_once { "wake" } else { "stale" }.into(),
                },
            })
            .collect())
    }

    /// When an agent is to be woken whatever happens, its back-off included.
    pub async fn timers(&self, caller: &Caller, id: &AgentId) -> Result<Vec<Timer>, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        let state: State = self.agents.state(ws, id).await?.value;
        let stored = self.store.all(timer::of_agent(ws, id)).await?.into_iter();
        let mut timers: Vec<Timer> = stored
            .map(|timer| Timer {
                kind: timer.kind.name().into(),
                at: timer.at,
                about: timer.about,
                fired_at: timer.fired_at,
            })
            .collect();
        let failures = state.consecutive_failure_count;
        timers.extend(state.next_wake_at.map(|at| Timer {
            kind: "backOff".into(),
            at,
            about: Some(format!("failed runs in a row: {failures}")),
            fired_at: None,
        }));
        timers.sort_by(|a, b| (a.at, &a.kind).cmp(&(b.at, &b.kind)));
        Ok(timers)
    }

    /// A page of the links that leave an entity of an agent, newest first; of one type if given.
    pub async fn agent_links(
        &self,
        caller: &Caller,
        id: &AgentId,
        kind: Option<&str>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Link>, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        self.agents.agent(ws, id).await?;
        let (at, behind) = page::behind(cursor, (page::LATEST, ""))?;
        let (place, limit_read) = ((at, behind.as_str()), page::reading(limit));
        let query = link::page_of_agent(ws, id, kind.unwrap_or_default(), place, limit_read);
        let views = self.store.all(query).await?.into_iter().map(|link| Link {
            id: link.id,
            kind: link.kind,
            from_id: link.from_id,
            to_id: link.to_id,
            created_at: link.created_at,
        });
        Ok(page::cut(views.collect(), limit, |link| page::place(link.created_at, &link.id)))
    }
}

/// What an agent is doing, by its row.
pub(crate) fn activity(row: Option<&wake_queue::Sleeper>) -> &'static str {
    match row {
        Some(row) if row.owner.is_some() => "running",
        Some(row) if row.due_at.is_some() => "waiting",
        Some(_) | None => "asleep",
    }
}

/// Since when something stands in the queue that no run has taken up: the report is out of date.
pub(crate) fn changed_since(row: &wake_queue::Sleeper) -> Option<dormouse_types::Timestamp> {
    row.first_signal_at.filter(|_| !row.reasons.is_empty())
}
