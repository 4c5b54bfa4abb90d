//! The pieces of a prompt, as text and as data.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::ledger::Ledger;
use super::news::{Delta, DeltaChange};
use super::task_state::TaskState;
use crate::closed_list;
use crate::evolution::ToolVerdicts;
use crate::linked::LinkedContext;
use crate::observation::{ObservationCategory, ObservationPriority};
use crate::time::Timestamp;
use crate::trend::Trend;

/// One piece of a prompt.
#[derive(Debug, Clone)]
pub struct Fragment {
    /// What it is; decides its place in the prompt.
    pub kind: FragmentKind,
    /// The text a language model reads.
    pub text: String,
    /// The same content as data, for the built-in model.
    pub data: FragmentData,
    /// Whether it contains text from outside.
    pub tainted: bool,
    /// Where the text is cut into blocks that are sent one by one, for providers that keep the
    /// beginning of a prompt up to the end of a block: for a log, where each wake's lines end. Empty
    /// if it is one block. Units: bytes of `text`.
    pub block_ends: Vec<usize>,
}

impl Fragment {
    /// Its blocks, in order, without the line breaks between them.
    pub fn blocks(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.block_ends.iter().copied());
        let ends = self.block_ends.iter().copied().chain([self.text.len()]);
        let blocks = starts.zip(ends).filter_map(|(start, end)| self.text.get(start..end));
        blocks.map(|block| block.trim_matches('\n')).filter(|block| !block.is_empty())
    }
}

/// A closed list of the kinds of fragments, and what else its enum has.
macro_rules! list_of_fragment_kinds {
    (
        $(#[$meta:meta])* $list:ident, $what:literal
        $(, $(#[$value_meta:meta])* $value:ident = $name:tt)*
    ) => {
        closed_list! {
            $(#[$meta])*
            pub enum $list, $what {
                /// Scaffold and directives.
                System = "system",
                /// What older lines of the log were folded into.
                Summary = "summary",
                /// The append-only log of the task: captured inputs and observations.
                Log = "log",
                /// What a run of agent work is instructed to do: title, instructions, corrections,
                /// answers.
                Work = "work",
                /// What earlier runs of the same agent work did.
                EarlierRuns = "earlierRuns",
                /// Tasks one link away.
                LinkedTasks = "linkedTasks",
                /// The current state of the task.
                TaskState = "taskState",
                /// Recent decisions and open proposals.
                Decisions = "decisions",
                /// How the task went over its last weeks, in figures.
                Trend = "trend",
                /// What changed since the last completed run.
                Delta = "delta",
                /// What the person tells the agent.
                Message = "message",
                /// What this turn must do.
                Instruction = "instruction",
                $($(#[$value_meta])* $value = $name,)*
            }
        }
    };
}

list_of_fragment_kinds! {
    /// The kinds of fragments, in prompt order.
    FragmentKind, "fragment kind"
}

list_of_fragment_kinds! {
    /// What a piece of a prompt holds: a kind of fragment, or what is said about tools.
    PromptPart, "part of a prompt",
    /// Which tools could be called, if not all.
    ToolChoice = "toolChoice",
    /// The tools.
    Tools = "tools"
}

impl From<FragmentKind> for PromptPart {
    fn from(kind: FragmentKind) -> Self {
        // Both lists begin with the same values in the same order.
        Self::ALL[kind as usize]
    }
}

/// A fragment as data.
#[derive(Debug, Clone, Default)]
pub enum FragmentData {
    /// Text only.
    #[default]
    None,
    /// For [`FragmentKind::System`] of a task agent.
    Directives(Directives),
    /// For [`FragmentKind::Log`].
    Log(LogData),
    /// For [`FragmentKind::LinkedTasks`].
    LinkedTasks(Box<LinkedContext>),
    /// For [`FragmentKind::TaskState`].
    TaskState(Box<TaskState>),
    /// For [`FragmentKind::Decisions`].
    Decisions(Ledger),
    /// For [`FragmentKind::Trend`].
    Trend(Trend),
    /// For [`FragmentKind::Delta`].
    Delta(Delta),
    /// For [`FragmentKind::Message`].
    Message(String),
    /// For [`FragmentKind::Instruction`].
    Instruction(Instruction),
    /// For [`FragmentKind::Work`] of a session about a template.
    Evolution(Box<EvolutionFacts>),
}

/// What a template tells an agent, in a person's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directives {
    /// How it works and talks: persona, tools, objective.
    pub general: String,
    /// What its reports look like.
    pub report: String,
}

/// A session about a template as data, for the built-in model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvolutionFacts {
    /// The directives in effect.
    pub directives: Directives,
    /// What people decided about the proposals of the agents that follow the template.
    pub verdicts: Vec<ToolVerdicts>,
    /// Over how many days that is.
    pub days: u64,
    /// The general directives that the person turned down in this session.
    pub turned_down: Vec<String>,
}

/// What earlier runs captured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogData {
    /// Observations of earlier completed runs, oldest first.
    pub observations: Vec<ObservationNote>,
    /// Changes that earlier completed runs saw, oldest first.
    pub changes: Vec<DeltaChange>,
}

/// An observation kept as memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservationNote {
    /// When it was recorded.
    pub at: Timestamp,
    /// Its text.
    pub text: String,
    /// Its weight.
    pub priority: ObservationPriority,
    /// What it is about.
    #[serde(default)]
    pub category: ObservationCategory,
}

/// What this turn must do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instruction {
    /// Whether this agent has not yet completed a run with a report.
    pub first: bool,
    /// Whether a report must be written in this run.
    pub report_due: bool,
    /// Whether only `update_report` may be called now.
    pub report_only: bool,
    /// Today in the workspace's time zone.
    pub today: Date,
    /// Whether the month comes before the day in figures, if that was chosen for the workspace: then
    /// "03/04" is 4 March.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_month_first: Option<bool>,
    /// The last report; only its TLDR and time return to the prompt.
    pub last_report: Option<LastReport>,
}

/// The last report the person got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastReport {
    /// Its TLDR.
    pub tldr: String,
    /// When it was published.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_fragment_is_the_part_of_a_prompt_with_its_name() {
        let names = |of: fn(FragmentKind) -> &'static str| {
            FragmentKind::ALL.iter().map(|kind| of(*kind)).collect::<Vec<_>>()
        };
        assert_eq!(names(|kind| PromptPart::from(kind).name()), names(FragmentKind::name));
    }
}
