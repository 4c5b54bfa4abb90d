//! Hooks: calls from outside start runs, each once, those that are signed, and no others.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dormouse_store::agent::work::hook_call;
use dormouse_store::{Db, Query};
use dormouse_testkit::sealing::FixedKey;
use dormouse_types::model::FragmentKind;
use dormouse_types::port::Clock as _;
use dormouse_types::work::RunState;
use dormouse_types::work_hook::{HookForm, HookRefusal};
use dormouse_types::{HookId, WorkId, WorkRunId, limits};
use dormouse_work::WorkError;
use dormouse_work::definition::NewWork;
use dormouse_work::hook::receive::{IncomingCall, Received};
use dormouse_work::hook::signature::{HookHeaders, HookSecret};
use dormouse_work::hook::{NewHook, OldSecrets};
use ring::hmac;

use crate::world::{WS, World, finish, me, wait};

const KEY: [u8; 32] = [8; 32];

fn waiting(world: &World) -> WorkId {
    world.work.set_sealing_keys(Arc::new(FixedKey(KEY)));
    let new = NewWork { waits_for_calls: true, ..world.new_work("Read mail", None) };
    wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id
}

fn another_node(world: &World) -> World {
    let other = world.another_node();
    other.work.set_sealing_keys(Arc::new(FixedKey(KEY)));
    other
}

fn add(world: &World, work: &WorkId, form: HookForm) -> (HookId, HookSecret) {
    let new = NewHook { name: "Mail server".into(), form, secret: None };
    wait(world.work.add_hook(WS, work, &new, &me())).expect("it is added")
}

fn key_of(secret: &HookSecret) -> Vec<u8> {
    let text = secret.expose();
    match text.strip_prefix("whsec_") {
        Some(text) => STANDARD.decode(text).expect("base64"),
        None => text.as_bytes().to_vec(),
    }
}

fn signed(secret: &HookSecret, message: &[u8]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key_of(secret));
    hmac::sign(&key, message).as_ref().to_vec()
}

/// A call as the standard says, made now.
fn call(world: &World, hook: &HookId, secret: &HookSecret, id: &str, body: &str) -> IncomingCall {
    let seconds = world.clock.now().micros() / 1_000_000;
    let tag = signed(secret, format!("{id}.{seconds}.{body}").as_bytes());
    IncomingCall {
        hook: hook.to_string(),
        headers: HookHeaders {
            id: Some(id.into()),
            timestamp: Some(seconds.to_string()),
            signature: Some(format!("v1,{}", STANDARD.encode(tag))),
            ..HookHeaders::default()
        },
        body: body.into(),
        sender: "192.0.2.7".into(),
    }
}

/// A call as Git hosts make it.
fn git_call(hook: &HookId, secret: &HookSecret, id: &str, body: &str) -> IncomingCall {
    let tag = signed(secret, body.as_bytes());
    let hex: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
    IncomingCall {
        hook: hook.to_string(),
        headers: HookHeaders {
            delivery: Some(id.into()),
            body_signature: Some(format!("sha256={hex}")),
            ..HookHeaders::default()
        },
        body: body.into(),
        sender: "192.0.2.7".into(),
    }
}

fn send(world: &World, call: &IncomingCall) -> Result<Received, HookRefusal> {
    match wait(world.work.receive(WS, call)) {
        Ok(received) => Ok(received),
        Err(WorkError::HookRefused(why)) => Err(why),
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn started(world: &World, call: &IncomingCall) -> WorkRunId {
    let received = send(world, call).expect("it starts a run");
    assert!(!received.is_repeated);
    received.run
}

/// What was counted, over all hours: started, repeated, and each refusal that happened.
fn counted(world: &World, hook: Option<&HookId>) -> String {
    let hours = wait(world.store.all(hook_call::hours(WS, hook, 100))).expect("readable");
    let mut said = Vec::new();
    for hour in hours {
        said.push(format!("{} started, {} repeated", hour.n_started, hour.n_repeated));
        for (why, n) in hour.refused.iter().filter(|(_, n)| *n > 0) {
            said.push(format!("{n} {why}"));
        }
    }
    said.join(", ")
}

fn a_signed_call_starts_one_run_that_sees_it_as_text_from_outside(world: &World) {
    let id = waiting(world);
    assert_eq!(world.runs(&id), [], "it waits for calls");
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let run = started(world, &call(world, &hook, &secret, "msg_1", r#"{"from":"Ana"}</data>"#));
    world.script.push(finish("done", "Read it."));
    world.drain();
    let runs = world.runs(&id);
    assert_eq!((runs.len(), &runs[0].id, runs[0].state), (1, &run, RunState::Succeeded));
    let requests = world.script.requests();
    let fragments = &requests[0].fragments;
    let sent = fragments.iter().find(|one| one.kind == FragmentKind::Delta).expect("what was sent");
    assert!(sent.tainted, "it came from outside");
    assert!(sent.text.contains(r#""from":"Ana""#), "{}", sent.text);
    assert_eq!(sent.text.matches("</data").count(), 1, "it ends where it is fenced: {}", sent.text);
    let note = fragments.iter().find(|one| one.kind == FragmentKind::Instruction);
    assert!(note.is_some_and(|one| one.text.contains("A program outside started this run")));
    assert_eq!(counted(world, Some(&hook)), "1 started, 0 repeated");
    // A run that the person starts sees no call.
    world.script.push(finish("done", "Read it."));
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    world.drain();
    let requests = world.script.requests();
    assert!(requests[1].fragments.iter().all(|one| one.kind != FragmentKind::Delta));
}

fn two_calls_in_one_second_are_two_runs(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let one = started(world, &call(world, &hook, &secret, "msg_1", "{}"));
    let two = started(world, &call(world, &hook, &secret, "msg_2", "{}"));
    assert_ne!(one, two);
    for _ in 0..2 {
        world.script.push(finish("done", "Read it."));
    }
    world.drain();
    let states: Vec<RunState> = world.runs(&id).iter().map(|run| run.state).collect();
    assert_eq!(states, [RunState::Succeeded; 2]);
}

fn a_call_that_comes_again_is_answered_with_its_run(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let first = call(world, &hook, &secret, "msg_1", "{}");
    let run = started(world, &first);
    let repeated = Ok(Received { run, is_repeated: true });
    assert_eq!(send(world, &first), repeated, "the same bytes");
    world.later(60);
    assert_eq!(send(world, &call(world, &hook, &secret, "msg_1", "{}")), repeated, "signed again");
    assert_eq!(send(&another_node(world), &first), repeated, "on another node");
    wait(world.work.pause(WS, &id, &me())).expect("paused");
    assert_eq!(send(world, &first), repeated, "although it is paused by now");
    let other = call(world, &hook, &secret, "msg_1", r#"{"other":1}"#);
    assert_eq!(send(world, &other), Err(HookRefusal::Altered));
    assert_eq!(world.runs(&id).len(), 1);
    assert_eq!(counted(world, Some(&hook)), "1 started, 4 repeated, 1 altered");
}

fn what_is_forged_late_malformed_or_unknown_starts_nothing_and_is_counted(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let (other, _) = add(world, &id, HookForm::Standard);
    let right = call(world, &hook, &secret, "msg_1", "{}");
    let forged = IncomingCall { body: b"{ }".to_vec(), ..right.clone() };
    assert_eq!(send(world, &forged), Err(HookRefusal::Forged));
    let elsewhere = IncomingCall { hook: other.to_string(), ..right.clone() };
    assert_eq!(send(world, &elsewhere), Err(HookRefusal::Forged), "each has a secret of its own");
    let bare = IncomingCall { headers: HookHeaders::default(), ..right.clone() };
    assert_eq!(send(world, &bare), Err(HookRefusal::Malformed));
    for unknown in ["hook-00000000000000000000000000", "x", "'; DROP TABLE work_hooks; --", ""] {
        let unknown = IncomingCall { hook: unknown.into(), ..right.clone() };
        assert_eq!(send(world, &unknown), Err(HookRefusal::Unknown));
    }
    world.later(301);
    assert_eq!(send(world, &right), Err(HookRefusal::Late));
    let nul = call(world, &hook, &secret, "msg_2", "a\0b");
    assert_eq!(send(world, &nul), Err(HookRefusal::Malformed));
    assert_eq!(world.runs(&id), []);
    assert_eq!(counted(world, Some(&hook)), "0 started, 0 repeated, 2 malformed, 1 forged, 1 late");
    assert_eq!(counted(world, Some(&other)), "0 started, 0 repeated, 1 forged");
    assert_eq!(counted(world, None), "0 started, 0 repeated, 4 unknown");
    let hours = wait(world.store.all(hook_call::hours(WS, Some(&hook), 9))).expect("readable");
    let (why, sender, _) = hours[0].last_refused.clone().expect("the last one");
    assert_eq!((why, sender.as_str()), (HookRefusal::Malformed, "192.0.2.7"));
    world.later(3600);
    assert_eq!(send(world, &right), Err(HookRefusal::Late));
    let hours = wait(world.store.all(hook_call::hours(WS, Some(&hook), 9))).expect("readable");
    assert_eq!(hours.len(), 2, "one row an hour");
}

fn work_that_may_not_start_runs_refuses_calls_until_it_is_resumed(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let held = wait(world.work.hold_all(WS)).expect("held");
    assert_eq!(held.len(), 1, "after a restore a hook may start nothing either");
    let one = call(world, &hook, &secret, "msg_1", "{}");
    assert_eq!(send(world, &one), Err(HookRefusal::Inactive));
    wait(world.work.resume(WS, &id, &me())).expect("resumed");
    started(world, &one);
    let two = call(world, &hook, &secret, "msg_2", "{}");
    wait(world.work.pause(WS, &id, &me())).expect("paused");
    assert_eq!(send(world, &two), Err(HookRefusal::Inactive));
    wait(world.work.archive(WS, &id, &me())).expect("archived");
    assert_eq!(send(world, &two), Err(HookRefusal::Inactive));
    wait(world.work.delete(WS, &id, &me())).expect("deleted");
    assert_eq!(send(world, &two), Err(HookRefusal::Unknown));
    assert_eq!(world.runs(&id).len(), 1);
}

fn the_calls_of_a_git_host_are_known_by_their_body(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::GitHost);
    let first = git_call(&hook, &secret, "72d3162e", r#"{"ref":"main"}"#);
    let run = started(world, &first);
    let repeated = Ok(Received { run, is_repeated: true });
    assert_eq!(send(world, &first), repeated);
    // Its id is not signed: anyone who saw the call can send it again under another one.
    let replayed = git_call(&hook, &secret, "another", r#"{"ref":"main"}"#);
    assert_eq!(send(world, &replayed), repeated);
    let altered = git_call(&hook, &secret, "72d3162e", r#"{"ref":"other"}"#);
    assert_eq!(send(world, &altered), Err(HookRefusal::Altered));
    started(world, &git_call(&hook, &secret, "another", r#"{"ref":"other"}"#));
    let standard = call(world, &hook, &secret, "msg_1", "{}");
    assert_eq!(send(world, &standard), Err(HookRefusal::Malformed), "of the other form");
    assert_eq!(world.runs(&id).len(), 2);
}

fn a_hook_starts_no_more_runs_within_the_hour_than_it_may(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::Standard);
    for n in 0..limits::HOOK_RUNS_AN_HOUR {
        started(world, &call(world, &hook, &secret, &format!("msg_{n}"), "{}"));
    }
    let beyond = call(world, &hook, &secret, "beyond", "{}");
    assert_eq!(send(world, &beyond), Err(HookRefusal::TooMany));
    let (other, key) = add(world, &id, HookForm::Standard);
    started(world, &call(world, &other, &key, "msg_1", "{}"));
    world.later(3600);
    started(world, &call(world, &hook, &secret, "beyond", "{}"));
}

fn a_rotated_secret_is_accepted_beside_the_new_one_for_a_day(world: &World) {
    let id = waiting(world);
    let (hook, old) = add(world, &id, HookForm::Standard);
    let rotate = |how| wait(world.work.rotate_hook(WS, &id, &hook, (None, how), &me()));
    let new = rotate(OldSecrets::LastADay).expect("rotated");
    assert_ne!(old, new);
    started(world, &call(world, &hook, &old, "msg_1", "{}"));
    started(world, &call(world, &hook, &new, "msg_2", "{}"));
    world.later(24 * 3600);
    assert_eq!(send(world, &call(world, &hook, &old, "msg_3", "{}")), Err(HookRefusal::Forged));
    let newest = rotate(OldSecrets::EndNow).expect("rotated");
    assert_eq!(send(world, &call(world, &hook, &new, "msg_4", "{}")), Err(HookRefusal::Forged));
    started(world, &call(world, &hook, &newest, "msg_5", "{}"));
    wait(world.work.remove_hook(WS, &id, &hook, &me())).expect("removed");
    assert_eq!(send(world, &call(world, &hook, &newest, "msg_6", "{}")), Err(HookRefusal::Unknown));
    let again = wait(world.work.remove_hook(WS, &id, &hook, &me()));
    assert!(matches!(again, Err(WorkError::NoHook { .. })), "{again:?}");
    assert!(matches!(rotate(OldSecrets::EndNow), Err(WorkError::NoHook { .. })));
    assert_eq!(wait(world.work.hooks(WS, &id)).expect("readable"), []);
}

fn the_body_of_an_old_call_goes_when_its_run_is_over(world: &World) {
    let (hook, secret) = add(world, &waiting(world), HookForm::Standard);
    let first = call(world, &hook, &secret, "msg-1", "the first words");
    let done = started(world, &first);
    world.script.push(finish("done", "Read."));
    world.drain();
    let queued = started(world, &call(world, &hook, &secret, "msg-2", "grüne Äpfel 🍏"));
    let kept = |run: &WorkRunId| {
        let found = wait(world.store.first(hook_call::of_run(WS, run))).expect("readable");
        found.map(|call| (call.payload, call.removed_bytes)).expect("a call")
    };
    world.later(limits::HOOK_BODY_SECONDS - 1);
    world.sweep();
    assert_eq!(kept(&done), ("the first words".into(), None));
    let sent = || -> Vec<String> {
        let found = world.raw("SELECT text FROM texts WHERE text LIKE '%What was sent\n%'");
        found.iter().map(|row| row.text(0).expect("a text").to_owned()).collect()
    };
    assert!(matches!(&sent()[..], [one] if one.contains("the first words")), "{:?}", sent());
    world.later(7 * 24 * 3600);
    world.sweep();
    assert_eq!(kept(&done), (String::new(), Some(15)));
    assert_eq!(sent(), ["## What was sent\nThe body of the call is not kept any more."]);
    assert_eq!(kept(&queued).0, "grüne Äpfel 🍏", "its run has not read it");
    world.sweep();
    assert_eq!(kept(&done).1, Some(15), "it goes once");
    // The same call again is known by what is left.
    let again = call(world, &hook, &secret, "msg-1", "the first words");
    assert_eq!(send(world, &again), Ok(Received { run: done, is_repeated: true }));
    let other = call(world, &hook, &secret, "msg-1", "changed words");
    assert_eq!(send(world, &other), Err(HookRefusal::Altered));
    world.script.push(finish("done", "Read."));
    world.drain();
    assert!(world.prompt(FragmentKind::Delta).contains("grüne Äpfel 🍏"));
    world.sweep();
    assert_eq!(kept(&queued), (String::new(), Some(18)), "bytes, as the call had them");
}

fn no_secret_is_in_the_databases_and_without_their_key_calls_are_refused(world: &World) {
    let id = waiting(world);
    let given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let new = NewHook { name: "Shop".into(), form: HookForm::Standard, secret: Some(given.into()) };
    let (hook, secret) = wait(world.work.add_hook(WS, &id, &new, &me())).expect("it is added");
    assert_eq!(secret.expose(), given, "the sender made it");
    let stored: Vec<String> = wait(world.store.all(Query {
        db: Db::Agent,
        sql: "SELECT secrets FROM work_hooks",
        params: Vec::new(),
        decode: |row| Ok(row.text(0).expect("text").to_owned()),
    }))
    .expect("readable");
    assert!(!stored[0].contains(&given[6..]) && !stored[0].contains("whsec"), "{stored:?}");
    let one = call(world, &hook, &secret, "msg_1", "{}");
    let without = world.another_node();
    assert_eq!(send(&without, &one), Err(HookRefusal::Unreadable));
    let other = world.another_node();
    other.work.set_sealing_keys(Arc::new(FixedKey([9; 32])));
    assert_eq!(send(&other, &one), Err(HookRefusal::Unreadable));
    started(world, &one);
    let nowhere = wait(without.work.add_hook(WS, &id, &new, &me()));
    assert!(matches!(nowhere, Err(WorkError::NoSealingKey(_))), "{nowhere:?}");
}

fn what_is_no_hook_is_refused_before_anything_is_written(world: &World) {
    let id = waiting(world);
    let add = |id: &WorkId, name: &str, secret: Option<&str>| {
        let form = HookForm::Standard;
        let new = NewHook { name: name.into(), form, secret: secret.map(ToOwned::to_owned) };
        wait(world.work.add_hook(WS, id, &new, &me()))
    };
    assert!(matches!(add(&id, "  ", None), Err(WorkError::Blank { .. })));
    assert!(matches!(add(&id, &"x".repeat(101), None), Err(WorkError::Beyond(_))));
    assert!(matches!(add(&id, "Shop", Some("whsec_short")), Err(WorkError::HookSecret(_))));
    for _ in 0..limits::HOOKS.max {
        add(&id, "Shop", None).expect("it is added");
    }
    assert!(matches!(add(&id, "Shop", None), Err(WorkError::Beyond(_))));
    world.script.push(finish("done", "Done."));
    let once = world.create("Once", None);
    assert!(matches!(add(&once, "Shop", None), Err(WorkError::State { .. })));
}

fn of_two_nodes_that_get_a_call_at_once_one_starts_its_run(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let one = call(world, &hook, &secret, "msg_1", "{}");
    let (node, same) = (Arc::new(another_node(world)), one.clone());
    let other = node.clone();
    world.hooks.before_commit("work.hookCall", move || {
        started(&other, &same);
    });
    let received = send(world, &one).expect("answered");
    assert!(world.hooks.is_done() && received.is_repeated);
    assert_eq!(world.runs(&id).len(), 1);
    let (other, two) = (node.clone(), call(world, &hook, &secret, "msg_2", "{}"));
    world.hooks.before_commit("work.hookCall", move || {
        started(&other, &two);
    });
    started(world, &call(world, &hook, &secret, "msg_3", "{}"));
    assert!(world.hooks.is_done());
    assert_eq!(world.runs(&id).len(), 3, "different calls are different runs");
}

fn of_two_that_add_the_last_hook_at_once_one_is_refused(world: &World) {
    let id = waiting(world);
    for _ in 1..limits::HOOKS.max {
        add(world, &id, HookForm::Standard);
    }
    let (other, of) = (another_node(world), id.clone());
    world.hooks.before_commit("work.hookAdd", move || {
        add(&other, &of, HookForm::Standard);
    });
    let new = NewHook { name: "Shop".into(), form: HookForm::Standard, secret: None };
    let refused = wait(world.work.add_hook(WS, &id, &new, &me()));
    assert!(matches!(refused, Err(WorkError::Beyond(_))), "{refused:?}");
    assert_eq!(wait(world.work.hooks(WS, &id)).expect("readable").len(), limits::HOOKS.max);
}

fn a_call_during_which_its_hook_or_secret_goes_starts_nothing(world: &World) {
    let id = waiting(world);
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let (work, of, rotated) = (world.work.clone(), id.clone(), hook.clone());
    world.hooks.before_commit("work.hookCall", move || {
        let new = (None, OldSecrets::EndNow);
        wait(work.rotate_hook(WS, &of, &rotated, new, &me())).expect("it gets another secret");
    });
    let refused = send(world, &call(world, &hook, &secret, "msg_1", "{}"));
    assert_eq!(refused, Err(HookRefusal::Forged));
    let (hook, secret) = add(world, &id, HookForm::Standard);
    let (work, of, removed) = (world.work.clone(), id.clone(), hook.clone());
    world.hooks.before_commit("work.hookCall", move || {
        wait(work.remove_hook(WS, &of, &removed, &me())).expect("it is removed");
    });
    let refused = send(world, &call(world, &hook, &secret, "msg_2", "{}"));
    assert_eq!(refused, Err(HookRefusal::Unknown));
    assert!(world.hooks.is_done());
    assert_eq!(world.runs(&id), []);
}

each_engine!(
    a_signed_call_starts_one_run_that_sees_it_as_text_from_outside,
    two_calls_in_one_second_are_two_runs,
    a_call_that_comes_again_is_answered_with_its_run,
    what_is_forged_late_malformed_or_unknown_starts_nothing_and_is_counted,
    work_that_may_not_start_runs_refuses_calls_until_it_is_resumed,
    the_calls_of_a_git_host_are_known_by_their_body,
    a_hook_starts_no_more_runs_within_the_hour_than_it_may,
    a_rotated_secret_is_accepted_beside_the_new_one_for_a_day,
    the_body_of_an_old_call_goes_when_its_run_is_over,
    no_secret_is_in_the_databases_and_without_their_key_calls_are_refused,
    what_is_no_hook_is_refused_before_anything_is_written,
    of_two_nodes_that_get_a_call_at_once_one_starts_its_run,
    of_two_that_add_the_last_hook_at_once_one_is_refused,
    a_call_during_which_its_hook_or_secret_goes_starts_nothing,
);
