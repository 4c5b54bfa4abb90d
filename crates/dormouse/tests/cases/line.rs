//! The main job through the facade: task, agent, report, proposals, verdicts.

use dormouse_types::agent::{ItemStatus, RunStatus};
use std::sync::Arc;

use dormouse::{DrainScope, NewEntry, NewTask, Verdict, VerdictOf};
use dormouse_builtin::Builtin;

use crate::world::{me, now, services, verdict_of};

#[test]
fn a_note_becomes_a_report_and_a_confirmed_proposal_changes_the_task() {
    now(async {
        let (dormouse, rooms) = services(Arc::new(Builtin), "2026-03-02T09:00:00Z");
        let me = me();
        let new = NewTask {
        title: "Move to the new flat".into(),
        note: Some("The deadline is 2026-03-20.\n\n- [ ] Book the van\n\nWe signed the contract. It is done.".into()),
        items: vec!["Sign the contract".into()],
        ..NewTask::default()
    };
        let task = dormouse.create_task(&me, new, None).await.expect("a task");
        let agent = dormouse.create_agent(&me, &task.id, None, None).await.expect("an agent");
        let mut ran = Vec::new();
        let scope = DrainScope { tasks: vec![task.id.clone()], ..DrainScope::default() };
        dormouse.drain(scope.clone(), &mut |run| ran.push(run)).await.expect("a drain");
        assert_eq!(ran.len(), 1, "{ran:#?}");
        assert_eq!(ran[0].status, RunStatus::Completed, "{ran:#?}");
        assert!(ran[0].report, "{ran:#?}");
        let first = dormouse.report(&me, &agent.id).await.expect("readable").expect("a report");
        assert!(first.content.as_str().is_some_and(|text| text.contains("- [ ] Book the van")));
        let sets = dormouse.change_sets(&me, None, false).await.expect("sets");
        let due = sets[0]
            .items
            .iter()
            .find(|item| item.tool_name == "update_task_due_date")
            .expect("a due date is proposed");
        let digest = Some(due.digest.to_string());
        let outcome = dormouse
            .decide_item(
                &me,
                VerdictOf {
                    digest: digest.clone(),
                    ..verdict_of(&due.set, due.index, Verdict::Confirm)
                },
                None,
            )
            .await
            .expect("confirmed");
        assert_eq!(outcome.item.status, ItemStatus::Confirmed);
        let now = dormouse.task(&me, &task.id).await.expect("a task");
        assert_eq!(now.due_on.map(|day| day.to_string()).as_deref(), Some("2026-03-20"));
        let undone = dormouse
            .decide_item(
                &me,
                VerdictOf {
                    digest: digest.clone(),
                    ..verdict_of(&due.set, due.index, Verdict::Undo)
                },
                None,
            )
            .await
            .expect("undone");
        assert_eq!(undone.item.status, ItemStatus::Pending);
        assert_eq!(dormouse.task(&me, &task.id).await.expect("a task").due_on, None);
        dormouse
            .decide_item(
                &me,
                VerdictOf { digest, ..verdict_of(&due.set, due.index, Verdict::Confirm) },
                None,
            )
            .await
            .expect("confirmed again");
        rooms.later(60);
        let note =
            NewEntry { text: "The deadline moved to 2026-03-27.".into(), ..NewEntry::default() };
        dormouse.add_entry(&me, &task.id, note, None).await.expect("a note");
        ran.clear();
        dormouse.drain(scope, &mut |run| ran.push(run)).await.expect("a drain");
        assert_eq!(ran.len(), 1);
        let prompts = dormouse.prompts(&me, &agent.id, &ran[0].run_key).await.expect("prompts");
        assert!(prompts.iter().all(|prompt| prompt.verified));
        let second = dormouse.report(&me, &agent.id).await.expect("readable").expect("a report");
        assert_ne!(first.id, second.id);
        assert!(second.tldr.is_some_and(|tldr| tldr.contains("2026-03-27")));
        let sets = dormouse.change_sets(&me, None, false).await.expect("sets");
        let open: Vec<_> = sets
            .iter()
            .flat_map(|set| &set.items)
            .filter(|i| i.status == ItemStatus::Pending)
            .collect();
        assert!(open.iter().any(|item| item.human_summary.contains("2026-03-27")), "{open:#?}");
    });
}
