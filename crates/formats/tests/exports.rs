//! Tasks written in each format, and what holds for any task.

use dormouse_formats::export::{self, ExportFormat, Link, Loss, Lost, Task, losses, page, write};
use dormouse_formats::markdown;
use dormouse_formats::plan::{Format, Reading};
use dormouse_types::draft;
use dormouse_types::task::{EntryKind, Flags, LinkDirection, LinkKind, Priority, Status};
use insta::assert_snapshot;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use crate::properties::without_lines;

use crate::corpus::own;
use crate::readings::{is_whole, read};

fn boat() -> Task {
    let item = |key: &str, title: &str, is_checked, depth| draft::Item {
        key: key.to_owned(),
        title: title.to_owned(),
        is_checked,
        depth,
        lines: 0..0,
    };
    let entry = |key: &str, text: &str, on| draft::Entry {
        key: key.to_owned(),
        text: text.to_owned(),
        on,
        ..draft::Entry::default()
    };
    Task {
        key: "task-01boat".to_owned(),
        title: "=Sell the \"boat\"; soon".to_owned(),
        status: Some(Status::Blocked),
        status_reason: Some("waits for the survey".to_owned()),
        priority: Some(Priority::P1),
        due_on: Some(date(2026, 12, 5)),
        estimate_minutes: Some(90),
        language: Some("en".to_owned()),
        category: Some("Harbour, north".to_owned()),
        labels: vec!["sea".to_owned(), "two words".to_owned(), "a,b".to_owned()],
        flags: Flags::NONE,
        items: vec![
            item("a", "Photos", true, 0),
            item("b", "of the keel", false, 1),
            item("c", "Advert", false, 0),
        ],
        entries: vec![
            entry(
                "note#1",
                "The keel is new.\nAsk for 9,000; not less.\n\n# Paper\nAll there.",
                None,
            ),
            entry("comment#1", "Called Ana.\n---\nShe comes on Friday.", Some(date(2026, 11, 20))),
            entry("details#1", "- Start: 2026-11-01\n- berth: 14", None),
        ],
        links: vec![Link {
            kind: LinkKind::Blocks,
            direction: LinkDirection::In,
            key: "task-01survey".to_owned(),
            title: "Survey".to_owned(),
        }],
        updated_at: Some("2026-11-20T16:30:00.25Z".parse().unwrap()),
        created_at: Some("2026-11-01T08:00:00Z".parse().unwrap()),
        completed_at: None,
        report: Some("# Where it stands\n\nThe survey is late.".to_owned()),
    }
}

fn shown(target: ExportFormat) -> String {
    let plain =
        Task { key: "task-02".into(), title: "x (A) 2026-01-01 +odd".into(), ..Task::default() };
    let written = write(&[boat(), plain], target);
    let losses: Vec<String> = written
        .losses
        .iter()
        .map(|Loss { part, n_tasks, first }| {
            format!("LOST {} of {n_tasks}, first {first}\n", part.name())
        })
        .collect();
    losses.concat() + &written.text.replace('\r', "")
}

#[test]
fn a_task_as_markdown() {
    assert_snapshot!(shown(ExportFormat::Markdown));
    assert_snapshot!("one_task_as_markdown", write(&[boat()], ExportFormat::Markdown).text);
}

#[test]
fn several_tasks_as_markdown_are_read_with_all_their_fields_and_keys() {
    let note = |text: &str| draft::Entry {
        key: "text#1".into(),
        text: text.into(),
        ..draft::Entry::default()
    };
    let tasks = [
        boat(),
        Task { key: "b".into(), title: "Only a title".into(), ..Task::default() },
        Task {
            key: "list.md/a [1]#1".into(),
            title: "Fields [with] brackets".into(),
            status: Some(Status::Blocked),
            status_reason: Some("see [1], or \\ # 2".into()),
            category: Some("Home: \"old\" ]".into()),
            labels: vec!["a, b".into(), "c]".into()],
            entries: vec![note("Two lines\nof text: [not:: a field]")],
            ..Task::default()
        },
        Task {
            key: "list.md/only a title#1".into(),
            title: "Only a title".into(),
            priority: Some(Priority::P3),
            entries: vec![note("A note by friday")],
            ..Task::default()
        },
    ];
    let written = write(&tasks, ExportFormat::Markdown);
    assert!(written.losses.iter().all(|loss| loss.part != Lost::Key));
    let reading = dormouse_formats::markdown::reading("list.md", written.text.as_bytes()).unwrap();
    let fields = |task: &Task| Task { items: Vec::new(), entries: Vec::new(), ..task.clone() };
    let read: Vec<Task> = reading.tasks.iter().map(Task::from).collect();
    let bare = |task: &Task| Task {
        links: Vec::new(),
        report: None,
        created_at: None,
        updated_at: None,
        completed_at: None,
        ..fields(task)
    };
    let both =
        |tasks: &[Task], of: &dyn Fn(&Task) -> Task| tasks.iter().map(of).collect::<Vec<_>>();
    assert_eq!(both(&read, &fields), both(&tasks, &bare));
    assert_eq!(read[2].entries, tasks[2].entries);
    assert!(reading.remarks.is_empty(), "{:?}", reading.remarks);
    // What was read is written and read again as it is.
    let again = write(&read, ExportFormat::Markdown).text;
    let again = dormouse_formats::markdown::reading("list.md", again.as_bytes()).unwrap();
    let ignoring_lines =
        |tasks: &[draft::Task]| -> Vec<_> { tasks.iter().map(without_lines).collect() };
    assert_eq!(ignoring_lines(&again.tasks), ignoring_lines(&reading.tasks));
}

#[test]
fn fields_below_a_heading_that_have_no_place_are_text() {
    let text = "## A\n\n[due:: soon] [priority:: P1] [mood:: fine]\n\n## B\n\n[mood:: bad]\n";
    let drafts = dormouse_formats::markdown::read("a.md", text.as_bytes()).unwrap();
    assert_snapshot!(crate::show::drafts_shown(&drafts), @r#"
    TASK "A" line 1 key a.md/a#1
      priority P1
      ENTRY <fields#1>
        | [due:: soon] [mood:: fine]
    TASK "B" line 5 key a.md/b#1
      ENTRY <text#1>
        | [mood:: bad]
    ! 3: `due` cannot be `soon`; write a date as YYYY-MM-DD: kept in the note
    ! 3: `mood` cannot be `fine`; a task has no such field: kept in the note
    "#);
}

#[test]
fn one_task_as_markdown_is_read_with_its_fields() {
    let (boat, text) = (boat(), write(&[boat()], ExportFormat::Markdown).text);
    let drafts = dormouse_formats::markdown::read("boat.md", text.as_bytes()).unwrap();
    let [task] = &drafts.tasks[..] else { panic!("{drafts:?}") };
    assert_eq!(
        (&task.title, task.status, &task.status_reason),
        (&boat.title, boat.status, &boat.status_reason)
    );
    assert_eq!(
        (task.priority, task.due_on, task.estimate_minutes),
        (boat.priority, boat.due_on, boat.estimate_minutes)
    );
    assert_eq!(
        (&task.language, &task.category, &task.labels),
        (&boat.language, &boat.category, &boat.labels)
    );
    let items = |items: &[draft::Item]| -> Vec<_> {
        items.iter().map(|item| (item.title.clone(), item.is_checked, item.depth)).collect()
    };
    assert_eq!(items(&task.items), items(&boat.items));
    assert_eq!(
        crate::properties::lost_words(&text[text.find("# ").unwrap()..], &drafts),
        Vec::<String>::new()
    );
}

#[test]
fn a_task_as_todo_txt() {
    assert_snapshot!(shown(ExportFormat::TodoTxt));
}

#[test]
fn a_task_as_vtodo() {
    assert_snapshot!(shown(ExportFormat::ICalendar));
}

#[test]
fn a_task_as_csv() {
    assert_snapshot!(shown(ExportFormat::Csv));
}

#[test]
fn a_task_as_json() {
    assert_snapshot!(shown(ExportFormat::Json));
}

#[test]
fn a_task_as_a_page_with_its_report() {
    assert_snapshot!(page(&boat()));
}

#[test]
fn what_is_lost_is_known_before_anything_is_written() {
    for target in ExportFormat::ALL {
        assert_eq!(losses(&[boat()], *target), write(&[boat()], *target).losses);
    }
    assert!(losses(&[boat()], ExportFormat::Json).is_empty());
}

#[test]
fn a_cell_is_no_formula() {
    for title in ["=1+1", "+1", "-1", "@a", "'=1", "''@x", "＝1"] {
        let task = Task { title: title.to_owned(), key: title.to_owned(), ..Task::default() };
        let text = write(&[task], ExportFormat::Csv).text;
        let row = text.lines().nth(1).unwrap();
        assert!(row.starts_with('\''), "{row}");
        let reading = read(Format::Csv, "a.csv", &text).unwrap();
        assert_eq!(
            (reading.tasks[0].title.as_str(), reading.tasks[0].key.as_str()),
            (title, title)
        );
    }
}

#[test]
fn an_instance_of_a_series_in_our_own_calendar_is_the_task_that_it_was() {
    let id = "jt-01m8hd49rhv8zg3zqt72v940ha";
    let todo = |uid: &str, updated: &str| {
        let todo =
            format!("UID:{uid}\r\nSUMMARY:Water\r\n{updated}RECURRENCE-ID:20261220T170000\r\n");
        format!("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n{todo}END:VTODO\r\nEND:VCALENDAR\r\n")
    };
    let key = |text: &str| crate::messy::read("list.ics", text).tasks[0].key.clone();
    assert_eq!(key(&todo(id, "X-DORMOUSE-UPDATED:2026-11-28T15:42:07Z\r\n")), id);
    // In the calendar of another program, instances share the id of their series.
    assert_eq!(key(&todo("water@example.org", "")), "water@example.org/20261220T170000");
    assert_eq!(key(&todo(id, "")), format!("{id}/20261220T170000"));
}

#[test]
fn no_line_of_a_calendar_is_longer_than_75_octets_or_splits_a_character() {
    let task = Task { title: "ä漢🦀".repeat(120), key: "k".into(), ..Task::default() };
    let bytes = write(&[task], ExportFormat::ICalendar).text;
    assert!(bytes.split("\r\n").all(|line| line.len() <= 75));
    assert!(!bytes.replace("\r\n", "").contains(['\r', '\n']));
}

/// What a format holds of a reading, apart from the lines.
fn content(reading: &Reading) -> Vec<draft::Task> {
    reading.tasks.iter().map(without_lines).collect()
}

fn again(target: ExportFormat, tasks: &[draft::Task]) -> Vec<draft::Task> {
    let tasks: Vec<Task> = tasks.iter().map(Task::from).collect();
    let text = write(&tasks, target).text;
    let reading = read(target.read_as(), "a", &text).unwrap();
    is_whole(&reading, &text);
    content(&reading)
}

#[test]
fn a_file_read_and_written_in_its_format_says_the_same() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/formats");
    for (target, name) in [
        (ExportFormat::TodoTxt, "chores.todo.txt"),
        (ExportFormat::ICalendar, "flat.ics"),
        (ExportFormat::Csv, "things.csv"),
        (ExportFormat::Csv, "template.csv"),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let first = content(&read(target.read_as(), "a", &text).unwrap());
        assert_eq!(again(target, &first), first, "{name}");
    }
}

#[test]
fn headings_and_boxes_of_notes_stay_text_of_notes() {
    let note = |key: &str, text: &str| draft::Entry {
        key: key.into(),
        text: text.into(),
        on: None,
        kind: EntryKind::Text,
        flags: Flags::NONE,
    };
    let task = |key: &str, text: &str| draft::Task {
        key: key.into(),
        title: format!("Task {key}"),
        entries: vec![note("n", text)],
        ..draft::Task::default()
    };
    let texts = [
        "# Goals\n\nfast\n\n## Non-goals\n\nslow",
        "Minutes\n\n- [ ] send minutes\n- [x] book room\n  1. [ ] small",
        "a \\# sign\n\n\\# no heading\n\n```\n- [ ] code\n# code\n```",
        "[ ] alone\n\n> - [ ] quoted",
    ];
    for n in [1, texts.len()] {
        for start in 0..texts.len() {
            let some = texts.iter().cycle().skip(start).take(n);
            let tasks: Vec<draft::Task> =
                some.enumerate().map(|(at, text)| task(&format!("k{at}"), text)).collect();
            let written: Vec<Task> = tasks.iter().map(Task::from).collect();
            let text = write(&written, ExportFormat::Markdown).text;
            let back = markdown::read("own.md", text.as_bytes()).unwrap().tasks;
            let said = |tasks: &[draft::Task]| -> Vec<(usize, Vec<String>)> {
                let texts = |task: &draft::Task| {
                    task.entries.iter().map(|entry| entry.text.clone()).collect()
                };
                tasks.iter().map(|task| (task.items.len(), texts(task))).collect()
            };
            assert_eq!(said(&back), said(&tasks), "{n} from {start}");
        }
    }
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[a-zA-Zä漢0-9'().:;,/=@+#\\\\\"|*_🦀-]{1,8}",
        1 => Just("x".to_owned()),
        1 => Just("(A)".to_owned()),
        1 => Just("2026-01-31".to_owned()),
        1 => Just("due:2026-02-30".to_owned()),
        1 => Just("[private]:".to_owned()),
    ];
    prop::collection::vec(word, 1..6).prop_map(|words| words.join(" "))
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![4 => words(), 1 => Just(String::new()), 1 => Just("---".to_owned())],
        1..5,
    )
    .prop_map(|lines| lines.join("\n").trim().to_owned())
    .prop_filter("text", |text| !text.is_empty())
}

fn day() -> impl Strategy<Value = Date> {
    (1990_i16..2090, 1_i8..13, 1_i8..29).prop_map(|(year, month, day)| date(year, month, day))
}

fn flags() -> impl Strategy<Value = Flags> {
    (any::<bool>(), any::<bool>()).prop_map(|(starred, private)| Flags { starred, private })
}

fn marks() -> impl Strategy<Value = (EntryKind, Flags)> {
    let kinds = vec![EntryKind::Text, EntryKind::Audio, EntryKind::ImageAnalysis];
    (prop::sample::select(kinds), flags())
}

/// A task as a reader makes one: notes before comments, items that nest by one.
pub fn task() -> impl Strategy<Value = draft::Task> {
    let status = prop::option::of(prop::sample::select(Status::ALL));
    let priority = prop::option::of(prop::sample::select(vec![
        Priority::P0,
        Priority::P1,
        Priority::P2,
        Priority::P3,
    ]));
    let fields =
        (words(), status, priority, prop::option::of(day()), prop::option::of(1_u32..1440));
    // No category and no label has a longer name.
    let name = || words().prop_filter("fits", |name| name.chars().count() <= 60);
    let names = (prop::option::of(name()), prop::collection::btree_set(name(), 0..4), words());
    let items = prop::collection::vec((words(), any::<bool>(), 0_u32..4), 0..5);
    let entries = (
        prop::option::of(text()),
        prop::collection::vec((prop::option::of(day()), text(), marks()), 0..3),
    );
    (fields, names, items, entries, flags()).prop_map(
        |(fields, (category, labels, reason), items, (note, comments), flags)| {
            let (title, status, priority, due_on, estimate_minutes) = fields;
            let mut depth = 0;
            let items = (0..).zip(items).map(|(n, (title, is_checked, deep))| {
                depth = if n == 0 { 0 } else { deep.min(depth + 1) };
                draft::Item { key: format!("item-2026-{n}"), title, is_checked, depth, lines: 0..0 }
            });
            let note = note.map(|text| draft::Entry {
                key: "note#1".into(),
                text,
                ..draft::Entry::default()
            });
            let comments = (1..).zip(comments).map(|(n, (on, text, marks))| draft::Entry {
                key: format!("comment#{n}"),
                text,
                on,
                kind: marks.0,
                flags: marks.1,
            });
            let has_note = note.is_some();
            draft::Task {
                key: "the-task".into(),
                title,
                status,
                status_reason: status.filter(|status| status.needs_reason()).map(|_| reason),
                priority,
                due_on,
                estimate_minutes,
                category,
                labels: labels.into_iter().collect(),
                flags,
                items: items.collect(),
                entries: note.into_iter().chain(comments.filter(|_| has_note)).collect(),
                ..draft::Task::default()
            }
        },
    )
}

#[test]
fn a_label_that_begins_with_a_sign_comes_back_from_markdown() {
    let task = draft::Task {
        key: "a".into(),
        title: "Tagged".into(),
        labels: vec!["#work".into()],
        ..draft::Task::default()
    };
    let other = draft::Task { key: "b".into(), title: "Other".into(), ..draft::Task::default() };
    for tasks in [vec![task.clone()], vec![task, other]] {
        let written: Vec<Task> = tasks.iter().map(Task::from).collect();
        let text = write(&written, ExportFormat::Markdown).text;
        let options = dormouse_formats::plan::Options::default();
        let reading = dormouse_formats::plan::read("a.md", text.as_bytes(), &options).unwrap();
        assert_eq!(reading.tasks[0].labels, ["#work"], "{text}");
    }
}

#[test]
fn a_label_with_the_name_of_the_category_comes_back_beside_a_title_that_has_both() {
    let text = "2026-01-10 2026-01-10 +@ a @@\nbuy +shop paint @shop\n";
    let first = read(Format::TodoTxt, "a", text).unwrap();
    assert_eq!(again(ExportFormat::TodoTxt, &content(&first)), content(&first));
    assert_eq!(first.tasks[1].labels, ["shop"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_holds_everything(task in task()) {
        prop_assert_eq!(again(ExportFormat::Json, std::slice::from_ref(&task)), [task]);
    }

    #[test]
    fn a_calendar_holds_everything(task in task()) {
        prop_assert_eq!(again(ExportFormat::ICalendar, std::slice::from_ref(&task)), [task]);
    }

    #[test]
    fn a_sheet_holds_everything_but_the_keys_of_items(task in task()) {
        let without_keys = |mut task: draft::Task| {
            for item in &mut task.items {
                item.key.clear();
            }
            task
        };
        let read: Vec<_> = again(ExportFormat::Csv, std::slice::from_ref(&task)).into_iter().map(without_keys).collect();
        prop_assert_eq!(read, [without_keys(task)]);
    }

    #[test]
    fn todo_txt_names_what_its_line_does_not_hold(task in task()) {
        let lost: Vec<Lost> = losses(&[export::Task::from(&task)], ExportFormat::TodoTxt).iter().map(|loss| loss.part).collect();
        let read = again(ExportFormat::TodoTxt, std::slice::from_ref(&task));
        prop_assert_eq!(read.len(), 1);
        let read = &read[0];
        prop_assert!(lost.contains(&Lost::Title) || read.title == task.title, "{:?}", read);
        prop_assert!(lost.contains(&Lost::Title) || lost.contains(&Lost::Names) || (read.category == task.category && read.labels == task.labels), "{:?}", read);
        prop_assert!(lost.contains(&Lost::Reason) || read.status_reason == task.status_reason, "{:?}", read);
        prop_assert!(lost.contains(&Lost::Title) || (read.due_on, read.priority, read.estimate_minutes) == (task.due_on, task.priority, task.estimate_minutes), "{:?}", read);
        prop_assert_eq!(lost.contains(&Lost::Items), !task.items.is_empty());
        prop_assert_eq!(lost.contains(&Lost::Entries), !task.entries.is_empty());
        prop_assert_eq!(lost.contains(&Lost::Starred), task.flags.starred);
        prop_assert_eq!(lost.contains(&Lost::Private), task.flags.private);
    }

    #[test]
    fn what_was_written_once_is_written_the_same_again(tasks in prop::collection::vec(task(), 1..4)) {
        for target in own() {
            let first = again(target, &tasks);
            let second = again(target, &first);
            prop_assert_eq!(&second, &first, "{:?}", target);
        }
    }

    #[test]
    fn a_todo_txt_file_says_the_same_after_writing(lines in prop::collection::vec("(x )?(\\([A-Z]\\) )?(2026-0[1-9]-1[0-9] ){0,2}([a-z+@:]{1,5} ?){0,5}(due:2026-1[0-9]-01)?( pri:[A-F])?", 0..8)) {
        let text = lines.join("\n");
        let first = read(Format::TodoTxt, "a", &text).unwrap();
        is_whole(&first, &text);
        prop_assert_eq!(again(ExportFormat::TodoTxt, &content(&first)), content(&first));
    }

    #[test]
    fn any_text_is_read_with_a_place_for_each_line(text in "(BEGIN:VTODO|END:VTODO|SUMMARY:a|UID:[ab]|RELATED-TO:[ab]|DUE:2026|\"|,|;|\t|\n|\r|x |\\{|\\}|\\[|\\]|:|[a-z ]{1,4}|\u{feff}|🦀){0,60}") {
        for format in [Format::TodoTxt, Format::ICalendar, Format::Csv, Format::Trello, Format::Vikunja, Format::GithubIssues, Format::Dormouse, Format::Opml] {
            if let Ok(reading) = read(format, "a", &text) {
                is_whole(&reading, &text);
            }
        }
        crate::readings::claimed_by(&text);
    }

    #[test]
    fn any_calendar_says_the_same_after_writing(lines in prop::collection::vec("(BEGIN:VTODO|END:VTODO|BEGIN:VTODO|END:VTODO|SUMMARY:[a-c ]{0,3}|UID:[a-e]|RELATED-TO:[a-e]|DUE:2026110[1-9](T101500Z?)?|DTSTART;TZID=X:20261101T100000|X-A;B=\"c:d\":e\\\\,f|DESCRIPTION:a\\\\nb|COMPLETED:20261101T100000Z|STATUS:(COMPLETED|ODD)|RRULE:FREQ=DAILY|CLASS:(PUBLIC|PRIVATE|CONFIDENTIAL|X-A)|broken|BEGIN:VALARM|END:VALARM|ATTACH:a;b)", 0..30)) {
        let text = format!("BEGIN:VCALENDAR\n{}\n", lines.join("\n"));
        let first = read(Format::ICalendar, "a", &text).unwrap();
        is_whole(&first, &text);
        let once = again(ExportFormat::ICalendar, &content(&first));
        prop_assert_eq!(again(ExportFormat::ICalendar, &once), once);
    }
}

#[test]
fn what_a_note_holds_comes_back_as_a_note_and_hides_no_other_task() {
    let notes = [
        "log:\n```\nERROR 500",
        "~~~\nopen",
        "<!-- open",
        "24/Nov/26 10:00 AM;mk;seen it too",
        "first\n\n24/Nov/26 10:00 AM;mk;seen it too",
        "Nov 5, 2026: oiled once\n\n2026-11-07: oiled twice",
        "Monday\n------\n\nTuesday\n=======",
        "-----\nafter\n-----",
        "---\nfoo: bar\n---",
        "✔ signed off\n☐ publish",
        "Action items:\n- a\n- b",
        "**Action items**\n- call Anna",
        "| done | title |\n|---|---|\n| x | visa |",
        "- [ ] \n☐ a",
    ];
    for text in notes {
        let entry = |text: &str| draft::Entry {
            key: "text#1".into(),
            text: text.into(),
            ..draft::Entry::default()
        };
        let first = Task {
            key: "first".into(),
            title: "First".into(),
            entries: vec![entry(text)],
            ..Task::default()
        };
        let second =
            Task { key: "second".into(), title: "Ship 📅 2026-12-01".into(), ..Task::default() };
        let written = write(&[first, second], ExportFormat::Markdown);
        let read = dormouse_formats::markdown::read("list.md", written.text.as_bytes());
        let read = read.unwrap_or_else(|error| panic!("{text}: {error}")).tasks;
        let titles: Vec<&str> = read.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(titles, ["First", "Ship 📅 2026-12-01"], "{}", written.text);
        let texts: Vec<&str> = read[0].entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!((texts, read[0].items.len()), (vec![text], 0), "{}", written.text);
        let days: Vec<_> = read[0].entries.iter().map(|entry| entry.on).collect();
        assert_eq!((days, written.losses.len()), (vec![None], 0), "{text}: {:?}", written.losses);
    }
}

#[test]
fn one_exported_task_stays_one_whatever_dates_its_items_name() {
    let item = |title: &str, depth| draft::Item {
        key: title.to_owned(),
        title: title.to_owned(),
        is_checked: false,
        depth,
        lines: 0..0,
    };
    let task = Task {
        key: "jt-01m8hyt3x6sw180vnxw66s936h".to_owned(),
        title: "Plant".to_owned(),
        items: vec![item("Soil 📅 2026-11-30", 0), item("Pots ⏫", 1), item("Water", 0)],
        ..Task::default()
    };
    let text = write(std::slice::from_ref(&task), ExportFormat::Markdown).text;
    let reading = markdown::reading("plant.md", text.as_bytes()).unwrap();
    assert_eq!(reading.tasks.len(), 1, "{text}");
    let titles = |items: &[draft::Item]| -> Vec<String> {
        items.iter().map(|item| item.title.clone()).collect()
    };
    assert_eq!(titles(&reading.tasks[0].items), titles(&task.items));
    assert_eq!(losses(&[task], ExportFormat::Markdown), []);
    // A note that only has an id of its own is a list of tasks, as any other.
    let note = "---\nid: 202611301200\n---\n# Plant\n- [ ] Soil 📅 2026-11-30\n- [ ] Pots\n";
    assert_eq!(markdown::reading("note.md", note.as_bytes()).unwrap().tasks.len(), 2);
}
