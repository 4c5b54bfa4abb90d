//! The file with the keys that a person pasted.
//!
//! `keys.json` in the configuration folder, readable only by its owner. It is outside the data
//! folder, so that no export, backup or copy of the data contains a key. Each key belongs to a
//! provider at one address: after a change of the address it is no longer used.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dormouse_adapters::http::{BaseUrl, Secret};
use serde::{Deserialize, Serialize};

const NAME: &str = "keys.json";
const LOCK: &str = "keys.lock";
/// The version of the file's format.
const VERSION: u32 = 1;
/// Units: bytes. More than thousands of keys need.
const MAX_FILE: u64 = 1024 * 1024;
/// How often a lock that another process holds is tried again.
const LOCK_TRIES: u32 = 100;
/// The pause between two tries. Another process holds the lock for the time of one small write.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The key file of a configuration folder.
#[derive(Debug, Clone)]
pub struct KeyFile {
    folder: PathBuf,
    data: PathBuf,
}

/// Why the key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The folder is below the data folder.
    #[error(
        "the configuration folder {} is inside the data folder, whose copies would contain keys: \
         name another one with DORMOUSE_CONFIG", .0.display()
    )]
    InsideData(PathBuf),
    /// Others can read or replace the file.
    #[error("{} can be {access} by others: run `chmod {mode} {}`", .path.display(), .path.display())]
    Open {
        /// The file or the folder.
        path: PathBuf,
        /// `read` or `changed`.
        access: &'static str,
        /// The mode that repairs it.
        mode: &'static str,
    },
    /// The file belongs to another user.
    #[error("{} belongs to another user: remove it, or name another folder with DORMOUSE_CONFIG", .0.display())]
    NotOurs(PathBuf),
    /// It is a folder, a pipe or a device.
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    /// The content cannot be understood. It is not repeated: it contains keys.
    #[error("{}, line {line}, column {column}: this is not a key file of version {VERSION}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// It has more bytes than any key file.
    #[error("{} has more than {MAX_FILE} bytes", .0.display())]
    TooLarge(PathBuf),
    /// Another process has been writing for too long.
    #[error("{} is locked by another process: try again", .0.display())]
    Locked(PathBuf),
    /// The system refuses.
    #[error("{} cannot be {operation}: {source}", .path.display())]
    System {
        /// The file or the folder.
        path: PathBuf,
        /// What was tried, for example `written`.
        operation: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: u32,
    keys: BTreeMap<String, Entry>,
    /// The key that seals the secrets of hooks, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealing: Option<String>,
}

impl Content {
    fn empty() -> Self {
        Self { version: VERSION, keys: BTreeMap::new(), sealing: None }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    origin: String,
    key: String,
}

// Keeps the key out of logs.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl KeyFile {
    /// The key file in `folder`; `data` is the data folder, which must not contain it. Neither has
    /// to exist.
    pub fn new(folder: PathBuf, data: PathBuf) -> Self {
        Self { folder, data }
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// The key of a provider at an address; `None` if there is none, or if it belongs to another
    /// address.
    ///
    /// Errors: the file cannot be trusted, read or understood.
    pub fn key(&self, provider: &str, base: &BaseUrl) -> Result<Option<Secret>, KeyFileError> {
        let keys = self.read()?.keys;
        let entry = keys.get(provider).filter(|entry| entry.origin == base.origin());
        let Some(entry) = entry else { return Ok(None) };
        let secret = Secret::new(entry.key.clone()).map_err(|_| self.malformed(0, 0))?;
        Ok(Some(secret))
    }

    /// Checks that the file, if there is one, can be used.
    ///
    /// Errors: as for [`Self::key`].
    pub fn check(&self) -> Result<(), KeyFileError> {
        self.read().map(drop)
    }

    /// Keeps a key for a provider at an address, instead of the one that it had at any address.
    ///
    /// Errors: the file cannot be trusted, read, understood or written; it is then unchanged.
    pub fn set(&self, provider: &str, base: &BaseUrl, key: &Secret) -> Result<(), KeyFileError> {
        let entry = Entry { origin: base.origin(), key: key.expose().to_owned() };
        self.change(|content| {
            content.keys.insert(provider.to_owned(), entry);
        })
    }

    /// Removes the key of a provider at any address.
    ///
    /// Errors: as for [`Self::set`].
    pub fn remove(&self, provider: &str) -> Result<(), KeyFileError> {
        if self.read()?.keys.contains_key(provider) {
            return self.change(|content| drop(content.keys.remove(provider)));
        }
        Ok(())
    }

    /// The key that seals the secrets of hooks, in hex; `None` if none was kept yet.
    ///
    /// Errors: as for [`Self::key`].
    pub fn sealing(&self) -> Result<Option<String>, KeyFileError> {
        Ok(self.read()?.sealing)
    }

    /// Keeps a key that seals the secrets of hooks, unless there is one.
    ///
    /// Errors: as for [`Self::set`].
    pub fn keep_sealing(&self, fresh: &str) -> Result<(), KeyFileError> {
        self.change(|content| {
            content.sealing.get_or_insert_with(|| fresh.to_owned());
        })
    }

    /// Reads and writes under a lock, so that no key of another process is lost.
    fn change(&self, edit: impl FnOnce(&mut Content)) -> Result<(), KeyFileError> {
        self.check_place()?;
        if !self.folder.is_dir() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
            made.map_err(|source| failed(&self.folder, "created", source))?;
            // A link on the way may lead into the data folder.
            self.check_place()?;
        }
        self.check_folder()?;
        let _lock = self.lock()?;
        let mut content = self.read()?;
        edit(&mut content);
        self.write(&content)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the port is not async; the pause is short, and another process ends it"
    )]
    fn lock(&self) -> Result<File, KeyFileError> {
        let path = self.folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let lock = options.open(&path).map_err(|source| failed(&path, "written", source))?;
        for _ in 0..LOCK_TRIES {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(source)) => return Err(failed(&path, "locked", source)),
            }
        }
        Err(KeyFileError::Locked(path))
    }

    fn read(&self) -> Result<Content, KeyFileError> {
        let path = self.path();
        // Opening a pipe would wait for its writer.
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::empty()),
            Err(source) => return Err(failed(&path, "read", source)),
            Ok(found) if !found.is_file() => return Err(KeyFileError::NotAFile(path)),
            Ok(_) => {}
        }
        self.check_place()?;
        self.check_folder()?;
        let read = |source| failed(&path, "read", source);
        let file = File::open(&path).map_err(read)?;
        let found = file.metadata().map_err(read)?;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(KeyFileError::NotOurs(path));
        }
        if found.mode() & 0o077 != 0 {
            return Err(KeyFileError::Open { path, access: "read", mode: "600" });
        }
        let mut bytes = Vec::new();
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(read)?;
        if bytes.len() > usize::try_from(MAX_FILE).unwrap_or(usize::MAX) {
            return Err(KeyFileError::TooLarge(path));
        }
        // The error of the parser may quote a key: only its place is passed on.
        let content: Content = serde_json::from_slice(&bytes)
            .map_err(|error| self.malformed(error.line(), error.column()))?;
        if content.version != VERSION {
            return Err(self.malformed(1, 1));
        }
        Ok(content)
    }

    /// Writes a new file and renames it: a crash leaves the old content or the new one.
    fn write(&self, content: &Content) -> Result<(), KeyFileError> {
        let path = self.path();
        let new = self.folder.join(format!("{NAME}.new"));
        let written = |source| failed(&path, "written", source);
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(written(error)),
            Ok(()) | Err(_) => {}
        }
        let mut text =
            serde_json::to_vec_pretty(content).map_err(|error| written(io::Error::other(error)))?;
        text.push(b'\n');
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&new);
        let mut file = file.map_err(written)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(written)?;
        std::fs::rename(&new, &path).map_err(written)?;
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(written)
    }

    /// A user who can write to the folder can replace the file.
    fn check_folder(&self) -> Result<(), KeyFileError> {
        let found = std::fs::metadata(&self.folder);
        let found = found.map_err(|source| failed(&self.folder, "read", source))?;
        if found.mode() & 0o022 != 0 {
            let path = self.folder.clone();
            return Err(KeyFileError::Open { path, access: "changed", mode: "700" });
        }
        Ok(())
    }

    fn check_place(&self) -> Result<(), KeyFileError> {
        if resolved(&self.folder).starts_with(resolved(&self.data)) {
            return Err(KeyFileError::InsideData(self.folder.clone()));
        }
        Ok(())
    }

    fn malformed(&self, line: usize, column: usize) -> KeyFileError {
        KeyFileError::Malformed { path: self.path(), line, column }
    }
}

/// The absolute path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for ancestor in absolute.ancestors() {
        if let (Ok(found), Ok(rest)) = (ancestor.canonicalize(), absolute.strip_prefix(ancestor)) {
            return found.join(rest);
        }
    }
    absolute
}

fn failed(path: &Path, operation: &'static str, source: io::Error) -> KeyFileError {
    KeyFileError::System { path: path.to_owned(), operation, source }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const KEY: &str = "sk-test-0123456789";

    struct Place {
        root: tempfile::TempDir,
        file: KeyFile,
    }

    fn place() -> anyhow::Result<Place> {
        let root = tempfile::tempdir()?;
        let file = KeyFile::new(root.path().join("config/dormouse"), root.path().join("data"));
        Ok(Place { root, file })
    }

    fn at(address: &str) -> BaseUrl {
        BaseUrl::parse(address).expect("an address")
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text).expect("a key")
    }

    fn mode(path: &Path) -> anyhow::Result<u32> {
        Ok(std::fs::metadata(path)?.permissions().mode() & 0o777)
    }

    fn set_mode(path: &Path, mode: u32) -> anyhow::Result<()> {
        Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
    }

    #[test]
    fn a_key_is_kept_for_its_owner_alone() -> anyhow::Result<()> {
        let Place { root, file } = place()?;
        let base = at("https://api.openai.com/v1");
        assert_eq!(file.key("openai", &base)?, None);
        file.set("openai", &base, &secret(KEY))?;
        assert_eq!(file.key("openai", &base)?, Some(secret(KEY)));
        assert_eq!(mode(&file.path())?, 0o600);
        assert_eq!(mode(&root.path().join("config/dormouse"))?, 0o700);
        file.set("other", &base, &secret("sk-other"))?;
        file.remove("openai")?;
        assert_eq!(file.key("openai", &base)?, None);
        assert_eq!(file.key("other", &base)?, Some(secret("sk-other")));
        Ok(())
    }

    #[test]
    fn a_key_belongs_to_the_scheme_host_and_port_it_was_given_for() -> anyhow::Result<()> {
        let file = place()?.file;
        file.set("mine", &at("https://a.example/v1"), &secret(KEY))?;
        assert_eq!(file.key("mine", &at("https://A.example:443/v2"))?, Some(secret(KEY)));
        for other in ["http://a.example/v1", "https://a.example:8443/v1", "https://b.example/v1"] {
            assert_eq!(file.key("mine", &at(other))?, None, "{other}");
        }
        // A new address replaces the old one.
        file.set("mine", &at("https://b.example"), &secret("sk-second"))?;
        assert_eq!(file.key("mine", &at("https://a.example"))?, None);
        Ok(())
    }

    #[test]
    fn a_file_that_others_can_read_or_replace_is_refused() -> anyhow::Result<()> {
        let Place { root, file } = place()?;
        let base = at("https://a.example");
        file.set("mine", &base, &secret(KEY))?;
        set_mode(&file.path(), 0o640)?;
        let error = file.key("mine", &base).expect_err("others can read it").to_string();
        assert!(error.contains("can be read by others: run `chmod 600"), "{error}");
        assert!(file.set("mine", &base, &secret(KEY)).is_err(), "nor is it replaced");
        set_mode(&file.path(), 0o600)?;
        set_mode(&root.path().join("config/dormouse"), 0o770)?;
        let error = file.key("mine", &base).expect_err("others can replace it").to_string();
        assert!(error.contains("can be changed by others: run `chmod 700"), "{error}");
        Ok(())
    }

    #[test]
    fn no_key_is_kept_below_the_data_folder() -> anyhow::Result<()> {
        let root = tempfile::tempdir()?;
        let data = root.path().join("data");
        std::fs::create_dir(&data)?;
        std::os::unix::fs::symlink(&data, root.path().join("link"))?;
        for inside in ["data", "data/config", "link/config"] {
            let file = KeyFile::new(root.path().join(inside), data.clone());
            let error = file.set("mine", &at("https://a.example"), &secret(KEY));
            assert!(matches!(error, Err(KeyFileError::InsideData(_))), "{inside}: {error:?}");
        }
        let entries: Vec<_> = std::fs::read_dir(&data)?.collect();
        assert!(entries.is_empty(), "{entries:?}");
        Ok(())
    }

    #[test]
    fn an_error_about_the_content_does_not_repeat_it() -> anyhow::Result<()> {
        let Place { root, file } = place()?;
        let base = at("https://a.example");
        file.set("mine", &base, &secret(KEY))?;
        let entry = r#""mine":{"origin":"https://a.example","key":"sk-test-0123 456789"}"#;
        for wrong in [
            format!("{{\"version\":1,\n\"keys\":\"{KEY}\"}}"),
            format!(r#"{{"version":2,"keys":{{"mine":{{"origin":"o","key":"{KEY}"}}}}}}"#),
            format!(r#"{{"version":1,"keys":{{"mine":"{KEY}"}},"{KEY}":1}}"#),
            format!(r#"{{"version":1,"keys":{{{entry}}}}}"#),
        ] {
            std::fs::write(file.path(), &wrong)?;
            let error = file.key("mine", &base).expect_err(&wrong);
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("keys.json, line") && !shown.contains("0123"), "{shown}");
        }
        std::fs::remove_file(file.path())?;
        std::fs::create_dir(file.path())?;
        assert!(matches!(file.key("mine", &base), Err(KeyFileError::NotAFile(_))));
        drop(root);
        Ok(())
    }

    #[test]
    fn writers_at_the_same_time_lose_no_key() -> anyhow::Result<()> {
        let Place { root: _root, file } = place()?;
        let base = at("https://a.example");
        let names: Vec<String> = (0..8).map(|n| format!("p{n}")).collect();
        std::thread::scope(|scope| {
            for name in &names {
                scope.spawn(|| file.set(name, &base, &secret(KEY)).expect("written"));
            }
        });
        for name in &names {
            assert_eq!(file.key(name, &base)?, Some(secret(KEY)), "{name}");
        }
        Ok(())
    }

    #[test]
    fn what_a_crash_left_is_replaced() -> anyhow::Result<()> {
        let Place { root, file } = place()?;
        let base = at("https://a.example");
        let folder = root.path().join("config/dormouse");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("keys.json.new"), "half")?;
        file.set("mine", &base, &secret(KEY))?;
        assert_eq!(file.key("mine", &base)?, Some(secret(KEY)));
        assert!(!folder.join("keys.json.new").exists());
        Ok(())
    }

    #[test]
    fn no_debug_output_shows_a_key() {
        let entry = Entry { origin: "https://a.example".into(), key: KEY.into() };
        assert!(!format!("{entry:?}").contains("0123"));
    }
}
