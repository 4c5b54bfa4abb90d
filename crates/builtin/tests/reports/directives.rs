//! What a template's directives change in reports and proposals.

use jiff::civil::date;

use crate::desk::Desk;

const NOTES: &str = "We agreed to build the fence from larch, because oak costs twice as much. The posts \
    arrived on Monday. It turned out that the slope needs longer posts at the gate. It will take about 6 hours. I bought the concrete. \
    Does the neighbour want a gate on his side? The fence has to be done by 20 June. I painted the first \
    panel. I dug all the holes. We chose concrete for the posts since the ground is wet.\n\n## Action items\n\n- Ask Ben for his drill\n";

fn fence() -> Desk {
    let desk = Desk::new("Fence", date(2025, 6, 1)).entry(NOTES);
    let titles =
        ["Order the panels", "Buy concrete", "Set the posts", "Hang the gate", "Oil the wood"];
    let more = [
        "Level the ground",
        "Return the auger",
        "Pay the carpenter",
        "Water the hedge",
        "Fix the latch",
    ];
    titles.into_iter().chain(more).fold(desk, |desk, title| desk.item(title, false))
}

fn report(directive: &str) -> (String, String) {
    fence().directed(directive).report().expect("a report")
}

fn tools(directive: &str) -> Vec<String> {
    let calls = fence().directed(directive).calls();
    calls.into_iter().map(|call| call.name).filter(|name| name != "update_report").collect()
}

fn heads(content: &str) -> Vec<&str> {
    content.lines().filter(|line| line.starts_with("## ")).collect()
}

fn emojis(text: &str) -> usize {
    text.chars().filter(|c| *c as u32 > 0x2600).count()
}

#[test]
fn a_terse_template_without_emojis_and_estimates_changes_reports_and_proposals() {
    let (usual_tldr, usual) = report("");
    let (tldr, content) = report("terse, no emojis, no estimates");
    assert!(emojis(&usual_tldr) > 0 && emojis(&usual) > 0, "{usual_tldr}\n{usual}");
    assert_eq!((emojis(&tldr), emojis(&content)), (0, 0), "{tldr}\n{content}");
    assert!(content.len() * 10 < usual.len() * 9, "{content}\n\nand usually\n\n{usual}");
    assert!(tools("").contains(&"update_task_estimate".to_owned()), "{:?}", tools(""));
    let without: Vec<_> =
        tools("").into_iter().filter(|name| name != "update_task_estimate").collect();
    assert_eq!(tools("terse, no emojis, no estimates"), without);
}

#[test]
fn a_section_comes_first_or_is_left_out() {
    let (_, usual) = report("");
    let (_, content) = report("Begin with what is left to do. No learnings section.");
    let expected: Vec<&str> = heads(&usual)
        .into_iter()
        .filter(|head| head.contains("left"))
        .chain(
            heads(&usual).into_iter().filter(|head| !head.contains("left") && !head.contains("💡")),
        )
        .collect();
    assert!(heads(&usual).len() > expected.len(), "{usual}");
    assert_eq!(heads(&content), expected);
}

#[test]
fn a_direct_template_says_the_next_step_first() {
    let next = |tldr: &str| tldr.find("Order the panels").expect("the next step");
    let ((usual, _), (direct, _)) = (report(""), report("Be direct."));
    assert!(next(&usual) > 30, "{usual}");
    assert!(next(&direct) < 30, "{direct}");
}

#[test]
fn a_summary_has_at_most_as_many_sentences_as_its_template_says() {
    let count = |tldr: &str| tldr.matches(". ").count() + usize::from(tldr.ends_with('.'));
    let ((usual, _), (short, _)) =
        (report("No emojis."), report("No emojis. The summary is one sentence."));
    assert!(count(&usual) > 1, "{usual}");
    assert_eq!(count(&short), 1, "{short}");
}

#[test]
fn nothing_is_proposed_of_a_kind_that_a_template_forbids() {
    for (directive, tool) in [
        ("Never propose due dates.", "update_task_due_date"),
        ("Never tick items.", "update_checklist_items"),
        ("Never add checklist items.", "add_multiple_checklist_items"),
        ("No estimates.", "update_task_estimate"),
    ] {
        assert!(tools("").contains(&tool.to_owned()), "{tool} of {:?}", tools(""));
        let rest: Vec<_> = tools("").into_iter().filter(|name| name != tool).collect();
        assert_eq!(tools(directive), rest, "{directive}");
    }
}

#[test]
fn a_sentence_that_is_not_understood_changes_nothing() {
    let usual = (report(""), tools(""));
    for directive in
        ["Use emojis sparingly.", "Never miss a deadline.", "You are a kind project lead."]
    {
        assert_eq!((report(directive), tools(directive)), usual, "{directive}");
    }
}
