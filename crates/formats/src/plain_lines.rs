//! Lists without any markup: each line that is not blank is a task.
//!
//! A bullet or number at the beginning of a line is no part of the title. An indented line belongs to the
//! task above it: with a bullet it is an item of its checklist, without one it is text, unless the whole list
//! is an outline without bullets. In a list with tags of TaskPaper, `@done` and `@due(…)` count: see `task_paper`. A box or tick in
//! front says whether the task or item is done. A quotation is text of the task above it; a line of dashes parts lists. A line that ends with a colon, or that bullets follow
//! directly, names what follows, unless it is between plain lines: then the bullets are its items. "Done:" says that it is done, "To do:" that it is open; any other name
//! is its category. Greeting and signature of a pasted letter are no tasks. Keys are the folded title, numbered where it repeats.

use dormouse_types::draft::{Entry, Task};
use dormouse_types::limits;
use dormouse_types::task::Status;

use crate::checklist::Checklist;
use crate::intake::{self, Letter};
use crate::markdown::key::{self, Counter};
use crate::markdown::{Remark, stem};
use crate::reading::{self, Format, Place, Reading, Role};
use crate::task_paper::{self, Project, Tagged};

/// Units: characters. A longer line is a paragraph, not a title.
const LONG: usize = 200;

/// Units: characters. From here on, a line that the next one continues is running text.
const WRAPPED: usize = 50;

/// Units: characters. A longer line names no other lines.
const HEAD: usize = 60;

/// Units: characters. The longest name of lines with the names around it.
const OUTER: usize = 200;

/// Signs in front of what was given up or is still missing: such a line names no others.
const CROSSES: [char; 5] = ['✘', '✗', '✖', '✕', '❌'];

/// How many lines below a name are looked at for one that is not blank.
const FAR: usize = 20;

/// Whether a text is a plain list: several short lines without headings, boxes or other markup that
/// are no running text.
pub fn looks_like(text: &str) -> bool {
    let mut n_lines = 0;
    let mut n_continued = 0;
    let (mut n_boxes, mut n_bulleted, mut n_inner) = (0, 0, 0);
    let (mut n_ticked, mut n_unticked) = (0, 0);
    let (mut n_long, mut n_quoted) = (0, 0);
    // Lines without a blank one between them.
    let mut n_together = 0;
    let mut before: Option<&str> = None;
    for line in reading::lines(text) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            before = None;
            continue;
        }
        if is_rule(trimmed) {
            // Below a line that stands alone, it makes a heading of it.
            if before.is_some_and(|before| !is_bulleted(before)) && n_together == 1 {
                return false;
            }
            (before, n_together) = (None, 0);
            continue;
        }
        if is_markup(line) {
            return false;
        }
        n_together = if before.is_none() { 1 } else { n_together + 1 };
        n_long += usize::from(trimmed.chars().nth(LONG).is_some());
        n_quoted += usize::from(trimmed.starts_with('>'));
        let continues = before.is_some_and(|before: &str| {
            before.chars().nth(WRAPPED).is_some()
                && !before.ends_with(['.', '!', '?', ':', ';'])
                && trimmed.starts_with(char::is_lowercase)
        });
        n_lines += 1;
        n_continued += usize::from(continues);
        n_boxes += usize::from(has_box(trimmed));
        let mark = intake::boxed(trimmed).map(|(mark, _)| intake::is_tick(mark) == Some(true));
        n_ticked += usize::from(mark == Some(true));
        n_unticked += usize::from(mark == Some(false));
        n_bulleted += usize::from(is_bulleted(trimmed) || trimmed.ends_with(':'));
        n_inner += usize::from(reading::indent(line) > 0);
        before = Some(trimmed);
    }
    // A list in which somebody drew few boxes is an outline all the same.
    let is_outline = || n_bulleted == n_lines && n_inner > 0 && 5 * n_boxes < n_lines;
    let is_tagged = || 2 * n_boxes < n_lines && task_paper::looks_like(text);
    let is_boxed = || n_bulleted == 0 && are_named(&reading::lines(text));
    // Somebody draws a box only for what is done: with an empty one, the other lines would have theirs too.
    let has_only_ticks = || n_bulleted + n_inner + n_unticked == 0 && 2 * n_ticked < n_lines;
    let are_boxes_of_lines =
        || n_boxes == 0 || is_outline() || is_tagged() || is_boxed() || has_only_ticks();
    // Paragraphs and quotations among a list are a few of it.
    let is_list = n_long <= n_lines / 5 && n_quoted <= n_lines / 4;
    n_lines > 1 && is_list && 4 * n_continued < n_lines && are_boxes_of_lines()
}

/// Whether boxes without bullets stand below lines that name them, such as the days of a week: two lines at
/// least are right above a box, and no box has a bullet. A single such line is a title.
fn are_named(lines: &[&str]) -> bool {
    let is_box = |line: &str| intake::boxed(line.trim()).is_some();
    let is_name = |line: &str| {
        reading::indent(line) == 0
            && !line.trim().is_empty()
            && line.trim().chars().nth(HEAD).is_none()
            && !is_bulleted(line)
            && !is_box(line)
    };
    let has_bullet = |line: &&str| is_bulleted(line) && is_box(bare(line));
    let n_names =
        lines.windows(2).filter(|pair| is_name(pair[0]) && is_box(pair[1])).take(2).count();
    n_names == 2 && !lines.iter().any(has_bullet)
}

/// Whether a line has a meaning in Markdown that a plain list does not have.
fn is_markup(line: &str) -> bool {
    let text = line.trim_start();
    let hashes = text.bytes().take_while(|&byte| byte == b'#').count();
    let is_heading = (1..=6).contains(&hashes) && text[hashes..].starts_with([' ', '\t']);
    let is_tag = text.strip_prefix('<').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?'))
    });
    let is_block = ["```", "~~~", "|"];
    is_heading || is_tag || is_block.iter().any(|start| text.starts_with(start))
}

/// Whether a line is only there to part others: `---`, `* * *`, `=====`.
fn is_rule(line: &str) -> bool {
    let sign = line.chars().next().filter(|sign| matches!(sign, '-' | '=' | '*' | '_'));
    let signs = || line.chars().filter(|c| !c.is_whitespace());
    sign.is_some_and(|sign| signs().all(|c| c == sign)) && signs().nth(2).is_some()
}

fn has_box(line: &str) -> bool {
    let item = bare(line);
    ["[ ]", "[x]", "[X]"].iter().any(|mark| item.starts_with(mark))
}

/// A line without its bullet or number.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = if (1..=3).contains(&digits) {
        line[digits..].strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•', '–', '·'])
    };
    after.filter(|after| after.starts_with([' ', '\t'])).map_or(line, str::trim_start)
}

fn is_bulleted(line: &str) -> bool {
    bare(line) != line.trim()
}

/// Reads a list.
pub fn read(name: &str, text: &str) -> Reading {
    let mut reading = Reading::of(Format::PlainLines);
    let mut keys = Counter::default();
    let mut notes: Vec<&str> = Vec::new();
    let mut checklist = Checklist::default();
    let mut group = Group::default();
    let file = key::fold(name);
    let lines = reading::lines(text);
    let letter = Letter::of(&lines);
    let is_outline = is_outline(&lines);
    let shape = Shape { is_spaced: names_are_apart(&lines), is_named: are_named(&lines) };
    let has_tags = task_paper::looks_like(text);
    // Whether bullets are items of the plain line above them.
    let mut takes_bullets = false;
    for (at, &line) in lines.iter().enumerate() {
        let number = at + 1;
        takes_bullets &= is_bulleted(line);
        let role = if line.trim().is_empty() {
            Role::Blank
        } else if is_rule(line.trim()) {
            note(&mut reading.tasks, &mut notes);
            group = Group::default();
            Role::Markup
        } else if letter.has(at) {
            note(&mut reading.tasks, &mut notes);
            Role::Skipped
        } else if let Some(project) = project(&lines, at).filter(|_| has_tags && group.nests(line))
        {
            note(&mut reading.tasks, &mut notes);
            group.begin_project(&project, line, &lines[at + 1..]);
            if !project.tags.is_empty() {
                let message = format!("`{}` belongs to no task: left out", project.tags.join(" "));
                reading.remarks.push(Remark { line: number, message });
            }
            Role::Category
        } else if let Some(head) = head(&lines, at, shape) {
            note(&mut reading.tasks, &mut notes);
            group.begin(head, lines.get(at + 1).copied());
            Role::Category
        } else if (takes_bullets || group.has_task(line) || line.starts_with('>'))
            && let Some(task) = reading.tasks.last_mut()
        {
            let is_quoted = line.starts_with('>');
            let is_point = !is_quoted
                && (is_outline || is_bulleted(line) || intake::boxed(line.trim()).is_some());
            if is_point && add_item(&mut checklist, task, (number, line), has_tags) {
                Role::Item
            } else {
                notes.push(line.trim());
                Role::Note
            }
        } else {
            note(&mut reading.tasks, &mut notes);
            let (words, is_crossed) = uncrossed(line, has_tags);
            let (mark, title) = marked(words);
            let (state, title) = match mark {
                Some(_) => (None, title),
                None => stated(title),
            };
            let tagged = match has_tags {
                true => task_paper::read(title),
                false => Tagged { title: title.to_owned(), ..Tagged::default() },
            };
            let title = tagged.title.as_str();
            let key = keys.next(format!("{file}/{}", key::fold(title)));
            let mut task = task(key, title, number, &mut reading.remarks);
            task.due_on = tagged.due_on;
            task.priority = tagged.priority;
            task.labels.clone_from(&tagged.labels);
            let done_on = tagged.done_on.as_deref().unwrap_or_default();
            task.entries.extend(crate::markdown::entries_of("done#1", done_on));
            let (category, status) = group.of_task(line);
            task.category = category;
            let mark = mark.or(tagged.is_done.then_some('x'));
            let marked = mark.and_then(|mark| {
                let is_open = intake::is_tick(mark) == Some(false);
                intake::status_of_mark(mark).or(is_open.then_some(Status::Open))
            });
            task.status = match tagged.is_cancelled || is_crossed {
                true => Some(Status::Rejected),
                false => marked.or(state).or(status),
            };
            checklist = Checklist::default();
            takes_bullets = is_between_tasks(&lines, at);
            reading.tasks.push(task);
            Role::Task
        };
        let is_of_task = matches!(role, Role::Task | Role::Item | Role::Note);
        let task = reading.tasks.len().checked_sub(1).filter(|_| is_of_task);
        reading.places.push(Place { line: number, role, task });
    }
    note(&mut reading.tasks, &mut notes);
    say_left_out(&letter, &lines, &mut reading.remarks);
    reading.remarks.sort_by_key(|remark| remark.line);
    if reading.tasks.is_empty() {
        let message = format!("{} is empty: there is nothing to import", stem(name));
        reading.remarks.push(Remark { line: 1, message });
    }
    reading
}

/// Names the greeting and signature that are no tasks.
fn say_left_out(letter: &Letter, lines: &[&str], remarks: &mut Vec<Remark>) {
    for (part, words) in [(&letter.head, "greeting"), (&letter.signature, "signature")] {
        if let Some(at) = part.clone().find(|&at| !lines[at].trim().is_empty()) {
            let message = format!("the {words} of a letter: left out");
            remarks.push(Remark { line: at + 1, message });
        }
    }
}

/// Whether lines without any bullet are an outline: most of those that are not indented have several
/// indented ones below them. A single one is more often a note.
fn is_outline(lines: &[&str]) -> bool {
    let (mut n_parents, mut n_over_several, mut n_below) = (0, 0, 0);
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        if is_bulleted(line) || intake::boxed(line.trim()).is_some() {
            return false;
        }
        if reading::indent(line) == 0 {
            n_parents += 1;
            n_below = 0;
        } else {
            n_below += 1;
            n_over_several += usize::from(n_below == 2);
        }
    }
    n_over_several > 0 && 2 * n_over_several >= n_parents
}

/// Whether blank lines are between lists and the lines that name them: after every line that is neither indented
/// nor has a bullet or box comes a list.
fn names_are_apart(lines: &[&str]) -> bool {
    let mut filled =
        lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    let mut is_apart = false;
    while let Some((at, line)) = filled.next() {
        if reading::indent(line) > 0 || is_bulleted(line) || intake::boxed(line.trim()).is_some() {
            continue;
        }
        match filled.peek() {
            Some((next, below)) if is_bulleted(below) && reading::indent(below) == 0 => {
                is_apart |= next - at > 1;
            }
            Some(_) | None => return false,
        }
    }
    is_apart
}

/// Whether a line is above boxes, some of them empty: an author who draws boxes for open items means something
/// else by a line without one.
fn is_over_boxes(lines: &[&str], at: usize) -> bool {
    let is_first = at.checked_sub(1).is_none_or(|before| lines[before].trim().is_empty());
    let mark = |line: &str| intake::boxed(line.trim()).and_then(|(mark, _)| intake::is_tick(mark));
    let mut below = lines[at + 1..].iter().take(FAR).take_while(|line| !line.trim().is_empty());
    is_first
        && lines.get(at + 1).is_some_and(|next| mark(next).is_some())
        && below.any(|line| mark(line) == Some(false))
}

/// Whether a line with bullets below is between two plain lines without a blank one, and so a task as they are, with
/// the bullets as its items: "eggs" between "milk" and "call the bank".
fn is_between_tasks(lines: &[&str], at: usize) -> bool {
    let is_plain = |line: &str| {
        let text = line.trim();
        !text.is_empty()
            && reading::indent(line) == 0
            && !is_bulleted(line)
            && !is_rule(text)
            && !text.ends_with(':')
            && !text.starts_with('>')
            && intake::boxed(text).is_none()
    };
    let is_head = |at: usize| lines.get(at + 1).is_some_and(|next| is_bulleted(next));
    let is_bullet = |line: &&&str| is_bulleted(line) && intake::boxed(bare(line)).is_none();
    let is_task = |at: usize| lines.get(at).is_some_and(|line| is_plain(line)) && !is_head(at);
    let text = lines[at].trim();
    let names_nothing = intake::ticked_at_end(text).is_some()
        || text.starts_with(CROSSES)
        || text.chars().nth(HEAD).is_some();
    if at == 0 || names_nothing || !is_plain(lines[at]) || !is_task(at - 1) {
        return false;
    }
    let n_bullets = lines[at + 1..].iter().take_while(is_bullet).count();
    n_bullets > 0 && is_task(at + 1 + n_bullets)
}

/// How the lines of a list are named.
#[derive(Clone, Copy)]
struct Shape {
    /// See [`names_are_apart`].
    is_spaced: bool,
    /// See [`are_named`].
    is_named: bool,
}

/// The name that a line gives to the lines below it: it ends with a colon, or a list with bullets or boxes
/// follows directly. A long line is a sentence, and the last one names nothing. Where names are apart from
/// their lists, a blank line may be between them.
fn head<'a>(lines: &[&'a str], at: usize, shape: Shape) -> Option<&'a str> {
    let line = lines[at];
    let text = line.trim();
    let next = lines.get(at + 1)?;
    // A list may have a list in it: "1. Kitchen:" with bullets below.
    let is_inner = || reading::indent(next) > 0 || marker(next) != marker(line);
    let has_colon = text.ends_with(':');
    if line.starts_with([' ', '\t'])
        || (is_bulleted(line) && !(has_colon && is_bulleted(next) && is_inner()))
        || intake::boxed(text).is_some()
        || intake::ticked_at_end(text).is_some()
        || text.starts_with(CROSSES)
        || text.starts_with('>')
        || text.chars().nth(HEAD).is_some()
    {
        return None;
    }
    let name = bare(line).trim_end_matches(':').trim_end();
    let leads = match has_colon {
        true => lines[at + 1..].iter().take(FAR).any(|line| !line.trim().is_empty()),
        false => {
            let is_over_list =
                !next.starts_with([' ', '\t']) && is_bulleted(next) && !is_between_tasks(lines, at);
            let is_over_box = || shape.is_named && intake::boxed(next.trim()).is_some();
            is_over_list
                || is_over_boxes(lines, at)
                || is_over_box()
                || shape.is_spaced && !is_bulleted(line)
        }
    };
    (leads && name.contains(char::is_alphanumeric)).then_some(name)
}

/// The project of TaskPaper that a line names.
fn project<'a>(lines: &[&'a str], at: usize) -> Option<Project<'a>> {
    let line = lines[at];
    let is_name = !is_bulleted(line) && line.trim().chars().nth(HEAD).is_none();
    let leads = lines[at + 1..].iter().take(FAR).any(|line| !line.trim().is_empty());
    task_paper::project(line).filter(|_| is_name && leads)
}

/// The sign before a line of a list; all numbers are one.
fn marker(line: &str) -> Option<char> {
    line.trim().chars().next().map(|sign| if sign.is_ascii_digit() { '1' } else { sign })
}

/// The lines below a line that names them.
#[derive(Default)]
struct Group {
    name: Option<String>,
    /// What the name says about them if it is only a word for that.
    status: Option<Status>,
    /// How far its tasks are indented. Units: columns.
    column: usize,
    /// Whether its first task has a bullet; `None` before that.
    is_bulleted: Option<bool>,
    /// The projects of TaskPaper around the next line, with how far they are indented, whole names and status.
    projects: Vec<(usize, Option<String>, Option<Status>)>,
}

impl Group {
    /// Whether a project can begin on a line: deeper than a task it would be a note of that.
    fn nests(&self, line: &str) -> bool {
        self.is_bulleted.is_none() || reading::indent(line) <= self.column
    }

    /// Begins a project of TaskPaper, which may stand in another one.
    fn begin_project(&mut self, project: &Project<'_>, line: &str, below: &[&str]) {
        let column = reading::indent(line);
        while self.projects.last().is_some_and(|(around, ..)| *around >= column) {
            self.projects.pop();
        }
        let (outer, around) = match self.projects.last() {
            Some((_, outer, status)) => (outer.clone(), *status),
            None => (None, None),
        };
        let word = intake::list_status(project.name);
        let name = match (outer, word) {
            (outer, Some(_)) => outer,
            (Some(outer), None) => Some(format!("{outer}: {}", project.name)),
            (None, None) => Some(project.name.to_owned()),
        };
        let name: Option<String> = name.map(|name| name.chars().take(OUTER).collect());
        let status = project.is_done.then_some(Status::Done).or(word).or(around);
        self.projects.push((column, name.clone(), status));
        let next = below.iter().find(|line| !line.trim().is_empty());
        (self.name, self.status) = (name, status);
        (self.column, self.is_bulleted) = (next.map_or(0, |next| reading::indent(next)), None);
    }

    fn begin(&mut self, head: &str, next: Option<&str>) {
        // A name without lines of its own is that of the names below it.
        let outer = self.name.take().filter(|_| self.is_bulleted.is_none());
        self.status = intake::list_status(head);
        let name = match (outer, self.status) {
            (outer, Some(_)) => outer,
            (Some(outer), None) => Some(format!("{outer}: {head}")),
            (None, None) => Some(head.to_owned()),
        };
        self.name = name.map(|name| name.chars().take(OUTER).collect());
        self.column = next.map_or(0, reading::indent);
        self.is_bulleted = None;
    }

    /// Whether a line is of the task above it.
    fn has_task(&self, line: &str) -> bool {
        let column = reading::indent(line);
        let is_named = self.name.is_some() || self.status.is_some();
        column > 0 && (!is_named || column > self.column && self.is_bulleted.is_some())
    }

    /// The category and status of a task; a line that looks unlike the tasks of the group ends it.
    fn of_task(&mut self, line: &str) -> (Option<String>, Option<Status>) {
        let is_bulleted = is_bulleted(line);
        let was_bulleted = *self.is_bulleted.get_or_insert(is_bulleted);
        if (was_bulleted && !is_bulleted) || reading::indent(line) < self.column {
            let column = reading::indent(line);
            let mut projects = std::mem::take(&mut self.projects);
            while projects.last().is_some_and(|(around, ..)| *around >= column) {
                projects.pop();
            }
            let (name, status) = match projects.last() {
                Some((_, name, status)) => (name.clone(), *status),
                None => (None, None),
            };
            *self = Self { name, status, column, is_bulleted: Some(is_bulleted), projects };
        }
        (self.name.clone(), self.status)
    }
}

/// What is in the box of a line, or `x` for a tick at its end, and its words.
fn marked(line: &str) -> (Option<char>, &str) {
    let bare = bare(line);
    match intake::boxed(bare) {
        Some((mark, title)) if !title.is_empty() => (Some(mark), title),
        Some(_) => (None, bare),
        None => match intake::ticked_at_end(bare).or(crossed_off(bare)) {
            Some(title) => (Some('x'), title),
            None => (None, bare),
        },
    }
}

/// Capital words in front of a line that say its state and nothing else, in the languages of the reader.
const STATES: &[(&str, Status)] = &[
    ("DONE", Status::Done),
    ("ERLEDIGT", Status::Done),
    ("FAIT", Status::Done),
    ("HECHO", Status::Done),
    ("FĂCUT", Status::Done),
    ("TODO", Status::Open),
    ("WAITING", Status::OnHold),
    ("WARTET", Status::OnHold),
    ("EN ATTENTE", Status::OnHold),
    ("EN ESPERA", Status::OnHold),
    ("ÎN AȘTEPTARE", Status::OnHold),
];

/// Words after such a one that make a name of both: "TODO list for Ana".
const NAMED: &[&str] =
    &["list", "lists", "liste", "lista", "app", "apps", "file", "board", "item", "items"];

/// What the capital words in front of a line say about it, and its other words: "DONE send the invoice". In a line of
/// capitals they are like the others, and "DONE DEAL" is a name.
fn stated(line: &str) -> (Option<Status>, &str) {
    let found = STATES.iter().find_map(|(word, status)| {
        let rest = line.strip_prefix(word)?;
        let rest = rest.strip_prefix([':', ' '])?.trim_start();
        let first = rest.split_whitespace().next()?;
        let is_title = first.chars().any(|c| c.is_lowercase() || c.is_ascii_digit())
            || rest.chars().any(char::is_lowercase) && first.chars().count() == 1;
        let is_name = NAMED.contains(&first.trim_end_matches([',', '.', ':']));
        (is_title && !is_name).then_some((Some(*status), rest))
    });
    found.unwrap_or((None, line))
}

/// The words after the `x` of todo.txt: "x bins".
fn crossed_off(text: &str) -> Option<&str> {
    text.strip_prefix("x ").filter(|words| words.starts_with(char::is_alphabetic))
}

/// A line of PlainTasks without the cross of a task that was given up.
fn uncrossed(line: &str, has_tags: bool) -> (&str, bool) {
    let words = line.trim_start().strip_prefix(['✘', '✗', '✖']).filter(|_| has_tags);
    words.filter(|words| words.starts_with(' ')).map_or((line, false), |words| (words, true))
}

/// Adds the item of a line to the task above it, unless the checklist has no room for it: then it is text.
fn add_item(
    checklist: &mut Checklist,
    task: &mut Task,
    (number, line): (usize, &str),
    has_tags: bool,
) -> bool {
    let (mark, title) = marked(line);
    if intake::boxed(title).is_some_and(|(_, words)| words.is_empty()) {
        return false;
    }
    // An item has no field but this one; when it was done stays in its words.
    let is_done = has_tags && task_paper::read(title).is_done;
    let ticked = if is_done { Some(true) } else { mark.and_then(intake::is_tick) };
    let bare = title.strip_suffix(" @done").filter(|_| is_done);
    let title = bare.map_or(title, str::trim_end);
    let title = &mark.map_or(title.to_owned(), |mark| intake::with_sign(mark, title));
    // In TaskPaper each has a tag of its own.
    let is_checked = ticked.unwrap_or(!has_tags && task.status == Some(Status::Done));
    checklist.add(task, (number, line), title, is_checked)
}

fn task(key: String, title: &str, line: usize, remarks: &mut Vec<Remark>) -> Task {
    let mut task = Task { key, line, title: title.to_owned(), ..Task::default() };
    if let Err(beyond) = limits::TITLE.check(title.chars().count()) {
        task.title = title.chars().take(limits::TITLE.max - 1).collect();
        task.title.push('…');
        let message = format!("{beyond}: shortened, with the full text kept as an entry");
        remarks.push(Remark { line, message });
        task.entries = crate::markdown::entries_of("title#1", title);
    }
    task
}

/// Adds the notes of the last task.
fn note(tasks: &mut [Task], notes: &mut Vec<&str>) {
    if let Some(task) = tasks.last_mut().filter(|_| !notes.is_empty()) {
        let text = notes.join("\n");
        let entries: Vec<Entry> = crate::markdown::entries_of("text#1", &text);
        task.entries.extend(entries);
    }
    notes.clear();
}
