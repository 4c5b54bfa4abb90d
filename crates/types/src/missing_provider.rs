//! What a person does about a provider that is named and not there.

use crate::model_settings::{Provider, as_argument};

/// How a provider that is not there is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HowToAdd {
    /// It is there, and its name is written in this way.
    Written(String),
    /// Its address is known: the key of this provider adds it.
    Key(String),
    /// It is a server on the person's machine, whose address is known by this name: only they know whether it is
    /// theirs.
    Own(String),
    /// Nobody knows its address.
    Address(String),
}

impl HowToAdd {
    /// Decides by the name of the provider, the providers that are there, those whose addresses are known, and the
    /// servers to look for on this machine.
    pub fn of(name: &str, added: &[Provider], known: &[Provider], local: &[Provider]) -> Self {
        let found = |providers: &[Provider]| {
            let same = |provider: &&Provider| provider.name.eq_ignore_ascii_case(name);
            providers.iter().find(same).map(|provider| provider.name.clone())
        };
        let written = || found(added).map(Self::Written);
        let key = || found(known).map(Self::Key);
        let own = || found(local).map(Self::Own);
        written().or_else(key).or_else(own).unwrap_or_else(|| Self::Address(name.to_owned()))
    }

    /// The command that adds it, without the name of the program; `None` if it is there.
    pub fn command(&self) -> Option<String> {
        match self {
            Self::Written(_) => None,
            Self::Key(name) => Some(format!("models key {}", as_argument(name))),
            Self::Own(name) => Some(format!("models add {} --own", as_argument(name))),
            Self::Address(name) => Some(format!("models add {} --url ADDRESS", as_argument(name))),
        }
    }

    /// What to do, after the sentence that it is not there.
    pub fn advice(&self) -> String {
        match (self, self.command()) {
            (Self::Own(_), Some(command)) => {
                format!("if it is your own server, `dormouse {command}` adds it")
            }
            (_, Some(command)) => format!("`dormouse {command}` adds it"),
            (
                Self::Written(name) | Self::Key(name) | Self::Own(name) | Self::Address(name),
                None,
            ) => {
                format!("its name is written {name}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_settings::ApiFormat;

    fn all(names: &[&str]) -> Vec<Provider> {
        let provider = |name: &&str| Provider {
            name: (*name).to_owned(),
            format: ApiFormat::ChatCompletions,
            base_url: "https://models.example/v1".to_owned(),
            is_own: false,
            categories: None,
        };
        names.iter().map(provider).collect()
    }

    #[test]
    fn what_is_not_there_is_added_by_what_is_known_of_its_name() {
        let (added, known, local) = (all(&["mine"]), all(&["openai"]), all(&["ollama"]));
        for (name, says) in [
            ("openai", "`dormouse models key openai` adds it"),
            ("OpenAI", "`dormouse models key openai` adds it"),
            ("ollama", "if it is your own server, `dormouse models add ollama --own` adds it"),
            ("near", "`dormouse models add near --url ADDRESS` adds it"),
            ("a b", "`dormouse models add 'a b' --url ADDRESS` adds it"),
            ("Mine", "its name is written mine"),
        ] {
            assert_eq!(HowToAdd::of(name, &added, &known, &local).advice(), says, "{name}");
        }
    }
}
