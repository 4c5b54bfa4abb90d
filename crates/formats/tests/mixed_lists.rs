//! Lists in which only some bullets have a box, and lists of lists.

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
    Report @done(2026-11-02): DONE | in Home
    Call Bo @priority(1): in Work
    ");
    let labels: Vec<_> =
        crate::messy::read("list.txt", text).tasks.into_iter().map(|task| task.labels).collect();
    assert_eq!(labels, [vec!["outside".to_owned()], vec![], vec!["home".to_owned()], vec![]]);
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
