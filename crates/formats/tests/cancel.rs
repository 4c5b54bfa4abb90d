//! A reading that nobody waits for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dormouse_formats::intake::{Cancel, ReadOptions};
use dormouse_formats::plan::{self, Format, Options};
use jiff::civil::date;

/// Reads a text, and cancels when the reader asks for the nth time. Says how often it asked, and
/// whether there is a reading.
fn read(format: Format, text: &str, cancelled_at: usize) -> (usize, Result<usize, String>) {
    let n_calls = Arc::new(AtomicUsize::new(0));
    let cancel = {
        let n_calls = n_calls.clone();
        Cancel::new(move || n_calls.fetch_add(1, Ordering::Relaxed) + 1 >= cancelled_at)
    };
    let read = ReadOptions { today: Some(date(2026, 11, 21)), cancel, ..ReadOptions::default() };
    let options = Options { format: Some(format), read, ..Options::default() };
    let reading = plan::read("list", text.as_bytes(), &options);
    let reading = reading.map(|reading| reading.tasks.len()).map_err(|error| error.to_string());
    (n_calls.load(Ordering::Relaxed), reading)
}

/// A text with so many tasks in a format.
fn text(format: Format, n: usize) -> String {
    let each = |line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    match format {
        Format::Markdown => each(&|n| format!("# Plank {n}\n- [ ] saw\n\nby Friday\n\n")),
        Format::Mail => {
            let head = "From: Ana\nTo: Ben\nSubject: Deck\n\n";
            format!("{head}{}", each(&|n| format!("- Plank {n} by Friday\n")))
        }
        Format::OrgMode => each(&|n| format!("* TODO Plank {n} by Friday\n")),
        Format::PlainLines | Format::TodoTxt => each(&|n| format!("Plank {n} by Friday\n")),
        Format::ICalendar => {
            let todos = each(&|n| format!("BEGIN:VTODO\nUID:{n}\nSUMMARY:Plank\nEND:VTODO\n"));
            format!("BEGIN:VCALENDAR\n{todos}END:VCALENDAR\n")
        }
        Format::Csv => format!("title,due\n{}", each(&|n| format!("Plank {n},2026-12-01\n"))),
        Format::Trello => {
            let cards = each(&|n| format!(r#"{{"id":"{n}","name":"Plank","idList":"l"}},"#));
            let cards = cards.trim_end_matches(',').to_owned();
            format!(r#"{{"lists":[{{"id":"l","name":"Deck"}}],"cards":[{cards}]}}"#)
        }
        Format::Vikunja => {
            let tasks = each(&|n| format!(r#"{{"id":{n},"title":"Plank"}},"#));
            format!(r#"[{{"title":"Deck","tasks":[{}]}}]"#, tasks.trim_end_matches(','))
        }
        Format::GithubIssues => {
            let issues = each(&|n| format!(r#"{{"number":{n},"title":"Plank","state":"OPEN"}},"#));
            format!("[{}]", issues.trim_end_matches(','))
        }
        Format::OtherJson => {
            let tasks = each(&|n| format!(r#"{{"name":"Plank {n}","completed":false}},"#));
            format!("[{}]", tasks.trim_end_matches(','))
        }
        Format::Opml => {
            let points = each(&|n| format!("<outline text=\"Plank {n}\"/>\n"));
            format!("<opml version=\"2.0\"><body>\n{points}</body></opml>")
        }
        Format::Dormouse => {
            let tasks = each(&|n| format!(r#"{{"key":"{n}","title":"Plank"}},"#));
            let tasks = tasks.trim_end_matches(',').to_owned();
            format!(r#"{{"format":"dormouse-tasks","version":1,"tasks":[{tasks}]}}"#)
        }
    }
}

#[test]
fn a_reader_that_is_cancelled_in_the_middle_of_a_file_stops_there() {
    // A mail is one task, which is read in one step.
    for &format in Format::ALL.iter().filter(|format| **format != Format::Mail) {
        let text = text(format, 100);
        let (n_calls, whole) = read(format, &text, usize::MAX);
        assert_eq!(whole, Ok(100), "{format}");
        assert!(n_calls >= 100, "{format} asks between records: {n_calls} times");
        let middle = n_calls * 6 / 10;
        let (n_calls, cancelled) = read(format, &text, middle);
        let said = "the reading of list was cancelled; nothing of it was written";
        assert_eq!(cancelled, Err(said.to_owned()), "{format}");
        // Each step on the way out asks once.
        assert!(n_calls <= middle + 2, "{format} goes on: {n_calls} of {middle}");
    }
}
