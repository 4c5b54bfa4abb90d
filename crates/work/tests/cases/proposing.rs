//! What a run proposes about the person's tasks, and how it is decided.

use dormouse_changes::Decider;
use dormouse_journal::Edit;
use dormouse_scheduler::End;
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::change_log;
use dormouse_testkit::scripted::Answer;
use dormouse_types::named::Named;
use dormouse_types::task::{Flag, Status};
use dormouse_types::work_kind::{Repeat, Repeated, WorkParameters};
use dormouse_types::work_outcome::{
    BuiltInOutcome, ProposedCall, WorkEvidence, WorkProposals, WorkText,
};
use dormouse_types::{Actor, Id as _, ItemId, Origin, Seq, TaskId, WorkId};
use jiff::civil::Date;
use serde_json::json;

use crate::world::{WS, World, finish, me, wait};

const DONE: End = End::Completed { cut: false };

fn owner() -> Decider {
    Decider { ws: WS, task: None, actor: Actor::Owner, once: None }
}

/// Proposes to put a task on hold, and ends.
fn on_hold(world: &World, task: &TaskId) {
    let args = json!({ "taskId": task, "status": "ON HOLD", "reason": "nobody needs it now" });
    world.script.push(Answer::calls([("set_task_status", args)]).and_goes_on());
    world.script.push(finish("done", "Proposed."));
}

fn states(items: &[Item]) -> Vec<State> {
    items.iter().map(|item| item.state).collect()
}

fn status(world: &World, task: &TaskId) -> Status {
    world.task_view(task).task.value.status.status
}

/// What the model read about the calls of its first turn.
fn replies(world: &World) -> String {
    format!("{:?}", world.last_request())
}

fn day(text: &str) -> Date {
    text.parse().expect("a day")
}

fn a_run_proposes_and_the_person_decides(world: &World) {
    let task = world.create_task("Paint the fence", Vec::new());
    on_hold(world, &task);
    let id = world.create("Tidy", None);
    assert_eq!(world.drain(), [DONE]);
    let run = world.runs(&id).remove(0);
    let item = world.items_of(&task).remove(0);
    assert_eq!((item.state, item.proposer.as_str()), (State::Pending, run.id.as_str()));
    assert_eq!(status(world, &task), Status::Open, "nothing changes without the person");
    let settled = wait(world.changes.confirm(&owner(), &item.set, item.index, None));
    assert_eq!(settled.expect("it is confirmed").item.state, State::Confirmed);
    assert_eq!(status(world, &task), Status::OnHold);
    let changes = change_log::of_task(WS, &task, Seq(0), Seq(i64::MAX));
    let last = wait(world.store.all(changes)).expect("readable").pop().expect("a change");
    assert_eq!(last.origin, Origin::Person { via: Some((&run.id).into()) });
    assert_eq!(last.depth, 1, "a result of agent work led to it");
    let undone = wait(world.changes.undo(&owner(), &item.set, item.index, None));
    assert_eq!(undone.expect("it is undone").item.state, State::Pending);
    assert_eq!(status(world, &task), Status::Open);
}

fn nothing_is_proposed_twice_and_a_refusal_is_remembered(world: &World) {
    let task = world.create_task("Paint the fence", Vec::new());
    on_hold(world, &task);
    let id = world.create("Tidy", None);
    world.drain();
    on_hold(world, &task);
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    world.drain();
    assert!(replies(world).contains("waits for the person already"), "{}", replies(world));
    let item = world.items_of(&task).remove(0);
    let (who, why) = (owner(), Some("it is next"));
    wait(world.changes.reject(&who, &item.set, item.index, None, why)).expect("it is rejected");
    on_hold(world, &task);
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    world.drain();
    assert!(replies(world).contains("the person rejected"), "{}", replies(world));
    assert_eq!(states(&world.items_of(&task)), [State::Rejected]);
}

fn a_task_that_its_model_may_not_see_does_not_exist(world: &World) {
    let private = Edit::Flag { flag: Flag::Private, is_set: true };
    let task = world.create_task("See the doctor", vec![private]);
    world.ask_elsewhere();
    on_hold(world, &task);
    world.create("Tidy", None);
    assert_eq!(world.drain(), [DONE]);
    assert!(replies(world).contains("there is no task"), "{}", replies(world));
    assert!(!replies(world).contains("doctor"), "{}", replies(world));
    assert_eq!(world.items_of(&task), []);
}

fn one_run_proposes_only_so_much(world: &World) {
    let tasks = [world.create_task("One", Vec::new()), world.create_task("Two", Vec::new())];
    for (n, task) in tasks.iter().enumerate() {
        let items: Vec<_> = (0..26).map(|i| json!({ "title": format!("Step {n} {i}") })).collect();
        for items in items.chunks(10) {
            let args = json!({ "taskId": task, "items": items });
            let call = Answer::calls([("add_multiple_checklist_items", args)]);
            world.script.push(call.and_goes_on());
        }
    }
    world.script.push(finish("done", "Proposed."));
    world.create("Tidy", None);
    assert_eq!(world.drain(), [DONE]);
    let n: usize = tasks.iter().map(|task| world.items_of(task).len()).sum();
    assert_eq!(n, 50);
}

fn to_hold(task: &TaskId, on: Date) -> WorkProposals {
    let text = WorkText {
        title: "1 task was not touched".into(),
        sections: Vec::new(),
        markdown: "- Paint the fence".into(),
        figures: Vec::new(),
    };
    let evidence = WorkEvidence { on, text: format!("Nobody changed it since {on}.") };
    let args = json!({ "status": "ON HOLD", "reason": evidence.text });
    let call = ProposedCall { task: task.clone(), tool: "set_task_status".into(), args, evidence };
    WorkProposals { text, calls: vec![call], new_tasks: Vec::new(), by_rule: false }
}

fn what_rules_come_to_is_proposed_with_its_evidence(world: &World) {
    let task = world.create_task("Paint the fence", Vec::new());
    // What the person set is no obstacle: that nobody changed it since is what speaks for it.
    world.edit_task(&task, &[Edit::Status { status: Status::Groomed, reason: None }]);
    world.rules.comes_to(BuiltInOutcome::Proposals(to_hold(&task, day("2026-03-02"))));
    let new = world.new_built_in("Sweep", Some("every day at 9"));
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    world.set("2026-04-02T07:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    let item = world.items_of(&task).remove(0);
    assert_eq!(item.rationale.as_deref(), Some("Nobody changed it since 2026-03-02."));
    assert_eq!((item.state, status(world, &task)), (State::Pending, Status::Groomed));
    let said = world.runs(&id).pop().expect("a run").result_title;
    assert_eq!(said.as_deref(), Some("1 task was not touched"));
    world.set("2026-04-03T07:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/no_op", "it waits already");
    wait(world.changes.reject(&owner(), &item.set, item.index, None, None)).expect("rejected");
    world.set("2026-04-04T07:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(states(&world.items_of(&task)), [State::Rejected], "a refusal is remembered");
    world.rules.comes_to(BuiltInOutcome::Proposals(to_hold(&task, day("2026-04-04"))));
    world.set("2026-06-05T07:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(states(&world.items_of(&task)), [State::Rejected, State::Pending], "after a change");
}

fn a_checklist_that_was_ticked_again_is_proposed_again(world: &World) {
    let item = Edit::AddItem { title: "Towel".into(), is_checked: false, depth: 0 };
    let task = world.create_task("Swimming bag", vec![item]);
    let towel = wait(world.journal.task(WS, &task)).expect("there").items[0].value.id.clone();
    let tick = |is_checked| Edit::CheckItem { item: towel.clone(), is_checked };
    world.edit_task(&task, &[tick(true)]);
    let wanted = to_hold(&task, day("2026-03-02"));
    let args = json!({ "items": [{ "id": towel, "isChecked": false }] });
    let tool = "update_checklist_items".into();
    let call = ProposedCall { tool, args, ..wanted.calls[0].clone() };
    world.rules.comes_to(BuiltInOutcome::Proposals(WorkProposals { calls: vec![call], ..wanted }));
    let new = world.new_built_in("Reset", Some("every day at 9"));
    wait(world.work.create(WS, &new, &me())).expect("it is created");
    world.set("2026-03-03T08:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    let first = world.items_of(&task).remove(0);
    wait(world.changes.reject(&owner(), &first.set, first.index, None, None)).expect("rejected");
    world.set("2026-03-04T08:30:00Z");
    world.drain();
    assert_eq!(states(&world.items_of(&task)), [State::Rejected]);
    world.edit_task(&task, &[tick(false)]);
    world.edit_task(&task, &[tick(true)]);
    world.set("2026-03-05T08:30:00Z");
    world.drain();
    assert_eq!(states(&world.items_of(&task)), [State::Rejected, State::Pending]);
}

/// A checklist whose items are ticked, and its id with theirs.
fn ticked(world: &World, titles: &[&str]) -> (TaskId, Vec<ItemId>) {
    let add = |title: &&str| Edit::AddItem { title: (*title).into(), is_checked: true, depth: 0 };
    let task = world.create_task("Kitchen", titles.iter().map(add).collect());
    let items = wait(world.journal.task(WS, &task)).expect("there").items;
    (task, items.into_iter().map(|item| item.value.id).collect())
}

/// Work that starts a checklist over every day at nine, and wants these items unticked.
fn starts_over(world: &World, task: &TaskId, items: &[ItemId]) -> WorkId {
    let mut new = world.new_built_in("Reset", Some("every day at 9"));
    let named = Named { id: task.clone(), name: "Kitchen".into() };
    let what = Repeated::Reset { task: named };
    let parameters = WorkParameters::Repeat(Repeat { what, by_rule: false });
    if let Some(built_in) = &mut new.built_in {
        built_in.work_kind = parameters.kind();
        built_in.parameters = parameters;
    }
    let wanted = to_hold(task, day("2026-03-02"));
    let unticked = |id: &ItemId| json!({ "id": id, "isChecked": false });
    let args = json!({ "items": items.iter().map(unticked).collect::<Vec<_>>() });
    let tool = "update_checklist_items".into();
    let call = ProposedCall { tool, args, ..wanted.calls[0].clone() };
    world.rules.comes_to(BuiltInOutcome::Proposals(WorkProposals { calls: vec![call], ..wanted }));
    wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id
}

fn last_summary(world: &World, work: &WorkId) -> String {
    world.runs(work).pop().expect("a run").summary.unwrap_or_default()
}

fn a_checklist_starts_over_also_if_nobody_decided_the_last_time(world: &World) {
    let (task, items) = ticked(world, &["Wipe", "Mop"]);
    let id = starts_over(world, &task, &items);
    world.set("2026-03-03T08:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(states(&world.items_of(&task)), [State::Pending; 2]);
    world.set("2026-03-11T08:30:00Z");
    wait(world.changes.expire_due()).expect("a sweep");
    assert_eq!(states(&world.items_of(&task)), [State::Expired; 2]);
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(last_summary(world, &id), "1 task was not touched");
    use State::{Expired, Pending};
    assert_eq!(states(&world.items_of(&task)), [Expired, Expired, Pending, Pending]);
}

fn what_other_work_proposed_and_nobody_decided_is_not_proposed_again(world: &World) {
    let task = world.create_task("Paint the fence", Vec::new());
    world.rules.comes_to(BuiltInOutcome::Proposals(to_hold(&task, day("2026-03-02"))));
    let new = world.new_built_in("Sweep", Some("every day at 9"));
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    world.set("2026-03-03T08:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    world.set("2026-03-11T08:30:00Z");
    wait(world.changes.expire_due()).expect("a sweep");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(states(&world.items_of(&task)), [State::Expired]);
    assert_eq!(
        last_summary(world, &id),
        "Nothing is proposed: it was proposed or refused before, or a rule holds it back."
    );
}

fn a_run_says_which_part_of_what_it_wants_it_does_not_propose(world: &World) {
    let (task, items) = ticked(world, &["Wipe", "Mop"]);
    starts_over(world, &task, &items[..1]);
    world.set("2026-03-03T08:30:00Z");
    assert_eq!(world.drain(), [DONE]);
    let first = world.items_of(&task).remove(0);
    wait(world.changes.reject(&owner(), &first.set, first.index, None, None)).expect("rejected");
    let id = starts_over(world, &task, &items);
    world.set("2026-03-03T09:00:00Z");
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(states(&world.items_of(&task)), [State::Rejected, State::Pending]);
    assert_eq!(
        last_summary(world, &id),
        "1 task was not touched. 1 of 2 changes is proposed: the rest was proposed or refused before, or a rule \
         holds it back."
    );
}

fn what_is_proposed_and_the_end_of_the_run_are_one_commit(world: &World) {
    let task = world.create_task("Paint the fence", Vec::new());
    world.rules.comes_to(BuiltInOutcome::Proposals(to_hold(&task, day("2026-03-02"))));
    let new = world.new_built_in("Sweep", None);
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    let run = world.runs(&id).remove(0).id;
    let work = world.work.clone();
    world.hooks.before_commit("work.final", move || {
        wait(work.cancel(WS, &run, &me())).expect("it is cancelled");
    });
    assert_eq!(world.drain(), [End::Cancelled]);
    assert_eq!(world.items_of(&task), []);
}

each_engine! {
    a_run_proposes_and_the_person_decides,
    nothing_is_proposed_twice_and_a_refusal_is_remembered,
    a_task_that_its_model_may_not_see_does_not_exist,
    one_run_proposes_only_so_much,
    what_rules_come_to_is_proposed_with_its_evidence,
    a_checklist_that_was_ticked_again_is_proposed_again,
    a_checklist_starts_over_also_if_nobody_decided_the_last_time,
    what_other_work_proposed_and_nobody_decided_is_not_proposed_again,
    a_run_says_which_part_of_what_it_wants_it_does_not_propose,
    what_is_proposed_and_the_end_of_the_run_are_one_commit,
}
