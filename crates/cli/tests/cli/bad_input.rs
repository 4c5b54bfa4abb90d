//! What is refused: named, explained, with a fitting exit code, and without a trace in the data.

use dormouse_types::draft::Format;
use serde_json::Value;

use crate::world::{ALLOTMENT, World};

/// A command is refused, says these things, and leaves the tasks as they were.
fn check_refused(world: &World, args: &[&str], code: i32, says: &[&str]) {
    let before = everything(world);
    let done = world.run(args);
    assert_eq!(done.code, code, "{args:?}: {done:?}");
    assert!(done.err.starts_with("error: "), "{args:?}: {done:?}");
    for text in says {
        assert!(done.err.contains(text), "{args:?} does not say {text:?}: {done:?}");
    }
    assert_eq!(before, everything(world), "{args:?} changed something");
}

fn everything(world: &World) -> Vec<Value> {
    let tasks = world.json(&["task", "list"]);
    let ids = tasks["items"].as_array().into_iter().flatten().filter_map(|row| row["id"].as_str());
    ids.map(|id| world.json(&["task", "show", id])).collect()
}

#[test]
fn an_unknown_status_names_the_known_ones() {
    let world = World::with_tasks();
    let says = ["unknown status `finished`", "IN PROGRESS", "BLOCKED"];
    check_refused(&world, &["task", "edit", "slug fence", "--status", "finished"], 2, &says);
    check_refused(&world, &["task", "list", "--status", "finished"], 2, &says);
}

#[test]
fn a_day_that_does_not_exist_is_refused() {
    let world = World::with_tasks();
    let says = ["`2026-02-30` is not a day", "28 days"];
    check_refused(&world, &["task", "edit", "slug fence", "--due", "2026-02-30"], 2, &says);
    check_refused(&world, &["task", "add", "Mend", "--due", "2026-02-30"], 2, &says);
    check_refused(&world, &["task", "note", "slug fence", "x", "--on", "2026-02-30"], 2, &says);
    check_refused(&world, &["task", "time", "slug fence", "5m", "--on", "2026-02-30"], 2, &says);
}

#[test]
fn what_is_not_one_day_is_refused_with_a_day_to_name_instead() {
    let world = World::with_tasks();
    let edit = ["task", "edit", "slug fence", "--due"];
    for (due, says) in [
        ("soon", &["--due: `soon` is not understood as a date", "`fri 3pm`"][..]),
        ("", &["--due: no date is written"]),
        ("friday maybe", &["`maybe` is not part of a date"]),
        ("March 2036", &["is more than one day: 2036-03-01 to 2036-03-31", "--due 2036-03-31"]),
        ("every friday", &["--due: `every friday` repeats", "name one day, such as `--due 20"]),
    ] {
        check_refused(&world, &[&edit[..], &[due]].concat(), 2, says);
    }
    for (at, says) in [
        ("2036-03-01", &["--at: `2036-03-01` has no time of day", "`2036-03-01 9:00`"][..]),
        ("every friday 9:00", &["repeats, and this is one time"]),
        ("March 2036", &["is a range, and this is one time"]),
    ] {
        check_refused(&world, &["agent", "wake", "slug fence", "--at", at], 2, says);
    }
    let done = world.run_set(&["task", "list"], &[("DORMOUSE_DAY_ORDER", "yearFirst")], b"");
    assert!(done.code == 2 && done.err.contains("DORMOUSE_DAY_ORDER"), "{done:?}");
}

#[test]
fn an_export_that_is_not_possible_is_refused() {
    let world = World::with_tasks();
    let says = ["unknown format `docx`", "markdown, todoTxt"];
    check_refused(&world, &["export", "--format", "docx"], 2, &says);
    check_refused(&world, &["export", "--format", "page"], 2, &["a page shows one task"]);
    check_refused(&world, &["export", "--status", "open"], 2, &["--format"]);
    let both = ["export", "slug fence", "--format", "csv", "--status", "open"];
    check_refused(&world, &both, 2, &["cannot be used with"]);
}

#[test]
fn a_note_of_ten_megabytes_is_refused() {
    let world = World::with_tasks();
    let note = world.file("long.txt", "long ".repeat(2 * 1024 * 1024));
    let says = ["request body", "at most 1048576"];
    check_refused(&world, &["task", "note", "slug fence", "--file", &note], 1, &says);
}

#[test]
fn a_note_beyond_the_limit_of_notes_is_refused() {
    let world = World::with_tasks();
    let note = world.file("long.txt", "x".repeat(100 * 1024 + 1));
    check_refused(&world, &["task", "note", "slug fence", "--file", &note], 1, &["entry text"]);
    let note = world.file("fits.txt", "x".repeat(100 * 1024));
    world.ok(&["task", "note", "slug fence", "--file", &note]);
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let world = World::with_tasks();
    let file = world.file("latin1.md", b"# Caf\xe9\x81\n- [ ] one\n");
    check_refused(&world, &["import", &file], 1, &["latin1.md", "UTF-8"]);
    check_refused(&world, &["task", "note", "slug fence", "--file", &file], 1, &["UTF-8"]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    check_refused(&World::with_tasks(), &["import", "gone.md"], 1, &["gone.md cannot be read"]);
}

#[test]
fn an_id_that_names_nothing_says_how_to_find_one() {
    let world = World::with_tasks();
    let says = ["there is no task `zzzzz`", "hint: ", "task list"];
    check_refused(&world, &["task", "show", "zzzzz"], 1, &says);
    let id = "jt-00000000000000000000000000";
    check_refused(&world, &["task", "show", id], 1, &[id]);
    check_refused(&world, &["agent", "show", "zzzzz"], 1, &["there is no agent `zzzzz`"]);
    check_refused(
        &world,
        &["change", "confirm", "zzzzz:1"],
        1,
        &["there is no change set `zzzzz`"],
    );
}

#[test]
fn words_that_mean_two_tasks_list_both() {
    let world = World::with_tasks();
    world.ok(&["task", "add", "Fence", "for", "the", "beans"]);
    let says = ["`fence` matches 2 tasks", "Slug fence", "Fence for the beans", "hint: "];
    check_refused(&world, &["task", "show", "fence"], 2, &says);
}

#[test]
fn a_second_agent_for_a_task_is_refused() {
    let world = World::with_agents();
    let done = world.run(&["agent", "create", "slug fence"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("already"), "{done:?}");
    assert_eq!(world.json(&["agent", "list"])["items"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_report_of_a_task_without_an_agent_says_how_to_get_one() {
    let says = ["“Slug fence” has no agent", "hint: ", "agent create"];
    check_refused(&World::with_tasks(), &["report", "slug fence"], 1, &says);
}

#[test]
fn a_refusal_is_a_problem_document_with_json() {
    let world = World::with_tasks();
    let note = world.file("long.txt", "x".repeat(100 * 1024 + 1));
    let done = world.run(&["task", "note", "slug fence", "--file", &note, "--json"]);
    assert_eq!((done.code, &done.json()["type"]), (1, &Value::from("/problems/validation-failed")));
    assert_eq!(done.json()["status"], 422);
}

#[test]
fn a_data_folder_that_is_a_file_is_refused() {
    let world = World::new();
    let file = world.file("data", "text");
    let done = world.run(&["task", "list"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains(&format!("{file} is a file, not a folder")), "{done:?}");
    assert!(done.err.contains("hint: "), "{done:?}");
}

/// Permissions do not bind the user `root`, under whom these tests may run, so the folder is
/// where nobody can make one: below the kernel's own file system.
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let world = World::new();
    let folder = std::path::Path::new("/proc/dormouse");
    let done = world.run_at(folder, &["task", "list"], 100, b"");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("/proc/dormouse cannot be created"), "{done:?}");
    assert!(done.err.contains("hint: "), "{done:?}");
}

#[test]
fn files_that_are_no_databases_are_refused_and_left_alone() {
    let world = World::with_tasks();
    let journal = world.data().join("journal.sqlite");
    std::fs::write(&journal, "x".repeat(8192)).expect("the file can be replaced");
    let done = world.run(&["task", "list"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("journal.sqlite"), "{done:?}");
    assert_eq!(std::fs::read(&journal).ok(), Some("x".repeat(8192).into_bytes()));
}

#[test]
fn a_folder_of_a_newer_version_is_refused_and_left_alone() {
    let world = World::with_tasks();
    let journal = world.data().join("journal.sqlite");
    let mut bytes = std::fs::read(&journal).expect("the journal is a file");
    // Where an SQLite file keeps the version of its schema, big-endian.
    bytes[60..64].copy_from_slice(&999u32.to_be_bytes());
    std::fs::write(&journal, &bytes).expect("the journal can be replaced");
    let done = world.run(&["task", "list"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("newer Dormouse"), "{done:?}");
    assert!(done.err.contains("another data folder"), "{done:?}");
}

#[test]
fn a_damaged_row_is_named_and_the_other_tasks_can_be_used() {
    let world = World::with_tasks();
    let list = world.json(&["task", "list"]);
    let rows = list["items"].as_array().expect("a list has items");
    let row = rows.iter().find(|row| row["title"] == "Slug fence").expect("it was imported");
    let id = row["id"].as_str().expect("a row has an id");
    let journal = world.data().join("journal.sqlite");
    let bytes = std::fs::read(&journal).expect("the journal is a file");
    std::fs::write(&journal, damaged(&bytes, b"\"title\":\"Slug fence\"")).expect("it is replaced");

    let done = world.run(&["task", "show", id]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains(id) && done.err.contains("hint: "), "{done:?}");
    let body = world.run(&["task", "show", id, "--json"]).json();
    assert_eq!(body["type"], "/problems/damaged-row", "{body}");
    world.ok(&["task", "show", "water butt"]);
    world.ok(&["task", "note", "water butt", "The kit came."]);
}

/// The bytes with the last one of every match made a brace: as long as before, and no JSON.
fn damaged(bytes: &[u8], text: &[u8]) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let starts = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(text));
    starts.for_each(|at| damaged[at + text.len() - 1] = b'}');
    assert_ne!(damaged, bytes, "the text is in the file");
    damaged
}

#[test]
fn escape_sequences_of_a_title_do_not_reach_the_terminal() {
    let world = World::new();
    world.ok(&["task", "add", "Fence \u{1b}[2J\u{1b}]0;owned\u{7}done", "--note", "a\u{1b}[31mb"]);
    for args in [
        &["task", "list"][..],
        &["task", "show", "fence"],
        &["task", "edit", "fence", "--due", "2026-02-03"],
    ] {
        let done = world.ok(args);
        assert!(!done.out.contains('\u{1b}') && !done.err.contains('\u{1b}'), "{done:?}");
    }
}

#[test]
fn an_import_of_a_broken_file_writes_nothing() {
    let world = World::new();
    let bad = world.file("bad.md", [ALLOTMENT.as_bytes(), b"\xff\xfe"].concat());
    check_refused(&world, &["import", &bad], 1, &["bad.md"]);
}

#[test]
fn a_model_in_the_environment_has_a_provider() {
    let world = World::new();
    let with = |model| world.run_set(&["task", "list"], &[("DORMOUSE_MODEL", model)], b"");
    for wrong in ["gpt-5", "openai/", "/gpt-5"] {
        let done = with(wrong);
        assert_eq!(done.code, 2, "{wrong}: {done:?}");
        let says = format!("DORMOUSE_MODEL={wrong} is not a model");
        assert!(done.err.contains(&says) && done.err.contains("ollama/qwen3:8b"), "{done:?}");
    }
    for right in ["builtin", "ollama/qwen3:8b", ""] {
        assert_eq!(with(right).code, 0, "{right}");
    }
}

#[test]
fn a_device_that_never_ends_is_refused() {
    let world = World::with_tasks();
    let says = ["/dev/zero", "imported file", "at most 52428800 bytes"];
    check_refused(&world, &["import", "/dev/zero"], 1, &says);
    check_refused(
        &world,
        &["task", "note", "slug fence", "--file", "/dev/zero"],
        1,
        &["/dev/zero"],
    );
}

#[test]
fn of_several_files_those_without_text_are_named_and_left_out() {
    let world = World::new();
    let picture = world.file("lists/photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let (first, last) =
        (world.file("lists/a.md", "# Fence\n- [ ] paint\n"), world.file("lists/b.md", "# Roof\n"));
    let folder = std::path::Path::new(&first).parent().expect("a folder").display().to_string();
    let all = ["--no-wait", "import", &first, &picture, &last, &folder];
    let done = world.run(&all);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("left out: photo.png"), "{done:?}");
    // What is in the folder too is there once.
    assert!(done.err.contains("1 of 3 files were left out"), "{done:?}");
    assert_eq!(done.out.matches("1 created").count(), 2, "{done:?}");
    let planned = world.run_with(&["--no-wait", "import", &picture, &last, "--plan"], b"y\n");
    assert!(planned.out.contains("1 unchanged"), "{planned:?}");
    let empty = world.file("vault/.obsidian/app.json", "{}").replace("/.obsidian/app.json", "");
    check_refused(&world, &["import", &empty], 1, &["vault", "is a folder without files"]);
    let list = world.file("lists/c.md", "# Gate\n");
    let done = world.run(&["--no-wait", "import", &empty, &list]);
    assert_eq!((done.code, done.out.matches("1 created").count()), (1, 1), "{done:?}");
    assert!(done.err.contains("1 of 2 files were left out"), "{done:?}");
}

#[test]
fn of_two_hundred_files_those_that_are_pictures_are_named_and_the_others_written() {
    let world = World::new();
    let files: Vec<String> = (0..200)
        .map(|n| match n % 5 {
            0 => world.file(&format!("photo-{n}.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            _ => world.file(&format!("list-{n}.md"), format!("# Chore {n}\n- [ ] go\n")),
        })
        .collect();
    let mut all = vec!["--no-wait", "import"];
    all.extend(files.iter().map(String::as_str));
    let done = world.run(&all);
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(done.out.matches("left out: photo-").count(), 40, "{done:?}");
    assert_eq!(done.out.matches("1 created").count(), 160, "{done:?}");
    assert!(done.err.contains("40 of 200 files were left out"), "{done:?}");
}

#[test]
fn the_help_of_the_import_names_every_format() {
    let help = World::new().run(&["import", "--help"]).out;
    for format in Format::ALL {
        assert!(help.contains(format.name()), "{format}: {help}");
    }
}
