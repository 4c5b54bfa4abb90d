//! Names for the lines of what an agent knows, so that a person can point at one of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{DecisionId, MessageId};

/// The name of a line among those of one agent.
///
/// Shape: `line-12`, `summary-3`, or `decision-` or `message-` and the id of one; as text in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum LineName {
    /// A line of its log, by its number.
    Line(i64),
    /// A summary of older lines, by its number.
    Summary(i64),
    /// A decision of the person.
    Decision(DecisionId),
    /// What the person said to the agent.
    Message(MessageId),
}

/// A text names no line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no line: a name is `line-12`, `summary-3`, `decision-…` or `message-…`")]
pub struct NoLineName(String);

impl fmt::Display for LineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(n) => write!(f, "line-{n}"),
            Self::Summary(n) => write!(f, "summary-{n}"),
            Self::Decision(id) => write!(f, "decision-{id}"),
            Self::Message(id) => write!(f, "message-{id}"),
        }
    }
}

impl From<LineName> for String {
    fn from(name: LineName) -> Self {
        name.to_string()
    }
}

impl TryFrom<String> for LineName {
    type Error = NoLineName;

    fn try_from(text: String) -> Result<Self, NoLineName> {
        text.parse()
    }
}

#[cfg(feature = "openapi")]
crate::schema::text!(
    LineName,
    "^(line-[0-9]+|summary-[0-9]+|decision-cd-[0-9a-z]{26}|message-am-[0-9a-z]{26})$",
    [
        "The name of a line among those of one agent: `line-12`, `summary-3`, `decision-…`, `message-…`."
    ]
);

impl FromStr for LineName {
    type Err = NoLineName;

    fn from_str(text: &str) -> Result<Self, NoLineName> {
        let name = match text.split_once('-') {
            Some(("line", n)) => n.parse().ok().map(Self::Line),
            Some(("summary", n)) => n.parse().ok().map(Self::Summary),
            Some(("decision", id)) => id.parse().ok().map(Self::Decision),
            Some(("message", id)) => id.parse().ok().map(Self::Message),
            Some(_) | None => None,
        };
        name.ok_or_else(|| NoLineName(text.chars().take(60).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let id = "cd-01h2xcejqtf2nbrexx3vqjhp41";
        let message = format!("message-am-{}", &id[3..]);
        for text in ["line-12", "summary-3", &format!("decision-{id}"), &message] {
            let name: LineName = text.parse().expect("a name");
            assert_eq!(name.to_string(), text);
            assert_eq!(serde_json::to_value(&name).unwrap(), text);
            assert_eq!(serde_json::from_value::<LineName>(text.into()).unwrap(), name);
        }
        for text in
            ["", "12", "line-", "line-x", "report-1", "decision-12", "message-12", "summary"]
        {
            assert_eq!(text.parse::<LineName>(), Err(NoLineName(text.into())));
        }
    }
}
