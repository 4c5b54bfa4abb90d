//! Requests to a model, and its answers.
//!
//! A request is a list of typed fragments. Provider adapters send their text; the built-in rules
//! model reads their data. The rooms that gather fragments render their text from the data; order,
//! caps and fencing are applied in `dormouse-runs` and nowhere else.

mod fragment;
mod ledger;
mod news;
mod task_state;
mod turn;

pub use self::fragment::{
    Directives, EvolutionFacts, Fragment, FragmentData, FragmentKind, Instruction, LastReport,
    LogData, ObservationNote, PromptPart,
};
pub use self::ledger::{Decided, Ledger, OpenProposal, Resolution};
pub use self::news::{Delta, DeltaChange, LinkedChangeKind, LinkedNews, TimerNote};
pub use self::task_state::{Entry, FieldSay, Item, StatedField, TaskState, latest_on};
pub use self::turn::{
    ModelError, ProviderState, ProviderUnavailable, ToolCall, ToolResult, ToolSpec, Turn,
    TurnEvent, Usage, unique_call_id,
};
use crate::id::RunKey;
pub use crate::named::Named;
pub use crate::observation::{ObservationCategory, ObservationPriority};

/// One request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// The run that sends it; scripted models choose their answer by it.
    pub run_key: RunKey,
    /// The turn's number, from 1.
    pub turn: u32,
    /// The prompt, most stable fragments first, up to an instruction. What follows it belongs to this
    /// turn alone and is said after the earlier turns, so that all turns of a run begin alike.
    pub fragments: Vec<Fragment>,
    /// Earlier turns of this run with their tool results.
    pub turns: Vec<Turn>,
    /// The tools that are offered: the same in every turn of a run.
    pub tools: Vec<ToolSpec>,
    /// Which of them may or must be called in this turn.
    pub tool_choice: ToolChoice,
}

impl Request {
    /// What is said first, and what is said after the earlier turns.
    pub fn parts(&self) -> (&[Fragment], &[Fragment]) {
        let is_instruction = |it: &Fragment| it.kind == FragmentKind::Instruction;
        let end = self.fragments.iter().position(is_instruction);
        self.fragments.split_at(end.map_or(self.fragments.len(), |end| end + 1))
    }
}

/// Whether a model must call a tool, and which.
///
/// A turn that is restricted has the tools of every other turn: where they stand in a prompt, another
/// list would change everything after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// It must call one of the offered tools.
    Required,
    /// It must call one of the tools with these names. Not every provider can enforce that; a call of
    /// another tool is refused when it comes.
    OneOf(Vec<String>),
}
