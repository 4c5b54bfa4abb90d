//! Counts of how a template does: by week, version, model and tool.

use dormouse_store::Op;
use dormouse_store::agent::agent_entity::{Agent, Config};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{ChangeSet, Decision, DecisionVerdict, Outcome, SetStatus};
use dormouse_store::agent::entity;
use dormouse_store::agent::model_call::{self, NewCall};
use dormouse_store::agent::template::{SPLIT, TemplateVersion};
use dormouse_store::agent::template_metrics::{self, CallCost, Group, ItemCount, RunCount, Wanted};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_types::agent::{Initiator, WakeReason};
use dormouse_types::model::Usage;
use dormouse_types::spend::{Amount, CallStatus, Unit};
use dormouse_types::template::TemplateVersionStatus;
use dormouse_types::{
    AgentId, Fingerprint, OperationId, RunKey, Seq, TaskId, TemplateId, TemplateVersionId,
    Timestamp, hash,
};

use super::round_trip_agent::agent;
use crate::world::{WS, World, at};

each_engine!(
    runs_are_counted_by_the_version_they_were_sent,
    calls_are_added_up_by_the_run_that_made_them,
    proposals_are_counted_where_they_are_now,
    what_a_rule_confirmed_is_counted_apart,
);

const WEEKS: [i64; 3] = [100, 200, 300];

/// A template with two versions, and an agent that follows another one by now.
struct Followed {
    template: TemplateId,
    versions: [TemplateVersionId; 2],
    agent: AgentId,
}

fn followed(world: &World) -> Followed {
    let template: TemplateId = world.id();
    let versions: [TemplateVersionId; 2] = [world.id(), world.id()];
    let other: TemplateId = world.id();
    let moved = follower(world, Some(other));
    let rows = versions.iter().zip(1..).map(|(id, n)| version(id, &template, n));
    world.agent(rows.map(|row| entity::insert(WS, &row)));
    Followed { template, versions, agent: moved }
}

fn follower(world: &World, template_id: Option<TemplateId>) -> AgentId {
    let one = agent(world);
    let one = Agent { config: Config { template_id, ..one.config.clone() }, ..one };
    world.agent([entity::insert(WS, &one)]);
    one.id
}

fn version(id: &TemplateVersionId, template: &TemplateId, n: i64) -> TemplateVersion {
    TemplateVersion {
        id: id.clone(),
        agent_id: template.clone(),
        version: n,
        status: TemplateVersionStatus::Archived.into(),
        directives: String::new(),
        general_directive: String::new(),
        report_directive: String::new(),
        authored_by: "owner".into(),
        created_at: at(1),
        model_id: None,
        profile_id: None,
        schema_version: SPLIT,
        deleted_at: None,
    }
}

/// A run that ended, with the version that it was sent.
fn ran(
    world: &World,
    agent: &AgentId,
    version: Option<&TemplateVersionId>,
    (created_at, status): (i64, Status),
) -> Run {
    let key = RunKey(hash::sha256(world.id::<TaskId>().to_string()).0);
    let run = Run {
        key: key.clone(),
        holder: agent.into(),
        reason: WakeReason::Subscription.into(),
        reason_id: None,
        initiator: Initiator::Automation.into(),
        thread: world.id(),
        status: Status::Started,
        logical_change_key: None,
        processed: Seq(3),
        upto: Seq(7),
        heard_upto: Seq(0),
        epoch: 1,
        crashes: 0,
        model: Some("m".into()),
        cut: false,
        created_at: at(created_at),
        started_at: Some(at(created_at)),
        completed_at: None,
        error: None,
        failure: None,
        usage: Usage::default(),
    };
    let usage = Usage { input: 10, output: 2, ..Usage::default() };
    let mut ops = vec![wake_run::insert(WS, &run)];
    ops.extend(version.map(|version| wake_run::follow(WS, &key, version)));
    ops.push(wake_run::add_usage(WS, &key, &usage));
    ops.push(wake_run::finish(WS, &key, Status::Started, status, at(created_at), false, None));
    world.agent(ops);
    run
}

fn weeks() -> Vec<Timestamp> {
    WEEKS.iter().map(|week| at(*week)).collect()
}

fn group(week: usize, version: Option<&TemplateVersionId>) -> Group {
    Group { week, version: version.cloned(), model: Some("m".into()) }
}

fn sorted<T: std::fmt::Debug>(mut rows: Vec<T>) -> Vec<T> {
    rows.sort_by_key(|row| format!("{row:?}"));
    rows
}

fn runs_are_counted_by_the_version_they_were_sent(world: &World) {
    let Followed { template, versions: [first, second], agent } = followed(world);
    ran(world, &agent, Some(&first), (99, Status::Completed));
    ran(world, &agent, Some(&first), (100, Status::Completed));
    ran(world, &agent, Some(&first), (199, Status::Completed));
    ran(world, &agent, Some(&first), (200, Status::Failed));
    let cancelled = ran(world, &agent, Some(&second), (900, Status::Started));
    let failed = (Status::Started, Status::Failed);
    world.agent([wake_run::cancel(WS, &cancelled.key, failed.0, failed.1, at(901), "cancelled")]);
    // Whose version is not known counts for the template that its agent follows now.
    let without = follower(world, None);
    ran(world, &without, None, (300, Status::Completed));
    ran(world, &agent, None, (300, Status::Completed));
    let count = |group, status: Status, is_cancelled, n| RunCount {
        group,
        status: status.into(),
        is_cancelled,
        n,
        input_tokens: 10 * n,
        output_tokens: 2 * n,
    };
    let mut expected = vec![
        count(group(0, Some(&first)), Status::Completed, false, 2),
        count(group(1, Some(&first)), Status::Failed, false, 1),
        count(group(2, Some(&second)), Status::Failed, true, 1),
    ];
    let weeks = weeks();
    let wanted = Wanted { template: &template, is_default: false, weeks: &weeks };
    let counted = || sorted(world.all(template_metrics::runs(WS, &wanted)));
    assert_eq!(counted(), sorted(expected.clone()));
    let wanted = Wanted { is_default: true, ..wanted };
    expected.push(count(group(2, None), Status::Completed, false, 1));
    assert_eq!(sorted(world.all(template_metrics::runs(WS, &wanted))), sorted(expected));
}

fn calls_are_added_up_by_the_run_that_made_them(world: &World) {
    let Followed { template, versions: [first, _], agent } = followed(world);
    let run = ran(world, &agent, Some(&first), (250, Status::Completed));
    let call = |attempt| NewCall {
        run: run.key.clone(),
        turn: 1,
        attempt,
        holder: (&agent).into(),
        model: "summarises".into(),
        at: at(250),
        day: jiff::civil::date(2026, 1, 5),
        reserved: Amount { unit: Unit::MicroDollars, value: 70 },
    };
    world.agent([
        model_call::insert(WS, &call(1)),
        model_call::insert(WS, &call(2)),
        model_call::settle(WS, &call(1), CallStatus::Settled, 5, None),
    ]);
    let weeks = weeks();
    let wanted = Wanted { template: &template, is_default: false, weeks: &weeks };
    let unit = Unit::MicroDollars.into();
    let expected = CallCost { group: group(1, Some(&first)), unit, calls: 2, cost: 75 };
    assert_eq!(world.all(template_metrics::cost(WS, &wanted)), [expected]);
}

/// A proposal of a run, moved to a state at a time.
fn proposed(world: &World, agent: &AgentId, run: &Run, to: State, decided_at: i64) -> Item {
    let set = ChangeSet {
        id: world.id(),
        proposer: agent.into(),
        task_id: world.id(),
        thread_id: run.thread.clone(),
        run_key: run.key.to_string(),
        made_of_private: false,
        status: SetStatus::Pending,
        created_at: at(50),
        updated_at: at(50),
        resolved_at: None,
        deleted_at: None,
    };
    let item = Item {
        set: set.id.clone(),
        index: 12,
        task: set.task_id.clone(),
        proposer: agent.into(),
        tool: "set_task_title".into(),
        args: "{}".into(),
        fingerprint: Fingerprint(hash::sha256(set.id.to_string()).0),
        evidence: None,
        rationale: None,
        change: None,
        before: None,
        state: State::Pending,
        round: 0,
        operation: OperationId(hash::sha256(format!("{}|0", set.id)).0),
        error: None,
        shown_at: None,
        created_at: at(50),
        decided_at: None,
    };
    let to = change_item::transition(WS, &item, to, None, None, at(decided_at));
    world.agent([entity::insert(WS, &set), change_item::insert(WS, &item), to]);
    item
}

fn item_count(group: Group, state: State, is_by_rule: bool, n: i64) -> ItemCount {
    ItemCount { group, tool: "set_task_title".into(), state: state.into(), is_by_rule, n }
}

fn proposals_are_counted_where_they_are_now(world: &World) {
    let Followed { template, versions: [first, second], agent } = followed(world);
    let (early, late) = (
        ran(world, &agent, Some(&first), (50, Status::Completed)),
        ran(world, &agent, Some(&second), (250, Status::Completed)),
    );
    proposed(world, &agent, &early, State::Confirmed, 99);
    proposed(world, &agent, &early, State::Confirmed, 150);
    proposed(world, &agent, &early, State::Rejected, 150);
    proposed(world, &agent, &late, State::Rejected, 350);
    proposed(world, &agent, &late, State::Rejected, 360);
    proposed(world, &agent, &late, State::Deferred, 360);
    proposed(world, &agent, &late, State::Expired, 360);
    proposed(world, &agent, &late, State::Retracted, 360);
    let unknown = ran(world, &agent, None, (250, Status::Completed));
    proposed(world, &agent, &unknown, State::Confirmed, 360);
    let weeks = weeks();
    let wanted = Wanted { template: &template, is_default: true, weeks: &weeks };
    let expected = vec![
        item_count(group(0, Some(&first)), State::Confirmed, false, 1),
        item_count(group(0, Some(&first)), State::Rejected, false, 1),
        item_count(group(2, Some(&second)), State::Rejected, false, 2),
        item_count(group(2, Some(&second)), State::Deferred, false, 1),
        item_count(group(2, Some(&second)), State::Expired, false, 1),
    ];
    assert_eq!(sorted(world.all(template_metrics::items(WS, &wanted))), sorted(expected));
    let follower = follower(world, None);
    let unknown = ran(world, &follower, None, (250, Status::Completed));
    proposed(world, &follower, &unknown, State::Confirmed, 360);
    let counted = world.all(template_metrics::items(WS, &wanted));
    assert!(counted.contains(&item_count(group(2, None), State::Confirmed, false, 1)));
}

fn what_a_rule_confirmed_is_counted_apart(world: &World) {
    let Followed { template, versions: [first, _], agent } = followed(world);
    let run = ran(world, &agent, Some(&first), (250, Status::Completed));
    let decision = |item: &Item, by_rule| -> Op {
        let decision = Decision {
            id: world.id(),
            proposer: item.proposer.clone(),
            change_set_id: item.set.clone(),
            item_index: item.index,
            tool_name: item.tool.clone(),
            args: serde_json::json!({ "title": "\"byRule\":\"x\",\"round\":0," }),
            fingerprint: item.fingerprint.to_string(),
            verdict: DecisionVerdict::Confirmed,
            outcome: Outcome::Applied,
            outcome_reason: None,
            task_id: Some(item.task.clone()),
            rejection_reason: None,
            with_item: None,
            by_rule,
            round: item.round,
            created_at: at(250),
            updated_at: at(250),
            undone_at: None,
            deleted_at: None,
        };
        entity::insert(WS, &decision)
    };
    let by_rule = proposed(world, &agent, &run, State::Confirmed, 260);
    let by_person = proposed(world, &agent, &run, State::Confirmed, 260);
    let rejected = proposed(world, &agent, &run, State::Rejected, 260);
    world.agent([
        decision(&by_rule, Some(world.id())),
        decision(&by_person, None),
        decision(&rejected, Some(world.id())),
    ]);
    let weeks = weeks();
    let wanted = Wanted { template: &template, is_default: false, weeks: &weeks };
    let expected = vec![
        item_count(group(1, Some(&first)), State::Confirmed, true, 1),
        item_count(group(1, Some(&first)), State::Confirmed, false, 1),
        item_count(group(1, Some(&first)), State::Rejected, false, 1),
    ];
    assert_eq!(sorted(world.all(template_metrics::items(WS, &wanted))), sorted(expected));
}
