//! Verdicts over the wire: what was shown is what is applied.

use serde_json::{Value, json};

use crate::world::{Answer, World};

/// A task whose agent proposes a due date, an estimate and as many items as its note has boxes.
async fn proposed(boxes: usize) -> (World, String, Vec<Value>) {
    let world = World::new();
    let mut note = "The deadline is 15 May 2027. This will take about 2 hours.\n".to_owned();
    for n in 0..boxes {
        note.push_str(&format!("\n- [ ] step number {n}"));
    }
    let task = json!({"title": "Paint the fence", "note": note}).to_string();
    let task = world.call("POST", "/api/journal/tasks", &task).await.json();
    let id = task["id"].as_str().expect("an id").to_owned();
    world.call("POST", &format!("/api/journal/tasks/{id}/agent"), "{}").await;
    world.drain(&id).await;
    world.later(60);
    let sets = world.call("GET", "/api/change-sets", "").await.json();
    let items = sets["items"][0]["items"].as_array().expect("items").clone();
    assert_eq!(items.len(), 2 + boxes, "{items:#?}");
    (world, id, items)
}

fn body_of(items: &[Value]) -> String {
    let items = items.iter().map(|it| json!({"index": it["index"], "digest": it["digest"]}));
    json!({"items": items.collect::<Vec<_>>()}).to_string()
}

fn tool<'i>(items: &'i [Value], name: &str) -> &'i Value {
    items.iter().find(|item| item["toolName"] == name).expect("it is proposed")
}

fn at(item: &Value, rest: &str) -> String {
    let set = item["set"].as_str().expect("a set");
    match rest {
        "confirm-all" => format!("/api/change-sets/{set}/confirm-all"),
        verdict => format!("/api/change-sets/{set}/items/{}/{verdict}", item["index"]),
    }
}

fn refusal(answer: &Answer) -> (u16, String) {
    let problem = answer.json();
    (answer.status, problem["type"].as_str().unwrap_or_default().replace("/problems/", ""))
}

#[tokio::test]
async fn confirming_all_needs_a_list_of_what_was_shown() {
    let (world, _, items) = proposed(11).await;
    let address = at(&items[0], "confirm-all");
    let digests: Vec<&Value> = items.iter().map(|item| &item["digest"]).collect();
    for body in [
        String::new(),
        "{}".into(),
        "[]".into(),
        json!({"items": []}).to_string(),
        json!({"digests": digests}).to_string(),
        json!({"items": [{"index": 1}]}).to_string(),
        json!({"items": [{"index": 1, "digest": digests[0], "foo": 1}]}).to_string(),
        body_of(&items[..11]),
        body_of(&[items[0].clone(), items[0].clone()]),
    ] {
        let answer = world.call("POST", &address, &body).await;
        assert_eq!(refusal(&answer), (422, "validation-failed".into()), "{body}");
    }
    let set = world.call("GET", &address.replace("/confirm-all", ""), "").await.json();
    let statuses = set["items"].as_array().expect("items").iter();
    assert!(statuses.clone().all(|item| item["status"] == "pending"), "{set:#}");
}

#[tokio::test]
async fn what_nobody_listed_is_not_applied() {
    let (world, task, items) = proposed(13).await;
    let listed = &items[..10];
    for item in &items[..3] {
        let body = json!({"digest": item["digest"]}).to_string();
        assert_eq!(world.call("POST", &at(item, "reject"), &body).await.status, 200);
    }
    let answer = world.call("POST", &at(&items[0], "confirm-all"), &body_of(listed)).await.json();
    let results = answer["items"].as_array().expect("items");
    let applied: Vec<i64> = results
        .iter()
        .filter(|one| one["outcome"]["item"]["status"] == "confirmed")
        .filter_map(|one| one["index"].as_i64())
        .collect();
    assert_eq!(applied, [4, 5, 6, 7, 8, 9, 10]);
    for one in &results[..3] {
        assert_eq!(one["problem"]["type"], "/problems/already-decided", "{one:#}");
    }
    let changes = world.call("GET", &format!("/api/journal/tasks/{task}/changes"), "").await.json();
    let open: Vec<i64> = changes["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter_map(|item| item["index"].as_i64())
        .collect();
    assert_eq!(open, [11, 12, 13, 14, 15], "nobody saw them");
}

#[tokio::test]
async fn a_value_the_person_set_since_is_confirmed_over_only_where_it_is_named() {
    let (world, task, items) = proposed(0).await;
    let due = tool(&items, "update_task_due_date");
    let address = format!("/api/journal/tasks/{task}");
    world.call("PATCH", &address, r#"{"dueOn": "2027-03-03"}"#).await;
    let digest = &due["digest"];

    let all = world.call("POST", &at(due, "confirm-all"), &body_of(&items)).await.json();
    let left_out = all["items"].as_array().expect("items").iter();
    let left_out: Vec<&Value> = left_out.filter(|one| one["problem"].is_object()).collect();
    assert_eq!(left_out.len(), 1, "{all:#}");
    assert_eq!(left_out[0]["index"], due["index"]);
    assert_eq!(left_out[0]["problem"]["now"], "2027-03-03");

    let plain = json!({"digest": digest}).to_string();
    let other = json!({"digest": digest, "now": "2027-03-04"}).to_string();
    let none = json!({"digest": digest, "now": null}).to_string();
    for body in [&plain, &other, &none] {
        let answer = world.call("POST", &at(due, "confirm"), body).await;
        assert_eq!(refusal(&answer), (409, "value-changed".into()), "{body}");
        assert_eq!(answer.json()["now"], "2027-03-03");
    }
    let reason = json!({"digest": digest, "reason": "it is later"}).to_string();
    for verdict in ["confirm", "defer", "undo"] {
        let answer = world.call("POST", &at(due, verdict), &reason).await;
        assert_eq!(refusal(&answer), (422, "validation-failed".into()), "{verdict}");
        assert_eq!(answer.json()["errors"][0]["pointer"], "/reason");
    }
    let mut decision = json!({
        "set": due["set"], "index": due["index"], "verdict": "confirm", "digest": digest,
    });
    let decisions = format!("{address}/decisions");
    let results = world.call("POST", &decisions, &json!([decision]).to_string()).await.json();
    assert_eq!(results["items"][0]["problem"]["now"], "2027-03-03", "{results:#}");
    assert_eq!(world.call("GET", &address, "").await.json()["dueOn"], "2027-03-03");

    let both = json!({"digest": digest, "now": null, "current": null}).to_string();
    let answer = world.call("POST", &at(due, "confirm"), &both).await;
    assert_eq!(answer.json()["errors"][0]["pointer"], "/now", "{}", answer.rendered());
    let earlier = json!({"type": "day", "on": "2027-03-02"});
    let earlier = json!({"digest": digest, "current": earlier}).to_string();
    let answer = world.call("POST", &at(due, "confirm"), &earlier).await;
    assert_eq!(refusal(&answer), (409, "value-changed".into()), "{earlier}");
    decision["current"] = answer.json()["current"].clone();
    assert_eq!(decision["current"], json!({"type": "day", "on": "2027-03-03"}));
    let results = world.call("POST", &decisions, &json!([decision]).to_string()).await.json();
    assert_eq!(results["items"][0]["outcome"]["item"]["status"], "confirmed", "{results:#}");
    assert_eq!(world.call("GET", &address, "").await.json()["dueOn"], "2027-05-15");
    let reject = json!({"digest": digest, "now": null}).to_string();
    let answer = world.call("POST", &at(due, "reject"), &reject).await;
    assert_eq!(refusal(&answer).0, 422, "only a confirm names a value");
}

#[tokio::test]
async fn a_refused_decision_does_not_stop_the_rest_of_the_list() {
    let (world, task, items) = proposed(4).await;
    let steps: Vec<&Value> =
        items.iter().filter(|item| item["toolName"] == "add_checklist_item").collect();
    let task = format!("/api/journal/tasks/{task}");
    let titled = json!({"title": "Step number 1"}).to_string();
    world.call("POST", &format!("{task}/checklist-items"), &titled).await;
    let decision = |at: usize, verdict: &str, digest: &Value| {
        json!({
            "set": steps[at]["set"], "index": steps[at]["index"],
            "verdict": verdict, "digest": digest,
        })
    };
    let mut last = decision(3, "reject", &steps[3]["digest"]);
    last["reason"] = json!("not this");
    let list = json!([
        decision(0, "confirm", &steps[0]["digest"]),
        decision(1, "confirm", &steps[1]["digest"]),
        decision(2, "confirm", &steps[3]["digest"]),
        last,
    ]);
    let answer = world.call("POST", &format!("{task}/decisions"), &list.to_string()).await.json();
    let results: Vec<&str> = answer["items"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| {
            one["outcome"]["item"]["status"].as_str().or(one["problem"]["type"].as_str())
        })
        .collect();
    assert_eq!(
        results,
        ["confirmed", "/problems/change-retracted", "/problems/precondition-failed", "rejected"],
        "{answer:#}"
    );
    let items = world.call("GET", &task, "").await.json()["items"].clone();
    let titles: Vec<&Value> =
        items.as_array().into_iter().flatten().map(|item| &item["title"]).collect();
    assert_eq!(titles, ["Step number 1", "step number 0"]);
}

#[tokio::test]
async fn a_value_that_the_user_set_ends_its_proposal() {
    let (world, task, items) = proposed(0).await;
    let due = tool(&items, "update_task_due_date");
    world.call("PATCH", &format!("/api/journal/tasks/{task}"), r#"{"dueOn": "2027-03-03"}"#).await;
    let proposed_tools = |changes: Value| {
        let items = changes["items"].as_array().expect("items").iter();
        items.filter_map(|item| item["toolName"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let address = format!("/api/journal/tasks/{task}/changes");
    let before = proposed_tools(world.call("GET", &address, "").await.json());
    assert_eq!(before, ["update_task_estimate"]);
    let row = world.call("GET", "/api/journal/tasks", "").await.json();
    assert_eq!(row["items"][0]["openProposals"], 1);
    world.drain(&task).await;
    let body = json!({"digest": due["digest"]}).to_string();
    let answer = world.call("POST", &at(due, "confirm"), &body).await;
    assert_eq!(refusal(&answer), (409, "change-retracted".into()));
    let set =
        world.call("GET", &at(due, "confirm-all").replace("/confirm-all", ""), "").await.json();
    let gone = tool(set["items"].as_array().expect("items"), "update_task_due_date");
    assert_eq!(gone["error"], "you set this yourself after the text it is based on was written");
}

#[tokio::test]
async fn a_newer_sentence_replaces_what_an_older_one_proposed() {
    let (world, task, items) = proposed(0).await;
    let old = [tool(&items, "update_task_estimate"), tool(&items, "update_task_due_date")];
    let note =
        r#"{"text": "This will take about 3 hours now. The deadline moved to 6 June 2027."}"#;
    world.call("POST", &format!("/api/journal/tasks/{task}/entries"), note).await;
    world.drain(&task).await;
    let changes = world.call("GET", &format!("/api/journal/tasks/{task}/changes"), "").await.json();
    let changes = changes["items"].as_array().expect("items");
    let mut summaries: Vec<&str> =
        changes.iter().filter_map(|item| item["humanSummary"].as_str()).collect();
    summaries.sort_unstable();
    assert_eq!(summaries, ["Set due date to 2027-06-06", "Set time estimate to 3 hours"]);
    for item in old {
        let body = json!({"digest": item["digest"]}).to_string();
        let answer = world.call("POST", &at(item, "confirm"), &body).await;
        assert_eq!(refusal(&answer), (409, "change-retracted".into()));
    }
}

#[tokio::test]
async fn a_deleted_task_asks_nothing_and_its_proposals_come_back_with_it() {
    let (world, task, items) = proposed(0).await;
    let due = tool(&items, "update_task_due_date");
    let address = format!("/api/journal/tasks/{task}");
    world.call("DELETE", &address, "").await;
    let numbers = || async {
        let sets = world.call("GET", "/api/change-sets", "").await.json();
        let needs = world.call("GET", "/api/needs-attention", "").await.json();
        let overview = world.call("GET", "/api/overview", "").await.json();
        let n = |list: &Value| list["items"].as_array().map_or(0, Vec::len);
        (n(&sets), n(&needs), overview["openProposals"].as_i64())
    };
    assert_eq!(numbers().await, (0, 0, Some(0)));
    let body = json!({"digest": due["digest"]}).to_string();
    let answer = world.call("POST", &at(due, "confirm"), &body).await;
    assert_eq!(refusal(&answer), (409, "task-deleted".into()));
    // Eight days in the bin are no day of the seven.
    world.later(8 * 24 * 3600);
    world.call("POST", &format!("{address}/restore"), "").await;
    assert_eq!(numbers().await, (1, 1, Some(2)));
    assert_eq!(world.call("POST", &at(due, "confirm"), &body).await.status, 200);
}
