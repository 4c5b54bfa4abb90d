//! The composition root: opens the store, wires every part, and runs the agents that are due.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use dormouse::view::RunOutcome;
use dormouse::{Db, Dormouse, DrainReport, DrainScope, Parts, Store, WORKSPACE};
use dormouse_adapters::{OsEntropy, SystemClock, ThreadPool};
use dormouse_builtin::work::Rules;
use dormouse_builtin::{Builtin, Offloaded};
use dormouse_types::port::{Clock, Compute, Entropy, Model};
use dormouse_types::{Caller, HostId, Id as _};

use crate::client::Client;
use crate::config::Config;
use crate::failure::Failure;
use crate::folder::{Folder, FolderError, FolderState};
use crate::sealing_key::SealingKey;
use crate::server_file::Server;
use crate::terminal::note;

/// At most so many threads compute; wakes beyond that wait for one.
const COMPUTE_THREADS: usize = 4;
/// The most threads that read imported files.
const READING_THREADS: usize = 2;

/// Where the data is.
pub enum Backend {
    InProcess(Box<Engine>),
    /// In a server, which does the work.
    Remote(Server),
}

/// Everything that runs in this process.
pub struct Engine {
    /// All services.
    pub dormouse: Dormouse,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The owner name of this process's leases.
    owner: String,
    // Held until the end, so that no second process writes. `None` if several nodes share the
    // database, or another process holds the folder.
    _folder: Option<Folder>,
}

impl Backend {
    /// Finds the server of the data folder, or locks the folder. A shared database needs neither.
    ///
    /// Errors: the folder is in use or cannot be used, or the store cannot be opened.
    pub async fn find(config: &Config) -> Result<Self, Failure> {
        let folder = match &config.database {
            Some(_) => None,
            None => match open_or_find_server(config).await? {
                FolderState::Free(folder) => Some(folder),
                FolderState::Served(server) => return Ok(Self::Remote(server)),
            },
        };
        Ok(Self::InProcess(Box::new(Engine::start(config, folder).await?)))
    }
}

/// Checks who uses the data folder, and locks it if it is free.
///
/// Errors: the folder is in use or cannot be used.
pub async fn open_or_find_server(config: &Config) -> Result<FolderState, Failure> {
    let answers = async |server: &Server| Client::of(server.clone()).is_answered().await;
    Folder::open_or_find_server(&config.data, &SystemClock, answers, note).await.map_err(no_folder)
}

impl Engine {
    /// Opens the store and completes what a crash interrupted.
    ///
    /// Errors: the store cannot be opened.
    pub async fn start(config: &Config, folder: Option<Folder>) -> Result<Self, Failure> {
        Self::begin(config, folder, None).await
    }

    /// Creates a new database in place of a missing one, and informs the agents.
    ///
    /// Errors: it is not missing, or the store cannot be opened.
    pub async fn start_without(missing: Db, config: &Config) -> Result<(), Failure> {
        Self::begin(config, None, Some(missing)).await.map(drop)
    }

    async fn begin(
        config: &Config,
        folder: Option<Folder>,
        missing: Option<Db>,
    ) -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let entropy: Arc<dyn Entropy> = Arc::new(
            OsEntropy::open()
                .map_err(|e| Failure::failed(format!("/dev/urandom cannot be read: {e}")))?,
        );
        let store = open(config, missing, &clock, &entropy).await?;
        // Log a damaged page whatever the operation was that found it.
        let ended = store.clone();
        let store_failure = move |e: &dormouse::Error| match ended.writing_ended() {
            Some(why) => Failure::failed(why),
            None => failure(e),
        };
        let owner = match &config.database {
            None => format!("process-{}", std::process::id()),
            // Process ids can be equal on several machines.
            Some(_) => HostId::fresh(clock.now(), &*entropy).as_str().replace("ho-", "node-"),
        };
        let zone = dormouse::settled_zone(&store, &clock, &entropy, &config.zone)
            .await
            .map_err(|e| store_failure(&e))?;
        // Large files of an import must not keep the rules waiting.
        let (thinking, reading) = (compute(COMPUTE_THREADS)?, compute(READING_THREADS)?);
        let port = clock.clone();
        let parts = Parts {
            store,
            clock,
            entropy: entropy.clone(),
            model: model(config, thinking),
            zone,
            owner: owner.clone(),
        };
        let host = crate::models::host(config, port, &owner)?;
        let mut dormouse = Dormouse::new(parts)
            .with_compute(reading)
            .with_work_rules(Arc::new(Rules))
            .with_directive_rules(Arc::new(Builtin))
            .with_sealing_keys(Arc::new(SealingKey::of(config)))
            .with_model_host(host, config.model.clone());
        if let Some(lease) = config.lease {
            dormouse = dormouse.with_lease(lease);
        }
        dormouse.seed_templates().await.map_err(|e| store_failure(&e))?;
        dormouse.load_models().await.map_err(|e| store_failure(&e))?;
        let finished = match &config.database {
            None => dormouse.recover().await,
            // Other nodes may be alive; leave their leases alone.
            Some(_) => dormouse.recover_silent().await,
        };
        for finished in finished.map_err(|e| store_failure(&e))? {
            note(&format!("recovered: {finished}"));
        }
        Ok(Self { dormouse, entropy, owner, _folder: folder })
    }

    /// Where this process starts among agents of equal rank, so that nodes do not all try the same
    /// one.
    pub fn offset(&self) -> usize {
        if self.owner.starts_with("process-") {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        self.owner.hash(&mut hasher);
        usize::from(hasher.finish().to_le_bytes()[0])
    }

    /// Whether this process holds the data folder, so that no other process changes it.
    pub fn is_alone(&self) -> bool {
        self._folder.is_some()
    }

    /// This process's router, with all rights of the owner.
    pub fn router(&self) -> axum::Router {
        dormouse_server::router(self.dormouse.clone(), Caller::owner(WORKSPACE))
    }

    /// A client of this process's router.
    pub fn client(&self) -> Client {
        Client::new(self.router())
    }

    /// Wakes the agents that are due because of these tasks and agents, until `stop`.
    pub async fn drain(
        &self,
        scope: DrainScope,
        stop: impl Future<Output = ()> + Send + 'static,
        on_run: &mut (dyn FnMut(RunOutcome) + Send),
    ) -> Result<DrainReport, Failure> {
        self.dormouse.drain_until(scope, Box::pin(stop), on_run).await.map_err(|e| failure(&e))
    }
}

async fn open(
    config: &Config,
    missing: Option<Db>,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Store, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::failed(e.to_string());
    let data = &config.data;
    let store = match (&config.database, missing) {
        (None, None) => dormouse::open_folder(data, clock, entropy).map_err(|e| failed(&e))?,
        (None, Some(db)) => {
            dormouse::open_folder_without(db, data, clock, entropy).map_err(|e| failed(&e))?
        }
        (Some(url), None) => {
            dormouse::open_postgres(url.reveal(), clock, entropy).await.map_err(|e| failed(&e))?
        }
        (Some(url), Some(db)) => dormouse::open_postgres_without(db, url.reveal(), clock, entropy)
            .await
            .map_err(|e| failed(&e))?,
    };
    #[cfg(feature = "faults")]
    let store = store.with_faults(config.faults.clone());
    Ok(store)
}

/// Threads for what takes long: the rules, and the files that are imported. The loop that renews
/// leases and serves requests must not wait for them.
fn compute(at_most: usize) -> Result<Arc<dyn Compute>, Failure> {
    let n_threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(at_most));
    let pool = ThreadPool::start(n_threads)
        .map_err(|error| Failure::failed(format!("cannot start threads that compute: {error}")))?;
    Ok(Arc::new(pool))
}

#[cfg_attr(not(feature = "faults"), expect(unused_variables, reason = "only faults change it"))]
fn model(config: &Config, compute: Arc<dyn Compute>) -> Arc<dyn Model> {
    let model: Arc<dyn Model> = Arc::new(Offloaded::on(compute));
    #[cfg(feature = "faults")]
    let model = config.faults.model(model);
    model
}

fn no_folder(error: FolderError) -> Failure {
    let hint = match &error {
        FolderError::NotAFolder(_) => "name a folder with --data DIR or DORMOUSE_DATA",
        FolderError::Create { .. } | FolderError::Lock { .. } => {
            "check the owner and the permissions, or name another folder with --data DIR"
        }
        FolderError::Held { .. } => "wait for it to end, or end it, then try again",
    };
    Failure::failed(error.to_string()).hint(hint)
}

fn failure(error: &dormouse::Error) -> Failure {
    Failure::failed(error.problem().detail)
}
