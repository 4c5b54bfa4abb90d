//! From the change feed to the wake queue.

use std::collections::BTreeSet;
use std::time::Duration;

use dormouse_scheduler::readable;
use dormouse_store::agent::agent_entity::{Agent, DormantReason, Lifecycle};
use dormouse_store::agent::entity;
use dormouse_store::agent::feed_position::{self, Position};
use dormouse_store::agent::subscription::{self, Subscription};
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::{Commit, Db, Op, ReadError, Refusal, change_log};
use dormouse_types::change::{Change, What};
use dormouse_types::port::ModelClass;
use dormouse_types::{AgentId, Id as _, Origin, Seq, TaskId, Timestamp, WorkspaceId};

use crate::wake::due_date;
use crate::wake::policy::{is_automatic, merge_window};
use crate::{AgentError, Agents};

/// Changes that are routed together: their interval, and what they touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Everything up to here has already been routed.
    pub from: Seq,
    /// Position of the last change.
    pub upto: Seq,
    /// Changes, oldest first.
    pub changes: Vec<Change>,
}

impl Batch {
    /// Builds the batch after a position; `None` if there is no change.
    pub fn of(from: Seq, changes: Vec<Change>) -> Option<Self> {
        let upto = changes.last()?.seq;
        Some(Self { from, upto, changes })
    }

    /// Returns the batch's name, `from-upto`, which is the same on every node.
    pub fn key(&self) -> String {
        format!("{}-{}", self.from, self.upto)
    }

    /// Returns the origins of its changes, each once, in order of first appearance.
    pub fn origins(&self) -> Vec<&Origin> {
        let mut origins = Vec::new();
        for change in &self.changes {
            if !origins.contains(&&change.origin) {
                origins.push(&change.origin);
            }
        }
        origins
    }

    /// Returns each change with each task it touches, or that is one link away from such a task;
    /// `true` marks the latter.
    pub fn touches(&self) -> impl Iterator<Item = (&Change, &TaskId, bool)> {
        self.changes.iter().flat_map(|change| {
            let own = change.touched.iter().map(move |task| (change, task, false));
            own.chain(change.neighbours.iter().map(move |task| (change, task, true)))
        })
    }
}

/// An agent that a change concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutedSignal {
    /// Agent to signal.
    pub agent: AgentId,
    /// Task it watches: one that was touched, or one link away from a touched task.
    pub task: TaskId,
    /// Position of the change.
    pub upto: Seq,
    /// When the change was committed.
    pub at: Timestamp,
    /// Whether the change is one link away: the agent becomes stale and sees it in its next wake.
    pub is_neighbour: bool,
    /// Whether the agent itself proposed the change: it is not woken.
    pub is_proposer: bool,
}

/// Decides which agents a change concerns. Reads nothing, writes nothing.
///
/// What an agent wrote wakes nobody, and neither does a star. What a person confirmed wakes other
/// agents, not the proposer, which only has its timers set by it.
pub fn route(change: &Change, watchers: &[Subscription], is_neighbour: bool) -> Vec<RoutedSignal> {
    if matches!(change.origin, Origin::Agent { .. }) || is_only_stars(change) {
        return Vec::new();
    }
    watchers
        .iter()
        .map(|watcher| RoutedSignal {
            is_proposer: change.origin.via().is_some_and(|via| *via == watcher.agent),
            agent: watcher.agent.clone(),
            task: watcher.task.clone(),
            upto: change.seq,
            at: change.at,
            is_neighbour,
        })
        .collect()
}

fn is_only_stars(change: &Change) -> bool {
    !change.what.is_empty() && change.what.iter().all(What::is_star)
}

/// Returns whether a change gives a task content: an entry or a checklist item.
fn says_something(what: &What) -> bool {
    matches!(
        what,
        What::EntryAdded { .. }
            | What::EntryRestored { .. }
            | What::ItemAdded { .. }
            // A task that waits for its first words can only be the one that the item came to.
            | What::ItemMoved { .. }
    )
}

/// Changes routed in one commit.
const BATCH: i64 = 200;

impl Agents {
    /// Returns how long the oldest unrouted change has been waiting in any workspace; zero if there
    /// is none.
    pub async fn routing_lag(&self) -> Result<Duration, AgentError> {
        let now = self.clock.now();
        let mut lag = 0;
        for (ws, from) in self.unrouted().await? {
            let oldest = self.store.first(change_log::after(ws, from, 1)).await?;
            lag = lag.max(oldest.map_or(0, |change| now.micros() - change.at.micros()));
        }
        Ok(Duration::from_micros(u64::try_from(lag).unwrap_or(0)))
    }

    /// Returns the workspaces whose journal has changes that are not routed, each with its feed
    /// position.
    pub(crate) async fn unrouted(&self) -> Result<Vec<(WorkspaceId, Seq)>, AgentError> {
        // Positions before heads: if another node writes and routes between the two reads, the head
        // is ahead of the position, never the reverse.
        let routed = readable(self.store.each(feed_position::all()).await?);
        let heads = self.store.all(change_log::heads(Db::Journal)).await?;
        let unrouted = heads.into_iter().filter_map(|(ws, head)| {
            let is_known = |at: &Position| !self.is_of_another_store(at);
            let known = routed.iter().find(|(known, at)| *known == ws && is_known(at));
            let from = known.map_or(Seq(0), |(_, at)| at.seq);
            (known.is_none() || from != head).then_some((ws, from))
        });
        Ok(unrouted.collect())
    }

    /// Routes the journal's feed to its end; returns how many changes it routed.
    ///
    /// Signals and feed position are one commit: a crash before it has written none of the signals,
    /// so the same changes are routed again, and a crash after it loses nothing. The commit compares
    /// the position, so of two nodes that route the same batch one is refused and reads again.
    pub async fn route_feed(&self, ws: WorkspaceId) -> Result<usize, AgentError> {
        let mut routed = 0;
        loop {
            let host = self.store.host(Db::Journal);
            let position = match self.store.first(feed_position::read(ws)).await {
                Err(damaged @ ReadError::Corrupt { .. }) => {
                    tracing::error!(%damaged, "the feed goes on from its present end");
                    let Some(written) = self.store.first(feed_position::as_written(ws)).await?
                    else {
                        continue;
                    };
                    let to = Position::to(host, self.journal_head(ws).await?);
                    self.skip_feed(ws, feed_position::mend(ws, &written, &to), to.seq).await?;
                    continue;
                }
                other => other?,
            };
            // The head is read after the position. The other way round, a node that writes and
            // routes between the reads would make the journal seem to have gone back.
            let head = self.journal_head(ws).await?;
            let from = match &position {
                None => Seq(0),
                Some(at) if self.is_of_another_store(at) => {
                    self.begin_anew(ws, at, head).await?;
                    continue;
                }
                Some(at) if at.seq > head => {
                    self.refuse_lost_positions(ws, at).await?;
                    continue;
                }
                Some(at) => at.seq,
            };
            let changes = self.store.each(change_log::after(ws, from, BATCH)).await?;
            let n_changes = changes.len();
            let changes = readable(changes);
            let batch = if changes.len() == n_changes {
                Batch::of(from, changes)
            } else {
                // A damaged change is skipped here; the agents it concerns fail when they read it.
                let all = change_log::positions_after(ws, from, BATCH);
                let last = self.store.all(all).await?.last().copied();
                last.map(|upto| Batch { from, upto, changes })
            };
            let Some(batch) = batch else { return Ok(routed) };
            let to = Position::to(host, batch.upto);
            let mut commit = Commit::new("wake.route", Db::Agent, ws).op(feed_position::advance(
                ws,
                position.as_ref(),
                &to,
            ));
            // A commit may write an agent only once, however many changes revive it.
            let mut revived = BTreeSet::new();
            for (change, task, is_neighbour) in batch.touches() {
                let watchers = readable(self.store.each(subscription::of_task(ws, task)).await?);
                for concern in route(change, &watchers, is_neighbour) {
                    let ops = self.signal_for(ws, change, &concern, &mut revived).await?;
                    commit = commit.ops(ops);
                }
            }
            match self.store.commit(commit).await {
                Ok(_) => {
                    routed += batch.changes.len();
                    let origins = batch.origins();
                    tracing::debug!(ws = ws.0, batch = batch.key(), ?origins, "routed");
                }
                // Another process routed, or changed an agent, meanwhile: read again.
                Err(error)
                    if matches!(error.refusal(), Some(Refusal::FeedMoved | Refusal::Stale)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(crate) async fn journal_head(&self, ws: WorkspaceId) -> Result<Seq, ReadError> {
        Ok(self.store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default())
    }

    /// Refuses to route if the journal ends before the feed position. Reads both again first, so
    /// that two reads on either side of a fail-over raise no alarm.
    ///
    /// The position is kept, so nothing is routed twice. The next start finds that the journal is
    /// older than what the agents know, reports it and treats it as another journal.
    async fn refuse_lost_positions(
        &self,
        ws: WorkspaceId,
        seen: &Position,
    ) -> Result<(), ReadError> {
        let again = self.store.first(feed_position::read(ws)).await?;
        let head = self.journal_head(ws).await?;
        if again.as_ref() != Some(seen) || seen.seq <= head {
            return Ok(());
        }
        let detail = format!(
            "it ends at {head}, but was routed up to {}: another copy took its place while \
             Dormouse ran. Stop Dormouse, run `dormouse doctor`, and start it again",
            seen.seq
        );
        Err(ReadError::Engine { db: Db::Journal.name(), detail })
    }

    /// Returns the ops that signal a change to an agent, and that revive an agent which was dormant
    /// because its task was deleted.
    ///
    /// The store merges signals in the queue row: a burst of changes costs one wake, and the window
    /// never stretches. A signal without a due time only records that something changed; the next
    /// wake, or a switch of automation, picks it up.
    async fn signal_for(
        &self,
        ws: WorkspaceId,
        change: &Change,
        concern: &RoutedSignal,
        revived: &mut BTreeSet<AgentId>,
    ) -> Result<Vec<Op>, AgentError> {
        let signal_in = |class: ModelClass| Signal {
            holder: (&concern.agent).into(),
            reason: Reason::Subscription,
            at: concern.at,
            due_at: Some(concern.at + merge_window(class)),
            upto: concern.upto,
            request_id: None,
        };
        let agent = entity::by_id::<Agent>(ws, concern.agent.as_str());
        let agent = match self.store.first(agent).await {
            // A damaged agent is woken, so that its run fails and reports the damage; the others
            // are routed. Its own model cannot be read.
            Err(ReadError::Corrupt { .. }) if concern.is_proposer => return Ok(Vec::new()),
            Err(ReadError::Corrupt { .. }) => {
                let signal = signal_in(self.default_model().class());
                return Ok(vec![wake_queue::signal(ws, &signal)]);
            }
            other => other?,
        };
        let Some(mut stored) = agent else { return Ok(Vec::new()) };
        let agent = &mut stored.doc;
        let class = self.model_of(&agent.value).class();
        let mut signal = signal_in(class);
        if agent.value.lifecycle == Lifecycle::Destroyed {
            return Ok(Vec::new());
        }
        let mut ops = Vec::new();
        if concern.is_proposer {
            if let Some(due) = due_date::set_by(change, &concern.task)
                && !concern.is_neighbour
            {
                let now = self.clock.now();
                ops.push(due_date::timer(ws, &concern.agent, due, &self.zone.get(), now));
            }
            return Ok(ops);
        }
        if concern.is_neighbour {
            let at_once = agent.value.config.wake_on_linked && is_automatic(&agent.value, class);
            signal.due_at = signal.due_at.filter(|_| at_once);
            return Ok(vec![wake_queue::signal(ws, &signal)]);
        }
        if let Some(due) = due_date::set_by(change, &concern.task) {
            ops.push(due_date::timer(ws, &concern.agent, due, &self.zone.get(), self.clock.now()));
        }
        let restored = change.what_of(&concern.task).any(|what| *what == What::TaskRestored);
        let revives = restored && agent.value.dormant_reason == Some(DormantReason::TaskDeleted);
        if revives {
            agent.value.lifecycle = Lifecycle::Active;
            agent.value.dormant_reason = None;
            agent.value.updated_at = concern.at;
        }
        // An agent created for an empty task waits for its first entry or item.
        let waits = agent.value.lifecycle == Lifecycle::Created
            && !agent.value.config.by_name
            && !change.what_of(&concern.task).any(says_something);
        signal.due_at = signal.due_at.filter(|_| is_automatic(&agent.value, class) && !waits);
        ops.push(wake_queue::signal(ws, &signal));
        if revives && revived.insert(concern.agent.clone()) {
            // Automation may be off, and then nothing else would wake the agent for unheard
            // messages.
            ops.extend(self.resignal_unheard(ws, &concern.agent).await?);
            ops.push(entity::replace(ws, &stored));
        }
        Ok(ops)
    }

    /// Moves a damaged feed position to the end of the journal, and marks every agent as stale.
    ///
    /// Which changes were routed is unknown, so no agent is woken; each catches up in its next
    /// wake.
    async fn skip_feed(&self, ws: WorkspaceId, advance: Op, head: Seq) -> Result<(), AgentError> {
        let now = self.clock.now();
        let mut commit = Commit::new("wake.route", Db::Agent, ws).op(advance);
        let agents = entity::each(entity::of_kind::<Agent>(ws));
        for agent in self.store.all(agents).await?.into_iter().flatten() {
            let agent = agent.doc.value;
            if agent.lifecycle == Lifecycle::Destroyed {
                continue;
            }
            let stale = Signal {
                holder: agent.id.into(),
                reason: Reason::Subscription,
                at: now,
                due_at: None,
                upto: head,
                request_id: None,
            };
            commit = commit.op(wake_queue::signal(ws, &stale));
        }
        match self.store.commit(commit).await {
            Ok(_) => Ok(()),
            Err(error) if error.refusal() == Some(Refusal::FeedMoved) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id<T: std::str::FromStr>(prefix: &str, mark: char) -> T
    where
        T::Err: std::fmt::Debug,
    {
        format!("{prefix}-{}", mark.to_string().repeat(26)).parse().expect("an id")
    }

    fn check(origin: Origin, expected: &[char]) {
        let task: TaskId = id("jt", 't');
        let watcher =
            |mark| Subscription { id: id("su", mark), agent: id("ag", mark), task: task.clone() };
        let change = Change {
            seq: Seq(7),
            origin,
            depth: 0,
            touched: vec![task.clone()],
            neighbours: Vec::new(),
            what: Vec::new(),
            at: Timestamp::from_micros(5),
        };
        let mut woken = route(&change, &[watcher('a'), watcher('b')], false);
        woken.retain(|concern| !concern.is_proposer);
        let expected: Vec<AgentId> = expected.iter().map(|mark| id("ag", *mark)).collect();
        assert_eq!(woken.iter().map(|c| c.agent.clone()).collect::<Vec<_>>(), expected);
        assert!(woken.iter().all(|concern| concern.upto == Seq(7)));
    }

    #[test]
    fn a_batch_names_its_interval_its_tasks_and_its_origins() {
        let (own, near): (TaskId, TaskId) = (id("jt", 't'), id("jt", 'n'));
        let change = |seq, origin| Change {
            seq: Seq(seq),
            origin,
            depth: 0,
            touched: vec![own.clone()],
            neighbours: vec![near.clone()],
            what: Vec::new(),
            at: Timestamp::from_micros(5),
        };
        let person = Origin::Person { via: None };
        let changes =
            vec![change(4, person.clone()), change(7, Origin::Import), change(9, person.clone())];
        let batch = Batch::of(Seq(3), changes).expect("a batch");
        assert_eq!(batch.key(), "3-9");
        assert_eq!(batch.origins(), [&person, &Origin::Import]);
        let touches: Vec<_> = batch.touches().map(|(c, task, far)| (c.seq.0, task, far)).collect();
        assert_eq!(touches[..3], [(4, &own, false), (4, &near, true), (7, &own, false)]);
        assert_eq!(Batch::of(Seq(9), Vec::new()), None);
    }

    #[test]
    fn a_person_wakes_every_watcher() {
        check(Origin::Person { via: None }, &['a', 'b']);
        check(Origin::Import, &['a', 'b']);
    }

    #[test]
    fn own_and_foreign_agents_writes_wake_nobody() {
        check(Origin::Agent { agent: id("ag", 'a') }, &[]);
        check(Origin::Agent { agent: id("ag", 'c') }, &[]);
    }

    #[test]
    fn a_confirmed_proposal_wakes_others_and_not_the_proposer() {
        check(Origin::Person { via: Some(id::<AgentId>("ag", 'a').into()) }, &['b']);
    }
}
