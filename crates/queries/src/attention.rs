//! What needs the user: proposals, stopped agents, failed runs, unavailable providers, agent work.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use dormouse_changes::set::effective_state;
use dormouse_store::agent::acknowledgement::{self, Acknowledgement};
use dormouse_store::agent::agent_entity::{self, Agent, DormantReason, Lifecycle};
use dormouse_store::agent::outdated::{self, Outdated};
use dormouse_store::agent::{entity, subscription, wake_run};
use dormouse_store::{Db, in_list};
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::{
    AgentId, HolderId, Id as _, TaskId, Timestamp, WorkRunId, WorkspaceId, limits,
};

use crate::proposals::OpenProposal;
use crate::spending::HeldAccount;
use crate::view::{
    Attention, AttentionAction, AttentionCause, AttentionKind, Page, ProviderAlert,
    RestoredDatabase,
};
use crate::{Queries, QueryError, page};

/// How many failed runs to check.
const RUNS: i64 = 1000;

/// Which entries a list shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttentionFilter {
    /// Only those about agent work.
    pub is_work: bool,
    /// Those that the person has taken note of, in place of the others.
    pub is_acknowledged: bool,
}

/// An entry of the list, and when the person last took note of it or of an earlier one like it.
#[derive(Debug, Clone)]
pub struct AttentionEntry {
    attention: Attention,
    noted: Option<Acknowledgement>,
}

impl AttentionEntry {
    /// The entry as it is once it is acknowledged. An earlier `since` never replaces a later one.
    pub fn acknowledged(mut self, new: &Acknowledgement) -> Attention {
        let noted = self.noted.as_ref().filter(|old| old.since >= new.since).unwrap_or(new);
        self.attention.acknowledged_at = noted_at(&self.attention, Some(noted));
        self.attention
    }

    /// The entry as it is once no acknowledgement of it is left.
    pub fn taken_back(self) -> Attention {
        self.attention
    }
}

/// When the person took note of an entry. One that is there since a later time is another one.
fn noted_at(one: &Attention, noted: Option<&Acknowledgement>) -> Option<Timestamp> {
    noted.filter(|noted| one.since <= noted.since).map(|noted| noted.at)
}

impl Queries {
    /// A page of what needs the user and is not acknowledged, newest first; items about to expire come last.
    pub async fn needs_attention(
        &self,
        ws: WorkspaceId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Attention>, QueryError> {
        self.attention_list(ws, AttentionFilter::default(), limit, cursor).await
    }

    /// The same list, or a part of it.
    pub async fn attention_list(
        &self,
        ws: WorkspaceId,
        filter: AttentionFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Attention>, QueryError> {
        let limit = limit.clamp(1, limits::PAGE.max);
        let after = cursor.map(Place::read).transpose()?;
        let mut damaged = Vec::new();
        let mut all = self.waiting_work(ws, &mut damaged).await?;
        let mut origins = Origins::new();
        if !filter.is_work {
            let open = self.open_proposals(ws).await?;
            all.extend(proposals(open, &mut origins));
            all.extend(self.stopped(ws).await?);
            all.extend(self.restored(ws).await?);
            all.extend(self.providers(ws).await?);
            all.extend(self.used_up(ws).await?);
        }
        self.mark_acknowledged(ws, &mut all).await?;
        all.retain(|one| one.acknowledged_at.is_some() == filter.is_acknowledged);
        all.sort_by_cached_key(Place::of);
        all.retain(|one| after.as_ref().is_none_or(|after| Place::of(one) > *after));
        let mut page = page::page_of(all, limit, |one| Place::of(one).cursor());
        self.add_origins(ws, &mut page.items, &origins).await?;
        self.name_them(ws, &mut page.items).await?;
        Ok(Page { damaged, ..page })
    }

    /// One entry, acknowledged or not; `None` if there is none now. Only what entries of its kind are made
    /// of is read, and of proposals and agent work only what the entry is about.
    pub async fn attention_entry(
        &self,
        ws: WorkspaceId,
        id: &str,
    ) -> Result<Option<AttentionEntry>, QueryError> {
        let Some((kind, object)) = id.split_once(':') else { return Ok(None) };
        let Ok(kind) = kind.parse::<AttentionKind>() else { return Ok(None) };
        let mut origins = Origins::new();
        let all = match kind {
            AttentionKind::Changes | AttentionKind::Expiring => {
                let Ok(task) = object.parse::<TaskId>() else { return Ok(None) };
                let open = self.open_proposals_among(ws, &[task]).await?;
                proposals(open, &mut origins)
            }
            AttentionKind::AgentDormant | AttentionKind::RunFailed => self.stopped(ws).await?,
            AttentionKind::Restored => self.restored(ws).await?,
            AttentionKind::Provider | AttentionKind::ModelSetup => self.providers(ws).await?,
            AttentionKind::Budget => self.used_up(ws).await?,
            AttentionKind::WorkQuestion
            | AttentionKind::WorkReview
            | AttentionKind::WorkFailed
            | AttentionKind::WorkInterrupted
            | AttentionKind::WorkMissed
            | AttentionKind::WorkHeld
            | AttentionKind::WorkBroken => self.waiting_work_of(ws, object).await?,
        };
        let Some(one) = all.into_iter().find(|one| one.id == id) else { return Ok(None) };
        let mut one = [one];
        self.add_origins(ws, &mut one, &origins).await?;
        self.name_them(ws, &mut one).await?;
        let noted = self.store.first(acknowledgement::of_some(ws, &[id.to_owned()])).await?;
        let [attention] = one;
        Ok(Some(AttentionEntry { attention, noted }))
    }

    /// Adds to a page what its entries about proposals show of runs and tasks: whose run it was, and when the
    /// first of them expires.
    async fn add_origins(
        &self,
        ws: WorkspaceId,
        page: &mut [Attention],
        origins: &Origins,
    ) -> Result<(), QueryError> {
        let shown = || page.iter().filter_map(|one| Some((one, origins.get(&one.id)?)));
        let runs = shown().filter_map(|(_, origin)| (&origin.proposer).try_into().ok());
        let runs: BTreeSet<WorkRunId> = runs.collect();
        let tasks = shown().filter_map(|(one, _)| one.task_id.clone());
        let tasks: BTreeSet<TaskId> = tasks.collect();
        let works = self.work_of_runs(ws, &runs.into_iter().collect::<Vec<_>>()).await?;
        let tasks = self.journal.review_states(ws, &tasks.into_iter().collect::<Vec<_>>()).await?;
        let now = self.clock.now();
        for one in page {
            let Some(origin) = origins.get(&one.id) else { continue };
            one.agent_name = works.get(&origin.proposer).map(|work| work.title.clone());
            let task = one.task_id.as_ref().and_then(|task| tasks.get(task));
            // The item that was shown first is the first to expire: a pause defers what was shown before it.
            one.expires_at =
                origin.shown_at.map(|shown| effective_state::end_of_week(shown, task, now));
        }
        Ok(())
    }

    async fn restored(&self, ws: WorkspaceId) -> Result<Vec<Attention>, QueryError> {
        Ok(restored(&self.store.all(outdated::all(ws)).await?))
    }

    async fn providers(&self, ws: WorkspaceId) -> Result<Vec<Attention>, QueryError> {
        Ok(self.alerts(ws).await?.into_iter().map(of_provider).collect())
    }

    /// Marks the entries that the person has taken note of.
    async fn mark_acknowledged(
        &self,
        ws: WorkspaceId,
        all: &mut [Attention],
    ) -> Result<(), QueryError> {
        let ids: Vec<String> = all.iter().map(|one| one.id.clone()).collect();
        let mut known = HashMap::new();
        for page in ids.chunks(in_list::MOST) {
            for one in self.store.all(acknowledgement::of_some(ws, page)).await? {
                known.insert(one.entry.clone(), one);
            }
        }
        for one in all {
            one.acknowledged_at = noted_at(one, known.get(&one.id));
        }
        Ok(())
    }

    /// Budgets of today that leave no room for the next call.
    async fn used_up(&self, ws: WorkspaceId) -> Result<Vec<Attention>, QueryError> {
        let held = self.held_accounts(ws).await?;
        let end_of_day = self.end_of_day();
        let entry = |HeldAccount { agent, unit, spent }: HeldAccount| {
            let scope = agent.as_ref().map_or("workspace", |agent| agent.as_str());
            let budget = spent.budget.saturating_add(spent.extra);
            // As much again as nothing is nothing.
            let actions: &[AttentionAction] = match budget {
                0 => &[AttentionAction::Open],
                _ => &[AttentionAction::OnceMore, AttentionAction::Open],
            };
            Attention {
                expires_at: Some(end_of_day),
                agent_id: agent.clone(),
                ..Attention::new(
                    format!("budget:{scope}:{}", unit.name()),
                    AttentionCause::Budget {
                        unit,
                        used: spent.used,
                        budget,
                        next_call: spent.next_call.unwrap_or_default(),
                    },
                    spent.held_since.unwrap_or(self.clock.now()),
                    actions,
                )
            }
        };
        Ok(held.into_iter().map(entry).collect())
    }

    /// When the day of the workspace ends.
    fn end_of_day(&self) -> Timestamp {
        let now = self.clock.now();
        let tomorrow = now.day_in(&self.zone.get()).tomorrow().ok();
        let midnight = tomorrow.and_then(|day| day.to_zoned(self.zone.get()).ok());
        midnight.map_or(now, |midnight| Timestamp::from_jiff(midnight.timestamp()))
    }

    /// Agents that failed too often, and those whose last run failed.
    async fn stopped(&self, ws: WorkspaceId) -> Result<Vec<Attention>, QueryError> {
        let mut all = Vec::new();
        let dormant = self.store.each(agent_entity::failed(ws)).await?;
        for agent in dormant.into_iter().flatten().map(|agent| agent.doc.value) {
            if agent.lifecycle != Lifecycle::Dormant
                || agent.dormant_reason != Some(DormantReason::Failures)
            {
                continue;
            }
            let id = format!("agentDormant:{}", agent.id);
            all.push(Attention {
                agent_id: Some(agent.id),
                ..Attention::new(
                    id,
                    AttentionCause::AgentDormant { runs: limits::FAILURES_TO_DORMANT },
                    agent.updated_at,
                    &[AttentionAction::Resume, AttentionAction::Open],
                )
            });
        }
        let runs = self.store.each(wake_run::failed_last(ws, RUNS)).await?;
        let runs: Vec<_> = runs.into_iter().flatten().collect();
        let agents: BTreeSet<AgentId> =
            runs.iter().filter_map(|run| (&run.holder).try_into().ok()).collect();
        let agents: Vec<AgentId> = agents.into_iter().collect();
        let mut living = HashSet::new();
        for some in agents.chunks(in_list::MOST) {
            for agent in
                self.store.each(entity::some::<Agent>(ws, some)).await?.into_iter().flatten()
            {
                let agent = agent.doc.value;
                if matches!(agent.lifecycle, Lifecycle::Created | Lifecycle::Active) {
                    living.insert(agent.id);
                }
            }
        }
        for run in runs {
            let Ok(agent) = AgentId::try_from(&run.holder) else { continue };
            if !living.remove(&agent) {
                continue;
            }
            let since = run.completed_at.unwrap_or(run.created_at);
            all.push(Attention {
                agent_id: Some(agent),
                ..Attention::new(
                    format!("runFailed:{}", run.key),
                    AttentionCause::RunFailed { error: run.error },
                    since,
                    &[AttentionAction::Wake, AttentionAction::Open],
                )
            });
        }
        Ok(all)
    }

    /// Adds names and titles to a page.
    async fn name_them(&self, ws: WorkspaceId, all: &mut [Attention]) -> Result<(), QueryError> {
        let agents: BTreeSet<AgentId> = all.iter().filter_map(|one| one.agent_id.clone()).collect();
        let agents: Vec<AgentId> = agents.into_iter().collect();
        let names = self.names(ws, &agents).await?;
        let own = self.store.all(subscription::own_of_agents(ws, &agents)).await?;
        let own: HashMap<AgentId, TaskId> =
            own.into_iter().map(|own| (own.agent, own.task)).collect();
        for one in all.iter_mut() {
            let agent = one.agent_id.clone();
            let agent = agent.as_ref();
            let name = agent.and_then(|agent| names.get(agent).cloned());
            one.agent_name = name.or_else(|| one.agent_name.take());
            one.task_id = one.task_id.take().or_else(|| own.get(agent?).cloned());
        }
        let tasks: BTreeSet<String> =
            all.iter().filter_map(|one| Some(one.task_id.as_ref()?.to_string())).collect();
        let titles = self.titles(ws, &tasks.into_iter().collect::<Vec<_>>()).await?;
        for one in all {
            one.task_title = one.task_id.as_ref().and_then(|task| titles.get(task).cloned());
            one.text = one.words();
        }
        Ok(())
    }
}

/// What is wrong with a provider, or with one model of it.
fn of_provider(alert: ProviderAlert) -> Attention {
    let ProviderAlert { provider, why, since, until, detail } = alert;
    let id = format!("provider:{provider}");
    let cause = match why.known() {
        Some(
            ProviderUnavailable::Configuration
            | ProviderUnavailable::WrongAnswer
            | ProviderUnavailable::Authentication,
        ) => AttentionCause::ModelSetup { provider, why, detail },
        Some(
            ProviderUnavailable::Unreachable
            | ProviderUnavailable::Quota
            | ProviderUnavailable::ServerError
            | ProviderUnavailable::Outage,
        )
        | None => AttentionCause::Provider { provider, why, detail },
    };
    Attention {
        expires_at: Some(until),
        ..Attention::new(id, cause, since, &[AttentionAction::Open])
    }
}

/// One line for each restored database, as long as some agents have not reported since.
fn restored(outdated: &[Outdated]) -> Vec<Attention> {
    Db::ALL
        .into_iter()
        .filter_map(|db| {
            let mut of_db = outdated.iter().filter(|one| one.db == db);
            let first = of_db.next()?;
            let count = 1 + of_db.count();
            let database = match db {
                Db::Journal => RestoredDatabase::Journal,
                Db::Agent => RestoredDatabase::Agent,
            };
            Some(Attention::new(
                format!("restored:{}", db.name()),
                AttentionCause::Restored { database, count },
                first.at,
                &[AttentionAction::Wake, AttentionAction::Open],
            ))
        })
        .collect()
}

/// Where the proposals of an entry come from.
struct Origin {
    /// The agent, or the run of agent work, that made the first of them.
    proposer: HolderId,
    /// When the first of them was shown.
    shown_at: Option<Timestamp>,
}

/// The origins of entries about proposals, by the id of the entry.
type Origins = HashMap<String, Origin>;

/// Open proposals by task: those about to expire separately, and the rest without deferred ones.
fn proposals(open: Vec<OpenProposal>, origins: &mut Origins) -> Vec<Attention> {
    let mut all: BTreeMap<(bool, TaskId), (usize, Attention)> = BTreeMap::new();
    for OpenProposal { item, is_put_off, is_expiring } in open {
        if !is_expiring && is_put_off {
            continue;
        }
        let place = (is_expiring, item.task.clone());
        let cause = |count| match is_expiring {
            true => AttentionCause::Expiring { count },
            false => AttentionCause::Changes { count },
        };
        let (count, one) = all.entry(place).or_insert_with(|| {
            let none_yet = cause(0);
            let one = Attention {
                agent_id: AgentId::try_from(&item.proposer).ok(),
                task_id: Some(item.task.clone()),
                ..Attention::new(
                    format!("{}:{}", none_yet.kind(), item.task.as_str()),
                    none_yet,
                    item.created_at,
                    &[AttentionAction::Review],
                )
            };
            (0, one)
        });
        *count += 1;
        one.cause = cause(*count);
        one.since = one.since.max(item.created_at);
        let origin = origins
            .entry(one.id.clone())
            .or_insert_with(|| Origin { proposer: item.proposer, shown_at: None });
        origin.shown_at = origin.shown_at.into_iter().chain(item.shown_at).min();
    }
    all.into_values().map(|(_, one)| one).collect()
}

/// A position in the list: expiring items after the rest, newest first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(bool, Reverse<i64>, String);

impl Place {
    fn of(one: &Attention) -> Self {
        Self(
            one.cause.kind() == AttentionKind::Expiring,
            Reverse(one.since.micros()),
            one.id.clone(),
        )
    }

    /// Shape: 0 or 1, microseconds, the id, with dots between them.
    fn cursor(&self) -> String {
        format!("{}.{}.{}", u8::from(self.0), self.1.0, self.2)
    }

    fn read(cursor: &str) -> Result<Self, QueryError> {
        let (group, rest): (u8, String) = page::pair(cursor)?;
        let (at, id): (i64, String) = page::pair(&rest)?;
        match group {
            0 | 1 => Ok(Self(group == 1, Reverse(at), id)),
            _ => Err(page::foreign_cursor(cursor)),
        }
    }
}
