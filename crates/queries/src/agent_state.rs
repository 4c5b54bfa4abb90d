//! What determines when an agent runs: its queue row, subscriptions, timers and links.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dormouse_agents::wake::policy::{is_automatic, merge_window};
use dormouse_store::agent::agent_entity::{Agent, State};
use dormouse_store::agent::{link, subscription, timer, wake_queue, wake_run};
use dormouse_types::agent::{AgentActivity, AgentLinkKind};
use dormouse_types::port::{Model, ModelClass};
use dormouse_types::{AgentId, RunKey, Timestamp, WorkspaceId};

use crate::view::{
    AgentState, Lease, Link, LinkedChange, Page, Subscription, SubscriptionFilter, Timer,
    TimerPurpose,
};
use crate::{Queries, QueryError, page};

impl Queries {
    /// Everything that determines when an agent runs next.
    pub async fn agent_state(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<AgentState, QueryError> {
        let state: State = self.agents.state(ws, id).await?.value;
        let model = self.model_of(&self.agents.agent(ws, id).await?.doc.value);
        let row = self.store.first(wake_queue::of_holder(ws, id)).await?;
        let lease = row.as_ref().and_then(|row| {
            Some(Lease {
                owner: row.owner.clone()?,
                epoch: row.epoch,
                expires_at: row.expires_at,
                run_key: row.run_key.clone(),
            })
        });
        let unheard_messages = self.agents.unheard(ws, id).await?.len();
        let reasons = row.iter().flat_map(|row| row.reasons.iter().rev());
        Ok(AgentState {
            agent_id: id.clone(),
            activity: self.activity_of(row.as_ref(), model.class()),
            reasons: reasons.copied().collect(),
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
            unheard_messages,
        })
    }

    /// Until when automatic wakes are held back, if that is in the future.
    pub(crate) fn sleeps_until(&self, row: Option<&wake_queue::QueueEntry>) -> Option<Timestamp> {
        row.and_then(|row| row.sleep_until).filter(|until| *until > self.clock.now())
    }

    /// What an agent is doing, according to its queue row and the class of its model.
    pub(crate) fn activity_of(
        &self,
        row: Option<&wake_queue::QueueEntry>,
        class: ModelClass,
    ) -> AgentActivity {
        activity(row, self.clock.now(), class)
    }

    /// The model that an agent asks.
    pub(crate) fn model_of(&self, agent: &Agent) -> Arc<dyn Model> {
        let config = &agent.config;
        self.models.of_agent(config.model.as_deref(), config.template_id.as_ref())
    }

    /// The start of the current run of each running agent, for at most a page of agents.
    pub(crate) async fn awake_since(
        &self,
        ws: WorkspaceId,
        rows: impl Iterator<Item = &wake_queue::QueueEntry>,
    ) -> Result<HashMap<AgentId, Timestamp>, QueryError> {
        let runs: HashMap<RunKey, AgentId> = rows
            .filter(|row| row.owner.is_some())
            .filter_map(|row| Some((row.run_key.clone()?, (&row.holder).try_into().ok()?)))
            .collect();
        if runs.is_empty() {
            return Ok(HashMap::new());
        }
        let keys: Vec<RunKey> = runs.keys().cloned().collect();
        let begun = self.store.all(wake_run::begun_by_agents(ws, &keys)).await?;
        let begun = begun.into_iter().filter_map(|(key, at)| Some((runs.get(&key)?.clone(), at)));
        Ok(begun.collect())
    }

    /// What an agent watches.
    pub async fn subscriptions(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Vec<Subscription>, QueryError> {
        let agent = self.agents.agent(ws, id).await?.doc.value;
        let (config, model) = (&agent.config, self.model_of(&agent));
        let at_once = config.wake_on_linked && is_automatic(&agent, model.class());
        let all = self.store.all(subscription::of_agent(ws, id)).await?.into_iter();
        Ok(all
            .map(|subscription| Subscription {
                id: subscription.id,
                agent_id: subscription.agent,
                match_token_keys: vec!["taskNotification".into()],
                match_entity_ids: vec![subscription.task.to_string()],
                filter: SubscriptionFilter {
                    except_origins: vec!["agent".into()],
                    linked: if at_once { LinkedChange::Wake } else { LinkedChange::Stale },
                },
            })
            .collect())
    }

    /// An agent's timers, including its back-off.
    pub async fn timers(&self, ws: WorkspaceId, id: &AgentId) -> Result<Vec<Timer>, QueryError> {
        let state: State = self.agents.state(ws, id).await?.value;
        let stored = self.store.all(timer::of_holder(ws, id)).await?.into_iter();
        let mut timers: Vec<Timer> = stored
            .map(|timer| Timer {
                kind: timer.kind.into(),
                at: timer.at,
                about: timer.about,
                fired_at: timer.fired_at,
            })
            .collect();
        let failures = state.consecutive_failure_count;
        // A cancelled retry no longer has a timer.
        let row = self.store.first(wake_queue::of_holder(ws, id)).await?;
        let waits = row.is_some_and(|row| row.reasons.contains(&wake_queue::Reason::Timer));
        timers.extend(state.next_wake_at.filter(|_| waits).map(|at| Timer {
            kind: TimerPurpose::BackOff,
            at,
            about: Some(format!("failed runs in a row: {failures}")),
            fired_at: None,
        }));
        timers.sort_by(|a, b| (a.at, &a.kind).cmp(&(b.at, &b.kind)));
        Ok(timers)
    }

    /// A page of the links from entities of an agent, newest first; only one type if given.
    pub async fn agent_links(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        kind: Option<AgentLinkKind>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Link>, QueryError> {
        self.agents.agent(ws, id).await?;
        let (at, after) = page::cursor_or_start(cursor, (page::LATEST, ""))?;
        let (place, limit_read) = ((at, after.as_str()), page::rows_to_read(limit));
        let query = link::page_of_agent(ws, id, kind, place, limit_read);
        let views = self.store.all(query).await?.into_iter().map(|link| Link {
            id: link.id,
            kind: link.kind,
            from_id: link.from_id,
            to_id: link.to_id,
            created_at: link.created_at,
        });
        Ok(page::page_of(views.collect(), limit, |link| page::cursor_of(link.created_at, &link.id)))
    }
}

/// An agent due within this time counts as queued; one due later counts as asleep.
const SOON: Duration = Duration::from_secs(60);

/// What an agent is doing, according to its row. A wake that is merging changes counts as queued,
/// however long it merges.
pub(crate) fn activity(
    row: Option<&wake_queue::QueueEntry>,
    now: Timestamp,
    class: ModelClass,
) -> AgentActivity {
    let Some(row) = row else { return AgentActivity::Asleep };
    let is_merged = row.reasons.contains(&wake_queue::Reason::Subscription);
    let near = if is_merged { SOON.max(merge_window(class)) } else { SOON };
    match row.due_at {
        _ if row.owner.is_some() => AgentActivity::Running,
        Some(due) if due <= now + near => AgentActivity::Queued,
        Some(_) | None => AgentActivity::Asleep,
    }
}

/// Since when the queue holds something no run has covered, which makes the report out of date.
pub(crate) fn changed_since(row: &wake_queue::QueueEntry) -> Option<Timestamp> {
    row.first_signal_at.filter(|_| !row.reasons.is_empty())
}

#[cfg(test)]
mod tests {
    use dormouse_store::agent::wake_queue::{QueueEntry, Reason};
    use dormouse_types::{Id as _, Seq};

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_772_442_000_000_000);

    /// What is said of an agent that a reason wakes in so many seconds.
    fn activity_for(reason: Reason, seconds: Option<u64>, class: ModelClass) -> AgentActivity {
        let row = QueueEntry {
            holder: AgentId::fresh(NOW, &dormouse_testkit::CountingEntropy::seeded(1)).into(),
            reasons: vec![reason],
            first_signal_at: Some(NOW),
            due_at: seconds.map(|seconds| NOW + Duration::from_secs(seconds)),
            upto: Seq(0),
            priority: reason.priority(),
            request_id: None,
            run_key: None,
            owner: None,
            epoch: 1,
            expires_at: None,
            crashes: 0,
            sleep_until: None,
            put_off: None,
        };
        activity(Some(&row), NOW, class)
    }

    #[test]
    fn who_wakes_within_a_minute_or_merges_changes_is_queued_and_who_wakes_later_sleeps() {
        let (free, paid) = (ModelClass::Free, ModelClass::Paid);
        for (reason, seconds, class, expected) in [
            (Reason::UserInitiated, Some(0), free, AgentActivity::Queued),
            (Reason::Timer, Some(60), paid, AgentActivity::Queued),
            (Reason::Timer, Some(61), paid, AgentActivity::Asleep),
            (Reason::Timer, Some(7 * 24 * 3600), free, AgentActivity::Asleep),
            (Reason::Subscription, Some(120), paid, AgentActivity::Queued),
            (Reason::Subscription, Some(121), paid, AgentActivity::Asleep),
            (Reason::Subscription, Some(61), free, AgentActivity::Asleep),
            (Reason::Subscription, None, paid, AgentActivity::Asleep),
        ] {
            assert_eq!(
                activity_for(reason, seconds, class),
                expected,
                "{reason:?} {seconds:?} {class:?}"
            );
        }
        assert_eq!(activity(None, NOW, free), AgentActivity::Asleep);
    }
}
