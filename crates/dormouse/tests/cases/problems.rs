use dormouse::{
    Error, ImportFile, ImportOptions, NewEntry, NewTask, TaskFilter, TaskPatch, Verdict, VerdictOf,
};
use dormouse_types::task::{LinkKind, Status};
use dormouse_types::{AgentId, ChangeSetId, EntryId, Id as _, ItemId, Scope, TaskId, limits};
use serde_json::json;

use crate::world::{World, me, now, slug, token, verdict_of};

fn id<T: std::str::FromStr>(prefix: &str) -> T {
    let Ok(id) = format!("{prefix}-01jd7m3k5vn2c8q4w6x0z9abcd").parse() else { panic!("an id") };
    id
}

/// The error is this problem, and its text names the thing.
fn check<T: std::fmt::Debug>(result: Result<T, Error>, kind: &str, status: u16, words: &[&str]) {
    let error = result.expect_err(kind);
    assert_eq!(slug(&error), (kind, status), "{error:?}");
    let problem = error.problem();
    for word in words {
        assert!(problem.detail.contains(word), "`{word}` is not in: {}", problem.detail);
    }
}

#[test]
fn what_is_not_there_is_named() {
    let world = World::new();
    let d = &world.dormouse;
    let (task, agent, items) =
        world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    let (no_task, no_agent): (TaskId, AgentId) = (id("jt"), id("ag"));
    let (no_item, no_entry): (ItemId, EntryId) = (id("ci"), id("en"));
    let no_set: ChangeSetId = id("cs");
    check(now(d.task(&me(), &no_task)), "not-found", 404, &["jt-01jd"]);
    check(now(d.add_item(&me(), &no_task, "A".into(), None)), "not-found", 404, &["jt-01jd"]);
    check(now(d.create_agent(&me(), &no_task, None, None)), "not-found", 404, &["jt-01jd"]);
    check(now(d.change_sets(&me(), Some(no_task), false)), "not-found", 404, &["jt-01jd"]);
    check(now(d.agent(&me(), &no_agent)), "not-found", 404, &["ag-01jd"]);
    check(now(d.wake_agent(&me(), &no_agent, None, None)), "not-found", 404, &["ag-01jd"]);
    check(now(d.messages(&me(), &no_agent, None, 9)), "not-found", 404, &["ag-01jd"]);
    let patch = dormouse::ItemPatch { is_checked: Some(true), ..Default::default() };
    check(now(d.edit_item(&me(), &task.id, &no_item, patch, None)), "not-found", 404, &["ci-01jd"]);
    check(now(d.delete_entry(&me(), &task.id, &no_entry, None)), "not-found", 404, &["en-01jd"]);
    check(now(d.remove_label(&me(), &task.id, "Home", None)), "not-found", 404, &["Home"]);
    check(now(d.change_set(&me(), &no_set)), "not-found", 404, &["cs-01jd"]);
    let decide =
        |set, index| now(d.decide_item(&me(), verdict_of(set, index, Verdict::Confirm), None));
    check(decide(&no_set, 1), "not-found", 404, &["cs-01jd"]);
    check(decide(&items[0].set, 7), "not-found", 404, &[":7"]);
    let key = dormouse_types::RunKey("0".repeat(64));
    check(now(d.wake(&me(), &agent.id, &key)), "not-found", 404, &[key.as_str()]);
}

#[test]
fn a_value_that_is_not_acceptable_says_which_field_and_what_would_be() {
    let world = World::new();
    let d = &world.dormouse;
    let task = world.task("Move").id;
    let edit = |patch| now(d.edit_task(&me(), &task, patch, None, None));
    let blocked = TaskPatch { status: Some(Status::Blocked), ..TaskPatch::default() };
    check(edit(blocked), "validation-failed", 422, &["BLOCKED needs a reason"]);
    let long = TaskPatch { title: Some("x".repeat(501)), ..TaskPatch::default() };
    let error = edit(long).expect_err("too long");
    let extra = error.problem().extra;
    assert_eq!((&extra["limit"], &extra["actual"]), (&json!(500), &json!(501)));
    assert_eq!(extra["errors"][0]["pointer"], "/title");
    let code = TaskPatch { language: Some(Some("tlh".into())), ..TaskPatch::default() };
    check(edit(code), "validation-failed", 422, &["tlh", "en"]);
    let page = now(d.tasks(&me(), TaskFilter::default(), 9, Some("nonsense".into())));
    check(page.map(|_| ()), "validation-failed", 422, &["nonsense"]);
    let words = Some("w".repeat(limits::MESSAGE.max + 1));
    let agent = world.agent(&task).id;
    check(now(d.wake_agent(&me(), &agent, words, None)), "validation-failed", 422, &["32768"]);
    check(
        now(d.import(
            &me(),
            &ImportFile::new("a.md", &b"# A\n\xff\n"[..]),
            &ImportOptions::default(),
            &mut |_| {},
        )),
        "import-failed",
        422,
        &[],
    );
}

#[test]
fn a_task_holds_a_limited_number_of_items() {
    let world = World::new();
    let d = &world.dormouse;
    let items = (1..limits::ITEMS_PER_TASK.max).map(|n| format!("Item {n}")).collect();
    let new = NewTask { title: "Long".into(), items, ..NewTask::default() };
    let task = now(d.create_task(&me(), new, None)).expect("a task").id;
    now(d.add_item(&me(), &task, "The last".into(), None)).expect("just enough");
    let one_more = now(d.add_item(&me(), &task, "Too many".into(), None));
    check(one_more, "limit-reached", 409, &["500"]);
}

#[test]
fn a_note_of_ten_megabytes_is_refused_and_leaves_nothing() {
    let world = World::new();
    let task = world.task("Move").id;
    let before = world.rows();
    let text = "n".repeat(10 * 1024 * 1024);
    let note = NewEntry { text, ..NewEntry::default() };
    let result = now(world.dormouse.add_entry(&me(), &task, note, None));
    check(result, "validation-failed", 422, &["102400"]);
    assert_eq!(world.rows(), before);
}

#[test]
fn the_slower_of_two_requests_is_refused() {
    let world = World::new();
    let d = &world.dormouse;
    let task = world.task("Move");
    let patch = || TaskPatch { title: Some("A".into()), ..TaskPatch::default() };
    now(d.edit_task(&me(), &task.id, patch(), Some(task.revision), None)).expect("in time");
    let late = now(d.edit_task(&me(), &task.id, patch(), Some(task.revision), None));
    check(late, "precondition-failed", 412, &["read it again"]);
}

#[test]
fn a_deleted_task_is_restored_before_anything_else() {
    let world = World::new();
    let d = &world.dormouse;
    let task = world.task("Move").id;
    now(d.delete_task(&me(), &task, None)).expect("deleted");
    check(now(d.add_item(&me(), &task, "A".into(), None)), "task-deleted", 409, &["restore it"]);
    check(now(d.create_agent(&me(), &task, None, None)), "task-deleted", 409, &["restore it"]);
    now(d.restore_task(&me(), &task, None)).expect("restored");
    now(d.create_agent(&me(), &task, None, None)).expect("an agent");
}

#[test]
fn a_link_says_why_it_cannot() {
    let world = World::new();
    let d = &world.dormouse;
    let (a, b) = (world.task("Move").id, world.task("Paint").id);
    let blocks =
        |to: &TaskId| now(d.link_task(&me(), &a, (LinkKind::Blocks, to.clone()), None, None));
    let linked = blocks(&b).expect("linked");
    let link = linked.links[0].id.clone();
    check(blocks(&b), "link-exists", 409, &[b.as_str(), link.as_str()]);
    check(blocks(&a), "validation-failed", 422, &["cannot be linked to itself"]);
    let nobody: TaskId = format!("jt-{}", "0".repeat(26)).parse().expect("an id");
    check(blocks(&nobody), "not-found", 404, &["no task", nobody.as_str()]);
    let late = now(d.unlink_task(&me(), &a, &link, Some(linked.revision - 1), None));
    check(late, "precondition-failed", 412, &["read it again"]);
    now(d.delete_task(&me(), &b, None)).expect("deleted");
    check(blocks(&b), "task-deleted", 409, &["restore it"]);
    let gone = now(d.unlink_task(&me(), &world.task("Third").id, &link, None, None));
    check(gone, "not-found", 404, &["has no link", link.as_str()]);
}

#[test]
fn an_agent_says_why_it_cannot() {
    let world = World::new();
    let d = &world.dormouse;
    let (task, agent, _) = world.proposed(&[]);
    let second = now(d.create_agent(&me(), &task.id, None, None));
    check(second, "agent-exists", 409, &[agent.id.to_string().as_str()]);
    now(d.pause_agent(&me(), &agent.id, None)).expect("paused");
    check(
        now(d.wake_agent(&me(), &agent.id, None, None)),
        "agent-state",
        409,
        &["resume it first"],
    );
    now(d.destroy_agent(&me(), &agent.id, None)).expect("destroyed");
    check(now(d.resume_agent(&me(), &agent.id, None)), "agent-state", 409, &["create a new agent"]);
}

#[test]
fn a_verdict_says_why_it_cannot() {
    let world = World::new();
    let d = &world.dormouse;
    let calls = [
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("update_task_due_date", json!({ "dueDate": "2026-03-20" })),
        ("update_task_priority", json!({ "priority": "P0" })),
    ];
    let (task, _, items) = world.proposed(&calls);
    let set = items[0].set.clone();
    let take = |index, verdict, digest: Option<&str>, reason: Option<String>| {
        let digest = digest.map(ToOwned::to_owned);
        let wanted = VerdictOf { digest, reason, ..verdict_of(&set, index, verdict) };
        now(d.decide_item(&me(), wanted, None))
    };
    let other = items[1].digest.to_string();
    check(
        take(1, Verdict::Confirm, Some(&other), None),
        "precondition-failed",
        412,
        &["look at it again"],
    );
    check(take(1, Verdict::Confirm, Some("abc"), None), "precondition-failed", 412, &[]);
    let long = Some("r".repeat(limits::REASON.max + 1));
    check(take(1, Verdict::Reject, None, long), "validation-failed", 422, &["1000"]);
    check(take(1, Verdict::Undo, None, None), "undo-refused", 409, &["no verdict"]);
    take(1, Verdict::Confirm, None, None).expect("confirmed");
    check(take(1, Verdict::Reject, None, None), "already-decided", 409, &["is confirmed already"]);
    let patch = TaskPatch { estimate_minutes: Some(Some(30)), ..TaskPatch::default() };
    now(d.edit_task(&me(), &task.id, patch, None, None)).expect("edited");
    check(take(1, Verdict::Undo, None, None), "undo-refused", 409, &["cannot undo"]);
    let due = TaskPatch {
        due_on: Some(Some("2026-03-20".parse().expect("a day"))),
        ..TaskPatch::default()
    };
    now(d.edit_task(&me(), &task.id, due, None, None)).expect("edited");
    check(take(2, Verdict::Confirm, None, None), "change-retracted", 409, &["already due"]);
    world.later(limits::PROPOSAL_AGE_SECONDS);
    check(take(3, Verdict::Confirm, None, None), "change-set-expired", 410, &["7 days"]);
}

#[test]
fn a_missing_scope_is_named() {
    let world = World::new();
    let reader = token(&[Scope::Read]);
    let result = now(world.dormouse.create_task(&reader, NewTask::default(), None));
    check(result, "scope-missing", 403, &["`edit`"]);
}
