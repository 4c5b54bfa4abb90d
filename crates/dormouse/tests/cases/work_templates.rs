//! Agent work and new agents follow templates, of the kind that fits.

use dormouse::dates::Wording;
use dormouse::{DrainScope, Error, NewTemplate, NewWork, TemplatePatch, WorkPatch};
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::FragmentKind;
use dormouse_types::template::TemplateKind;
use dormouse_types::{Scope, TemplateId, WorkId};
use serde_json::json;

use crate::world::{World, me, now, token};

fn made(world: &World, kind: TemplateKind, model: Option<&str>) -> TemplateId {
    let new = NewTemplate {
        name: format!("{kind} {}", model.unwrap_or_default()),
        kind,
        general_directive: "Be brief.".into(),
        report_directive: String::new(),
        model_id: model.map(str::to_owned),
        profile_id: None,
        category_ids: Vec::new(),
    };
    now(world.dormouse.create_template(&me(), new, None)).expect("a template").template.id
}

fn walk(template: &TemplateId) -> NewWork {
    NewWork {
        title: "Walk".into(),
        instructions: Some("Look around.".into()),
        template: Some(template.clone()),
        ..NewWork::default()
    }
}

fn create(world: &World, new: NewWork) -> Result<WorkId, Error> {
    now(world.dormouse.create_work(&me(), new, Wording::default(), None)).map(|work| work.id)
}

/// Runs what is due, and returns the rules in the prompt of the run.
fn rules(world: &World) -> String {
    world
        .script
        .push(Answer::calls([("finish", json!({ "outcome": "done", "summary": "Done." }))]));
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    let request = world.script.requests().pop().expect("a request");
    let system = request.fragments.into_iter().find(|one| one.kind == FragmentKind::System);
    system.expect("rules").text
}

#[test]
fn a_run_follows_the_active_version_of_its_template() {
    let world = World::new();
    let id = made(&world, TemplateKind::AgentWork, None);
    let plain = create(&world, NewWork { template: None, ..walk(&id) }).expect("work");
    let program = rules(&world);
    let work = create(&world, walk(&id)).expect("work");
    assert_eq!(now(world.dormouse.work(&me(), &work)).expect("work").template_id, Some(id.clone()));
    // An empty directive means the default of its kind, not that of task agents.
    let report = "Begin with the result in one or two sentences.";
    let expected = |general: &str| {
        format!(
            "{program}\n\n## Your Personality & Directives\n\n{general}\n\n## Report Format\n\n{report}"
        )
    };
    let first = rules(&world);
    assert!(first.starts_with(&expected("Be brief.")), "{first}");
    let patch =
        TemplatePatch { general_directive: Some("Be kind.".into()), ..TemplatePatch::default() };
    now(world.dormouse.edit_template(&me(), &id, patch, None, None)).expect("edited");
    now(world.dormouse.run_work(&me(), &work, None)).expect("requested");
    let second = rules(&world);
    assert!(second.starts_with(&expected("Be kind.")), "{second}");

    let edit = |work: &WorkId, template| {
        let patch = WorkPatch { template: Some(template), ..WorkPatch::default() };
        now(world.dormouse.edit_work(&me(), work, patch, Wording::default(), None)).expect("edited")
    };
    assert_eq!(edit(&plain, Some(id.clone())).template_id, Some(id.clone()));
    let refused = now(world.dormouse.delete_template(&me(), &id, None, None)).expect_err("in use");
    let expected =
        format!("2 pieces of agent work follow template {id}: assign another one to them");
    assert!(refused.to_string().contains(&expected), "{refused}");
    assert_eq!(refused.problem().kind.name(), "template-in-use");
    assert_eq!(edit(&plain, None).template_id, None);
    now(world.dormouse.archive_work(&me(), &work, None)).expect("archived");
    now(world.dormouse.delete_template(&me(), &id, None, None)).expect("nothing follows it");
}

#[test]
fn a_template_that_does_not_fit_is_refused_by_name() {
    let world = World::new();
    let refused = |template: &TemplateId, kind: &str, words: &str| {
        let error = create(&world, walk(template)).expect_err(words);
        assert_eq!(error.problem().kind.name(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains(&template.to_string()), "{error}");
    };
    let none: TemplateId = "at-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    refused(&none, "not-found", "there is no template");
    let of_agents = made(&world, TemplateKind::TaskAgent, None);
    refused(
        &of_agents,
        "template-state",
        "is of the kind taskAgent: only one of the kind agentWork",
    );
    let archived = made(&world, TemplateKind::AgentWork, None);
    let patch = TemplatePatch { is_archived: Some(true), ..TemplatePatch::default() };
    now(world.dormouse.edit_template(&me(), &archived, patch, None, None)).expect("archived");
    refused(&archived, "template-state", "is archived");
    assert!(
        now(world.dormouse.work_list(&me(), Default::default(), 9, None))
            .expect("a list")
            .items
            .is_empty()
    );

    // To follow one that names a model is to choose it.
    let editor = token(&[Scope::Read, Scope::Edit]);
    let with_model = made(&world, TemplateKind::AgentWork, Some("builtin"));
    let new = walk(&with_model);
    let error = now(world.dormouse.create_work(&editor, new, Wording::default(), None));
    assert_eq!(error.expect_err("a model").problem().kind.name(), "scope-missing");
}

#[test]
fn a_new_agent_follows_the_template_that_it_is_given() {
    let world = World::new();
    let (task, d, caller) = (world.task("Move"), &world.dormouse, me());
    let create = |template: &TemplateId| {
        now(d.create_agent_following(&caller, &task.id, None, Some(template.clone()), None))
    };
    let of_work = made(&world, TemplateKind::AgentWork, None);
    let refused = create(&of_work).expect_err("of another kind");
    assert!(refused.to_string().contains("only one of the kind taskAgent"), "{refused}");
    let fitting = made(&world, TemplateKind::TaskAgent, None);
    let agent = create(&fitting).expect("an agent");
    assert_eq!(agent.template_id, Some(fitting));
    let new = walk(&of_work);
    now(d.create_work(&caller, new, Wording::default(), None)).expect("work");
    let refused = now(d.delete_template(&caller, &of_work, None, None)).expect_err("in use");
    assert!(refused.to_string().starts_with("1 piece of agent work follows"), "{refused}");
}
