//! Which section a sentence goes to, rule by rule.

use dormouse_types::Timestamp;
use jiff::civil::date;

use crate::desk::Desk;

fn task() -> Desk {
    Desk::new("Task", date(2025, 6, 1))
}

/// The units of a section, by its emoji.
fn units(desk: &Desk, section: &str) -> Vec<String> {
    let (_, content) = desk.report().expect("a report is due");
    let mut inside = false;
    let mut found = Vec::new();
    for line in content.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            inside = title.starts_with(section);
        } else if let Some(unit) = line.strip_prefix("- ").filter(|_| inside) {
            found.push(unit.trim_start_matches("[ ] ").to_owned());
        }
    }
    found
}

fn check(text: &str, section: &str, expected: &[&str]) {
    assert_eq!(units(&task().entry(text), section), expected, "{section} of {text:?}");
}

#[test]
fn finished_work_is_reported_and_wishes_are_not() {
    check("The pump is fixed.", "✅", &["The pump is fixed."]);
    check("The pump is not fixed.", "✅", &[]);
    check("If the pump is fixed we can go on.", "✅", &[]);
    check("The pump should be fixed by now.", "✅", &[]);
    check("Is the pump fixed?", "✅", &[]);
    check("Tried to fix the pump, it did not work.", "✅", &[]);
    check("The pump fixed itself ????", "✅", &[]);
}

#[test]
fn quotes_code_and_struck_words_are_no_evidence() {
    check("> The pump is fixed.\n> - [ ] call Bo", "✅", &[]);
    check("> - [ ] call Bo", "📌", &[]);
    check("```\n- [ ] call Bo\n```", "📌", &[]);
    check("- [ ] ~~call Bo~~", "📌", &[]);
    check("These are only sample items.\n\n- [ ] call Bo", "📌", &["call Bo"]);
    check("For example,\n\n- [ ] call Bo", "📌", &[]);
}

#[test]
fn the_nearest_known_heading_decides() {
    check("## Next steps\n\n- call Bo\n- the pump", "📌", &["call Bo", "the pump"]);
    check("## Lessons\n\n- call Bo earlier", "💡", &["call Bo earlier"]);
    check("## Next steps\n\n### Kitchen\n\n- call Bo", "📌", &["call Bo"]);
    check("## ✅ Kitchen\n\n- call Bo", "✅", &[]);
    check("## Action items\n\n- new pump - done\n- call Bo", "✅", &["new pump"]);
    check(
        "## Action items\n\n- Ask the shop about the old pump (hoses ordered in May)",
        "📌",
        &["Ask the shop about the old pump"],
    );
}

#[test]
fn labels_and_cues_name_work_where_no_heading_does() {
    check("TODO: call Bo", "📌", &["call Bo"]);
    check("The pump still needs to be cleaned.", "📌", &["The pump still needs to be cleaned"]);
    check("The notary is not booked yet.", "📌", &["The notary is not booked yet"]);
    check("When the pump needs to be cleaned, it beeps.", "📌", &[]);
    // A weak word counts only if no list names the work.
    check("We should call Bo.", "📌", &["We should call Bo"]);
    check("We should call Bo.\n\n- [ ] buy a pump", "📌", &["buy a pump"]);
}

#[test]
fn causes_decisions_and_prohibitions_are_learned() {
    check("Root cause: a stuck valve.", "💡", &["Root cause: a stuck valve."]);
    check("We decided to keep the old pump.", "💡", &["We decided to keep the old pump."]);
    check("Never run the pump dry.", "💡", &["Never run the pump dry."]);
    check("The pump is blue.", "💡", &[]);
}

#[test]
fn later_beats_earlier() {
    let later = |first: &str, second: &str| units(&task().entry(first).entry(second), "📌");
    assert_eq!(later("TODO: order the pump", "Ordered the pump today."), Vec::<String>::new());
    assert_eq!(later("TODO: order the pump", "The pump is loud."), ["order the pump"]);
    assert_eq!(later("TODO: order the pump 2", "Ordered the pump 1 today."), ["order the pump 2"]);
    assert_eq!(later("TODO: order the pump", "We did not order the pump."), ["order the pump"]);
    assert_eq!(later("Ordered the pump today.", "TODO: order the pump"), ["order the pump"]);
    assert_eq!(
        later("TODO: order the big pump", "Ordering the big pump is no longer needed."),
        Vec::<String>::new()
    );
}

#[test]
fn work_that_was_undone_is_not_done() {
    let desk = task()
        .entry("Installed the new pump driver.")
        .entry("The new pump driver was reverted, it leaked.");
    let done = units(&desk, "✅");
    assert!(!done.contains(&"Installed the new pump driver.".to_owned()), "{done:?}");
}

#[test]
fn a_correction_replaces_what_was_believed() {
    let desk = task()
        .entry("Root cause: the valve of the pump.")
        .entry("Correction: it is not the valve of the pump, the hose leaks.");
    assert_eq!(
        units(&desk, "💡"),
        ["Correction: it is not the valve of the pump, the hose leaks."]
    );
}

#[test]
fn a_text_against_an_open_box_becomes_a_question() {
    let desk = task().item("Order the pump", false).entry("Ordered the pump today.");
    // The box stays open until the person ticks it, but what the text says is done is no work.
    assert_eq!(units(&desk, "📌"), Vec::<String>::new());
    assert_eq!(
        units(&desk, "❓"),
        ["\"Order the pump\" is open on the list, but the text says: Ordered the pump today."]
    );
    // The person opened the box after that text, so they know better.
    let mut reopened = desk;
    reopened.state.items[0].checked_at = Some(Timestamp::from_micros(i64::MAX / 2));
    assert_eq!(units(&reopened, "📌"), ["Order the pump"]);
    assert_eq!(units(&reopened, "❓"), Vec::<String>::new());
}

#[test]
fn a_text_against_a_ticked_box_becomes_a_question() {
    let mut desk = task().item("Order the pump", true).entry("TODO: order the pump");
    desk.state.items[0].checked_at = Some(Timestamp::from_micros(1));
    assert_eq!(units(&desk, "✅"), ["Order the pump"]);
    assert_eq!(units(&desk, "📌"), Vec::<String>::new());
    assert_eq!(
        units(&desk, "❓"),
        ["\"Order the pump\" is ticked on the list, but a later note says: order the pump"]
    );
}

#[test]
fn secrets_ids_and_personal_paths_stay_out() {
    check("TODO: log in, the password is tulip99", "📌", &[]);
    check("TODO: send /home/anna/pump/plan.pdf to Bo", "📌", &["send …/plan.pdf to Bo"]);
    check("TODO: look at run 123e4567-e89b-42d3-a456-426614174000", "📌", &["look at run …"]);
}

#[test]
fn finished_work_carries_the_day_above_it() {
    check("## 3 May\n\nThe pump is fixed.", "✅", &["The pump is fixed (3 May)"]);
    check("2025-05-03: The pump is fixed.", "✅", &["The pump is fixed (2025-05-03)"]);
    check(
        "## 1.2.0 - 2025-05-03\n\n- New pump\n\n## 1.1.0\n\n- Old pump",
        "✅",
        &["New pump (1.2.0 - 2025-05-03)", "Old pump (1.1.0)"],
    );
}

#[test]
fn a_day_that_moved_is_no_finished_work() {
    let text = "The deadline moved from 15 March to 29 March, because the office is closed.";
    check(text, "✅", &[]);
    check(text, "💡", &[text]);
    check("Moved the pump to the cellar on 15 March.", "💡", &[]);
}

#[test]
fn a_label_of_work_ends_with_its_line() {
    check("TODO: call Bo\nWe bought a hose.", "📌", &["call Bo"]);
    check("Tasks for Bo: call; write.", "📌", &["call (Bo)", "write (Bo)"]);
    check("Blocked: no spare parts\nBo is away.", "📌", &["Blocked: no spare parts"]);
    check("Next: the hose. Buy clamps.", "📌", &["the hose", "Buy clamps"]);
}

#[test]
fn lines_that_were_ended_stand_alone() {
    check(
        "the pump is loud since we moved the tank into the back room\nthe hose is fixed\nno news from Bo",
        "✅",
        &["the hose is fixed"],
    );
}

#[test]
fn a_failure_is_over_when_everything_works() {
    let desk = task()
        .entry("The pump still fails at night. The filter still needs to be cleaned.")
        .entry("New relay, it works now.");
    assert_eq!(units(&desk, "📌"), ["The filter still needs to be cleaned"]);
    check("The error came back last night.", "✅", &[]);
}

#[test]
fn a_question_is_open_exactly_where_a_tick_is_proposed() {
    for (text, is_done) in [
        ("Ordered the pump today.", true),
        ("The pump is ordered.", true),
        ("I will order the pump.", false),
        ("Bo ordered a pump brochure.", false),
        ("Was the pump ordered?", false),
    ] {
        let desk = task().item("Order the pump", false).entry(text);
        let ticks = desk.proposals().iter().filter(|p| p["args"]["isChecked"] == true).count();
        let asks = units(&desk, "❓").iter().filter(|unit| unit.starts_with("\"Order")).count();
        assert_eq!((ticks, asks), (usize::from(is_done), usize::from(is_done)), "{text}");
        let left = units(&desk, "📌");
        assert_eq!(left.first().is_none_or(|unit| unit != "Order the pump"), is_done, "{text}");
    }
}

#[test]
fn the_summary_says_nothing_twice_and_opens_with_no_work() {
    let tldr = |text: &str| task().entry(text).report().expect("a report is due").0;
    let one = tldr("The letters are written and posted. The stamps were dear.");
    assert_eq!(one.matches("written and posted").count(), 1, "{one}");
    let other = tldr("TODO: fix the barrel\nMake sure the seeds arrive soon.");
    assert!(!other.starts_with("TODO") && !other.starts_with("Make sure"), "{other}");
}

#[test]
fn a_task_with_hardly_any_text_still_gets_a_whole_report() {
    for desk in [task(), task().entry("ok"), task().entry("The deadline is 2026-03-20.")] {
        let (tldr, content) = desk.report().expect("a report is due");
        assert!(!tldr.trim().is_empty() && !content.trim().is_empty(), "{tldr:?} {content:?}");
    }
}
