//! The composition root: opens the store, wires every part, and runs the agents that are due.

use std::sync::Arc;

use dormouse::view::RunOutcome;
use dormouse::{Dormouse, DrainReport, DrainScope, Parts, WORKSPACE};
use dormouse_adapters::{OsEntropy, SystemClock};
use dormouse_builtin::Builtin;
use dormouse_types::Caller;
use dormouse_types::port::{Clock, Entropy};
use jiff::tz::TimeZone;

use crate::client::Client;
use crate::config::Config;
use crate::failure::Failure;
use crate::folder::{Folder, FolderError};
use crate::terminal::note;

/// Everything that runs in this process.
pub struct Engine {
    /// The time zone that was settled when the folder was new.
    pub zone: TimeZone,
    dormouse: Dormouse,
    // Held to the end: no second command may write beside this one.
    _folder: Folder,
}

impl Engine {
    /// Takes the folder, opens the store, finishes what a crash left half way.
    ///
    /// Errors: the folder is in use or cannot be used, or the store cannot be opened.
    pub async fn start(config: &Config) -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let folder = Folder::take(&config.data, &*clock, note).await.map_err(no_folder)?;
        let entropy: Arc<dyn Entropy> = Arc::new(
            OsEntropy::open()
                .map_err(|e| Failure::failed(format!("/dev/urandom cannot be read: {e}")))?,
        );
        let store = dormouse::open_folder(folder.path(), &clock, &entropy)
            .map_err(|e| Failure::failed(e.to_string()))?;
        let zone = dormouse::settled_zone(&store, &clock, &entropy, &config.zone)
            .await
            .map_err(|e| told(&e))?;
        let dormouse = Dormouse::new(Parts {
            store,
            clock,
            entropy,
            model: Arc::new(Builtin),
            zone: zone.clone(),
            owner: format!("process-{}", std::process::id()),
        });
        for finished in dormouse.recover().await.map_err(|e| told(&e))? {
            note(&format!("recovered: {finished}"));
        }
        Ok(Self { zone, dormouse, _folder: folder })
    }

    /// The client of this process' own router, with every right of the owner.
    pub fn client(&self) -> Client {
        Client::new(dormouse_server::router(self.dormouse.clone(), Caller::owner(WORKSPACE)))
    }

    /// Wakes the agents that are due because of these tasks and agents.
    pub async fn drain(
        &self,
        scope: DrainScope,
        on_run: &mut (dyn FnMut(RunOutcome) + Send),
    ) -> Result<DrainReport, Failure> {
        self.dormouse.drain(scope, on_run).await.map_err(|e| told(&e))
    }
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
