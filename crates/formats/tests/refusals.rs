//! What is refused, and the message for the person.

use dormouse_formats::{export, markdown};
use insta::assert_snapshot;

use crate::properties::without_lines;
use crate::show::{read, refusal};

fn refused(bytes: &[u8]) -> String {
    refusal(&markdown::read("plan.md", bytes).unwrap_err())
}

#[test]
fn bytes_that_are_not_utf8_are_named_by_line_and_offset() {
    assert_snapshot!(refused(b"# A\r\n- [ ] caf\xe9\x81\n"), @r"plan.md, line 2: byte 14 is not UTF-8; save the file as UTF-8 and import it again");
    assert_snapshot!(refused(b"\xff\xfe#\0\0\xd8"), @"plan.md begins as UTF-16 and goes on as something else; save the file as UTF-8 and import it again");
}

#[test]
fn a_nul_byte_is_named() {
    assert_snapshot!(refused(b"\xef\xbb\xbfone\rtwo\0"), @r"plan.md, line 2: byte 10 is NUL, which text cannot contain; check that this is a text file, or remove the byte");
}

#[test]
fn a_file_beyond_the_limit_is_refused_before_it_is_read() {
    assert_snapshot!(refused(&vec![0xff; 50 * 1024 * 1024 + 1]), @r"plan.md is too large; split it into smaller files: imported file is 52428801 bytes, at most 52428800 are accepted");
}

#[test]
fn impossible_values_are_text_and_name_line_value_and_what_is_allowed() {
    let day = "write a date as YYYY-MM-DD";
    let time = "write a time such as 90, 45m, 2h or 1h30m";
    for (front, line, message) in [
        ("due: 2026-02-30", 3, format!("`due` cannot be `2026-02-30`; {day}")),
        ("due: next week", 3, format!("`due` cannot be `next week`; {day}")),
        ("due: 2026-02-03 or so", 3, format!("`due` cannot be `2026-02-03 or so`; {day}")),
        ("due: 24.11.", 3, format!("`due` cannot be `24.11.`; {day}")),
        (
            "\nStatus: limbo",
            4,
            "`Status` cannot be `limbo`; write one of: OPEN, GROOMED, IN PROGRESS, BLOCKED, \
             ON HOLD, DONE, REJECTED"
                .to_owned(),
        ),
        (
            "priority: some",
            3,
            "`priority` cannot be `some`; write one of: P0 (urgent), P1 (high), P2 (medium), \
             P3 (low)"
                .to_owned(),
        ),
        ("estimate: soon", 3, format!("`estimate` cannot be `soon`; {time}")),
        ("estimate: 0", 3, format!("`estimate` cannot be `0`; {time}")),
        (
            "estimate: 25h",
            3,
            "`estimate` cannot be `25h`; estimate is 1500 minutes, at most 1440 are accepted"
                .to_owned(),
        ),
        (
            "title:\n  - one",
            4,
            "`title` cannot be `one`; it takes one value on its own line, not a list".to_owned(),
        ),
    ] {
        let shown = read("plan.md", &format!("---\nid: a\n{front}\n---\ntext\n"));
        assert!(
            shown.contains(&format!("! {line}: {message}: kept in the note\n")),
            "{front}\n{shown}"
        );
        for line in front.trim().lines() {
            assert!(shown.contains(&format!("    | {line}\n")), "{front}\n{shown}");
        }
    }
    let shown = read("plan.md", "---\nlanguage: xx\n---\ntext\n");
    assert!(shown.contains("! 2: `language` cannot be `xx`; write one of: ar, bn"), "{shown}");
}

#[test]
fn values_are_read_in_the_ways_people_write_them() {
    for (front, expected) in [
        ("estimate: 1:30", "estimate 90 min"),
        ("estimate: 1.5 h", "estimate 90 min"),
        ("estimate: 24h", "estimate 1440 min"),
        ("due_date: 3.11.2026", "due 2026-11-03"),
        ("priority: high", "priority P1"),
        ("due: 3 Nov 2026", "due 2026-11-03"),
        ("status: ON_HOLD\nreason: no tiles", "status ON HOLD\n  reason no tiles"),
        ("tags: '#home, outside'", "labels home | outside"),
        ("category: \"Home: kitchen # not a comment\"", "category Home: kitchen # not a comment"),
    ] {
        let shown = read("plan.md", &format!("---\n{front}\n---\ntext\n"));
        assert!(shown.contains(&format!("\n  {expected}\n  ENTRY")), "{front}: {shown}");
        assert!(!shown.contains("! "), "{shown}");
    }
}

#[test]
fn items_that_a_checklist_has_no_room_for_are_text_of_their_task() {
    let fits = format!("# Big\n{}", "- [ ] again\n".repeat(500));
    let drafts = markdown::read("plan.md", fits.as_bytes()).unwrap();
    assert_eq!((drafts.tasks[0].items.len(), drafts.not_understood.len()), (500, 0));
    let text = format!("{fits}- [x] one more\n  - [?] and below\n\n# Small\n- [ ] its own\n");
    let drafts = markdown::read("plan.md", text.as_bytes()).unwrap();
    let [big, small] = &drafts.tasks[..] else { panic!("{:?}", drafts.tasks) };
    assert_eq!((big.items.len(), small.items.len()), (500, 1));
    let entries: Vec<&str> = big.entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(entries, ["- [x] one more\n  - [?] and below"]);
    let remarks: Vec<String> =
        drafts.not_understood.iter().map(|one| format!("{}: {}", one.line, one.message)).collect();
    assert_eq!(
        remarks,
        ["502: 2 items are more than the 500 that a checklist holds: kept in the note; \
          a heading of their own makes them items"]
    );
    // Written and read again, nothing is more or less.
    let tasks: Vec<export::Task> = drafts.tasks.iter().map(export::Task::from).collect();
    let written = export::write(&tasks, export::ExportFormat::Markdown).text;
    let again = markdown::read("plan.md", written.as_bytes()).unwrap();
    assert_eq!(without_lines(&again.tasks[0]).items, without_lines(big).items);
    assert_eq!(again.tasks[0].entries[0].text, big.entries[0].text);
}

#[test]
fn labels_beyond_the_limits_are_text() {
    let many: Vec<_> = (0..51).map(|n| format!("label {n}")).collect();
    let shown = read("plan.md", &format!("---\ntags: [{}]\n---\ntext\n", many.join(", ")));
    assert!(
        shown.contains("labels per task is 51 labels, at most 50 are accepted: kept in the note")
    );
    assert!(shown.contains("label 49, label 50]") && shown.contains("| label 49\n"), "{shown}");
    let long = "x".repeat(61);
    let shown = read("plan.md", &format!("---\ntags:\n - ok\n - {long}\n---\ntext\n"));
    assert!(shown.contains("  labels ok\n"), "{shown}");
    assert!(shown.contains("! 4: `tags` cannot be `xxx"), "{shown}");
    assert!(shown.contains(&format!("|  - {long}\n")), "{shown}");
}
