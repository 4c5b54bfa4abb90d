//! The port by which the runtime reaches work without a language model.

use std::error::Error;

use dormouse_formats::recurrence::read_schedule;
use dormouse_formats::when::{DayOrder, ENGLISH, Language, Reader, Weekday};
use dormouse_types::built_in_work::{
    InstructionReader, Known, ReadInstruction, RefusedInstruction, Template, WorkRules,
};
use dormouse_types::work_facts::WorkspaceFacts;
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_outcome::BuiltInOutcome;

use super::{gallery, instruction};
use crate::lang::work;

/// The rules of all kinds of work that are built in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

impl WorkRules for Rules {
    fn gallery(&self, language: &str) -> Vec<Template> {
        gallery::gallery(language)
    }

    fn read(
        &self,
        text: &str,
        known: &Known,
        reader: &InstructionReader,
    ) -> Result<ReadInstruction, RefusedInstruction> {
        let understood = instruction::read(text, known, &reader_of(reader))
            .map_err(|error| RefusedInstruction(whole(&error)))?;
        Ok(ReadInstruction {
            parameters: understood.parameters,
            schedule_words: understood.schedule_words,
            is_usual_time: understood.is_usual_time,
            sentence: understood.sentence,
            not_understood: understood.not_understood,
            language: understood.language,
        })
    }

    fn schedule_of(
        &self,
        text: &str,
        reader: &InstructionReader,
    ) -> Option<(String, &'static str)> {
        instruction::schedule_of(text, &reader_of(reader))
    }

    fn say(
        &self,
        parameters: &WorkParameters,
        schedule_words: Option<&str>,
        reader: &InstructionReader,
    ) -> String {
        let of_words = |words: &str| read_schedule(words, &reader_of(reader)).ok();
        let schedule = schedule_words.and_then(|words| Some((of_words(words)?, words)));
        let schedule = schedule.as_ref().map(|(schedule, words)| (schedule, *words));
        instruction::say(parameters, schedule, &reader.language)
    }

    fn language(&self, tag: &str) -> &'static str {
        work::of(tag).code
    }

    fn run(
        &self,
        facts: &WorkspaceFacts,
        parameters: &WorkParameters,
        language: &str,
    ) -> BuiltInOutcome {
        super::run(facts, parameters, language)
    }
}

fn reader_of(reader: &InstructionReader) -> Reader {
    Reader {
        now: reader.now,
        zone: reader.zone.clone(),
        order: if reader.is_month_first { DayOrder::MonthFirst } else { DayOrder::DayFirst },
        language: Language::of_tag(&reader.language).unwrap_or(ENGLISH),
        week_starts: Weekday::Monday,
    }
}

/// An error and what caused it, in one line.
fn whole(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}
