//! Decisions: what a verdict teaches, taking it back, and two who decide at once.

use std::sync::Arc;

use dormouse::{Caller, Dormouse, DrainScope, NewTask, Parts, Verdict, WORKSPACE};
use dormouse_scenes::{Scene, World, repertoire, transcript};
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::{Clock, Entropy};

async fn snapshot(name: &str, scene: &Scene) -> World {
    let world = World::played(scene).await.expect("the scene plays");
    let page = transcript::of(&world).await.expect("a page");
    insta::assert_snapshot!(name, page);
    world
}

#[tokio::test]
async fn a_rejected_proposal_is_not_made_again() {
    let world = snapshot("rejected", &repertoire::rejected()).await;
    let about = |text: &'static str| {
        move |item: &&dormouse::view::ChangeItem| item.human_summary.contains(text)
    };
    let all = world.proposals("move").await.expect("proposals");
    for text in ["due date", "Book the van"] {
        let states: Vec<_> =
            all.iter().filter(about(text)).map(|item| item.status.as_str()).collect();
        assert_eq!(states, ["rejected"], "{text}");
    }
}

#[tokio::test]
async fn newer_evidence_lifts_a_rejection() {
    let world = snapshot("newer_evidence", &repertoire::newer_evidence()).await;
    let due = world.task("move").await.expect("a task").due_on;
    assert_eq!(due.map(|day| day.to_string()).as_deref(), Some("2026-03-27"));
}

#[tokio::test]
async fn a_verdict_can_be_taken_back_and_given_again() {
    let world = snapshot("confirm_undo_confirm", &repertoire::confirm_undo_confirm()).await;
    let due = world.task("move").await.expect("a task").due_on;
    assert_eq!(due.map(|day| day.to_string()).as_deref(), Some("2026-03-20"));
}

#[tokio::test]
async fn two_who_confirm_one_item_at_once_apply_it_once_and_hear_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at("2026-03-02T09:00:00Z"));
    let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(1));
    let store = dormouse::open_folder(folder.path(), &clock, &entropy).expect("a store");
    let dormouse = Dormouse::new(Parts {
        store,
        clock,
        entropy,
        model: Arc::new(dormouse_builtin::Builtin),
        zone: jiff::tz::TimeZone::UTC,
        owner: "scene".into(),
    });
    let me = Caller::owner(WORKSPACE);
    let note = "- [ ] Book the van\n- [ ] Pack the books\n- [ ] Call the landlord\n- [ ] Hand over the keys";
    let new = NewTask { title: "Move".into(), note: Some(note.into()), ..NewTask::default() };
    let task = dormouse.create_task(&me, new, None).await.expect("a task");
    dormouse.create_agent(&me, &task.id, None, None).await.expect("an agent");
    let scope = DrainScope { tasks: vec![task.id.clone()], ..DrainScope::default() };
    dormouse.drain(scope, &mut |_| ()).await.expect("a drain");
    let sets = dormouse.change_sets(&me, None, false).await.expect("sets");
    let items = &sets[0].items;
    assert_eq!(items.len(), 4, "{items:#?}");
    for item in items {
        let confirm = || {
            let digest = Some(item.digest.to_string());
            dormouse.decide(&me, &item.set, item.index, Verdict::Confirm, digest, None, None)
        };
        let (one, other) = futures_util::future::join(confirm(), confirm()).await;
        let (one, other) = (one.expect("confirmed"), other.expect("confirmed too"));
        let told =
            |outcome: &dormouse::view::Outcome| serde_json::to_value(&outcome.item).expect("JSON");
        assert_eq!(told(&one), told(&other));
        assert_eq!(one.item.status, "confirmed");
    }
    let now = dormouse.task(&me, &task.id).await.expect("a task");
    let mut titles: Vec<_> = now.items.iter().map(|item| item.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(
        titles,
        ["Book the van", "Call the landlord", "Hand over the keys", "Pack the books"]
    );
    let decisions = dormouse.task_decisions(&me, &task.id).await.expect("decisions");
    assert_eq!(decisions.len(), 4, "one decision for each item");
}
