use dormouse::view::{ProposalThen, TaskAtWake};
use dormouse::{TaskPatch, Verdict};
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::ItemStatus;
use dormouse_types::{AgentId, RunKey};
use serde_json::json;

use crate::world::{World, me, now, slug, verdict_of};

impl World {
    /// The keys of the runs of an agent, oldest first.
    fn runs(&self, agent: &AgentId) -> Vec<RunKey> {
        let wakes = now(self.dormouse.wakes(&me(), agent, 99)).expect("wakes");
        wakes.into_iter().rev().filter_map(|wake| wake.run_key).collect()
    }

    fn at(&self, agent: &AgentId, key: &RunKey) -> TaskAtWake {
        now(self.dormouse.task_at_wake(&me(), agent, key)).expect("the task as it was")
    }
}

fn tldr(then: &TaskAtWake) -> Option<&str> {
    then.report.as_ref().and_then(|report| report.tldr.as_deref())
}

fn states(proposals: &[ProposalThen]) -> Vec<(ItemStatus, ItemStatus, Option<&str>)> {
    let state = |one: &ProposalThen| (one.then, one.item.status);
    proposals
        .iter()
        .map(|one| (state(one).0, state(one).1, one.rejection_reason.as_deref()))
        .collect()
}

#[test]
fn a_task_its_report_its_proposals_and_the_memory_are_shown_as_they_were_at_a_wake() {
    let world = World::new();
    let (task, agent, items) = world.proposed(&[
        ("update_task_estimate", json!({ "minutes": 300 })),
        ("update_task_priority", json!({ "priority": "P1" })),
    ]);
    let before = world.fresh(&task.id);
    world.later(60);
    let mut verdict = verdict_of(&items[0].set, items[0].index, Verdict::Reject);
    verdict.reason = Some("too small to count".into());
    now(world.dormouse.decide_item(&me(), verdict, None)).expect("rejected");
    world.later(60);
    let patch = TaskPatch { title: Some("Move house".into()), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("edited");
    world.note(&task.id, "The van is booked.");
    let second = json!({ "tldr": "A van.", "content": "It is booked." });
    world.script.push(Answer::calls([("update_report", second)]));
    world.drain(&task.id);
    world.later(60);
    world.decide(&items[1], Verdict::Confirm);

    let runs = world.runs(&agent.id);
    let [first, second] = &runs[..] else { panic!("{runs:?}") };
    let then = world.at(&agent.id, first);
    assert_eq!(
        (then.task.title.as_str(), tldr(&then)),
        ("Move to the new flat", Some("All quiet."))
    );
    assert_eq!(then.task.entries.len(), before.entries.len());
    assert_eq!(then.task.open_proposals, 2);
    assert_eq!(
        states(&then.proposals),
        [
            (ItemStatus::Pending, ItemStatus::Rejected, Some("too small to count")),
            (ItemStatus::Pending, ItemStatus::Confirmed, None),
        ]
    );
    assert_eq!((then.previous.as_ref(), then.next.as_ref()), (None, Some(second)));
    assert_eq!(then.since.len(), 3, "title, note, priority: {:?}", then.since);
    assert!(then.not_undone.is_empty());

    let later = world.at(&agent.id, second);
    assert_eq!((later.task.title.as_str(), tldr(&later)), ("Move house", Some("A van.")));
    assert_eq!(later.task.priority, None, "it was confirmed after the wake");
    assert_eq!(states(&later.proposals), [(ItemStatus::Pending, ItemStatus::Confirmed, None)]);
    assert_eq!((later.previous.as_ref(), later.next.as_ref()), (Some(first), None));
    assert!(later.memory.lines > then.memory.lines);
}

#[test]
fn what_an_agent_knew_at_a_wake_is_listed_in_pages_and_ends_with_that_wake() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let known_first = now(world.dormouse.knowledge(&me(), &agent.id, 99, None)).expect("a page");
    world.note(&task.id, "The van is booked.");
    world.answer(&[]);
    world.drain(&task.id);
    let runs = world.runs(&agent.id);
    let at = |key: &RunKey, limit, cursor: Option<&str>| {
        now(world.dormouse.knowledge_at(&me(), &agent.id, key, limit, cursor)).expect("a page")
    };
    let texts = |page: &dormouse::view::Page<dormouse::view::KnowledgeLine>| -> Vec<String> {
        page.items.iter().map(|line| line.text.clone()).collect()
    };
    assert_eq!(texts(&at(&runs[0], 99, None)), texts(&known_first));
    let now_known = now(world.dormouse.knowledge(&me(), &agent.id, 99, None)).expect("a page");
    assert_eq!(texts(&at(&runs[1], 99, None)), texts(&now_known));
    assert_eq!(world.at(&agent.id, &runs[0]).memory.lines, known_first.items.len() as i64);

    let page = at(&runs[0], 1, None);
    let rest = at(&runs[0], 99, page.next_cursor.as_deref());
    assert_eq!([texts(&page), texts(&rest)].concat(), texts(&known_first));
}

#[test]
fn a_proposal_that_was_confirmed_and_undone_later_was_not_open_in_between() {
    let world = World::new();
    let (task, agent, items) =
        world.proposed(&[("update_task_priority", json!({ "priority": "P1" }))]);
    world.later(60);
    world.decide(&items[0], Verdict::Confirm);
    world.note(&task.id, "The van is booked.");
    world.answer(&[]);
    world.drain(&task.id);
    world.later(60);
    world.decide(&items[0], Verdict::Undo);
    let runs = world.runs(&agent.id);
    assert_eq!(world.at(&agent.id, &runs[0]).proposals.len(), 1);
    let later = world.at(&agent.id, &runs[1]);
    assert_eq!(later.proposals.len(), 0);
    assert_eq!(later.task.priority.map(|it| it.to_string()), Some("P1".into()));
}

#[test]
fn an_unknown_run_is_named() {
    let world = World::new();
    let (_, agent, _) = world.proposed(&[]);
    let key = RunKey("f".repeat(64));
    let error = now(world.dormouse.task_at_wake(&me(), &agent.id, &key)).unwrap_err();
    assert_eq!(slug(&error), ("not-found", 404));
    let error = now(world.dormouse.knowledge_at(&me(), &agent.id, &key, 9, None)).unwrap_err();
    assert_eq!(slug(&error), ("not-found", 404));
}
