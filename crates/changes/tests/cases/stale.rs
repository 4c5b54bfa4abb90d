//! What the person set, closed or deleted after a proposal.

use std::time::Duration;

use dormouse_changes::DecideError;
use dormouse_changes::set::effective_state;
use dormouse_journal::Edit;
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::{Commit, Db, Op, params, receipt};
use dormouse_types::field_change::FieldValue;
use dormouse_types::task::{EntryKind, Flags, Status};
use dormouse_types::{EntryId, limits};
use serde_json::json;

use crate::world::{WS, World, now, who};

const WEEK: u64 = limits::PROPOSAL_AGE_SECONDS;

fn day(text: &str) -> Edit {
    Edit::DueOn(Some(text.parse().expect("a day")))
}

fn status(status: Status) -> Edit {
    Edit::Status { status, reason: None }
}

fn due_on(world: &World) -> Option<String> {
    world.state().due_on.map(|day| day.to_string())
}

/// The present value, if a confirm is refused because of it.
fn changed(result: Result<Item, DecideError>) -> Option<String> {
    match result {
        Err(DecideError::ValueChanged { now, .. }) => now,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_value_that_the_person_set_since_is_confirmed_over_only_by_its_name() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.edit(&[day("2026-04-01")]);
    let (journal, agent) = (world.rows(Db::Journal), world.rows(Db::Agent));
    assert_eq!(changed(world.confirm(&item)).as_deref(), Some("2026-04-01"));
    assert_eq!(changed(world.confirm_over(&item, None)).as_deref(), Some("2026-04-01"));
    assert_eq!(
        changed(world.confirm_over(&item, Some("2026-03-02"))).as_deref(),
        Some("2026-04-01")
    );
    assert_eq!(world.rows(Db::Journal), journal);
    assert_eq!(world.rows(Db::Agent), agent, "nobody decided");
    world.confirm_over(&item, Some("2026-04-01")).expect("confirmed over it");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
    world.undo(&item).expect("undone");
    assert_eq!(due_on(&world).as_deref(), Some("2026-04-01"));
    assert_eq!(
        changed(world.confirm(&item)).as_deref(),
        Some("2026-04-01"),
        "it is the person's value again"
    );
}

#[test]
fn a_value_set_since_is_named_even_if_a_verdict_was_undone_after_it() {
    for put_off in [true, false] {
        let world = World::new();
        let item = world.due("2026-03-20");
        if put_off { world.defer(&item) } else { world.reject(&item, None) }.expect("decided");
        world.edit(&[day("2026-04-01")]);
        world.undo(&item).expect("undone");
        assert_eq!(changed(world.confirm(&item)).as_deref(), Some("2026-04-01"), "{put_off}");
    }
}

#[test]
fn a_rename_by_the_person_is_named_before_a_tick_that_renames_writes_over_it() {
    let world = World::new();
    let id = world.first_item();
    let both = json!({ "items": [{ "id": id, "title": "Sign both copies", "isChecked": true }] });
    let item = world.open("update_checklist_items", both);
    world.edit(&[Edit::RenameItem { item: id, title: "Sign at the notary".into() }]);
    assert_eq!(changed(world.confirm(&item)).as_deref(), Some("[ ] Sign at the notary"));
}

#[test]
fn a_value_that_the_person_cleared_since_is_named_as_no_value() {
    let world = World::new();
    world.edit_as_agent(&[day("2026-03-10")]);
    let item = world.due("2026-03-20");
    world.edit(&[Edit::DueOn(None)]);
    assert_eq!(changed(world.confirm(&item)), None);
    world.confirm_over(&item, None).expect("confirmed over no value");
}

#[test]
fn a_title_of_an_item_that_is_another_one_now_is_named() {
    let world = World::new();
    let id = world.first_item();
    let rename = json!({ "items": [{ "id": id, "title": "Sign both copies" }] });
    let item = world.open("update_checklist_items", rename);
    world.edit(&[Edit::RenameItem { item: id, title: "Sign at the notary".into() }]);
    assert_eq!(changed(world.confirm(&item)).as_deref(), Some("[ ] Sign at the notary"));
    world.confirm_over(&item, Some("[ ] Sign at the notary")).expect("confirmed");
    assert_eq!(world.titles(), ["Sign both copies"]);
}

#[test]
fn an_item_that_was_not_shown_needs_its_digest() {
    let world = World::new();
    let items: Vec<_> = (0..11).map(|n| json!({ "title": format!("Item {n}") })).collect();
    world.propose(&[("add_multiple_checklist_items", json!({ "items": items }))]);
    let all = world.items();
    let confirm = |item: &Item| now(world.changes.confirm(&who(), &item.set, item.index, None));
    let unseen = confirm(&all[10]);
    assert!(matches!(unseen, Err(DecideError::NotShown { .. })), "{unseen:?}");
    assert_eq!(world.fresh(&all[10]).state, State::Pending);
    confirm(&all[9]).expect("it was shown");
    world.confirm(&all[10]).expect("its digest says that it was looked at");
}

#[test]
fn of_one_field_the_newer_proposal_takes_the_place_of_the_older() {
    let world = World::new();
    let (two, off) =
        (world.open("update_task_estimate", json!({ "minutes": 120 })), world.due("2026-03-20"));
    world.defer(&off).expect("put off");
    let three = world.open("update_task_estimate", json!({ "minutes": 180 }));
    let later = world.due("2026-03-27");
    for older in [&two, &off] {
        let older = world.fresh(older);
        assert_eq!(older.state, State::Retracted);
        assert_eq!(older.error.as_deref(), Some("a newer proposal takes its place"));
    }
    assert_eq!(world.fresh(&three).state, State::Pending);
    assert_eq!(world.fresh(&later).state, State::Pending);
    // Several labels or items are not a single value.
    world.open("add_checklist_item", json!({ "items": [{ "title": "One" }] }));
    world.open("add_checklist_item", json!({ "items": [{ "title": "Two" }] }));
    assert_eq!(world.items().iter().filter(|item| item.state.is_open()).count(), 4);
}

#[test]
fn an_undone_verdict_does_not_reopen_when_a_newer_proposal_has_its_field() {
    let world = World::new();
    let two = world.open("update_task_estimate", json!({ "minutes": 120 }));
    world.confirm(&two).expect("confirmed");
    let entry = world.note("Now three hours.");
    let evidence = json!({ "entryId": entry, "quote": "three hours" });
    let three = world.open("update_task_estimate", json!({ "minutes": 180, "evidence": evidence }));
    let undone = world.undo(&two).expect("the value goes back");
    assert_eq!(undone.state, State::Retracted);
    assert_eq!(world.state().estimate_minutes, None);
    assert_eq!(world.fresh(&three).state, State::Pending);
}

#[test]
fn what_the_person_set_after_the_evidence_is_withdrawn_when_its_agent_looks() {
    let world = World::new();
    let entry = world.note("It is due on 20 March.");
    let quoted = json!({ "entryId": entry, "quote": "due on 20 March" });
    let said =
        world.open("update_task_due_date", json!({ "dueDate": "2026-03-20", "evidence": quoted }));
    let bare = world.open("update_task_priority", json!({ "priority": "P1" }));
    let other = world.open("update_task_estimate", json!({ "minutes": 30, "evidence": quoted }));
    assert_eq!(now(world.changes.withdraw_stale(WS, &world.task)).expect("tidied"), 0);
    world.edit(&[day("2026-04-01"), Edit::Priority(None)]);
    world.edit(&[Edit::Priority(Some(dormouse_types::task::Priority::P3))]);
    assert_eq!(now(world.changes.withdraw_stale(WS, &world.task)).expect("tidied"), 1);
    let gone = world.fresh(&said);
    assert_eq!(gone.state, State::Retracted);
    assert_eq!(
        gone.error.as_deref(),
        Some("you set this yourself after the text it is based on was written")
    );
    assert_eq!(world.fresh(&bare).state, State::Pending, "it rests on no text");
    assert_eq!(world.fresh(&other).state, State::Pending);
}

#[test]
fn a_confirm_on_a_deleted_or_closed_task_leaves_the_item_open() {
    let world = World::new();
    let item = world.due("2026-03-20");
    for pause in [Edit::Delete, status(Status::Done), status(Status::Rejected)] {
        world.edit(std::slice::from_ref(&pause));
        let agent = world.rows(Db::Agent);
        let refused = world.confirm(&item).expect_err("no task is read");
        let is_named = match pause {
            Edit::Delete => matches!(refused, DecideError::TaskDeleted { .. }),
            _ => matches!(refused, DecideError::TaskClosed { .. }),
        };
        assert!(is_named, "{refused:?}");
        assert_eq!(world.rows(Db::Agent), agent);
        world.edit(&[if pause == Edit::Delete { Edit::Restore } else { status(Status::Open) }]);
    }
    world.confirm(&item).expect("confirmed again");
}

#[test]
fn nothing_is_proposed_about_a_closed_task() {
    let world = World::new();
    world.edit(&[status(Status::Done)]);
    let replies = world.propose(&[("update_task_estimate", json!({ "minutes": 30 }))]);
    assert!(
        !replies[0].refused && replies[0].text.contains("closed the task as DONE"),
        "{replies:?}"
    );
    assert_eq!(world.items(), []);
}

#[test]
fn the_seven_days_stand_still_while_a_task_is_closed_or_deleted() {
    for (pause, resume) in
        [(Edit::Delete, Edit::Restore), (status(Status::Done), status(Status::Open))]
    {
        let left = |seconds_left: u64| {
            let world = World::new();
            let item = world.due("2026-03-20");
            world.later(WEEK - 1000);
            world.edit(std::slice::from_ref(&pause));
            world.later(3 * WEEK);
            assert_eq!(now(world.changes.withdraw_stale(WS, &world.task)).expect("tidied"), 0);
            assert_eq!(now(world.changes.expire_due()).expect("a sweep"), 0);
            world.edit(std::slice::from_ref(&resume));
            world.later(1000 - 60 - seconds_left - 1);
            let swept = now(world.changes.expire_due()).expect("a sweep");
            (world.confirm(&item).map(|item| item.state), swept)
        };
        let (in_time, swept) = left(1);
        assert!(matches!(in_time, Ok(State::Confirmed)), "{in_time:?}");
        assert_eq!(swept, 0);
        let (late, _) = left(0);
        assert!(matches!(late, Err(DecideError::Expired { .. })), "{late:?}");
    }
}

#[test]
fn a_sweep_finds_what_is_due_after_items_whose_deadline_is_suspended() {
    let world = World::new();
    for n in 0..30 {
        let items: Vec<_> = (0..10).map(|m| json!({ "title": format!("Item {n} {m}") })).collect();
        world.propose(&[("add_multiple_checklist_items", json!({ "items": items }))]);
    }
    world.edit(&[Edit::Delete]);
    world.later(3600);
    let (other, agent) = (world.other_task(), world.items().len());
    assert_eq!(agent, 300);
    let item = world.due_of(&other, "2026-03-20");
    world.clock.advance(Duration::from_secs(WEEK));
    let swept: usize = (0..2).map(|_| now(world.changes.expire_due()).expect("a sweep")).sum();
    assert_eq!(swept, 1);
    assert_eq!(world.fresh(&item).state, State::Expired);
    assert!(world.items().iter().all(|item| item.state == State::Pending));
}

#[test]
fn a_value_set_between_the_verdict_and_its_application_is_kept() {
    // The confirm is durable, but the process ends before the journal is written.
    let world = World::new();
    let item = world.due("2026-03-20");
    world.crash_at_the_journal(|world| drop(world.confirm(&item)));
    assert_eq!(world.fresh(&item).state, State::Applying);
    world.edit(&[day("2026-04-01")]);
    now(world.changes.recover(WS)).expect("recovered");
    assert_eq!(due_on(&world).as_deref(), Some("2026-04-01"));
    let open = world.fresh(&item);
    assert_eq!(open.state, State::Pending);
    let receipt = receipt::by_id(Db::Journal, WS, item.operation.as_str());
    assert!(now(world.store.first(receipt)).expect("readable").is_none());
    world.confirm_over(&open, Some("2026-04-01")).expect("confirmed over it");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
}

/// The tick was shown for a different item.
#[test]
fn a_tick_of_an_item_that_was_renamed_or_archived_since_is_withdrawn() {
    let edits: [fn(&World) -> Edit; 2] = [
        |world| Edit::RenameItem { item: world.first_item(), title: "Sell the house".into() },
        |world| Edit::ArchiveItem { item: world.first_item(), is_archived: true },
    ];
    for edit in edits {
        for is_confirmed in [false, true] {
            let world = World::new();
            let tick = json!({ "items": [{ "id": world.first_item(), "isChecked": true }] });
            let item = world.open("update_checklist_items", tick);
            world.edit(&[edit(&world)]);
            let journal = world.rows(Db::Journal);
            if is_confirmed {
                let refused = world.confirm(&item).expect_err("it was shown as something else");
                assert!(matches!(refused, DecideError::Retracted { .. }), "{refused:?}");
            } else {
                assert_eq!(now(world.changes.withdraw_stale(WS, &world.task)).expect("tidied"), 1);
            }
            let gone = world.fresh(&item);
            assert_eq!(gone.state, State::Retracted);
            assert_eq!(
                gone.error.as_deref(),
                Some("the item was renamed or archived after this was proposed")
            );
            assert_eq!(world.rows(Db::Journal), journal);
        }
    }
}

#[test]
fn a_proposal_whose_words_are_gone_from_the_notes_is_withdrawn() {
    type EditOf = fn(EntryId) -> Edit;
    let edits: [(bool, EditOf); 4] = [
        (true, Edit::DeleteEntry),
        (true, |entry| Edit::EditEntry {
            entry,
            text: Some("The landlord cancelled the lease.".into()),
        }),
        (true, |entry| Edit::EditEntry { entry, text: Some("It is not due on 20 March.".into()) }),
        (false, |entry| Edit::EditEntry {
            entry,
            text: Some("Well. It is due on 20 March!".into()),
        }),
    ];
    for (is_gone, edit) in edits {
        for is_confirmed in [false, true] {
            let world = World::new();
            let entry = world.note("It is due on 20 March.");
            let evidence = json!({ "entryId": entry, "quote": "It is due on 20 March" });
            let args = json!({ "dueDate": "2026-03-20", "evidence": evidence });
            let item = world.open("update_task_due_date", args);
            world.edit(&[edit(entry)]);
            if is_confirmed {
                assert_eq!(world.confirm(&item).is_err(), is_gone);
            } else {
                let ended = now(world.changes.withdraw_stale(WS, &world.task)).expect("tidied");
                assert_eq!(ended == 1, is_gone);
            }
            assert_eq!(world.fresh(&item).state == State::Retracted, is_gone);
            assert_eq!(due_on(&world).is_some(), is_confirmed && !is_gone);
        }
    }
}

/// Minutes of January that are pasted in March are older than what the person set in February.
#[test]
fn a_dated_entry_speaks_from_its_day() {
    let world = World::new();
    world.edit(&[day("2026-05-05")]);
    let propose = |on: &str| {
        let on = Some(on.parse().expect("a day"));
        let note = Edit::AddEntry {
            kind: EntryKind::Text,
            text: Some("Due on 20 March.".into()),
            transcript: None,
            minutes: None,
            on,
            tainted: false,
            flags: Flags::NONE,
        };
        world.edit(&[note]);
        let entry = world.state().entries.last().expect("the entry").id.clone();
        let evidence = json!({ "entryId": entry, "quote": "20 March" });
        let args = json!({ "dueDate": "2026-03-20", "evidence": evidence });
        world.propose(&[("update_task_due_date", args)]);
        world.items().len()
    };
    assert_eq!(propose("2026-01-05"), 0, "the person set it after that day");
    assert_eq!(propose("2026-03-02"), 1);
}

/// An item as a version stored it that knew its value in words only.
fn of_an_older_version(world: &World, item: &Item, before: Option<&str>) -> Item {
    let sql = "UPDATE change_items SET field_change = NULL, before = ?4
               WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3";
    let before = before.map(ToOwned::to_owned);
    let params = params![WS.0, item.set.to_string(), item.index, before];
    let commit = Commit::new("test.older", Db::Agent, WS).op(Op::any(sql, params));
    now(world.store.commit(commit)).expect("stored");
    world.fresh(item)
}

#[test]
fn a_row_of_an_older_version_is_judged_by_its_words() {
    let world = World::new();
    world.edit(&[day("2026-03-01")]);
    let entry = world.note("It is due on the 20th.");
    let evidence = json!({ "entryId": entry, "quote": "the 20th" });
    let due = json!({ "dueDate": "2026-03-20", "evidence": evidence });
    let item = world.open("update_task_due_date", due);
    assert!(item.before.is_none(), "a new row holds values");
    let old = of_an_older_version(&world, &item, Some("2026-03-01"));
    assert_eq!(
        effective_state::before(&old),
        Some(FieldValue::Words { words: "2026-03-01".into() })
    );
    assert_eq!(effective_state::set_since(&old, &world.state()), None, "the same value in words");
    let other = of_an_older_version(&world, &item, Some("2026-02-01"));
    assert!(effective_state::set_since(&other, &world.state()).is_some(), "another value in words");

    let tick = json!({ "id": world.first_item(), "isChecked": true });
    let item = world.open("update_checklist_item", tick);
    let same = of_an_older_version(&world, &item, Some("[x] Sign the contract"));
    assert_eq!(effective_state::no_longer_holds(&same, &world.state()), None);
    let renamed = of_an_older_version(&world, &item, Some("[ ] Sign the lease"));
    assert!(effective_state::no_longer_holds(&renamed, &world.state()).is_some());
}

#[test]
fn an_item_from_which_words_were_removed_no_longer_holds_unlike_one_with_the_mark_in_its_own_words()
{
    let world = World::new();
    let title = json!({ "title": "Ask about the [removed] lamp" });
    let own = world.open("add_checklist_item", title);
    assert_eq!(effective_state::no_longer_holds(&own, &world.state()), None);
    let args = own.args.replace("Ask about", "[removed]");
    let cut = Item { args, ..own };
    let why = effective_state::no_longer_holds(&cut, &world.state()).expect("a reason");
    assert!(why.starts_with("words in it were removed"), "{why}");
}

#[test]
fn an_item_that_cannot_be_read_keeps_no_other_from_expiring() {
    let world = World::new();
    let hurt = world.open("update_task_estimate", json!({ "minutes": 60 }));
    world.later(1);
    let item = world.due("2026-03-20");
    world.damage_item(&hurt);
    world.later(WEEK + 1);
    let error = now(world.changes.expire_due()).expect_err("one cannot be read");
    assert!(error.to_string().contains("cannot be read"), "{error}");
    assert_eq!(world.fresh(&item).state, State::Expired);
}
