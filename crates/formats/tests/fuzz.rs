//! Each parser on inputs made from a corpus: the samples and tables beside the tests, cut, joined and
//! sprinkled with signs that mean something to a format.
//!
//! The same inputs on every run: input `n` of a target depends on nothing but `n`. A check tries some;
//! `DORMOUSE_FUZZ_SECONDS` makes each target go on for so long.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use dormouse_formats::plan::{
    self, AgentChoice, Correction, Edit, Format, Kept, Options, Reading, Role, lines,
};
use dormouse_formats::quick_add::quick_add;
use dormouse_formats::when::{self, DayOrder, LANGUAGES, Reader, Weekday};
use dormouse_formats::{csv, sanitise};
use jiff::civil::date;
use jiff::tz::TimeZone;

use crate::readings::is_whole;

/// The inputs of a target in a check.
const IN_A_CHECK: u64 = 120;

/// Units: bytes. Longer inputs find little that shorter ones do not.
const LONGEST: usize = 4000;

/// What means something to one of the formats.
const SIGNS: &[&str] = &[
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u{feff}",
    "\0",
    "\t",
    "\u{a0}",
    "\u{2028}",
    "\"",
    "\"\"",
    "'",
    ",",
    ";",
    "|",
    "\\",
    "\\n",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "null",
    "true",
    ":",
    "::",
    "[due:: ",
    "---\n",
    "- [ ] ",
    "- [x] ",
    "# ",
    "## ",
    "### ",
    "1. ",
    "> ",
    "```",
    "~~~\n",
    "    ",
    "<p>",
    "</p>",
    "<li>",
    "&amp;",
    "&#",
    "📅 2026-12-01",
    "⏫",
    "🔁",
    "#",
    "@",
    "+",
    "(A) ",
    "x ",
    "due:",
    "by ",
    "until ",
    "is fine until ",
    "at 0930",
    "H2 ",
    "the 13th",
    " half of ",
    "@{2026-12-01}",
    "@@{14:30}",
    "@[[2026-12-01]]",
    "---\nkanban-plugin: board\n---\n",
    "%% kanban:settings\n",
    "%%\n",
    "**Complete**\n",
    "## Action items\n",
    "Hi Anna,\n",
    "\nBest,\nTom\n",
    "\n--\n",
    "▫",
    "▪",
    "List Name,Title,Content,Priority,Status\n",
    "BEGIN:VTODO\n",
    "END:VTODO\n",
    "BEGIN:VCALENDAR\n",
    "END:VCALENDAR\n",
    "SUMMARY:",
    "DUE;VALUE=DATE:",
    "RELATED-TO:",
    "DTSTART;TZID=",
    "\n ",
    "TYPE,CONTENT,PRIORITY\n",
    "title,due\n",
    "2026-02-30",
    "24.11.",
    "31.2.",
    "12/13/26",
    "99999999999",
    "0001-01-01T00:00:00Z",
    "2026-12-01T10:00:00+99:00",
    "friday",
    "every ",
    "in two weeks",
    "🦀",
    "é",
    "e\u{301}",
    "\u{202e}",
    "\u{1b}[2J",
    "\"tasks\":",
    "\"done\":true,",
    "\"parent\":\"a1\",",
    "\"children\":[",
    "<outline text=\"",
    "/>",
    "</outline>",
    " _note=\"",
    "- TODO ",
    "** DONE ",
    "DEADLINE: <2026-12-04 Fri>\n",
    ":LOGBOOK:\n",
    ":END:\n",
    "tags:: a, b\n",
    "\"cards\":",
    "\"title\":",
    "id: ",
    "due: ",
    "tags: [",
];

/// A small generator of numbers, the same everywhere.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % n.max(1)
    }
}

/// The files that inputs are made from.
fn corpus() -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut texts = Vec::new();
    for folder in ["samples", "samples/formats", "when"] {
        let mut paths: Vec<_> = std::fs::read_dir(tests.join(folder))
            .unwrap()
            .map(|file| file.unwrap().path())
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        texts.extend(paths.iter().map(|path| std::fs::read_to_string(path).unwrap()));
    }
    texts
}

/// A part of a text, at boundaries of characters.
fn part<'t>(text: &'t str, numbers: &mut Numbers, longest: usize) -> &'t str {
    let start = text.floor_char_boundary(numbers.below(text.len() + 1));
    let end = text.floor_char_boundary(text.len().min(start + numbers.below(longest + 1)));
    &text[start..end.max(start)]
}

fn input(corpus: &[String], n: u64) -> String {
    let mut numbers = Numbers::new(n + 1);
    let seed = &corpus[numbers.below(corpus.len())];
    let mut text = match numbers.below(3) {
        0 => part(seed, &mut numbers, LONGEST).to_owned(),
        _ => seed[..seed.floor_char_boundary(LONGEST)].to_owned(),
    };
    for _ in 0..=numbers.below(8) {
        let at = text.floor_char_boundary(numbers.below(text.len() + 1));
        match numbers.below(7) {
            0 | 1 => text.insert_str(at, SIGNS[numbers.below(SIGNS.len())]),
            2 => {
                let end = text.ceil_char_boundary((at + numbers.below(40)).min(text.len()));
                text.replace_range(at..end, "");
            }
            3 => {
                let again = part(&text, &mut numbers, 200).to_owned();
                text.insert_str(at, &again);
            }
            4 => {
                let other = &corpus[numbers.below(corpus.len())];
                text.insert_str(at, part(other, &mut numbers, 400));
            }
            5 => text.truncate(at),
            _ => text.insert_str(at, &SIGNS[numbers.below(SIGNS.len())].repeat(numbers.below(60))),
        }
    }
    text
}

/// Says which input it was when a target fails.
struct Input<'a> {
    target: &'a str,
    n: u64,
    text: &'a str,
}

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut input = String::new();
            let _ = write!(input, "target {}, input {}: {:?}", self.target, self.n, self.text);
            #[allow(clippy::print_stderr)] // The input that fails is what a person needs.
            {
                eprintln!("{input}");
            }
        }
    }
}

#[allow(clippy::disallowed_methods)] // How long a target runs, not what it does.
fn fuzz(target: &str, mut check: impl FnMut(&str, u64)) {
    let seconds = std::env::var_os("DORMOUSE_FUZZ_SECONDS");
    let seconds: Option<u64> = seconds.and_then(|n| n.to_str()?.parse().ok());
    let begun = std::time::Instant::now();
    let goes_on = |n: u64| match seconds {
        Some(seconds) => begun.elapsed() < Duration::from_secs(seconds),
        None => n < IN_A_CHECK,
    };
    let corpus = corpus();
    let mut n_inputs = 0;
    for n in (0..).take_while(|&n| goes_on(n)) {
        let text = input(&corpus, n);
        let _input = Input { target, n, text: &text };
        check(&text, n);
        n_inputs = n + 1;
    }
    if seconds.is_some() {
        let took = begun.elapsed().as_secs();
        // Written past the test runner, which hides what passing tests print.
        let _ = writeln!(std::io::stderr(), "target {target}: {n_inputs} inputs in {took} s");
    }
}

fn options(format: Option<Format>) -> Options {
    let mut options = Options { format, ..Options::default() };
    options.read.today = Some(date(2026, 11, 21));
    options
}

/// What is not refused is whole, says the same again, and can be shown.
fn reads(format: Option<Format>, text: &str) -> Option<Reading> {
    let options = options(format);
    let reading = match plan::read("list.txt", text.as_bytes(), &options) {
        Ok(reading) => reading,
        Err(error) => {
            assert!(error.to_string().chars().count() < 1000, "{error}");
            return None;
        }
    };
    is_whole(&reading, text);
    assert_eq!(plan::read("list.txt", text.as_bytes(), &options).as_ref(), Ok(&reading));
    for remark in &reading.remarks {
        assert!(remark.line >= 1 && !remark.message.is_empty());
        assert!(remark.message.chars().count() < 1000, "{}", remark.message);
    }
    Some(reading)
}

macro_rules! readers {
    ($($name:ident: $format:ident,)+) => {
        $(#[test]
        fn $name() {
            fuzz(stringify!($name), |text, _| {
                reads(Some(Format::$format), text);
            });
        })+
    };
}

readers! {
    any_text_is_markdown: Markdown,
    any_text_is_a_plain_list: PlainLines,
    any_text_is_todo_txt: TodoTxt,
    any_text_is_a_calendar_or_refused: ICalendar,
    any_text_is_a_sheet: Csv,
    any_text_is_a_trello_board_or_refused: Trello,
    any_text_is_a_vikunja_export_or_refused: Vikunja,
    any_text_is_a_list_of_issues_or_refused: GithubIssues,
    any_text_is_an_export_or_refused: Dormouse,
    any_text_is_json_with_tasks_or_refused: OtherJson,
    any_text_is_an_outline: Opml,
}

#[test]
fn any_text_has_a_format_and_columns() {
    fuzz("detect", |text, _| {
        reads(None, text);
        if let Ok(columns) = csv::columns("a.csv", text) {
            let json = serde_json::to_string(&columns).unwrap();
            assert!(serde_json::from_str::<csv::Columns>(&json).is_ok());
        }
        sanitise::block(text);
    });
}

#[test]
fn any_corrections_of_any_text_are_made_or_refused() {
    fuzz("corrections", |text, n| {
        let Some(reading) = reads(None, text) else { return };
        let n_lines = lines(text).len();
        let mut numbers = Numbers::new(n + 7);
        let mut kept = Kept::default();
        for _ in 0..4 {
            let corrections: Vec<_> = (0..=numbers.below(5))
                .map(|_| {
                    let line = numbers.below(n_lines + 2);
                    Correction { line, edit: edit(&mut numbers) }
                })
                .collect();
            if let Ok(planned) = plan::apply(text, &reading, &kept, &corrections) {
                assert_eq!(planned.places.len(), n_lines);
                let tasks = planned.tasks.len();
                assert!(planned.places.iter().all(|place| place.task.is_none_or(|at| at < tasks)));
                let again = plan::apply(text, &reading, &planned.kept, &[]).unwrap();
                assert_eq!(again.tasks, planned.tasks, "what was corrected stays corrected");
                kept = planned.kept;
            }
        }
    });
}

fn edit(numbers: &mut Numbers) -> Edit {
    let name = || "Other words by 3 December".to_owned();
    match numbers.below(11) {
        0 => Edit::Split,
        1 => Edit::Join,
        2 => Edit::LeaveOut,
        3 => Edit::Rename { title: name() },
        4 => Edit::RenameTask { title: name() },
        5 => Edit::SetAgent { agent: AgentChoice::Give },
        6 => Edit::SetCategory { category: Some(name()) },
        7 => Edit::SetStarred { starred: true },
        8 => Edit::SetPrivate { private: true },
        _ => Edit::SetRole { role: Role::ALL[numbers.below(Role::ALL.len())] },
    }
}

#[test]
fn any_text_is_searched_for_dates_and_added_as_a_task() {
    fuzz("when", |text, n| {
        let mut numbers = Numbers::new(n + 3);
        let reader = Reader {
            now: date(2026, 11, 21).at(9, 30, 0, 0),
            zone: TimeZone::get("Europe/Berlin").unwrap(),
            order: DayOrder::ALL[numbers.below(DayOrder::ALL.len())],
            language: LANGUAGES[numbers.below(LANGUAGES.len())],
            week_starts: Weekday::Monday,
        };
        let scan = when::scan(text, &reader);
        assert!(scan.steps <= 400 * (text.len() as u64 + 50), "{} steps", scan.steps);
        let mut end = 0;
        for found in &scan.found {
            assert!(found.span.bytes.start >= end && text.get(found.span.bytes.clone()).is_some());
            end = found.span.bytes.end;
        }
        let line = part(text, &mut numbers, 120);
        let _ = when::explain(line, &reader);
        let _ = when::leading(line, Some(2026), reader.language);
        let added = quick_add(line, &reader);
        assert!(added.title.len() <= line.len());
    });
}
