//! Tasks as files by command: named losses, and files that a fresh folder imports.

use crate::world::World;

#[test]
fn a_file_in_another_format_names_what_it_leaves_out() {
    let world = World::with_tasks();
    let done = world.ok(&["export", "--format", "todo.txt"]);
    assert_eq!(done.out.lines().count(), 2, "{done:?}");
    let lost: Vec<_> = done.err.lines().collect();
    assert!(lost.len() >= 2, "{done:?}");
    assert!(lost.iter().all(|line| line.starts_with("todo.txt leaves out ")), "{done:?}");
    assert!(
        lost.iter().any(|line| line.contains("the checklist: 2 tasks, “Water butt")),
        "{done:?}"
    );
    assert!(!world.ok(&["export", "--format", "json"]).err.contains("leaves out"));
    assert_eq!(world.ok(&["export"]).err, "", "the whole document leaves nothing out");
}

#[test]
fn a_file_is_written_byte_for_byte_and_read_elsewhere() {
    let world = World::with_tasks();
    for (n, format) in ["todoTxt", "ics", "csv", "json"].into_iter().enumerate() {
        let file = format!("{}/copy {n}", world.data().display());
        world.ok(&["export", "--format", format, "--file", &file]);
        let written = std::fs::read_to_string(&file).expect("the file is there");
        assert_eq!(world.ok(&["export", "--format", format]).out, written, "{format}");
        let other = World::new();
        let done = other.ok(&["import", &file]);
        assert!(done.out.contains("2 created"), "{format}: {done:?}");
        let titles = |world: &World| -> Vec<String> {
            let list = world.json(&["task", "list"]);
            let rows = list["items"].as_array().into_iter().flatten();
            rows.map(|row| row["title"].to_string()).collect()
        };
        assert_eq!(titles(&other), titles(&world), "{format}");
        let again = world.run(&["export", "--format", format, "--file", &file]);
        assert!(again.code == 1 && again.err.contains("does not exist yet"), "{again:?}");
    }
}

#[test]
fn the_end_of_a_files_name_says_its_format_and_everything_else_is_the_whole_document() {
    let world = World::with_tasks();
    let folder = world.data().display().to_string();
    for (end, format, name) in [
        ("list.md", "markdown", "Markdown"),
        ("todo.txt", "todoTxt", "todo.txt"),
        ("list.ICS", "iCalendar", "iCalendar"),
        ("list.csv", "csv", "CSV"),
    ] {
        let file = format!("{folder}/{end}");
        let done = world.ok(&["export", "--file", &file]);
        assert!(done.out.ends_with(&format!("{end} as {name}\n")), "{done:?}");
        let written = std::fs::read_to_string(&file).expect("the file is there");
        assert_eq!(world.ok(&["export", "--format", format]).out, written, "{end}");
    }
    for (n, args) in [
        &["--file", "a.json"][..],
        &["--file", "backup"],
        &["--file", "a.zip"],
        &["--all", "--file", "b.csv"],
    ]
    .into_iter()
    .enumerate()
    {
        let file = format!("{folder}/{n}-{}", args[args.len() - 1]);
        let line = [&["export"], &args[..args.len() - 1], &[&file]].concat();
        assert_eq!(world.ok(&line).err, "", "{line:?} leaves nothing out");
        let written = std::fs::read_to_string(&file).expect("the file is there");
        assert!(written.starts_with("{\"format\": \"dormouse-export\""), "{line:?}");
    }
}

#[test]
fn a_task_is_a_page_with_its_report() {
    let world = World::with_agents();
    let page = world.ok(&["export", "water", "butt", "--format", "page"]);
    assert!(page.out.starts_with("# Water butt"), "{page:?}");
    assert!(
        page.out.contains("\n## Report\n") && page.out.contains("\n## Checklist\n"),
        "{page:?}"
    );
    let one = world.ok(&["export", "water butt", "--format", "md"]);
    assert!(one.out.starts_with("---\nid: ") && !one.out.contains("lug fence"), "{one:?}");
}

#[test]
fn filters_choose_the_tasks_and_deleted_ones_are_in_no_file() {
    let world = World::with_tasks();
    world.ok(&["task", "edit", "slug fence", "--status", "done", "--category", "Garden"]);
    let titles =
        |args: &[&str]| world.ok(&[&["export", "--format", "todo"][..], args].concat()).out;
    assert!(!titles(&["--status", "open"]).contains("lug fence"));
    assert!(titles(&["--status", "done", "--status", "open"]).contains("lug fence"));
    assert!(titles(&["--category", "garden"]).contains("lug fence"));
    world.ok(&["task", "delete", "slug fence"]);
    assert!(!titles(&[]).contains("lug fence"));
    let gone = world.run(&["export", "slug fence", "--format", "csv"]);
    assert!(gone.code == 1 && gone.err.contains("is deleted: restore it first"), "{gone:?}");
}
