//! The port to work that needs no language model: what the rooms that store, plan and run agent work
//! need from the rules that do it.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::id::{CategoryId, LabelId, TaskId};
use crate::named::Named;
use crate::work_facts::WorkspaceFacts;
use crate::work_kind::{WorkKind, WorkParameters, WorkReads};
use crate::work_outcome::BuiltInOutcome;

/// What a definition of agent work does without a language model, as it is stored and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BuiltInWork {
    /// Its kind.
    pub work_kind: WorkKind,
    /// The parameters of that kind.
    pub parameters: WorkParameters,
    /// The language of its texts, as an ISO 639 code.
    pub language: String,
    /// What it does and when, in one sentence in that language.
    pub sentence: String,
    /// Parts of its instructions that were not understood, as they were written.
    pub not_understood: Vec<String>,
}

/// A kind of work, ready to switch on.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// The kind.
    pub kind: WorkKind,
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub sentence: &'static str,
    /// When it usually runs, in words that the reader of schedules knows, in the language of the texts.
    pub schedule: String,
    /// What a run may read.
    pub reads: &'static [WorkReads],
    /// What it starts with; none for a repetition, which needs the name of a task first.
    pub parameters: Option<WorkParameters>,
}

/// The names that an instruction may use.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Every category.
    pub categories: Vec<Named<CategoryId>>,
    /// Every label.
    pub labels: Vec<Named<LabelId>>,
    /// Tasks that can start over or be copied.
    pub tasks: Vec<Named<TaskId>>,
}

/// Who reads or writes an instruction, and when.
#[derive(Debug, Clone)]
pub struct InstructionReader {
    /// What the person's clock shows.
    pub now: DateTime,
    /// The person's time zone.
    pub zone: TimeZone,
    /// Whether the month comes first where days are written in figures.
    pub is_month_first: bool,
    /// The person's language, as a tag.
    pub language: String,
}

/// What an instruction in words means.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadInstruction {
    /// The kind, and its parameters.
    pub parameters: WorkParameters,
    /// When it is to be done, in words that the reader of schedules knows, in [`Self::language`].
    pub schedule_words: String,
    /// Whether the instruction says nothing about when, so that the usual time of the kind was taken.
    pub is_usual_time: bool,
    /// All of it said back in one plain sentence.
    pub sentence: String,
    /// Parts of the instruction that were not understood, as they were written.
    pub not_understood: Vec<String>,
    /// The language that the instruction was read in, as an ISO 639 code.
    pub language: &'static str,
}

/// Why an instruction is not accepted: what is wrong with it, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefusedInstruction(pub String);

/// The rules that do work without a language model. They read no store and no clock.
pub trait WorkRules: Send + Sync {
    /// Every kind, in the order of the gallery, in a language; in English if it has no words.
    fn gallery(&self, language: &str) -> Vec<Template>;

    /// Reads an instruction in words.
    ///
    /// Errors: it is of no known kind, or says something that cannot be used.
    fn read(
        &self,
        text: &str,
        known: &Known,
        reader: &InstructionReader,
    ) -> Result<ReadInstruction, RefusedInstruction>;

    /// How often an instruction for a language model says that it is to be done, in words of a language, which is an
    /// ISO 639 code; `None` if it does not clearly say that.
    fn schedule_of(
        &self,
        _text: &str,
        _reader: &InstructionReader,
    ) -> Option<(String, &'static str)> {
        None
    }

    /// Says in one sentence what work does, and when if it has a schedule in words.
    fn say(
        &self,
        parameters: &WorkParameters,
        schedule_words: Option<&str>,
        reader: &InstructionReader,
    ) -> String;

    /// The language that its texts have for a reader, as an ISO 639 code.
    fn language(&self, tag: &str) -> &'static str;

    /// Does a piece of work: the same facts and parameters always come to the same outcome.
    fn run(
        &self,
        facts: &WorkspaceFacts,
        parameters: &WorkParameters,
        language: &str,
    ) -> BuiltInOutcome;
}

/// No rules: every instruction is for a language model.
#[derive(Debug, Clone, Copy)]
pub struct NoWorkRules;

impl WorkRules for NoWorkRules {
    fn gallery(&self, _: &str) -> Vec<Template> {
        Vec::new()
    }

    fn read(
        &self,
        _: &str,
        _: &Known,
        _: &InstructionReader,
    ) -> Result<ReadInstruction, RefusedInstruction> {
        Err(RefusedInstruction("this needs a language model".into()))
    }

    fn say(&self, _: &WorkParameters, _: Option<&str>, _: &InstructionReader) -> String {
        String::new()
    }

    fn language(&self, _: &str) -> &'static str {
        "en"
    }

    fn run(&self, _: &WorkspaceFacts, _: &WorkParameters, _: &str) -> BuiltInOutcome {
        BuiltInOutcome::Nothing { why: crate::work_outcome::NothingReason::NothingThere }
    }
}
