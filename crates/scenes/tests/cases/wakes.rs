//! Wakes: the first, one with news, one without; what does not wake; what a prompt keeps.

use dormouse::WORKSPACE;
use dormouse::view::ChangeOrigin;
use dormouse_scenes::tables::Dump;
use dormouse_scenes::{Scene, Step, World, scenarios, transcript};
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::{Commit, Db, change_log};
use dormouse_types::agent::AgentActivity;
use dormouse_types::port::Clock as _;

async fn snapshot(name: &str, scene: &Scene) -> World {
    let world = World::played(scene).await.expect("the scene plays");
    let page = transcript::of(&world).await.expect("a page");
    insta::assert_snapshot!(name, page);
    world
}

#[tokio::test]
async fn a_first_wake_reads_everything_and_reports() {
    snapshot("first_wake", &scenarios::first_wake()).await;
}

#[tokio::test]
async fn the_system_prompt_and_the_tools_are_those_of_a_task_agent() {
    let world = World::played(&scenarios::first_wake()).await.expect("the scene plays");
    let agent = world.agent("move").await.expect("an agent");
    let wakes = world.dormouse.wakes(&world.me, &agent.id, 10).await.expect("wakes");
    let key = wakes[0].run_key.clone().expect("a run");
    let prompts = world.dormouse.prompts(&world.me, &agent.id, &key).await.expect("prompts");
    let piece = |kind: &str| {
        let piece = prompts[0].fragments.iter().find(|piece| piece.kind.name() == kind);
        piece.map(|piece| piece.text.clone()).expect("a piece of the prompt")
    };
    let tools: Vec<dormouse_types::model::ToolSpec> =
        serde_json::from_str(&piece("tools")).expect("tools as JSON");
    let tools: Vec<_> =
        tools.iter().map(|tool| format!("{}: {}", tool.name, tool.description)).collect();
    insta::assert_snapshot!(
        "system_and_tools",
        format!("{}\n\n{}", piece("system"), tools.join("\n"))
    );
}

#[tokio::test]
async fn a_later_wake_gets_what_changed_and_nothing_else() {
    let world = snapshot("incremental_wake", &scenarios::incremental_wake()).await;
    let agent = world.agent("garden").await.expect("an agent");
    let wakes = world.dormouse.wakes(&world.me, &agent.id, 10).await.expect("wakes");
    let key = wakes[0].run_key.clone().expect("a run");
    let prompts = world.dormouse.prompts(&world.me, &agent.id, &key).await.expect("prompts");
    let delta =
        prompts[0].fragments.iter().find(|piece| piece.kind.name() == "delta").expect("a delta");
    let item_lines: Vec<_> = delta.text.lines().filter(|line| line.contains("item")).collect();
    assert_eq!(item_lines.len(), 1, "{}", delta.text);
    assert!(item_lines[0].contains("[x] Sow the peas"), "{}", delta.text);
    for other in ["roses", "compost", "fence", "gate"] {
        assert!(!delta.text.contains(other), "{other}: {}", delta.text);
    }
}

#[tokio::test]
async fn when_nothing_changed_nothing_is_written_and_no_model_is_called() {
    let world = World::played(&scenarios::first_wake()).await.expect("the scene plays");
    let before = Dump::of(&world.store).await.expect("every row");
    assert!(before.counts().iter().any(|(table, rows)| table == "agent.log_lines" && *rows > 0));
    for _ in 0..3 {
        world.stage.clock.advance(std::time::Duration::from_secs(3600));
        assert!(world.drain().await.expect("a drain").is_empty());
    }
    let after = Dump::of(&world.store).await.expect("every row");
    assert_eq!(before.counts(), after.counts());
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_wake_by_changes_that_were_seen_already_leaves_one_skipped_run() {
    let world = World::played(&scenarios::first_wake()).await.expect("the scene plays");
    let agent = world.agent("move").await.expect("an agent");
    let now = world.stage.clock.now();
    let head = world.store.first(change_log::head(Db::Journal, WORKSPACE)).await.expect("readable");
    let delivered = Signal {
        holder: (&agent.id).into(),
        reason: Reason::Subscription,
        at: now,
        due_at: Some(now),
        upto: head.expect("changes"),
        request_id: None,
    };
    let commit = Commit::new("scene.signal", Db::Agent, WORKSPACE)
        .op(wake_queue::signal(WORKSPACE, &delivered));
    world.store.commit(commit).await.expect("a signal");
    let before = Dump::of(&world.store).await.expect("every row");
    let ran = world.drain().await.expect("a drain");
    assert_eq!(ran.iter().map(|run| run.status.name()).collect::<Vec<_>>(), ["skipped"]);
    let after = Dump::of(&world.store).await.expect("every row");
    let grown: Vec<_> = before
        .counts()
        .into_iter()
        .zip(after.counts())
        .filter(|(before, after)| before != after)
        .map(|(before, after)| (before.0, after.1 - before.1))
        .collect();
    // The claim and the end tell their readers; no request, message, report or log line is made.
    let expected = [("agent.change_log", 2), ("agent.wake_run_log", 1)];
    assert_eq!(grown, expected.map(|(table, rows)| (table.to_owned(), rows)));
}

#[tokio::test]
async fn what_an_agent_writes_itself_wakes_nobody() {
    // The first wake sets the language of the task: a journal commit of the agent's own.
    let world = World::played(&scenarios::first_wake()).await.expect("the scene plays");
    let task = world.task("move").await.expect("a task");
    assert_eq!(task.language.as_deref(), Some("en"));
    let activity = world.dormouse.task_activity(&world.me, &task.id).await.expect("activity");
    assert_eq!(activity.iter().filter(|one| one.origin == ChangeOrigin::Agent).count(), 1);
    assert!(world.drain().await.expect("a drain").is_empty());
    let agent = world.agent("move").await.expect("an agent");
    assert_eq!((agent.activity.name(), agent.stale_since), ("asleep", None));
}

#[tokio::test]
async fn a_confirmed_proposal_does_not_wake_its_proposer() {
    let world = World::played(&scenarios::first_wake()).await.expect("the scene plays");
    world.step(100, &Step::confirm("move", "2026-03-20")).await.expect("confirmed");
    assert!(world.task("move").await.expect("a task").due_on.is_some());
    assert!(world.drain().await.expect("a drain").is_empty());
    let agent = world.agent("move").await.expect("an agent");
    assert_eq!(agent.activity, AgentActivity::Asleep);
    let wakes = world.dormouse.wakes(&world.me, &agent.id, 10).await.expect("wakes");
    assert_eq!(wakes.len(), 1);
}

/// The prompt as one text, up to the end of its log, and the log's length in it.
fn up_to_log(prompt: &dormouse::view::Prompt) -> (String, String) {
    let text = |kind: &str| {
        let piece = prompt.fragments.iter().find(|piece| piece.kind.name() == kind);
        piece.map(|piece| piece.text.clone()).unwrap_or_default()
    };
    let order: Vec<_> = prompt.fragments.iter().map(|piece| piece.kind.name()).collect();
    assert_eq!(order.first(), Some(&"system"), "{order:?}");
    if order.contains(&"log") {
        assert_eq!(order.get(1), Some(&"log"), "{order:?}");
    }
    (text("system"), text("log"))
}

#[tokio::test]
async fn a_prompt_keeps_every_byte_up_to_the_end_of_its_log_and_appends() {
    let world = World::played(&scenarios::incremental_wake()).await.expect("the scene plays");
    world.step(100, &Step::Note("garden", "The hedge has to wait.")).await.expect("a note");
    world.drain().await.expect("a drain");
    world.step(101, &Step::Tick("garden", "Oil the gate")).await.expect("a tick");
    world.drain().await.expect("a drain");
    let agent = world.agent("garden").await.expect("an agent");
    let mut wakes = world.dormouse.wakes(&world.me, &agent.id, 10).await.expect("wakes");
    wakes.reverse();
    assert_eq!(wakes.len(), 4);
    let mut earlier: Option<(String, String)> = None;
    for wake in wakes {
        let key = wake.run_key.expect("a run");
        let prompts = world.dormouse.prompts(&world.me, &agent.id, &key).await.expect("prompts");
        let (system, log) = up_to_log(&prompts[0]);
        if let Some((system_before, log_before)) = &earlier {
            assert_eq!(&system, system_before);
            assert!(log.starts_with(log_before), "before:\n{log_before}\n\nnow:\n{log}");
            assert!(log.len() > log_before.len(), "every wake saw something");
        }
        earlier = Some((system, log));
    }
}
