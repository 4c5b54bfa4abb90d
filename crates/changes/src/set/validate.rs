//! Turns a model's call into proposals: alias, policy, explosion, validation, evidence, lessons.

use dormouse_store::agent::change_item::State;
use dormouse_types::limits;
use dormouse_types::model::{Entry, TaskState, ToolCall};
use dormouse_types::{By, Fingerprint, Timestamp};
use serde_json::{Value, json};

use crate::set::effective_state;
use crate::set::placing::{Placed, next_index, placed, with_task};
use crate::set::proposed::{Basis, ProposalContext, Proposed};
use crate::tool::{
    Evidence, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Support, Target, fingerprint,
    folded, recovered,
};
use crate::tools;

/// The outcome for one element of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// It becomes an open item for the person to decide.
    Queued(Box<Proposed>),
    /// It would change nothing, or is already open; not an error.
    Skipped(String),
    /// It is invalid; the model may try again.
    Refused(String),
}

/// Validates a call of a deferred tool.
///
/// Each element is validated by itself, so an invalid element does not spoil its neighbours.
/// Elements that pass are visible to those after them, so one call cannot propose the same thing
/// twice.
pub fn validate_call(
    tool: &'static ModelTool,
    call: &ToolCall,
    context: &ProposalContext<'_>,
) -> Vec<CallOutcome> {
    let args = recovered(&call.args);
    if args.to_string().len() > limits::TOOL_ARGS.max {
        return vec![CallOutcome::Refused(format!(
            "the arguments are larger than {} bytes",
            limits::TOOL_ARGS.max
        ))];
    }
    match tool.policy {
        Policy::Immediate(_) => {
            vec![CallOutcome::Refused(format!("{} takes effect at once", tool.name))]
        }
        Policy::Deferred(item) => {
            if !item.may_repeat() && context.used.iter().any(|used| used == tool.name) {
                return vec![CallOutcome::Refused(format!(
                    "{} was used in this wake already; its proposal waits for the person",
                    tool.name
                ))];
            }
            vec![element(item, &args, context, context.proposed)]
        }
        Policy::Exploded { item, list, max } => {
            let elements = match elements(&args, list) {
                Ok(elements) => elements,
                Err(text) => return vec![CallOutcome::Refused(text)],
            };
            if let Err(beyond) = max.check(elements.len()) {
                return vec![CallOutcome::Refused(format!("{beyond}; split the call"))];
            }
            let mut queued: Vec<Proposed> = context.proposed.to_vec();
            let mut judged = Vec::new();
            for args in &elements {
                let one = element(item, &recovered(args), context, &queued);
                if let CallOutcome::Queued(proposed) = &one {
                    queued.push((**proposed).clone());
                }
                judged.push(one);
            }
            judged
        }
    }
}

fn elements(args: &Value, list: &str) -> Result<Vec<Value>, String> {
    let shape = || format!("{list} must be a list of objects, for example {{\"{list}\": [{{…}}]}}");
    let elements = match &args[list] {
        Value::Array(elements) => elements.clone(),
        text @ Value::String(_) => match recovered(text) {
            Value::Array(elements) => elements,
            _ => return Err(shape()),
        },
        // Models that know the singular tool send one element without the list.
        Value::Null if args.is_object() && args.as_object().is_some_and(|map| !map.is_empty()) => {
            vec![args.clone()]
        }
        _ => return Err(shape()),
    };
    if elements.is_empty() {
        return Err(format!("{list} is empty; {}", shape()));
    }
    Ok(elements)
}

fn element(
    item: &'static dyn ItemTool,
    args: &Value,
    context: &ProposalContext<'_>,
    queued: &[Proposed],
) -> CallOutcome {
    match validate_element(item, args, context, queued) {
        Ok(proposed) => CallOutcome::Queued(Box::new(proposed)),
        Err(Refused::Redundant(text)) => CallOutcome::Skipped(text),
        Err(Refused::Invalid(text)) => CallOutcome::Refused(text),
    }
}

fn validate_element(
    item: &'static dyn ItemTool,
    args: &Value,
    context: &ProposalContext<'_>,
    queued: &[Proposed],
) -> Result<Proposed, Refused> {
    if context.task.status.is_terminal() && !item.about_closed() {
        return Err(Refused::Redundant(format!(
            "the person closed the task as {}; nothing is proposed about it until it is open again",
            context.task.status
        )));
    }
    if !args.is_object() {
        // The tool itself names the shape it expects.
        item.check(args, context.task)?;
    }
    let (args, Support { evidence, rationale }) = split_support(args)?;
    let evidence =
        evidence.map(|evidence| checked_evidence(&evidence, context.task)).transpose()?;
    let Placed { args, value, parent } = placed(item, args, context, queued)?;
    let args = item.check(&args, context.task)?.args;
    let target = item.target(&args);
    // The same place in another set is another task.
    let name = parent.iter().fold(target.to_string(), |name, parent| format!("{name}@{parent}"));
    let fingerprint = fingerprint(item.name(), &args, &context.task.id, &name);
    let summary = item.summary(&args, Some(context.task));
    let stated_at = evidence.as_ref().and_then(|evidence| written_at(evidence, context.task));
    let stated_at = context.basis.since(&target, context.task).or(stated_at);
    if context.basis == Basis::Model {
        ensure_newer_than_person(&target, &args, stated_at, context.task)?;
    }
    ensure_not_refused_before(item, &target, &fingerprint, stated_at, context)?;
    let twice = |tool: &str, other: &Fingerprint, text: &str| {
        *other == fingerprint || (tool == item.name() && folded(text) == folded(&summary))
    };
    if queued.iter().any(|p| twice(p.tool, &p.fingerprint, &p.summary)) {
        return Err(Refused::Redundant(format!("\"{summary}\" is proposed already in this wake")));
    }
    let open = context.items.iter().filter(|other| other.state.is_open());
    for other in open {
        let args: Value = serde_json::from_str(&other.args).unwrap_or_default();
        let text = tools::item(&other.tool).map(|tool| tool.summary(&args, Some(context.task)));
        if twice(&other.tool, &other.fingerprint, text.as_deref().unwrap_or_default()) {
            return Err(Refused::Redundant(format!("\"{summary}\" waits for the person already")));
        }
    }
    limits::ITEMS_PER_WAKE
        .check(context.made_before + queued.len() + 1)
        .map_err(|beyond| Refused::Invalid(format!("{beyond}; propose the rest another time")))?;
    let change = item.change(&args, Some(context.task));
    let change = change.map(|change| with_task(change, value));
    let index = next_index(context, queued);
    let tool = item.name();
    let by_rule = None;
    Ok(Proposed { tool, args, fingerprint, evidence, rationale, change, summary, index, by_rule })
}

/// Removes evidence and rationale from the arguments.
fn split_support(args: &Value) -> Result<(Value, Support), Refused> {
    let Value::Object(map) = args else {
        return Err(Refused::Invalid(format!("the arguments must be an object, not {args}")));
    };
    let (support, rest) = map
        .clone()
        .into_iter()
        .partition(|(name, _)| matches!(name.as_str(), "evidence" | "rationale"));
    let mut support: Support = serde_json::from_value(Value::Object(support)).map_err(|e| {
        Refused::Invalid(format!(
            "evidence: {e}; expected {{\"entryId\": \"en-…\", \"quote\": \"…\"}}"
        ))
    })?;
    let cut = |text: String| text.chars().take(limits::REASON.max).collect();
    support.rationale = support.rationale.map(cut);
    Ok((Value::Object(rest), support))
}

/// Checks that a quote occurs verbatim in its entry.
fn checked_evidence(evidence: &EvidenceArg, task: &TaskState) -> Result<Evidence, Refused> {
    let found = task.entries.iter().find(|entry| entry.id.to_string() == evidence.entry_id.trim());
    let Some(entry) = found else {
        return Err(Refused::Invalid(format!(
            "evidence: no entry {} on this task",
            evidence.entry_id
        )));
    };
    limits::QUOTE
        .check(evidence.quote.chars().count())
        .map_err(|beyond| Refused::Invalid(format!("evidence: {beyond}")))?;
    if evidence.quote.trim().is_empty() || !entry.text.contains(&evidence.quote) {
        return Err(Refused::Invalid(format!(
            "evidence: the quote does not stand in {} word for word",
            entry.id
        )));
    }
    Ok(Evidence { entry_id: entry.id.clone(), quote: evidence.quote.clone() })
}

fn written_at(evidence: &Evidence, task: &TaskState) -> Option<Timestamp> {
    task.entries.iter().find(|entry| entry.id == evidence.entry_id).map(Entry::speaks_at)
}

/// Refuses to change a value that the person set, unless the evidence is newer.
fn ensure_newer_than_person(
    target: &Target,
    args: &Value,
    stated_at: Option<Timestamp>,
    task: &TaskState,
) -> Result<(), Refused> {
    if !effective_state::has_say(target, args) {
        return Ok(());
    }
    let Some(field) = target.stated_field() else { return Ok(()) };
    let say = task.says.iter().find(|say| say.field == field && say.by == By::User);
    match say {
        Some(say) if stated_at.is_none_or(|stated_at| stated_at <= say.at) => {
            Err(Refused::Redundant(format!(
                "the person set {} themselves; propose another value only with a quote from an entry that is newer",
                target
            )))
        }
        Some(_) | None => Ok(()),
    }
}

/// Refuses what was rejected, or expired undecided, unless the evidence is newer. For what recurs by its
/// nature, only a rejection counts.
fn ensure_not_refused_before(
    item: &dyn ItemTool,
    target: &Target,
    fingerprint: &Fingerprint,
    stated_at: Option<Timestamp>,
    context: &ProposalContext<'_>,
) -> Result<(), Refused> {
    let is_refused = |state| match state {
        State::Rejected => true,
        State::Expired => !matches!(context.basis, Basis::RecurringFact { .. }),
        State::Pending
        | State::Deferred
        | State::Applying
        | State::Confirmed
        | State::Retracted => false,
    };
    let closed = context
        .items
        .iter()
        .filter(|other| is_refused(other.state))
        .filter(|other| other.tool == item.name());
    for other in closed {
        let args: Value = serde_json::from_str(&other.args).unwrap_or_default();
        let same_target = target.single && item.target(&args) == *target;
        let newer =
            stated_at.is_some_and(|stated_at| other.decided_at.is_none_or(|at| stated_at > at));
        if (same_target || other.fingerprint == *fingerprint) && !newer {
            let what = match other.state {
                State::Rejected => "the person rejected",
                _ => "nobody decided on",
            };
            return Err(Refused::Redundant(format!(
                "{what} {}; propose it again only with a quote from an entry that is newer",
                if other.fingerprint == *fingerprint {
                    format!("\"{}\"", item.summary(&args, Some(context.task)))
                } else {
                    // The other value may come from an entry that this model may not see.
                    format!("another value of {target}")
                }
            )));
        }
    }
    Ok(())
}

/// Returns whether anything was refused, and the reply that the model reads.
pub fn reply(judged: &[CallOutcome]) -> (bool, String) {
    let mut lines = Vec::new();
    let queued: Vec<&Proposed> = judged
        .iter()
        .filter_map(|one| match one {
            CallOutcome::Queued(proposed) => Some(&**proposed),
            CallOutcome::Skipped(_) | CallOutcome::Refused(_) => None,
        })
        .collect();
    let (by_rule, queued): (Vec<&Proposed>, Vec<&Proposed>) =
        queued.into_iter().partition(|proposed| proposed.by_rule.is_some());
    for (proposed, what) in [
        (queued, "Proposed, waits for the person's review"),
        (by_rule, "Proposed; a rule of the person applies it"),
    ] {
        if proposed.is_empty() {
            continue;
        }
        let named = |proposed: &&Proposed| {
            let makes = tools::item(proposed.tool).and_then(|tool| tool.creates(&proposed.args));
            match makes {
                Some(_) => format!("{} ($item:{})", proposed.summary, proposed.index),
                None => proposed.summary.clone(),
            }
        };
        let summaries: Vec<_> = proposed.iter().map(named).collect();
        lines.push(format!("{what}: {}.", summaries.join("; ")));
    }
    for one in judged {
        match one {
            CallOutcome::Queued(_) => {}
            CallOutcome::Skipped(text) => lines.push(format!("Not proposed: {text}.")),
            CallOutcome::Refused(text) => lines.push(format!("Refused: {text}.")),
        }
    }
    (judged.iter().any(|one| matches!(one, CallOutcome::Refused(_))), lines.join("\n"))
}

/// Serializes evidence as it is stored.
pub fn evidence_json(evidence: &Evidence) -> String {
    json!(evidence).to_string()
}
