//! What rules understand of a template's directives: a closed list of settings.

use serde::{Deserialize, Serialize};

use crate::closed_list;
use crate::model::Directives;

/// The port to the rules that read directives.
pub trait DirectiveRules: Send + Sync {
    /// Reads both directives; where they contradict each other, the one about reports counts.
    fn read(&self, directives: &Directives) -> UnderstoodDirectives;
}

closed_list! {
    /// How much a report says.
    pub enum ReportLength, "length of a report" {
        /// The most important lines only.
        Short = "short",
        /// More lines of each section.
        Long = "long",
    }
}

closed_list! {
    /// What the summary of a report begins with.
    pub enum ReportTone, "tone of a report" {
        /// With what was achieved.
        Encouraging = "encouraging",
        /// With what is new.
        Factual = "factual",
        /// With what to do next.
        Direct = "direct",
    }
}

closed_list! {
    /// A section of a report. The addresses are no choice: they are in every report.
    pub enum ReportSection, "section of a report" {
        /// What is done.
        Achieved = "achieved",
        /// What is left to do.
        Left = "left",
        /// What was learned.
        Learned = "learned",
        /// Questions to the person.
        Questions = "questions",
    }
}

closed_list! {
    /// What an agent may propose about a task.
    pub enum ProposalKind, "kind of proposal" {
        /// A title.
        Title = "title",
        /// A status.
        Status = "status",
        /// A priority.
        Priority = "priority",
        /// A due date.
        DueDate = "dueDate",
        /// A time estimate.
        Estimate = "estimate",
        /// Labels.
        Labels = "labels",
        /// New checklist items.
        Items = "items",
        /// Ticks of checklist items.
        Ticks = "ticks",
    }
}

/// One thing that a directive asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "setting", rename_all = "camelCase")]
pub enum DirectiveSetting {
    /// How long reports are.
    Length {
        /// The length.
        length: ReportLength,
    },
    /// What summaries begin with.
    Tone {
        /// The tone.
        tone: ReportTone,
    },
    /// How many sentences a summary has at most.
    SummarySentences {
        /// From 1 to 3.
        most: u8,
    },
    /// Whether reports have emojis.
    Emojis {
        /// Whether they do.
        allowed: bool,
    },
    /// The section that comes first.
    First {
        /// The section.
        section: ReportSection,
    },
    /// A section that reports do not have.
    LeaveOut {
        /// The section.
        section: ReportSection,
    },
    /// A kind of proposal that is not made.
    NeverPropose {
        /// The kind.
        kind: ProposalKind,
    },
}

/// What rules understood of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnderstoodDirectives {
    /// The settings, in the order of the text. Of two that contradict each other only the later one is
    /// listed.
    pub settings: Vec<DirectiveSetting>,
    /// The sentences that change nothing without a language model, in the order of the text.
    pub not_understood: Vec<String>,
}
