//! `link_task`: proposes a link from this task to another.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::TaskState;
use dormouse_types::task::{LinkDirection, LinkKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::task_ref::{NamedTask, TaskRef};
use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&LinkTask);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// The other task: its id, or $item:N of a follow-up task that you propose.
    to: String,
    /// How this task relates to it: relates to, blocks, blocked by, follow-up of, followed up by, part of or
    /// has the part.
    relation: String,
}

struct LinkTask;

impl Tool for LinkTask {
    type Args = Args;
    const NAME: &'static str = "link_task";
    const ALIASES: &'static [&'static str] = &["link_tasks"];
    const DESCRIPTION: &'static str = "Propose a link between this task and another that the text names. A follow-up task that you propose is linked already.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"to": "jt-…", "relation": "blocked by"}"#);
}

/// Reads a relation as it is seen from this task, in any spelling of its words.
fn relation(text: &str) -> Option<(LinkKind, LinkDirection)> {
    let plain = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let given = plain(text);
    let given = given.strip_prefix("is").unwrap_or(&given);
    let sides = [LinkDirection::Out, LinkDirection::In];
    let all = LinkKind::ALL.iter().flat_map(|kind| sides.map(|side| (*kind, side)));
    let mut all = all.filter(|(kind, side)| !kind.is_symmetric() || *side == LinkDirection::Out);
    all.find(|(kind, side)| {
        let is_name = *side == LinkDirection::Out && plain(kind.name()) == given;
        is_name || plain(kind.words(*side)) == given
    })
}

fn allowed() -> String {
    let words = LinkKind::ALL.iter().flat_map(|kind| {
        let both = [LinkDirection::Out, LinkDirection::In].map(|side| kind.words(side));
        let n = if kind.is_symmetric() { 1 } else { 2 };
        both.into_iter().take(n)
    });
    words.collect::<Vec<_>>().join(", ")
}

fn words(args: &Args) -> &str {
    relation(&args.relation).map_or(&args.relation, |(kind, side)| kind.words(side))
}

impl Proposal for LinkTask {
    const MAY_REPEAT: bool = true;
    const NAMES_TASK: bool = true;

    fn check(args: Args, _task: &TaskState) -> Result<Checked<Args>, Refused> {
        let Some((kind, side)) = relation(&args.relation) else {
            let given: String = args.relation.chars().take(60).collect();
            return Err(Refused::Invalid(format!(
                "unknown relation {given:?}; allowed: {}",
                allowed()
            )));
        };
        let to = args.to.parse::<TaskRef>()?;
        let edits = match (&to, side) {
            (TaskRef::Task(id), LinkDirection::Out) => vec![Edit::Link { to: id.clone(), kind }],
            (TaskRef::Task(id), LinkDirection::In) => {
                vec![Edit::LinkFrom { from: id.clone(), kind }]
            }
            // There is no such task yet; what is applied names one.
            (TaskRef::Item(_), _) => Vec::new(),
        };
        let relation = kind.words(side).to_owned();
        Ok(Checked { args: Args { to: to.to_string(), relation }, edits })
    }

    fn check_other(args: &Args, other: &NamedTask) -> Result<(), Refused> {
        if relation(&args.relation).is_some_and(|wanted| {
            let (kind, _) = wanted;
            let same = |link: &(LinkKind, LinkDirection)| {
                *link == wanted || (kind.is_symmetric() && link.0 == kind)
            };
            other.links.iter().any(same)
        }) {
            let why = format!("this task is linked to {} in this way already", other.id);
            return Err(Refused::Redundant(why));
        }
        Ok(())
    }

    fn to(args: &Args) -> Option<TaskRef> {
        args.to.parse().ok()
    }

    fn target(args: &Args) -> Target {
        let to = args.to.trim();
        // The place in a set means another task in each set.
        let single = !matches!(to.parse(), Ok(TaskRef::Item(_)));
        Target { part: TargetKey::Link(to.into()), single }
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        match Self::to(args) {
            Some(TaskRef::Task(id)) => format!("Link: {} task {id}", words(args)),
            Some(TaskRef::Item(index)) => {
                format!("Link: {} the follow-up task $item:{index}", words(args))
            }
            None => format!("Link: {}", words(args)),
        }
    }

    fn display(args: &Args, task: Option<&TaskState>, change: Option<&FieldChange>) -> String {
        match change.and_then(|change| change.to.as_ref()) {
            Some(FieldValue::Task { title, .. }) => {
                let new = matches!(Self::to(args), Some(TaskRef::Item(_)));
                let kind = if new { "the follow-up task " } else { "" };
                format!("Link: {} {kind}\"{title}\"", words(args))
            }
            Some(_) | None => Self::summary(args, task),
        }
    }

    fn change(args: &Args, _task: Option<&TaskState>) -> Option<FieldChange> {
        let (kind, direction) = relation(&args.relation)?;
        Some(FieldChange { field: FieldRef::Link { kind, direction }, from: None, to: None })
    }
}
