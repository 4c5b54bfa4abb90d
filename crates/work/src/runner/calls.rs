//! The calls of a turn.

use dormouse_changes::ModelTool;
use dormouse_changes::set::proposed::Basis;
use dormouse_changes::set::validate;
use dormouse_runs::clearance::clearance;
use dormouse_runs::drive::denied;
use dormouse_runs::{ExecutedCalls, RunError, ToolSet};
use dormouse_store::Audit;
use dormouse_store::agent::source::Source;
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::run;
use dormouse_types::model::{ToolCall, ToolResult};
use dormouse_types::policy::DenialReason;
use dormouse_types::{Timestamp, WorkId};
use jiff::civil::Date;

use super::WorkRun;
use super::context::new_corrections;
use super::turn_steps::{StepAnswer, StepsOfTurn};
use crate::attempt::{is_built_in, sources_of};
use crate::delegated::origin_of;
use crate::history::{self, HistoryPart};
use crate::proposing::Proposals;
use crate::tools::proposing::Proposal;
use crate::tools::reading::Reading;
use crate::tools::{self, Call, End};

/// The most of a log that one call answers. Units: bytes.
const MOST_OF_LOG: usize = 64 * 1024;
/// The most runs that one call lists or reads.
const MOST_RUNS: i64 = 100;

impl WorkRun<'_> {
    /// Runs the calls of a turn. What the person said meanwhile is added to the last result; a run
    /// cannot finish with words that it has not read.
    pub(super) async fn execute_calls(
        &mut self,
        calls: &[ToolCall],
        tools: ToolSet,
    ) -> Result<ExecutedCalls, RunError> {
        let ws = self.lease.ws;
        let in_closing = self.corrections.in_closing;
        let new = self.unread_corrections(in_closing).await?;
        self.corrections.known = new.last().map(|last| last.n).or(Some(in_closing));
        let mut done = ExecutedCalls::default();
        let mut has_ended = false;
        let mut proposals: Option<Proposals<'_>> = None;
        let mut steps = self.steps_of_turn().await?;
        for call in calls {
            let result = match tools::read(call) {
                Err(wrong) => refused(call, wrong),
                Ok(_) if has_ended => {
                    refused(call, "the run has ended with the call before this one".into())
                }
                Ok(read) if tools == ToolSet::Closing && !read.ends() => {
                    let closing = tools::closing_names().join(" and ");
                    refused(call, format!("only {closing} may be called now"))
                }
                Ok(read) if read.ends() && !new.is_empty() => {
                    refused(call, "the person said something meanwhile; take it into account, then call this again".into())
                }
                Ok(Call::Propose(wanted)) => {
                    let all = match &mut proposals {
                        Some(all) => all,
                        None => {
                            let definition = &self.snapshot.definition;
                            let begun = Proposals::begin(self.work, self.lease, definition).await?;
                            proposals.insert(begun)
                        }
                    };
                    if all.forbids(wanted.tool) {
                        done.audit.push(self.denied(wanted.tool));
                        let why = "the person does not let you use this tool; nothing was proposed";
                        done.results.push(Some(refused(call, why.into())));
                        continue;
                    }
                    let (is_refused, text, sources) = self.propose(all, *wanted).await?;
                    done.sources.extend(sources);
                    ToolResult { call_id: call.id.clone(), refused: is_refused, text }
                }
                Ok(Call::Step(wanted)) => {
                    let answer = self.step_call(&mut steps, wanted).await?;
                    has_ended = answer.ends;
                    result_of(call, answer)
                }
                Ok(Call::End(end)) => {
                    let answer = self.end_call(&mut steps, &end).await?;
                    has_ended = answer.ends;
                    result_of(call, answer)
                }
                Ok(Call::Publish(published)) => {
                    let text = format!("published when the run ends: {}", published.title);
                    steps.published = Some(published.text);
                    accepted(call, text)
                }
                Ok(Call::Read(reading)) => {
                    let (text, sources) = self.answer_reading(reading).await?;
                    steps.read.push(text.clone());
                    done.sources.extend(sources);
                    accepted(call, text)
                }
            };
            done.results.push(Some(result));
        }
        if let (Some(last), Some(Some(result))) = (new.last(), done.results.last_mut()) {
            result.text.extend(new_corrections(&new));
            done.ops.push(run::note_corrections(ws, &self.id, last.n));
        } else if in_closing > 0 {
            done.ops.push(run::note_corrections(ws, &self.id, in_closing));
        }
        done.ops.extend(steps.ops(self.lease.ws, &self.id));
        done.sources.extend(std::mem::take(&mut steps.sources));
        self.has_failed_step |= steps.has_failed();
        self.last_turn = Some(steps);
        if let Some(proposals) = proposals {
            let (ops, news) = proposals.ops().await?;
            done.ops.extend(ops);
            done.news.extend(news);
        }
        done.sources.sort();
        done.sources.dedup();
        Ok(done)
    }

    /// Builds the audit row of a call of a tool that the template forbids.
    fn denied(&self, tool: &ModelTool) -> Audit {
        let run = &self.lease.run;
        let model = self.work.driver.models().named(run.model.as_deref());
        denied(&run.holder, &run.key, &*model, tool.name, DenialReason::Tool)
    }

    /// Answers a call that ends the run. What it says is written with the end of the run.
    async fn end_call(&self, steps: &mut StepsOfTurn, end: &End) -> Result<StepAnswer, RunError> {
        let (text, obstacle) = match end {
            End::Finish { outcome, .. } => {
                ("the run ends", self.before_finish(steps, *outcome).await?)
            }
            End::Ask { .. } => ("the person is asked; the run waits", None),
        };
        let answer = StepAnswer { is_refused: false, text: text.into(), ends: true };
        Ok(obstacle.unwrap_or(answer))
    }

    async fn answer_reading(&self, reading: Reading) -> Result<(String, Vec<Source>), RunError> {
        match reading {
            Reading::Log { work } => self.read_log(work).await,
            Reading::Runs { from, to } => self.list(from, to).await,
            Reading::Search { words, limit } => self.search(&words, limit).await,
            Reading::Tasks { status, words, limit } => self.list_tasks(status, words, limit).await,
            Reading::Task { task } => self.read_task(&task).await,
        }
    }

    /// Proposes something about a task. To the model, a task that it may not see does not exist.
    async fn propose(
        &self,
        proposals: &mut Proposals<'_>,
        wanted: Proposal,
    ) -> Result<(bool, String, Vec<Source>), RunError> {
        let (ws, run) = (self.lease.ws, &self.lease.run);
        let Proposal { task: id, tool, call } = wanted;
        let gone = || (true, format!("there is no task {id}; nothing was proposed"), Vec::new());
        let Some(mut task) = proposals.task(&id).await? else { return Ok(gone()) };
        let of_task = || Source::Task(id.clone());
        let entries = task.entries.iter().map(|entry| Source::Entry(entry.id.clone()));
        let requested = std::iter::once(of_task()).chain(entries).collect();
        let model = self.work.driver.models().named(run.model.as_deref());
        let clearance = clearance(&self.work.store, ws, &run.holder, &*model, requested).await?;
        if !clearance.allows_all(&[of_task()]) {
            return Ok(gone());
        }
        task.entries.retain(|entry| clearance.allows_all(&[Source::Entry(entry.id.clone())]));
        let judged = proposals.call(task, tool, &call, Basis::Model).await?;
        let (is_refused, text) = validate::reply(&judged);
        Ok((is_refused, text, vec![of_task()]))
    }

    async fn read_log(&self, work: Option<WorkId>) -> Result<(String, Vec<Source>), RunError> {
        let (ws, zone) = (self.lease.ws, &self.work.zone.get());
        let id = work.unwrap_or_else(|| self.run.work.clone());
        let Some(definition) = self.work.store.first(definition::by_id(ws, &id)).await? else {
            return Ok((format!("there is no agent work {id}"), Vec::new()));
        };
        let runs = run::of_definition(ws, &id, i64::MAX, MOST_RUNS);
        let mut parts = Vec::new();
        let mut room = MOST_OF_LOG;
        let mut n_left_out = 0;
        for one in self.work.store.all(runs).await? {
            if one.id == self.id || one.started_at.is_none() || is_built_in(&one) {
                continue;
            }
            let one = self.work.with_turns(ws, one).await?;
            let text = history::in_full(&one, zone);
            if text.len() > room {
                n_left_out += 1;
                continue;
            }
            room -= text.len();
            parts.push(HistoryPart { text, sources: one.sources() });
        }
        parts.reverse();
        let mut of_title = sources_of_title(&definition);
        let mut heading = format!("{} ({id})", definition.title);
        if !self.may_see(&of_title).await? {
            heading = format!("{id}, whose title is kept back from this model");
            of_title.clear();
        }
        if n_left_out > 0 {
            heading.push_str(&format!(", {n_left_out} runs left out because there is no room"));
        }
        let (text, mut sources) =
            self.visible_parts("runs", heading, parts, "nothing ran yet").await?;
        sources.extend(of_title);
        Ok((text, sources))
    }

    async fn list(&self, from: Date, to: Date) -> Result<(String, Vec<Source>), RunError> {
        let (ws, zone) = (self.lease.ws, &self.work.zone.get());
        let begins = |day: Date| {
            day.to_zoned(zone.clone())
                .map_or(Timestamp::from_micros(i64::MAX), |at| Timestamp::from_jiff(at.timestamp()))
        };
        let end = begins(to.tomorrow().unwrap_or(to));
        // One more than is listed, and this run: it has nothing to tell itself, and an answer that is made
        // of its own run could not be sent.
        let runs = run::newest_made_between(ws, begins(from), end, MOST_RUNS + 2);
        let mut runs = self.work.store.all(runs).await?;
        runs.retain(|one| one.id != self.id);
        let most = usize::try_from(MOST_RUNS).unwrap_or(usize::MAX);
        let is_cut = runs.len() > most;
        runs.truncate(most);
        let mut parts = Vec::new();
        for one in runs.into_iter().rev() {
            let definition = self.work.store.first(definition::by_id(ws, &one.work)).await?;
            let mut sources = sources_of(&one);
            sources.extend(definition.iter().flat_map(sources_of_title));
            let title = definition.map(|definition| definition.title).unwrap_or_default();
            let line = history::in_a_line(&one, zone);
            parts.push(HistoryPart { text: format!("{line} [{title}, {}]", one.work), sources });
        }
        let mut heading = format!("From {from} to {to}");
        if is_cut {
            heading.push_str(&format!(
                ", the newest {MOST_RUNS} runs; more ran before them: ask for fewer days"
            ));
        }
        self.visible_parts("runs", heading, parts, "nothing ran").await
    }

    /// Whether the model of the run may see what was made of these.
    async fn may_see(&self, made_of: &[Source]) -> Result<bool, RunError> {
        let (ws, run) = (self.lease.ws, &self.lease.run);
        let model = self.work.driver.models().named(run.model.as_deref());
        let requested = made_of.iter().cloned().collect();
        let clearance = clearance(&self.work.store, ws, &run.holder, &*model, requested).await?;
        Ok(clearance.allows_all(made_of))
    }

    /// Joins what the model of the run may see; the rest is left out and counted.
    pub(super) async fn visible_parts(
        &self,
        name: &str,
        heading: String,
        mut parts: Vec<HistoryPart>,
        nothing: &str,
    ) -> Result<(String, Vec<Source>), RunError> {
        let (ws, run) = (self.lease.ws, &self.lease.run);
        let requested = parts.iter().flat_map(|part| part.sources.iter().cloned()).collect();
        let model = self.work.driver.models().named(run.model.as_deref());
        let clearance = clearance(&self.work.store, ws, &run.holder, &*model, requested).await?;
        let n_all = parts.len();
        parts.retain(|part| clearance.allows_all(&part.sources));
        if parts.is_empty() {
            return Ok((format!("{heading}: {nothing}"), Vec::new()));
        }
        let n_hidden = n_all - parts.len();
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let fenced = dormouse_runs::request::fence(name, &texts.join("\n"));
        let hidden = match n_hidden {
            0 => String::new(),
            n => format!("\n{n} are kept back from this model."),
        };
        let sources = parts.into_iter().flat_map(|part| part.sources).collect();
        Ok((format!("{heading}:\n{fenced}{hidden}"), sources))
    }
}

/// What the title of a definition was made of: an agent may have written it, from what it was shown.
fn sources_of_title(definition: &Definition) -> Vec<Source> {
    origin_of(definition).map(Source::Proposals).into_iter().collect()
}

fn result_of(call: &ToolCall, answer: StepAnswer) -> ToolResult {
    ToolResult { call_id: call.id.clone(), refused: answer.is_refused, text: answer.text }
}

fn accepted(call: &ToolCall, text: String) -> ToolResult {
    ToolResult { call_id: call.id.clone(), refused: false, text }
}

fn refused(call: &ToolCall, text: String) -> ToolResult {
    ToolResult { call_id: call.id.clone(), refused: true, text }
}
