//! Decisions: what a verdict teaches, taking it back, and two who decide at once.

use dormouse_types::agent::ItemStatus;
use std::sync::Arc;

use dormouse::view::{ChangeItem, Outcome};
use dormouse::{
    Caller, Dormouse, DrainScope, Error, NewTask, Parts, Verdict, VerdictOf, WORKSPACE,
};
use dormouse_scenes::{Scene, World, scenarios, transcript};
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::TaskId;
use dormouse_types::port::{Clock, Entropy};
use futures_util::future::join;

async fn snapshot(name: &str, scene: &Scene) -> World {
    let world = World::played(scene).await.expect("the scene plays");
    let page = transcript::of(&world).await.expect("a page");
    insta::assert_snapshot!(name, page);
    world
}

#[tokio::test]
async fn a_rejected_proposal_is_not_made_again() {
    let world = snapshot("rejected", &scenarios::rejected()).await;
    let about = |text: &'static str| move |item: &&ChangeItem| item.human_summary.contains(text);
    let all = world.proposals("move").await.expect("proposals");
    for text in ["due date", "Book the van"] {
        let states: Vec<_> =
            all.iter().filter(about(text)).map(|item| item.status.name()).collect();
        assert_eq!(states, ["rejected"], "{text}");
    }
}

#[tokio::test]
async fn newer_evidence_lifts_a_rejection() {
    let world = snapshot("newer_evidence", &scenarios::newer_evidence()).await;
    let due = world.task("move").await.expect("a task").due_on;
    assert_eq!(due.map(|day| day.to_string()).as_deref(), Some("2026-03-27"));
}

#[tokio::test]
async fn a_verdict_can_be_undone_and_given_again() {
    let world = snapshot("confirm_undo_confirm", &scenarios::confirm_undo_confirm()).await;
    let due = world.task("move").await.expect("a task").due_on;
    assert_eq!(due.map(|day| day.to_string()).as_deref(), Some("2026-03-20"));
}

/// A program on a folder, where commits wait for a writer and two requests really overlap.
struct OnDisk {
    dormouse: Dormouse,
    me: Caller,
    task: TaskId,
    items: Vec<ChangeItem>,
    _folder: tempfile::TempDir,
}

const FOUR: [&str; 4] =
    ["Book the van", "Call the landlord", "Hand over the keys", "Pack the books"];

impl OnDisk {
    /// A task whose agent proposes four items.
    async fn with_four_proposals() -> Self {
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
        let note: String = FOUR.iter().map(|title| format!("- [ ] {title}\n")).collect();
        let new = NewTask { title: "Move".into(), note: Some(note), ..NewTask::default() };
        let task = dormouse.create_task(&me, new, None).await.expect("a task").id;
        dormouse.create_agent(&me, &task, None, None).await.expect("an agent");
        let scope = DrainScope { tasks: vec![task.clone()], ..DrainScope::default() };
        dormouse.drain(scope, &mut |_| ()).await.expect("a drain");
        let mut sets = dormouse.change_sets(&me, None, false).await.expect("sets");
        let items = sets.remove(0).items;
        assert_eq!(items.len(), 4, "{items:#?}");
        Self { dormouse, me, task, items, _folder: folder }
    }

    async fn decide(&self, item: &ChangeItem, verdict: Verdict) -> Result<Outcome, Error> {
        let (set, index, digest) = (item.set.clone(), item.index, Some(item.digest.to_string()));
        let wanted =
            VerdictOf { task: None, set, index, verdict, digest, reason: None, over: None };
        self.dormouse.decide_item(&self.me, wanted, None).await
    }

    /// The checklist: its titles in order of the alphabet, archived ones left out.
    async fn titles(&self) -> Vec<String> {
        let task = self.dormouse.task(&self.me, &self.task).await.expect("a task");
        let live = task.items.into_iter().filter(|item| !item.is_archived);
        let mut titles: Vec<_> = live.map(|item| item.title).collect();
        titles.sort_unstable();
        titles
    }

    async fn status(&self, item: &ChangeItem) -> ItemStatus {
        let set = self.dormouse.change_set(&self.me, &item.set).await.expect("a set");
        let found = set.items.into_iter().find(|other| other.index == item.index);
        found.expect("the item").status
    }
}

#[tokio::test]
async fn two_who_confirm_one_item_at_once_apply_it_once_and_hear_the_same() {
    let world = OnDisk::with_four_proposals().await;
    for item in &world.items {
        let (one, other) =
            join(world.decide(item, Verdict::Confirm), world.decide(item, Verdict::Confirm)).await;
        let (one, other) = (one.expect("confirmed"), other.expect("confirmed too"));
        let item_json = |outcome: &Outcome| serde_json::to_value(&outcome.item).expect("JSON");
        assert_eq!(item_json(&one), item_json(&other));
        assert_eq!(one.item.status, ItemStatus::Confirmed);
    }
    assert_eq!(world.titles().await, FOUR);
    let decisions = world.dormouse.task_decisions(&world.me, &world.task).await;
    assert_eq!(decisions.expect("decisions").len(), 4, "one decision for each item");
}

#[tokio::test]
async fn of_two_different_verdicts_at_once_one_holds_and_the_other_is_refused() {
    let world = OnDisk::with_four_proposals().await;
    for item in &world.items {
        let (confirmed, rejected) =
            join(world.decide(item, Verdict::Confirm), world.decide(item, Verdict::Reject)).await;
        let expected = match (confirmed, rejected) {
            (Ok(_), Err(error)) => {
                assert_eq!(error.kind().name(), "already-decided", "{error}");
                ItemStatus::Confirmed
            }
            (Err(error), Ok(_)) => {
                assert_eq!(error.kind().name(), "already-decided", "{error}");
                ItemStatus::Rejected
            }
            (one, other) => panic!("one of two verdicts holds: {one:?} / {other:?}"),
        };
        assert_eq!(world.status(item).await, expected);
        let applied = world.titles().await.iter().any(|title| item.human_summary.contains(title));
        assert_eq!(applied, expected == ItemStatus::Confirmed, "{}", item.human_summary);
    }
}

#[tokio::test]
async fn a_verdict_undone_twice_at_once_is_undone_once() {
    let world = OnDisk::with_four_proposals().await;
    for item in &world.items {
        world.decide(item, Verdict::Confirm).await.expect("confirmed");
        let (one, other) =
            join(world.decide(item, Verdict::Undo), world.decide(item, Verdict::Undo)).await;
        assert!(one.is_ok() || other.is_ok(), "{one:?} / {other:?}");
        for refused in [one, other].into_iter().filter_map(Result::err) {
            assert!(["undo-refused", "conflict"].contains(&refused.kind().name()), "{refused}");
        }
        assert_eq!(world.status(item).await, ItemStatus::Pending);
        assert_eq!(world.titles().await, Vec::<String>::new());
    }
    for item in &world.items {
        world.decide(item, Verdict::Confirm).await.expect("confirmed again");
    }
    assert_eq!(world.titles().await, FOUR);
}
