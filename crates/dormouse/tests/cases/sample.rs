//! The sample of `samples/`: imported, noted, and what the built-in model proposes.

use dormouse_types::agent::{ItemStatus, RunStatus};
use dormouse_types::draft::Format;
use std::fmt::Write as _;
use std::sync::Arc;

use dormouse::{Caller, Dormouse, DrainScope, ImportAgents, ImportFile, ImportOptions, NewEntry};
use dormouse_builtin::Builtin;

use crate::world::{me, now, services};

const TASKS: &str = include_str!("../../../../samples/household.md");
const NOTES: &str = include_str!("../../../../samples/notes.txt");
const EXPECTED: &str = include_str!("../../../../samples/expected-proposals.txt");

async fn drain(dormouse: &Dormouse, me: &Caller) {
    let tasks = dormouse.tasks(me, dormouse::TaskFilter::default(), 50, None).await.expect("tasks");
    let tasks = tasks.items.into_iter().map(|task| task.id).collect();
    let scope = DrainScope { tasks, ..DrainScope::default() };
    let mut ran = Vec::new();
    dormouse.drain(scope, &mut |run| ran.push(run)).await.expect("a drain");
    assert!(ran.iter().all(|run| run.status == RunStatus::Completed), "{ran:#?}");
}

#[test]
fn the_built_in_model_proposes_what_the_sample_says() {
    now(async {
        let (dormouse, rooms) = services(Arc::new(Builtin), "2027-01-18T09:00:00Z");
        let me = me();
        let file = ImportFile::new("household.md", TASKS.as_bytes());
        let (agents, format) = (ImportAgents::All, Some(Format::Markdown));
        let options = ImportOptions { agents, format, ..ImportOptions::default() };
        dormouse.import(&me, &file, &options, &mut |_| {}).await.expect("imported");
        drain(&dormouse, &me).await;
        for line in NOTES.lines().filter(|line| !line.starts_with('#')) {
            let (task, text) = line.split_once(" | ").expect("task | note");
            rooms.later(3600);
            let found = dormouse.find_tasks(&me, task, 10, None).await.expect("tasks").items;
            let [task] = &found[..] else { panic!("{task} names {} tasks", found.len()) };
            let entry = NewEntry { text: text.into(), ..NewEntry::default() };
            dormouse.add_entry(&me, &task.id, entry, None).await.expect("noted");
            drain(&dormouse, &me).await;
        }
        let mut made = String::new();
        let mut sets = dormouse.change_sets(&me, None, false).await.expect("change sets");
        sets.reverse();
        sets.sort_by_key(|set| TASKS.find(&format!("## {}", set.task_title)));
        let mut title = String::new();
        for set in sets {
            if set.task_title != title {
                title.clone_from(&set.task_title);
                writeln!(made, "## {title}").expect("written");
            }
            for item in set.items.iter().filter(|item| item.status == ItemStatus::Pending) {
                let quote = item.evidence.as_ref().map_or("", |evidence| evidence.quote.as_str());
                writeln!(made, "- {}\n  > {quote}", item.human_summary).expect("written");
            }
        }
        assert!(made.matches("\n- ").count() >= 12, "{made}");
        assert_eq!(
            made, EXPECTED,
            "made:\n{made}\nsamples/expected-proposals.txt holds the expected ones"
        );
    });
}
