//! What a template means for the runs that follow it.

use std::collections::BTreeMap;

use dormouse_scheduler::End;
use dormouse_store::{Op, params};
use dormouse_types::TemplateId;
use dormouse_types::model::{Directives, FragmentData, FragmentKind};
use dormouse_types::port::Model as _;
use dormouse_work::WorkError;
use dormouse_work::definition::NewWork;
use dormouse_work::lifecycle::Edit;
use dormouse_work::templates::Followed;

use crate::world::{WS, World, finish, me, wait};

/// A template whose directives are its id; nothing has changed it.
fn template() -> Followed {
    let unchanged = Op::any("UPDATE work_definitions SET id = id WHERE ws = ?1", params![WS.0]);
    Followed { id: "at-00000000000000000000worker".parse().expect("an id"), guard: unchanged }
}

fn following(world: &World, title: &str) -> NewWork {
    NewWork { template: Some(template()), ..world.new_work(title, None) }
}

fn a_run_gets_the_rules_of_the_program_and_then_those_of_its_template(world: &World) {
    let without = world.create("Plain", None);
    world.script.push(finish("done", "Done."));
    world.drain();
    let rules = world.prompt(FragmentKind::System);
    let new = following(world, "Own voice");
    let work = wait(world.work.create(WS, &new, &me())).expect("it is created").definition;
    world.script.push(finish("done", "Done."));
    world.drain();
    let id = template().id;
    assert_eq!(world.prompt(FragmentKind::System), format!("{rules}\n\n{id}"));
    let directives = Directives { general: id.to_string(), report: String::new() };
    let fragments = world.last_request().fragments;
    let system = fragments.iter().find(|one| one.kind == FragmentKind::System).expect("rules");
    let FragmentData::Directives(shown_directives) = &system.data else {
        panic!("{:?}", system.data)
    };
    assert_eq!(*shown_directives, directives);

    let change = |work, template| {
        let edit = Edit { template: Some(template), ..Edit::default() };
        wait(world.work.edit(WS, work, &edit, &me())).expect("it is edited");
        world.script.push(finish("done", "Done."));
        wait(world.work.run_now(WS, work, &me())).expect("it runs");
        world.drain();
        world.prompt(FragmentKind::System)
    };
    assert_eq!(change(&work.id, None), rules);
    assert_eq!(change(&without, Some(template())), format!("{rules}\n\n{id}"));
}

fn a_model_of_its_own_goes_before_that_of_the_template_and_that_before_the_one_of_the_workspace(
    world: &World,
) {
    world.choose(Some("away/large"));
    let of_template = |model: &str| -> BTreeMap<Option<TemplateId>, String> {
        // The one without a template is that of task agents.
        BTreeMap::from([(Some(template().id), model.to_owned()), (None, "agents/large".to_owned())])
    };
    world.models.set_templates(of_template(world.script.name()));
    wait(world.work.create(WS, &following(world, "Template"), &me())).expect("it is created");
    world.script.push(finish("done", "Done."));
    assert_eq!(world.drain(), [End::Completed { cut: false }]);

    let model_of = |new: &NewWork| {
        wait(world.work.create(WS, new, &me())).expect("it is created");
        match &world.drain()[..] {
            [End::ProviderUnavailable { reason }] => reason.clone(),
            other => panic!("{other:?}"),
        }
    };
    let own = NewWork { model: Some("gone/large".into()), ..following(world, "Own") };
    assert!(model_of(&own).contains("gone/large"));
    world.models.set_templates(of_template("template/large"));
    assert!(model_of(&following(world, "Template")).contains("template/large"));
    assert!(model_of(&world.new_work("Workspace", None)).contains("away/large"));
}

fn what_needs_no_language_model_follows_no_template(world: &World) {
    let new = NewWork { template: Some(template()), ..world.new_built_in("Agenda", None) };
    let refused = wait(world.work.create(WS, &new, &me())).expect_err("nothing would follow it");
    assert!(matches!(refused, WorkError::NothingFollows { .. }), "{refused}");
    let new = world.new_built_in("Agenda", Some("daily at 9"));
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    let edit = Edit { template: Some(Some(template())), ..Edit::default() };
    let refused =
        wait(world.work.edit(WS, &id, &edit, &me())).expect_err("nothing would follow it");
    assert!(refused.to_string().contains("choose a model for it"), "{refused}");
}

each_engine! {
    a_run_gets_the_rules_of_the_program_and_then_those_of_its_template,
    a_model_of_its_own_goes_before_that_of_the_template_and_that_before_the_one_of_the_workspace,
    what_needs_no_language_model_follows_no_template,
}
