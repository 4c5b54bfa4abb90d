//! What a person sees, on a narrow and on a wide terminal.

use unicode_width::UnicodeWidthStr as _;

use crate::world::World;

/// Every command that shows something.
const SHOWN: &[(&str, &[&str])] = &[
    ("overview", &[]),
    ("task_list", &["task", "list"]),
    ("task_show", &["task", "show", "water butt"]),
    ("agent_list", &["agent", "list"]),
    ("report", &["report", "water butt"]),
    ("change_list", &["change", "list"]),
    ("change_show", &["change", "show", "slug fence"]),
];

#[test]
fn screens_at_60_and_100_columns() {
    let world = World::with_agents();
    for columns in [60, 100] {
        for (name, args) in SHOWN {
            insta::assert_snapshot!(format!("{name}_{columns}"), world.screen(args, columns));
        }
    }
}

#[test]
fn nothing_is_wider_than_the_terminal_but_commands_to_paste() {
    let world = World::with_agents();
    for columns in [40, 57, 80, 133, 200] {
        for (name, args) in SHOWN {
            let done = world.run_at(&world.data(), args, columns, b"");
            for line in done.out.lines().filter(|line| !line.contains(" --data ")) {
                assert!(line.width() <= columns, "{name} at {columns}: {line}");
            }
        }
    }
}

#[test]
fn an_empty_folder_says_how_to_begin() {
    let world = World::new();
    insta::assert_snapshot!(world.screen(&[], 100), @r#"
    No tasks yet.
      bring tasks in: dormouse --data DATA import FILE --with-agents
      or write one: dormouse --data DATA task add "Paint the fence"
    "#);
}

#[test]
fn importing_says_what_was_read() {
    let world = World::new();
    let file = world.file("allotment.md", crate::world::ALLOTMENT);
    let done = world.ok(&["import", &file]);
    insta::assert_snapshot!(world.steady(&done.out));
    let again = world.ok(&["import", &file]);
    assert!(again.out.contains("0 created, 0 updated, 2 unchanged"), "{again:?}");
}
