//! Why an operation on a template was refused.

use dormouse_types::template::TemplateKind;
use dormouse_types::{CategoryId, EvolutionSessionId, TemplateId};

/// Why an operation on a template was refused. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// There is no such template. Retry: never.
    #[error("there is no template {template}: list the templates for their ids")]
    NotFound { template: TemplateId },
    /// The template has no such version. Retry: never.
    #[error("template {template} has no version {version}: list its versions for their numbers")]
    NoVersion { template: TemplateId, version: i64 },
    /// The template was changed since it was read. Retry: after reading it again.
    #[error(
        "template {template} has changed (expected revision {expected}, found {found}): read it again, and repeat the change if it still fits"
    )]
    Changed { template: TemplateId, expected: i64, found: i64 },
    /// Agents or agent work follow it. Retry: after assigning another template to them.
    #[error(
        "{} template {template}: assign another one to {} first, or archive the template", followers(*.n_agents, *.n_work), if *.n_agents + *.n_work == 1 { "it" } else { "them" }
    )]
    InUse { template: TemplateId, n_agents: usize, n_work: usize },
    /// It is the one that agents without a template follow. Retry: never.
    #[error(
        "template {template} stays: it is what agents follow that have no template of their own; edit it instead"
    )]
    IsDefault { template: TemplateId },
    /// It is archived. Retry: after taking it out of the archive.
    #[error("template {template} is archived: take it out of the archive first")]
    Archived { template: TemplateId },
    /// It has no version in use. Retry: after activating one.
    #[error("template {template} has no active version: activate one first")]
    NoActive { template: TemplateId },
    /// The version is not in use, so nobody follows it. Retry: with the active one.
    #[error(
        "version {version} of template {template} is not the active one: read the template again"
    )]
    NotActive { template: TemplateId, version: i64 },
    /// It is for something else. Retry: never.
    #[error("template {template} is of the kind {kind}: only one of the kind {wanted} fits here")]
    WrongKind { template: TemplateId, kind: String, wanted: TemplateKind },
    /// There is no such category. Retry: never.
    #[error("there is no category {category}")]
    NoCategory { category: CategoryId },
    /// A text that a prompt cannot hold. Retry: with another text.
    #[error("{message}")]
    Text { field: &'static str, message: String },
    /// A session about it goes on. Retry: once that is approved or abandoned.
    #[error(
        "template {template} already has session {session}: approve or abandon it before another one"
    )]
    EvolutionActive { template: TemplateId, session: EvolutionSessionId },
    /// No session about it goes on. Retry: after starting one.
    #[error("no session about template {template} goes on: start one first")]
    NoEvolution { template: TemplateId },
    /// It never had such a session. Retry: never.
    #[error("template {template} has no session {session}: list its sessions for their ids")]
    NoSession { template: TemplateId, session: EvolutionSessionId },
    /// The session has no such proposal to decide. Retry: after reading the session again.
    #[error("session {session} has no such proposal that waits for you: read it again")]
    NoProposal { session: EvolutionSessionId },
    /// Another version is active than the proposal was made for. Retry: after another proposal.
    #[error(
        "version {found} of template {template} is active, and this is about version {expected}: ask for a proposal for the present version"
    )]
    Moved { template: TemplateId, expected: i64, found: i64 },
    /// Nothing was said. Retry: with text.
    #[error("the message is empty: write what you want to say about the template")]
    EmptyMessage,
    /// Others keep changing it. Retry: later.
    #[error("template {template} is being changed by others: try again")]
    Busy { template: TemplateId },
}

/// Who follows a template, with the verb.
fn followers(n_agents: usize, n_work: usize) -> String {
    let agents = match n_agents {
        0 => None,
        1 => Some("1 agent".to_owned()),
        n => Some(format!("{n} agents")),
    };
    let work = match n_work {
        0 => None,
        1 => Some("1 piece of agent work".to_owned()),
        n => Some(format!("{n} pieces of agent work")),
    };
    let all: Vec<String> = agents.into_iter().chain(work).collect();
    let verb = if n_agents + n_work == 1 { "follows" } else { "follow" };
    format!("{} {verb}", all.join(" and "))
}
