//! What the rules read: the data of a request, with the entries already cut into segments.

use dormouse_formats::when::DayOrder;
use dormouse_types::model::{
    Delta, FragmentData, Instruction, Ledger, LogData, Request, TaskState,
};
use dormouse_types::trend::Trend;

use dormouse_types::directive::UnderstoodDirectives;

use crate::directive::{self, Style};
use crate::lang::{self, Lang};
use crate::read::{Segment, segments};

/// The data of a request.
#[derive(Debug)]
pub struct Input<'a> {
    /// The task as it is now.
    pub state: &'a TaskState,
    /// The instruction of this turn.
    pub instruction: &'a Instruction,
    /// What changed since the last completed run.
    pub delta: &'a Delta,
    /// Recent decisions and open proposals.
    pub ledger: &'a Ledger,
    /// What earlier runs captured.
    pub log: &'a LogData,
    /// How the task went over its last weeks; `None` if there is nothing to say about it.
    pub trend: Option<&'a Trend>,
    /// Messages from the person to the agent, in order.
    pub messages: Vec<&'a str>,
    /// Segments of all entries, oldest entry first.
    pub segments: Vec<Segment>,
    /// The rules of the task's language.
    pub lang: &'static Lang,
    /// The task's language, or else the detected one; empty if it cannot be detected.
    pub language: String,
    /// What the template of the agent asks for.
    pub directives: UnderstoodDirectives,
}

static NO_DELTA: Delta = Delta { changes: Vec::new(), timers: Vec::new(), linked: Vec::new() };
static NO_LEDGER: Ledger = Ledger { decisions: Vec::new(), open: Vec::new() };
static NO_LOG: LogData = LogData { observations: Vec::new(), changes: Vec::new() };

impl<'a> Input<'a> {
    /// Reads a request; returns `None` if it has no task or no instruction.
    pub fn of(request: &'a Request) -> Option<Self> {
        let mut state = None;
        let mut instruction = None;
        let (mut delta, mut ledger, mut log) = (&NO_DELTA, &NO_LEDGER, &NO_LOG);
        let mut messages = Vec::new();
        let mut trend = None;
        let mut directives = UnderstoodDirectives::default();
        for fragment in &request.fragments {
            match &fragment.data {
                // The rules read the task itself; addresses of linked tasks are added to every report.
                FragmentData::None | FragmentData::LinkedTasks(_) | FragmentData::Evolution(_) => {}
                FragmentData::Directives(data) => directives = directive::read(data),
                FragmentData::Log(data) => log = data,
                FragmentData::TaskState(data) => state = Some(data.as_ref()),
                FragmentData::Decisions(data) => ledger = data,
                FragmentData::Trend(data) => trend = Some(data),
                FragmentData::Delta(data) => delta = data,
                FragmentData::Message(text) => messages.push(text.as_str()),
                FragmentData::Instruction(data) => instruction = Some(data),
            }
        }
        Some(Self {
            ledger,
            log,
            trend,
            messages,
            directives,
            ..Self::new(state?, instruction?, delta)
        })
    }

    /// Creates the input of a task from its delta alone.
    pub fn new(state: &'a TaskState, instruction: &'a Instruction, delta: &'a Delta) -> Self {
        let segments: Vec<Segment> = state
            .entries
            .iter()
            .enumerate()
            .flat_map(|(n, entry)| segments(n, &entry.text, entry.on))
            .collect();
        let language = match &state.language {
            Some(code) => code.clone(),
            None => crate::read::language::detect(state, &segments).code.to_owned(),
        };
        let order = instruction.is_month_first.map(|is_month_first| match is_month_first {
            true => DayOrder::MonthFirst,
            false => DayOrder::DayFirst,
        });
        Self {
            state,
            instruction,
            delta,
            ledger: &NO_LEDGER,
            log: &NO_LOG,
            trend: None,
            messages: Vec::new(),
            segments,
            lang: lang::of(&language).in_order(order),
            language,
            directives: UnderstoodDirectives::default(),
        }
    }

    /// How reports and proposals should be.
    pub fn style(&self) -> Style<'_> {
        Style::of(&self.directives)
    }
}
