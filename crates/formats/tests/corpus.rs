//! Real files and hostile lines, from `shared/data` next to the checkout. Without that folder these
//! tests have nothing to read and say so.

use std::path::{Path, PathBuf};

use dormouse_formats::export::ExportFormat;
use dormouse_formats::{markdown, sanitise};
use dormouse_types::draft::{Drafts, Task};

use crate::properties::{lost_words, survives_terminal};

/// The formats that read back what they have written; Markdown does so with the exceptions of `round_trips`.
pub fn own() -> impl Iterator<Item = ExportFormat> {
    ExportFormat::ALL.iter().copied().filter(|format| *format != ExportFormat::Markdown)
}

/// The folder of a kind of data; without it, prints what was not tested.
pub fn data(kind: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("../shared/data").join(kind);
    if folder.is_dir() {
        return Some(folder);
    }
    #[allow(clippy::print_stderr)] // A test that has nothing to read must say so.
    {
        eprintln!("not tested: there is no ../shared/data/{kind} next to the checkout");
    }
    None
}

fn read(folder: &Path, name: &str) -> Drafts {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    markdown::read(name, &bytes).unwrap()
}

fn count(tasks: &[Task]) -> (usize, usize) {
    let items = tasks.iter().flat_map(|task| &task.items);
    (items.clone().count(), items.filter(|item| item.is_checked).count())
}

#[test]
fn checklists_of_real_projects_are_read_whole() {
    let Some(folder) = data("tasks") else { return };
    let junit = read(&folder, "ical4j-junit5-tasks.md");
    assert_eq!((junit.tasks.len(), count(&junit.tasks)), (7, (74, 73)));
    let roadmap = read(&folder, "mform-roadmap-issues.de.md");
    assert_eq!(count(&roadmap.tasks), (80, 0));
    let procedure = read(&folder, "histologe-dns-procedure.fr.md");
    assert_eq!(count(&procedure.tasks), (22, 0));
    let plan = read(&folder, "salariile-roadmap-90-zile.ro.md");
    assert_eq!((plan.tasks.len(), count(&plan.tasks)), (1, (0, 0)));
    assert!(plan.tasks[0].title.starts_with("ROADMAP SEO"), "{}", plan.tasks[0].title);
}

#[test]
fn a_thread_is_one_task_with_dated_entries() {
    let Some(folder) = data("threads") else { return };
    let thread = read(&folder, "en-mybinder-2018-07-08-podsnips.md");
    let task = &thread.tasks[0];
    assert_eq!((thread.tasks.len(), task.title.as_str()), (1, "2018-07-08, too many pods"));
    let entries: Vec<_> = task
        .entries
        .iter()
        .map(|entry| format!("{} {}", entry.on.unwrap(), entry.key.trim_end_matches("#1")))
        .collect();
    assert_eq!(
        entries,
        [
            "2018-07-08 summary",
            "2018-07-08 timeline",
            "2018-07-08 2018-07-08 ca. 18:30",
            "2018-07-09 2018-07-09 08:00",
            "2018-07-08 lessons learned",
            "2018-07-08 action items",
        ]
    );
    let log = read(&folder, "es-harmocap-bitacora.md");
    let dated = log.tasks[0].entries.iter().filter(|entry| entry.on.is_some()).count();
    assert_eq!((dated, log.tasks[0].entries.len()), (30, 31));
}

#[test]
fn no_word_of_a_real_file_is_lost_and_its_keys_are_stable() {
    for kind in ["tasks", "threads"] {
        let Some(folder) = data(kind) else { return };
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "md") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let drafts = markdown::read("a.md", text.as_bytes()).unwrap();
            assert_eq!(lost_words(&text, &drafts), Vec::<String>::new(), "{}", path.display());
            assert_eq!(markdown::read("a.md", text.as_bytes()).unwrap(), drafts);
        }
    }
}

#[test]
fn hostile_lines_neither_break_the_reader_nor_reach_the_terminal() {
    let Some(folder) = data("hostile") else { return };
    let text = std::fs::read_to_string(folder.join("blns.txt")).unwrap();
    let drafts = markdown::read("blns.txt", text.replace('\0', "").as_bytes()).unwrap();
    assert!(!drafts.tasks.is_empty());
    survives_terminal(&text);
    for line in text.lines() {
        survives_terminal(line);
        let boxed = format!("# {line}\n- [ ] {line}\n\n{line}\n");
        let drafts = markdown::read(line, boxed.replace('\0', "").as_bytes()).unwrap();
        assert_eq!(lost_words(&boxed, &drafts), Vec::<String>::new(), "{line}");
    }
    assert!(sanitise::block(&text).lines().count() >= text.lines().count());
}
