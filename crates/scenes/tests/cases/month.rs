//! A month in the life of a task with the built-in rules, as a page to read: what the agent noticed on
//! each day, and what a person reads of it.

use std::fmt::Write as _;
use std::time::Duration;

use dormouse::TaskPatch;
use dormouse_scenes::{Model, Scene, Step, World};
use dormouse_types::agent::MessageKind;
use dormouse_types::task::{Priority, Status};

const TASK: &str = "tax";

/// A day of the month, and what the person does on it, in one sitting.
struct Day(u64, Vec<Step>);

fn note(text: &'static str) -> Step {
    Step::Note(TASK, text)
}

fn tick(item: &'static str) -> Step {
    Step::Tick(TASK, item)
}

fn due(day: &str) -> Step {
    let day = day.parse().expect("a day");
    Step::Edit(TASK, TaskPatch { due_on: Some(Some(day)), ..TaskPatch::default() })
}

fn priority(priority: Priority) -> Step {
    Step::Edit(TASK, TaskPatch { priority: Some(Some(priority)), ..TaskPatch::default() })
}

fn status(status: Status, reason: &str) -> Step {
    let status_reason = (!reason.is_empty()).then(|| reason.to_owned());
    Step::Edit(TASK, TaskPatch { status: Some(status), status_reason, ..TaskPatch::default() })
}

fn month() -> Vec<Day> {
    let task = Step::Task {
        task: TASK,
        title: "Tax return for 2025",
        note: "Has to be in by 2026-03-20. Everything is in the blue folder, apart from the bank statement.",
        items: &[
            "Sort the receipts",
            "Ask the bank for the yearly statement",
            "List the trips to work",
            "Fill in the form",
            "Have Ines look over it",
            "Send it off",
        ],
        labels: &[],
    };
    vec![
        Day(1, vec![task, Step::Agent(TASK)]),
        Day(
            2,
            vec![
                Step::confirm(TASK, "2026-03-20"),
                note("The bank wants 12 EUR for a printed statement."),
            ],
        ),
        Day(4, vec![tick("Sort the receipts")]),
        Day(6, vec![due("2026-03-27"), note("No time this week.")]),
        Day(8, vec![note("Ines asked again when she can look over it.")]),
        Day(10, vec![note("The tax office moved the deadline from 27 March to 3 April 2026.")]),
        Day(11, vec![due("2026-04-03")]),
        Day(12, vec![priority(Priority::P1)]),
        Day(14, vec![status(Status::Blocked, "the bank has not sent the statement")]),
        Day(
            18,
            vec![note("Called the bank, the statement comes on Friday. TODO: scan the statement")],
        ),
        Day(
            20,
            vec![status(Status::InProgress, ""), tick("Ask the bank for the yearly statement")],
        ),
        Day(22, vec![due("2026-04-10"), priority(Priority::P0)]),
        Day(23, vec![note("Got a reminder from Ines, she leaves on 30 March.")]),
        Day(
            24,
            vec![
                tick("List the trips to work"),
                tick("Fill in the form"),
                note("Form done, 41 trips."),
            ],
        ),
        Day(25, vec![note("Ines found two mistakes in the trips. Fixed them.")]),
        Day(
            26,
            vec![
                tick("Have Ines look over it"),
                note("It is with me again, only the signature is missing."),
            ],
        ),
        Day(30, vec![note("Sent it off by registered mail."), tick("Send it off")]),
    ]
}

#[tokio::test]
async fn a_month_of_a_task_reads_well() {
    let scene = Scene { name: "a month", model: Model::Builtin, steps: Vec::new() };
    let world = World::fresh(&scene);
    let mut page = String::new();
    let (mut today, mut n, mut n_notes, mut n_proposals) = (1, 0, 0, 0);
    for Day(day, steps) in month() {
        world.stage.clock.advance(Duration::from_secs(24 * 3600 * (day - today)));
        today = day;
        for step in steps {
            world.step(n, &step).await.expect("the step");
            n += 1;
        }
        let wait = Step::minutes(5);
        world.step(n, &wait).await.expect("time passes");
        let ran = world.step(n + 1, &Step::Drain).await.expect("the wakes");
        n += 2;
        let agent = world.agent(TASK).await.expect("an agent").id;
        let report = world.dormouse.report(&world.me, &agent).await.expect("a report");
        let tldr = report.and_then(|report| report.tldr).unwrap_or_default();
        writeln!(page, "day {day}, {} wakes: {tldr}", ran.len()).expect("memory");
        let mut messages =
            world.dormouse.messages(&world.me, &agent, None, 10_000).await.expect("messages");
        messages.retain(|message| message.kind == MessageKind::Observation);
        messages.sort_by_key(|message| message.created_at);
        for message in &messages[n_notes..] {
            let content = message.content.as_ref();
            let text = content.and_then(|it| it.as_str().or_else(|| it["text"].as_str()));
            let priority = message.priority.as_ref().map_or("", |it| it.name());
            writeln!(page, "  noted ({priority}): {}", text.unwrap_or_default()).expect("memory");
        }
        n_notes = messages.len();
        let mut proposals = world.proposals(TASK).await.expect("proposals");
        proposals.sort_by_key(|item| item.digest.to_string());
        let known = n_proposals;
        n_proposals = proposals.len();
        if n_proposals > known {
            let open: Vec<_> = proposals.iter().filter(|item| item.shown).collect();
            for item in open {
                writeln!(page, "  asks: {}", item.human_summary).expect("memory");
            }
        }
    }
    let agent = world.agent(TASK).await.expect("an agent").id;
    let report = world.dormouse.report(&world.me, &agent).await.expect("a report");
    let report = report.expect("there is one");
    writeln!(page, "\nits report:\n{}", report.content.as_str().unwrap_or_default())
        .expect("memory");
    let wakes = world.dormouse.wakes(&world.me, &agent, 1).await.expect("wakes");
    let key = wakes[0].run_key.as_ref().expect("a run");
    let prompts = world.dormouse.prompts(&world.me, &agent, key).await.expect("its prompts");
    let trend =
        prompts[0].fragments.iter().find(|piece| piece.kind == dormouse::view::PromptPart::Trend);
    writeln!(page, "\nwhat any model reads about the weeks:").expect("memory");
    writeln!(page, "{}", trend.expect("a trend").text).expect("memory");
    let known =
        world.dormouse.knowledge(&world.me, &agent, 100, None).await.expect("what it knows");
    writeln!(page, "\nwhat it knows, {} lines:", known.items.len()).expect("memory");
    for line in known.items {
        writeln!(page, "  {}: {}", line.line, line.text.replace('\n', " / ")).expect("memory");
    }
    insta::assert_snapshot!("month", dormouse_scenes::names::Names::default().in_text(&page));
}
