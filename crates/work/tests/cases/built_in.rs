//! Runs that need no language model.

use std::collections::BTreeSet;

use dormouse_scheduler::End;
use dormouse_store::agent::wake_queue;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::FragmentKind;
use dormouse_types::work::WorkCreator;
use dormouse_types::work_facts::LastRun;
use dormouse_types::work_outcome::{
    BuiltInOutcome, CannotRunReason, Figure, FigureList, FigureUnit, NothingReason, ResultList,
    WorkText,
};
use dormouse_types::{TaskId, Timestamp, WorkId};
use dormouse_work::RequestContext;
use dormouse_work::lifecycle::Edit;
use jiff::civil::date;

use crate::world::{WS, World, finish, me, wait};

const DONE: End = End::Completed { cut: false };

fn text() -> BuiltInOutcome {
    let rent: TaskId = "jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    BuiltInOutcome::Text(WorkText {
        title: "1 task is due".into(),
        sections: Vec::new(),
        markdown: "- Pay the rent".into(),
        figures: vec![Figure {
            name: ResultList::Due.into(),
            category: None,
            value: 1,
            unit: FigureUnit::Count,
            opens: FigureList::Tasks(vec![rent]),
        }],
    })
}

fn nothing() -> BuiltInOutcome {
    BuiltInOutcome::Nothing { why: NothingReason::NothingNew }
}

#[track_caller]
fn agenda(world: &World, words: Option<&str>) -> WorkId {
    wait(world.work.create(WS, &world.new_built_in("Agenda", words), &me()))
        .expect("it is created")
        .definition
        .id
}

fn it_asks_no_model_and_leaves_a_result_with_its_figures(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, None);
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    let run = world.runs(&id).remove(0);
    assert_eq!(run.result_title.as_deref(), Some("1 task is due"));
    assert_eq!(run.result.as_deref(), Some("- Pay the rent"));
    assert_eq!(run.summary.as_deref(), Some("1 task is due"));
    let figures: Vec<Figure> =
        serde_json::from_str(&run.figures.expect("figures")).expect("a list of figures");
    assert_eq!(figures[0].value, 1);
    assert!(world.script.requests().is_empty());
    assert_eq!(world.hooks.commits("work.final"), 1);
    assert_eq!(world.drain(), [], "it runs once");
}

fn without_news_it_says_nothing_and_knows_when_it_last_did(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, Some("every weekday at 9"));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), [DONE]);
    world.rules.comes_to(nothing());
    world.set("2026-03-03T08:00:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded", "03-03 09:00 no_op"]);
    let silent = world.runs(&id).remove(1);
    assert_eq!(silent.summary.as_deref(), Some("Nothing is new since the last run."));
    assert_eq!((silent.result, silent.figures.as_deref()), (None, Some("[]")));
    let last = LastRun {
        at: "2026-03-02T08:00:00Z".parse().map(Timestamp::from_jiff).expect("a time"),
        local: date(2026, 3, 2).at(9, 0, 0, 0),
    };
    assert_eq!(world.facts.last_runs(), [None, Some(last)]);
}

fn what_it_cannot_do_is_reported_with_what_to_do(world: &World) {
    let why = CannotRunReason::TaskGone;
    world.rules.comes_to(BuiltInOutcome::CannotRun { why, subject: "Packing".into() });
    let id = agenda(world, None);
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "failed/failed");
    let run = world.runs(&id).remove(0);
    let error = run.error.expect("words");
    assert!(error.contains("Packing") && error.contains("choose another one"), "{error}");
    world.rules.comes_to(text());
    wait(world.work.retry(WS, &run.id, &me())).expect("it is tried again");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(world.runs(&id)[0].error, None);
}

fn a_crash_before_its_commit_leaves_one_result(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, None);
    let run = world.runs(&id).remove(0).id;
    let row = wait(world.store.first(wake_queue::of_holder(WS, &run)));
    let row = row.expect("readable").expect("a row");
    drop(wait(world.scheduler("dead").claim(WS, &row)).expect("a claim").expect("a lease"));
    world.later(61);
    let other = world.another_node();
    other.rules.comes_to(text());
    let taken = wait(other.scheduler("other").take_over_dead(&BTreeSet::new()));
    assert_eq!(taken.expect("taken over").len(), 1);
    assert_eq!(other.drain(), [DONE]);
    assert_eq!(world.drain(), []);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(world.runs(&id).len(), 1);
}

fn a_definition_that_changes_while_it_ends_is_read_again(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, Some("every weekday at 9"));
    let (work, of) = (world.work.clone(), id.clone());
    world.hooks.before_commit("work.final", move || {
        let edit = Edit { title: Some("Morning".into()), ..Edit::default() };
        wait(work.edit(WS, &of, &edit, &me())).expect("it is edited");
    });
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    let definition = wait(world.work.definition(WS, &id)).expect("it is there");
    assert_eq!((definition.title.as_str(), definition.n_runs), ("Morning", 1));
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded"]);
}

fn a_cancelled_run_writes_nothing(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, None);
    let run = world.runs(&id).remove(0).id;
    let work = world.work.clone();
    world.hooks.before_commit("work.final", move || {
        wait(work.cancel(WS, &run, &me())).expect("it is cancelled");
    });
    assert_eq!(world.drain(), [End::Cancelled]);
    assert_eq!(world.status(&id), "failed/cancelled");
    assert_eq!(world.runs(&id)[0].result, None);
}

fn no_model_reads_what_it_said(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, None);
    world.drain();
    let given = Edit { built_in: Some(None), ..Edit::default() };
    wait(world.work.edit(WS, &id, &given, &me())).expect("it is given to a model");
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    world.script.push(
        Answer::calls([(
            "list_agent_work",
            serde_json::json!({ "from": "2026-03-01", "to": "2026-03-03" }),
        )])
        .and_goes_on(),
    );
    world.script.push(finish("done", "Read."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.prompt(FragmentKind::EarlierRuns), "");
    let said = format!("{:?}", world.last_request());
    assert!(!said.contains("1 task is due") && !said.contains("Pay the rent"), "{said}");
}

fn what_was_said_minutes_ago_is_not_said_again(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, Some("daily at 21:00"));
    // The server was away for a day, and is back seconds before the next one is due.
    world.set("2026-03-03T19:59:56Z");
    assert_eq!(world.drain(), [DONE]);
    world.set("2026-03-03T20:00:05Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["03-02 21:00 succeeded", "03-03 21:00 no_op"]);
    let silent = world.runs(&id).remove(1);
    assert_eq!(silent.summary.as_deref(), Some("The same was said at 20:59."));
    assert_eq!((silent.result_title, silent.result), (None, None));
    // What a person starts is for them to look at now, and tomorrow is another day.
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    assert_eq!(world.drain(), [DONE]);
    world.set("2026-03-04T20:00:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id)[2..], ["requested succeeded", "03-04 21:00 succeeded"]);
    // So is what an agent requests.
    let agent = RequestContext { creator: WorkCreator::Agent, ..me() };
    wait(world.work.run_now(WS, &id, &agent)).expect("it runs");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id)[4..], ["requested succeeded"]);
}

fn runs_that_were_left_out_do_not_hide_when_it_last_ran(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, Some("every 5 minutes"));
    world.later(300);
    assert_eq!(world.drain(), [DONE]);
    world.later(10 * 3600);
    world.rules.comes_to(nothing());
    assert_eq!(world.drain(), [DONE]);
    let skipped = world.said(&id).iter().filter(|line| line.contains("skipped")).count();
    assert!(skipped > 100, "{skipped}");
    let at = world.runs(&id)[0].completed_at.expect("it ended");
    let last = LastRun::new(at, &jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone"));
    assert_eq!(world.facts.last_runs(), [None, Some(last)]);
}

fn a_damaged_run_of_earlier_fails_no_later_one(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, Some("every weekday at 9"));
    for day in ["2026-03-02T08:00:00Z", "2026-03-03T08:00:00Z"] {
        world.set(day);
        assert_eq!(world.drain(), [DONE]);
    }
    let damage = dormouse_store::Op::any(
        "UPDATE work_runs SET created_by = 'nobody' WHERE work_id = ?1 AND n = 1",
        dormouse_store::params![id.to_string()],
    );
    let commit = dormouse_store::Commit::new("test", dormouse_store::Db::Agent, WS).op(damage);
    wait(world.store.commit(commit)).expect("damaged");
    world.set("2026-03-04T08:00:00Z");
    assert_eq!(world.drain(), [DONE]);
}

fn what_only_a_person_was_shown_counts_as_said_to_nobody(world: &World) {
    world.rules.comes_to(text());
    let id = agenda(world, Some("every hour"));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), [DONE]);
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    world.set("2026-03-02T08:59:00Z");
    assert_eq!(world.drain(), [DONE]);
    world.set("2026-03-02T09:00:00Z");
    assert_eq!(world.drain(), [DONE], "what was only shown to somebody was not reported");
    let all = ["03-02 09:00 succeeded", "requested succeeded", "03-02 10:00 succeeded"];
    assert_eq!(world.said(&id), all);
}

fn a_correction_that_nothing_would_read_is_refused(world: &World) {
    let id = agenda(world, Some("daily at 9"));
    let refused = wait(world.work.correct(WS, &id, "Leave out the weather.", &me()));
    let refused = refused.expect_err("it is refused").to_string();
    assert!(refused.starts_with("no language model reads corrections of agent work "), "{refused}");
    assert!(world.raw("SELECT text FROM work_corrections").is_empty());
}

each_engine! {
    runs_that_were_left_out_do_not_hide_when_it_last_ran,
    a_damaged_run_of_earlier_fails_no_later_one,
    what_was_said_minutes_ago_is_not_said_again,
    what_only_a_person_was_shown_counts_as_said_to_nobody,
    a_correction_that_nothing_would_read_is_refused,
    it_asks_no_model_and_leaves_a_result_with_its_figures,
    without_news_it_says_nothing_and_knows_when_it_last_did,
    what_it_cannot_do_is_reported_with_what_to_do,
    a_crash_before_its_commit_leaves_one_result,
    a_definition_that_changes_while_it_ends_is_read_again,
    a_cancelled_run_writes_nothing,
    no_model_reads_what_it_said,
}
