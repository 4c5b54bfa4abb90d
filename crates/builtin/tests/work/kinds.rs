//! The rules of the kinds, one by one.

use dormouse_types::Origin;
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::task::{Priority, Status};
use dormouse_types::verdict::Verdict;
use dormouse_types::work_facts::{AttentionReason, HistoryLine};
use dormouse_types::work_kind::{
    Agenda, AgendaList, Only, Repeat, Repeated, Review, ReviewList, Sweep, Watch, WatchList,
    WhenEmpty, WorkParameters,
};
use dormouse_types::work_outcome::{
    BuiltInOutcome, CannotRunReason, FigureList, NothingReason, ResultList, WorkProposals,
};
use serde_json::json;

use crate::desk::{Desk, named, text_of};
use crate::workspaces::{TODAY, many_tasks, two_languages};

fn agenda(agenda: Agenda) -> WorkParameters {
    WorkParameters::Agenda(agenda)
}

fn subjects(outcome: &BuiltInOutcome) -> Vec<String> {
    let text = text_of(outcome).expect("a text");
    text.sections
        .iter()
        .flat_map(|section| &section.lines)
        .map(|line| line.subject.clone())
        .collect()
}

fn nothing(outcome: &BuiltInOutcome) -> Option<NothingReason> {
    match outcome {
        BuiltInOutcome::Nothing { why } => Some(*why),
        BuiltInOutcome::Text(_)
        | BuiltInOutcome::Proposals(_)
        | BuiltInOutcome::CannotRun { .. } => None,
    }
}

fn proposals(outcome: &BuiltInOutcome) -> &WorkProposals {
    match outcome {
        BuiltInOutcome::Proposals(proposals) => proposals,
        other => panic!("no proposals: {other:?}"),
    }
}

#[test]
fn an_empty_day_is_mentioned_only_on_request() {
    let desk = Desk::new(TODAY);
    let silent = desk.run(&agenda(Agenda::default()), "en");
    assert_eq!(nothing(&silent), Some(NothingReason::NothingThere));
    let outcome =
        desk.run(&agenda(Agenda { when_empty: WhenEmpty::Say, ..Agenda::default() }), "de");
    let text = text_of(&outcome).expect("a text");
    assert_eq!(text.title, "Freitag, 20. November");
    assert_eq!(text.markdown, "Für diesen Tag steht nichts auf deinen Listen.\n");
}

#[test]
fn a_task_has_one_line_with_all_about_it() {
    let mut desk = Desk::new(TODAY);
    let task = desk
        .task("Roof")
        .due("2026-11-18")
        .status("2026-11-17", Status::Blocked, Some("the roofer"))
        .note("2026-11-19")
        .id();
    desk.attention(AttentionReason::Proposals, Some(task), "Roof", "", (2, "2026-11-19"));
    let outcome = desk.run(&agenda(Agenda::default()), "en");
    let text = text_of(&outcome).expect("a text");
    assert_eq!(
        text.markdown,
        "## Overdue\n\n- [Roof](/tasks/jt-00000000000000000000000001): Wed 18 Nov, 2 days ago, waits for: the \
         roofer, 2 changes to review\n"
    );
    assert_eq!(text.title, "Friday, 20 November: 1 overdue, 1 waits for you");
}

#[test]
fn of_work_of_which_several_runs_wait_each_line_names_its_run() {
    let mut desk = Desk::new(TODAY);
    for run in [Some(2), Some(3), None] {
        let title = if run.is_some() { "Digest" } else { "Sweep" };
        desk.attention(AttentionReason::Review, None, title, "No end.", (1, "2026-11-20"));
        desk.facts.attention.last_mut().expect("an entry").run = run;
    }
    let subjects = |language| {
        let outcome = desk.run(&agenda(Agenda::default()), language);
        let text = text_of(&outcome).expect("a text");
        text.sections[0].lines.iter().map(|it| it.subject.clone()).collect::<Vec<_>>()
    };
    assert_eq!(subjects("en"), ["Digest, run 2", "Digest, run 3", "Sweep"]);
    assert_eq!(subjects("de"), ["Digest, Lauf 2", "Digest, Lauf 3", "Sweep"]);
}

#[test]
fn what_waits_for_the_person_is_counted_wherever_its_line_is() {
    let mut desk = Desk::new(TODAY);
    let roof = desk.task("Roof").due("2026-11-18").id();
    let shed = desk.task("Shed").id();
    for (task, title) in [(&roof, "Roof"), (&shed, "Shed")] {
        let about = Some(task.clone());
        desk.attention(AttentionReason::Proposals, about, title, "", (1, "2026-11-19"));
    }
    let needs_you = |desk: &Desk| {
        let outcome = desk.run(&agenda(Agenda::default()), "en");
        let text = text_of(&outcome).expect("a text").clone();
        let section =
            text.sections.iter().find(|it| it.name == ResultList::NeedsYou).expect("a section");
        let lines: Vec<String> = section.lines.iter().map(|it| it.subject.clone()).collect();
        let figure =
            text.figures.iter().find(|it| it.name == ResultList::NeedsYou).expect("a figure");
        (text.title.clone(), lines, figure.value, figure.opens.clone())
    };
    assert_eq!(
        needs_you(&desk),
        (
            "Friday, 20 November: 1 overdue, 2 wait for you".to_owned(),
            vec!["Shed".to_owned()],
            2,
            FigureList::Tasks(vec![roof.clone(), shed.clone()]),
        )
    );
    // What is about no task is in the list of what needs attention only.
    desk.attention(AttentionReason::Question, None, "Digest", "Which?", (1, "2026-11-19"));
    let all = ["attention-2", "attention-0", "attention-1"].map(ToOwned::to_owned).to_vec();
    let (_, lines, value, opens) = needs_you(&desk);
    assert_eq!(
        (lines, value, opens),
        (vec!["Digest".into(), "Shed".into()], 3, FigureList::Attention(all))
    );
}

#[test]
fn a_list_that_is_not_wanted_takes_no_line_from_the_others() {
    let mut desk = Desk::new(TODAY);
    desk.task("Roof").due("2026-11-18").status("2026-11-17", Status::Blocked, Some("the roofer"));
    let only = Agenda { lists: vec![AgendaList::Waiting], ..Agenda::default() };
    let outcome = desk.run(&agenda(only), "en");
    assert_eq!(subjects(&outcome), ["Roof"]);
}

#[test]
fn waits_alone_are_reported_when_one_is_new_or_a_week_older() {
    let mut desk = Desk::new(TODAY).last_run("2026-11-19");
    desk.task("Table").status("2026-11-17", Status::Blocked, Some("the carpenter"));
    let parameters = agenda(Agenda::default());
    assert_eq!(nothing(&desk.run(&parameters, "en")), Some(NothingReason::NothingNew));
    desk.facts.tasks[0].status_since = crate::desk::day("2026-11-13");
    assert_eq!(subjects(&desk.run(&parameters, "en")), ["Table"]);
}

#[test]
fn after_a_weekend_the_agenda_tells_what_changed_since_friday() {
    let mut desk = Desk::new("2026-11-23").last_run("2026-11-20");
    desk.task("Shed").note("2026-11-21");
    desk.task("Fence").note("2026-11-19");
    let outcome = desk.run(&agenda(Agenda::default()), "en");
    let text = text_of(&outcome).expect("a text");
    assert_eq!(text.sections[0].heading, "Changed since Fri 20 Nov");
    assert_eq!(subjects(&outcome), ["Shed"]);
}

#[test]
fn what_the_last_agenda_could_tell_is_not_reported_again() {
    let mut desk = Desk::new(TODAY).last_run("2026-11-19T09:00");
    desk.task("Report").status("2026-11-19T07:30", Status::Done, None);
    desk.task("Dentist").note("2026-11-19T08:59");
    let parameters = agenda(Agenda::default());
    assert_eq!(nothing(&desk.run(&parameters, "en")), Some(NothingReason::NothingThere));
    desk.facts.tasks.clear();
    desk.task("Report").status("2026-11-19T07:30", Status::Done, None).note("2026-11-19T09:01");
    desk.task("Fence").created("2026-11-19T09:30").note("2026-11-20T08:00");
    let outcome = desk.run(&parameters, "en");
    let text = text_of(&outcome).expect("a text");
    assert_eq!(
        text.markdown,
        "## Changed since yesterday\n\n- [Report](/tasks/jt-00000000000000000000000001): 1 new note\n\
         - [Fence](/tasks/jt-00000000000000000000000002): new, 1 new note\n"
    );
}

#[test]
fn without_an_agenda_before_it_changes_since_yesterday_are_reported() {
    let mut desk = Desk::new(TODAY);
    desk.task("Shed").note("2026-11-19T00:00");
    desk.task("Fence").note("2026-11-18T23:59");
    let outcome = desk.run(&agenda(Agenda::default()), "en");
    assert_eq!(text_of(&outcome).expect("a text").sections[0].heading, "Changed since yesterday");
    assert_eq!(subjects(&outcome), ["Shed"]);
}

#[test]
fn a_second_agenda_of_a_day_tells_what_changed_since_the_first() {
    let mut desk = Desk::new(TODAY).last_run("2026-11-20T09:00");
    desk.task("Shed").note("2026-11-20T08:30");
    desk.task("Fence").note("2026-11-20T11:00");
    for (language, heading) in [("en", "Changed since 09:00"), ("de", "Geändert seit 09:00")] {
        let outcome = desk.run(&agenda(Agenda::default()), language);
        assert_eq!(text_of(&outcome).expect("a text").sections[0].heading, heading);
        assert_eq!(subjects(&outcome), ["Fence"]);
    }
}

#[test]
fn a_due_date_that_the_last_agenda_reported_as_moved_is_not_reported_as_moved_again() {
    let was = |at: &str| {
        let mut desk = Desk::new(TODAY).last_run("2026-11-19T09:00");
        desk.task("Roof").due("2026-11-21").moved(at, "2026-11-18");
        let outcome = desk.run(&agenda(Agenda { ahead_days: 2, ..Agenda::default() }), "en");
        text_of(&outcome).expect("a text").sections[0].lines[0].detail.clone()
    };
    assert_eq!(was("2026-11-19T08:00"), "tomorrow");
    assert_eq!(was("2026-11-19T10:00"), "tomorrow, was due Wed 18 Nov");
}

#[test]
fn a_wait_that_began_after_the_last_agenda_is_new_also_on_its_day() {
    let is_reported = |at: &str| {
        let mut desk = Desk::new(TODAY).last_run("2026-11-19T09:00");
        desk.task("Table").status(at, Status::Blocked, Some("the carpenter"));
        text_of(&desk.run(&agenda(Agenda::default()), "en")).is_some()
    };
    assert!(!is_reported("2026-11-19T08:00"));
    assert!(is_reported("2026-11-19T10:00"));
}

#[test]
fn what_was_changed_and_changed_back_is_no_news() {
    let mut desk = Desk::new(TODAY);
    desk.task("Shed").due("2026-12-01").moved("2026-11-19", "2026-12-01");
    assert_eq!(
        nothing(&desk.run(&agenda(Agenda::default()), "en")),
        Some(NothingReason::NothingThere)
    );
}

#[test]
fn writes_of_agents_are_no_news() {
    let mut desk = Desk::new(TODAY);
    let agent = crate::desk::id("ag", 1);
    let entry = crate::desk::id("en", 1);
    desk.task("Shed").by("2026-11-19", Origin::Agent { agent }, What::EntryAdded { entry });
    let outcome = desk.run(&agenda(Agenda::default()), "en");
    assert_eq!(nothing(&outcome), Some(NothingReason::NothingThere));
}

#[test]
fn filters_hold_for_every_list() {
    let only = Only { categories: vec![named("ct", 2, "Family")], ..Only::default() };
    let outcome = two_languages().run(&agenda(Agenda { only, ..Agenda::default() }), "en");
    assert_eq!(subjects(&outcome), ["Conference", "Dentist", "Elternabend", "Curtains"]);
    let only = Only { priorities: vec![Priority::P0], ..Only::default() };
    let outcome = two_languages().run(&agenda(Agenda { only, ..Agenda::default() }), "en");
    assert!(subjects(&outcome).contains(&"Nebenkosten prüfen".to_owned()));
}

#[test]
fn a_long_list_is_cut_and_its_figure_opens_all_of_it() {
    let outcome = many_tasks(2_000).run(&agenda(Agenda::default()), "en");
    let text = text_of(&outcome).expect("a text");
    let overdue = text
        .sections
        .iter()
        .find(|section| section.name == ResultList::Overdue)
        .expect("a section");
    let figure =
        text.figures.iter().find(|figure| figure.name == ResultList::Overdue).expect("a figure");
    assert_eq!(overdue.lines.len(), 7);
    assert_eq!(u64::try_from(overdue.n_more + 7).ok(), Some(figure.value));
    let FigureList::Tasks(ids) = &figure.opens else { panic!("tasks") };
    assert_eq!(u64::try_from(ids.len()).ok(), Some(figure.value));
    assert!(text.markdown.contains(&format!("- and {} more\n", overdue.n_more)));
}

#[test]
fn a_deadline_is_reported_at_each_step_and_not_in_between() {
    let is_reported = |today: &str, last: &str| {
        let mut desk = Desk::new(today).last_run(last);
        desk.task("Passport").due("2026-11-30").changed("2026-10-01");
        let watch = Watch { warn_days: 5, ..Watch::default() };
        text_of(&desk.run(&WorkParameters::Watch(watch), "en")).is_some()
    };
    let days = ["11-24", "11-25", "11-26", "11-27", "11-28", "11-29", "11-30", "12-01", "12-02"];
    let reported: Vec<bool> = days
        .windows(2)
        .map(|days| is_reported(&format!("2026-{}", days[1]), &format!("2026-{}", days[0])))
        .collect();
    assert_eq!(reported, [true, false, false, false, true, true, true, false]);
}

#[test]
fn nothing_is_called_no_news_before_anything_was_said() {
    let why = |last: Option<&str>| {
        let mut desk = Desk::new(TODAY);
        if let Some(last) = last {
            desk = desk.last_run(last);
        }
        desk.task("Taxes").due("2026-11-02");
        nothing(&desk.run(&WorkParameters::Watch(Watch::default()), "en"))
    };
    assert_eq!(why(None), Some(NothingReason::NothingThere));
    assert_eq!(why(Some("2026-11-19")), Some(NothingReason::NothingNew));
}

#[test]
fn a_watch_that_slept_over_a_step_tells_it_once() {
    let mut desk = Desk::new("2026-11-28").last_run("2026-11-20");
    desk.task("Passport").due("2026-11-30").changed("2026-10-01");
    let watch = WorkParameters::Watch(Watch::default());
    assert_eq!(subjects(&desk.run(&watch, "en")), ["Passport"]);
}

#[test]
fn a_deadline_that_was_moved_within_reach_is_reported_at_once() {
    let mut desk = Desk::new(TODAY).last_run("2026-11-19");
    desk.task("Passport").due("2026-11-23").moved(TODAY, "2026-12-20");
    let watch = Watch { warn_days: 4, ..Watch::default() };
    assert_eq!(subjects(&desk.run(&WorkParameters::Watch(watch), "en")), ["Passport"]);
}

#[test]
fn a_wait_is_reported_each_time_it_has_lasted_as_long_again() {
    let is_reported = |today: &str, last: &str| {
        let mut desk = Desk::new(today).last_run(last);
        desk.task("Table").status("2026-11-01", Status::Blocked, Some("the carpenter"));
        let lists = vec![WatchList::Waiting];
        let watch = Watch { lists, waiting_days: 5, ..Watch::default() };
        text_of(&desk.run(&WorkParameters::Watch(watch), "en")).is_some()
    };
    assert!(is_reported("2026-11-06", "2026-11-05"));
    assert!(!is_reported("2026-11-07", "2026-11-06"));
    assert!(is_reported("2026-11-11", "2026-11-10"));
}

#[test]
fn a_review_counts_hours_by_category_and_each_opens_its_tasks() {
    let lists = vec![ReviewList::Hours];
    let outcome =
        two_languages().run(&WorkParameters::Review(Review { lists, ..Review::default() }), "en");
    let text = text_of(&outcome).expect("a text");
    assert_eq!(text.title, "The week to Friday, 20 November: 1 h 45 min");
    assert_eq!(
        text.markdown,
        "## Time spent: 1 h 45 min\n\n- House move: 1 h 35 min\n- Family: 10 min\n"
    );
    assert!(text.figures.iter().all(|figure| figure.name == ResultList::Hours));
    let figures: Vec<(Option<&str>, u64)> =
        text.figures.iter().map(|figure| (figure.category.as_deref(), figure.value)).collect();
    assert_eq!(figures, [(None, 105), (Some("House move"), 95), (Some("Family"), 10)]);
}

#[test]
fn what_was_done_before_its_import_is_no_news() {
    let mut desk = Desk::new(TODAY).last_run("2026-11-17");
    let status = |from, to| {
        let value = |status| Some(FieldValue::Status { status, reason: None });
        let change = FieldChange { field: FieldRef::Status, from: value(from), to: value(to) };
        What::FieldSet(change)
    };
    let imported = |desk: &mut Desk, title: &str, day: &str| {
        let created = What::TaskCreated { title: title.into() };
        let done = status(Status::Open, Status::Done);
        let task = desk.task(title).status(day, Status::Done, None);
        let task = task.without_history().by("2026-11-18", Origin::Import, created);
        task.by(day, Origin::Import, done);
    };
    imported(&mut desk, "Week 1", "2026-11-18");
    imported(&mut desk, "Ticked in the file later", "2026-11-19");
    let person = Origin::Person { via: None };
    imported(&mut desk, "Reopened and done", "2026-11-18");
    let again = &mut desk.facts.tasks[2];
    for (from, to) in [(Status::Done, Status::Open), (Status::Open, Status::Done)] {
        let (origin, what) = (person.clone(), Some(status(from, to)));
        let on = crate::desk::day("2026-11-19");
        let at = crate::desk::instant(on.at(12, 0, 0, 0));
        again.history.push(HistoryLine { at, on, origin, what });
    }
    again.status_since = crate::desk::day("2026-11-19");
    let lists = vec![ReviewList::Done];
    let review = desk.run(&WorkParameters::Review(Review { lists, ..Review::default() }), "en");
    assert_eq!(subjects(&review), ["Reopened and done", "Ticked in the file later"]);
    let lists = vec![AgendaList::Changed];
    let changed = desk.run(&agenda(Agenda { lists, ..Agenda::default() }), "en");
    assert_eq!(
        subjects(&changed),
        ["1 imported task", "Reopened and done", "Ticked in the file later"]
    );
}

#[test]
fn a_sweep_proposes_with_the_day_of_the_last_change_and_asks_once() {
    let mut desk = Desk::new(TODAY);
    desk.task("Fresh").changed("2026-11-10");
    desk.task("Old").changed("2026-08-12");
    desk.task("Planned").changed("2026-08-12").due("2027-01-01");
    desk.task("Asked already").changed("2026-08-12").proposed("set_task_status");
    desk.task("Refused").changed("2026-08-12").verdict(
        "2026-09-20",
        "set_task_status",
        Verdict::Reject,
        true,
    );
    desk.task("Refused, then changed").changed("2026-10-01").verdict(
        "2026-09-20",
        "set_task_status",
        Verdict::Reject,
        true,
    );
    desk.task("Waiting").status("2026-08-12", Status::Blocked, Some("Bo")).changed("2026-08-12");
    let outcome = desk.run(&WorkParameters::Sweep(Sweep::default()), "en");
    let proposed = proposals(&outcome);
    assert_eq!(subjects(&outcome), ["Old", "Refused, then changed"]);
    assert_eq!(proposed.calls.len(), 2);
    assert_eq!(proposed.calls[0].tool, "set_task_status");
    assert_eq!(
        proposed.calls[0].args,
        json!({ "status": "ON HOLD", "reason": "No change since 12 Aug 2026 (100 days)" })
    );
    assert_eq!(proposed.text.title, "2 tasks had no change for 30 days or more");
}

#[test]
fn a_sweep_leaves_urgent_and_fresh_deadlines_and_begins_with_what_lay_longest() {
    let mut desk = Desk::new(TODAY);
    desk.task("AUR package").changed("2026-08-12").priority(Priority::P1);
    desk.task("CI").changed("2026-08-12").priority(Priority::P0).due("2026-08-13");
    desk.task("Backport").changed("2026-08-12").due("2026-11-19");
    desk.task("B, no deadline").changed("2026-08-12");
    desk.task("C, late since September").changed("2026-08-12").due("2026-09-01");
    desk.task("D, late since August").changed("2026-08-12").due("2026-08-20");
    desk.task("E, oldest").changed("2026-07-01").priority(Priority::P3);
    let outcome = desk.run(&WorkParameters::Sweep(Sweep::default()), "en");
    assert_eq!(
        subjects(&outcome),
        ["E, oldest", "D, late since August", "C, late since September", "B, no deadline"]
    );
}

#[test]
fn a_sweep_lets_no_more_wait_at_once_than_it_proposes_at_once() {
    let mut desk = Desk::new(TODAY);
    for n in 0..9 {
        let task = desk.task(&format!("Old {n}")).changed("2026-08-12");
        if n < 3 {
            task.proposed("set_task_status");
        }
    }
    let sweep = |most| WorkParameters::Sweep(Sweep { most, ..Sweep::default() });
    assert_eq!(subjects(&desk.run(&sweep(5), "en")), ["Old 3", "Old 4"]);
    assert_eq!(nothing(&desk.run(&sweep(3), "en")), Some(NothingReason::StillProposed));
    assert_eq!(Sweep::default().most, 5);
}

#[test]
fn a_sweep_lists_exactly_what_it_proposes() {
    let mut desk = Desk::new(TODAY);
    for n in 0..6 {
        desk.task(&format!("Old {n}")).changed("2026-08-12");
    }
    let outcome = desk.run(&WorkParameters::Sweep(Sweep { most: 5, ..Sweep::default() }), "en");
    let proposed = proposals(&outcome);
    assert_eq!((proposed.calls.len(), subjects(&outcome).len()), (5, 5));
    assert_eq!(proposed.text.sections[0].n_more, 1);
}

fn reset(n: usize, title: &str) -> WorkParameters {
    let what = Repeated::Reset { task: named("jt", n, title) };
    WorkParameters::Repeat(Repeat { what, by_rule: true })
}

#[test]
fn a_checklist_starts_over_and_tells_what_was_left() {
    let mut desk = Desk::new(TODAY);
    let mut draft = desk.task("Packing list").item("Socks", false);
    for n in 0..25 {
        draft = draft.item(&format!("Thing {n}"), true);
    }
    let outcome = desk.run(&reset(1, "Packing list"), "en");
    let proposed = proposals(&outcome);
    let sizes: Vec<usize> = proposed
        .calls
        .iter()
        .map(|call| call.args["items"].as_array().expect("a list").len())
        .collect();
    assert_eq!(sizes, [20, 5]);
    assert_eq!(
        proposed.calls[0].args["items"][0],
        json!({ "id": "ci-00000000000000000000000002", "isChecked": false })
    );
    assert!(proposed.by_rule);
    assert_eq!(proposed.text.sections[1].lines[0].subject, "Socks");
    assert_eq!(proposed.calls[0].evidence.text, "25 of 26 items are ticked");
}

#[test]
fn a_checklist_without_a_tick_is_left_alone_and_a_missing_one_is_reported() {
    let mut desk = Desk::new(TODAY);
    desk.task("Packing list").item("Socks", false);
    desk.task("Bare");
    desk.task("Closed").item("x", true).status("2026-11-18", Status::Done, None);
    assert_eq!(
        nothing(&desk.run(&reset(1, "Packing list"), "en")),
        Some(NothingReason::NothingTicked)
    );
    let why = |n, title: &str| match desk.run(&reset(n, title), "en") {
        BuiltInOutcome::CannotRun { why, subject } => (why, subject),
        other => panic!("{other:?}"),
    };
    assert_eq!(why(2, "Bare"), (CannotRunReason::NoChecklist, "Bare".into()));
    assert_eq!(why(3, "Closed"), (CannotRunReason::TaskClosed, "Closed".into()));
    assert_eq!(why(9, "Gone\nlist"), (CannotRunReason::TaskGone, "Gone list".into()));
}

#[test]
fn a_task_is_not_made_again_while_the_last_one_is_open() {
    let make = Repeated::Make { title: "Water the plants".into() };
    let parameters = WorkParameters::Repeat(Repeat { what: make, by_rule: false });
    let mut desk = Desk::new(TODAY);
    let outcome = desk.run(&parameters, "en");
    assert_eq!(proposals(&outcome).new_tasks[0].title, "Water the plants");
    assert_eq!(proposals(&outcome).new_tasks[0].due_on, Some(crate::desk::day(TODAY)));
    desk.task("water the  plants");
    assert_eq!(nothing(&desk.run(&parameters, "en")), Some(NothingReason::StillOpen));
}

#[test]
fn a_copy_has_everything_but_ticks_and_days() {
    let mut desk = Desk::new(TODAY);
    desk.task("Monthly accounts")
        .category(1, "Work")
        .label(1, "urgent")
        .estimate(60)
        .due("2026-10-31")
        .item("Bank", true)
        .item("Receipts", false);
    let what = Repeated::Copy { task: named("jt", 1, "Monthly accounts") };
    let outcome = desk.run(&WorkParameters::Repeat(Repeat { what, by_rule: false }), "en");
    assert_eq!(
        proposals(&outcome).text.title,
        "To do again, beside the one that is still open: Monthly accounts"
    );
    let new = &proposals(&outcome).new_tasks[0];
    assert_eq!(new.items, ["Bank", "Receipts"]);
    assert_eq!(new.due_on, Some(crate::desk::day(TODAY)));
    assert_eq!(new.estimate_minutes, Some(60));
    assert_eq!(new.labels.len(), 1);
    assert!(new.category.is_some() && new.copy_of.is_some());
}

#[test]
fn a_language_without_words_is_served_in_english() {
    let mut desk = Desk::new(TODAY);
    desk.task("Roof").due(TODAY);
    let outcome = desk.run(&agenda(Agenda::default()), "ja");
    assert_eq!(text_of(&outcome).expect("a text").title, "Friday, 20 November: 1 due today");
}
