//! The scenes that every change of the runtime must keep playing.

use std::sync::LazyLock;
use std::time::Duration;

use dormouse::TaskPatch;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::ModelError;
use dormouse_types::task::LinkKind;
use serde_json::json;

use crate::scene::{Answers, Model, Scene, Step};

/// Every scene.
pub fn all() -> Vec<Scene> {
    vec![
        first_wake(),
        incremental_wake(),
        nothing_changed(),
        rejected(),
        newer_evidence(),
        confirm_undo_confirm(),
        by_rule(),
        several_turns(),
        labels(),
        many_at_once(),
        come_and_gone(),
        linked(),
        forgotten(),
        failing(),
        provider_away(),
        hosted(),
        folded(),
        folded_again(),
    ]
}

const MOVE: Step = Step::Task {
    task: "move",
    title: "Move to the new flat",
    note: "The deadline is 2026-03-20. We signed the contract with the landlord, that is done.\n\n- [ ] Book the van\n\nDetails: https://example.org/flat",
    items: &["Sign the contract"],
    labels: &[],
};

fn builtin(name: &'static str, steps: Vec<Step>) -> Scene {
    Scene { name, model: Model::Builtin, steps }
}

/// A task with a note gets an agent, which wakes for the first time.
pub fn first_wake() -> Scene {
    builtin("first wake", vec![MOVE, Step::Agent("move"), Step::Drain])
}

/// One of five items is ticked.
pub fn incremental_wake() -> Scene {
    let garden = Step::Task {
        task: "garden",
        title: "Spring in the garden",
        note: "Five beds, one weekend.",
        items: &[
            "Prune the roses",
            "Turn the compost",
            "Sow the peas",
            "Mend the fence",
            "Oil the gate",
        ],
        labels: &[],
    };
    builtin(
        "incremental wake",
        vec![
            garden,
            Step::Agent("garden"),
            Step::Drain,
            Step::Tick("garden", "Sow the peas"),
            Step::Drain,
        ],
    )
}

/// A note is removed from what the agent knows, and from its task.
pub fn forgotten() -> Scene {
    builtin(
        "a line removed from memory",
        vec![
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::Note("move", "The code of the gate is 4711, do not tell the neighbours."),
            Step::Drain,
            Step::minutes(10),
            Step::Forget("move", "4711"),
            Step::Note("move", "The movers have called."),
            Step::Drain,
        ],
    )
}

/// A second wake without news does no work.
pub fn nothing_changed() -> Scene {
    builtin(
        "nothing changed",
        vec![MOVE, Step::Agent("move"), Step::Drain, Step::minutes(60), Step::Drain, Step::Drain],
    )
}

/// A rejected proposal is not made again, even if the agent looks at everything afresh.
pub fn rejected() -> Scene {
    builtin(
        "reject, then no repeat",
        vec![
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::reject_because("move", "2026-03-20", "that is the day of the key handover"),
            Step::reject("move", "Book the van"),
            Step::Reanalyse("move"),
            Step::Drain,
            Step::Note("move", "Nothing new today, we only packed books."),
            Step::Drain,
        ],
    )
}

/// A note written after a rejection names another day: that may be proposed.
pub fn newer_evidence() -> Scene {
    builtin(
        "newer evidence lifts the rejection",
        vec![
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::reject("move", "2026-03-20"),
            Step::minutes(60),
            Step::Note("move", "The deadline moved to 2026-03-27."),
            Step::Drain,
            Step::confirm("move", "2026-03-27"),
            Step::Drain,
        ],
    )
}

/// A verdict is undone, and given again.
pub fn confirm_undo_confirm() -> Scene {
    builtin(
        "confirm, undo, confirm again",
        vec![
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::confirm("move", "2026-03-20"),
            Step::undo("move", "2026-03-20"),
            Step::confirm("move", "2026-03-20"),
            Step::confirm("move", "Book the van"),
            Step::undo("move", "Book the van"),
            Step::Drain,
        ],
    )
}

/// What one tool proposes is applied by the person's rule, and undone by the person.
pub fn by_rule() -> Scene {
    builtin(
        "applied by a rule",
        vec![
            Step::ApplyByItself("update_task_due_date"),
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::undo("move", "2026-03-20"),
            Step::Drain,
        ],
    )
}

/// A model that takes three turns, one of which writes the journal, and says it in other words
/// when it is called again. Then one that takes two.
pub fn several_turns() -> Scene {
    let language = |code: &str| {
        let note = json!({ "observations": ["the person writes in short lines"] });
        let args = json!({ "languageCode": code, "confidence": "high" });
        Answer::calls([("set_task_language", args), ("record_observations", note)]).and_goes_on()
    };
    let proposals = |van: &str, day: &str| {
        let items = json!({ "items": [{ "title": van }, { "title": "Hand over the keys" }] });
        let due = json!({ "dueDate": day, "reason": "the note names it" });
        Answer::calls([("add_multiple_checklist_items", items), ("update_task_due_date", due)])
            .and_goes_on()
    };
    let answers = vec![
        Answers { first: language("en"), again: language("en") },
        Answers {
            first: proposals("Book the van", "2026-03-20"),
            again: proposals("Reserve the van", "2026-03-21"),
        },
        Answers {
            first: report("The move is on its way.", "- [ ] the van"),
            again: report("The move is under way.", "- [ ] the van, and the keys"),
        },
        Answers {
            first: proposals("Pack the books", "2026-03-27").and_goes_on(),
            again: proposals("Pack all books", "2026-03-27").and_goes_on(),
        },
        Answers {
            first: report("Books are next.", "- [ ] the books"),
            again: report("The books come next.", "- [ ] books"),
        },
    ];
    Scene {
        name: "several turns",
        model: Model::Scripted(answers),
        steps: vec![
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::confirm("move", "the van"),
            Step::reject("move", "keys"),
            Step::Say("move", "What about the books?"),
            Step::Drain,
            Step::ConfirmAll("move"),
            Step::Drain,
        ],
    }
}

fn report(tldr: &str, content: &str) -> Answer {
    Answer::calls([("update_report", json!({ "tldr": tldr, "content": content }))])
}

/// A label is proposed and rejected, which suppresses it; the verdict is undone and given again.
pub fn labels() -> Scene {
    let task = |task, title, note, labels| Step::Task { task, title, note, items: &[], labels };
    builtin(
        "labels",
        vec![
            task("taxes", "Taxes", "Sort the receipts.", &["finance", "home"]),
            task(
                "boiler",
                "Boiler",
                "Please label this: home. Label: finance. It belongs to finance and home.",
                &[],
            ),
            Step::Agent("boiler"),
            Step::Drain,
            Step::reject("boiler", "finance"),
            Step::undo("boiler", "finance"),
            Step::reject_because("boiler", "finance", "it is paid"),
            Step::confirm("boiler", "home"),
            Step::Label("boiler", "urgent"),
            Step::Drain,
        ],
    )
}

/// Two tasks, many proposals: all confirmed, all put off, some undone.
pub fn many_at_once() -> Scene {
    let trip = Step::Task {
        task: "trip",
        title: "Trip to the coast",
        note: "TODO: buy train tickets\nTODO: ask the neighbour for the cat\n\nThis will take 3 hours. It is urgent.\n\n- [ ] Charge the camera\n- [ ] Print the map",
        items: &["Pack the tent"],
        labels: &[],
    };
    builtin(
        "many at once",
        vec![
            MOVE,
            trip,
            Step::Agent("move"),
            Step::Agent("trip"),
            Step::Drain,
            Step::ConfirmAll("move"),
            Step::Dismiss("trip"),
            Step::undo("trip", "Charge the camera"),
            Step::confirm("trip", "Charge the camera"),
            Step::confirm("trip", "Print the map"),
            Step::Tick("trip", "Pack the tent"),
            Step::Item("trip", "Call the camp site"),
            Step::Drain,
        ],
    )
}

/// A task that is deleted with proposals open, and restored; an agent that is paused and resumed.
pub fn come_and_gone() -> Scene {
    let patch = TaskPatch {
        priority: Some(Some(dormouse_types::task::Priority::P1)),
        ..TaskPatch::default()
    };
    builtin(
        "come and gone",
        vec![
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::Pause("move"),
            Step::Edit("move", patch),
            Step::Drain,
            Step::Resume("move"),
            Step::Drain,
            Step::Delete("move"),
            Step::Drain,
            Step::Restore("move"),
            Step::Drain,
        ],
    )
}

/// Two tasks that are linked, change, and go apart again.
pub fn linked() -> Scene {
    let sale = Step::Task {
        task: "sale",
        title: "Sell the old flat",
        note: "The agency wants photos first.",
        items: &["Take photos"],
        labels: &[],
    };
    builtin(
        "linked tasks",
        vec![
            MOVE,
            sale,
            Step::Agent("move"),
            Step::Agent("sale"),
            Step::Drain,
            Step::Link("move", LinkKind::Blocks, "sale"),
            Step::Link("sale", LinkKind::RelatesTo, "move"),
            Step::Drain,
            Step::Tick("move", "Sign the contract"),
            Step::Drain,
            Step::Unlink("sale", "move"),
            Step::Drain,
        ],
    )
}

/// A model that never answers properly: back-off, and dormant after the fifth time.
pub fn failing() -> Scene {
    let refused = Answer::Fails(ModelError::Request { detail: "the prompt is too long".into() });
    let mut steps = vec![MOVE, Step::Agent("move"), Step::Drain];
    for _ in 0..5 {
        steps.push(Step::minutes(90));
        steps.push(Step::Drain);
    }
    Scene {
        name: "a model that fails",
        model: Model::Scripted(vec![Answers::always(refused); 5]),
        steps,
    }
}

/// A provider that is away for a while: nobody's fault, and nothing is counted.
pub fn provider_away() -> Scene {
    let away = Answer::Fails(ModelError::Provider {
        why: dormouse_types::model::ProviderUnavailable::Outage,
        provider: "script".into(),
        detail: "the quota is used up".into(),
        retry_after: None,
    });
    let wait = Duration::from_secs(120);
    Scene {
        name: "a provider that is away",
        model: Model::Scripted(vec![
            Answers::always(away.clone()),
            Answers::always(away),
            Answers::always(report("All is quiet.", "- [ ] the van")),
        ]),
        steps: vec![
            MOVE,
            Step::Agent("move"),
            Step::Drain,
            Step::Wait(wait),
            Step::Drain,
            Step::Wait(wait),
            Step::Drain,
        ],
    }
}

/// The same as [`several_turns`] with a model of a provider: what it costs is reserved before each
/// call, and every turn has a part that goes back to it.
pub fn hosted() -> Scene {
    let scene = several_turns();
    let answers = scene.model.answers().unwrap_or_default().to_vec();
    Scene { name: "hosted", model: Model::Hosted(answers), ..scene }
}

/// Three notes, each of about 300 tokens: more than a hosted model keeps in its log.
static LONG_NOTES: LazyLock<[String; 3]> = LazyLock::new(|| {
    ["Kitchen.", "Cellar.", "Attic."].map(|room| format!("{room} {}", "Boxes to pack. ".repeat(80)))
});

/// A log that outgrows its model: two pieces of it are folded one after the other, the second
/// together with what came of the first. One answer cannot be used.
pub fn folded() -> Scene {
    let summary = |text: &str| Answer::calls([("keep_summary", json!({ "summary": text }))]);
    let answers = vec![
        Answers::always(report("Three rooms are full.", "- [ ] the boxes")),
        Answers::always(summary("")),
        Answers {
            first: summary("The kitchen and the cellar are full of boxes, and nothing is packed."),
            again: summary("Boxes stand in the kitchen and in the cellar; not one is packed yet."),
        },
        Answers {
            first: summary("Kitchen, cellar and attic are full of boxes; nothing of it is packed."),
            again: summary(
                "There are boxes in all three rooms, and not one of them is packed yet.",
            ),
        },
        Answers {
            first: report("The attic comes first.", "- [ ] the attic"),
            again: report("First comes the attic.", "- [ ] the attic, and the rest"),
        },
    ];
    let [kitchen, cellar, attic] = &*LONG_NOTES;
    Scene {
        name: "folded",
        model: Model::Hosted(answers),
        steps: vec![
            MOVE,
            Step::Note("move", kitchen),
            Step::Note("move", cellar),
            Step::Note("move", attic),
            Step::Agent("move"),
            Step::Drain,
            Step::Say("move", "Where do I begin?"),
            Step::Drain,
        ],
    }
}

/// A folded log from which a line is removed: its summaries go with it, and the lines that are left
/// are folded again from the first one.
pub fn folded_again() -> Scene {
    let summary = |text: &str| Answer::calls([("keep_summary", json!({ "summary": text }))]);
    let scene = folded();
    let mut answers = scene.model.answers().unwrap_or_default().to_vec();
    answers.extend([
        Answers {
            first: summary("Cellar and attic are full of boxes, and not one of them is packed."),
            again: summary("There are boxes in the cellar and in the attic; none is packed yet."),
        },
        Answers {
            first: report("The cellar is next.", "- [ ] the cellar"),
            again: report("Next is the cellar.", "- [ ] the cellar, and the rest"),
        },
    ]);
    let more = [
        Step::minutes(10),
        Step::Forget("move", "Kitchen."),
        Step::Say("move", "And now?"),
        Step::Drain,
    ];
    let steps = scene.steps.into_iter().chain(more).collect();
    Scene { name: "folded again", model: Model::Hosted(answers), steps }
}
