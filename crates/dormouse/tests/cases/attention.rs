//! What waits for the person, and the proposals about a task as a person reads them.

use dormouse::dates::Wording;
use dormouse::view::{Attention, AttentionAction, AttentionKind};
use dormouse::{AttentionFilter, DrainScope, NewWork, Verdict, WORKSPACE};
use dormouse_store::{Commit, Db, Op};
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::Lifecycle;
use dormouse_types::model::{ModelError, ProviderUnavailable};
use dormouse_types::port::Clock as _;
use dormouse_types::work_kind::{Agenda, WorkParameters};
use serde_json::json;

use crate::world::{World, me, now, slug};

const DAY: u64 = 24 * 3600;

fn waits(world: &World) -> Vec<Attention> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        // Page by page, so that the pages are tried as well.
        let page = now(world.dormouse.attention_list(
            &me(),
            AttentionFilter::default(),
            1,
            cursor.as_deref(),
        ));
        let page = page.expect("a page");
        all.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            let whole =
                now(world.dormouse.attention_list(&me(), AttentionFilter::default(), 200, None))
                    .expect("a page");
            assert_eq!(whole.items, all);
            return all;
        }
    }
}

fn brief(all: &[Attention]) -> Vec<(&str, Option<usize>, &str)> {
    all.iter().map(|one| (one.cause.kind().name(), one.cause.count(), one.text.as_str())).collect()
}

#[test]
fn proposals_wait_until_they_are_decided_or_put_off_and_again_before_they_expire() {
    let world = World::new();
    assert_eq!(waits(&world), []);
    let calls = [
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("update_task_priority", json!({ "priority": "P1" })),
    ];
    let (task, agent, items) = world.proposed(&calls);
    let name = &agent.display_name;
    let all = waits(&world);
    assert_eq!(brief(&all), [("changes", Some(2), format!("{name} suggests 2 changes").as_str())]);
    let one = &all[0];
    assert_eq!((&one.task_id, &one.agent_id), (&Some(task.id.clone()), &Some(agent.id.clone())));
    assert_eq!(one.task_title.as_deref(), Some("Move to the new flat"));
    assert_eq!(one.actions, [AttentionAction::Review]);

    world.decide(&items[0], Verdict::Defer);
    assert_eq!(brief(&waits(&world))[0].1, Some(1), "what was put off does not ask again");
    let changes = now(world.dormouse.task_changes(&me(), &task.id)).expect("changes");
    let order: Vec<_> = changes.iter().map(|it| (it.item.index, it.item.status.name())).collect();
    assert_eq!(order, [(2, "pending"), (1, "deferred")]);
    assert!(changes.iter().all(|it| it.agent_name.as_ref() == Some(name) && it.run_key.is_some()));

    world.later(6 * DAY + 60);
    let text = format!("2 changes of {name} expire soon");
    assert_eq!(brief(&waits(&world)), [("expiring", Some(2), text.as_str())]);
    world.decide(&items[0], Verdict::Reject);
    world.decide(&items[1], Verdict::Reject);
    assert_eq!(waits(&world), []);
    let changes = now(world.dormouse.task_changes(&me(), &task.id)).expect("changes");
    assert!(changes.is_empty());
}

#[test]
fn removals_are_distinguished_from_additions_and_settings() {
    let world = World::new();
    let (task, agent, items) = world.proposed(&[(
        "add_checklist_items",
        json!({ "items": [{ "title": "Sell the old sofa" }, { "title": "Order boxes" }] }),
    )]);
    let listed = || {
        let changes = now(world.dormouse.task_changes(&me(), &task.id)).expect("changes");
        assert!(changes.iter().all(|it| it.agent_id.as_ref() == Some(&agent.id)));
        let listed = changes.into_iter().map(|it| (it.item.human_summary, it.is_destructive));
        listed.collect::<Vec<_>>()
    };
    assert_eq!(listed().iter().map(|it| it.1).collect::<Vec<_>>(), [false, false]);
    world.decide(&items[0], Verdict::Confirm);
    world.decide(&items[1], Verdict::Confirm);
    let task = world.fresh(&task.id);
    let ids: Vec<_> = task.items.iter().map(|it| &it.id).collect();
    let [.., sofa, boxes] = ids[..] else { panic!("two more items: {ids:?}") };
    world.answer(&[(
        "update_checklist_items",
        json!({ "items": [{ "id": sofa, "isArchived": true }, { "id": boxes, "isChecked": true }] }),
    )]);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    world.drain(&task.id);
    let all = [("Archive \"Sell the old sofa\"", true), ("Tick \"Order boxes\"", false)];
    assert_eq!(listed(), all.map(|(summary, is)| (summary.to_owned(), is)));

    let open = now(world.dormouse.task_changes(&me(), &task.id)).expect("changes");
    let open: Vec<_> = open.into_iter().map(|change| change.item).collect();
    let done = world.confirm_all(&open);
    let listed: Vec<_> =
        done.iter().map(|one| one.as_ref().map_or_else(|e| slug(e).0, |_| "")).collect();
    assert_eq!(listed, ["confirm-alone", ""]);
    let listed = now(world.dormouse.task_changes(&me(), &task.id)).expect("changes");
    assert_eq!(listed.len(), 1, "what takes something away is confirmed by itself");
}

#[test]
fn a_failed_run_waits_until_one_succeeds_and_what_expires_comes_last() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    world.later(6 * DAY + 3600);
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    world.drain(&task.id);
    let all = waits(&world);
    assert_eq!(
        all.iter().map(|one| one.cause.kind().name()).collect::<Vec<_>>(),
        ["runFailed", "expiring"]
    );
    assert_eq!(all[0].agent_id, Some(agent.id.clone()));
    assert_eq!(all[0].task_title.as_deref(), Some("Move to the new flat"));
    assert!(all[0].text.contains("too long"), "{}", all[0].text);
    world.later(3600);
    world.answer(&[]);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    world.drain(&task.id);
    assert!(waits(&world).iter().all(|one| one.cause.kind() != AttentionKind::RunFailed));
}

/// A provider that refuses, for agents of two tasks; then it answers again.
#[test]
fn a_provider_that_fails_is_listed_once_with_what_to_do_until_it_answers_again() {
    let key = "the provider does not accept the key; enter a valid one";
    let outage = "503 from the other end";
    for (why, kind, said, to_do) in [
        (ProviderUnavailable::Authentication, AttentionKind::ModelSetup, key, "enter a valid one"),
        (ProviderUnavailable::Outage, AttentionKind::Provider, outage, "choose another model if"),
    ] {
        let world = World::new();
        let tasks = ["Move to the new flat", "Sell the old flat"].map(|title| world.task(title).id);
        for task in &tasks {
            world.agent(task);
        }
        let fails = || {
            let (provider, detail) = ("script".to_owned(), said.to_owned());
            Answer::Fails(ModelError::Provider { provider, why, detail, retry_after: None })
        };
        let of_provider = || {
            let all = waits(&world).into_iter();
            all.filter(|one| one.id.starts_with("provider:")).collect::<Vec<_>>()
        };
        let mut drains = 0;
        while of_provider().is_empty() {
            drains += 1;
            assert!(drains < 10, "{why:?}: nothing is listed");
            world.later(11);
            for task in &tasks {
                // A run that is tried again gets the answer that it got.
                if drains == 1 {
                    world.script.push(fails());
                }
                world.drain(task);
            }
        }
        let all = of_provider();
        let [one] = &all[..] else { panic!("{why:?}: {all:?}") };
        assert_eq!((one.id.as_str(), one.cause.kind()), ("provider:script", kind), "{why:?}");
        assert_eq!(one.actions, [AttentionAction::Open], "{why:?}");
        assert_eq!((&one.agent_id, &one.task_id), (&None, &None), "it is about no agent");
        for says in ["script", said, to_do] {
            assert!(one.text.contains(says), "{why:?}: no {says:?} in {}", one.text);
        }

        // The runs that failed would fail again, and a failure may be left, so other agents find out.
        for title in ["Buy a house", "Sell the car", "Paint the hall"] {
            world.later(3600);
            let other = world.task(title).id;
            world.agent(&other);
            world.answer(&[]);
            world.drain(&other);
        }
        assert_eq!(of_provider(), [], "{why:?}: it answered");
    }
}

#[test]
fn an_agent_that_stopped_waits_until_it_is_resumed() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    for _ in 0..5 {
        world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
        world.later(DAY);
        now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
        world.drain(&task.id);
    }
    assert_eq!(world.fresh_agent(&agent.id).lifecycle, Lifecycle::Dormant);
    let all = waits(&world);
    let text = format!("{} stopped: 5 runs failed in a row", agent.display_name);
    assert_eq!(brief(&all), [("agentDormant", None, text.as_str())]);
    assert_eq!(all[0].actions, [AttentionAction::Resume, AttentionAction::Open]);
    now(world.dormouse.resume_agent(&me(), &agent.id, None)).expect("resumed");
    assert!(waits(&world).iter().all(|one| one.cause.kind() != AttentionKind::AgentDormant));
}

#[test]
fn the_latest_report_of_each_agent_is_listed_newest_first() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let recent = || now(world.dormouse.recent_reports(&me(), 9, None)).expect("a page").items;
    let other = world.task("Paint the fence");
    let painter = world.agent(&other.id);
    world.answer(&[]);
    world.drain(&other.id);
    let shown = || {
        let rows = recent().into_iter();
        rows.map(|row| (row.report.agent_id, row.task_title.unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let (old, new) = (
        (agent.id.clone(), "Move to the new flat".to_owned()),
        (painter.id, "Paint the fence".to_owned()),
    );
    assert_eq!(shown(), [new.clone(), old.clone()]);
    let first = now(world.dormouse.recent_reports(&me(), 1, None)).expect("a page");
    let second = now(world.dormouse.recent_reports(&me(), 1, first.next_cursor.as_deref()));
    assert_eq!(second.expect("a page").items[0].report.agent_id, agent.id);
    world.note(&task.id, "The van is booked.");
    let report = json!({ "tldr": "The van is booked.", "content": "Nothing else." });
    world.script.push(Answer::calls([("update_report", report)]));
    world.later(3600);
    world.drain(&task.id);
    assert_eq!(shown(), [old, new]);
    assert_eq!(recent()[0].report.tldr.as_deref(), Some("The van is booked."));
    now(world.dormouse.destroy_agent(&me(), &agent.id, None)).expect("destroyed");
    assert_eq!(shown().len(), 1, "an agent that is over has nothing new to say");
}

/// The kind, the object and the actions of what needs the person.
fn work_waits(world: &World) -> Vec<(AttentionKind, String, Vec<AttentionAction>)> {
    let filter = AttentionFilter { is_work: true, ..AttentionFilter::default() };
    let page = now(world.dormouse.attention_list(&me(), filter, 9, None)).expect("a page");
    assert_eq!(page.items, waits(world), "the list of all says the same");
    let brief = |one: Attention| {
        assert!(one.since <= now_of(world), "{one:?}");
        (one.cause.kind(), one.id, one.actions)
    };
    page.items.into_iter().map(brief).collect()
}

fn now_of(world: &World) -> dormouse_types::Timestamp {
    world.clock.now()
}

fn write(world: &World, sql: &'static str) {
    let commit = Commit::new("test.write", Db::Agent, WORKSPACE).op(Op::any(sql, Vec::new()));
    now(world.store.commit(commit)).expect("written");
}

#[test]
fn work_that_cannot_start_or_was_left_out_says_why_it_needs_the_person() {
    let world = World::new();
    let new = NewWork {
        title: "Digest".into(),
        parameters: Some(WorkParameters::Agenda(Agenda::default())),
        schedule: Some("every day at 9".into()),
        ..NewWork::default()
    };
    let made = now(world.dormouse.create_work(&me(), new, Wording::default(), None));
    let id = made.expect("work").id;
    assert_eq!(work_waits(&world), []);
    write(
        &world,
        "UPDATE work_definitions SET state = 'held', next_due_at = NULL, status = 'paused'",
    );
    let held = vec![AttentionAction::Resume, AttentionAction::Open];
    assert_eq!(work_waits(&world), [(AttentionKind::WorkHeld, format!("workHeld:{id}"), held)]);
    write(&world, "UPDATE work_definitions SET state = 'disabled', status = 'pending'");
    let open = vec![AttentionAction::Open];
    let broken = (AttentionKind::WorkBroken, format!("workBroken:{id}"), open.clone());
    assert_eq!(work_waits(&world), [broken]);
    write(&world, "UPDATE work_definitions SET state = 'active'");
    let run = now(world.dormouse.run_work(&me(), &id, None)).expect("a run").id;
    assert_eq!(work_waits(&world), []);
    write(&world, "UPDATE work_runs SET state = 'interrupted'");
    write(&world, "UPDATE work_definitions SET run_state = 'interrupted', status = 'failed'");
    let retry = vec![AttentionAction::Retry, AttentionAction::Open];
    let interrupted = (AttentionKind::WorkInterrupted, format!("workInterrupted:{run}"), retry);
    assert_eq!(work_waits(&world), [interrupted]);
    write(&world, "UPDATE work_runs SET state = 'skipped', skip_reason = 'missed'");
    write(&world, "UPDATE work_definitions SET run_state = 'skipped', status = 'completed'");
    let missed = (AttentionKind::WorkMissed, format!("workMissed:{run}"), open);
    assert_eq!(work_waits(&world), [missed]);
    write(&world, "UPDATE work_runs SET skip_reason = 'overlap'");
    assert_eq!(work_waits(&world), [], "what is left out on purpose needs nobody");
}

fn ask_which(way: &str) -> Answer {
    Answer::calls([("ask", json!({ "question": way }))])
}

fn walk() -> NewWork {
    NewWork {
        title: "Walk".into(),
        instructions: Some("Look around.".into()),
        schedule: Some("every day at 9".into()),
        ..NewWork::default()
    }
}

fn run_now(world: &World, work: &dormouse_types::WorkId) -> dormouse_types::WorkRunId {
    now(world.dormouse.run_work(&me(), work, None)).expect("a run").id
}

fn drained(world: &World) {
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
}

#[test]
fn every_run_that_waits_or_failed_is_listed_while_others_are_under_way() {
    let world = World::new();
    let made = now(world.dormouse.create_work(&me(), walk(), Wording::default(), None));
    let work = made.expect("work").id;
    let listed = || {
        let mut all: Vec<String> = work_waits(&world).into_iter().map(|one| one.1).collect();
        all.sort();
        all
    };
    let ids = |all: &[(&str, &dormouse_types::WorkRunId)]| {
        let mut all: Vec<String> = all.iter().map(|(kind, id)| format!("{kind}:{id}")).collect();
        all.sort();
        all
    };
    world.script.push(ask_which("Left?"));
    let first = run_now(&world, &work);
    drained(&world);
    let second = run_now(&world, &work);
    assert_eq!(listed(), ids(&[("workQuestion", &first)]), "the second is queued");
    world.script.push(ask_which("Right?"));
    drained(&world);
    assert_eq!(listed(), ids(&[("workQuestion", &first), ("workQuestion", &second)]));
    let failing = run_now(&world, &work);
    let failed = json!({ "outcome": "failed", "summary": "A locked gate." });
    world.script.push(Answer::calls([("finish", failed)]));
    drained(&world);
    let all = [("workQuestion", &first), ("workQuestion", &second), ("workFailed", &failing)];
    assert_eq!(listed(), ids(&all));
    let last = run_now(&world, &work);
    assert_eq!(listed(), ids(&all), "a run that is under way hides nothing");
    let texts: Vec<Option<String>> =
        waits(&world).into_iter().map(|one| Some(one.work?.question?.question)).collect();
    assert!(texts.contains(&Some("Left?".to_owned())), "{texts:?}");
    assert!(texts.contains(&Some("Right?".to_owned())), "{texts:?}");
    let entry = format!("workQuestion:{first}");
    let since = waits(&world).into_iter().find(|one| one.id == entry).expect("the first").since;
    now(world.dormouse.acknowledge(&me(), &entry, since)).expect("noted");
    assert_eq!(listed(), ids(&all[1..]));
    let done = json!({ "outcome": "done", "summary": "Walked." });
    world.script.push(Answer::calls([("finish", done)]));
    drained(&world);
    assert_eq!(now(world.dormouse.work_run(&me(), &last)).expect("it").error, None);
    assert_eq!(listed(), ids(&all[1..2]), "what ended well is newer than the failure");
}

#[test]
fn an_agenda_names_the_run_where_several_of_one_work_wait() {
    let world = World::new();
    let made = now(world.dormouse.create_work(&me(), walk(), Wording::default(), None));
    let work = made.expect("work").id;
    let agenda = WorkParameters::Agenda(Agenda::default());
    let said = || {
        let tried = now(world.dormouse.try_work(&me(), &agenda, Wording::default()));
        format!("{:?}", tried.expect("an agenda").outcome)
    };
    for n in 1..=2 {
        world.script.push(ask_which("Left?"));
        run_now(&world, &work);
        drained(&world);
        let said = said();
        assert!(said.contains("Walk"), "{said}");
        for run in ["Walk, run 1", "Walk, run 2"] {
            assert_eq!(said.contains(run), n > 1, "{said}");
        }
    }
}

#[test]
fn what_work_waits_for_is_read_with_as_many_statements_for_one_question_as_for_many() {
    let world = World::new();
    let mut works = Vec::new();
    let mut n_reads = Vec::new();
    for n in 0..6 {
        let made = now(world.dormouse.create_work(&me(), walk(), Wording::default(), None));
        works.push(made.expect("work").id);
        for _ in 0..2 {
            world.script.push(ask_which("Left?"));
            run_now(&world, &works[n]);
            drained(&world);
        }
        let filter = AttentionFilter { is_work: true, ..AttentionFilter::default() };
        let read = || now(world.dormouse.attention_list(&me(), filter, 200, None)).expect("a page");
        let (page, queries) = world.engine.reads_of(read);
        assert_eq!(page.items.len(), 2 * (n + 1));
        n_reads.push(queries.len());
    }
    assert!(n_reads.iter().all(|n| *n == n_reads[0]), "{n_reads:?}");
}
