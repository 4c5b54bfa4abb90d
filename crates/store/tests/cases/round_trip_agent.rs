//! Every kind of agent entity: created, read, changed, listed, deleted.

use std::collections::BTreeMap;
use std::fmt::Debug;

use dormouse_store::agent::agent_entity::{
    self, Agent, Automation, Config, DormantReason, Lifecycle, ModelChoice, Slots, State,
};
use dormouse_store::agent::change_set::{ChangeSet, Decision, DecisionVerdict, Outcome, SetStatus};
use dormouse_store::agent::entity::{self, Entity};
use dormouse_store::agent::link::{self, Link};
use dormouse_store::agent::message::{self, Chain, Draft, Message, Metadata, Payload};
use dormouse_store::agent::report::{self, OwnAddress, Report, ReportHead};
use dormouse_store::agent::source::Source;
use dormouse_store::doc::Doc;
use dormouse_store::{Db, Refusal};
use dormouse_types::agent::{AgentKind, AgentLinkKind, AgentMode, MessageKind, ReportScope};
use dormouse_types::closed_list::Listed;
use dormouse_types::observation::{ObservationCategory, ObservationPriority};
use dormouse_types::{
    AgentId, CategoryId, Id as _, LinkId, TaskId, TemplateId, ThreadId, Timestamp, hash,
};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    agents,
    states,
    messages,
    payloads,
    reports,
    report_heads,
    change_sets,
    decisions,
    the_writer_signs_each_write,
    an_agent_is_found_by_its_task,
    an_agent_is_found_by_its_name_among_live_or_destroyed_ones,
    what_decides_the_model_of_an_agent_is_in_its_columns,
    a_thread_grows_at_its_end,
    messages_of_one_kind_are_listed,
    the_head_of_a_scope_is_one,
);

/// Takes one kind of entity through its life. `change` gives the value another state; `delete`
/// marks it as deleted.
fn check_life<T: Entity + Debug>(
    world: &World,
    value: &T,
    change: impl Fn(&mut T),
    delete: impl Fn(&mut T, Timestamp),
) {
    let id = value.columns().id;
    let holder = value.columns().holder;
    let read = || world.first(entity::by_id::<T>(WS, &id)).expect("the entity is there");

    world.agent([entity::insert(WS, value)]);
    assert_eq!(world.agent_refusal([entity::insert(WS, value)]), Refusal::Exists);
    assert_eq!(read().doc.value, *value);
    let columns = read().columns;
    assert_eq!(entity::Columns { clock: BTreeMap::new(), ..columns }, value.columns());
    assert!(world.first(entity::by_id::<T>(OTHER_WS, &id)).is_none());

    let Doc { value: changed, .. } = {
        let mut doc = read().doc;
        change(&mut doc.value);
        assert_ne!(doc.value, *value, "the test changes nothing");
        world.agent([entity::put(WS, &doc)]);
        doc
    };
    assert_eq!(read().doc.value, changed);
    let columns = read().columns;
    assert_eq!(entity::Columns { clock: BTreeMap::new(), ..columns }, changed.columns());

    let list = || -> Vec<T> {
        let rows = world.all(entity::of_kind::<T>(WS));
        rows.into_iter().map(|row| row.doc.value).collect()
    };
    let of_agent = || -> Vec<T> {
        let rows = world.all(entity::of_agent::<T>(WS, &holder, 9));
        rows.into_iter().map(|row| row.doc.value).collect()
    };
    assert_eq!(list(), std::slice::from_ref(&changed));
    assert_eq!(of_agent(), std::slice::from_ref(&changed));
    if let Some(task) = changed.columns().task {
        let rows = world.all(entity::of_task::<T>(WS, &task));
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].doc.value, changed);
    }

    let mut doc = read().doc;
    delete(&mut doc.value, at(900));
    world.agent([entity::put(WS, &doc)]);
    assert!(list().is_empty(), "a deleted entity is not listed");
    assert!(of_agent().is_empty(), "a deleted entity is not listed");
    assert_eq!(read().doc.value, doc.value, "its history stays");
    assert_eq!(read().columns.deleted_at, Some(at(900)));
}

pub fn agent(world: &World) -> Agent {
    let id: AgentId = world.id();
    let category: CategoryId = world.id();
    Agent {
        agent_id: id.clone(),
        id,
        kind: AgentKind::TaskAgent.into(),
        display_name: "Watch the \u{1F42D} \"move\"".into(),
        lifecycle: Lifecycle::Created,
        dormant_reason: None,
        mode: AgentMode::Autonomous.into(),
        allowed_category_ids: vec![category],
        current_state_id: world.id(),
        config: Config {
            automation: Automation::Off,
            by_name: true,
            model: Some("m".into()),
            wake_on_linked: true,
            template_id: None,
        },
        created_at: at(1),
        updated_at: at(1),
        deleted_at: None,
        destroyed_at: None,
    }
}

fn agents(world: &World) {
    let reasons = [
        DormantReason::Paused,
        DormantReason::Failures,
        DormantReason::TaskDeleted,
        DormantReason::Budget,
    ];
    for reason in reasons {
        let change = |agent: &mut Agent| {
            agent.lifecycle = Lifecycle::Dormant;
            agent.dormant_reason = Some(reason);
            agent.updated_at = at(5);
        };
        check_life(world, &agent(world), change, |agent, when| agent.deleted_at = Some(when));
    }
    for automation in [Automation::Auto, Automation::On, Automation::Off] {
        let config = Config { automation, ..Config::default() };
        let before = Agent { config, lifecycle: Lifecycle::Active, ..agent(world) };
        let change = |agent: &mut Agent| {
            agent.lifecycle = Lifecycle::Destroyed;
            agent.destroyed_at = Some(at(6));
        };
        check_life(world, &before, change, |agent, when| agent.deleted_at = Some(when));
    }
}

fn an_agent_is_found_by_its_name_among_live_or_destroyed_ones(world: &World) {
    let name = "50%_\\ \"Off\" Ünal K\u{212a}im İz";
    let live = Agent { display_name: name.into(), ..agent(world) };
    let destroyed = Agent {
        display_name: name.to_uppercase(),
        lifecycle: Lifecycle::Destroyed,
        ..agent(world)
    };
    let other = Agent { display_name: format!("x{name}"), ..agent(world) };
    world.agent([live.clone(), destroyed.clone(), other].map(|one| entity::insert(WS, &one)));
    let found = |name: &str, is_live, place: (Timestamp, &str)| -> Vec<AgentId> {
        let query = agent_entity::page_of_name(WS, &name.to_lowercase(), is_live, place, 9);
        let lines = world.all(query).into_iter();
        lines.map(|line| line.row.expect("an agent").doc.value.id).collect()
    };
    let start = (at(9), "~");
    assert_eq!(found(name, true, start), std::slice::from_ref(&live.id));
    assert_eq!(found(name, false, start), std::slice::from_ref(&destroyed.id));
    assert_eq!(found(name, true, (live.created_at, live.id.as_str())), []);
    assert_eq!(found("Off", true, start), [], "a part of a name is another name");
}

fn what_decides_the_model_of_an_agent_is_in_its_columns(world: &World) {
    let own = agent(world);
    let template: TemplateId = world.id();
    let config = Config { model: None, template_id: Some(template.clone()), ..Config::default() };
    let following = Agent { config, display_name: "\"model\":\"m\"".into(), ..agent(world) };
    let lifecycle = Lifecycle::Destroyed;
    let plain = Agent { config: Config::default(), lifecycle, ..agent(world) };
    let all = [own, following, plain];
    world.agent(all.iter().map(|one| entity::insert(WS, one)));
    let ids = all.each_ref().map(|one| one.id.clone());
    let mut choices = world.all(agent_entity::model_choices(WS, &ids));
    choices.sort_by_key(|choice| ids.iter().position(|id| *id == choice.id));
    let templates = [None, Some(template), None];
    let expected = ids.iter().zip(templates).zip([true, false, false]);
    let expected = expected.map(|((id, template), has_own)| ModelChoice {
        id: id.clone(),
        template: Ok(template),
        has_own,
    });
    assert_eq!(choices, expected.collect::<Vec<_>>());
    let mut places = world.all(agent_entity::places(WS, &ids.each_ref()));
    places.sort_by_key(|place| ids.iter().position(|id| *id == place.id));
    let places: Vec<_> = places.iter().map(|place| (place.created_at, place.is_live)).collect();
    assert_eq!(places, [(at(1), true), (at(1), true), (at(1), false)]);
}

fn states(world: &World) {
    let task: TaskId = world.id();
    let state = State {
        id: world.id(),
        agent_id: world.id(),
        revision: 0,
        slots: Slots { active_task_id: Some(task) },
        created_at: at(1),
        updated_at: at(1),
        last_wake_at: None,
        next_wake_at: None,
        sleep_until: None,
        recent_head_message_id: None,
        latest_summary_message_id: None,
        heard_upto: None,
        consecutive_failure_count: 0,
        processed_counter_by_host: BTreeMap::new(),
        deleted_at: None,
    };
    let (head, summary) = (world.id(), world.id());
    let change = |state: &mut State| {
        state.revision = 1;
        state.last_wake_at = Some(at(2));
        state.next_wake_at = Some(at(3));
        state.sleep_until = Some(at(4));
        state.recent_head_message_id = Some(world.id());
        state.latest_summary_message_id = Some(world.id());
        state.heard_upto = Some(7);
        state.consecutive_failure_count = 2;
        state.processed_counter_by_host = BTreeMap::from([("ho-1".into(), 7), ("ho-2".into(), 0)]);
    };
    check_life(world, &state, change, |state, when| state.deleted_at = Some(when));
    let full = State {
        id: world.id(),
        recent_head_message_id: Some(head),
        latest_summary_message_id: Some(summary),
        ..state
    };
    check_life(world, &full, change, |state, when| state.deleted_at = Some(when));
}

fn a_message(world: &World, kind: impl Into<Listed<MessageKind>>) -> Message {
    Message {
        id: world.id(),
        holder: world.id::<AgentId>().into(),
        thread_id: world.id(),
        kind: kind.into(),
        created_at: at(1),
        prev_message_id: Some(world.id()),
        content_entry_id: Some(world.id()),
        trigger_source_id: Some("su-1".into()),
        summary_start_message_id: Some(world.id()),
        summary_end_message_id: Some(world.id()),
        summary_depth: 2,
        tokens_approx: 12,
        metadata: Metadata {
            run_key: Some("run".into()),
            turn: Some(3),
            n: 4,
            tool_name: Some("update_report".into()),
            operation_id: Some("op".into()),
            refused: Some(true),
            priority: Some(ObservationPriority::Critical.into()),
            category: Some(ObservationCategory::Grievance.into()),
            lines: Some([1, 9]),
            depth: Some(2),
        },
        deleted_at: None,
    }
}

fn messages(world: &World) {
    let newer = Listed::Other("dream".to_owned());
    let kinds = MessageKind::ALL.iter().map(|kind| Listed::from(*kind)).chain([newer]);
    for kind in kinds {
        let change = |message: &mut Message| message.tokens_approx = 13;
        let delete = |message: &mut Message, when| message.deleted_at = Some(when);
        check_life(world, &a_message(world, kind), change, delete);
    }
}

fn payloads(world: &World) {
    let payload = Payload {
        id: world.id(),
        holder: world.id::<AgentId>().into(),
        created_at: at(1),
        content_type: "application/json".into(),
        spans: vec![hash::sha256("a"), hash::sha256("b")],
        deleted_at: None,
    };
    let change = |payload: &mut Payload| payload.spans.truncate(1);
    check_life(world, &payload, change, |payload, when| payload.deleted_at = Some(when));
}

fn a_report(world: &World, content: serde_json::Value) -> Report {
    Report {
        id: world.id(),
        agent_id: world.id(),
        scope: ReportScope::Current.into(),
        created_at: at(1),
        content,
        tldr: Some("Two of three are done.".into()),
        confidence: Some(0.75),
        own_addresses: vec![OwnAddress { address: "https://a.example/".into(), entry: world.id() }],
        sources: Some(vec![Source::Entry(world.id())]),
        provenance: serde_json::json!({"model": "builtin", "runKey": "k", "cost": 0.1}),
        deleted_at: None,
    }
}

fn reports(world: &World) {
    let shapes = [
        serde_json::json!("# Left\n- [ ] Call the \u{1F42D}\n"),
        serde_json::json!({"tldr": "old shape", "goal": ["a", {"b": 1}]}),
        serde_json::json!(""),
    ];
    for content in shapes {
        let change = |report: &mut Report| {
            report.tldr = None;
            report.confidence = None;
        };
        let delete = |report: &mut Report, when| report.deleted_at = Some(when);
        check_life(world, &a_report(world, content), change, delete);
    }
}

fn a_head(world: &World, agent: &AgentId, scope: &str) -> ReportHead {
    ReportHead {
        id: world.id(),
        agent_id: agent.clone(),
        scope: Listed::named(scope),
        report_id: world.id(),
        tldr: Some("All is well.".into()),
        created_at: at(1),
        updated_at: at(1),
        deleted_at: None,
    }
}

fn report_heads(world: &World) {
    let head = a_head(world, &world.id(), "current");
    let change = |head: &mut ReportHead| {
        head.report_id = world.id();
        head.updated_at = at(5);
    };
    check_life(world, &head, change, |head, when| head.deleted_at = Some(when));
}

fn change_sets(world: &World) {
    let statuses = [SetStatus::PartiallyResolved, SetStatus::Resolved, SetStatus::Expired];
    for status in statuses {
        let set = ChangeSet {
            id: world.id(),
            proposer: world.id::<AgentId>().into(),
            task_id: world.id(),
            thread_id: world.id(),
            run_key: "run".into(),
            made_of_private: true,
            status: SetStatus::Pending,
            created_at: at(1),
            updated_at: at(1),
            resolved_at: None,
            deleted_at: None,
        };
        let change = |set: &mut ChangeSet| {
            set.status = status;
            set.updated_at = at(4);
            set.resolved_at = Some(at(4));
        };
        check_life(world, &set, change, |set, when| set.deleted_at = Some(when));
    }
}

fn decisions(world: &World) {
    let verdicts = [
        (DecisionVerdict::Confirmed, Outcome::Applied),
        (DecisionVerdict::Rejected, Outcome::Failed),
        (DecisionVerdict::Deferred, Outcome::Retracted),
    ];
    for (verdict, outcome) in verdicts {
        let task: TaskId = world.id();
        let decision = Decision {
            id: world.id(),
            proposer: world.id::<AgentId>().into(),
            change_set_id: world.id(),
            item_index: 3,
            tool_name: "set_task_due_date".into(),
            args: serde_json::json!({"dueOn": "2026-02-01", "n": [1, 2.5, null]}),
            fingerprint: hash::sha256("f").0,
            verdict,
            outcome: Outcome::Applying,
            outcome_reason: None,
            task_id: Some(task),
            rejection_reason: Some("not now".into()),
            round: 0,
            with_item: Some(2),
            by_rule: Some(world.id()),
            created_at: at(1),
            updated_at: at(1),
            undone_at: None,
            deleted_at: None,
        };
        let change = |decision: &mut Decision| {
            decision.outcome = outcome;
            decision.outcome_reason = Some("it was there".into());
            decision.undone_at = Some(at(8));
            decision.updated_at = at(8);
        };
        check_life(world, &decision, change, |decision, when| decision.deleted_at = Some(when));
    }
}

fn the_writer_signs_each_write(world: &World) {
    let agent = agent(world);
    let read = || world.only(entity::by_id::<Agent>(WS, agent.id.as_ref_text()));
    let host = world.store.host(Db::Agent).to_string();
    let first = world.agent([entity::insert(WS, &agent)]).seq;
    assert_eq!(read().columns.clock, BTreeMap::from([(host.clone(), first.0)]));
    let second = world.agent([entity::put(WS, &read().doc)]).seq;
    assert_eq!(read().columns.clock, BTreeMap::from([(host, second.0)]));
}

/// Ids as text without the trait in scope at each place.
trait AsText {
    fn as_ref_text(&self) -> &str;
}

impl<T: dormouse_types::Id> AsText for T {
    fn as_ref_text(&self) -> &str {
        self.as_str()
    }
}

fn an_agent_is_found_by_its_task(world: &World) {
    let task: TaskId = world.id();
    let (old, new) = (agent(world), agent(world));
    for (agent, micros) in [(&old, 1), (&new, 2)] {
        let id: LinkId = world.id();
        let link = Link::new(id, &agent.id, &task, AgentLinkKind::Task, at(micros));
        world.agent([entity::insert(WS, agent), link::insert(WS, &link)]);
    }
    let found = |ws| -> Vec<AgentId> {
        let rows = world.all(agent_entity::of_task(ws, &task));
        rows.into_iter().map(|row| row.doc.value.id).collect()
    };
    assert_eq!(found(WS), [new.id.clone(), old.id.clone()]);
    assert_eq!(found(OTHER_WS), []);
    world.agent([link::delete_from(WS, new.id.as_ref_text(), AgentLinkKind::Task, at(3))]);
    assert_eq!(found(WS), std::slice::from_ref(&old.id));

    let own = agent_entity::own_subscription(&old.id);
    assert_eq!(own, agent_entity::own_subscription(&old.id));
    assert_ne!(own, agent_entity::own_subscription(&new.id));
}

fn a_thread_grows_at_its_end(world: &World) {
    let (agent, thread): (AgentId, ThreadId) = (world.id(), world.id());
    let entropy = dormouse_testkit::CountingEntropy::seeded(9);
    let mut chain = Chain::new(WS, agent.clone(), thread.clone(), Some("run".into()));
    let mut ids = Vec::new();
    // Two messages of one commit share time and counter; only `n` orders them.
    for commit in [vec!["first", "second"], vec!["third"]] {
        let mut ops = Vec::new();
        for content in commit {
            let draft = Draft {
                kind: MessageKind::Thought,
                content: content.into(),
                content_type: "text/markdown",
                trigger: None,
                metadata: Metadata::default(),
            };
            let (id, writes) = chain.append(draft, at(1), &entropy);
            ids.push(id);
            ops.extend(writes);
        }
        world.agent(ops);
    }

    let rows = world.all(message::of_thread(WS, &thread, 9));
    let thread_messages: Vec<Message> = rows.into_iter().map(|row| row.doc.value).collect();
    let read: Vec<_> = thread_messages
        .iter()
        .map(|message| (message.id.clone(), message.metadata.n, message.prev_message_id.clone()))
        .collect();
    let expected = [
        (ids[0].clone(), 1, None),
        (ids[1].clone(), 2, Some(ids[0].clone())),
        (ids[2].clone(), 3, Some(ids[1].clone())),
    ];
    assert_eq!(read, expected);
    let newest = world.only(message::newest(WS, &thread)).doc.value;
    assert_eq!(newest.id, ids[2]);

    // A chain rebuilt from the stored thread appends at the same place.
    let mut again = Chain::new(WS, agent, thread, Some("run".into()));
    thread_messages.iter().for_each(|message| again.follow(message));
    assert_eq!(again, chain);

    let last = thread_messages[2].clone();
    let payload = last.content_entry_id.clone().expect("a message has a payload");
    let stored = world.only(entity::by_id::<Payload>(WS, payload.as_ref_text())).doc.value;
    assert_eq!(stored.spans, [hash::sha256("third")]);
    let kinds: Vec<_> = world
        .all(link::from(WS, last.id.as_ref_text()))
        .into_iter()
        .map(|link| (link.kind, link.to_id))
        .collect();
    let expected = [
        (Listed::from(AgentLinkKind::MessagePayload), payload.to_string()),
        (Listed::from(AgentLinkKind::MessagePrev), ids[1].to_string()),
    ];
    assert_eq!(kinds, expected);
}

fn messages_of_one_kind_are_listed(world: &World) {
    let agent: AgentId = world.id();
    let of = |kind: MessageKind, micros| Message {
        holder: agent.clone().into(),
        created_at: at(micros),
        ..a_message(world, kind)
    };
    let notes = [
        of(MessageKind::Observation, 3),
        of(MessageKind::Observation, 1),
        of(MessageKind::Observation, 2),
    ];
    world.agent(notes.iter().map(|note| entity::insert(WS, note)));
    world.agent([
        entity::insert(WS, &of(MessageKind::User, 1)),
        entity::insert(WS, &a_message(world, MessageKind::Observation)),
    ]);
    let rows = world.all(message::of_kind(WS, &agent, MessageKind::Observation));
    let listed: Vec<Message> = rows.into_iter().map(|row| row.doc.value).collect();
    assert_eq!(listed, [notes[1].clone(), notes[2].clone(), notes[0].clone()]);
    assert_eq!(world.all(message::of_kind(OTHER_WS, &agent, MessageKind::Observation)).len(), 0);
}

fn the_head_of_a_scope_is_one(world: &World) {
    let agent: AgentId = world.id();
    let (current, other) = (a_head(world, &agent, "current"), a_head(world, &agent, "week"));
    world.agent([entity::insert(WS, &current), entity::insert(WS, &other)]);
    let head = |scope: &str| {
        world.first(report::head(WS, &agent, &Listed::named(scope))).map(|row| row.doc.value)
    };
    assert_eq!(head("current"), Some(current));
    assert_eq!(head("week"), Some(other));
    assert_eq!(head("year"), None);
}
