//! What a session shows of how a template does: figures, versions, reports, observations, notes.

use std::collections::BTreeMap;
use std::time::Duration;

use dormouse_runs::run_log;
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity;
use dormouse_store::agent::evolution::{self, Note, Session};
use dormouse_store::agent::message::{self, Message as AgentMessage};
use dormouse_store::agent::report::{self, Report};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::template::{Template, TemplateVersion};
use dormouse_store::agent::template_metrics::{self, CallCost, ItemCount, RunCount, Wanted};
use dormouse_store::in_list;
use dormouse_types::agent::{ItemStatus, MessageKind, RunStatus};
use dormouse_types::closed_list::Listed;
use dormouse_types::evolution::ToolVerdicts;
use dormouse_types::spend::Unit;
use dormouse_types::{AgentId, ReportId, RunKey, Timestamp, WorkspaceId};

use crate::template::edit::kind_of;
use crate::template::effective::Effective;
use crate::template::stock;
use crate::{AgentError, Agents};

/// Over how many days figures are counted.
pub(super) const DAYS: u64 = 90;
/// The most versions, reports, observations and notes.
const VERSIONS: i64 = 5;
const REPORTS: usize = 10;
const OBSERVATIONS: usize = 10;
const NOTES: i64 = 30;
/// The most agents whose reports are looked at.
const AGENTS: i64 = 100;

/// A text about the work of an agent, with what it was made of.
#[derive(Debug, Clone)]
pub(super) struct Excerpt {
    pub(super) at: Timestamp,
    pub(super) text: String,
    pub(super) sources: Vec<Source>,
}

/// What calls of models cost in one unit.
#[derive(Debug, Clone)]
pub(super) struct Cost {
    pub(super) unit: Listed<Unit>,
    pub(super) calls: i64,
    pub(super) cost: i64,
}

/// What a session shows of its template.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    pub(super) template: Template,
    pub(super) version: TemplateVersion,
    pub(super) effective: Effective,
    pub(super) n_agents: usize,
    pub(super) wakes: Vec<(Listed<RunStatus>, i64)>,
    pub(super) cost: Vec<Cost>,
    pub(super) verdicts: Vec<ToolVerdicts>,
    /// Newest first, as everything below.
    pub(super) versions: Vec<TemplateVersion>,
    pub(super) reports: Vec<Excerpt>,
    pub(super) observations: Vec<Excerpt>,
    pub(super) notes: Vec<Note>,
}

impl Agents {
    /// Reads what a session shows; the number of queries does not grow with the data.
    pub(super) async fn evolution_evidence(
        &self,
        ws: WorkspaceId,
        session: &Session,
    ) -> Result<Evidence, AgentError> {
        let (store, id) = (&self.store, &session.agent_id);
        let template = self.template(ws, id).await?.doc.value;
        let version = self.active_version(ws, id).await?.doc.value;
        let effective = Effective::of(&version, kind_of(&template));
        let is_default = stock::DEFAULT.id() == *id;
        let now = self.clock.now();
        let ago = Duration::from_secs(DAYS * 24 * 3600);
        let since = Timestamp::from_micros(
            now.micros().saturating_sub(i64::try_from(ago.as_micros()).unwrap_or(i64::MAX)),
        );
        let wanted = Wanted { template: id, is_default, weeks: &[since] };
        let followers = evolution::followers(ws, id, is_default, AGENTS);
        let followers: Vec<Agent> = store
            .each(followers)
            .await?
            .into_iter()
            .flatten()
            .map(|stored| stored.doc.value)
            .collect();
        let ids: Vec<AgentId> = followers.iter().map(|agent| agent.id.clone()).collect();
        let versions = store.each(entity::of_agent::<TemplateVersion>(ws, id, VERSIONS)).await?;
        let notes = store.each(entity::of_agent::<Note>(ws, id, NOTES)).await?;
        let reports = self.newest_reports(ws, &ids).await?;
        let observations = self.newest_observations(ws, &reports).await?;
        Ok(Evidence {
            n_agents: self.agents_of_template(ws, id).await?,
            wakes: by_status(store.all(template_metrics::runs(ws, &wanted)).await?),
            cost: by_unit(store.all(template_metrics::cost(ws, &wanted)).await?),
            verdicts: by_tool(store.all(template_metrics::items(ws, &wanted)).await?),
            versions: versions.into_iter().flatten().map(|stored| stored.doc.value).collect(),
            reports: reports.iter().filter_map(excerpt).collect(),
            observations,
            notes: notes.into_iter().flatten().map(|stored| stored.doc.value).collect(),
            template,
            version,
            effective,
        })
    }

    async fn newest_reports(
        &self,
        ws: WorkspaceId,
        agents: &[AgentId],
    ) -> Result<Vec<Report>, AgentError> {
        let mut heads = Vec::new();
        for page in agents.chunks(in_list::MOST) {
            heads.extend(self.store.each(report::heads(ws, page)).await?.into_iter().flatten());
        }
        let mut heads: Vec<_> = heads.into_iter().map(|head| head.doc.value).collect();
        heads.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
        heads.truncate(REPORTS);
        let ids: Vec<ReportId> = heads.into_iter().map(|head| head.report_id).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let reports = self.store.all(report::by_ids(ws, &ids)).await?;
        let mut reports: Vec<Report> =
            reports.into_iter().flatten().map(|stored| stored.doc.value).collect();
        reports.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        Ok(reports)
    }

    /// The newest observations of the agents whose reports are shown.
    async fn newest_observations(
        &self,
        ws: WorkspaceId,
        reports: &[Report],
    ) -> Result<Vec<Excerpt>, AgentError> {
        let mut messages: Vec<AgentMessage> = Vec::new();
        for report in reports {
            let newest = message::newest_of_kind(
                ws,
                &report.agent_id,
                MessageKind::Observation,
                OBSERVATIONS,
            );
            let newest = self.store.each(newest).await?.into_iter().flatten();
            messages.extend(newest.map(|stored| stored.doc.value));
        }
        messages.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        messages.dedup_by(|a, b| a.id == b.id);
        messages.truncate(OBSERVATIONS);
        let texts = run_log::texts(&self.store, ws, &messages).await?;
        let excerpts = messages.iter().zip(texts).filter_map(|(message, text)| {
            let run = message.metadata.run_key.as_ref();
            let source = run.map_or(Source::Unknown, |run| Source::Run(RunKey(run.clone())));
            Some(Excerpt { at: message.created_at, text: text?, sources: vec![source] })
        });
        Ok(excerpts.collect())
    }
}

fn by_status(counts: Vec<RunCount>) -> Vec<(Listed<RunStatus>, i64)> {
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    for count in counts {
        *sums.entry(count.status.name().to_owned()).or_default() += count.n;
    }
    sums.into_iter().map(|(status, n)| (Listed::named(&status), n)).collect()
}

fn by_unit(counts: Vec<CallCost>) -> Vec<Cost> {
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for count in counts {
        let sum = sums.entry(count.unit.name().to_owned()).or_default();
        *sum = (sum.0 + count.calls, sum.1 + count.cost);
    }
    let cost =
        |(unit, (calls, cost)): (String, _)| Cost { unit: Listed::named(&unit), calls, cost };
    sums.into_iter().map(cost).collect()
}

/// What the person decided; what a rule confirmed says nothing about the proposals.
fn by_tool(counts: Vec<ItemCount>) -> Vec<ToolVerdicts> {
    let mut sums: BTreeMap<String, ToolVerdicts> = BTreeMap::new();
    for count in counts.into_iter().filter(|count| !count.is_by_rule) {
        let n = u64::try_from(count.n).unwrap_or(0);
        let (confirmed, rejected) = match count.state.known() {
            Some(ItemStatus::Confirmed) => (n, 0),
            Some(ItemStatus::Rejected) => (0, n),
            _ => continue,
        };
        let tool = count.tool.clone();
        let sum =
            sums.entry(count.tool).or_insert(ToolVerdicts { tool, confirmed: 0, rejected: 0 });
        sum.confirmed += confirmed;
        sum.rejected += rejected;
    }
    sums.into_values().collect()
}

/// A report as a session shows it; `None` if it says nothing.
fn excerpt(report: &Report) -> Option<Excerpt> {
    let content = match &report.content {
        serde_json::Value::String(text) => text.trim().to_owned(),
        serde_json::Value::Object(parts) if !parts.is_empty() => report.content.to_string(),
        _ => String::new(),
    };
    let tldr = report.tldr.as_deref().unwrap_or_default().trim();
    let text = [tldr, &content].into_iter().filter(|text| !text.is_empty());
    let text = text.collect::<Vec<_>>().join("\n");
    let run = report.provenance["runKey"].as_str();
    let run = run.map_or(Source::Unknown, |run| Source::Run(RunKey(run.to_owned())));
    let added = report.sources.clone().unwrap_or_else(|| vec![Source::Unknown]);
    let sources = std::iter::once(run).chain(added).collect();
    (!text.is_empty()).then_some(Excerpt { at: report.created_at, text, sources })
}
