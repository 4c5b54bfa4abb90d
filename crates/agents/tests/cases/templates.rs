//! Templates: seeding, versions, and what their agents get of them.

use dormouse_agents::AgentError;
use dormouse_agents::lifecycle::AgentPatch;
use dormouse_agents::template::{NewTemplate, TemplateError, TemplatePatch, stock};
use dormouse_store::agent::entity::{self, Entity, Stored};
use dormouse_store::agent::template::{Template, TemplateVersion};
use dormouse_store::{Commit, Db, Query};
use dormouse_types::model::FragmentKind;
use dormouse_types::template::{TemplateKind, TemplateVersionStatus};
use dormouse_types::{Actor, TaskId, TemplateId};

use crate::world::{Agents, DONE, WS, World, me, now, report, text};

fn new(name: &str, general: &str) -> NewTemplate {
    NewTemplate {
        name: name.into(),
        kind: TemplateKind::TaskAgent,
        general_directive: general.into(),
        report_directive: String::new(),
        model_id: None,
        profile_id: None,
        category_ids: Vec::new(),
    }
}

fn made(world: &World, name: &str, general: &str) -> TemplateId {
    now(world.agents.create_template(WS, &new(name, general), &me())).expect("made")
}

fn says(general: &str) -> TemplatePatch {
    TemplatePatch { general_directive: Some(general.into()), ..TemplatePatch::default() }
}

fn edit(world: &World, id: &TemplateId, patch: &TemplatePatch) -> Result<(), AgentError> {
    now(world.agents.edit_template(WS, id, patch, None, &me()))
}

fn versions(world: &World, id: &TemplateId) -> Vec<TemplateVersion> {
    let all = now(world.store.all(entity::of_agent::<TemplateVersion>(WS, id, 100)));
    let mut all: Vec<_> = all.expect("versions").into_iter().map(|it| it.doc.value).collect();
    all.sort_by_key(|version| version.version);
    all
}

/// (number, status, general directive) of each version.
fn history(world: &World, id: &TemplateId) -> Vec<(i64, &'static str, String)> {
    let of = |version: TemplateVersion| {
        let status = version.status.known().expect("a known status").name();
        (version.version, status, version.general_directive)
    };
    versions(world, id).into_iter().map(of).collect()
}

fn assign(world: &World, task: &TaskId, id: Option<&TemplateId>) -> Result<(), AgentError> {
    let agent = now(world.agents.of_task(WS, task)).expect("readable").expect("an agent");
    let patch = AgentPatch { template: Some(id.cloned()), ..AgentPatch::default() };
    now(world.agents.configure(WS, &agent.doc.value.id, &patch, &me())).map(drop)
}

/// Lets the agent of a task run because of a note, and returns its system prompt.
fn prompted(world: &World, task: &TaskId) -> String {
    world.script.push(dormouse_testkit::scripted::Answer::calls([report("Quiet.", "Nothing.")]));
    world.note(task, "Something happened.");
    assert_eq!(world.ends(task), [DONE]);
    text(&world.last_request(), FragmentKind::System).expect("a system prompt")
}

fn rows(world: &World) -> Vec<String> {
    let sql = "SELECT id || ' ' || serialized || ' ' || clock_counter FROM agent_entities
               WHERE type LIKE 'agentTemplate%' ORDER BY id";
    let decode = |row: &dormouse_store::Row| Ok(row.text(0).expect("a row").to_owned());
    now(world.store.all(Query { db: Db::Agent, sql, params: Vec::new(), decode })).expect("rows")
}

fn seed(agents: &Agents) {
    now(agents.seed_templates(WS)).expect("seeded");
}

/// Writes the row of an entity as an older program left it.
fn write_text<T: Entity>(world: &World, value: &T, text: &'static str) {
    let commit = Commit::new("test", Db::Agent, WS).op(entity::insert(WS, value));
    now(world.store.commit(commit)).expect("committed");
    let id = value.columns().id;
    world.write_directly(
        Db::Agent,
        "UPDATE agent_entities SET serialized = ?1 WHERE id = ?2",
        dormouse_store::params![text, id],
    );
}

#[test]
fn a_start_seeds_once_and_a_second_node_finds_the_same() {
    let world = World::new();
    seed(&world.agents);
    let first = rows(&world);
    assert_eq!(first.len(), 2 * stock::ALL.len());
    world.later(60);
    seed(&world.agents);
    seed(&world.owned_by("other"));
    assert_eq!(rows(&world), first, "nothing is written the second time");
}

#[test]
fn two_nodes_that_seed_at_once_agree() {
    let (world, alone) = (World::new(), World::new());
    seed(&alone.agents);
    let other = world.owned_by("other");
    // The other node seeds at each point at which this one passes the store.
    let hooks = world.hooks.clone();
    hooks.before_commit("template.seed", move || seed(&other));
    seed(&world.agents);
    let strip = |rows: Vec<String>| -> Vec<String> {
        rows.into_iter().map(|row| row.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(strip(rows(&world)), strip(rows(&alone)));
}

#[test]
fn a_deleted_stock_template_stays_deleted() {
    let world = World::new();
    seed(&world.agents);
    let terse = stock::ALL[1].id();
    now(world.agents.delete_template(WS, &terse, None, "", &me())).expect("deleted");
    let before = rows(&world);
    seed(&world.agents);
    assert_eq!(rows(&world), before);
    let gone = now(world.agents.template(WS, &terse)).expect_err("deleted");
    assert!(matches!(gone, AgentError::Template(TemplateError::NotFound { .. })), "{gone}");
}

/// A template and a version as a program before the split wrote them, with a field that is unknown here.
const OLD_TEMPLATE: &str = r#"{"id":"at-000000000000000000000laura","agentId":"at-000000000000000000000laura","kind":"taskAgent","displayName":"Laura","modelId":"gone","categoryIds":[],"createdAt":"2026-01-02T03:04:05Z","updatedAt":"2026-01-02T03:04:05Z","vectorClock":null,"deletedAt":null}"#;
const OLD_VERSION: &str = r#"{"id":"av-000000000000000000000laura","agentId":"at-000000000000000000000laura","version":7,"status":"active","directives":"You are Laura, warm\u0021\n\nWrite the report in   verse.","authoredBy":"laura@example.org","createdAt":"2026-01-02T03:04:05Z","moods":[1.50]}"#;

fn old(world: &World) -> TemplateId {
    let template: Template = serde_json::from_str(OLD_TEMPLATE).expect("a template reads");
    let version: TemplateVersion = serde_json::from_str(OLD_VERSION).expect("a version reads");
    assert_eq!((version.general_directive.as_str(), version.report_directive.as_str()), ("", ""));
    write_text(world, &template, OLD_TEMPLATE);
    write_text(world, &version, OLD_VERSION);
    template.id
}

#[test]
fn a_version_of_the_older_shape_is_followed_as_it_is_and_then_filled_once() {
    let world = World::new();
    let task = world.task("Move", &["It began."]);
    world.create(&task);
    let id = old(&world);
    assign(&world, &task, Some(&id)).expect("assigned");
    let before = prompted(&world, &task);
    let legacy = "You are Laura, warm!\n\nWrite the report in   verse.\n\nCall update_report";
    assert!(before.contains(legacy), "{before}");
    seed(&world.agents);
    let row = rows(&world).into_iter().find(|row| row.starts_with("av-000000000000000000000laura"));
    let row = row.expect("the version");
    for part in [
        r#""version":7,"status":"active","directives":"You are Laura, warm!"#,
        r#"verse.","authoredBy":"laura@example.org","createdAt":"2026-01-02T03:04:05Z","moods":[1.50]"#,
    ] {
        assert!(row.contains(part) || row.replace("\\u0021", "!").contains(part), "{row}");
    }
    let after = prompted(&world, &task);
    assert!(after.contains("Personality:\n- You are Laura, warm!"), "{after}");
    assert!(!after.contains("verse"), "{after}");
    let rows_before = rows(&world);
    seed(&world.agents);
    assert_eq!(rows(&world), rows_before);
    // What a person blanks later stays blank, and means the default.
    edit(&world, &id, &says("")).expect("edited");
    let blanked = rows(&world);
    seed(&world.agents);
    assert_eq!(rows(&world), blanked);
    assert!(prompted(&world, &task).contains(stock::DEFAULT.general));
}

#[test]
fn another_active_version_counts_from_the_next_wake() {
    let world = World::new();
    let task = world.task("Move", &["It began."]);
    let agent = world.create(&task);
    assert!(prompted(&world, &task).contains(stock::DEFAULT.general), "without rows");
    seed(&world.agents);
    let id = made(&world, "Pirate", "Talk like a pirate.");
    assign(&world, &task, Some(&id)).expect("assigned");
    assert!(prompted(&world, &task).contains("Talk like a pirate."));
    edit(&world, &id, &says("Talk like a lawyer.")).expect("edited");
    assert!(prompted(&world, &task).contains("Talk like a lawyer."));
    now(world.agents.activate_template_version(WS, &id, 1, None, &me())).expect("activated");
    assert!(prompted(&world, &task).contains("Talk like a pirate."));
    let made_by = world.report(&agent).map(|report| report.provenance["templateVersion"].clone());
    let first = versions(&world, &id)[0].id.to_string();
    // The report did not change, so the one that stands is of the first version that said so.
    assert!(made_by.is_some_and(|version| version.is_null() || version == first.as_str()));
    assign(&world, &task, None).expect("assigned");
    assert!(prompted(&world, &task).contains(stock::DEFAULT.general));
}

#[test]
fn every_change_of_text_is_a_version_and_going_back_is_one_too() {
    let world = World::new();
    let id = made(&world, "Pirate", "Talk like a pirate.");
    edit(&world, &id, &says("Talk like a lawyer.")).expect("edited");
    edit(&world, &id, &says("Talk like a lawyer.")).expect("nothing to do");
    let draft = TemplatePatch { is_draft: true, ..says("Talk like a poet.") };
    edit(&world, &id, &draft).expect("a draft");
    let renamed = TemplatePatch { name: Some("Captain".into()), ..TemplatePatch::default() };
    edit(&world, &id, &renamed).expect("renamed");
    now(world.agents.roll_back_template(WS, &id, 1, None, &me())).expect("rolled back");
    let text = |text: &str| text.to_owned();
    assert_eq!(
        history(&world, &id),
        [
            (1, "archived", text("Talk like a pirate.")),
            (2, "archived", text("Talk like a lawyer.")),
            (3, "draft", text("Talk like a poet.")),
            (4, "active", text("Talk like a pirate.")),
        ]
    );
    for version in versions(&world, &id) {
        let (general, report) = (&version.general_directive, stock::DEFAULT.report);
        assert_eq!(version.directives, format!("{general}\n\n## Report Format\n\n{report}"));
        assert_eq!(version.authored_by, "owner");
    }
    let template = now(world.agents.template(WS, &id)).expect("there").doc.value;
    assert_eq!((template.display_name.as_str(), template.revision), ("Captain", 5));
}

#[test]
fn a_request_is_carried_out_once_and_only_on_the_revision_that_was_seen() {
    let world = World::new();
    let id = made(&world, "Pirate", "Talk like a pirate.");
    let keyed = |key: &str| {
        let key = Some(key.to_owned());
        dormouse_agents::lifecycle::RequestContext { actor: Actor::Owner, key }
    };
    let go = |text: &str, seen, key: &str| {
        now(world.agents.edit_template(WS, &id, &says(text), seen, &keyed(key)))
    };
    go("Two.", Some(1), "a").expect("edited");
    go("Two.", Some(1), "a").expect("the same request");
    assert_eq!(history(&world, &id).len(), 2);
    let stale = go("Three.", Some(1), "b").expect_err("it moved");
    let AgentError::Template(TemplateError::Changed { expected: 1, found: 2, .. }) = stale else {
        panic!("{stale}");
    };
    let reused = go("Three.", Some(2), "a").expect_err("another request");
    assert!(matches!(reused, AgentError::Reused { .. }), "{reused}");
}

#[test]
fn a_template_in_use_is_kept_and_the_default_one_always() {
    let world = World::new();
    seed(&world.agents);
    let (task, id) = (world.task("Move", &["It began."]), made(&world, "Pirate", "Arr."));
    let agent = world.create(&task);
    assign(&world, &task, Some(&id)).expect("assigned");
    let delete = |id: &TemplateId| now(world.agents.delete_template(WS, id, None, "", &me()));
    let refused = delete(&id).expect_err("in use");
    assert!(refused.to_string().starts_with("1 agent follows template"), "{refused}");
    let default = delete(&stock::DEFAULT.id()).expect_err("the default");
    assert!(matches!(default, AgentError::Template(TemplateError::IsDefault { .. })), "{default}");
    // Archived, it goes on for the agents that follow it, and gets no new ones.
    let archived = TemplatePatch { is_archived: Some(true), ..TemplatePatch::default() };
    edit(&world, &id, &archived).expect("archived");
    assert!(prompted(&world, &task).contains("Arr."));
    let other = world.task("Paint", &[]);
    world.create(&other);
    let refused = assign(&world, &other, Some(&id)).expect_err("archived");
    assert!(matches!(refused, AgentError::Template(TemplateError::Archived { .. })), "{refused}");
    now(world.agents.destroy(WS, &agent, &me())).expect("destroyed");
    delete(&id).expect("nobody follows it any more");
}

#[test]
fn texts_that_a_prompt_cannot_hold_are_refused() {
    let world = World::new();
    let id = made(&world, "Pirate", "Arr.");
    let before = rows(&world);
    let at_limit = "x".repeat(12 * 1024);
    for bad in [format!("{at_limit}y"), "a\u{7}b".into(), "see </ DATA> now".into()] {
        edit(&world, &id, &says(&bad)).expect_err("refused");
        now(world.agents.create_template(WS, &new("Bad", &bad), &me())).expect_err("refused");
    }
    let unnamed = TemplatePatch { name: Some("  ".into()), ..TemplatePatch::default() };
    edit(&world, &id, &unnamed).expect_err("refused");
    assert_eq!(rows(&world), before);
    edit(&world, &id, &says(&at_limit)).expect("at the limit");
}

#[test]
fn a_copy_begins_with_the_active_version() {
    let world = World::new();
    seed(&world.agents);
    let copy = now(world.agents.duplicate_template(WS, &stock::ALL[1].id(), None, &me()));
    let copy = copy.expect("copied");
    let template = now(world.agents.template(WS, &copy)).expect("there").doc.value;
    assert_eq!(template.display_name, "Terse copy");
    let versions = versions(&world, &copy);
    assert_eq!(versions.len(), 1);
    assert_eq!(versions[0].general_directive, stock::ALL[1].general);
    assert_eq!(versions[0].status, TemplateVersionStatus::Active);
}

#[test]
fn a_new_agent_follows_the_default_of_its_category() {
    let world = World::new();
    let home = now(world.journal.ensure_category(WS, "Home", &crate::world::person()));
    let home = home.expect("a category").id;
    let (first, second) = (made(&world, "One", "One."), made(&world, "Two", "Two."));
    let of_home =
        TemplatePatch { category_ids: Some(vec![home.clone()]), ..TemplatePatch::default() };
    edit(&world, &first, &of_home).expect("the default");
    edit(&world, &second, &of_home).expect("the default now");
    let categories = |id: &TemplateId| {
        let stored: Stored<Template> = now(world.agents.template(WS, id)).expect("there");
        stored.doc.value.category_ids
    };
    assert_eq!((categories(&first), categories(&second)), (Vec::new(), vec![home.clone()]));
    let task = world.task("Paint", &[]);
    world.edit(&task, &[dormouse_journal::Edit::Category(Some(home))]);
    let agent = world.create(&task);
    assert_eq!(world.agent_row(&agent).config.template_id, Some(second));
    let unknown = TemplatePatch {
        category_ids: Some(vec!["ct-00000000000000000000000001".parse().expect("an id")]),
        ..TemplatePatch::default()
    };
    edit(&world, &first, &unknown).expect_err("no such category");
}
