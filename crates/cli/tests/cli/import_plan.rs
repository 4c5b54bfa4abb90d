//! The plan of an import in the terminal: what is shown, confirmed, edited and written.

use crate::world::World;

const MOVE: &str = "\
# Move

## Internet
The customer number is on the last bill.

## Movers !p1
- [x] Ask three companies
- [ ] Choose one
- [ ] Pay the deposit

## Done
- [x] Measured the windows
";

/// An editor that is a script of `sed`.
fn editor(world: &World, script: &str) -> String {
    let script = world.file("edit.sed", script);
    format!("sed -i -f {script}")
}

fn titles(world: &World) -> Vec<String> {
    let list = world.json(&["task", "list"]);
    let items = list["items"].as_array().expect("a list").iter();
    let mut titles: Vec<String> =
        items.map(|task| task["title"].as_str().unwrap_or_default().to_owned()).collect();
    titles.sort();
    titles
}

#[test]
fn a_plan_is_shown_and_written_only_after_yes() {
    let world = World::new();
    let file = world.file("move.md", MOVE);
    let no = world.run_with(&["--no-wait", "import", &file, "--plan"], b"n\n");
    insta::assert_snapshot!(world.steady(&no.out));
    assert!(titles(&world).is_empty());
    let ended = world.run_with(&["--no-wait", "import", &file, "--plan"], b"");
    assert!(ended.out.contains("Nothing was written."), "{ended:?}");
    let yes = world.run_with(&["--no-wait", "import", &file, "--plan"], b"perhaps\ny\n");
    assert!(yes.out.contains("Please answer y, n or e."), "{yes:?}");
    assert!(yes.out.contains("3 created"), "{yes:?}");
    assert_eq!(titles(&world), ["Done", "Internet", "Movers"]);
}

#[test]
fn a_plan_of_a_file_with_other_line_ends_is_confirmed() {
    let world = World::new();
    let windows = format!("\u{feff}{}", MOVE.replace('\n', "\r\n"));
    let file = world.file("move.md", &windows);
    let yes = world.run_with(&["--no-wait", "import", &file, "--plan"], b"y\n");
    assert!(yes.out.contains("3 created"), "{yes:?}");
    assert_eq!(titles(&world), ["Done", "Internet", "Movers"]);
    let again = world.ok(&["--no-wait", "import", &file]);
    assert!(again.out.contains("0 created, 0 updated, 3 unchanged"), "{again:?}");
}

#[test]
fn an_edited_plan_is_written_and_holds_for_the_next_import() {
    let world = World::new();
    let file = world.file("move.md", MOVE);
    let edit = editor(
        &world,
        "s/= Internet/= Internet at the new flat/\ns/^ 6 task+/ 6 task/\ns/^11 task/11 out/\ns/^ 9 item/ 9 task/\n",
    );
    let settings = [("VISUAL", edit.as_str())];
    let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\ny\n");
    insta::assert_snapshot!(world.steady(&done.out));
    assert_eq!(titles(&world), ["Internet at the new flat", "Movers", "Pay the deposit"]);
    // The same list again, by a script.
    let again = world.ok(&["--no-wait", "import", &file]);
    assert!(again.out.contains("0 created, 0 updated, 3 unchanged"), "{again:?}");
}

#[test]
fn a_plan_says_what_is_private_or_starred_and_is_corrected() {
    let world = World::new();
    let text = format!("---\nprivate: true\n---\n{MOVE}");
    let file = world.file("move.md", &text);
    let edit = editor(&world, "s/+ private/+ starred/\n");
    let settings = [("VISUAL", edit.as_str())];
    let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\ny\n");
    assert!(done.out.contains("private"), "{done:?}");
    let list = world.json(&["task", "list"]);
    for row in list["items"].as_array().expect("a list") {
        assert_eq!((&row["starred"], &row["private"]), (&true.into(), &false.into()), "{row}");
    }
    let edit = editor(&world, "s/+ starred/+ secret/\n");
    let settings = [("VISUAL", edit.as_str())];
    let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\nn\n");
    assert!(done.out.contains("unknown flag `secret`; one of: starred, private"), "{done:?}");
}

const GUESTS: &str = "Guest,Vegan,Bench\nAnna,x,4\nBen,,5\n";

#[test]
fn what_the_columns_of_a_sheet_are_is_corrected_and_holds_for_the_next_import() {
    let world = World::new();
    let file = world.file("guests.csv", GUESTS);
    let edit = editor(&world, "s/^| 2 done /| 2 labels /\ns/^| 3 text /| 3 out /\n");
    let settings = [("VISUAL", edit.as_str())];
    let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\ny\n");
    insta::assert_snapshot!(world.steady(&done.out));
    let list = world.json(&["task", "list"]);
    let statuses = list["items"].as_array().expect("a list").iter().map(|row| &row["status"]);
    assert!(
        statuses.clone().count() == 2 && statuses.clone().all(|status| status == "OPEN"),
        "{list}"
    );
    // The same sheet again, by a script.
    let again = world.ok(&["--no-wait", "import", &file]);
    assert!(again.out.contains("0 created, 0 updated, 2 unchanged"), "{again:?}");
    for (script, says) in [
        ("", "Nothing changed."),
        (
            "s/^| 2 labels/| 2 vegan/",
            "unknown meaning of a column `vegan`; one of: id, title, done",
        ),
        ("s/^| 2 /| 9 /", "guests.csv has no column 9"),
        ("s/^| 1 title/| 1 text/", "title"),
        ("s/^| 1 title/| one title/", "the number of the column"),
    ] {
        let edit = editor(&world, script);
        let settings = [("VISUAL", edit.as_str())];
        let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\nn\n");
        assert!(done.out.contains(says), "{script}: {done:?}");
    }
}

#[test]
fn any_word_for_leaving_out_leaves_a_task_out() {
    for word in ["out", "skip", "skipped", "drop"] {
        let world = World::new();
        let file = world.file("move.md", MOVE);
        let edit = editor(&world, &format!("s/^ 3 task/ 3 {word}/"));
        let settings = [("VISUAL", edit.as_str())];
        let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\ny\n");
        assert!(done.out.contains("2 created"), "{word}: {done:?}");
        assert_eq!(titles(&world), ["Done", "Movers"], "{word}");
    }
}

#[test]
fn an_edit_that_is_not_possible_is_explained_and_changes_nothing() {
    let world = World::new();
    let file = world.file("move.md", MOVE);
    for (script, says) in [
        ("s/^ 3 task/ 3 join/", "no task above"),
        ("s/^ 3 task/ 3 tusk/", "is not understood"),
        ("s/= Internet/=/", "a title needs a word"),
        ("s/^ 3 task/44 task/", "has no line 44"),
    ] {
        let edit = editor(&world, script);
        let settings = [("VISUAL", edit.as_str())];
        let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\nn\n");
        assert!(done.out.contains(says), "{script}: {done:?}");
        assert!(titles(&world).is_empty());
    }
    let settings = [("VISUAL", "false")];
    let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\ny\n");
    assert!(done.err.contains("`false` ended with"), "{done:?}");
    assert!(titles(&world).is_empty());
}

#[test]
fn several_files_make_one_plan() {
    let world = World::new();
    let list = world.file("move.md", MOVE);
    let todo =
        world.file("todo.txt", "(A) Call the bank due:2026-12-01\nx 2026-11-01 Buy stamps\n");
    let done = world.run_with(&["--no-wait", "import", &list, &todo, "--plan"], b"y\n");
    assert!(done.out.contains("Write 5 tasks?"), "{done:?}");
    assert_eq!(titles(&world).len(), 5);
}

#[test]
fn a_plan_from_standard_input_cannot_be_confirmed_in_a_dialogue() {
    let world = World::new();
    let refused = world.run_with(&["import", "-", "--plan"], MOVE.as_bytes());
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("standard input cannot be both"), "{refused:?}");
    let shown = world.run_with(&["import", "-", "--dry-run"], MOVE.as_bytes());
    assert!(shown.out.contains("Nothing was written."), "{shown:?}");
}

#[test]
fn the_plan_of_a_sheet_says_what_its_columns_are_taken_for() {
    let world = World::new();
    let text = "Was;Wer;Zeug;Frist\nStreichen;Ana;grün;1.12.2026\nKaufen;Tom;blau;2.12.2026\n";
    let file = world.file("liste.csv", text);
    let plan = world.run_with(&["import", &file, "--dry-run"], b"");
    let columns = "columns: Was as title, Frist as due date, 2 kept in the note";
    assert!(plan.out.contains(columns), "{plan:?}");
}

#[test]
fn a_field_that_was_changed_on_both_sides_is_named_in_plain_words() {
    let world = World::new();
    let import = |text: &str| {
        let file = world.file("move.md", text);
        world.run_with(&["--no-wait", "import", &file, "--plan"], b"y\n")
    };
    let first = import("# Van\nDue: 2026-12-01\n- [ ] rent it\n");
    assert!(first.out.contains("1 created"), "{first:?}");
    world.run_with(&["--no-wait", "task", "edit", "Van", "--due", "2026-12-05"], b"");
    let second = import("# Van\nDue: 2026-12-03\n- [ ] rent it\n- [ ] fill the tank\n");
    let kept = "Kept as they are in Dormouse:";
    assert!(second.out.contains(kept) && second.out.contains("Van: due date"), "{second:?}");
}

#[test]
fn an_import_that_is_killed_at_six_of_ten_goes_on() {
    let world = World::new();
    let beds: String = (1..=10).map(|n| format!("## Bed {n}\n- [ ] dig bed {n}\n\n")).collect();
    let file = world.file("beds.md", beds);
    let import = ["--no-wait", "import", &file];
    let killed = world.run_set(&import, &[("DORMOUSE_FAULTS", "kill:journal.import:after:6")], b"");
    assert_ne!(killed.code, 0, "{killed:?}");
    assert_eq!(titles(&world).len(), 6);
    let again = world.ok(&import);
    assert!(again.out.contains("4 created, 0 updated, 6 unchanged"), "{again:?}");
    let all: std::collections::BTreeSet<String> = titles(&world).into_iter().collect();
    assert_eq!(all.len(), 10);
}

#[test]
fn two_files_of_one_name_are_two_lists_and_a_folder_is_read_with_its_folders() {
    let world = World::new();
    let kitchen = world.file("house/kitchen/todo.md", "# Todo\n\n- [ ] paint\n- [ ] order tiles\n");
    let bath = world.file("house/bath/todo.md", "# Todo\n\n- [x] paint\n- [ ] order a mirror\n");
    let both = ["--no-wait", "import", &kitchen, &bath, &kitchen, "--yes"];
    let done = world.ok(&both);
    assert_eq!(done.out.matches("1 created, 0 updated, 0 unchanged").count(), 2, "{done:?}");
    let again = world.ok(&both);
    assert_eq!(again.out.matches("0 created, 0 updated, 1 unchanged").count(), 2, "{again:?}");

    world.file("vault/Inbox.md", "# Inbox\n\n- [ ] sort the post\n");
    world.file("vault/trips/Rome.md", "# Rome\n\n- [ ] book the train\n");
    world.file("vault/.obsidian/app.md", "# Settings\n\n- [ ] no task\n");
    let vault = world.file("vault/trips/Oslo.md", "# Oslo\n\n- [ ] book the ship\n");
    let vault = vault.replace("/trips/Oslo.md", "");
    let done = world.ok(&["--no-wait", "import", &vault, "--yes"]);
    for name in ["vault/Inbox.md", "vault/trips/Oslo.md", "vault/trips/Rome.md"] {
        assert!(done.out.contains(&format!("{name}: 1 task")), "{done:?}");
    }
    assert_eq!(titles(&world), ["Inbox", "Oslo", "Rome", "Todo", "Todo"]);
}

#[test]
fn a_slip_in_an_edited_plan_can_be_mended_in_what_was_written() {
    let world = World::new();
    let file = world.file("move.md", MOVE);
    // The first time a title is changed and a word mistyped, the second time only the word is put right.
    let script = "s/^ 9 itme/ 9 item/\nt\ns/^ 9 item/ 9 itme/\ns/= Internet$/= Internet at home/\n";
    let edit = editor(&world, script);
    let settings = [("VISUAL", edit.as_str())];
    let done = world.run_set(&["--no-wait", "import", &file, "--plan"], &settings, b"e\ne\ny\n");
    assert!(done.out.contains("None of your edits were applied."), "{done:?}");
    assert_eq!(titles(&world), ["Done", "Internet at home", "Movers"]);
}

#[test]
fn a_plan_says_what_an_import_would_change_and_what_stays() {
    let world = World::new();
    let list = "- [ ] Call Ana 📅 2026-04-01\n- [ ] Paint the hall 📅 2026-04-02\n";
    let file = world.file("list.md", list);
    world.ok(&["--no-wait", "import", &file, "--yes"]);
    world.ok(&["task", "edit", "Call Ana", "--due", "2026-04-10"]);
    world.file("list.md", list.replace("2026-04-01", "2026-04-05").replace("Paint", "Clean"));
    let shown = world.ok(&["import", &file, "--dry-run"]);
    assert!(
        shown.out.contains("Call Ana: unchanged, kept as it is in Dormouse: due date"),
        "{shown:?}"
    );
    let same = world.run_with(&["--no-wait", "import", &file, "--plan"], b"n\n");
    assert!(same.out.contains("[y]es [n]o [e]dit"), "{same:?}");
}

#[test]
fn a_task_that_cannot_hold_more_is_named_and_stops_no_other() {
    let world = World::new();
    let boxes = |name: &str| (0..300).map(|n| format!("- [ ] {name} {n}\n")).collect::<String>();
    let file = world.file("list.md", format!("# Full\n\n{}# Small\n\n- [ ] one\n", boxes("old")));
    world.ok(&["--no-wait", "import", &file, "--yes"]);
    world.file("list.md", format!("# Full\n\n{}# Small\n\n- [ ] two\n", boxes("new")));
    let done = world.run(&["--no-wait", "import", &file, "--yes"]);
    assert!(done.out.contains("0 created, 1 updated, 0 unchanged, 1 not written"), "{done:?}");
    assert!(done.out.contains("\"Full\" was not written: "), "{done:?}");
    assert!(done.err.contains("1 task not written"), "{done:?}");
}
