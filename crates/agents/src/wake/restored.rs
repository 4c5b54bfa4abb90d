//! A database was replaced: every agent reads its task again.
//!
//! The feed position stores the ids of both databases. If one of them has changed, that database
//! was restored from an older copy, created again, or replaced by a standby. Positions in another
//! journal mean nothing in this one. Each is treated as the end of this journal, so that nothing is
//! replayed and everything new is routed.

use std::collections::HashMap;

use dormouse_changes::ReopenedItems;
use dormouse_scheduler::readable;
use dormouse_scheduler::status::{Event, after};
use dormouse_store::agent::agent_entity::{Agent, Lifecycle, State};
use dormouse_store::agent::entity;
use dormouse_store::agent::feed_position::{self, Position};
use dormouse_store::agent::outdated::{self, Outdated};
use dormouse_store::agent::wake_run::{self, Run};
use dormouse_store::journal::fence;
use dormouse_store::{Commit, Db, ReadError, Refusal, identity};
use dormouse_types::agent::Initiator;
use dormouse_types::{HolderId, HostId, Id as _, Seq, WorkspaceId};

use crate::error::broken;
use crate::wake::policy::is_automatic;
use crate::{AgentError, Agents};

impl Agents {
    /// Returns whether a database was replaced and [`Agents::notice_restored`] has not dealt with it.
    pub async fn is_restored(&self, ws: WorkspaceId) -> Result<bool, AgentError> {
        match self.store.first(feed_position::read(ws)).await {
            Err(ReadError::Corrupt { .. }) => Ok(false),
            position => Ok(position?.is_some_and(|at| self.is_of_another_store(&at))),
        }
    }

    /// If a database was replaced, makes every agent read its task again. Returns one line that
    /// reports it.
    pub async fn notice_restored(&self, ws: WorkspaceId) -> Result<Option<String>, AgentError> {
        let position = match self.store.first(feed_position::read(ws)).await {
            // Routing continues from the present end of the journal.
            Err(ReadError::Corrupt { .. }) => None,
            other => other?,
        };
        let Some(at) = position.filter(|at| self.is_of_another_store(at)) else { return Ok(None) };
        let head = self.journal_head(ws).await?;
        let db = self.replaced_database(&at);
        // Before the position moves, so that a start which is interrupted here repeats the search.
        let lost = match db {
            Db::Journal => self.changes.reopen_lost(ws).await?,
            Db::Agent => ReopenedItems::default(),
        };
        let n_agents = self.begin_anew(ws, &at, head).await?;
        let renewals = self.store.all(identity::id_changes(db)).await?;
        let why =
            renewals.last().map_or("is another one than before", |last| last.reason.describe());
        let name = match db {
            Db::Journal => "the journal",
            Db::Agent => "the database of the agents",
        };
        let agents = match n_agents {
            1 => "1 agent looks at its task again".to_owned(),
            n => format!("{n} agents look at their tasks again"),
        };
        let open = match lost.n {
            0 => String::new(),
            1 => "; 1 proposal that you confirmed waits for you again".to_owned(),
            n => format!("; {n} proposals that you confirmed wait for you again"),
        };
        let unreadable = match lost.unreadable.as_slice() {
            [] => String::new(),
            all => format!("; confirmed proposals that stay as they are: {}", all.join("; ")),
        };
        Ok(Some(format!("{name} {why}: {agents}{open}{unreadable}")))
    }

    /// Returns whether a position was written when one of the databases had another id.
    pub(crate) fn is_of_another_store(&self, at: &Position) -> bool {
        at.host != self.store.host(Db::Journal)
            || at.agent.as_ref().is_some_and(|agent| *agent != self.store.host(Db::Agent))
    }

    fn replaced_database(&self, at: &Position) -> Db {
        if at.host == self.store.host(Db::Journal) { Db::Agent } else { Db::Journal }
    }

    /// Marks and wakes every agent, ends the runs that were started in another store, and moves the
    /// position. Returns how many agents were marked.
    ///
    /// All of it is one commit: with the position moved and an agent not marked, nothing would ever
    /// make that agent read its task again. If the agent store is the one that was replaced, the
    /// position stays: what the journal gained since the copy is new to its agents. If another
    /// process was faster, nothing is written; the caller reads the position again.
    pub(crate) async fn begin_anew(
        &self,
        ws: WorkspaceId,
        at: &Position,
        head: Seq,
    ) -> Result<usize, AgentError> {
        let (db, now, host) =
            (self.replaced_database(at), self.clock.now(), self.store.host(Db::Journal));
        let seq = if db == Db::Journal { head } else { at.seq };
        let to = Position::to(host, seq);
        let mut commit =
            Commit::new("wake.route", Db::Agent, ws).op(feed_position::advance(ws, Some(at), &to));
        let mut runs: HashMap<HolderId, Run> = HashMap::new();
        for run in readable(self.store.each(wake_run::unfinished(ws)).await?) {
            commit = commit.op(self.ended_with_its_store(ws, &run)?);
            runs.insert(run.holder.clone(), run);
        }
        let fences: HashMap<String, i64> =
            self.store.all(fence::all(ws)).await?.into_iter().collect();
        let mut n_agents = 0;
        for agent in readable(self.store.each(entity::of_kind::<Agent>(ws)).await?) {
            let agent = agent.doc.value;
            if agent.lifecycle == Lifecycle::Destroyed {
                continue;
            }
            let begun = runs.get(&HolderId::from(&agent.id));
            let by_person = begun.is_some_and(|run| run.initiator != Initiator::Automation);
            let wakes = by_person || is_automatic(&agent, self.model_of(&agent).class());
            // An agent that has never run still waits for the first content of its task.
            let has_looked = agent.lifecycle != Lifecycle::Created || begun.is_some();
            let due_at = Some(now).filter(|_| wakes && has_looked);
            let fence = fences.get(agent.id.as_str()).copied().unwrap_or(0);
            let outdated = Outdated { agent: agent.id, db, seq, at: now };
            if has_looked {
                n_agents += 1;
                commit = commit.op(outdated::mark(ws, &outdated));
            }
            commit = commit.op(outdated::begin_anew(ws, &outdated, due_at, by_person, fence));
        }
        match self.store.commit(commit).await {
            Ok(_) => Ok(n_agents),
            Err(error)
                if matches!(error.refusal(), Some(Refusal::FeedMoved | Refusal::LeaseLost)) =>
            {
                Ok(n_agents)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Ends a run whose interval counts in a journal that is gone, or whose log began in another
    /// agent store.
    fn ended_with_its_store(
        &self,
        ws: WorkspaceId,
        run: &Run,
    ) -> Result<dormouse_store::Op, AgentError> {
        let waits = match run.status {
            wake_run::Status::Started => after(run.status, Event::Crashed).map_err(broken)?,
            status => status,
        };
        let to = after(waits, Event::GivenUp).map_err(broken)?;
        let why = "the store was restored while it was under way";
        Ok(wake_run::finish(ws, &run.key, run.status, to, self.clock.now(), false, Some(why)))
    }

    /// Returns the position up to which the agent's completed runs have seen this journal, and the
    /// journal itself if the agent has known another one. Positions in another journal count as the
    /// end of this one.
    pub(crate) async fn processed(
        &self,
        ws: WorkspaceId,
        state: &State,
    ) -> Result<(Seq, Option<HostId>), AgentError> {
        let host = self.store.host(Db::Journal);
        let known = &state.processed_counter_by_host;
        let others = known.keys().any(|known| known != host.as_str());
        let journal = Some(host.clone()).filter(|_| others);
        let seq = match known.get(host.as_str()) {
            Some(seq) => Seq(*seq),
            None if !others => Seq(0),
            None => match self.store.first(outdated::of_agent(ws, &state.agent_id)).await? {
                Some(outdated) => outdated.seq,
                None => self.journal_head(ws).await?,
            },
        };
        Ok((seq, journal))
    }
}
