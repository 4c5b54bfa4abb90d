//! The composition root: opens the store, wires every part, and runs the agents that are due.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use dormouse::view::RunOutcome;
use dormouse::{Db, Dormouse, DrainReport, DrainScope, Parts, Store, WORKSPACE};
use dormouse_adapters::{OsEntropy, SystemClock};
use dormouse_builtin::Builtin;
use dormouse_types::port::{Clock, Entropy, Model};
use dormouse_types::{Caller, HostId, Id as _};
use jiff::tz::TimeZone;

use crate::client::Client;
use crate::config::Config;
use crate::failure::Failure;
use crate::folder::{Folder, FolderError, Found};
use crate::server_file::Server;
use crate::terminal::note;

/// Where the data is when a command begins.
pub enum Backend {
    /// In this process.
    Here(Box<Engine>),
    /// Behind a server, which does the work.
    There(Server),
}

/// Everything that runs in this process.
pub struct Engine {
    /// The time zone that was settled when the store was new.
    pub zone: TimeZone,
    /// Every service.
    pub dormouse: Dormouse,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The name under which this process holds leases.
    owner: String,
    // Held to the end: no second process may write beside this one. None where several nodes share
    // the database, or somebody else holds it.
    _folder: Option<Folder>,
}

impl Backend {
    /// Finds the server of the data folder, or takes the folder. A shared database needs neither.
    ///
    /// Errors: the folder is in use or cannot be used, or the store cannot be opened.
    pub async fn find(config: &Config) -> Result<Self, Failure> {
        let folder = match &config.database {
            Some(_) => None,
            None => match open_or_find_server(config).await? {
                Found::Free(folder) => Some(folder),
                Found::Served(server) => return Ok(Self::There(server)),
            },
        };
        Ok(Self::Here(Box::new(Engine::start(config, folder).await?)))
    }
}

/// Looks who is in the data folder, and takes it if it is free.
///
/// Errors: the folder is in use or cannot be used.
pub async fn open_or_find_server(config: &Config) -> Result<Found, Failure> {
    let answers = async |server: &Server| Client::of(server.clone()).is_answered().await;
    Folder::enter(&config.data, &SystemClock, answers, note).await.map_err(no_folder)
}

impl Engine {
    /// Opens the store, and finishes what a crash left half way.
    ///
    /// Errors: the store cannot be opened.
    pub async fn start(config: &Config, folder: Option<Folder>) -> Result<Self, Failure> {
        Self::begin(config, folder, None).await
    }

    /// Makes a database anew that is missing, and lets the agents know.
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
        // A damaged page is no matter of what was being done when it was met.
        let ended = store.clone();
        let told = move |e: &dormouse::Error| match ended.writing_ended() {
            Some(why) => Failure::failed(why),
            None => told(e),
        };
        let owner = match &config.database {
            None => format!("process-{}", std::process::id()),
            // Process ids are the same on several machines.
            Some(_) => HostId::fresh(clock.now(), &*entropy).as_str().replace("ho-", "node-"),
        };
        let zone = dormouse::settled_zone(&store, &clock, &entropy, &config.zone)
            .await
            .map_err(|e| told(&e))?;
        let mut dormouse = Dormouse::new(Parts {
            store,
            clock,
            entropy: entropy.clone(),
            model: model(config),
            zone: zone.clone(),
            owner: owner.clone(),
        });
        if let Some(lease) = config.lease {
            dormouse = dormouse.with_lease(lease);
        }
        let finished = match &config.database {
            None => dormouse.recover().await,
            // Other nodes are alive: what they hold is theirs.
            Some(_) => dormouse.recover_silent().await,
        };
        for finished in finished.map_err(|e| told(&e))? {
            note(&format!("recovered: {finished}"));
        }
        Ok(Self { zone, dormouse, entropy, owner, _folder: folder })
    }

    /// Where this process begins among agents of equal rank, so that nodes do not all try the same.
    pub fn offset(&self) -> usize {
        if self.owner.starts_with("process-") {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        self.owner.hash(&mut hasher);
        usize::from(hasher.finish().to_le_bytes()[0])
    }

    /// Whether this process holds the data folder, so that nobody else changes anything in it.
    pub fn is_alone(&self) -> bool {
        self._folder.is_some()
    }

    /// This process' own router, with every right of the owner.
    pub fn router(&self) -> axum::Router {
        dormouse_server::router(self.dormouse.clone(), Caller::owner(WORKSPACE))
    }

    /// The client of this process' own router.
    pub fn client(&self) -> Client {
        Client::new(self.router())
    }

    /// Wakes the agents that are due because of these tasks and agents, until the stop.
    pub async fn drain(
        &self,
        scope: DrainScope,
        stop: impl Future<Output = ()> + Send + 'static,
        on_run: &mut (dyn FnMut(RunOutcome) + Send),
    ) -> Result<DrainReport, Failure> {
        self.dormouse.drain_until(scope, Box::pin(stop), on_run).await.map_err(|e| told(&e))
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

#[cfg_attr(not(feature = "faults"), expect(unused_variables, reason = "only faults change it"))]
fn model(config: &Config) -> Arc<dyn Model> {
    let model: Arc<dyn Model> = Arc::new(Builtin);
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

fn told(error: &dormouse::Error) -> Failure {
    Failure::failed(error.problem().detail)
}
