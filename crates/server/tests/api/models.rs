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
        ("&template=new&kind=agentWork".to_owned(), 0),
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
        (format!("&agent={agent}&work=new"), 422),
        (format!("&template={template}&version=1"), 422),
        (format!("&agent={agent}&for=summarising"), 422),
        ("&agent=ag-00000000000000000000000000".to_owned(), 404),
        ("&template=nobody".to_owned(), 404),
        ("&template=new&kind=poem".to_owned(), 422),
    ] {
        let answer = world.get(&format!("{path}{who}")).await;
        assert_eq!(answer.status, status, "{who}: {}", answer.body);
    }
}

#[tokio::test]
async fn the_question_about_a_provider_says_who_uses_it_and_where_requests_would_go() {
    let world = World::new();
    let task = world.task(r#"{"title": "Water butt"}"#).await;
    let made = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await.json();
    let agent = made["id"].as_str().expect("an agent has an id").to_owned();
    let path = "/api/models/providers/acme/question?format=chatCompletions";
    let moved = format!("{path}&baseUrl=https://b.example/v1&isOwn=false");
    assert_eq!(world.get(&moved).await.json()["isAgreed"], true, "nobody uses it");
    let own = r#"{"model": "acme/large"}"#;
    world.call("PATCH", &format!("/api/agents/{agent}"), own).await;
    let question = world.get(&moved).await.json();
    let said = ["isAgreed", "models", "agents", "sentTo", "uses"].map(|name| &question[name]);
    let expected = [
        json!(false),
        json!(["acme/large"]),
        json!(1),
        json!("https://b.example/v1"),
        json!(["wakes"]),
    ];
    assert_eq!(said, expected.each_ref());
    for wrong in ["&baseUrl=https://b.example/v1", "&baseUrl=x&isOwn=perhaps"] {
        assert_eq!(world.get(&format!("{path}{wrong}")).await.status, 422, "{wrong}");
    }
    let unknown =
        "/api/models/providers/acme/question?format=smoke&baseUrl=https://b/v1&isOwn=true";
    assert_eq!(world.get(unknown).await.status, 422);
}

#[tokio::test]
async fn the_question_finds_the_model_that_another_template_or_version_leads_to() {
    let world = World::new();
    let task = world.task(r#"{"title": "Water butt"}"#).await;
    let made = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await.json();
    let agent = made["id"].as_str().expect("an agent has an id").to_owned();
    let body = r#"{"name": "Short", "kind": "taskAgent"}"#;
    let template = world.call("POST", "/api/templates", body).await.json();
    let template = template["template"]["id"].as_str().expect("a template has an id").to_owned();
    let at = format!("/api/templates/{template}");
    for model in [r#"{"modelId": "acme/large"}"#, r#"{"modelId": null}"#] {
        assert_eq!(world.call("PATCH", &at, model).await.status, 200);
    }
    let question = |query: String| {
        let world = &world;
        async move {
            let answer = world.get(&format!("/api/models/question?{query}")).await;
            let body = answer.json();
            let field = |name: &str| body[name].clone();
            (answer.status, [field("id"), field("agents"), field("agentWork"), field("isAgreed")])
        }
    };
    let version = |n: u8| question(format!("template={template}&version={n}"));
    let moved = || question(format!("agent={agent}&template={template}"));
    let large = |agents: u8, work: u8| {
        (200, [json!("acme/large"), json!(agents), json!(work), json!(false)])
    };
    let here =
        |agents: u8, work: u8| (200, [json!("builtin"), json!(agents), json!(work), json!(true)]);
    assert_eq!(version(2).await, large(0, 0));
    assert_eq!((version(3).await, moved().await), (here(0, 0), here(1, 0)));
    let activate = format!("{at}/versions/2/activate");
    assert_eq!(world.call("POST", &activate, "{}").await.status, 200);
    assert_eq!(moved().await, large(1, 0));
    assert_eq!(question(format!("agent={agent}&template=none")).await, here(1, 0));
    assert_eq!(question(format!("agent={agent}&model=none")).await, here(1, 0));
    assert_eq!(question(format!("work=new&template={template}")).await, large(0, 1));
    assert_eq!(question("work=new&model=acme/large".to_owned()).await, large(0, 1));
    assert_eq!(question("work=new&model=none".to_owned()).await, here(0, 1));
    for (query, status) in [
        ("work=new".to_owned(), 422),
        (format!("agent={agent}"), 422),
        (format!("agent={agent}&version=1"), 422),
        (format!("template={template}&model=none"), 422),
        (format!("template={template}&version=9"), 404),
        ("work=wo-00000000000000000000000000&model=acme/large".to_owned(), 404),
    ] {
        assert_eq!(question(query.clone()).await.0, status, "{query}");
    }
}
