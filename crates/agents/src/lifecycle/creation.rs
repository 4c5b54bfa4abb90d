//! Creating the agent of a task.

use std::collections::BTreeMap;

use dormouse_store::agent::agent_entity::{
    self, Agent, Automation, Config, Lifecycle, Slots, State,
};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::subscription::{self, Subscription};
use dormouse_store::agent::{link, wake_queue};
use dormouse_store::doc::Doc;
use dormouse_store::{Commit, CommitError, Db, Refusal};
use dormouse_types::agent::{AgentKind, AgentLinkKind, AgentMode};
use dormouse_types::audit::AuditAction;
use dormouse_types::template::TemplateKind;
use dormouse_types::{
    AgentId, EventKind, Id as _, LinkId, StateId, TaskId, TemplateId, Timestamp, WorkspaceId,
    limits,
};

use super::{RequestContext, audit, once};
use crate::wake::due_date;
use crate::{AgentError, Agents};

/// Settings of a new agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewAgent {
    /// Display name; a stock name if `None`.
    pub name: Option<String>,
    /// The template that it follows; `None` is that of the category of its task, or the stock default.
    pub template: Option<TemplateId>,
    /// Whether a person created it explicitly. If not, it waits until its task has content.
    pub by_name: bool,
}

/// Stock names for agents without a name.
const NAMES: &[&str] = &[
    "Laura", "Milo", "Ida", "Theo", "Nora", "Emil", "Mara", "Juno", "Ada", "Bruno", "Clara",
    "Dario", "Elsa", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Leo", "Mina", "Nils",
    "Olga", "Paul", "Quinn", "Rosa", "Samu", "Tessa", "Uma", "Vito", "Wanda", "Xaver", "Yara",
    "Zeno", "Anouk", "Balu", "Carla", "Diego", "Edda", "Finn", "Gitta", "Henri", "Ilse", "Jasper",
    "Karla", "Linus", "Malia", "Noel", "Orla", "Pina", "Rufus", "Selma", "Tilo", "Ulla", "Vera",
    "Willa", "Yuna", "Zoe", "Aaron", "Birk", "Cleo", "Dora", "Enno", "Fritz",
];

impl Agents {
    /// Creates the agent of a task: agent, state, subscription, and a wake for its creation, in one
    /// commit.
    ///
    /// One commit, so there is never an agent that no change can wake. A second live agent for the
    /// task is refused by the store, which also settles a race of two creators.
    pub async fn create(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        new: &NewAgent,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        let view = self.journal.task(ws, task).await?;
        if view.deleted_at().is_some() {
            return Err(AgentError::TaskDeleted { task: task.clone() });
        }
        let now = self.clock.now();
        let id = AgentId::fresh(now, &*self.entropy);
        let state_id = StateId::fresh(now, &*self.entropy);
        let name = new.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        limits::TITLE.check(name.map_or(0, |name| name.chars().count()))?;
        let category = view.task.value.category_id.as_ref();
        let template = match &new.template {
            Some(id) => Some(self.assignable(ws, id, TemplateKind::TaskAgent).await?),
            None => self.template_of_category(ws, category).await?,
        };
        let agent = Agent {
            id: id.clone(),
            agent_id: id.clone(),
            kind: AgentKind::TaskAgent.into(),
            display_name: name.unwrap_or_else(|| stock_name(&id)).to_owned(),
            lifecycle: Lifecycle::Created,
            dormant_reason: None,
            mode: AgentMode::Autonomous.into(),
            allowed_category_ids: view.task.value.category_id.iter().cloned().collect(),
            current_state_id: state_id.clone(),
            config: Config {
                automation: Automation::Auto,
                by_name: new.by_name,
                template_id: template.as_ref().map(|template| template.doc.value.id.clone()),
                ..Config::default()
            },
            created_at: now,
            updated_at: now,
            deleted_at: None,
            destroyed_at: None,
        };
        let state = first_state(&state_id, &id, task, now);
        let subscription = Subscription {
            id: agent_entity::own_subscription(&id),
            agent: id.clone(),
            task: task.clone(),
        };
        let has_content = !view.entries.is_empty() || !view.items.is_empty();
        let due_at = (new.by_name || has_content).then_some(now);
        let link = |to: &str, kind: AgentLinkKind| {
            let link = LinkId::fresh(now, &*self.entropy);
            link::insert(ws, &link::Link::new(link, &id, to, kind, now))
        };
        // It may be archived or deleted meanwhile.
        let follows = template.as_ref().map(|template| entity::unchanged(ws, template));
        let mut commit = Commit::new("agent.create", Db::Agent, ws)
            .ops(follows)
            .op(subscription::insert_own(ws, &subscription, now))
            .op(entity::insert(ws, &agent))
            .op(entity::insert(ws, &state))
            .op(link(state_id.as_str(), AgentLinkKind::State))
            .op(link(task.as_str(), AgentLinkKind::Task))
            .op(wake_queue::insert(ws, &id, due_at, now))
            .op(due_date::timer(ws, &id, view.task.value.due_on, &self.zone.get(), now))
            .change(self.event(EventKind::AgentCreated, Some(task.clone()), id.as_str()))
            .audit(audit(context, AuditAction::AgentCreate, id.as_str()));
        let mut subject = format!("{task}|{}", name.unwrap_or_default());
        subject.extend(new.template.iter().flat_map(|id| ["|", id.as_str()]));
        commit.once = once(context, "agent.create", &subject, id.as_str());
        match self.store.commit(commit).await {
            Ok(committed) => match committed.replayed {
                Some(answer) => {
                    let first = answer.parse().map_err(|_| AgentError::NotFound { agent: id })?;
                    self.agent(ws, &first).await
                }
                None => {
                    let host = self.store.host(Db::Agent);
                    Ok(Stored::written(Doc::new(agent), host, committed.seq))
                }
            },
            Err(CommitError::Refused { refusal: Refusal::Exists, .. }) => {
                let live = self.of_task(ws, task).await?;
                let agent = live.map_or(id, |agent| agent.doc.value.id);
                Err(AgentError::Exists { task: task.clone(), agent })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The state of an agent that never woke.
fn first_state(id: &StateId, agent: &AgentId, task: &TaskId, now: Timestamp) -> State {
    State {
        id: id.clone(),
        agent_id: agent.clone(),
        revision: 0,
        slots: Slots { active_task_id: Some(task.clone()) },
        created_at: now,
        updated_at: now,
        last_wake_at: None,
        next_wake_at: None,
        sleep_until: None,
        recent_head_message_id: None,
        latest_summary_message_id: None,
        consecutive_failure_count: 0,
        processed_counter_by_host: BTreeMap::new(),
        heard_upto: Some(0),
        deleted_at: None,
    }
}

fn stock_name(id: &AgentId) -> &'static str {
    // The end of an id is random, so agents of one workspace rarely share a name; duplicates are
    // allowed.
    let end = id.as_str().bytes().rev().take(4);
    let sum = end.fold(0usize, |sum, byte| sum * 31 + usize::from(byte));
    NAMES[sum % NAMES.len()]
}
