//! Keys that variables of the environment give, or files that variables name.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use dormouse_adapters::http::{BaseUrl, Secret};

use super::known;
use crate::key_variables::{KEY_PREFIX, KEY_VARIABLES, KeyText, KeyVariable};

/// Units: bytes. More than the file of any key has.
const MAX_FILE: u64 = 64 * 1024;

/// The keys of the environment.
#[derive(Debug, Default)]
pub struct Environment(Vec<Variable>);

/// A variable that holds or names a key.
#[derive(Debug)]
pub struct Variable {
    /// The name that a person set, with `_FILE` if it names a file.
    pub name: String,
    /// The key; or what is wrong with it, which names the variable and never repeats its text.
    pub key: Result<Secret, String>,
}

impl Environment {
    /// Reads the files that variables name. A variable whose key cannot be used is kept with its
    /// error, so that only the use of its provider fails.
    pub fn read(variables: &[KeyVariable]) -> Self {
        Self(variables.iter().map(variable).collect())
    }

    /// The variable that has the key of a provider at an address.
    ///
    /// The variables of a known provider count only at its own address: a person who changes an address
    /// must not receive the key of somebody else.
    pub fn find(&self, provider: &str, base: &BaseUrl) -> Option<&Variable> {
        let is_known = known::by_name(provider).is_some_and(|known| known.is_at(base));
        let known = KEY_VARIABLES.iter().filter(|(name, _)| is_known && *name == provider);
        let mut names: Vec<String> = known
            .flat_map(|(_, variables)| variables.iter().map(|name| (*name).to_owned()))
            .collect();
        names.push(variable_of(provider));
        names.iter().find_map(|name| self.0.iter().find(|variable| variable.is(name)))
    }

    /// What is wrong with the variables whose keys cannot be used.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|variable| variable.key.as_ref().err().map(String::as_str))
    }
}

impl Variable {
    fn is(&self, name: &str) -> bool {
        self.name == name || self.name.strip_suffix("_FILE") == Some(name)
    }
}

/// The name of the variable for a provider that a person added, for example
/// `DORMOUSE_KEY_MY_SERVER` for `my-server`.
pub fn variable_of(provider: &str) -> String {
    format!("{KEY_PREFIX}{}", provider.to_ascii_uppercase().replace(['-', '.'], "_"))
}

fn variable(given: &KeyVariable) -> Variable {
    match &given.key {
        KeyText::Text(text) => {
            let name = given.name.clone();
            let key = text.to_str().ok_or_else(|| format!("{name} is not UTF-8"));
            let key = key.and_then(|text| secret(&name, text));
            Variable { name, key }
        }
        KeyText::File(path) => {
            let name = format!("{}_FILE", given.name);
            let text = read_file(path)
                .map_err(|wrong| format!("{name}: {} cannot be read: {wrong}", path.display()));
            let key = text.and_then(|text| secret(&name, &text));
            Variable { name, key }
        }
    }
}

fn secret(name: &str, text: &str) -> Result<Secret, String> {
    Secret::new(text.trim()).map_err(|wrong| format!("{name}: {wrong}"))
}

fn read_file(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
    let read = read.map_err(|error| error.to_string())?;
    if u64::try_from(read).is_ok_and(|read| read > MAX_FILE) {
        return Err(format!("it has more than {MAX_FILE} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-test-0123456789";

    fn text(name: &str, text: &str) -> KeyVariable {
        KeyVariable { name: name.to_owned(), key: KeyText::Text(text.into()) }
    }

    fn at(address: &str) -> BaseUrl {
        BaseUrl::parse(address).expect("an address")
    }

    #[test]
    fn a_key_of_a_known_provider_counts_only_at_its_own_address() {
        let environment = Environment::read(&[text("OPENAI_API_KEY", KEY)]);
        let found = |name, address| environment.find(name, &at(address)).is_some();
        assert!(found("openai", "https://api.openai.com/v1"));
        assert!(!found("openai", "https://proxy.example/v1"));
        assert!(!found("openai", "http://api.openai.com/v1"));
        assert!(!found("other", "https://api.openai.com/v1"));
    }

    #[test]
    fn the_first_name_of_several_wins_and_an_added_provider_has_its_own() {
        let environment = Environment::read(&[
            text("GOOGLE_API_KEY", "google-key"),
            text("GEMINI_API_KEY", "gemini-key"),
            text("DORMOUSE_KEY_MY_SERVER.2", "not-a-name"),
            text("DORMOUSE_KEY_MY_SERVER_2", "own-key"),
        ]);
        let found = |name, address| {
            let variable = environment.find(name, &at(address))?;
            Some((variable.name.clone(), variable.key.clone().ok()?.expose().to_owned()))
        };
        let gemini = found("gemini", "https://generativelanguage.googleapis.com/v1beta");
        assert_eq!(gemini, Some(("GEMINI_API_KEY".into(), "gemini-key".into())));
        let own = found("my-server.2", "http://10.0.0.2:8000/v1");
        assert_eq!(own, Some(("DORMOUSE_KEY_MY_SERVER_2".into(), "own-key".into())));
    }

    #[test]
    fn a_line_break_is_trimmed_at_the_end_and_refused_inside() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("key");
        std::fs::write(&path, format!("{KEY}\n"))?;
        let variables = [
            KeyVariable { name: "GROQ_API_KEY".into(), key: KeyText::File(path) },
            text("MISTRAL_API_KEY", "sk-first\nsk-second"),
            KeyVariable {
                name: "DEEPSEEK_API_KEY".into(),
                key: KeyText::File(folder.path().join("none")),
            },
        ];
        let environment = Environment::read(&variables);
        let groq = environment.find("groq", &at("https://api.groq.com/openai/v1"));
        let groq = groq.map(|variable| (variable.name.as_str(), variable.key.clone()));
        assert_eq!(groq, Some(("GROQ_API_KEY_FILE", Ok(Secret::new(KEY)?))));
        let error = |name, address| {
            let variable = environment.find(name, &at(address));
            variable.and_then(|variable| variable.key.clone().err()).unwrap_or_default()
        };
        let inside = error("mistral", "https://api.mistral.ai/v1");
        assert!(inside.starts_with("MISTRAL_API_KEY: the key contains a line break"), "{inside}");
        assert!(!inside.contains("sk-"), "{inside}");
        let missing = error("deepseek", "https://api.deepseek.com");
        assert!(missing.starts_with("DEEPSEEK_API_KEY_FILE: "), "{missing}");
        Ok(())
    }

    #[test]
    fn no_debug_output_shows_a_key() {
        let given = [text("OPENAI_API_KEY", KEY)];
        assert!(!format!("{given:?} {:?}", Environment::read(&given)).contains("0123"));
    }
}
