//! One of the databases is not the one that the agents knew: everybody looks at their task anew.
//!
//! The feed position names both databases as they were called when it was written. Where one of them
//! has another id now, it was restored from an older copy, or made anew, or a standby took its place.
//! Positions of another journal say nothing of this one: each counts as the end of this one, so that
//! nothing is replayed, and whatever comes from now on is heard.

use std::collections::HashMap;

use dormouse_runs::status::{Event, after};
use dormouse_store::agent::agent_entity::{Agent, Lifecycle, State};
use dormouse_store::agent::entity;
use dormouse_store::agent::feed_position::{self, Position};
use dormouse_store::agent::outdated::{self, Outdated};
use dormouse_store::agent::wake_run::{self, Run};
use dormouse_store::journal::fence;
use dormouse_store::{Commit, Db, ReadError, Refusal, identity};
use dormouse_types::{AgentId, HostId, Id as _, Seq, WorkspaceId};

use crate::error::readable;
use crate::wake::claim::{AUTOMATION, broken};
use crate::wake::route::is_automatic;
use crate::{AgentError, Agents};

impl Agents {
    /// Lets every agent look anew where one of the databases is not the one they knew; says so in
    /// one line then.
    pub async fn notice_restored(&self, ws: WorkspaceId) -> Result<Option<String>, AgentError> {
        let position = match self.store.first(feed_position::read(ws)).await {
            // Routing goes on from the present end of the journal.
            Err(ReadError::Corrupt { .. }) => None,
            other => other?,
        };
        let Some(at) = position.filter(|at| self.is_of_another_store(at)) else { return Ok(None) };
        let head = self.journal_head(ws).await?;
        let db = self.replaced_database(&at);
        // Before the position moves: a start that is cut off here looks again.
        let n_lost = match db {
            Db::Journal => self.changes.reopen_lost(ws).await?,
            Db::Agent => 0,
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
        let lost = match n_lost {
            0 => String::new(),
            1 => "; 1 proposal that you confirmed waits for you again".to_owned(),
            n => format!("; {n} proposals that you confirmed wait for you again"),
        };
        Ok(Some(format!("{name} {why}: {agents}{lost}")))
    }

    /// Whether a position was written when one of the databases had another id.
    pub(crate) fn is_of_another_store(&self, at: &Position) -> bool {
        at.host != self.store.host(Db::Journal)
            || at.agent.as_ref().is_some_and(|agent| *agent != self.store.host(Db::Agent))
    }

    fn replaced_database(&self, at: &Position) -> Db {
        if at.host == self.store.host(Db::Journal) { Db::Agent } else { Db::Journal }
    }

    /// Marks and wakes every agent, ends the runs that were begun in another store, and moves the
    /// position over, all in one commit; says how many agents that are.
    ///
    /// In an older agent store the position stays where it is: what the journal got since is new to
    /// its agents. Refused when somebody else was faster; who asked looks again.
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
        let mut runs: HashMap<AgentId, Run> = HashMap::new();
        for run in readable(self.store.each(wake_run::unfinished(ws)).await?) {
            commit = commit.op(self.ended_with_its_store(ws, &run)?);
            runs.insert(run.agent.clone(), run);
        }
        let fences: HashMap<String, i64> =
            self.store.all(fence::all(ws)).await?.into_iter().collect();
        let mut n_agents = 0;
        for agent in readable(self.store.each(entity::of_kind::<Agent>(ws)).await?) {
            let agent = agent.doc.value;
            if agent.lifecycle == Lifecycle::Destroyed {
                continue;
            }
            let begun = runs.get(&agent.id);
            let by_person = begun.is_some_and(|run| run.initiator != AUTOMATION);
            let wakes = by_person || is_automatic(&agent, self.driver.model().class());
            // Who has never looked yet waits for the first words of its task as before.
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

    /// Ends a run whose interval counts in a journal that is not there any more, or whose trail was
    /// begun in another agent store.
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

    /// What the agent's last completed run had seen of this journal; with the journal itself, for an
    /// agent that has known another one. Positions of another journal count as the end of this one.
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
