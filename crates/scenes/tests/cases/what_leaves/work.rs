//! Runs of agent work: one that a call of a hook starts, which asks and reads, and one that a change starts.

use dormouse::NewWork;
use dormouse::tasks::NewEntry;
use dormouse_testkit::scripted::Answer;
use dormouse_types::port::OutgoingRequest;
use dormouse_types::work_filter::{EventFilter, TaskEvent};
use dormouse_types::work_hook::HookForm;
use dormouse_types::work_step::WorkStep;
use dormouse_work::hook::NewHook;
use dormouse_work::hook::receive::IncomingCall;
use dormouse_work::hook::signature::HookHeaders;
use ring::hmac;
use serde_json::{Value, json};

use super::mark;
use super::workspace::{Workspace, answer};

/// What the runs send, after an earlier run whose requests are not among them.
pub(super) async fn run(world: &Workspace) -> anyhow::Result<Vec<OutgoingRequest>> {
    world.pause_agents().await?;
    let before = world.model.script.requests().len();
    let step = WorkStep { text: mark("work-step"), mandatory: false, check: None };
    let new = NewWork {
        title: mark("work-title"),
        instructions: Some(mark("work-instructions")),
        steps: vec![step],
        waits_for_calls: true,
        ..NewWork::default()
    };
    let (me, dormouse) = (&world.me, &world.dormouse);
    let work = dormouse.create_work(me, new, Default::default(), None).await?.id;
    let published = json!({ "title": mark("work-published"), "text": mark("work-result") });
    let read = ("list_tasks", json!({ "words": mark("work-call") }));
    script(world, answer(mark("work-turn"), &[read, ("publish_result", published)]).and_goes_on());
    script(world, finish("work-summary"));
    dormouse.run_work(me, &work, None).await?;
    world.drain_all().await?;
    dormouse.correct_work(me, &work, &mark("work-correction"), None).await?;

    world.bodies();
    let ask = json!({ "question": mark("work-question"), "options": [mark("work-option")] });
    script(world, Answer::calls([("ask", ask)]));
    let hook = NewHook { name: mark("hook"), form: HookForm::GitHost, secret: None };
    let made = dormouse.add_work_hook(me, &work, hook).await?;
    let call = signed(&made.hook.id.to_string(), &made.secret.0, &mark("hook-body"));
    let run = dormouse.receive_call(&call).await?.run_id;
    world.drain_all().await?;
    let questions = dormouse.work_questions(me, &run).await?;
    dormouse.answer_work_question(me, &questions[0].id, &mark("work-answer"), None).await?;
    let reads: [(&'static str, Value); 5] = [
        ("read_task", json!({ "taskId": world.task })),
        ("read_task", json!({ "taskId": world.hidden })),
        ("list_tasks", json!({})),
        ("list_agent_work", json!({ "from": "2026-03-01", "to": "2026-03-31" })),
        ("read_task_log", json!({})),
    ];
    script(world, answer(mark("work-turn-text"), &reads).and_goes_on());
    script(world, finish("work-summary"));
    world.drain_all().await?;

    let filter = EventFilter {
        event: TaskEvent::EntryAdded,
        field: None,
        from: None,
        to: None,
        label: None,
        category: None,
        tasks: vec![world.elsewhere.clone()],
    };
    let watching = NewWork {
        title: mark("work-title"),
        instructions: Some(mark("work-instructions")),
        events: vec![filter],
        ..NewWork::default()
    };
    dormouse.create_work(me, watching, Default::default(), None).await?;
    for (text, private) in [("event", false), ("private-event", true)] {
        let entry = NewEntry { text: mark(text), private, ..NewEntry::default() };
        dormouse.add_entry(me, &world.elsewhere, entry, None).await?;
        script(world, finish("work-summary"));
        world.drain_all().await?;
    }
    let n_turns = world.model.script.requests().len() - before;
    anyhow::ensure!(n_turns == 7, "{n_turns} turns instead of those of the script");
    Ok(world.bodies())
}

fn script(world: &Workspace, answer: Answer) {
    world.model.script.push(answer);
}

fn finish(summary: &str) -> Answer {
    Answer::calls([("finish", json!({ "outcome": "done", "summary": mark(summary) }))])
}

/// A call as a Git host makes it.
fn signed(hook: &str, secret: &str, body: &str) -> IncomingCall {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, body.as_bytes());
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let headers = HookHeaders {
        delivery: Some("call-1".into()),
        body_signature: Some(format!("sha256={hex}")),
        ..HookHeaders::default()
    };
    IncomingCall { hook: hook.into(), headers, body: body.into(), sender: "192.0.2.7".into() }
}
