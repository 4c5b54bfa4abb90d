//! Who makes a request, and where a change comes from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::closed_list;
use crate::closed_list::NotListed;
use crate::id::{AgentId, HolderId, RuleId, WorkRunId, WorkspaceId};

/// The caller of a facade method, with their permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The workspace the call is limited to.
    pub workspace: WorkspaceId,
    /// Who makes the call; written to audit rows.
    pub actor: Actor,
    /// What the caller may do.
    pub scopes: Vec<Scope>,
    /// Who calls: a person, or a program that works on its own.
    pub kind: TokenKind,
}

impl Caller {
    /// The owner of a local data folder: every scope.
    pub fn owner(workspace: WorkspaceId) -> Self {
        Self {
            workspace,
            actor: Actor::Owner,
            scopes: Scope::ALL.to_vec(),
            kind: TokenKind::Person,
        }
    }

    /// Whether the caller holds a scope.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// Who is responsible for a write, as the audit log names them.
///
/// Shape of its name, in rows and in JSON: `owner`, `token:…`, `agent:…`, `rule:…`, `dormouse`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Actor {
    /// The person who owns the data folder.
    Owner,
    /// A bearer token, by its public id.
    Token(String),
    /// An agent, by a call of its own.
    Agent(AgentId),
    /// A rule of the person, which confirms what it was made for.
    Rule(RuleId),
    /// The program itself: proposals that expire, verdicts that a restored database has lost.
    Program,
    /// A client that did not prove who it is.
    Nobody,
    /// Another name: a newer version wrote it, or it is the holder of another kind of run.
    Other(String),
}

impl From<&HolderId> for Actor {
    fn from(holder: &HolderId) -> Self {
        let agent = holder.as_str().parse();
        agent.map_or_else(|_| Self::Other(holder.to_string()), Self::Agent)
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner => f.write_str("owner"),
            Self::Token(id) => write!(f, "token:{id}"),
            Self::Agent(id) => write!(f, "agent:{id}"),
            Self::Rule(id) => write!(f, "rule:{id}"),
            Self::Program => f.write_str("dormouse"),
            Self::Nobody => f.write_str("nobody"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

impl From<Actor> for String {
    fn from(actor: Actor) -> Self {
        actor.to_string()
    }
}

impl From<String> for Actor {
    fn from(name: String) -> Self {
        match name.as_str() {
            "owner" => return Self::Owner,
            "dormouse" => return Self::Program,
            "nobody" => return Self::Nobody,
            _ => {}
        }
        if let Some(id) = name.strip_prefix("token:") {
            return Self::Token(id.to_owned());
        }
        if let Some(id) = name.strip_prefix("rule:").and_then(|id| id.parse().ok()) {
            return Self::Rule(id);
        }
        let agent = name.strip_prefix("agent:").and_then(|id| id.parse().ok());
        agent.map_or(Self::Other(name), Self::Agent)
    }
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// Read everything of the workspace.
    Read,
    /// Propose changes.
    Propose,
    /// Edit the journal.
    Edit,
    /// Confirm, reject, defer and undo proposals.
    Decide,
    /// Manage agents, tokens and settings.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: &'static [Self] =
        &[Self::Read, Self::Propose, Self::Edit, Self::Decide, Self::Admin];

    /// The scopes that grant something, offered for new tokens. `propose` grants nothing yet;
    /// tokens that have it keep it.
    pub const OFFERED: &'static [Self] = &[Self::Read, Self::Edit, Self::Decide, Self::Admin];

    /// The scope's name in tokens and error messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Propose => "propose",
            Self::Edit => "edit",
            Self::Decide => "decide",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Scope {
    type Err = NotListed;

    fn from_str(text: &str) -> Result<Self, NotListed> {
        let known = Self::ALL.iter().copied().find(|scope| scope.name() == text);
        known.ok_or_else(|| not_listed("scope", text, Self::OFFERED.iter().map(|s| s.name())))
    }
}

closed_list! {
    /// Who holds a token.
    pub enum TokenKind, "kind" {
        /// A person, using a page or a program of their own.
        Person = "person",
        /// A program that works on its own.
        Agent = "agent",
        /// A client of the Model Context Protocol.
        Mcp = "mcp",
    }
}

impl TokenKind {
    /// Whether a token of this kind can hold a scope. A token that proposes must neither decide nor
    /// create a token that can.
    pub fn can_hold(self, scope: Scope) -> bool {
        match self {
            Self::Person => true,
            Self::Agent | Self::Mcp => !matches!(scope, Scope::Decide | Scope::Admin),
        }
    }
}

fn not_listed(
    what: &'static str,
    given: &str,
    allowed: impl Iterator<Item = &'static str>,
) -> NotListed {
    let given = given.chars().take(60).collect();
    NotListed { what, given, allowed: allowed.collect::<Vec<_>>().join(", ") }
}

/// The origin of a journal write; an argument of every journal write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Origin {
    /// A person, by hand or by confirming a proposal of `via`.
    Person {
        /// The agent, or the run of agent work, whose proposal was confirmed or undone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        via: Option<HolderId>,
    },
    /// An agent's own write.
    Agent {
        /// The agent.
        agent: AgentId,
    },
    /// What a run of agent work wrote by itself: its result, on the task that requested it.
    Work {
        /// The run.
        run: WorkRunId,
    },
    /// A file the person imported: its values count as set by the person.
    Import,
    /// An origin from a newer version. It is routed like a person's, so that no change is missed.
    #[serde(other)]
    Unknown,
}

impl Origin {
    /// The agent, or the run of agent work, whose proposal led to the change.
    pub fn via(&self) -> Option<&HolderId> {
        match self {
            Self::Person { via } => via.as_ref(),
            Self::Agent { .. } | Self::Work { .. } | Self::Import | Self::Unknown => None,
        }
    }

    /// What the holder of a lease writes by itself.
    pub fn own(holder: &HolderId) -> Self {
        match (AgentId::try_from(holder), WorkRunId::try_from(holder)) {
            (Ok(agent), _) => Self::Agent { agent },
            (_, Ok(run)) => Self::Work { run },
            _ => Self::Unknown,
        }
    }

    /// Whether no person is behind it.
    pub fn is_automatic(&self) -> bool {
        match self {
            Self::Agent { .. } | Self::Work { .. } => true,
            Self::Person { .. } | Self::Import | Self::Unknown => false,
        }
    }

    /// The author of the values: what `field_says.by` and `checkedBy` record.
    pub fn by(&self) -> By {
        match self {
            Self::Person { .. } | Self::Import | Self::Unknown => By::User,
            Self::Agent { .. } | Self::Work { .. } => By::Agent,
        }
    }
}

/// Who set a value last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum By {
    /// The person: by hand, by import or by confirming a proposal.
    #[default]
    User,
    /// An agent by itself.
    Agent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_has_one_name_in_rows_and_in_json() {
        let agent = format!("agent:ag-{}", "k".repeat(26));
        for name in ["owner", "dormouse", "nobody", "token:tk-1", &agent, "agent:test", "later:x"] {
            let actor = Actor::from(name.to_owned());
            assert_eq!(actor.to_string(), name);
            assert_eq!(serde_json::to_value(&actor).expect("a name"), name);
            assert_eq!(matches!(actor, Actor::Other(_)), ["agent:test", "later:x"].contains(&name));
        }
    }
}
