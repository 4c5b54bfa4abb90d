//! The sections of a text with their figures, and the text as Markdown.

use std::fmt::Write as _;

use dormouse_types::TaskId;
use dormouse_types::work_facts::TaskFacts;
use dormouse_types::work_outcome::{
    Figure, FigureList, FigureUnit, ResultList, WorkLine, WorkSection, WorkText,
};

use super::wording::Wording;

/// A text in the making.
pub(super) struct Page {
    words: Wording,
    sections: Vec<WorkSection>,
    figures: Vec<Figure>,
}

/// A line, and what it counts for.
pub(super) struct Counted {
    pub line: WorkLine,
    pub id: Id,
}

/// What a line represents in the list of its figure.
pub(super) enum Id {
    Task(TaskId),
    Event(String),
}

impl Page {
    pub(super) fn new(words: Wording) -> Self {
        Self { words, sections: Vec::new(), figures: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// How many things a section tells, with those that have no line.
    pub(super) fn count(&self, name: ResultList) -> usize {
        self.sections
            .iter()
            .find(|section| section.name == name)
            .map_or(0, |section| section.lines.len() + section.n_more)
    }

    /// Whether this is the only section.
    pub(super) fn is_alone(&self, name: ResultList) -> bool {
        matches!(&self.sections[..], [section] if section.name == name)
    }

    /// Adds a section of which each line stands for one thing, unless there is none.
    pub(super) fn add(
        &mut self,
        name: ResultList,
        heading: String,
        counted: Vec<Counted>,
        most: usize,
    ) {
        if counted.is_empty() {
            return;
        }
        let value = u64::try_from(counted.len()).unwrap_or(u64::MAX);
        let (lines, ids): (Vec<WorkLine>, Vec<Id>) =
            counted.into_iter().map(|one| (one.line, one.id)).unzip();
        self.figures.push(Figure {
            name: name.into(),
            category: None,
            value,
            unit: FigureUnit::Count,
            opens: list(ids),
        });
        self.lines(name, heading, lines, most);
    }

    /// Adds a section like [`Self::add`], with at most so many lines, even if one more would fit.
    pub(super) fn add_exactly(
        &mut self,
        name: ResultList,
        heading: String,
        counted: Vec<Counted>,
        most: usize,
    ) {
        let is_over = counted.len() == most + 1;
        self.add(name, heading, counted, most);
        if let Some(section) = self.sections.last_mut().filter(|_| is_over) {
            section.lines.truncate(most);
            section.n_more = 1;
        }
    }

    /// Adds a section whose figures are added apart.
    pub(super) fn lines(
        &mut self,
        name: ResultList,
        heading: String,
        mut lines: Vec<WorkLine>,
        most: usize,
    ) {
        if lines.is_empty() {
            return;
        }
        // "And 1 more" takes the same room as the one.
        let shown = if lines.len() <= most + 1 { lines.len() } else { most };
        let n_more = lines.len() - shown;
        lines.truncate(shown);
        self.sections.push(WorkSection { name, heading, lines, n_more });
    }

    pub(super) fn figure(
        &mut self,
        name: ResultList,
        value: u64,
        unit: FigureUnit,
        opens: FigureList,
    ) {
        self.figures.push(Figure { name: name.into(), category: None, value, unit, opens });
    }

    /// Adds the share of a category in a list; of what is in no category, if it has no name.
    pub(super) fn share(
        &mut self,
        name: ResultList,
        category: &str,
        value: u64,
        unit: FigureUnit,
        opens: FigureList,
    ) {
        let category = Some(category.to_owned());
        self.figures.push(Figure { name: name.into(), category, value, unit, opens });
    }

    pub(super) fn finish(self, title: String) -> WorkText {
        let markdown = markdown(&self.sections, self.words);
        WorkText { title, sections: self.sections, markdown, figures: self.figures }
    }
}

/// A line about a task.
pub(super) fn about(task: &TaskFacts, details: Vec<String>, words: Wording) -> Counted {
    let line = WorkLine {
        task: Some(task.id.clone()),
        subject: words.title(&task.title),
        detail: details.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(", "),
    };
    Counted { line, id: Id::Task(task.id.clone()) }
}

/// A line about nothing that can be opened.
pub(super) fn plain(subject: String, detail: String) -> WorkLine {
    WorkLine { task: None, subject, detail }
}

/// A section holds one kind of thing; what has another id than its first line is not in its list.
fn list(ids: Vec<Id>) -> FigureList {
    let (mut tasks, mut events) = (Vec::new(), Vec::new());
    for id in ids {
        match id {
            Id::Task(id) => tasks.push(id),
            Id::Event(id) => events.push(id),
        }
    }
    if !events.is_empty() {
        return FigureList::Events(events);
    }
    FigureList::Tasks(tasks)
}

fn markdown(sections: &[WorkSection], words: Wording) -> String {
    let mut text = String::new();
    for section in sections {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = write!(text, "## {}\n\n", escaped(&section.heading));
        for line in &section.lines {
            let subject = escaped(&line.subject);
            let subject = match &line.task {
                Some(task) => format!("[{subject}](/tasks/{task})"),
                None => subject,
            };
            let _ = match line.detail.as_str() {
                "" => writeln!(text, "- {subject}"),
                detail => writeln!(text, "- {subject}: {}", escaped(detail)),
            };
        }
        if section.n_more > 0 {
            let _ = writeln!(text, "- {}", words.say.more.of(section.n_more));
        }
    }
    text
}

/// Text that Markdown shows as it is: no emphasis, link, image, HTML or address that opens by itself.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_address = rest.starts_with("://")
            || (c == '.' && escaped.to_ascii_lowercase().ends_with("www"))
            || c == '@';
        // Some readers of Markdown take it for a link within the text of another.
        let is_target = c == '(' && escaped.ends_with("\\]");
        if is_address
            || is_target
            || matches!(
                c,
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '$'
            )
        {
            escaped.push('\\');
        }
        escaped.push(c);
        rest = &rest[c.len_utf8()..];
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_with_a_link_in_it_stays_the_text_of_one() {
        assert_eq!(
            escaped("Call *landlord* [today](http://x)"),
            "Call \\*landlord\\* \\[today\\]\\(http\\://x)"
        );
    }

    #[test]
    fn a_title_is_shown_as_it_is_and_opens_nothing() {
        let hostile = "[x](javascript:1) ![](https://a.b) <b> www.a.b me@a.b **now** `c`";
        assert_eq!(
            escaped(hostile),
            "\\[x\\]\\(javascript:1) !\\[\\]\\(https\\://a.b) \\<b\\> www\\.a.b me\\@a.b \\*\\*now\\*\\* \\`c\\`"
        );
    }
}
