//! What a prompt says about decisions and open proposals.

use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::agent::change_set::{Decision, DecisionVerdict, Outcome};
use dormouse_types::limits;
use dormouse_types::model::{Decided, Ledger, OpenProposal, Resolution, TaskState};
use serde_json::Value;

use crate::tools;

/// Builds the ledger of a task from its newest decisions, expired items and open proposals.
///
/// An undone verdict is left out, so it teaches the model nothing. A confirmed item that could not
/// be applied is left out too: calling it confirmed would be wrong.
pub fn of(task: &TaskState, items: &[Item], decisions: &[Decision]) -> Ledger {
    let mut decided: Vec<Decided> = decisions
        .iter()
        .filter(|decision| decision.undone_at.is_none())
        .filter_map(|decision| {
            let verdict = match (decision.verdict, decision.outcome) {
                (DecisionVerdict::Confirmed, Outcome::Applied) => Resolution::Confirmed,
                (DecisionVerdict::Confirmed, _) => return None,
                (DecisionVerdict::Rejected, _) => Resolution::Rejected,
                (DecisionVerdict::Deferred, _) => Resolution::Deferred,
            };
            Some(Decided {
                tool: decision.tool_name.clone(),
                args: decision.args.clone(),
                verdict,
                reason: decision.rejection_reason.clone(),
                at: decision.created_at,
                fingerprint: dormouse_types::Fingerprint(decision.fingerprint.clone()),
            })
        })
        .collect();
    decided.extend(items.iter().filter(|item| item.state == State::Expired).map(|item| Decided {
        tool: item.tool.clone(),
        args: args(item),
        verdict: Resolution::Expired,
        reason: None,
        at: item.decided_at.unwrap_or(item.created_at),
        fingerprint: item.fingerprint.clone(),
    }));
    decided.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.fingerprint.cmp(&b.fingerprint)));
    let open = items
        .iter()
        .filter(|item| item.state.is_open())
        .map(|item| OpenProposal {
            fingerprint: item.fingerprint.clone(),
            tool: item.tool.clone(),
            args: args(item),
            summary: summary(&item.tool, &args(item), task),
        })
        .collect();
    Ledger { decisions: decided, open }
}

fn args(item: &Item) -> Value {
    serde_json::from_str(&item.args).unwrap_or_default()
}

fn summary(tool: &str, args: &Value, task: &TaskState) -> String {
    tools::item(tool).map_or_else(|| tool.to_owned(), |item| item.summary(args, Some(task)))
}

/// Renders the ledger for a prompt: at most 20 decisions and 500 tokens, newest first.
pub fn text(ledger: &Ledger, task: &TaskState) -> String {
    let mut text = String::new();
    if !ledger.decisions.is_empty() {
        text.push_str(
            "## Recent User Decisions\nLearn from rejections: do not propose the same again unless newer facts plainly ask for it.\n",
        );
        let mut budget = limits::DECISION_TOKENS_IN_PROMPT * 4;
        for decision in ledger.decisions.iter().take(limits::DECISIONS_IN_PROMPT) {
            let line = line(decision, task);
            if line.len() > budget {
                break;
            }
            budget -= line.len();
            text.push_str(&line);
        }
    }
    if !ledger.open.is_empty() {
        text.push_str("## Open Proposals\nThese wait for the person. Do not propose them again; withdraw what newer facts have overtaken.\n");
        for open in &ledger.open {
            text.push_str(&format!("- fp={} {}\n", &short(&open.fingerprint.0), open.summary));
        }
    }
    if text.is_empty() {
        text.push_str("No decisions and no open proposals yet.");
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
        Resolution::Confirmed => ("✓", "confirmed".to_owned()),
        Resolution::Rejected => ("✗", reason("rejected")),
        Resolution::Deferred => ("…", "deferred".to_owned()),
        Resolution::Expired => ("–", "no decision".to_owned()),
    };
    format!("{mark} {} — {outcome}\n", cut(&call))
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
