//! The data folder: one command at a time holds it.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dormouse_types::port::Clock;

/// How long a command waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this the person is told what is waited for.
const QUIET: Duration = Duration::from_secs(1);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// A data folder that no other command uses while this value lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    // The system lets go of the lock when the file is closed, also after a crash.
    _lock: File,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is something else.
    #[error("{} is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// It cannot be made.
    #[error("the data folder {} cannot be made: {source}", .path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Its lock file cannot be written.
    #[error("{} cannot be written: {source}", .path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another command did not end in time.
    #[error("the data folder {} is in use by {holder}", .path.display())]
    Held {
        /// The folder.
        path: PathBuf,
        /// Who holds it.
        holder: String,
    },
}

impl Folder {
    /// Makes the folder if it is missing, readable by its owner only, and takes its lock.
    ///
    /// Errors: not a folder, not writable, or in use for longer than a command should take.
    pub async fn take(
        path: &Path,
        clock: &dyn Clock,
        mut on_wait: impl FnMut(&str),
    ) -> Result<Self, FolderError> {
        create(path)?;
        let lock_path = path.join("lock");
        let failed = |source| FolderError::Lock { path: lock_path.clone(), source };
        let mut options = OpenOptions::new();
        // Not truncated: until the lock is ours it holds the name of who has it.
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut lock = options.open(&lock_path).map_err(failed)?;
        let start = clock.now();
        let mut is_told = false;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) => {}
            }
            let now = clock.now();
            if now >= start + PATIENCE {
                return Err(FolderError::Held { path: path.to_owned(), holder: holder(&mut lock) });
            }
            if now >= start + QUIET && !is_told {
                is_told = true;
                on_wait(&format!(
                    "waiting for {}, which uses {}",
                    holder(&mut lock),
                    path.display()
                ));
            }
            clock.sleep_until(now + PAUSE).await;
        }
        write_pid(&mut lock).map_err(failed)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
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

/// Who holds the lock, as far as the file says.
fn holder(lock: &mut File) -> String {
    let mut text = String::new();
    let read = lock.rewind().and_then(|()| lock.read_to_string(&mut text));
    match (read, text.trim().parse::<u32>()) {
        (Ok(_), Ok(pid)) => format!("process {pid}"),
        _ => "another command".to_owned(),
    }
}
