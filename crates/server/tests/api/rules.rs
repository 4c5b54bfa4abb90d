//! Rules and policies over the wire: what an agent may do, what it may not, and what verdicts speak for.

use serde_json::{Value, json};

use crate::world::{Answer, World};

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn refusal(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["type"].as_str().unwrap_or_default().replace("/problems/", ""))
}

/// A task with an agent that follows the template Calm: the ids of the two.
async fn with_agent(world: &World, note: &str) -> (String, String) {
    let task = json!({ "title": "Paint the fence", "note": note }).to_string();
    let task = text(&world.call("POST", "/api/journal/tasks", &task).await.json()["id"]);
    let agent = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await;
    (task, text(&agent.json()["id"]))
}

/// Templates that come with the program are written by the first start.
async fn calm(world: &World) -> String {
    world.dormouse().seed_templates().await.expect("seeded");
    let all = world.get("/api/templates").await.json();
    text(&all["items"][0]["id"])
}

async fn policy(world: &World, template: &str, n: i64, tool: &str, policy: &str) -> Answer {
    let path = format!("/api/templates/{template}/versions/{n}/tools/{tool}");
    world.call("PUT", &path, &json!({ "policy": policy }).to_string()).await
}

fn policy_of(detail: &Value, tool: &str) -> String {
    let tools = detail["tools"].as_array().expect("tools");
    text(&tools.iter().find(|one| one["tool"] == tool).expect("the tool")["policy"])
}

async fn proposals(world: &World, task: &str) -> Vec<Value> {
    let sets = world.get(&format!("/api/change-sets?task={task}")).await.json();
    let items = sets["items"].as_array().expect("sets").iter();
    items.flat_map(|set| set["items"].as_array().expect("items").clone()).collect()
}

const DUE: &str = "The deadline is 15 May 2027.";

/// Calls every operation on rules with success.
pub async fn everything(world: &World) {
    let template = calm(world).await;
    policy(world, &template, 1, "set_task_title", "forbid").await;
    let (task, _) = with_agent(world, "Nothing.").await;
    let body = json!({ "holder": task, "tool": "set_task_title" }).to_string();
    let made = world.call("POST", "/api/rules", &body).await;
    let path = format!("/api/rules/{}", text(&made.json()["id"]));
    assert_eq!((made.status, made.header("location")), (201, Some(path.as_str())));
    world.get("/api/rules").await;
    world.get(&format!("/api/rules/suggested?holder={task}")).await;
    world.get(&format!("{path}/held-back")).await;
    world.call("DELETE", &path, "").await;
}

#[tokio::test]
async fn a_tool_that_applies_by_itself_is_the_rules_decision_and_can_be_undone() {
    let world = World::new();
    let template = calm(&world).await;
    let set = policy(&world, &template, 1, "update_task_due_date", "auto").await;
    assert_eq!(set.status, 200, "{}", set.rendered());
    assert_eq!(policy_of(&set.json(), "update_task_due_date"), "auto");
    let (task, agent) = with_agent(&world, DUE).await;
    world.drain(&task).await;
    let read = world.get(&format!("/api/journal/tasks/{task}")).await.json();
    assert_eq!(read["dueOn"], "2027-05-15");
    let decisions = world.get(&format!("/api/agents/{agent}/decisions")).await.json();
    let [decision] = &decisions["items"].as_array().expect("decisions")[..] else {
        panic!("{decisions}")
    };
    let rules = world.get("/api/rules").await.json();
    assert_eq!(decision["byRule"], rules["items"][0]["id"]);
    assert_eq!(rules["items"][0]["effect"], "apply");

    let (set, index) = (text(&decision["changeSetId"]), &decision["itemIndex"]);
    let undo = format!("/api/change-sets/{set}/items/{index}/undo");
    let sets = world.get(&format!("/api/change-sets/{set}")).await.json();
    let body = json!({ "digest": sets["items"][0]["digest"] }).to_string();
    let undone = world.call("POST", &undo, &body).await;
    assert_eq!(undone.status, 200, "{}", undone.rendered());
    world.drain(&task).await;
    let read = world.get(&format!("/api/journal/tasks/{task}")).await.json();
    assert_eq!(read["dueOn"], Value::Null);
}

#[tokio::test]
async fn a_new_version_begins_without_what_applies_by_itself_and_keeps_what_is_forbidden() {
    let world = World::new();
    let template = calm(&world).await;
    policy(&world, &template, 1, "update_task_due_date", "auto").await;
    policy(&world, &template, 1, "set_task_title", "forbid").await;
    let path = format!("/api/templates/{template}");
    let edited = world.call("PATCH", &path, r#"{"generalDirective": "Be brief."}"#).await.json();
    assert_eq!(policy_of(&edited, "update_task_due_date"), "ask");
    assert_eq!(policy_of(&edited, "set_task_title"), "forbid");
    let back = world.call("POST", &format!("{path}/versions/1/activate"), "").await.json();
    assert_eq!(policy_of(&back, "update_task_due_date"), "ask");
    let old = policy(&world, &template, 2, "update_task_due_date", "auto").await;
    assert_eq!(refusal(&old), (409, "template-state".into()));
}

#[tokio::test]
async fn a_forbidden_tool_answers_the_model_and_leaves_a_row_of_the_audit_log() {
    let world = World::new();
    let template = calm(&world).await;
    policy(&world, &template, 1, "update_task_due_date", "forbid").await;
    let (task, _) = with_agent(&world, DUE).await;
    world.drain(&task).await;
    assert_eq!(proposals(&world, &task).await, Vec::<Value>::new());
    let audit = world.get("/api/audit").await.json();
    let rows = audit["items"].as_array().expect("rows").iter();
    let denied: Vec<&Value> = rows.filter(|row| row["action"] == "policyDenied").collect();
    assert_eq!(denied.len(), 1, "{audit}");
    assert_eq!(denied[0]["denied"]["what"], "update_task_due_date");
    assert_eq!(denied[0]["denied"]["reason"], "tool");
}

#[tokio::test]
async fn a_policy_that_means_nothing_is_refused_and_of_two_at_once_the_second() {
    let world = World::new();
    let template = calm(&world).await;
    let unknown = policy(&world, &template, 1, "delete_task", "forbid").await;
    assert_eq!(refusal(&unknown), (422, "validation-failed".into()));
    assert!(unknown.body.contains("there is no tool delete_task"), "{}", unknown.body);
    let outgoing = policy(&world, &template, 1, "start_agent_work", "auto").await;
    assert_eq!(refusal(&outgoing), (422, "validation-failed".into()));
    let odd = policy(&world, &template, 1, "set_task_title", "sometimes").await;
    assert_eq!(refusal(&odd), (422, "validation-failed".into()));

    let seen = world.get(&format!("/api/templates/{template}")).await;
    let etag = seen.header("etag").expect("a revision").to_owned();
    let path = format!("/api/templates/{template}/versions/1/tools/set_task_title");
    let send = async |policy: &str| {
        let body = json!({ "policy": policy }).to_string();
        world.call_with("PUT", &path, &body, &[("if-match", &etag)]).await
    };
    assert_eq!(send("auto").await.status, 200);
    assert_eq!(refusal(&send("forbid").await), (412, "precondition-failed".into()));
    let all = world.get(&format!("/api/templates/{template}")).await.json();
    assert_eq!(policy_of(&all, "set_task_title"), "auto");
}

#[tokio::test]
async fn a_rule_about_everything_a_deleted_task_or_an_unknown_tool_is_refused() {
    let world = World::new();
    let (task, _) = with_agent(&world, "Nothing.").await;
    let make = async |tool: &str| {
        let body = json!({ "holder": task, "tool": tool }).to_string();
        world.call("POST", "/api/rules", &body).await
    };
    let everything = make("everything").await;
    assert_eq!(refusal(&everything), (422, "validation-failed".into()));
    assert!(everything.body.contains("pause the agent"), "{}", everything.body);
    assert_eq!(refusal(&make("delete_task").await), (422, "validation-failed".into()));
    assert_eq!(make("set_task_title").await.status, 201);
    assert_eq!(refusal(&make("set_task_title").await), (409, "rule-exists".into()));
    world.call("DELETE", &format!("/api/journal/tasks/{task}"), "").await;
    assert_eq!(refusal(&make("update_task_priority").await), (409, "task-deleted".into()));
}

#[tokio::test]
async fn three_rejections_speak_for_a_rule_that_then_holds_back_the_fourth() {
    let world = World::new();
    let template = calm(&world).await;
    for n in 0..3 {
        let (task, _) = with_agent(&world, DUE).await;
        world.drain(&task).await;
        world.later(60);
        let item = proposals(&world, &task).await.remove(0);
        let at = format!("/api/change-sets/{}/items/{}", text(&item["set"]), item["index"]);
        let body = json!({ "digest": item["digest"], "reason": format!("reason {n}") });
        let rejected = world.call("POST", &format!("{at}/reject"), &body.to_string()).await;
        assert_eq!(rejected.status, 200, "{}", rejected.rendered());
    }
    let suggested = world.get(&format!("/api/rules/suggested?holder={template}")).await.json();
    let [one] = &suggested["items"].as_array().expect("rules")[..] else { panic!("{suggested}") };
    assert_eq!(
        (&one["tool"], &one["condition"]),
        (&json!("update_task_due_date"), &json!({ "type": "value", "class": "first" }))
    );
    assert_eq!(one["rejections"][0]["reason"], "reason 2", "a reason is shown");
    let decisions: Vec<&Value> = one["rejections"]
        .as_array()
        .expect("rejections")
        .iter()
        .map(|it| &it["decision"])
        .collect();
    assert_eq!(decisions.len(), 3);
    let body = json!({
        "holder": template, "tool": one["tool"], "condition": one["condition"], "decisions": decisions,
    });
    let made = world.call("POST", "/api/rules", &body.to_string()).await.json();
    let again = world.get(&format!("/api/rules/suggested?holder={template}")).await.json();
    assert_eq!(again["items"], json!([]), "it is not suggested twice");

    let (task, _) = with_agent(&world, DUE).await;
    world.drain(&task).await;
    assert_eq!(proposals(&world, &task).await, Vec::<Value>::new());
    let held = world.get(&format!("/api/rules/{}/held-back", text(&made["id"]))).await.json();
    assert_eq!(held["items"][0]["taskId"], task.as_str());
    assert_eq!(held["items"][0]["change"]["to"], json!({ "type": "day", "on": "2027-05-15" }));
    let rules = world.get(&format!("/api/rules?holder={template}")).await.json();
    assert_eq!(rules["items"][0]["nHeldBack"], 1);
}

/// A task with two items, the first of them ticked.
async fn checklist(world: &World) -> String {
    let (task, _) = with_agent(world, "Nothing.").await;
    for (title, is_checked) in [("Fold the shirts", true), ("Pack the charger", false)] {
        let path = format!("/api/journal/tasks/{task}/checklist-items");
        let made = world.call("POST", &path, &json!({ "title": title }).to_string()).await;
        assert_eq!(made.status, 201, "{}", made.rendered());
        if is_checked {
            let items = world.get(&format!("/api/journal/tasks/{task}")).await.json();
            let item = format!("{path}/{}", text(&items["items"][0]["id"]));
            world.call("PATCH", &item, r#"{"isChecked": true}"#).await;
        }
    }
    task
}

/// Switches on work that repeats a task, and runs it now: the id of the work.
async fn repeated(world: &World, action: &str, task: &str, by_rule: bool) -> String {
    let what = json!({ "action": action, "task": { "id": task, "name": "Paint the fence" } });
    let parameters = json!({ "kind": "repeat", "what": what, "byRule": by_rule });
    let body = json!({ "title": "Again", "schedule": "every day at 6", "parameters": parameters });
    let made = world.call("POST", "/api/tasks", &body.to_string()).await;
    assert_eq!(made.status, 201, "{}", made.rendered());
    let id = text(&made.json()["id"]);
    run(world, &id).await;
    id
}

async fn run(world: &World, work: &str) {
    let started = world.call("POST", &format!("/api/tasks/{work}/run"), "").await;
    assert!(started.status < 300, "{}", started.rendered());
    world.drain_all().await;
}

async fn ticked(world: &World, task: &str) -> usize {
    let read = world.get(&format!("/api/journal/tasks/{task}")).await.json();
    let items = read["items"].as_array().expect("items").iter();
    items.filter(|item| item["isChecked"] == true).count()
}

#[tokio::test]
async fn a_checklist_starts_over_by_the_rule_of_its_work_and_without_it_is_proposed() {
    let world = World::new();
    let task = checklist(&world).await;
    let work = repeated(&world, "reset", &task, true).await;
    assert_eq!(ticked(&world, &task).await, 0);
    let rules = world.get(&format!("/api/rules?holder={work}")).await.json();
    assert_eq!(rules["items"][0]["tool"], "update_checklist_item");
    let journal = world.get(&format!("/api/journal/tasks/{task}/decisions")).await.json();
    assert_eq!(journal["items"][0]["byRule"], rules["items"][0]["id"]);

    let what = json!({ "action": "reset", "task": { "id": task, "name": "Paint the fence" } });
    let asks = json!({ "parameters": { "kind": "repeat", "what": what, "byRule": false } });
    let edited = world.call("PATCH", &format!("/api/tasks/{work}"), &asks.to_string()).await;
    assert_eq!(edited.status, 200, "{}", edited.rendered());
    let rules = world.get(&format!("/api/rules?holder={work}")).await.json();
    assert_eq!(rules["items"], json!([]));
    let items = world.get(&format!("/api/journal/tasks/{task}")).await.json();
    let item = text(&items["items"][0]["id"]);
    let path = format!("/api/journal/tasks/{task}/checklist-items/{item}");
    world.call("PATCH", &path, r#"{"isChecked": true}"#).await;
    run(&world, &work).await;
    assert_eq!((ticked(&world, &task).await, proposals(&world, &task).await.len()), (1, 1));
}

#[tokio::test]
async fn a_task_is_made_again_by_rule_also_once_it_is_done_and_not_while_the_last_one_is_open() {
    let world = World::new();
    let task = checklist(&world).await;
    let path = format!("/api/journal/tasks/{task}");
    world.call("PATCH", &path, r#"{"status": "DONE"}"#).await;
    let work = repeated(&world, "copy", &task, true).await;
    let open = async || {
        let tasks = world.get("/api/journal/tasks?status=OPEN").await.json();
        tasks["items"].as_array().expect("tasks").clone()
    };
    let copies = open().await;
    let [copy] = &copies[..] else { panic!("{copies:#?}") };
    let copy = world.get(&format!("/api/journal/tasks/{}", text(&copy["id"]))).await.json();
    let titles: Vec<&Value> =
        copy["items"].as_array().expect("items").iter().map(|it| &it["title"]).collect();
    assert_eq!((&copy["title"], &copy["dueOn"]), (&json!("Paint the fence"), &json!("2026-03-02")));
    assert_eq!(titles, ["Fold the shirts", "Pack the charger"]);
    assert_eq!(ticked(&world, &text(&copy["id"])).await, 0);
    run(&world, &work).await;
    assert_eq!(open().await.len(), 1, "the one of last time is still open");
}

#[tokio::test]
async fn a_copy_without_a_rule_waits_for_the_person() {
    let world = World::new();
    let task = checklist(&world).await;
    repeated(&world, "copy", &task, false).await;
    let waiting = proposals(&world, &task).await;
    assert_eq!((waiting.len(), &waiting[0]["toolName"]), (1, &json!("copy_task")));
    let item = &waiting[0];
    let confirm =
        format!("/api/change-sets/{}/items/{}/confirm", text(&item["set"]), item["index"]);
    let body = json!({ "digest": item["digest"] }).to_string();
    let confirmed = world.call("POST", &confirm, &body).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.rendered());
    let tasks = world.get("/api/journal/tasks").await.json();
    assert_eq!(tasks["items"].as_array().map(Vec::len), Some(2));
}
