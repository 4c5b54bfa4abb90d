//! The plan of a Markdown file: each line with its place, and the tasks.

use dormouse_formats::markdown;
use insta::assert_snapshot;

use crate::show::plan_shown;

fn plan(name: &str, text: &str) -> String {
    plan_shown(text, &markdown::reading(name, text.as_bytes()).unwrap())
}

#[test]
fn headings_with_and_without_boxes_are_tasks() {
    assert_snapshot!(plan("move.md", include_str!("samples/move.md")));
}

#[test]
fn the_signs_of_obsidian_tasks_are_fields() {
    assert_snapshot!(plan("vault.md", include_str!("samples/vault.md")));
}

#[test]
fn one_box_with_a_date_makes_tasks_of_all_boxes_beside_it_however_many_have_none() {
    let dated = "# Move\n\n- [ ] Cancel the lease 📅 2026-11-30 🔺\n";
    let undated: String = ["Pack", "Paint", "Keys", "Address"]
        .iter()
        .map(|title| format!("- [ ] {title}\n  - [ ] part of it\n"))
        .collect();
    let reading = markdown::reading("move.md", format!("{dated}{undated}").as_bytes()).unwrap();
    let titles: Vec<_> = reading.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["Cancel the lease", "Pack", "Paint", "Keys", "Address"]);
    assert_eq!(reading.tasks[0].due_on.unwrap().to_string(), "2026-11-30");
    assert_eq!(reading.tasks[1].items[0].title, "part of it");
    // Each keeps the key that it has without the others.
    let fewer = markdown::reading("move.md", dated.as_bytes()).unwrap();
    assert_eq!(fewer.tasks[0].key, reading.tasks[0].key);
}

#[test]
fn phases_stand_before_what_is_below_them() {
    assert_snapshot!(plan("phases.md", include_str!("samples/phases.md")));
}

#[test]
fn a_table_of_what_is_to_be_done_has_items_and_any_other_is_text() {
    assert_snapshot!(plan("minutes.md", include_str!("samples/minutes.md")));
}

#[test]
fn lines_in_bold_above_boxes_are_the_headings_of_a_file_without_any() {
    assert_snapshot!(plan("packing.md", include_str!("samples/packing.md")));
}

#[test]
fn one_line_with_a_colon_and_a_sentence_that_leads_to_boxes_are_no_headings() {
    let text = "She asked about the keys. So now:\n- [ ] call\n\n- a list:\n- [ ] item\n\n\
                To do:\n- [ ] sweep\n\nAttic:\n- [ ] boxes\n";
    assert_snapshot!(plan("a.md", text));
}

#[test]
fn a_table_with_marks_needs_no_heading_and_a_table_without_a_title_is_text() {
    let text = "# Move\n\nRooms:\n\n| Task | Done |\n|---|---|\n| Sand | x |\n| Oil | |\n\n\
                ## Action items\n\n| Name | Role |\n|---|---|\n| Tom | chair |\n\n\
                | Person | Role |\n|---|---|\n| Eva | notes |\n";
    assert_snapshot!(plan("a.md", text));
}

#[test]
fn a_heading_can_have_a_due_date_too() {
    assert_snapshot!(
        plan("a.md", "# Rent 📅 2026-12-01 ⏫ #money\n- [ ] pay\n\n# 🔽 Later\n- [ ] read\n"),
        @r#"
         1 task      1 | # Rent 📅 2026-12-01 ⏫ #money
         2 item      1 | - [ ] pay
         3 blank       |
         4 task      2 | # 🔽 Later
         5 item      2 | - [ ] read
        TASK "Rent" line 1 key a.md/rent#1
          priority P1
          due 2026-12-01
          labels money
          [ ] pay   <pay#1>
        TASK "🔽 Later" line 4 key a.md/🔽 later#1
          [ ] read   <read#1>
        "#
    );
}

#[test]
fn text_about_several_tasks_is_a_task_and_a_day_is_text() {
    assert_snapshot!(
        plan("a.md", "For both of us.\n\n# One\n- [ ] a\n\n# 2026-10-02\nRained.\n\n# Two\n"),
        @r#"
         1 note      1 | For both of us.
         2 blank       |
         3 task      2 | # One
         4 item      2 | - [ ] a
         5 blank       |
         6 note      2 | # 2026-10-02
         7 note      2 | Rained.
         8 blank       |
         9 task      3 | # Two
        TASK "a" line 1 key a.md#1
          ENTRY <text#1>
            | For both of us.
        TASK "One" line 3 key a.md/one#1
          [ ] a   <a#1>
          ENTRY <2026-10-02#1> on 2026-10-02
            | # 2026-10-02
            | 
            | Rained.
        TASK "Two" line 9 key a.md/two#1
        "#
    );
}

#[test]
fn a_board_has_a_task_for_each_card() {
    assert_snapshot!(
        plan("board.md", "---\n\nkanban-plugin: board\n\n---\n\n## To do\n\n- [ ] Paint\n\t- [ ] first coat\n- [ ] Lamp\n\n## Done\n\n- [x] Plans\n"),
        @r#"
     1 markup      | ---
     2 blank       |
     3 field       | kanban-plugin: board
     4 blank       |
     5 markup      | ---
     6 blank       |
     7 parent      | ## To do
     8 blank       |
     9 task      1 | - [ ] Paint
    10 item      1 | 	- [ ] first coat
    11 task      2 | - [ ] Lamp
    12 blank       |
    13 parent      | ## Done
    14 blank       |
    15 task      3 | - [x] Plans
    TASK "Paint" line 9 key board.md/paint#1
      [ ] first coat   <first coat#1>
    TASK "Lamp" line 11 key board.md/lamp#1
    TASK "Plans" line 15 key board.md/plans#1
      status DONE
    "#
    );
}

#[test]
fn a_title_with_its_own_boxes_stands_over_headings_with_boxes() {
    assert_snapshot!(
        plan("a.md", "# Trip\n- [ ] book\n## 2026-10-02\nCalled.\n## Train\n- [ ] seats\n## Hotel\nNear the station.\n"),
        @r#"
         1 task      1 | # Trip
         2 item      1 | - [ ] book
         3 note      1 | ## 2026-10-02
         4 note      1 | Called.
         5 task      2 | ## Train
         6 item      2 | - [ ] seats
         7 task      3 | ## Hotel
         8 note      3 | Near the station.
        TASK "Trip" line 1 key a.md/trip#1
          [ ] book   <book#1>
          ENTRY <2026-10-02#1> on 2026-10-02
            | ## 2026-10-02
            | 
            | Called.
        TASK "Train" line 5 key a.md/trip/train#1
          [ ] seats   <seats#1>
        TASK "Hotel" line 7 key a.md/trip/hotel#1
          ENTRY <text#1>
            | Near the station.
        "#
    );
}

#[test]
fn no_heading_before_a_list_of_tasks_is_lost() {
    let text = "## a\n- [/] a\n## b\n## j\n## a\n- [ ] a 📅 2026-10-01";
    let reading = markdown::reading("a.md", text.as_bytes()).unwrap();
    let titles: Vec<_> = reading.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["a", "b: a", "a"]);
    assert_eq!(reading.tasks[1].entries[0].text, "## j");
    assert_eq!(reading.tasks[2].category.as_deref(), Some("b: a"));
}

#[test]
fn a_lane_says_how_far_its_cards_are_and_its_limit_is_no_name() {
    let board = "---\n\nkanban-plugin: basic\n\n---\n\n## Ideas (3)\n\n- [ ] Paint<br>the fence<BR/>and the door\n\n\
                 ## In Bearbeitung (2/4)\n\n- [ ] Lamp\n- [x] Plug\n\n## ✅ Erledigt\n\n- [ ] Plans\n- [-] Pond\n";
    assert_snapshot!(crate::messy::tasks(board), @"
    markdown
    Paint: in Ideas | the fence / and the door
    Lamp: IN PROGRESS
    Plug: DONE
    Plans: DONE
    Pond: REJECTED
    ");
    let trello = r#"{"name": "House", "lists": [{"id": "1", "name": "Doing (3)"}, {"id": "2", "name": "Someday (2)"}],
        "cards": [{"name": "Roof", "idList": "1"}, {"name": "Pond", "idList": "2"}]}"#;
    assert_snapshot!(crate::messy::tasks(trello), @"
    trello
    Roof: IN PROGRESS | in House
    Pond: ON HOLD | Someday | in House
    ");
}
