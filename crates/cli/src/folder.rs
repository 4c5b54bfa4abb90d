//! The data folder: one process at a time holds it, a command or a server.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dormouse_types::port::Clock;

use crate::server_file::{self, Server};

/// How long a command waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this time the user sees what the command waits for.
const QUIET: Duration = Duration::from_secs(1);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// The state of a data folder.
#[derive(Debug)]
pub enum FolderState {
    /// It was free and is now locked by us.
    Free(Folder),
    /// A server holds it and responds.
    Served(Server),
}

/// A data folder that no other process uses while this value lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    // The system releases the lock when the file is closed, even after a crash.
    _lock: File,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is not a folder.
    #[error("{} is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// It cannot be created.
    #[error("the data folder {} cannot be created: {source}", .path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Its lock file cannot be written.
    #[error("{} cannot be written: {source}", .path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another command did not finish in time.
    #[error("the data folder {} is in use by {holder}", .path.display())]
    Held {
        /// The folder.
        path: PathBuf,
        /// Who holds it.
        holder: String,
    },
}

impl Folder {
    /// Creates the folder if it is missing, readable only by its owner, and takes its lock; or
    /// finds the server that holds it, if that server `answers`.
    ///
    /// Errors: not a folder, not writable, or in use for too long.
    pub async fn open_or_find_server(
        path: &Path,
        clock: &dyn Clock,
        answers: impl AsyncFn(&Server) -> bool,
        mut on_wait: impl FnMut(&str),
    ) -> Result<FolderState, FolderError> {
        create(path)?;
        let lock_path = path.join("lock");
        let failed = |source| FolderError::Lock { path: lock_path.clone(), source };
        let mut options = OpenOptions::new();
        // Not truncated: until we have the lock, the file names its holder.
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut lock = options.open(&lock_path).map_err(failed)?;
        let start = clock.now();
        let mut is_noted = false;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) => {}
            }
            // If the file names another process than the lock holder, a dead process left it.
            let pid = holder(&mut lock);
            if let Some(server) = server_file::read(path).filter(|server| Some(server.pid) == pid)
                && answers(&server).await
            {
                return Ok(FolderState::Served(server));
            }
            let now = clock.now();
            if now >= start + PATIENCE {
                return Err(FolderError::Held { path: path.to_owned(), holder: named(pid) });
            }
            if now >= start + QUIET && !is_noted {
                is_noted = true;
                on_wait(&format!("waiting for {}, which uses {}", named(pid), path.display()));
            }
            clock.sleep_until(now + PAUSE).await;
        }
        server_file::clear(path).map_err(failed)?;
        write_pid(&mut lock).map_err(failed)?;
        Ok(FolderState::Free(Self { path: path.to_owned(), _lock: lock }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn create(path: &Path) -> Result<(), FolderError> {
    if path.is_dir() {
        return Ok(());
    }
    if path.exists() {
        return Err(FolderError::NotAFolder(path.to_owned()));
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| FolderError::Create { path: path.to_owned(), source })
}

fn write_pid(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    writeln!(lock, "{}", std::process::id())
}

/// The process that holds the lock, according to the file.
fn holder(lock: &mut File) -> Option<u32> {
    let mut text = String::new();
    lock.rewind().and_then(|()| lock.read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}

fn named(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another command".to_owned(), |pid| format!("process {pid}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::{AtomicI64, Ordering};

    use dormouse_types::Timestamp;
    use dormouse_types::port::BoxFuture;

    use super::*;

    /// Time passes only when sleeping, and then instantly.
    #[derive(Default)]
    struct Sleeping(AtomicI64);

    impl Clock for Sleeping {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(self.0.load(Ordering::SeqCst))
        }

        fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
            self.0.store(at.micros(), Ordering::SeqCst);
            Box::pin(std::future::ready(()))
        }
    }

    async fn take(path: &Path, notes: &mut Vec<String>) -> Result<Folder, FolderError> {
        match opened(path, false, notes).await? {
            FolderState::Free(folder) => Ok(folder),
            FolderState::Served(server) => panic!("no server runs: {server:?}"),
        }
    }

    async fn opened(
        path: &Path,
        answers: bool,
        notes: &mut Vec<String>,
    ) -> Result<FolderState, FolderError> {
        let on_wait = |text: &str| notes.push(text.to_owned());
        Folder::open_or_find_server(
            path,
            &Sleeping::default(),
            async |_server: &Server| answers,
            on_wait,
        )
        .await
    }

    fn server(pid: u32) -> Server {
        let address = ([127, 0, 0, 1], 7330).into();
        Server { pid, address, token: "t".into(), zone: "UTC".into(), public_url: None }
    }

    #[tokio::test]
    async fn a_new_folder_is_its_owners_alone() -> anyhow::Result<()> {
        let place = tempfile::tempdir()?;
        let path = place.path().join("deep/data");
        let folder = take(&path, &mut Vec::new()).await?;
        assert_eq!(std::fs::metadata(folder.path())?.permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::metadata(path.join("lock"))?.permissions().mode() & 0o777, 0o600);
        Ok(())
    }

    #[tokio::test]
    async fn a_second_one_waits_says_so_once_and_gives_up_naming_the_first() -> anyhow::Result<()> {
        let place = tempfile::tempdir()?;
        let first = take(place.path(), &mut Vec::new()).await?;
        let mut notes = Vec::new();
        let second = take(place.path(), &mut notes).await.map(drop);
        let pid = std::process::id();
        let error = second.expect_err("the first still holds it").to_string();
        assert!(error.ends_with(&format!("is in use by process {pid}")), "{error}");
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with(&format!("waiting for process {pid}")), "{notes:?}");
        drop(first);
        take(place.path(), &mut notes).await?;
        assert_eq!(notes.len(), 1, "a free folder is taken at once");
        Ok(())
    }

    #[tokio::test]
    async fn a_server_is_found_while_it_holds_the_lock_and_answers() -> anyhow::Result<()> {
        let place = tempfile::tempdir()?;
        let first = take(place.path(), &mut Vec::new()).await?;
        let server = server(std::process::id());
        let _notice = server_file::ServerFile::write(place.path(), &server)?;
        let found = opened(place.path(), true, &mut Vec::new()).await?;
        assert!(matches!(found, FolderState::Served(found) if found == server));
        let error = opened(place.path(), false, &mut Vec::new()).await.map(drop);
        assert!(matches!(error, Err(FolderError::Held { .. })), "{error:?}");
        drop(first);
        // It died without cleaning up, so its file is stale.
        take(place.path(), &mut Vec::new()).await?;
        assert_eq!(server_file::read(place.path()), None);
        Ok(())
    }

    #[tokio::test]
    async fn a_server_that_is_not_the_holder_of_the_lock_is_not_believed() -> anyhow::Result<()> {
        let place = tempfile::tempdir()?;
        let _first = take(place.path(), &mut Vec::new()).await?;
        let _notice =
            server_file::ServerFile::write(place.path(), &server(std::process::id() + 1))?;
        let found = opened(place.path(), true, &mut Vec::new()).await.map(drop);
        assert!(matches!(found, Err(FolderError::Held { .. })), "{found:?}");
        Ok(())
    }
}
