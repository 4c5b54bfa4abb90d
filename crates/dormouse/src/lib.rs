//! The library: services that take a [`Caller`], plain data in and out.
//!
//! Owns: permissions (scopes), the wiring of the rooms, the problems a user can meet. Does not own:
//! wire formats, the environment, the process. It prints nothing and spawns nothing.
//!
//! Reading order: [`view`], [`error`], [`access`], [`read`], [`dates`], [`tasks`], [`imports`],
//! [`agents`], [`wake_preview`], [`change_sets`], [`attention`], [`templates`], [`work`], [`work_hooks`],
//! [`conversations`], `built_in_work`,
//! [`drain`], [`serve`].

#![warn(missing_docs)]

pub mod error;
pub mod access;
mod zone_settings;
mod settings;
pub mod read;
pub mod dates;
pub mod tasks;
pub mod task_links;
pub mod imports;
pub mod models;
pub mod agents;
pub mod wake_preview;
pub mod change_sets;
pub mod attention;
mod deliveries;
pub mod templates;
mod rules;
pub mod evolution;
pub mod work;
pub mod work_hooks;
mod work_occurrences;
pub mod conversations;
mod built_in_work;
mod work_facts;
mod work_templates;
pub mod drain;
pub mod run_outcome;
pub mod serve;
mod model_source;
mod request;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dormouse_access::Tokens;
use dormouse_agents::Agents;
use dormouse_agents::draft::drafts::Drafts;
use dormouse_changes::Changes;
use dormouse_journal::Journal;
use dormouse_queries::Queries;
use dormouse_runs::{Driver, Models};
use dormouse_scheduler::{Chore, Handler, Scheduler};
use dormouse_store::backend::postgres::{self, Postgres};
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_types::built_in_work::WorkRules;
use dormouse_types::directive::DirectiveRules;
use dormouse_types::port::{Clock, Compute, Entropy, InlineCompute, Model, NoFaults, SealingKeys};
use dormouse_types::{WorkspaceId, WorkspaceZone};

use dormouse_work::Work;
use dormouse_work::delegated::{Delegated, Results};
use dormouse_work::events::Events;
use dormouse_work::handler::WorkRuns;
use dormouse_work::hook::bodies::Bodies;
use dormouse_work::question::Expiry;
use dormouse_work::read_deliveries::ReadDeliveries;
use dormouse_work::schedule::Schedules;
use dormouse_work::unsent_questions::UnsentQuestions;

use model_source::ModelSource;
use models::RunProber;
use work_facts::FactsOfQueries;
use work_templates::TemplatesOfAgents;
use zone_settings::ZoneSettings;

pub use access::NewToken;
pub use change_sets::{DecidedItems, Shown, VerdictOf};
pub use conversations::NewTurn;
pub use dormouse_agents::draft::drafts::ReportDraft;
pub use dormouse_agents::lifecycle::AgentPatch;
pub use dormouse_agents::template::evolution::Approval as EvolutionApproval;
pub use dormouse_agents::template::{NewPolicy, NewTemplate, TemplatePatch};
pub use dormouse_changes::rule::service::NewRule;
pub use dormouse_changes::set::effective_state::KnownValue;
pub use dormouse_formats::export::{ExportFormat, Lost};
pub use dormouse_journal::{Deleted, Due, Sort};
pub use dormouse_queries::{
    AgentFilter, AgentPresence, AttentionFilter, MessageFilter, OperationFilter, RunDays,
    TaskFilter, WorkFilter, events, view,
};
pub use dormouse_store::agent::conversation::TaskRef;
pub use dormouse_store::backend::postgres::OpenError as OpenPostgresError;
pub use dormouse_store::backend::sqlite::OpenError;
pub use dormouse_store::{Db, Store};
pub use dormouse_types::problem::{ProblemKind, Retry};
pub use dormouse_types::{Caller, Verdict};
pub use drain::{DrainReport, DrainScope};
pub use error::{Error, Problem};
pub use imports::{ImportAgents, ImportFile, ImportOptions, ImportPlan};
pub use read::{Export, ExportLoss, ExportLosses, Selection, TaskFile};
pub use serve::{ServeEvent, ServeOptions};
pub use settings::{SettingsPatch, WorkspaceSettings};
pub use tasks::{EntryPatch, ItemPatch, NewEntry, NewTask, TaskPatch};
pub use work::{NewWork, TranscriptFile, WorkPatch};

/// The workspace of a local data folder.
pub const WORKSPACE: WorkspaceId = WorkspaceId(1);

/// Checks the databases of a data folder without opening them for work.
pub mod doctor {
    use std::path::Path;

    use crate::view::Diagnosis;

    /// Adds findings about the databases of a folder to a diagnosis.
    ///
    /// Writes nothing except the mark of a damaged page, and waits for no lock. Anything unreadable
    /// becomes a finding.
    pub fn examine(folder: &Path, diagnosis: &mut Diagnosis) {
        dormouse_queries::doctor::examine(folder, crate::WORKSPACE, diagnosis);
    }
}

/// All services. Cheap to clone.
#[derive(Clone)]
pub struct Dormouse {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) changes: Changes,
    pub(crate) agents: Agents,
    pub(crate) work: Work,
    /// Runs agents and agent work, which are registered with it side by side.
    pub(crate) scheduler: Scheduler,
    pub(crate) drafts: Arc<Drafts>,
    pub(crate) queries: Queries,
    pub(crate) models: Models,
    pub(crate) source: ModelSource,
    pub(crate) prober: Arc<RunProber>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tokens: Tokens,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: WorkspaceZone,
    pub(crate) zone_settings: Arc<ZoneSettings>,
    pub(crate) compute: Arc<dyn Compute>,
    pub(crate) directive_rules: Option<Arc<dyn DirectiveRules>>,
}

/// The parts the services are built from.
pub struct Parts {
    /// Both databases.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The model that agents call.
    pub model: Arc<dyn Model>,
    /// The time zone of the workspace, which defines "today" and "by Friday": that which is stored, or which
    /// holds until a person chooses one.
    pub zone: jiff::tz::TimeZone,
    /// The name under which this process holds leases.
    pub owner: String,
}

impl Dormouse {
    /// Wires the rooms together.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, clock, entropy, model, zone, owner } = parts;
        let zone_settings = Arc::new(ZoneSettings::new(zone.clone()));
        let zone = WorkspaceZone::from(zone);
        let journal = Journal::new(store.clone(), clock.clone(), entropy.clone());
        let changes = Changes::new(
            store.clone(),
            journal.clone(),
            clock.clone(),
            entropy.clone(),
            zone.clone(),
        );
        let source = ModelSource::of_built_in(model.clone());
        let models = Models::new(model);
        let drafts = Arc::new(Drafts::default());
        let prober = Arc::new(RunProber::default());
        let driver = Driver::new(store.clone(), clock.clone(), entropy.clone(), models.clone())
            .in_zone(zone.clone())
            .with_sink(drafts.clone())
            .with_prober(prober.clone());
        let agents_with = |changes: Changes| {
            Agents::new(dormouse_agents::Parts {
                store: store.clone(),
                journal: journal.clone(),
                changes,
                driver: driver.clone(),
                clock: clock.clone(),
                entropy: entropy.clone(),
                zone: zone.clone(),
            })
        };
        let agents = agents_with(changes.clone());
        // Agent work reads by agents that start no work: else it would hold itself, and no database would be
        // closed at the end.
        let readers = agents_with(changes.without_delegate());
        let facts = FactsOfQueries(Queries::new(dormouse_queries::Parts {
            store: store.clone(),
            journal: journal.clone(),
            agents: readers.clone(),
            models: models.clone(),
            clock: clock.clone(),
            zone: zone.clone(),
        }));
        let work = Work::new(dormouse_work::Parts {
            store: store.clone(),
            driver: driver.clone(),
            clock: clock.clone(),
            entropy: entropy.clone(),
            zone: zone.clone(),
            facts: Arc::new(facts),
            templates: Arc::new(TemplatesOfAgents(readers)),
            journal: journal.clone(),
            changes: changes.clone(),
        });
        changes.set_delegate(Arc::new(Delegated(work.clone())));
        let lease = dormouse_store::lease::term();
        let scheduler = Scheduler::new(dormouse_scheduler::Parts {
            store: store.clone(),
            clock: clock.clone(),
            owner,
            lease,
            handlers: agents
                .handlers()
                .into_iter()
                .chain([Arc::new(WorkRuns(work.clone())) as Arc<dyn Handler>])
                .collect(),
            chores: chores(&agents, &work, lease),
        });
        let queries = Queries::new(dormouse_queries::Parts {
            store: store.clone(),
            journal: journal.clone(),
            agents: agents.clone(),
            models: models.clone(),
            clock: clock.clone(),
            zone: zone.clone(),
        });
        let tokens = Tokens::new(store.clone(), clock.clone(), entropy.clone());
        let compute = Arc::new(InlineCompute);
        Self {
            store,
            journal,
            changes,
            agents,
            work,
            scheduler,
            drafts,
            queries,
            tokens,
            models,
            source,
            prober,
            clock,
            entropy,
            zone,
            zone_settings,
            compute,
            directive_rules: None,
        }
    }

    /// The same services, which do agent work without a language model by these rules. Call it once,
    /// where the process is composed.
    #[must_use]
    pub fn with_work_rules(self, rules: Arc<dyn WorkRules>) -> Self {
        self.work.set_rules(rules);
        self
    }

    /// The same services, which show what these rules understand of directives.
    #[must_use]
    pub fn with_directive_rules(mut self, rules: Arc<dyn DirectiveRules>) -> Self {
        self.directive_rules = Some(rules);
        self
    }

    /// The same services, which seal the secrets of hooks by a key that is kept there. Call it once, where
    /// the process is composed.
    #[must_use]
    pub fn with_sealing_keys(self, keys: Arc<dyn SealingKeys>) -> Self {
        self.work.set_sealing_keys(keys);
        self
    }

    /// The same services, which read large files on `compute`.
    #[must_use]
    pub fn with_compute(self, compute: Arc<dyn Compute>) -> Self {
        Self { compute, ..self }
    }

    /// The same services, which also run holders of another kind: the same loop claims them, drives
    /// them and takes them over, whatever they do.
    #[must_use]
    pub fn with_handler(mut self, handler: Arc<dyn Handler>) -> Self {
        self.scheduler = self.scheduler.with_handler(handler);
        self
    }

    /// The same services with this lease duration, after which another node takes over from a dead
    /// one.
    #[must_use]
    pub fn with_lease(mut self, lasts: Duration) -> Self {
        let chores = chores(&self.agents, &self.work, lasts);
        self.scheduler = self.scheduler.with_lease(lasts, chores);
        self
    }
}

/// The background work of a node, in the order in which it runs.
fn chores(agents: &Agents, work: &Work, lease: Duration) -> Vec<Arc<dyn Chore>> {
    let mut chores = agents.chores(lease);
    chores.extend::<[Arc<dyn Chore>; 7]>([
        Arc::new(Results(work.clone())),
        Arc::new(Schedules(work.clone())),
        Arc::new(Events(work.clone())),
        Arc::new(Expiry(work.clone())),
        Arc::new(Bodies(work.clone())),
        Arc::new(UnsentQuestions(work.clone())),
        Arc::new(ReadDeliveries(work.clone())),
    ]);
    chores
}

/// Opens or creates the databases of a data folder. The caller holds the folder's lock.
///
/// Errors: the folder cannot be written, a file is not a database, or a newer version wrote it.
pub fn open_folder(
    folder: &Path,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Store, OpenError> {
    let sqlite = Sqlite::open(folder, clock, &**entropy)?;
    Ok(Store::new(Arc::new(sqlite), Arc::new(NoFaults)))
}

/// Opens a data folder in which a database is missing, and creates a new, empty one. The caller
/// holds the folder's lock.
///
/// Errors: those of [`open_folder`], or the database is not missing.
pub fn open_folder_without(
    missing: Db,
    folder: &Path,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Store, OpenError> {
    let sqlite = Sqlite::open_without(missing, folder, clock, &**entropy)?;
    Ok(Store::new(Arc::new(sqlite), Arc::new(NoFaults)))
}

/// Opens the databases of a Postgres server, creating missing schemas. Any number of nodes may have
/// them open.
///
/// Errors: the URL is invalid, the server does not respond, the schemas cannot be written, or a
/// newer version wrote them.
pub async fn open_postgres(
    url: &str,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Store, OpenPostgresError> {
    let postgres = Postgres::connect(options(url, clock), &**entropy).await?;
    Ok(Store::new(Arc::new(postgres), Arc::new(NoFaults)))
}

/// Opens a Postgres server on which one of the two schemas is missing, and creates a new, empty
/// one.
///
/// Errors: those of [`open_postgres`], or the schema is not missing.
pub async fn open_postgres_without(
    missing: Db,
    url: &str,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Store, OpenPostgresError> {
    let postgres = Postgres::connect_without(missing, options(url, clock), &**entropy).await?;
    Ok(Store::new(Arc::new(postgres), Arc::new(NoFaults)))
}

fn options(url: &str, clock: &Arc<dyn Clock>) -> postgres::Options {
    postgres::Options {
        url: url.to_owned(),
        prefix: String::new(),
        time: postgres::Time::Database,
        clock: clock.clone(),
    }
}

/// The time zone of a data folder, taken from the system once and stored.
///
/// Errors: the setting is not a time zone, or the journal cannot be read or written.
pub async fn settled_zone(
    store: &Store,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
    system: &jiff::tz::TimeZone,
) -> Result<jiff::tz::TimeZone, Error> {
    let journal = Journal::new(store.clone(), clock.clone(), entropy.clone());
    let unset = jiff::tz::TimeZone::unknown();
    let stored = journal.zone(WORKSPACE, &unset).await?;
    if stored != unset {
        return Ok(stored);
    }
    let name = system.iana_name().unwrap_or("UTC");
    Ok(journal.set_zone(WORKSPACE, name, &dormouse_types::Actor::Program).await?)
}
