//! A wake whose log has grown so long that its older lines are folded.

use dormouse::tasks::NewEntry;
use dormouse_testkit::scripted::Answer;
use dormouse_types::port::OutgoingRequest;
use serde_json::json;

use super::workspace::Workspace;
use super::{marked, of_the_test};

/// Entries that fill the log beyond what is kept of it.
const N_ENTRIES: usize = 16;
/// The most that is kept of an entry. Units: bytes.
const ENTRY: usize = 16 * 1024;
/// As many calls as may fold one after the other.
const N_FOLDS: usize = 8;

/// What calls that fold send, and what the wake after them sends.
pub(super) struct Folded {
    pub(super) folds: Vec<OutgoingRequest>,
    pub(super) wake: Vec<OutgoingRequest>,
}

/// Fills the log of the agent and lets it wake.
pub(super) async fn fold(world: &Workspace) -> anyhow::Result<Folded> {
    for _ in 0..N_ENTRIES {
        let entry = NewEntry { text: of_the_test("filler", ENTRY - 200), ..NewEntry::default() };
        world.dormouse.add_entry(&world.me, &world.task, entry, None).await?;
    }
    // What is news to a wake is in the log of the next.
    world.model.script.push(Answer::calls([]));
    world.wake(None).await?;
    for _ in 0..N_FOLDS {
        let summary = json!({ "summary": marked("summary", 1000) });
        world.model.summaries.push(Answer::calls([("keep_summary", summary)]));
    }
    world.model.script.push(Answer::calls([]));
    world.bodies();
    world.wake(None).await?;
    let is_fold = |one: &OutgoingRequest| one.body.contains("keep_summary");
    let (folds, wake): (Vec<_>, Vec<_>) = world.bodies().into_iter().partition(is_fold);
    anyhow::ensure!(!folds.is_empty(), "nothing was folded");
    anyhow::ensure!(wake.len() == 1, "the wake sent {} requests", wake.len());
    Ok(Folded { folds, wake })
}
