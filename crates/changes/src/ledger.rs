//! What a prompt says about decisions and open proposals.

use std::collections::BTreeSet;

use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::agent::change_set::{Decision, DecisionVerdict, Outcome};
use dormouse_types::model::{Decided, Ledger, OpenProposal, Resolution, TaskState};
use dormouse_types::{ChangeSetId, LabelId, limits};
use serde_json::Value;

use crate::tools;

/// A ledger, with the sets that its proposals belong to, in the same order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LedgerOfSets {
    pub ledger: Ledger,
    /// The set of each decision.
    pub decided_in: Vec<ChangeSetId>,
    /// The set of each open proposal.
    pub open_in: Vec<ChangeSetId>,
}

impl LedgerOfSets {
    /// Returns the set of the proposal that a line is about.
    pub fn set_of(&self, line: &Line) -> Option<&ChangeSetId> {
        match line.about {
            About::Nothing => None,
            About::Decision(place) => self.decided_in.get(place),
            About::Open(place) => self.open_in.get(place),
        }
    }

    /// Returns the labels that the proposal of a line names.
    pub fn labels_of(&self, line: &Line) -> BTreeSet<LabelId> {
        let args = match line.about {
            About::Nothing => None,
            About::Decision(place) => self.ledger.decisions.get(place).map(|one| &one.args),
            About::Open(place) => self.ledger.open.get(place).map(|one| &one.args),
        };
        let mut labels = BTreeSet::new();
        collect_labels(args.unwrap_or(&Value::Null), &mut labels);
        labels
    }
}

/// Finds the labels in the arguments of a proposal, whatever its tool calls them.
fn collect_labels(args: &Value, into: &mut BTreeSet<LabelId>) {
    match args {
        Value::String(text) => into.extend(text.trim().parse::<LabelId>().ok()),
        Value::Array(all) => all.iter().for_each(|one| collect_labels(one, into)),
        Value::Object(all) => all.values().for_each(|one| collect_labels(one, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Builds the ledger of a task; see [`of_sets`].
pub fn of(task: &TaskState, items: &[Item], decisions: &[Decision]) -> Ledger {
    of_sets(task, items, decisions).ledger
}

/// Builds the ledger of a task from its newest decisions, expired items and open proposals.
///
/// An undone verdict is left out, so it teaches the model nothing. A confirmed item that could not
/// be applied is left out too: calling it confirmed would be wrong.
pub fn of_sets(task: &TaskState, items: &[Item], decisions: &[Decision]) -> LedgerOfSets {
    let mut decided: Vec<(Decided, ChangeSetId)> = decisions
        .iter()
        .filter(|decision| decision.undone_at.is_none())
        .filter_map(|decision| {
            if decision.verdict == DecisionVerdict::Confirmed
                && decision.outcome != Outcome::Applied
            {
                return None;
            }
            let decided = Decided {
                tool: decision.tool_name.clone(),
                args: decision.args.clone(),
                verdict: Resolution::Decided(decision.verdict),
                reason: decision.rejection_reason.clone(),
                at: decision.created_at,
                fingerprint: dormouse_types::Fingerprint(decision.fingerprint.clone()),
            };
            Some((decided, decision.change_set_id.clone()))
        })
        .collect();
    decided.extend(items.iter().filter(|item| item.state == State::Expired).map(|item| {
        let decided = Decided {
            tool: item.tool.clone(),
            args: args(item),
            verdict: Resolution::Expired,
            reason: None,
            at: item.decided_at.unwrap_or(item.created_at),
            fingerprint: item.fingerprint.clone(),
        };
        (decided, item.set.clone())
    }));
    decided
        .sort_by(|(a, _), (b, _)| b.at.cmp(&a.at).then_with(|| a.fingerprint.cmp(&b.fingerprint)));
    let open = items.iter().filter(|item| item.state.is_open()).map(|item| {
        let open = OpenProposal {
            fingerprint: item.fingerprint.clone(),
            tool: item.tool.clone(),
            args: args(item),
            summary: summary(&item.tool, &args(item), task),
        };
        (open, item.set.clone())
    });
    let (decisions, decided_in) = decided.into_iter().unzip();
    let (open, open_in) = open.unzip();
    LedgerOfSets { ledger: Ledger { decisions, open }, decided_in, open_in }
}

fn args(item: &Item) -> Value {
    serde_json::from_str(&item.args).unwrap_or_default()
}

fn summary(tool: &str, args: &Value, task: &TaskState) -> String {
    tools::item(tool).map_or_else(|| tool.to_owned(), |item| item.summary(args, Some(task)))
}

/// A line of the ledger as a prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The heading of its section; `None` if the ledger is empty.
    pub heading: Option<&'static str>,
    pub text: String,
    pub about: About,
}

/// What a line of the ledger is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// There is nothing to say.
    Nothing,
    /// The decision at this place of the ledger.
    Decision(usize),
    /// The open proposal at this place.
    Open(usize),
}

/// The heading of the decisions.
pub const DECISIONS: &str = "## Recent User Decisions\nLearn from rejections: do not propose the same again unless newer facts plainly ask for it.";

/// The heading of the open proposals.
pub const OPEN: &str = "## Open Proposals\nThese wait for the person. Do not propose them again; withdraw what newer facts have overtaken.";

/// Renders the ledger for a prompt: at most 20 decisions and 500 tokens, newest first.
pub fn lines(ledger: &Ledger, task: &TaskState) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut budget = limits::DECISION_TOKENS_IN_PROMPT * 4;
    let decisions = ledger.decisions.iter().take(limits::DECISIONS_IN_PROMPT);
    for (place, decision) in decisions.enumerate() {
        let text = line(decision, task);
        // A line ends with a line break.
        if text.len() + 1 > budget {
            break;
        }
        budget -= text.len() + 1;
        lines.push(Line { heading: Some(DECISIONS), text, about: About::Decision(place) });
    }
    for (place, open) in ledger.open.iter().enumerate() {
        let text = format!("- fp={} {}", &short(&open.fingerprint.0), open.summary);
        lines.push(Line { heading: Some(OPEN), text, about: About::Open(place) });
    }
    if lines.is_empty() {
        let text = "No decisions and no open proposals yet.".to_owned();
        lines.push(Line { heading: None, text, about: About::Nothing });
    }
    lines
}

/// Renders the whole ledger as one text.
pub fn text(ledger: &Ledger, task: &TaskState) -> String {
    let mut text = String::new();
    let mut heading = None;
    for line in lines(ledger, task) {
        if line.heading != heading {
            heading = line.heading;
            text.extend(heading.into_iter().flat_map(|heading| [heading, "\n"]));
        }
        text.extend([line.text.as_str(), "\n"]);
    }
    text
}

fn short(fingerprint: &str) -> String {
    fingerprint.chars().take(8).collect()
}

fn line(decision: &Decided, task: &TaskState) -> String {
    let call = call(&decision.tool, &decision.args, task);
    let reason = |word: &str| match &decision.reason {
        Some(reason) => format!("{word} (reason: {:?})", cut(reason)),
        None => word.to_owned(),
    };
    let (mark, outcome) = match decision.verdict {
        Resolution::Decided(DecisionVerdict::Confirmed) => ("✓", "confirmed".to_owned()),
        Resolution::Decided(DecisionVerdict::Rejected) => ("✗", reason("rejected")),
        Resolution::Decided(DecisionVerdict::Deferred) => ("…", "deferred".to_owned()),
        Resolution::Expired => ("–", "no decision".to_owned()),
    };
    format!("{mark} {} — {outcome}", cut(&call))
}

/// Longest call or reason, in characters, so that one decision cannot fill the history.
const PART: usize = 240;

fn cut(text: &str) -> String {
    match text.char_indices().nth(PART) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Formats a decided call briefly: `set_task_title("...")`, `update_task_estimate(120 min)`.
fn call(tool: &str, args: &Value, task: &TaskState) -> String {
    let inner =
        tools::item(tool).map_or_else(|| tool.to_owned(), |item| item.prompt_args(args, task));
    format!("{tool}({inner})")
}
