//! Corrections of a plan, and what of them holds for the next import.

use dormouse_formats::plan::{
    self, AgentChoice, Correction, CorrectionError, Edit, Format, Kept, Options, Planned, Reading,
    Role,
};
use insta::assert_snapshot;

use crate::show::{places_shown, task_shown};

const MOVE: &str = include_str!("samples/move.md");

fn read(text: &str) -> Reading {
    plan::read("move.md", text.as_bytes(), &Options::default()).unwrap()
}

fn apply(text: &str, kept: &Kept, edits: &[(usize, Edit)]) -> Result<Planned, CorrectionError> {
    let corrections: Vec<_> =
        edits.iter().map(|(line, edit)| Correction { line: *line, edit: edit.clone() }).collect();
    let there = plan::apply(text, &read(text), kept, &corrections);
    let back: Vec<_> = corrections.into_iter().rev().collect();
    assert_eq!(plan::apply(text, &read(text), kept, &back), there, "the order makes no difference");
    there
}

fn shown(text: &str, planned: &Planned) -> String {
    let mut out = String::new();
    places_shown(text, &planned.places, &mut out);
    for task in &planned.tasks {
        task_shown(&task.draft, &mut out);
        if task.agent == Some(AgentChoice::Give) {
            out.push_str("  AGENT\n");
        }
    }
    out
}

fn corrected(text: &str, edits: &[(usize, Edit)]) -> String {
    shown(text, &apply(text, &Kept::default(), edits).unwrap())
}

fn refused(text: &str, edits: &[(usize, Edit)]) -> String {
    apply(text, &Kept::default(), edits).unwrap_err().to_string()
}

fn rename(title: &str) -> Edit {
    Edit::Rename { title: title.to_owned() }
}

fn role(role: Role) -> Edit {
    Edit::SetRole { role }
}

#[test]
fn a_list_of_a_person_corrected() {
    assert_snapshot!(corrected(
        MOVE,
        &[
            (1, rename("New flat")),
            (11, role(Role::Item)),
            (14, Edit::Split),
            (21, role(Role::Note)),
            (25, Edit::LeaveOut),
            (29, Edit::LeaveOut),
            (35, Edit::Join),
            (38, rename("Sell the sofa and the lamp")),
            (38, Edit::SetAgent { agent: AgentChoice::Give }),
            (4, Edit::SetCategory { category: Some("Contracts".to_owned()) }),
        ],
    ));
}

#[test]
fn a_line_of_text_takes_everything_below_it_along() {
    let text =
        "# A\n- [ ] a\nRing Bob\nhe is in at five\n- [ ] b\n  - [x] c\n    with a note\n- [ ] d\n";
    assert_snapshot!(corrected(text, &[(3, Edit::Split), (6, Edit::Split)]), @r#"
     1 task      1 | # A
     2 item      1 | - [ ] a
     3 task      2 | Ring Bob
     4 note      2 | he is in at five
     5 item      2 | - [ ] b
     6 task      3 |   - [x] c
     7 task      3 |     with a note
     8 item      2 | - [ ] d
    TASK "A" line 1 key move.md/a#1
      [ ] a   <a#1>
    TASK "Ring Bob" line 3 key move.md/a#1/ring bob#1
      [ ] b   <b#1>
      [ ] d   <d#1>
      ENTRY <text#1>
        | he is in at five
    TASK "c with a note" line 6 key move.md/a#1/c with a note#1
      status DONE
    "#);
}

#[test]
fn what_does_not_fit_a_joined_task_stays_as_text() {
    let text = "- [ ] a ⏫ 📅 2026-12-01 #x\n- [x] b 🔼 📅 2026-12-02 #y\n  - [ ] c\n";
    assert_snapshot!(corrected(text, &[(2, Edit::Join)]), @r#"
     1 task      1 | - [ ] a ⏫ 📅 2026-12-01 #x
     2 note      1 | - [x] b 🔼 📅 2026-12-02 #y
     3 item      1 |   - [ ] c
    TASK "a" line 1 key move.md/a#1
      priority P1
      due 2026-12-01
      labels x | y
      [ ] c   <c#1>
      ENTRY <b#1>
        | - [x] b 🔼 📅 2026-12-02 #y
        | due: 2026-12-02
        | priority: P2
        | status: DONE
    "#);
}

#[test]
fn a_heading_without_content_becomes_a_category() {
    let text = "# Home\n# Kitchen\n- [ ] paint\n# Hall\n- [ ] lamp\n";
    assert_snapshot!(corrected(text, &[(1, role(Role::Category)), (4, Edit::LeaveOut)]), @r#"
     1 category    | # Home
     2 task      1 | # Kitchen
     3 item      1 | - [ ] paint
     4 leftOut     | # Hall
     5 leftOut     | - [ ] lamp
    TASK "Kitchen" line 2 key move.md/kitchen#1
      category Home
      [ ] paint   <paint#1>
    "#);
}

#[test]
fn what_was_left_out_and_renamed_stays_so_although_lines_move() {
    let edits = [
        (9, Edit::LeaveOut),
        (11, Edit::LeaveOut),
        (14, Edit::Split),
        (25, Edit::LeaveOut),
        (35, Edit::Join),
        (38, rename("The sofa")),
        (7, Edit::SetAgent { agent: AgentChoice::Refuse }),
    ];
    let first = apply(MOVE, &Kept::default(), &edits).unwrap();
    let json = serde_json::to_string(&first.kept).unwrap();
    let kept: Kept = serde_json::from_str(&json).unwrap();
    assert_eq!(kept, first.kept);
    let longer = MOVE
        .replace(
            "# Move to the new flat\n",
            "# Move to the new flat\n\n## Cellar\n- [ ] empty it\n\n",
        )
        .replace("- [ ] Pay the deposit", "- [ ] Ask for boxes\n- [ ] Pay the deposit");
    let again = apply(&longer, &kept, &[]).unwrap();
    assert_eq!(again.kept, kept);
    let before: Vec<_> =
        first.tasks.iter().map(|task| (&task.draft.key, &task.draft.title)).collect();
    let after: Vec<_> =
        again.tasks[1..].iter().map(|task| (&task.draft.key, &task.draft.title)).collect();
    assert_eq!((before, again.tasks.len()), (after, first.tasks.len() + 1));
    let items: Vec<_> = again.tasks[2].draft.items.iter().map(|item| item.title.as_str()).collect();
    assert_eq!(items, ["Ask three companies", "Ask for boxes", "Pay the deposit, 30 %"]);
    assert!(again.tasks[2].draft.entries.is_empty());
    assert_eq!(again.tasks[2].agent, Some(AgentChoice::Refuse));
    // What was dropped can come back.
    let back = apply(&longer, &kept, &[(30, Edit::PutBack)]).unwrap();
    assert_eq!(back.tasks.len(), again.tasks.len() + 1);
    assert_eq!(back.kept.edits.len(), kept.edits.len() - 1);
    // What the list does not have now is kept for when it has it again.
    let shorter = "# Move to the new flat\n\n## Movers\n- [ ] Choose one\n\n## Other\n- [ ] x\n";
    let planned = apply(shorter, &kept, &[]).unwrap();
    assert_eq!(planned.kept.edits.len(), kept.edits.len());
    assert!(planned.tasks[0].draft.items.is_empty());
}

#[test]
fn a_refused_correction_names_its_line_and_why() {
    let cases: &[&[(usize, Edit)]] = &[
        &[(99, Edit::Split)],
        &[(2, Edit::LeaveOut)],
        &[(23, rename("x"))],
        &[(3, Edit::Join)],
        &[(7, rename(" "))],
        &[(7, rename("x")), (7, rename("y"))],
        &[(7, rename(&"x".repeat(501)))],
        &[(8, role(Role::Due))],
        &[(7, role(Role::Category))],
        &[(8, role(Role::Category))],
        &[(4, rename("x"))],
        &[(2, Edit::SetAgent { agent: AgentChoice::Give })],
    ];
    let refusals: Vec<_> = cases.iter().map(|edits| refused(MOVE, edits)).collect();
    assert_snapshot!(refusals.join("\n"), @r"
    line 99: the text has 38 lines
    line 2: its role is blank, and only task, item and note can be changed so
    line 23: its role is parent, and only task, item and note can be changed so
    line 3: there is no task above to join
    line 7: a title needs a word
    line 7: two corrections contradict each other; send one of them
    line 7: the value is too long, or there are too many
    line 8: there is no date in it; write one like `by 10 December` or 2026-12-10
    line 7: `Movers` has items, notes or fields, which a category cannot have; move them first
    line 8: a line like this cannot be made category
    line 4: its role is note, and only task, item and category can be changed so
    line 2: its role is blank, and it belongs to no task
    ");
    let other = plan::apply("one line", &read(MOVE), &Kept::default(), &[]).unwrap_err();
    assert_snapshot!(other.to_string(), @r"the text has 1 lines and its plan 38; read the text again");
}

#[test]
fn corrections_are_written_with_camel_case_names() {
    let edits = [
        Edit::SetRole { role: Role::Note },
        Edit::LeaveOutTask,
        Edit::SetAgent { agent: AgentChoice::Give },
        Edit::SetCategory { category: None },
        Edit::SetPrivate { private: true },
    ];
    let all: Vec<_> = edits.map(|edit| Correction { line: 3, edit }).into();
    let json = serde_json::to_string(&all).unwrap();
    assert_snapshot!(json, @r#"[{"line":3,"edit":"setRole","role":"note"},{"line":3,"edit":"leaveOutTask"},{"line":3,"edit":"setAgent","agent":"give"},{"line":3,"edit":"setCategory","category":null},{"line":3,"edit":"setPrivate","private":true}]"#);
    assert_eq!(serde_json::from_str::<Vec<Correction>>(&json).unwrap(), all);
    let kept = apply(MOVE, &Kept::default(), &[(9, Edit::LeaveOut)]).unwrap().kept;
    assert_snapshot!(serde_json::to_string(&kept).unwrap(), @r#"{"edits":[{"at":{"at":"item","task":"move.md/move to the new flat/movers#1","item":"choose one#1"},"edit":"leaveOut"}]}"#);
}

/// Two cards of a board, in one line as the program writes them.
const BOARD: &str = r#"{"name":"House","lists":[{"id":"l1","name":"To do"}],"cards":[{"id":"c1","name":"Paint","idList":"l1"},{"id":"c2","name":"Sweep","idList":"l1"}]}"#;

#[test]
fn a_line_with_several_tasks_says_nothing_about_one_of_them() {
    let read = |text: &str| plan::read("board.json", text.as_bytes(), &Options::default()).unwrap();
    let rename = |line| {
        let edit = Edit::RenameTask { title: "Sweep the stairs".into() };
        Correction { line, edit }
    };
    let reading = read(BOARD);
    assert_eq!(reading.tasks.len(), 2);
    let refused = plan::apply(BOARD, &reading, &Kept::default(), &[rename(1)]).unwrap_err();
    assert_eq!(refused.to_string(), "line 1: 2 tasks are on it; put each on a line of its own");
    // As a program that shows the plan lays it out.
    let laid = plan::laid_out(BOARD);
    let reading = read(&laid);
    let line = reading.tasks[1].line;
    let planned = plan::apply(&laid, &reading, &Kept::default(), &[rename(line)]).unwrap();
    let titles: Vec<&str> = planned.tasks.iter().map(|task| task.draft.title.as_str()).collect();
    assert_eq!(titles, ["Paint", "Sweep the stairs"]);
}

#[test]
fn the_format_is_found_by_the_content() {
    for (text, format) in [
        ("call Ana\nbuy milk\n", Format::PlainLines),
        ("- call Ana\n- buy milk\n\n1. bread\n", Format::PlainLines),
        ("call Ana\n- [ ] buy milk\n", Format::Markdown),
        ("# Home\ncall Ana\n", Format::Markdown),
        ("one line", Format::Markdown),
        ("", Format::Markdown),
        (
            "We talked for an hour about the garden and in the end\nnobody wanted to dig, so it is up\n\
             to me again, as it was in the last three years, and\nin the years before.\n",
            Format::Markdown,
        ),
    ] {
        assert_eq!(plan::detect(text), format, "{text}");
    }
    let options = Options { format: Some(Format::PlainLines), ..Options::default() };
    let reading =
        plan::read("a.md", b"# Home\n  a note\r\n3. call Ana\r\r- # Home", &options).unwrap();
    assert_snapshot!(crate::show::plan_shown("# Home\n  a note\n3. call Ana\n\n- # Home", &reading), @r##"
     1 task      1 | # Home
     2 note      1 |   a note
     3 task      2 | 3. call Ana
     4 blank       |
     5 task      3 | - # Home
    TASK "# Home" line 1 key a.md/%23 home#1
      ENTRY <text#1>
        | a note
    TASK "call Ana" line 3 key a.md/call ana#1
    TASK "# Home" line 5 key a.md/%23 home#2
    "##);
}

#[test]
fn the_digest_changes_with_text_name_and_format() {
    let plain = Options { format: Some(Format::PlainLines), ..Options::default() };
    let all = [
        plan::digest("a", b"text", &Options::default()),
        plan::digest("a", b"text\n", &Options::default()),
        plan::digest("b", b"text", &Options::default()),
        plan::digest("a", b"text", &plain),
    ];
    let different: std::collections::BTreeSet<_> = all.iter().map(|one| one.as_str()).collect();
    assert_eq!(different.len(), all.len());
    assert_eq!(plan::digest("a", b"text", &plain), all[3]);
}

#[test]
fn open_tasks_with_plenty_to_read_get_an_agent() {
    let text = "# Long list\n- [ ] a\n- [ ] b\n- [ ] c\n# Short\n- [ ] a\n# Done\n- [x] a\n- [x] b\n- [x] c\n# Text\n";
    let reading = read(&format!("{text}{}\n", "word ".repeat(40)));
    let given: Vec<_> = reading
        .tasks
        .iter()
        .filter(|task| plan::deserves_agent(task) == AgentChoice::Give)
        .map(|task| task.title.as_str())
        .collect();
    assert_eq!(given, ["Long list", "Text"]);
}

#[test]
fn a_category_needs_tasks_below_it_and_nests_as_headings_do() {
    let category = |line| Correction { line, edit: Edit::SetRole { role: Role::Category } };
    let read = |text: &str, line: usize| {
        let reading = plan::read("list", text.as_bytes(), &plan::Options::default()).unwrap();
        plan::apply(text, &reading, &Kept::default(), &[category(line)])
    };
    let last = read("call ana\nbuy milk\nplain sigma\n", 3).expect_err("nothing is below");
    assert!(last.to_string().contains("no task below `plain sigma`"), "{last}");
    let nested = read("# A\n\n## B\n\n## C\n- [ ] d\n", 3).expect("a category");
    assert_eq!(nested.tasks[0].draft.category.as_deref(), Some("A: B"));
    let long = format!("# A\n\n## {}\n\n## C\n- [ ] d\n", "long ".repeat(30));
    let long = read(&long, 3).expect("a category");
    let name = long.tasks[0].draft.category.clone().unwrap_or_default();
    assert_eq!((name.chars().count() <= 60, name.ends_with('…')), (true, true), "{name}");
}

#[test]
fn a_heading_that_is_too_long_for_a_category_is_shortened_and_said() {
    let text = format!("# {}\n\n## Boxes\n- [ ] Tape\n\n## Keys\n- [ ] Copy\n", "Word ".repeat(20));
    let reading = plan::read("list", text.as_bytes(), &plan::Options::default()).unwrap();
    let name = reading.tasks[0].category.clone().unwrap_or_default();
    assert!(name.chars().count() <= 60 && name.ends_with('…'), "{name}");
    let said = reading.remarks.iter().filter(|remark| remark.message.contains("is shortened"));
    assert_eq!(said.count(), 1, "{:?}", reading.remarks);
}

#[test]
fn a_member_that_a_correction_does_not_have_is_refused_by_name() {
    let read = |json: &str| {
        let read = serde_json::from_str::<Correction>(json);
        read.map_err(|error| error.to_string())
    };
    let split = r#"{"line": 3, "edit": "split"}"#;
    assert_eq!(read(split), Ok(Correction { line: 3, edit: Edit::Split }));
    let named = r#"{"line": 3, "edit": "rename", "title": "A"}"#;
    assert_eq!(read(named), Ok(Correction { line: 3, edit: rename("A") }));
    let error = read(r#"{"line": 3, "edit": "rename", "title": "A", "titel": "B"}"#).unwrap_err();
    assert!(error.contains("line 3: unknown member `titel`"), "{error}");
    assert!(error.contains("`line`, `edit` and `title`"), "{error}");
    let error = read(r#"{"line": 3, "edit": "split", "title": "A"}"#).unwrap_err();
    assert!(error.contains("unknown member `title`, expected `line` and `edit`"), "{error}");
    assert!(read(r#"{"line": 3, "edit": "cut"}"#).unwrap_err().contains("`cut`"));
}

#[test]
fn corrections_of_lines_that_come_no_more_are_kept_up_to_a_limit() {
    use dormouse_formats::plan::{Anchor, KeptEdit};
    use dormouse_types::limits::CORRECTIONS;
    let gone = |n: usize| KeptEdit {
        at: Anchor::Task { task: format!("gone {n:06}") },
        edit: Edit::LeaveOut,
    };
    let edits = (0..CORRECTIONS.max + 5).map(gone).collect();
    let planned = apply(MOVE, &Kept { edits, days: Vec::new() }, &[(38, rename("Sofa"))]).unwrap();
    assert_eq!(planned.kept.edits.len(), CORRECTIONS.max);
    assert!(planned.kept.edits.iter().any(|kept| kept.edit == rename("Sofa")));
}
