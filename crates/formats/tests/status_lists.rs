//! Lists without boxes whose headings say what is done, tables of boxes, and lists in lists.

use insta::assert_snapshot;

use crate::messy::tasks;

#[test]
fn paragraphs_below_todo_and_done_are_tasks_if_the_file_has_no_others() {
    let text = "# TODO\n\nFix the login on Safari.\n\nWrite the notes for 2.4 (due Friday)\nand send \
                them to the list.\n\nAsk Petra:\n- about the licence\n- about the logo\n\n\
                # DONE\n\nUpgrade the database to 16.\n\n- Move CI to the new runner\n";
    assert_snapshot!(tasks(text), @"
    markdown
    Fix the login on Safari.:
    Write the notes for 2.4 (due Friday) and send them to the list.: due 2026-11-27
    Ask Petra:: - about the licence / - about the logo
    Upgrade the database to 16.: DONE
    Move CI to the new runner: DONE
    ");
    let within = "# Website\n\nStarted in May.\n\n## To do\n\nNew pictures\n\n## Doing\n\nThe shop\n\n\
                  ## Erledigt\n\nDomain\n";
    assert_snapshot!(tasks(within), @"
    markdown
    Website: Started in May.
    New pictures: in Website
    The shop: IN PROGRESS | in Website
    Domain: DONE | in Website
    ");
    let long =
        format!("# Todo\n\nCall the roofer. {}\n\nPay.\n", "He knows about the gutter. ".repeat(9));
    let tasks = tasks(&long);
    assert!(tasks.contains("\nCall the roofer: Call the roofer. He knows"), "{tasks}");
}

#[test]
fn paragraphs_stay_text_where_headings_say_more_or_a_box_is_drawn() {
    for text in [
        "# TODO\n\nFix it.\n\nPaint it.\n\n# Ideas\n\nA pond.\n",
        "# TODO\n\nNothing is left to do here.\n",
        "# Weekly\n\n## Action items\n- a\n- b\n\nThat was all.\n",
        "# Done\n\nThe roof.\n\nThe door.\n",
        "# TODO\n\nFix it.\n\n- [ ] Paint it\n",
        "# TODO\n\nFix it.\n\n| a | b |\n|---|---|\n| c | d |\n",
    ] {
        let tasks = tasks(text);
        assert_eq!(tasks.lines().count(), 2, "{tasks}");
    }
}

#[test]
fn items_below_done_are_ticked_next_to_a_list_of_what_is_to_be_done() {
    assert_snapshot!(tasks("# TODO\n\n- fix a\n- fix b\n\n# DONE\n\n- did c\n"), @"
    markdown
    list: [ ] fix a | [ ] fix b | [x] did c | # TODO | # DONE
    ");
    assert_snapshot!(tasks("# To do\n- [ ] fix a\n\n# Done\n- did b\n"), @"
    markdown
    To do: [ ] fix a
    Done: [x] did b
    ");
    assert_snapshot!(tasks("# Weekly\n\n## Done\n- shipped\n\n## Notes\n- it rained\n"), @"
    markdown
    Weekly: ## Done /  / - shipped | ## Notes /  / - it rained
    ");
    assert_snapshot!(tasks("To do:\nfix a\nfix b\n\nDone:\nfix c\n\nGarden:\ndig\n"), @"
    plainLines
    fix a: OPEN
    fix b: OPEN
    fix c: DONE
    dig: in Garden
    ");
}

#[test]
fn items_below_the_lanes_of_a_board_are_tasks() {
    let bullets = "# Backlog\n\n- Alpha\n  with the blue door\n- Beta\n\n# In progress (2)\n\n- Gamma\n  - and its lid\n\n\
                   # Done\n\n- Delta\n";
    assert_snapshot!(tasks(bullets), @"
    markdown
    Alpha with the blue door: in Backlog
    Beta: in Backlog
    Gamma: IN PROGRESS | - and its lid
    Delta: DONE
    ");
    let boxes = "# Shed\n\n## To do\n- [ ] Roof by 2026-12-04\n  - [ ] tiles\n- [ ] Door\n\n## Doing\n- [ ] Floor\n\n\
                 ## Done\n- [x] Walls\n";
    assert_snapshot!(tasks(boxes), @"
    markdown
    Roof by 2026-12-04: due 2026-12-04 | in Shed | [ ] tiles
    Door: in Shed
    Floor: IN PROGRESS | in Shed
    Walls: DONE | in Shed
    ");
    let waiting = "## Doing\n- [ ] a\n\n## Waiting\n- [ ] b\n\n## Won't do\n- [ ] c\n\n## Backlog\n- [ ] d\n\n## Done\n";
    assert_snapshot!(tasks(waiting), @"
    markdown
    a: IN PROGRESS
    b: ON HOLD | Waiting
    c: REJECTED
    d: in Backlog
    ");
    let report =
        "# Week 48\n\n## Done\n- shipped\n\n## In progress\n- the form\n\n## Risks\n- rain\n";
    assert_eq!(tasks(report).lines().count(), 2);
    let written = "## To do\n\n[id:: 1]\n\n- [ ] a\n\n## Doing\n\n[id:: 2]\n\n- [ ] b\n";
    assert_snapshot!(tasks(written), @"
    markdown
    To do: [ ] a
    Doing: [ ] b
    ");
    let phases = "# Launch\n## Phase 1\n### To do\n- [ ] a\n### Doing\n- [ ] b\n## Phase 2\n### To do\n- [ ] d\n";
    assert_snapshot!(tasks(phases), @"
    markdown
    Phase 1: To do: in Launch | [ ] a
    Phase 1: Doing: in Launch | [ ] b
    Phase 2: To do: in Launch | [ ] d
    ");
    let letter = "# Done\n\nWe shipped it.\n\n- twice\n\n# In progress\n\n- the form\n";
    assert_eq!(tasks(letter).lines().count(), 2);
}

#[test]
fn indented_bullets_of_a_plain_list_are_items() {
    let text = "House\n\t- Roof\n\t\t- gutters\n\t\t\t- leaf guard\n\t\t- tiles\n\t  from Ulf\n\t- \
                ☑ Cellar\nGarden\n  the hedge\nTrip:\n- Book\n  - seats\n    by the window\n";
    assert_snapshot!(tasks(text), @"
    plainLines
    House: [ ] Roof | [ ] gutters | [ ] leaf guard | [ ] tiles | [x] Cellar | from Ulf
    Garden: the hedge
    Book: in Trip | [ ] seats | by the window
    ");
}

#[test]
fn a_table_with_a_column_of_boxes_lists_what_is_to_be_done() {
    let listed =
        "# Sprint\n\n| | Task | Who |\n|---|---|---|\n| - [ ] | Mail | Ola |\n| - [x] | Cert | |\n";
    assert_snapshot!(tasks(listed), @"
    markdown
    Sprint: [ ] Mail (Who: Ola) | [x] Cert | | | Task | Who |
    ");
    let within = "# Umzug\n\nText.\n\n| Was zu tun | Wer |\n|---|---|\n| [ ] Kartons | Uwe |\n| [x] Strom | |\n";
    assert_snapshot!(tasks(within), @"
    markdown
    Umzug: [ ] Kartons (Wer: Uwe) | [x] Strom | Text. /  / | Was zu tun | Wer |
    ");
    let support = "# Support\n\nText.\n\n| Feature | Linux | Mac |\n|---|---|---|\n| Tray | [x] | [ ] |\n\
                   | Sound | [x] | [x] |\n\n| Model | Waterproof |\n|---|---|\n| A | ✅ |\n| B | ✅ |\n";
    assert_snapshot!(tasks(support), @"
    markdown
    Support: Text. /  / | Feature | Linux | Mac | / |---|---|---| / | Tray | [x] | [ ] | / | Sound | [x] | [x] | /  / | Model | Waterproof | / |---|---| / | A | ✅ | / | B | ✅ |
    ");
}

#[test]
fn the_due_date_of_a_note_is_not_that_of_each_box_in_it() {
    let note = "---\ndue: 2027-01-31\ntags: [home]\n---\n# Moving out\n\nSee the contract.\n\n\
                - [ ] Give notice 📅 2026-11-30\n- [x] Compare movers ✅ 2026-11-12\n- [ ] Boxes ⏳ 2026-12-10\n";
    assert_snapshot!(tasks(note), @"
    markdown
    Moving out: due 2027-01-31 | See the contract.
    Give notice: due 2026-11-30 | in Moving out
    Compare movers: DONE | in Moving out | ✅ 2026-11-12
    Boxes: in Moving out | ⏳ 2026-12-10
    ");
}

#[test]
fn the_properties_of_a_page_are_fields_of_its_task() {
    let page = "# Bathroom\n\nOwner: Lena\nStatus: In progress\nDue: December 11, 2026\nTags: home, renovation\n\n\
                ## Demolition\n\n- [x]  Tiles\n- [ ]  Rubble\n";
    assert_snapshot!(tasks(page), @"
    markdown
    Bathroom: IN PROGRESS | due 2026-12-11 | [x] Tiles | [ ] Rubble | Owner: Lena /  / ## Demolition
    ");
    let minutes = "# Sync\n\nDate: 17 Nov\nStatus: waiting for Bob\n\n- [ ] ask him\n";
    assert_snapshot!(tasks(minutes), @"
    markdown
    Sync: [ ] ask him | Date: 17 Nov / Status: waiting for Bob
    ");
}

#[test]
fn a_card_that_moves_to_another_lane_is_the_same_task() {
    let key = |text: &str| {
        let reading =
            dormouse_formats::markdown::read("board.md", text.as_bytes()).expect("it is read");
        reading.tasks.iter().map(|task| task.key.clone()).collect::<Vec<_>>()
    };
    let before = key("## To do\n- [ ] a\n- [ ] b\n## Doing\n## Done\n- [x] c\n");
    let after = key("## To do\n- [ ] b\n## Doing\n- [ ] a\n## Done\n- [x] c\n");
    assert_eq!((&before[0], &before[1]), (&after[1], &after[0]));
    assert_eq!(before[2], after[2]);
}

#[test]
fn a_board_by_hand_may_have_lanes_of_other_names_and_text_in_them() {
    let board = "# Garden\n## This week\n- [ ] Mow\n## Waiting for Tom\n- [ ] Rake\n## In progress\n\
                 - [ ] Fence\n## Done\n- [x] Nails\n";
    assert_snapshot!(tasks(board), @"
    markdown
    Mow: in Garden: This week
    Rake: in Garden: Waiting for Tom
    Fence: IN PROGRESS | in Garden
    Nails: DONE | in Garden
    ");
    let plain = "# Garden\n## To do\nThese are for the spring.\n- Mow\n- Rake\n## Doing\n- Fence\n## Review\n- Shed\n## Later\n- Pond\n";
    assert_snapshot!(tasks(plain), @"
    markdown
    To do: in Garden | These are for the spring.
    Mow: in Garden
    Rake: in Garden
    Fence: IN PROGRESS | in Garden
    Shed: IN PROGRESS | in Garden
    Pond: in Garden: Later
    ");
    // Most lanes do not name a status: the headings are tasks.
    let steps = "# Garden\n## Shed\n- [ ] a\n## Beds\n- [ ] b\n## Pond\n- [ ] c\n## In progress\n- [ ] d\n## Done\n- [x] e\n";
    assert!(tasks(steps).contains("Shed: in Garden | [ ] a"), "{}", tasks(steps));
}

#[test]
fn what_is_done_and_what_is_to_do_below_one_title_are_no_tasks_themselves() {
    let list = "# Sprint\n## Done\n- [x] login\n## To do\n- [ ] profile\n  - [ ] picture\n";
    assert_snapshot!(tasks(list), @"
    markdown
    login: DONE | in Sprint
    profile: in Sprint | [ ] picture
    ");
    let titled = "# Done\n- [x] login\n\n# To do\n- [ ] profile\n";
    assert_snapshot!(tasks(titled), @"
    markdown
    login: DONE
    profile:
    ");
    // Each phase has its own: what is below them keeps the name of the phase.
    let phases =
        "# One\n## To do\n- [ ] a\n## Done\n- [x] b\n# Two\n## To do\n- [ ] c\n## Done\n- [x] d\n";
    assert!(tasks(phases).contains("One: Done"), "{}", tasks(phases));
}

#[test]
fn a_card_of_obsidian_that_moves_to_another_lane_stays_the_same_task() {
    let keys = |text: &str| -> Vec<String> {
        let reading = crate::messy::read("board.md", text);
        reading.tasks.into_iter().map(|task| task.key).collect()
    };
    let head = "---\nkanban-plugin: board\n---\n";
    let before = format!("{head}## Backlog\n- [ ] Paint\n- [ ] Mow\n## Done\n");
    let after = format!("{head}## Backlog\n- [ ] Mow\n## Done\n- [x] Paint\n");
    let (before, mut after) = (keys(&before), keys(&after));
    after.reverse();
    assert_eq!(before, after);
}
