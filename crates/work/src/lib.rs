//! Agent work: what an agent does itself, by a schedule or because somebody asks for it.
//!
//! Owns: definitions with their instructions, which occurrences of a schedule, which changes of tasks and
//! which calls from outside become runs, the states of a run, its questions and corrections, what its
//! prompt holds, what it leaves behind, conversations.
//! Does not own: the queue and its claims (the scheduler), driving a run (the runs room), what a rule of
//! recurrence means (the formats room), the person's tasks. The failures it defends against: an
//! occurrence that runs twice or is lost without a row that says so, a run that counts as done because
//! its model stopped talking, a question that is asked in prose and never answered, a run that begins
//! although it was paused.
//!
//! A definition is written with each step of one of its runs, and each such commit is refused if the
//! definition was written since it was read. So everything that is decided about a definition and its
//! runs is decided one after another, on any number of nodes.
//!
//! Reading order: [`facts`], [`templates`], [`series_text`], [`planner`], [`attempt`], [`snapshot`], [`wording`],
//! [`repeated`], [`definition`], [`lifecycle`], [`occurrence`], [`execution`],
//! [`question`], [`conversation`], [`schedule`], [`events`], [`hook`], [`proposing`], [`delegated`], [`history`],
//! [`folding`], [`steps`], [`tools`], [`runner`], [`built_in`],
//! [`handler`], [`check`].

pub mod error;
pub mod facts;
pub mod templates;
pub mod series_text;
pub mod planner;
pub mod run_start;
pub mod attempt;
pub mod snapshot;
pub mod read_deliveries;
pub mod unsent_questions;
pub mod wording;
pub mod repeated;
pub mod definition;
mod standing_rule;
pub mod lifecycle;
pub mod occurrence;
pub mod execution;
pub mod question;
pub mod conversation;
pub mod schedule;
mod paused;
pub mod events;
pub mod hook;
pub mod proposing;
pub mod delegated;
pub mod history;
pub mod folding;
pub mod steps;
pub mod tools;
pub mod runner;
pub mod built_in;
pub mod handler;
pub mod check;

use std::sync::{Arc, OnceLock};

use dormouse_changes::Changes;
use dormouse_formats::recurrence::Person;
use dormouse_journal::Journal;
use dormouse_runs::Driver;
use dormouse_store::{Audit, ChangeRow, Once, Policy, Store};
use dormouse_types::audit::AuditAction;
use dormouse_types::built_in_work::{NoWorkRules, WorkRules};
use dormouse_types::port::{Clock, Entropy, NoSealingKeys, SealingKeys};
use dormouse_types::work::WorkCreator;
use dormouse_types::{Actor, EventKind, Origin, WorkId, WorkspaceZone, hash};

pub use error::WorkError;
pub use facts::Facts;
pub use templates::Templates;
pub use tools::TOOLS;

/// How often a request is decided before it fails as busy.
const ATTEMPTS: Policy = Policy::CONTENDED;

/// Defines agent work, plans and runs it. Cheap to clone.
#[derive(Clone)]
pub struct Work {
    pub(crate) store: Store,
    pub(crate) driver: Driver,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: WorkspaceZone,
    pub(crate) facts: Arc<dyn Facts>,
    pub(crate) templates: Arc<dyn Templates>,
    pub(crate) journal: Journal,
    pub(crate) changes: Changes,
    /// Set once, where the process is composed; shared by all clones.
    rules: Arc<OnceLock<Arc<dyn WorkRules>>>,
    /// Set once, too.
    keys: Arc<OnceLock<Arc<dyn SealingKeys>>>,
}

/// What [`Work`] is built from.
#[derive(Clone)]
pub struct Parts {
    /// The store of both databases.
    pub store: Store,
    /// The driver of runs.
    pub driver: Driver,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The person's time zone.
    pub zone: WorkspaceZone,
    /// What runs without a language model read.
    pub facts: Arc<dyn Facts>,
    /// The templates that runs follow.
    pub templates: Arc<dyn Templates>,
    /// The person's tasks.
    pub journal: Journal,
    /// What proposals to change them become.
    pub changes: Changes,
}

/// Who sends a request, and its idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestContext {
    /// Who sends it; written to the audit log.
    pub actor: Actor,
    /// Idempotency key, if the request has one.
    pub key: Option<String>,
    /// Whether they may decide in the place of the person.
    pub may_decide: bool,
    /// As whom they begin work and runs.
    pub creator: WorkCreator,
    /// What was sent, of a request whose words are read before it is decided: its key stands for that.
    pub sent: String,
}

impl RequestContext {
    /// Refuses who may not decide to end or to hide what needs the person.
    fn require_decider(&self, work: &WorkId, needs_person: bool) -> Result<(), WorkError> {
        match needs_person && !self.may_decide {
            true => Err(WorkError::NeedsDecide { work: work.clone() }),
            false => Ok(()),
        }
    }

    fn audit(&self, action: AuditAction, object: &str) -> Audit {
        Audit { actor: self.actor.clone(), action, object: object.into(), detail: String::new() }
    }

    fn once(&self, verb: &str, subject: &str, answer: &str) -> Option<Once> {
        self.key.as_ref().map(|key| Once {
            id: key.clone(),
            request: hash::joined(&[verb, subject]),
            answer: answer.to_owned(),
            effects: None,
        })
    }
}

impl Work {
    /// Creates the service from its parts.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, driver, clock, entropy, zone, facts, templates, journal, changes } =
            parts;
        Self {
            store,
            driver,
            clock,
            entropy,
            zone,
            facts,
            templates,
            journal,
            changes: changes.without_delegate(),
            rules: Arc::default(),
            keys: Arc::default(),
        }
    }

    /// Sets the rules by which work is done that needs no language model. Only the first call counts.
    pub fn set_rules(&self, rules: Arc<dyn WorkRules>) {
        // A second set of rules would change what a run does while it is under way.
        let _ = self.rules.set(rules);
    }

    /// The rules by which work is done that needs no language model.
    pub fn rules(&self) -> &dyn WorkRules {
        self.rules.get().map_or(&NoWorkRules, |rules| &**rules)
    }

    /// Sets where the key is that seals the secrets of hooks. Only the first call counts.
    pub fn set_sealing_keys(&self, keys: Arc<dyn SealingKeys>) {
        // As for the rules.
        let _ = self.keys.set(keys);
    }

    pub(crate) fn sealing_keys(&self) -> &dyn SealingKeys {
        self.keys.get().map_or(&NoSealingKeys, |keys| &**keys)
    }

    /// The person whose clock schedules without a zone follow.
    pub(crate) fn person(&self) -> Person {
        Person { zone: self.zone.get(), day_due_at: self.zone.day_starts() }
    }
}

/// Builds the change row of an event about a definition or a run.
pub(crate) fn event(kind: EventKind, subject: &str) -> ChangeRow {
    ChangeRow::agent(Origin::Person { via: None }, kind, None, subject)
}
