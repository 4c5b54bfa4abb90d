//! Rules and facts of work without a language model, as a test wants them.

use std::sync::{Mutex, PoisonError};

use dormouse_runs::RunError;
use dormouse_types::built_in_work::{
    InstructionReader, Known, ReadInstruction, RefusedInstruction, Template, WorkRules,
};
use dormouse_types::port::BoxFuture;
use dormouse_types::work_facts::{LastRun, WorkspaceFacts};
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_outcome::{BuiltInOutcome, NothingReason};
use dormouse_types::{WorkId, WorkspaceId};
use dormouse_work::Facts;
use jiff::civil::date;

/// Rules that come to what a test says, and understand what it says.
pub struct FixedRules {
    outcome: Mutex<BuiltInOutcome>,
    understood: Mutex<Option<(String, ReadInstruction)>>,
}

impl Default for FixedRules {
    fn default() -> Self {
        let nothing = BuiltInOutcome::Nothing { why: NothingReason::NothingThere };
        Self { outcome: Mutex::new(nothing), understood: Mutex::new(None) }
    }
}

impl FixedRules {
    pub fn comes_to(&self, outcome: BuiltInOutcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
    }

    /// Lets one instruction be understood.
    pub fn understands(&self, text: &str, as_this: ReadInstruction) {
        let understood = Some((text.to_owned(), as_this));
        *self.understood.lock().unwrap_or_else(PoisonError::into_inner) = understood;
    }
}

impl WorkRules for FixedRules {
    fn gallery(&self, _: &str) -> Vec<Template> {
        Vec::new()
    }

    fn read(
        &self,
        text: &str,
        _: &Known,
        _: &InstructionReader,
    ) -> Result<ReadInstruction, RefusedInstruction> {
        let understood = self.understood.lock().unwrap_or_else(PoisonError::into_inner);
        let read = understood.as_ref().filter(|(known, _)| known == text);
        let read = read.map(|(_, read)| read.clone());
        read.ok_or_else(|| RefusedInstruction("nothing else is read here".into()))
    }

    fn say(&self, _: &WorkParameters, _: Option<&str>, _: &InstructionReader) -> String {
        "An agenda.".into()
    }

    fn language(&self, _: &str) -> &'static str {
        "en"
    }

    fn run(&self, _: &WorkspaceFacts, _: &WorkParameters, _: &str) -> BuiltInOutcome {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An empty workspace; it notes what each run passed as the last one.
#[derive(Default)]
pub struct NotedFacts(Mutex<Vec<Option<LastRun>>>);

impl NotedFacts {
    /// The last run, as each run passed it.
    pub fn last_runs(&self) -> Vec<Option<LastRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Facts for NotedFacts {
    fn names(&self, _: WorkspaceId) -> BoxFuture<'_, Result<Known, RunError>> {
        Box::pin(std::future::ready(Ok(Known::default())))
    }

    fn gather<'a>(
        &'a self,
        _: WorkspaceId,
        _: &'a WorkId,
        _: &'a WorkParameters,
        last_run: Option<LastRun>,
    ) -> BoxFuture<'a, Result<WorkspaceFacts, RunError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(last_run);
        let facts = WorkspaceFacts {
            today: date(2026, 3, 2),
            zone: "Europe/Berlin".into(),
            last_run,
            since: date(2026, 3, 1),
            tasks: Vec::new(),
            attention: Vec::new(),
            events: Vec::new(),
            verdicts: Vec::new(),
        };
        Box::pin(std::future::ready(Ok(facts)))
    }
}
