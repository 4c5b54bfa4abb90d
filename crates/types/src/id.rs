//! Ids with a readable prefix.
//!
//! Shape: `<prefix>-<ulid, lower case>`, for example `jt-01jd7m3k5vn2c8q4w6x0z9abcd`. The last five
//! characters are what a person types.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::entropy::Entropy;
use crate::time::Timestamp;

/// A text that is not an id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id of the form {prefix}-… (26 letters and digits after the dash)")]
pub struct IdError {
    /// The text as given.
    pub text: String,
    /// The prefix that was expected.
    pub prefix: &'static str,
}

/// An id of one kind.
pub trait Id: Sized + Clone + fmt::Display + FromStr<Err = IdError> {
    /// The part before the dash.
    const PREFIX: &'static str;

    /// The id as a string.
    fn as_str(&self) -> &str;

    /// Creates a fresh id from a time and entropy.
    fn fresh(now: Timestamp, entropy: &dyn Entropy) -> Self;

    /// The last five characters: the short form in lists.
    fn short(&self) -> &str {
        short(self.as_str())
    }
}

fn short(text: &str) -> &str {
    &text[text.len().saturating_sub(5)..]
}

fn ulid(now: Timestamp, entropy: &dyn Entropy) -> String {
    let mut random = [0u8; 16];
    entropy.fill(&mut random);
    let millis = u64::try_from(now.micros() / 1000).unwrap_or(0);
    ulid::Ulid::from_parts(millis, u128::from_be_bytes(random)).to_string().to_lowercase()
}

fn parse(text: &str, prefix: &'static str) -> Result<String, IdError> {
    parse_after(text, prefix, prefix)
}

fn parse_after(text: &str, kind: &str, prefix: &'static str) -> Result<String, IdError> {
    let error = || IdError { text: text.chars().take(60).collect(), prefix };
    let rest = text.strip_prefix(kind).and_then(|r| r.strip_prefix('-')).ok_or_else(error)?;
    let valid =
        rest.len() == 26 && rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    if valid { Ok(text.to_owned()) } else { Err(error()) }
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])* $name:ident = $prefix:literal;)*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[serde(try_from = "String", into = "String")]
            pub struct $name(String);

            impl Id for $name {
                const PREFIX: &'static str = $prefix;
                fn as_str(&self) -> &str { &self.0 }
                fn fresh(now: Timestamp, entropy: &dyn Entropy) -> Self {
                    Self(format!("{}-{}", $prefix, ulid(now, entropy)))
                }
            }
            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
            }
            impl FromStr for $name {
                type Err = IdError;
                fn from_str(text: &str) -> Result<Self, IdError> { parse(text, $prefix).map(Self) }
            }
            impl TryFrom<String> for $name {
                type Error = IdError;
                fn try_from(text: String) -> Result<Self, IdError> { text.parse() }
            }
            impl From<$name> for String {
                fn from(id: $name) -> String { id.0 }
            }
            #[cfg(feature = "openapi")]
            crate::schema::text!($name, concat!("^", $prefix, "-[0-9a-z]{26}$"), [$($doc),*]);
        )*
        /// Every prefix with the kind of id it names; one table, so that no two kinds share a
        /// prefix.
        pub const PREFIXES: &[(&str, &str)] = &[$(($prefix, stringify!($name))),*];
    };
}

ids! {
    /// A person's task.
    TaskId = "jt";
    /// A checklist of a task.
    ChecklistId = "cl";
    /// One item of a checklist.
    ItemId = "ci";
    /// Text, transcript, image analysis or time entry on a task.
    EntryId = "en";
    /// A link between two tasks.
    TaskLinkId = "tl";
    /// A label definition.
    LabelId = "lb";
    /// A category of tasks.
    CategoryId = "ct";
    /// An agent.
    AgentId = "ag";
    /// The durable state of an agent.
    StateId = "as";
    /// A message of an agent.
    MessageId = "am";
    /// Large content that messages point to.
    PayloadId = "ap";
    /// A report.
    ReportId = "ar";
    /// The head pointer of an agent's reports of one scope.
    ReportHeadId = "ah";
    /// A link between two entities of the agent store.
    LinkId = "al";
    /// A subscription of an agent.
    SubscriptionId = "su";
    /// A change set.
    ChangeSetId = "cs";
    /// A person's verdict on one change item.
    DecisionId = "cd";
    /// A thread of messages: one wake, or the decisions.
    ThreadId = "th";
    /// A database; the epoch of cursors and the key of vector clocks.
    HostId = "ho";
    /// One request of a person, the `requestId` of a run key.
    RequestId = "rq";
    /// A bearer token; this is what names it, not what opens the door.
    TokenId = "tok";
    /// A definition of agent work: what an agent does itself, and when. Its public name is task.
    WorkId = "task";
    /// One execution of agent work.
    WorkRunId = "run";
    /// What joins all executions of one definition of agent work.
    SessionId = "ss";
    /// A question that a run of agent work asks the person.
    QuestionId = "qu";
    /// A hook of agent work; this is what identifies it in its address, not what authorises a call.
    HookId = "hook";
    /// A conversation.
    ConversationId = "conv";
    /// A notice to the person about agent work.
    DeliveryId = "dl";
    /// A template of agents: persona and directives, in versions.
    TemplateId = "at";
    /// A version of a template.
    TemplateVersionId = "av";
    /// A session in which a person and a model evolve a template.
    EvolutionSessionId = "evo";
    /// Something that was said, proposed or decided in such a session.
    EvolutionMessageId = "em";
    /// What a model noted about a template for later sessions.
    EvolutionNoteId = "nt";
    /// A rule of the person about what agents propose.
    RuleId = "ru";
}

/// Who waits in the queue, has timers and holds a lease: an agent, or a holder of another kind.
///
/// Shape: as any id; the prefix is the kind of holder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HolderId(String);

impl HolderId {
    /// The id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last five characters: the short form in lists.
    pub fn short(&self) -> &str {
        short(&self.0)
    }

    /// The kind of holder: the part before the dash.
    pub fn kind(&self) -> &str {
        self.0.split_once('-').map_or("", |(kind, _)| kind)
    }
}

impl fmt::Display for HolderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for HolderId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let kind = text.split_once('-').map_or("", |(kind, _)| kind);
        if kind.is_empty() || !kind.bytes().all(|b| b.is_ascii_lowercase()) {
            return Err(IdError { text: text.chars().take(60).collect(), prefix: "<kind>" });
        }
        parse_after(text, kind, "<kind>").map(Self)
    }
}

impl TryFrom<String> for HolderId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<HolderId> for String {
    fn from(id: HolderId) -> Self {
        id.0
    }
}

impl From<&HolderId> for HolderId {
    fn from(id: &HolderId) -> Self {
        id.clone()
    }
}

impl From<AgentId> for HolderId {
    fn from(id: AgentId) -> Self {
        Self(id.0)
    }
}

impl From<&AgentId> for HolderId {
    fn from(id: &AgentId) -> Self {
        Self(id.0.clone())
    }
}

/// A template holds its versions as an agent holds its messages; it never waits in a queue.
impl From<&TemplateId> for HolderId {
    fn from(id: &TemplateId) -> Self {
        Self(id.0.clone())
    }
}

impl From<WorkRunId> for HolderId {
    fn from(id: WorkRunId) -> Self {
        Self(id.0)
    }
}

impl From<&WorkRunId> for HolderId {
    fn from(id: &WorkRunId) -> Self {
        Self(id.0.clone())
    }
}

/// A session about a template waits in the queue whenever the model is to answer.
impl From<&EvolutionSessionId> for HolderId {
    fn from(id: &EvolutionSessionId) -> Self {
        Self(id.0.clone())
    }
}

impl SessionId {
    /// The session of a run that shares it with no other.
    pub fn of_run(run: &WorkRunId) -> Self {
        let (_, rest) = run.0.split_once('-').expect("an id has a prefix");
        Self(format!("ss-{rest}"))
    }
}

/// Fails for a holder of another kind.
impl TryFrom<&HolderId> for EvolutionSessionId {
    type Error = IdError;

    fn try_from(id: &HolderId) -> Result<Self, IdError> {
        id.0.parse()
    }
}

/// Fails for a holder of another kind.
impl TryFrom<&HolderId> for WorkRunId {
    type Error = IdError;

    fn try_from(id: &HolderId) -> Result<Self, IdError> {
        id.0.parse()
    }
}

/// Fails for a holder of another kind.
impl TryFrom<HolderId> for AgentId {
    type Error = IdError;

    fn try_from(id: HolderId) -> Result<Self, IdError> {
        id.0.parse()
    }
}

/// Fails for a holder of another kind.
impl TryFrom<&HolderId> for AgentId {
    type Error = IdError;

    fn try_from(id: &HolderId) -> Result<Self, IdError> {
        id.0.parse()
    }
}

impl PartialEq<AgentId> for HolderId {
    fn eq(&self, other: &AgentId) -> bool {
        self.0 == other.0
    }
}

/// The unit of ownership: one journal and one agent store. The first column of every key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkspaceId(pub i64);

/// A position in a workspace's change sequence.
///
/// Units: journal or agent commits, not a time. Gaps are allowed.
#[derive(
    Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(pub i64);

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! hex_keys {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// Shape: 64 lower-case hex digits.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The key as a string.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
        #[cfg(feature = "openapi")]
        crate::schema::text!($name, "^[0-9a-f]{64}$", [$($doc),*]);
    )*};
}

hex_keys! {
    /// The key under which a wake runs at most once.
    RunKey;
    /// The id under which one mutation happens at most once.
    OperationId;
    /// The identity of a proposed action; also the digest shown to the person.
    Fingerprint;
    /// A SHA-256 of some text or canonical JSON.
    Digest;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_unique() {
        let mut prefixes: Vec<_> = PREFIXES.iter().map(|(prefix, _)| *prefix).collect();
        prefixes.sort_unstable();
        let count = prefixes.len();
        prefixes.dedup();
        assert_eq!(count, prefixes.len());
    }

    #[test]
    fn a_holder_is_known_by_the_prefix_of_its_id() {
        let id: HolderId = "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse().unwrap();
        assert_eq!(id.kind(), "ag");
        assert_eq!(AgentId::try_from(&id).map(HolderId::from), Ok(id));
        let other: HolderId = "chore-01jd7m3k5vn2c8q4w6x0z9abcd".parse().unwrap();
        assert_eq!(other.kind(), "chore");
        assert_eq!(AgentId::try_from(other).unwrap_err().prefix, "ag");
        for text in
            ["", "-01jd7m3k5vn2c8q4w6x0z9abcd", "nonsense", "ag-1", "Ag-01jd7m3k5vn2c8q4w6x0z9abcd"]
        {
            assert!(text.parse::<HolderId>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_id_of_another_kind_is_refused() {
        let error = "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse::<TaskId>().unwrap_err();
        assert_eq!(error.prefix, "jt");
        assert!("jt-01JD7M3K5VN2C8Q4W6X0Z9ABCD".parse::<TaskId>().is_err());
        assert!("jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse::<TaskId>().is_ok());
    }
}
