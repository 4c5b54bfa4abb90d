//! Memory for hostile texts, counted at the allocator.

use allocation_counter::measure;
use dormouse_formats::export::{ExportFormat, Number, Task, Writer, write};
use dormouse_formats::plan::{self, Options};
use dormouse_types::draft::Entry;
use dormouse_types::task::{EntryKind, Flags};

/// The most bytes that reading a text held at once, for each byte of it; and whether it was read.
fn taken(text: &str) -> (u64, bool) {
    let mut is_read = false;
    let used = measure(|| {
        is_read = plan::read("list.md", text.as_bytes(), &Options::default()).is_ok();
    });
    (used.bytes_max / text.len() as u64, is_read)
}

#[test]
fn marks_and_nesting_take_memory_in_proportion_to_the_text() {
    const SIZE: usize = 1024 * 1024;
    for part in [">", "> ", "[", "](", "1. ", "- ", "`a", "<", "&", "*a "] {
        let text = format!("# T\n- [ ] a\n\n{}", part.repeat(SIZE / part.len()));
        let (bytes, is_read) = taken(&text);
        assert!(is_read && bytes < 50, "{part:?}: {bytes} bytes for each byte of the text");
    }
}

#[test]
fn a_text_of_too_many_lines_is_refused_before_it_is_read() {
    for part in ["a\n", "\r\n", "#\r"] {
        let (bytes, is_read) = taken(&part.repeat(2_100_000));
        assert!(!is_read && bytes < 15, "{part:?}: {bytes} bytes for each byte of the text");
    }
}

#[test]
fn a_text_full_of_marks_has_the_same_tasks() {
    let text = "# Move\n- [ ] a [link](b) and `code`\n> - [ ] no\n\n```\n- [ ] no\n```\n\n\
                <!-- - [ ] no -->\n\n* [x] c *d*\n***\n# Flat\n- [ ] e\n";
    let times = 200_001 / 12 + 1;
    let few = plan::read("list.md", text.as_bytes(), &Options::default()).unwrap();
    let marks = "[a](b) *c* ![d](e) ".repeat(times);
    let many = format!("{text}\n{marks}\n");
    let many = plan::read("list.md", many.as_bytes(), &Options::default()).unwrap();
    assert_eq!(few.tasks.len(), 2);
    assert_eq!(many.places[..14], few.places[..14]);
    assert_eq!(many.tasks[0], few.tasks[0]);
    assert_eq!(many.tasks[1].items, few.tasks[1].items);
}

#[test]
fn a_file_that_is_written_takes_the_memory_of_one_task() {
    const TASKS: usize = 2000;
    let task = |n: usize| {
        let entry = Entry {
            key: format!("text#{n}"),
            kind: EntryKind::Text,
            text: "long, as it goes\n".repeat(1000),
            on: None,
            flags: Flags::NONE,
        };
        Task {
            key: format!("k{n}"),
            title: format!("Plank {n}"),
            entries: vec![entry],
            ..Task::default()
        }
    };
    for &target in ExportFormat::ALL {
        let mut length = 0;
        let used = measure(|| {
            let mut writer = Writer::new(target, Number::Several);
            length += writer.head().len();
            for n in 0..TASKS {
                length += writer.task(&task(n)).len();
            }
            length += writer.end().len();
        });
        let few: Vec<Task> = (0..3).map(task).collect();
        let mut writer = Writer::new(target, Number::Several);
        let pieces: String = few.iter().map(|task| writer.task(task)).collect();
        assert_eq!(writer.head() + &pieces + &writer.end(), write(&few, target).text, "{target}");
        let is_text = target != ExportFormat::TodoTxt;
        assert!(!is_text || length > TASKS * 16_000, "{target}: {length} bytes were written");
        assert!(used.bytes_max < 1_000_000, "{target}: {} bytes at once", used.bytes_max);
    }
}
