//! What is imported, and how.

use std::sync::Arc;

use dormouse_formats::csv::Column;
use dormouse_formats::intake::DayOrder;
use dormouse_formats::plan::{AgentChoice, Correction, Format};
use dormouse_types::task::Status;
use dormouse_types::{Digest, closed_list};

use crate::Error;

/// A file to import.
#[derive(Debug, Clone)]
pub struct ImportFile {
    /// Its name; a later import of the same name updates its tasks.
    pub name: String,
    /// Its content.
    pub bytes: Arc<[u8]>,
}

impl ImportFile {
    /// A file with a name and its content.
    pub fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }

    /// Refuses a name that cannot identify the file: control characters end a line of a log, and
    /// not every database stores them.
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.name.chars().any(char::is_control) {
            return Ok(());
        }
        let shown: String = self.name.escape_debug().take(200).collect();
        let message = format!("`{shown}` has a control character: give the file another name");
        Err(Error::Invalid { field: "name", message })
    }
}

closed_list! {
    /// Which tasks of an import get an agent, unless a correction says otherwise.
    pub enum ImportAgents, "agents of an import" {
        /// None of them.
        None = "none",
        /// Open tasks with a lot of text.
        Suggested = "suggested",
        /// All that are not finished.
        All = "all",
    }
}

impl ImportAgents {
    /// Whether a task gets an agent: one that is done or rejected never does, else what a person chose for it,
    /// else this.
    pub fn gives(
        self,
        status: Option<Status>,
        chosen: Option<AgentChoice>,
        is_suggested: bool,
    ) -> bool {
        if status.is_some_and(Status::is_terminal) {
            return false;
        }
        match (chosen, self) {
            (Some(AgentChoice::Give), _) | (None, Self::All) => true,
            (Some(AgentChoice::Refuse), _) | (None, Self::None) => false,
            (None, Self::Suggested) => is_suggested,
        }
    }
}

/// How a file is imported.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Which tasks get an agent.
    pub agents: ImportAgents,
    /// What the file is read as; by default what its content looks like.
    pub format: Option<Format>,
    /// The order of day and month in dates such as 3/4.
    pub day_order: DayOrder,
    /// What each column of a sheet means; by default it is guessed.
    pub columns: Option<Vec<Column>>,
    /// The digest of the plan that the person saw: if the plan is another one by now, nothing is
    /// written.
    pub digest: Option<Digest>,
    /// What the person changed in that plan.
    pub corrections: Vec<Correction>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            agents: ImportAgents::None,
            format: None,
            day_order: DayOrder::DayFirst,
            columns: None,
            digest: None,
            corrections: Vec::new(),
        }
    }
}
