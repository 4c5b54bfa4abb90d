//! How a template does: wakes and decisions count for the version that was sent.

use dormouse::view::{Metrics, TemplateMetrics};
use dormouse::{AgentPatch, NewPolicy, TemplatePatch, Verdict};
use dormouse_testkit::scripted::Answer;
use dormouse_types::TemplateId;
use dormouse_types::model::ModelError;
use dormouse_types::rule::ToolPolicy;
use serde_json::{Value, json};

use crate::world::{World, me, now};

fn add(n: usize) -> (&'static str, Value) {
    let items: Vec<Value> = (0..n).map(|n| json!({ "title": format!("Item {n}") })).collect();
    ("add_multiple_checklist_items", json!({ "items": items }))
}

fn seeded() -> World {
    let world = World::new();
    now(world.dormouse.seed_templates()).expect("seeded");
    world
}

fn template(world: &World, name: &str) -> TemplateId {
    let all = now(world.dormouse.templates(&me())).expect("templates").items;
    all.into_iter().find(|one| one.display_name == name).expect("a template").id
}

fn metrics(world: &World, name: &str) -> TemplateMetrics {
    now(world.dormouse.template_metrics(&me(), &template(world, name))).expect("metrics")
}

/// (version, wakes, failed) of each version.
fn versions(metrics: &TemplateMetrics) -> Vec<(Option<i64>, i64, i64)> {
    let of = |of: &Metrics| (of.wakes, of.failed);
    let all = metrics.versions.iter().map(|one| (one.version, of(&one.metrics)));
    all.map(|(version, (wakes, failed))| (version, wakes, failed)).collect()
}

#[test]
fn wakes_and_decisions_count_for_the_version_that_was_sent() {
    let world = seeded();
    let (task, agent, items) = world.proposed(&[add(4)]);
    world.decide(&items[0], Verdict::Confirm);
    world.decide(&items[1], Verdict::Confirm);
    world.decide(&items[2], Verdict::Reject);
    world.decide(&items[3], Verdict::Defer);

    let patch =
        TemplatePatch { general_directive: Some("Be brief.".into()), ..TemplatePatch::default() };
    let calm = template(&world, "Calm");
    now(world.dormouse.edit_template(&me(), &calm, patch, None, None)).expect("edited");
    world.note(&task.id, "The van is booked.");
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.drain(&task.id);

    let before = metrics(&world, "Calm");
    assert_eq!(versions(&before), [(Some(2), 1, 1), (Some(1), 1, 0)]);
    let decisions = before.total.decisions.clone();
    let counts = (decisions.confirmed, decisions.rejected, decisions.deferred, decisions.expired);
    assert_eq!(counts, (2, 1, 1, 0));
    assert_eq!(decisions.confirm_rate, None, "too early to say");
    assert_eq!(before.versions[1].metrics.decisions, decisions);
    let tools: Vec<_> = before.tools.iter().map(|one| one.tool.as_str()).collect();
    assert_eq!(tools, ["add_checklist_item"]);
    assert_eq!(before.models.len(), 1);
    assert_eq!(before.weeks.last().map(|week| week.metrics.wakes), Some(2));
    let comparison = before.comparison.as_ref().expect("two versions were followed");
    assert_eq!((comparison.version, comparison.before), (2, 1));

    // What was done stays with the template that was followed then.
    let terse = template(&world, "Terse");
    let patch = AgentPatch { template: Some(Some(terse)), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &agent.id, patch, None)).expect("assigned");
    assert_eq!(metrics(&world, "Calm"), before);
    assert_eq!(versions(&metrics(&world, "Terse")), []);
}

#[test]
fn a_template_that_is_not_there_has_no_metrics() {
    let world = seeded();
    let none: TemplateId = "at-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let error = now(world.dormouse.template_metrics(&me(), &none)).expect_err("nothing");
    assert_eq!(error.problem().kind.name(), "not-found");
}

#[test]
fn what_is_applied_by_itself_is_no_decision() {
    let world = seeded();
    let calm = template(&world, "Calm");
    let policy =
        NewPolicy { version: 1, tool: "add_checklist_item".into(), policy: ToolPolicy::Auto };
    now(world.dormouse.set_tool_policy(&me(), &calm, policy, None, None)).expect("set");
    world.proposed(&[add(2)]);
    let decisions = metrics(&world, "Calm").total.decisions;
    assert_eq!((decisions.confirmed, decisions.by_rule), (0, 2));
}
