use dormouse_changes::{Effect, tools};
use dormouse_journal::Edit;
use dormouse_store::Db;
use dormouse_types::limits;
use dormouse_types::task::{Priority, Status};
use serde_json::{Value, json};

use crate::world::World;

/// A task with every field set, but not by the person, so that no proposal is refused for that
/// reason.
fn populated() -> World {
    let world = World::new();
    let home = world.label("Home");
    world.label("Garden");
    let money = world.label("Money");
    world.edit_as_agent(&[
        Edit::Estimate(Some(90)),
        Edit::DueOn(Some("2026-03-20".parse().expect("a day"))),
        Edit::Priority(Some(Priority::P1)),
        Edit::Status { status: Status::InProgress, reason: None },
        Edit::AddLabel(home),
        Edit::AddItem { title: "Pack the books".into(), is_checked: true, depth: 0 },
    ]);
    world.edit(&[Edit::SuppressLabel(money)]);
    world
}

fn fill(world: &World, args: Value) -> Value {
    let state = world.state();
    let label = |name: &str| {
        state.available_labels.iter().find(|label| label.name == name).expect("a label").id.clone()
    };
    let text = args
        .to_string()
        .replace("$contract", state.items[0].id.to_string().as_str())
        .replace("$books", state.items[1].id.to_string().as_str())
        .replace("$home", label("Home").to_string().as_str())
        .replace("$garden", label("Garden").to_string().as_str())
        .replace("$money", label("Money").to_string().as_str());
    serde_json::from_str(&text).expect("still JSON")
}

/// Checks that the call becomes one item with these arguments and this line for a person.
fn accepted(tool: &str, args: Value, stored: Value, summary: &str) {
    let world = populated();
    let journal = world.rows(Db::Journal);
    let item = world.open(tool, fill(&world, args.clone()));
    let kept: Value = serde_json::from_str(&item.args).expect("arguments");
    assert_eq!(kept, fill(&world, stored), "{tool} {args}");
    let named = tools::item(&item.tool).expect("an item tool");
    assert_eq!(named.summary(&kept, Some(&world.state())), summary);
    assert_eq!(world.rows(Db::Journal), journal, "{tool} {args} wrote the journal");
}

/// Checks that the call leaves no trace in either database, and that the model reads these words.
fn left(tool: &str, args: Value, refused: bool, words: &[&str]) {
    let world = populated();
    let (journal, agent) = (world.rows(Db::Journal), world.rows(Db::Agent));
    let reply = world.propose(&[(tool, fill(&world, args.clone()))]).remove(0);
    assert_eq!(reply.refused, refused, "{tool} {args}: {reply:?}");
    for word in words {
        let word = fill(&world, json!(word));
        let word = word.as_str().expect("text");
        assert!(reply.text.contains(word), "{tool} {args}: `{word}` is not in: {}", reply.text);
    }
    assert_eq!(world.rows(Db::Journal), journal, "{tool} {args} wrote the journal");
    assert_eq!(world.rows(Db::Agent), agent, "{tool} {args} left a row");
}

fn refused(tool: &str, args: Value, words: &[&str]) {
    left(tool, args, true, words);
}

fn redundant(tool: &str, args: Value, words: &[&str]) {
    left(tool, args, false, words);
}

#[test]
fn a_title_is_words_on_one_line() {
    let tool = "set_task_title";
    let title = |n: usize| "x".repeat(n);
    accepted(
        tool,
        json!({ "title": "  Move \n to  Lyon " }),
        json!({ "title": "Move to Lyon" }),
        "Set title to \"Move to Lyon\"",
    );
    for n in [limits::TITLE.max - 1, limits::TITLE.max] {
        let summary = format!("Set title to \"{}\"", title(n));
        accepted(tool, json!({ "title": title(n) }), json!({ "title": title(n) }), &summary);
    }
    refused(tool, json!({ "title": title(limits::TITLE.max + 1) }), &["501 characters", "500"]);
    refused(tool, json!({ "title": " \t\n" }), &["title is empty"]);
    refused(tool, json!({}), &["title", "expected {\"title\": \"…\"}"]);
    refused(tool, json!({ "title": 5 }), &["expected a string"]);
    refused(tool, json!({ "title": "A", "color": "red" }), &["color"]);
    redundant(
        tool,
        json!({ "title": "Move to the new flat" }),
        &["already \"Move to the new flat\""],
    );
}

#[test]
fn an_estimate_is_whole_minutes_of_one_day_at_most() {
    let tool = "update_task_estimate";
    let check = |given: Value, minutes: u32, words: &str| {
        let summary = format!("Set time estimate to {words}");
        accepted(tool, json!({ "minutes": given }), json!({ "minutes": minutes }), &summary);
    };
    check(json!("120"), 120, "2 hours");
    check(json!(119.6), 120, "2 hours");
    check(json!(1), 1, "1 min");
    check(json!(1439), 1439, "23 h 59 min");
    check(json!(1440), 1440, "24 hours");
    for given in
        [json!(0), json!(1441), json!("two"), json!(-5), json!(null), json!([60]), json!(1e300)]
    {
        let received = given.to_string();
        refused(tool, json!({ "minutes": given }), &["from 1 to 1440", &received]);
    }
    refused(tool, json!({}), &["from 1 to 1440"]);
    redundant(tool, json!({ "minutes": 90 }), &["already 1 h 30 min"]);
}

#[test]
fn a_due_date_is_a_day_that_exists() {
    let tool = "update_task_due_date";
    accepted(
        tool,
        json!({ "dueDate": "2028-02-29" }),
        json!({ "dueDate": "2028-02-29" }),
        "Set due date to 2028-02-29",
    );
    for given in [
        "2026-02-30",
        "2026-02-29",
        "2026-13-01",
        "20.03.2026",
        "2026-3-5",
        "tomorrow",
        "",
        "2026-03-20T10:00:00Z",
    ] {
        refused(tool, json!({ "dueDate": given }), &["YYYY-MM-DD", given]);
    }
    refused(tool, json!({ "dueDate": 20_260_320 }), &["YYYY-MM-DD"]);
    refused(tool, json!({}), &["YYYY-MM-DD"]);
    redundant(tool, json!({ "dueDate": "2026-03-20" }), &["already due on 2026-03-20"]);
}

#[test]
fn a_priority_is_one_of_four() {
    let tool = "update_task_priority";
    accepted(
        tool,
        json!({ "priority": "p0" }),
        json!({ "priority": "P0" }),
        "Set priority to P0 (urgent)",
    );
    for given in [json!("P4"), json!("high"), json!(1), json!(null)] {
        refused(tool, json!({ "priority": given }), &["P0", "P1", "P2", "P3"]);
    }
    redundant(tool, json!({ "priority": "P1" }), &["already P1 (high)"]);
}

#[test]
fn a_task_nobody_ranked_counts_as_medium() {
    let world = World::new();
    let reply = world.propose(&[("update_task_priority", json!({ "priority": "P2" }))]);
    assert_eq!(reply[0].text, "Not proposed: the priority is already P2 (medium).");
    assert_eq!(world.items(), []);
}

#[test]
fn a_status_is_one_the_agent_may_propose_and_says_what_it_waits_for() {
    let tool = "set_task_status";
    let live = "OPEN, GROOMED, IN PROGRESS, BLOCKED, ON HOLD";
    let why = |n: usize| "y".repeat(n);
    accepted(
        tool,
        json!({ "status": "blocked", "reason": " the landlord's answer " }),
        json!({ "status": "BLOCKED", "reason": "the landlord's answer" }),
        "Set status to BLOCKED (the landlord's answer)",
    );
    accepted(
        tool,
        json!({ "status": "GROOMED", "reason": "is dropped: only a wait has a reason" }),
        json!({ "status": "GROOMED" }),
        "Set status to GROOMED",
    );
    for n in [limits::REASON.max - 1, limits::REASON.max] {
        let args = json!({ "status": "ON HOLD", "reason": why(n) });
        accepted(tool, args.clone(), args, &format!("Set status to ON HOLD ({})", why(n)));
    }
    refused(
        tool,
        json!({ "status": "ON HOLD", "reason": why(limits::REASON.max + 1) }),
        &["1001 characters", "1000"],
    );
    refused(tool, json!({ "status": "BLOCKED" }), &["BLOCKED needs a reason"]);
    refused(tool, json!({ "status": "ON HOLD", "reason": "  " }), &["ON HOLD needs a reason"]);
    refused(tool, json!({ "status": "DONE" }), &["by the person only", live]);
    refused(tool, json!({ "status": "REJECTED" }), &["by the person only", live]);
    refused(tool, json!({ "status": "PAUSED" }), &["PAUSED", live]);
    refused(tool, json!({}), &[live]);
    redundant(tool, json!({ "status": "in-progress" }), &["already IN PROGRESS"]);
}

#[test]
fn an_unknown_status_is_not_answered_with_one_only_the_person_may_set() {
    let world = World::new();
    let reply = world.propose(&[("set_task_status", json!({ "status": "finished" }))]).remove(0);
    assert!(reply.refused);
    assert!(!reply.text.contains("DONE"), "{}", reply.text);
}

#[test]
fn a_closed_task_keeps_its_status() {
    let world = World::new();
    world.edit(&[Edit::Status { status: Status::Done, reason: None }]);
    let entry = world.note("We are back at it, it is open again.");
    let evidence = json!({ "entryId": entry, "quote": "it is open again" });
    let reply =
        world.propose(&[("set_task_status", json!({ "status": "OPEN", "evidence": evidence }))]);
    assert!(reply[0].text.contains("the person closed the task as DONE"), "{reply:?}");
    assert_eq!(world.items(), []);
}

#[test]
fn items_are_added_with_words_of_their_own() {
    let tool = "add_multiple_checklist_items";
    let title = |n: usize| "z".repeat(n);
    accepted(
        tool,
        json!({ "items": [{ "title": " Book  the van " }] }),
        json!({ "title": "Book the van" }),
        "Add checklist item: Book the van",
    );
    accepted(
        tool,
        json!({ "items": [{ "title": "Book the van", "isChecked": true }] }),
        json!({ "title": "Book the van", "isChecked": true }),
        "Add checklist item: Book the van",
    );
    for n in [limits::ITEM_TITLE.max - 1, limits::ITEM_TITLE.max] {
        let summary = format!("Add checklist item: {}", title(n));
        let stored = json!({ "title": title(n) });
        accepted(tool, json!({ "items": [stored] }), stored.clone(), &summary);
    }
    let long = title(limits::ITEM_TITLE.max + 1);
    refused(tool, json!({ "items": [{ "title": long }] }), &["401 characters", "400"]);
    refused(tool, json!({ "items": [{ "title": " " }] }), &["title is empty"]);
    refused(tool, json!({ "items": ["Book the van"] }), &["{\"title\": \"…\"}"]);
    refused(tool, json!({ "items": "Book the van" }), &["items must be a list of objects"]);
    refused(tool, json!({ "items": [] }), &["items is empty"]);
    refused(tool, json!({ "items": 5 }), &["items must be a list of objects"]);
    refused(tool, json!({}), &["items must be a list of objects"]);
    refused(tool, json!({ "items": [{ "title": "A", "dueDate": "2026-01-01" }] }), &["dueDate"]);
    redundant(tool, json!({ "items": [{ "title": "SIGN the contract." }] }), &["already has"]);
}

#[test]
fn items_are_changed_by_ids_of_their_task() {
    let tool = "update_checklist_items";
    accepted(
        tool,
        json!({ "items": [{ "id": "$contract", "isChecked": true }] }),
        json!({ "id": "$contract", "isChecked": true }),
        "Tick \"Sign the contract\"",
    );
    accepted(
        tool,
        json!({ "items": [{ "id": " $books ", "isChecked": false, "title": "Pack", "isArchived": true }] }),
        json!({ "id": "$books", "isChecked": false, "title": "Pack", "isArchived": true }),
        "Untick \"Pack the books\"; Rename \"Pack the books\" to \"Pack\"; Archive \"Pack the books\"",
    );
    accepted(
        tool,
        json!({ "items": [{ "id": "$books", "isChecked": true, "title": "Pack" }] }),
        json!({ "id": "$books", "title": "Pack" }),
        "Rename \"Pack the books\" to \"Pack\"",
    );
    let invented = "ci-01jd7m3k5vn2c8q4w6x0z9abcd";
    for id in [invented, "3", "", "jt-01jd7m3k5vn2c8q4w6x0z9abcd"] {
        let args = json!({ "items": [{ "id": id, "isChecked": true }] });
        refused(tool, args, &["no item", id, "use an id from its checklist"]);
    }
    refused(tool, json!({ "items": [{ "isChecked": true }] }), &["id", "\"ci-…\""]);
    refused(tool, json!({ "items": [{ "id": "$contract", "title": " " }] }), &["title is empty"]);
    let long = "z".repeat(limits::ITEM_TITLE.max + 1);
    refused(tool, json!({ "items": [{ "id": "$contract", "title": long }] }), &["401", "400"]);
    refused(tool, json!({ "items": [{ "id": "$contract", "isChecked": "yes" }] }), &["boolean"]);
    redundant(
        tool,
        json!({ "items": [{ "id": "$contract" }] }),
        &["already [ ] Sign the contract"],
    );
    redundant(
        tool,
        json!({ "items": [{ "id": "$books", "isChecked": true }] }),
        &["already [x] Pack the books"],
    );
}

#[test]
fn labels_are_those_that_exist_and_are_wanted() {
    let tool = "assign_task_labels";
    accepted(
        tool,
        json!({ "labels": [{ "id": "$garden", "confidence": "high" }] }),
        json!({ "id": "$garden", "name": "Garden" }),
        "Add label \"Garden\"",
    );
    redundant(tool, json!({ "labels": [{ "id": "$home" }] }), &["already has label \"Home\""]);
    refused(tool, json!({ "labels": [{ "id": "$money" }] }), &["does not want label \"Money\""]);
    refused(
        tool,
        json!({ "labels": [{ "id": "lb-01jd7m3k5vn2c8q4w6x0z9abcd" }] }),
        &["no label lb-01jd7m3k5vn2c8q4w6x0z9abcd", "existing label"],
    );
    refused(tool, json!({ "labels": [{ "id": "Garden" }] }), &["no label Garden"]);
    refused(tool, json!({ "labels": ["Garden"] }), &["\"lb-…\""]);
    refused(
        tool,
        json!({ "labels": [{ "id": "$garden", "confidence": "low" }] }),
        &["low confidence"],
    );
}

#[test]
fn a_call_holds_a_limited_number_of_elements() {
    let items = |n: usize| {
        let items: Vec<Value> = (0..n).map(|n| json!({ "title": format!("Item {n}") })).collect();
        json!({ "items": items })
    };
    for n in [limits::ITEMS_PER_CALL.max - 1, limits::ITEMS_PER_CALL.max] {
        let world = World::new();
        world.propose(&[("add_multiple_checklist_items", items(n))]);
        assert_eq!(world.items().len(), n);
    }
    refused("add_multiple_checklist_items", items(21), &["21 items", "at most 20", "split"]);
    let labels = |n: usize| {
        let world = World::new();
        let ids: Vec<Value> =
            (0..n).map(|n| json!({ "id": world.label(&format!("Label {n}")) })).collect();
        let reply = world.propose(&[("assign_task_labels", json!({ "labels": ids }))]).remove(0);
        (world.items().len(), reply)
    };
    assert_eq!(labels(2).0, 2);
    assert_eq!(labels(3).0, 3);
    let (made, reply) = labels(4);
    assert!(made == 0 && reply.refused && reply.text.contains("at most 3"), "{reply:?}");
}

#[test]
fn a_language_is_a_code_of_the_list_and_the_persons_own_stays() {
    let world = World::new();
    let check = |args: Value| match world.run("set_task_language", &args) {
        Ok(Effect::Edit(edits)) => match &edits[..] {
            [Edit::Language { code: Some(code) }] => Ok(code.clone()),
            other => panic!("{other:?}"),
        },
        Ok(other) => panic!("{other:?}"),
        Err(refused) => Err(refused.text().to_owned()),
    };
    assert_eq!(check(json!({ "languageCode": " DE ", "confidence": "high" })), Ok("de".into()));
    assert_eq!(check(json!("{\"languageCode\": \"de\"}")), Ok("de".into()), "JSON in a string");
    let unknown = check(json!({ "languageCode": "tlh" })).expect_err("no such code");
    assert!(unknown.contains("tlh") && unknown.contains("de, el"), "{unknown}");
    let shape = check(json!({ "language": "de" })).expect_err("another name");
    assert!(shape.contains("{\"languageCode\": \"en\""), "{shape}");
    let low = check(json!({ "languageCode": "de", "confidence": "low" })).expect_err("a guess");
    assert!(low.contains("left open"), "{low}");
    world.edit_as_agent(&[Edit::Language { code: Some("de".into()) }]);
    let same = check(json!({ "languageCode": "de" }));
    assert_eq!(same.expect_err("nothing to do"), "the language is already de");
    world.edit(&[Edit::Language { code: Some("fr".into()) }]);
    let stays = check(json!({ "languageCode": "de" })).expect_err("the person's");
    assert_eq!(stays, "the person set the language to fr; it stays");
}

#[test]
fn a_withdrawal_names_proposals_and_reasons() {
    let world = World::new();
    let check = |args: Value| match world.run("retract_suggestions", &args) {
        Ok(Effect::Withdraw { reply, .. }) => Ok(reply),
        Ok(other) => panic!("{other:?}"),
        Err(refused) => Err(refused.text().to_owned()),
    };
    let one =
        |reason: String| json!({ "proposals": [{ "fingerprint": "12345678", "reason": reason }] });
    let unknown = "fp=12345678: not open".to_owned();
    assert_eq!(check(one("overtaken".into())), Ok(unknown.clone()));
    assert_eq!(check(one("r".repeat(limits::REASON.max))), Ok(unknown));
    let item = world.due("2026-04-01");
    let named = |fp: &str| json!({ "fingerprint": fp, "reason": "overtaken" });
    let fp = &item.fingerprint.as_str()[..8];
    assert_eq!(
        check(json!({ "proposals": [named(&format!(" fp={} ", fp.to_uppercase())), named(fp)] })),
        Ok(format!("fp={fp}: retracted\nfp={fp}: not open"))
    );
    for (args, words) in [
        (json!({ "proposals": [] }), "name at least one"),
        (one("  ".into()), "fp=12345678 has no reason"),
        (one("r".repeat(limits::REASON.max + 1)), "at most 1000"),
        (json!({ "proposals": ["12345678"] }), "\"fingerprint\": \"…\""),
        (json!({}), "\"proposals\": ["),
    ] {
        let said = check(args.clone()).expect_err("refused");
        assert!(said.contains(words), "{args}: {said}");
    }
}

#[test]
fn arguments_are_read_through_fences_and_a_second_layer_of_json() {
    let tool = "update_task_due_date";
    let day = json!({ "dueDate": "2026-04-01" });
    let summary = "Set due date to 2026-04-01";
    accepted(tool, json!("{\"dueDate\": \"2026-04-01\"}"), day.clone(), summary);
    accepted(tool, json!("```json\n{\"dueDate\": \"2026-04-01\"}\n```"), day.clone(), summary);
    accepted(tool, json!("```\n{\"dueDate\": \"2026-04-01\"}\n```"), day, summary);
    let van = json!({ "title": "Book the van" });
    let added = "Add checklist item: Book the van";
    let items = "add_multiple_checklist_items";
    accepted(items, json!({ "items": "[{\"title\": \"Book the van\"}]" }), van.clone(), added);
    accepted(items, json!({ "items": ["{\"title\": \"Book the van\"}"] }), van.clone(), added);
    // Models that know the singular tool send one element without the list.
    accepted("add_checklist_item", van.clone(), van, added);
    refused(tool, json!("soon"), &["YYYY-MM-DD"]);
    refused(tool, json!([{ "dueDate": "2026-04-01" }]), &["YYYY-MM-DD"]);
}

#[test]
fn arguments_beyond_the_limit_are_not_even_read() {
    let args = |n: usize| json!({ "title": "Short", "rationale": "r".repeat(n) });
    let whole = |n: usize| args(n).to_string().len();
    let fits = limits::TOOL_ARGS.max - whole(0);
    for n in [fits - 1, fits] {
        accepted("set_task_title", args(n), json!({ "title": "Short" }), "Set title to \"Short\"");
    }
    refused("set_task_title", args(fits + 1), &["larger than 65536 bytes"]);
}

#[test]
fn a_reason_of_the_model_is_kept_apart_and_cut() {
    let world = World::new();
    let rationale = "r".repeat(limits::REASON.max + 50);
    let item = world.open("set_task_title", json!({ "title": "Lyon", "rationale": rationale }));
    assert_eq!(item.rationale.map(|text| text.len()), Some(limits::REASON.max));
    assert_eq!(item.args, "{\"title\":\"Lyon\"}");
}

#[test]
fn every_spelling_of_a_tool_is_the_same_proposal() {
    let spellings = [
        ("set_task_title", "update_task_title", json!({ "title": "Lyon" })),
        ("update_task_estimate", "set_task_estimate", json!({ "minutes": 60 })),
        ("update_task_due_date", "set_task_due_date", json!({ "dueDate": "2026-05-01" })),
        ("update_task_priority", "set_task_priority", json!({ "priority": "P0" })),
        ("set_task_status", "update_task_status", json!({ "status": "GROOMED" })),
        (
            "add_multiple_checklist_items",
            "add_checklist_items",
            json!({ "items": [{ "title": "A" }] }),
        ),
    ];
    for (name, alias, args) in spellings {
        let made = |spelling: &str| {
            let world = World::new();
            let journal = world.rows(Db::Journal);
            let item = world.open(spelling, args.clone());
            assert_eq!(world.rows(Db::Journal), journal, "{spelling} wrote the journal");
            (item.tool, item.args, item.fingerprint)
        };
        assert_eq!(made(name), made(alias));
    }
    assert!(tools::by_name("Set_Task_Title").is_none(), "case is not guessed");
    assert!(tools::by_name("delete_task").is_none());
}
