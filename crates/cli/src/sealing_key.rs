//! The key that seals the secrets of hooks: from the environment, else from the key file.

use std::fmt;
use std::io::Read as _;
use std::path::Path;

use dormouse_types::port::SealingKeys;

use crate::config::Config;
use crate::key_variables::{HOOK_KEY as VARIABLE, KeyText};
use crate::models::keys::KeyFile;

/// Units: bytes. More than the file of a key has.
const MAX_FILE: u64 = 1024;

/// Where the key is.
pub struct SealingKey(Source);

enum Source {
    /// A variable, or a file that it names, read at the start; or what is wrong with it.
    Environment(Result<[u8; 32], String>),
    /// The key file of the person.
    File(KeyFile),
    /// Nowhere; what to do about it.
    Nowhere(&'static str),
}

// Keeps the key out of logs.
impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey(…)")
    }
}

impl SealingKey {
    /// By the settings of this process.
    pub fn of(config: &Config) -> Self {
        Self(match (&config.hook_key, &config.database, &config.configuration) {
            (Some(given), _, _) => Source::Environment(from_environment(given)),
            // Nodes of one database would each have their own file.
            (None, Some(_), _) => Source::Nowhere(
                "with a Postgres database its key comes from DORMOUSE_HOOK_KEY, or from a file that \
                 DORMOUSE_HOOK_KEY_FILE names, the same on all nodes: `openssl rand -hex 32` makes one",
            ),
            (None, None, Some(folder)) => {
                Source::File(KeyFile::new(folder.clone(), config.data.clone()))
            }
            (None, None, None) => Source::Nowhere(
                "there is no configuration folder, because HOME is not set: name one with DORMOUSE_CONFIG",
            ),
        })
    }
}

fn from_environment(given: &KeyText) -> Result<[u8; 32], String> {
    match given {
        KeyText::Text(text) => read(&text.to_string_lossy()).ok_or_else(|| wrong(VARIABLE)),
        KeyText::File(path) => {
            let text = text_of(path)
                .map_err(|e| format!("the file that {VARIABLE}_FILE names cannot be read: {e}"))?;
            read(&text).ok_or_else(|| wrong("the file that DORMOUSE_HOOK_KEY_FILE names"))
        }
    }
}

fn wrong(place: &str) -> String {
    format!("{place} must have 64 hex digits: `openssl rand -hex 32` makes them")
}

fn text_of(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(MAX_FILE).read_to_string(&mut text)?;
    Ok(text)
}

/// The key in hex digits.
fn read(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u32>> = text.trim().chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() == 64)?;
    let bytes: Option<Vec<u8>> =
        digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect();
    bytes?.try_into().ok()
}

fn written(key: [u8; 32]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn of_file(file: &KeyFile) -> Result<Option<[u8; 32]>, String> {
    let malformed =
        || format!("the key `sealing` in {} must have 64 hex digits", file.path().display());
    let found = file.sealing().map_err(|e| e.to_string())?;
    found.map(|text| read(&text).ok_or_else(malformed)).transpose()
}

impl SealingKeys for SealingKey {
    fn find(&self) -> Result<Option<[u8; 32]>, String> {
        match &self.0 {
            Source::Environment(key) => key.clone().map(Some),
            Source::File(file) => of_file(file),
            Source::Nowhere(_) => Ok(None),
        }
    }

    fn find_or_keep(&self, fresh: [u8; 32]) -> Result<[u8; 32], String> {
        match &self.0 {
            Source::Environment(key) => key.clone(),
            Source::File(file) => {
                if let Some(key) = of_file(file)? {
                    return Ok(key);
                }
                file.keep_sealing(&written(fresh)).map_err(|e| e.to_string())?;
                // Another process may have been faster.
                of_file(file).map(|key| key.unwrap_or(fresh))
            }
            Source::Nowhere(what_to_do) => Err((*what_to_do).to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::*;
    use crate::key_variables::find_hook_key;

    fn file(place: &tempfile::TempDir) -> SealingKey {
        let folder: PathBuf = place.path().join("config");
        SealingKey(Source::File(KeyFile::new(folder, place.path().join("data"))))
    }

    #[test]
    fn a_key_is_made_once_and_kept_in_the_key_file() -> anyhow::Result<()> {
        let place = tempfile::tempdir()?;
        let keys = file(&place);
        assert_eq!(keys.find(), Ok(None), "nothing is written before it is needed");
        assert!(!place.path().join("config").exists());
        assert_eq!(keys.find_or_keep([1; 32]), Ok([1; 32]));
        assert_eq!(file(&place).find_or_keep([2; 32]), Ok([1; 32]), "the first one stays");
        assert_eq!(file(&place).find(), Ok(Some([1; 32])));
        Ok(())
    }

    #[test]
    fn the_environment_gives_the_key_or_says_what_is_wrong() -> anyhow::Result<()> {
        let place = tempfile::tempdir()?;
        let path = place.path().join("key");
        std::fs::write(&path, format!("{}\n", "0a".repeat(32)))?;
        let all = |pairs: &[(&str, &str)]| {
            find_hook_key(
                pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))),
            )
        };
        let named = path.to_string_lossy().into_owned();
        let (key, ff) = ([10; 32], "ff".repeat(32));
        for (pairs, expected) in [
            (vec![(VARIABLE, ff.as_str()), ("DORMOUSE_HOOK_KEY_FILE", &named)], Some([255; 32])),
            (vec![(VARIABLE, ""), ("DORMOUSE_HOOK_KEY_FILE", &named)], Some(key)),
            (vec![("DORMOUSE_HOOK_KEYS", "x")], None),
        ] {
            let found = all(&pairs).map(|given| from_environment(&given));
            assert_eq!(found, expected.map(Ok), "{pairs:?}");
        }
        for wrong in ["ff", &"zz".repeat(32), &"f".repeat(65)] {
            let given = all(&[(VARIABLE, wrong)]).expect("set");
            let refusal = from_environment(&given).expect_err("no key");
            assert!(refusal.contains("64 hex digits") && !refusal.contains(wrong), "{refusal}");
        }
        let missing = all(&[("DORMOUSE_HOOK_KEY_FILE", "/nowhere")]).expect("set");
        assert!(from_environment(&missing).is_err());
        Ok(())
    }
}
