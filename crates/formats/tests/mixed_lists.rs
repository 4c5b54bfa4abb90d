//! Lists in which only some bullets have a box, and lists of lists.

use dormouse_types::task::Priority;
use insta::assert_snapshot;

use crate::messy::tasks;

#[test]
fn a_bullet_next_to_a_box_is_an_item() {
    assert_snapshot!(tasks("- [x] Passport\n- Tickets\n* [x] Visa\n* Hotel\n"), @"
    markdown
    list: [x] Passport | [ ] Tickets | [x] Visa | [ ] Hotel
    ");
    let within = "# Trip\n\n- [x] Passport\n- Tickets\n  for two\n  - by train\n- Hotel\n- Visa\n\nWe go in May.\n\n- a plan\n";
    assert_snapshot!(tasks(within), @"
    markdown
    Trip: [x] Passport | [ ] Tickets for two | [ ] Hotel | [ ] Visa | - Tickets for two /   - by train /  / We go in May. /  / - a plan
    ");
    let nested =
        "# Trip\n\n- [ ] Pack\n  - [x] shoes\n  - coat\n- [ ] Book\n  - before noon\n  - ask Ana\n";
    assert_snapshot!(tasks(nested), @"
    markdown
    Trip: [ ] Pack | [x] shoes | [ ] coat | [ ] Book | - Book /   - before noon /   - ask Ana
    ");
}

#[test]
fn a_bullet_with_a_name_and_a_value_is_text_next_to_boxes_too() {
    let text = "# Trip\n\n- [ ] Pack\n- Place: Rome\n- To be bought there:\n- Buy this: the map of the town: in Rome\n- We meet at 7:30\n";
    assert_snapshot!(tasks(text), @"
    markdown
    Trip: [ ] Pack | [ ] We meet at 7:30 | - Place: Rome / - To be bought there: / - Buy this: the map of the town: in Rome
    ");
}

#[test]
fn a_list_of_lists_with_boxes_has_a_task_for_each_outer_bullet() {
    let text =
        "- Kitchen\n  - [x] Paint\n  - Tiles\n- Bathroom:\n  - [ ] Sink\n    from Ulf\n- Garden\n";
    assert_snapshot!(tasks(text), @"
    markdown
    Kitchen: [x] Paint | [ ] Tiles
    Bathroom: [ ] Sink from Ulf
    Garden:
    ");
    let titled = "# Renovation\n\n1. Kitchen\n   - [x] Paint\n\n2. Bathroom\n   - [ ] Sink\n";
    assert_snapshot!(tasks(titled), @"
    markdown
    Kitchen: in Renovation | [x] Paint
    Bathroom: in Renovation | [ ] Sink
    ");
    // With other text, the bullets are parts of it.
    let text = "# Renovation\n\nIn May.\n\n- Kitchen\n  - [x] Paint\n- Bathroom\n  - [ ] Sink\n";
    assert_snapshot!(tasks(text), @"
    markdown
    Renovation: [x] Paint | [ ] Sink | In May. /  / - Kitchen /  / - Bathroom
    ");
}

#[test]
fn the_points_of_a_list_below_a_title_are_items_if_there_is_nothing_else() {
    let text = "# Groceries\n\n- milk\n  - two litres\n- bread\n  from the market\n1. eggs\n";
    assert_snapshot!(tasks(text), @"
    markdown
    Groceries: [ ] milk | [ ] two litres | [ ] bread from the market | [ ] eggs
    ");
    // One point is a text, and so is a list in a text.
    for text in [
        "# Groceries\n\n- milk\n",
        "# Rome\n\nWe saw:\n\n- the dome\n- the river\n",
        "# A\n\n- b\n- c\n\n## D\n\n- e\n",
    ] {
        let tasks = tasks(text);
        assert!(!tasks.contains("[ ]"), "{tasks}");
    }
}

#[test]
fn an_outline_without_bullets_keeps_its_shape() {
    let text = "Kitchen\n    paint the wall\n    fix the tap\nGarden\n\trake\n\t\tleaves\n\thedge\nAttic\n";
    assert_snapshot!(tasks(text), @"
    plainLines
    Kitchen: [ ] paint the wall | [ ] fix the tap
    Garden: [ ] rake | [ ] leaves | [ ] hedge
    Attic:
    ");
    let notes = "call Ana\n  after six\nbuy milk\npay the rent\n  to the new account\n  with the old one as a reference\n";
    assert_snapshot!(tasks(notes), @"
    plainLines
    call Ana: after six
    buy milk:
    pay the rent: to the new account / with the old one as a reference
    ");
}

#[test]
fn the_tags_of_task_paper_are_fields_of_its_tasks() {
    let text = "Home:\n\t- Paint the wall @due(2026-12-01) @outside\n\t\t- buy paint @done\n\t- Buy milk @done\n\t- Report @done(2026-11-02) @home\nWork:\n\t- Call Bo @priority(1)\n";
    assert_snapshot!(tasks(text), @"
    plainLines
    Paint the wall: due 2026-12-01 | in Home | [x] buy paint
    Buy milk: DONE | in Home
    Report: DONE | in Home | @done(2026-11-02)
    Call Bo: in Work
    ");
    let labels: Vec<_> =
        crate::messy::read("list.txt", text).tasks.into_iter().map(|task| task.labels).collect();
    assert_eq!(labels, [vec!["outside".to_owned()], vec![], vec!["home".to_owned()], vec![]]);
    let urgency = "Home:\n\t- Report @done\n\t- Bo @priority(1)\n\t- Ana @priority(low)\n\t- Cat @priority(9)\n";
    let read = crate::messy::read("list.txt", urgency);
    let priorities: Vec<_> =
        read.tasks.iter().map(|task| (task.title.as_str(), task.priority)).collect();
    assert_eq!(
        priorities,
        [
            ("Report", None),
            ("Bo", Some(Priority::P1)),
            ("Ana", Some(Priority::P3)),
            ("Cat @priority(9)", None)
        ]
    );
    let days = "Home:\n\t- Paint the wall @due(2026-12-01)\n\t\t- buy paint @done(2026-11-20)\n\t\t- tape\n";
    assert_snapshot!(tasks(days), @"
    plainLines
    Paint the wall: due 2026-12-01 | in Home | [x] buy paint @done(2026-11-20) | [ ] tape
    ");
    // Without them an `@` is a place or a person.
    assert_snapshot!(tasks("buy milk\nmail ana@done\n"), @"
    plainLines
    buy milk:
    mail ana@done:
    ");
}

#[test]
fn the_projects_of_task_paper_are_categories_at_any_depth_and_with_their_tags() {
    let text = "Inbox:\n\t- Read the guide @done(2026-11-20)\n\t\tIt is long.\n\t\t- first part @done\n\t\t- second part @today\n\
                House: @priority(1)\n\t- Oil the door @due(2026-12-24)\n\tCellar:\n\t\t- Sort the jars\n\t- Sweep\n\
                Old @archive:\n- Sell the bike\n\nRoof: @done\n\t- Tiles\nThat is all.\n";
    assert_snapshot!(tasks(text), @"
    plainLines
    Read the guide: DONE | in Inbox | [x] first part | [ ] second part @today | @done(2026-11-20) | It is long.
    Oil the door: due 2026-12-24 | in House
    Sort the jars: in House: Cellar
    Sweep: in House
    Sell the bike: in Old
    Tiles: DONE | in Roof
    That is all.:
    ");
    let said = crate::messy::read("list.txt", text).remarks;
    let said: Vec<String> =
        said.iter().map(|one| format!("{}: {}", one.line, one.message)).collect();
    assert_eq!(
        said,
        [
            "6: `@priority(1)` belongs to no task: left out",
            "11: `@archive` belongs to no task: left out"
        ]
    );
}

#[test]
fn bullets_of_several_kinds_with_a_box_among_them_are_one_list_of_items() {
    let text = "To do\n- Mail the supplier\n• Book the room\n2. Send the agenda\n- [x] Order lunch\n[ ] Print badges\n- Place: Rome\n";
    assert_snapshot!(tasks(text), @"
    markdown
    list: [ ] Mail the supplier | [ ] Book the room | [ ] Send the agenda | [x] Order lunch | [ ] Print badges | To do /  / - Place: Rome
    ");
    let within = "# Fair\n\nIn May.\n\n* Tent\n- [ ] Chairs\n– Lights\n\nA thought.\n";
    assert_snapshot!(tasks(within), @"
    markdown
    Fair: [ ] Tent | [ ] Chairs | [ ] Lights | In May. /  / A thought.
    ");
    // Without a box, or with lines of text between, each is what it was.
    let apart = "# Fair\n\n- [ ] Chairs\nand tables\n* Tent\n";
    assert_snapshot!(tasks(apart), @"
    markdown
    Fair: [ ] Chairs | and tables / * Tent
    ");
}

#[test]
fn the_counts_and_settings_of_org_mode_are_no_words_of_a_task() {
    let text = "#+TITLE: Next\n#+TODO: TODO NEXT | DONE\n#+STARTUP: overview\n\n* Work [2/5]\n** TODO Write [40%]\n** TODO [1/2] Send :home:\n** TODO See [3]\n";
    assert_snapshot!(tasks(text), @"
    orgMode
    Write: OPEN | in Work
    Send: OPEN | in Work
    See [3]: OPEN | in Work
    ");
}

#[test]
fn a_list_of_plain_tasks_has_what_its_signs_and_tags_say() {
    let text = "Todo:\n  ☐ Update the guide @high\n  ✔ Write tests @done (26-11-20 10:15)\n  ✘ Drop the API @cancelled (26-11-21 09:00)\n  ☐ Deploy\n\
                Phase 2 — Shape:\n  ☐ Split the module\n    ☐ inner part\n    ✔ other part @done (26-11-22 09:00)\n\nArchive:\n  ✔ Old thing @done (26-11-01 10:15)\n";
    assert_snapshot!(tasks(text), @"
    plainLines
    Update the guide: OPEN
    Write tests: DONE | @done (26-11-20 10:15)
    Drop the API: REJECTED | @cancelled (26-11-21 09:00)
    Deploy: OPEN
    Split the module: OPEN | in Phase 2 — Shape | [ ] inner part | [x] other part @done (26-11-22 09:00)
    Old thing: DONE | in Archive | @done (26-11-01 10:15)
    ");
}

#[test]
fn items_below_a_bare_box_are_all_of_one_depth() {
    let text = b"# List\n\n[ ] a\n\t[ ] b\n\t\t[ ] bb\n\t[ ] c\n[ ] d\n";
    let reading = dormouse_formats::markdown::read("list.md", text).expect("it is read");
    let items = reading.tasks[0].items.iter().map(|item| (item.title.as_str(), item.depth));
    assert_eq!(items.collect::<Vec<_>>(), [("a", 0), ("b", 1), ("bb", 2), ("c", 1), ("d", 0)]);
}

#[test]
fn a_crossed_line_names_no_others_and_an_x_ticks_a_plain_line() {
    assert_snapshot!(tasks("✔ book hall\n✗ pay deposit\n• invite band\n– posters\n"), @"
    plainLines
    book hall: DONE
    ✗ pay deposit:
    invite band:
    posters:
    ");
    assert_snapshot!(tasks("sweep loft\nfix lock\nx bins\nx 4 tyres\nhoover\n"), @"
    plainLines
    sweep loft:
    fix lock:
    bins: DONE
    x 4 tyres:
    hoover:
    ");
    assert_snapshot!(tasks("Plan a party due:2026-12-04\nBuy milk\nx bins\n"), @"
    todoTxt
    Plan a party: due 2026-12-04
    Buy milk:
    bins: DONE
    ");
}

#[test]
fn a_day_with_a_year_of_two_figures_is_one_of_this_century() {
    let reading =
        dormouse_formats::markdown::read("list.md", b"# A\n\n- [ ] x\n\n24 Nov 26: bought\n");
    let on = reading.expect("it is read").tasks[0].entries[0].on;
    assert_eq!(on.map(|day| day.to_string()).as_deref(), Some("2026-11-24"));
}
