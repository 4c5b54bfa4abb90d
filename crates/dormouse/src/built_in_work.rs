//! Agent work that needs no language model: its gallery, instructions in words, a trial without effects,
//! and what of it a definition holds.

use dormouse_types::built_in_work::{BuiltInWork, InstructionReader, ReadInstruction, WorkRules};
use dormouse_types::work_kind::{Repeat, Repeated, WorkParameters, WorkRefusal};
use dormouse_types::{Caller, Id as _, Scope, Timestamp, limits};
use dormouse_work::definition::{ReadSchedule, built_in};

use crate::dates::{DayOrder, Language, Wording};
use crate::request::require;
use crate::view::{WorkInstruction, WorkTemplate, WorkTrial};
use crate::work::{NewWork, WorkPatch, early_times};
use crate::{Dormouse, Error};

/// What a request means: the instructions, what is done without a language model, and when.
pub(crate) struct Meant {
    pub(crate) instructions: Option<String>,
    pub(crate) built_in: Option<Option<BuiltInWork>>,
    pub(crate) schedule: Option<ReadSchedule>,
    /// When such work usually runs, in words, if nothing says when it does.
    pub(crate) usual_schedule: Option<String>,
}

impl Dormouse {
    /// The kinds of work that need no language model, each ready to switch on.
    pub async fn work_gallery(
        &self,
        caller: &Caller,
        wording: Wording,
    ) -> Result<Vec<WorkTemplate>, Error> {
        require(caller, Scope::Read)?;
        let templates = self.rules().gallery(wording.language.code()).into_iter().map(|one| {
            let next = self.read_work_schedule(&one.schedule, wording)?;
            Ok(WorkTemplate {
                work_kind: one.kind,
                name: one.name.to_owned(),
                sentence: one.sentence.to_owned(),
                schedule: one.schedule,
                next: times(&next),
                reads: one.reads.to_vec(),
                parameters: one.parameters,
            })
        });
        templates.collect()
    }

    /// Reads an instruction in words, and writes nothing.
    ///
    /// Errors: it needs a language model, or says something that cannot be used.
    pub async fn read_work_instruction(
        &self,
        caller: &Caller,
        text: &str,
        wording: Wording,
    ) -> Result<WorkInstruction, Error> {
        require(caller, Scope::Read)?;
        let read = self.understood(caller, text, wording, "text").await?;
        let schedule =
            self.read_work_schedule(&read.schedule_words, in_language(wording, &read))?;
        let refusal = match self.may_be_kept(caller, &read.parameters).await {
            Ok(()) => None,
            Err(Error::WorkRefused { refusal, .. }) => Some(refusal),
            Err(error) => return Err(error),
        };
        Ok(WorkInstruction {
            refusal,
            work_kind: read.parameters.kind(),
            parameters: read.parameters,
            sentence: read.sentence,
            schedule: read.schedule_words,
            is_usual_time: read.is_usual_time,
            next: times(&schedule),
            early_times: early_times(&schedule),
            not_understood: read.not_understood,
            language: read.language.to_owned(),
        })
    }

    /// What a run with these parameters would come to now. It writes nothing.
    ///
    /// Errors: a parameter that no run can use.
    pub async fn try_work(
        &self,
        caller: &Caller,
        parameters: &WorkParameters,
        wording: Wording,
    ) -> Result<WorkTrial, Error> {
        require(caller, Scope::Read)?;
        self.check_parameters(caller, parameters).await?;
        let facts = self.queries.work_facts(caller.workspace, None, parameters, None).await?;
        let reader = self.instruction_reader(wording);
        let outcome = self.rules().run(&facts, parameters, &reader.language);
        Ok(WorkTrial { outcome, sentence: self.rules().say(parameters, None, &reader) })
    }

    /// What new work means: by its parameters, or by its instructions if no language model reads them.
    pub(crate) async fn meant_by(
        &self,
        caller: &Caller,
        new: &NewWork,
        wording: Wording,
    ) -> Result<Meant, Error> {
        let words = new.schedule.as_deref();
        let given = words.map(|words| self.read_work_schedule(words, wording)).transpose()?;
        let words = schedule_words(given.as_ref(), words).map(ToOwned::to_owned);
        let words = words.as_deref();
        if let Some(parameters) = &new.parameters {
            self.may_be_kept(caller, parameters).await?;
            let made = self.described(parameters.clone(), words, wording);
            let instructions = new.instructions.clone().unwrap_or_else(|| made.sentence.clone());
            return Ok(Meant {
                instructions: Some(instructions),
                built_in: Some(Some(made)),
                schedule: given,
                usual_schedule: None,
            });
        }
        let instructions = new.instructions.clone().unwrap_or_default();
        if instructions.trim().is_empty()
            || self.work.has_language_model(new.model.as_deref(), new.template.as_ref())
        {
            let schedule = match given {
                None if new.events.is_empty() && !new.waits_for_calls => {
                    self.schedule_in(&instructions, wording)?
                }
                given => given,
            };
            return Ok(Meant {
                instructions: Some(instructions),
                built_in: None,
                schedule,
                usual_schedule: None,
            });
        }
        let read = self.understood(caller, &instructions, wording, "instructions").await?;
        self.may_be_kept(caller, &read.parameters).await?;
        let starts_otherwise = new.waits_for_calls || !new.events.is_empty();
        let is_silent = given.is_none() && read.is_usual_time;
        let usual_schedule = (is_silent && !starts_otherwise).then(|| read.schedule_words.clone());
        let schedule = match given {
            // The usual time of its kind is for who chooses it.
            None if read.is_usual_time => None,
            None => {
                let wording = in_language(wording, &read);
                Some(self.read_work_schedule(&read.schedule_words, wording)?)
            }
            given => given,
        };
        let made = self.as_read(read, words, wording);
        let built_in = Some(Some(made));
        Ok(Meant { instructions: Some(instructions), built_in, schedule, usual_schedule })
    }

    /// What a change of work means. Instructions that no language model would read after it are read by the rules.
    pub(crate) async fn meant_by_patch(
        &self,
        caller: &Caller,
        id: &dormouse_types::WorkId,
        patch: &WorkPatch,
        wording: Wording,
    ) -> Result<Meant, Error> {
        let words = patch.schedule.as_deref();
        let given = words.map(|words| self.read_work_schedule(words, wording)).transpose()?;
        let words = schedule_words(given.as_ref(), words).map(ToOwned::to_owned);
        let words = words.as_deref();
        let current = self.work.definition(caller.workspace, id).await?;
        let before = built_in(&current)?;
        let instructions = patch.instructions.clone();
        let unchanged = Meant {
            instructions: instructions.clone(),
            built_in: None,
            schedule: given,
            usual_schedule: None,
        };
        let words_after = words.or(current.schedule_words.as_deref());
        if let Some(parameters) = &patch.parameters {
            self.may_be_kept(caller, parameters).await?;
            let made = self.described(parameters.clone(), words_after, wording);
            let instructions = instructions.or_else(|| Some(made.sentence.clone()));
            return Ok(Meant { instructions, built_in: Some(Some(made)), ..unchanged });
        }
        let is_given_to_model = matches!(&patch.model, Some(Some(_)))
            && self
                .work
                .has_language_model(patch.model.as_ref().and_then(|it| it.as_deref()), None);
        if is_given_to_model {
            return Ok(Meant { built_in: before.is_some().then_some(None), ..unchanged });
        }
        let model = patch.model.as_ref().unwrap_or(&current.model);
        let template = patch.template.as_ref().unwrap_or(&current.template);
        let has_model = || self.work.has_language_model(model.as_deref(), template.as_ref());
        let text = match (&before, &instructions) {
            (None, _) if has_model() => None,
            (_, Some(text)) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            (None, None) if patch.model.is_some() || patch.template.is_some() => {
                Some(self.work.instructions(caller.workspace, id, current.version).await?)
            }
            (_, None) => None,
        };
        match (before, text) {
            (_, Some(text)) => {
                let read = self.understood(caller, &text, wording, "instructions").await?;
                self.may_be_kept(caller, &read.parameters).await?;
                let is_new = instructions.is_some();
                let is_timed = is_new && !read.is_usual_time && current.schedule.is_some();
                let schedule = match unchanged.schedule.clone() {
                    None if is_timed => {
                        let of_read = in_language(wording, &read);
                        Some(self.read_work_schedule(&read.schedule_words, of_read)?)
                    }
                    given => given,
                };
                let words = schedule.as_ref().map(|one| one.words.clone());
                let words = words.as_deref().or(words_after);
                let made = self.as_read(read, words, wording);
                Ok(Meant { instructions, built_in: Some(Some(made)), schedule, ..unchanged })
            }
            (Some(before), None) if words.is_some() => {
                let language = Language::of_tag(&before.language).unwrap_or(wording.language);
                let wording = Wording { language, ..wording };
                let made = self.described(before.parameters.clone(), words, wording);
                let made = BuiltInWork { not_understood: before.not_understood, ..made };
                Ok(Meant { built_in: Some(Some(made)), ..unchanged })
            }
            _ => Ok(unchanged),
        }
    }

    /// The schedule in the words of instructions for a language model; `None` if they have none.
    fn schedule_in(
        &self,
        instructions: &str,
        wording: Wording,
    ) -> Result<Option<ReadSchedule>, Error> {
        let found = self.rules().schedule_of(instructions, &self.instruction_reader(wording));
        let Some((words, code)) = found else { return Ok(None) };
        let language = Language::of_tag(code).unwrap_or(wording.language);
        self.read_work_schedule(&words, Wording { language, ..wording }).map(Some)
    }

    fn rules(&self) -> &dyn WorkRules {
        self.work.rules()
    }

    async fn understood(
        &self,
        caller: &Caller,
        text: &str,
        wording: Wording,
        field: &'static str,
    ) -> Result<ReadInstruction, Error> {
        limits::WORK_INSTRUCTIONS.check(text.len())?;
        let known = self.queries.work_names(caller.workspace).await?;
        let read = self.rules().read(text, &known, &self.instruction_reader(wording));
        read.map_err(|refused| Error::Invalid { field, message: refused.to_string() })
    }

    /// Checks parameters of work that is to be kept.
    ///
    /// Errors: a parameter that no run can use; a kind whose runs would change nothing.
    async fn may_be_kept(&self, caller: &Caller, parameters: &WorkParameters) -> Result<(), Error> {
        self.check_parameters(caller, parameters).await?;
        let WorkParameters::Repeat(Repeat { what, by_rule }) = parameters else { return Ok(()) };
        if matches!(what, Repeated::Make { .. }) {
            let message = "what is make; a task that is like no other can be tried and not switched on. \
                           A task can be made again, and a checklist can start over: copy or reset one";
            return Err(refused(WorkRefusal::MakesTasks, message));
        }
        // It decides about what runs will propose.
        if *by_rule { require(caller, Scope::Decide) } else { Ok(()) }
    }

    /// Checks parameters before they are stored or tried.
    async fn check_parameters(
        &self,
        caller: &Caller,
        parameters: &WorkParameters,
    ) -> Result<(), Error> {
        parameters.check().map_err(|error| refused(error.refusal(), error.to_string()))?;
        let WorkParameters::Repeat(Repeat { what, .. }) = parameters else { return Ok(()) };
        match what {
            Repeated::Reset { task } | Repeated::Copy { task } => {
                let found = self.journal.task(caller.workspace, &task.id).await;
                let task = &task.id;
                let is_there = found.is_ok_and(|found| found.task.value.deleted_at.is_none());
                let message = || format!("there is no task {}: list the tasks", task.as_str());
                is_there.then_some(()).ok_or_else(|| refused(WorkRefusal::TaskGone, message()))
            }
            Repeated::Make { title } => Ok(limits::TITLE.check(title.chars().count())?),
        }
    }

    /// What a definition with these parameters does.
    fn described(
        &self,
        parameters: WorkParameters,
        words: Option<&str>,
        wording: Wording,
    ) -> BuiltInWork {
        let reader = self.instruction_reader(wording);
        BuiltInWork {
            work_kind: parameters.kind(),
            sentence: self.rules().say(&parameters, words, &reader),
            language: self.rules().language(&reader.language).to_owned(),
            not_understood: Vec::new(),
            parameters,
        }
    }

    /// The same for parameters that were read from an instruction. What is said back has the words of
    /// its schedule, and none if it runs once, now.
    fn as_read(&self, read: ReadInstruction, words: Option<&str>, wording: Wording) -> BuiltInWork {
        let of_read = in_language(wording, &read);
        let sentence = match words {
            // The usual time is only proposed.
            None if !read.is_usual_time => read.sentence,
            words => self.described(read.parameters.clone(), words, of_read).sentence,
        };
        BuiltInWork {
            work_kind: read.parameters.kind(),
            parameters: read.parameters,
            language: read.language.to_owned(),
            sentence,
            not_understood: read.not_understood,
        }
    }

    fn instruction_reader(&self, wording: Wording) -> InstructionReader {
        InstructionReader {
            now: self.clock.now().to_jiff().to_zoned(self.zone.get()).datetime(),
            zone: self.zone.get(),
            is_month_first: wording.order == DayOrder::MonthFirst,
            language: wording.language.code().to_owned(),
        }
    }
}

/// The words in which what is understood says a schedule: a single time as it is kept, since what is given may be
/// "tomorrow".
fn schedule_words<'a>(given: Option<&'a ReadSchedule>, words: Option<&'a str>) -> Option<&'a str> {
    match given {
        Some(given) if given.series.rule().is_none() => Some(&given.words),
        _ => words,
    }
}

fn refused(refusal: WorkRefusal, message: impl Into<String>) -> Error {
    Error::WorkRefused { refusal, message: message.into() }
}

fn in_language(wording: Wording, read: &ReadInstruction) -> Wording {
    Wording { language: Language::of_tag(read.language).unwrap_or(wording.language), ..wording }
}

fn times(schedule: &ReadSchedule) -> Vec<Timestamp> {
    schedule.next.iter().map(|one| Timestamp::from_jiff(one.due)).collect()
}
