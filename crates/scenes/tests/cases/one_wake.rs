//! `docs/one-wake.md` is what really happens: it is made from a run.

use std::path::PathBuf;

use dormouse::TaskPatch;
use dormouse_scenes::{Model, Scene, Step, commit_walkthrough};

const BEFORE: &str = "\
# One wake, row by row

A task is made, it gets an agent, the agent wakes once, and the person confirms what it proposes.
Below is every commit of that story with every row it wrote, in order. Left out are empty columns,
the workspace, times of making and changing, vector clocks, and the ends of long texts.

How to read it:

- A heading is one commit: its label, and the database it is in. A commit is in one database only,
  and it is there whole or not at all.
- `+` is a new row, `~` a changed one (its key, then each column as it was and as it is), `-` a row
  that is gone. The word after it is the table.
- Ids and hashes have short names in the order in which they appear: `jt` is a task, `ag` an agent,
  `#1` a hash. Times are the time of day.

What to look for:

1. The person's edits touch the journal alone. A row of `change_log` says which tasks they touch.
2. Making the agent makes its row in `wake_queue`, which stays for life. A wake that waits is a time
   in that row, and an agent that sleeps has none.
3. The wake itself is three commits. `run.claim` takes the lease (`owner`, `epoch`) and fixes what
   the run covers. `run.request` keeps the prompt, text by text, before the model is called.
   `run.final` has all that came of it: messages, proposals, the report, the log, and the end of the
   lease. A crash between two of them loses a question at most.
4. The decision is three commits as well, since it concerns both databases: the verdict and an open
   row in `saga_log`; the change of the task with its receipt in `applied_operations`; the outcome.
   Recovery finishes the second and the third wherever they are missing.

## The commits

";

const AFTER: &str = "\
---

This page is made from a run by `crates/scenes/tests/cases/one_wake.rs`, which fails when the two
differ. To make it again, delete it and run `cargo test -p dormouse-scenes one_wake`: the test writes
the page and fails once, so that somebody looks at it.
";

fn scene() -> Scene {
    let task = Step::Task {
        task: "plumber",
        title: "Call the plumber",
        note: "The deadline is 2026-03-20.\n\n- [ ] Find the warranty",
        items: &[],
        labels: &[],
    };
    let english = TaskPatch { language: Some(Some("en".into())), ..TaskPatch::default() };
    Scene {
        name: "one wake",
        model: Model::Builtin,
        steps: vec![
            task,
            Step::Edit("plumber", english),
            Step::Agent("plumber"),
            Step::Drain,
            Step::confirm("plumber", "2026-03-20"),
        ],
    }
}

#[tokio::test]
async fn the_page_about_one_wake_is_what_happens() {
    let journey = commit_walkthrough::of(&scene()).await.expect("the scene plays");
    let page = format!("{BEFORE}{journey}{AFTER}");
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/one-wake.md"));
    let Ok(known) = std::fs::read_to_string(&path) else {
        std::fs::write(&path, page).expect("the page is written");
        panic!("{} was missing and is made again: look at it, then run again", path.display());
    };
    assert!(
        known == page,
        "docs/one-wake.md is not what happens any more: delete it and run this test to make it again.\n{}",
        similar::TextDiff::from_lines(known.as_str(), page.as_str())
            .unified_diff()
            .context_radius(0)
    );
}
