//! What a client can ask before it gives an agent or a template a model.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn the_question_names_the_agent_or_the_template_that_is_to_get_the_model() {
    let world = World::new();
    let task = world.task(r#"{"title": "Water butt"}"#).await;
    let made = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await.json();
    let agent = made["id"].as_str().expect("an agent has an id").to_owned();
    let other = world.task(r#"{"title": "Shed"}"#).await;
    world.call("POST", &format!("/api/journal/tasks/{other}/agent"), "{}").await;
    let body = r#"{"name": "Short", "kind": "taskAgent"}"#;
    let template = world.call("POST", "/api/templates", body).await.json();
    let template = template["template"]["id"].as_str().expect("a template has an id").to_owned();

    let path = "/api/models/question?model=acme/large";
    for (who, agents) in [
        (String::new(), 2),
        (format!("&agent={agent}"), 1),
        (format!("&template={template}"), 0),
        ("&template=new".to_owned(), 0),
    ] {
        let answer = world.get(&format!("{path}{who}")).await;
        assert_eq!(answer.status, 200, "{who}: {}", answer.body);
        let question = answer.json();
        assert_eq!(
            (&question["agents"], &question["isAgreed"]),
            (&json!(agents), &json!(false)),
            "{who}"
        );
        assert_eq!(question["sentTo"], "https://acme.example/v1", "{who}");
        assert!(
            question["sent"].as_array().is_some_and(|sent| !sent.is_empty()),
            "{who}: {question}"
        );
    }
    let here = world.get(&format!("/api/models/question?model=builtin&agent={agent}")).await.json();
    assert_eq!((&here["isAgreed"], &here["sentTo"]), (&json!(true), &json!("here")));

    for (who, status) in [
        (format!("&agent={agent}&template={template}"), 422),
        (format!("&agent={agent}&for=summarising"), 422),
        ("&agent=ag-00000000000000000000000000".to_owned(), 404),
        ("&template=nobody".to_owned(), 404),
    ] {
        let answer = world.get(&format!("{path}{who}")).await;
        assert_eq!(answer.status, status, "{who}: {}", answer.body);
    }
}
