//! Rows of a sheet whose columns are named or guessed.

use std::borrow::Cow;

use dormouse_types::task::{self, Status};

use super::children::{self, Part};
use super::priorities::Scale;
use super::sheet::{Row, Sheet};
use super::{ticktick, untitled, write};
use crate::intake::{
    Dates, DayOrder, Details, Draft, Gather, ReadError, ReadOptions, fold, instant, is_done,
    is_no_priority, names_time, of_milliseconds, priority_named, status_of, ticked, without_limit,
};
use crate::reading::{Because, Column, ColumnGuess, Columns, Role};

/// The most columns without a field of which each has a remark of its own; of more, one speaks of all.
const MANY: usize = 20;

/// Reads every row below the first.
pub(super) fn rows(
    sheet: &Sheet,
    columns: &Columns,
    options: &ReadOptions,
    gather: &mut Gather<'_>,
) -> Result<(), ReadError> {
    let options = &ReadOptions { order: order(sheet, columns, options, gather), ..options.clone() };
    let dates = Dates::new(options);
    let scale = Scale::of(sheet, columns, gather);
    let mut n_left_out = 0;
    let mut group = first_group(sheet, columns);
    let mut parts = Vec::new();
    for (n, row) in sheet.rows.iter().enumerate() {
        if (n == 0 && columns.has_head) || row.is_empty() {
            continue;
        }
        let line = *row.lines.start();
        if columns.has_head && is_same(row, &sheet.rows[0]) {
            gather.say(line, "repeated header row: left out");
            gather.claim(row.lines.clone(), Role::Skipped, None);
            continue;
        }
        if let Some(name) = group_named(sheet, columns, n) {
            group = Some(name.to_owned());
            gather.claim(row.lines.clone(), Role::Category, None);
            continue;
        }
        if sums_up(row, columns) && sheet.rows[n + 1..].iter().all(Row::is_empty) {
            gather.say(line, "total row: left out");
            gather.claim(row.lines.clone(), Role::Skipped, None);
            continue;
        }
        if row.cells.len() > columns.columns.len() {
            gather.say(
                line,
                "this row has more cells than there are columns: the rest is kept in the note",
            );
        }
        let Read { mut draft, id, parent } = draft(row, columns, &dates, scale.as_ref(), gather);
        // Our own export writes an untitled task as one.
        if draft.task.title.is_empty() && !(columns.is_own && id.is_some()) {
            if untitled::title(row, columns, &mut draft) {
                gather.say(line, "a row without a title: its first text is the title");
            } else if id.is_none() {
                untitled::leave_out(row, n_left_out, gather);
                n_left_out += 1;
                continue;
            }
        }
        if draft.task.category.is_none() {
            draft.task.category.clone_from(&group);
        }
        parts.push(Part { row, draft, id, parent });
    }
    children::settle(parts, columns, gather)
}

/// What was read of a row.
struct Read {
    draft: Draft,
    id: Option<String>,
    /// The task that it is a part of: the name of the column, and the cell.
    parent: Option<(String, String)>,
}

/// Whether a row names the columns once more, as boards write it above each group of their tasks.
fn is_same(row: &Row, head: &Row) -> bool {
    let last = |row: &Row| (0..row.cells.len()).rev().find(|&at| !row.cell(at).is_empty());
    let n = last(row);
    n.is_some_and(|n| n > 0)
        && n == last(head)
        && (0..row.cells.len()).all(|at| row.cell(at).eq_ignore_ascii_case(head.cell(at)))
}

/// Whether a row is a word for a sum and amounts, as people write it below their lists.
fn sums_up(row: &Row, columns: &Columns) -> bool {
    let is_title = |at: usize| columns.columns.get(at).map(|it| it.column) == Some(Column::Title);
    let words =
        ["total", "totals", "sum", "grand total", "summe", "gesamt", "somme", "suma", "sumă"];
    let is_sum = |cell: &str| words.contains(&&*fold(cell.trim_end_matches(':')));
    let is_amount = |cell: &str| {
        cell.contains(|c: char| c.is_ascii_digit())
            && cell.chars().filter(|c| c.is_alphabetic()).count() <= 3
    };
    let filled = (0..row.cells.len()).filter(|&at| !row.cell(at).is_empty());
    let (title, others): (Vec<usize>, Vec<usize>) = filled.partition(|&at| is_title(at));
    matches!(title[..], [at] if is_sum(row.cell(at)))
        && !others.is_empty()
        && others.into_iter().all(|at| is_amount(row.cell(at)))
}

/// The name of a group: a row of one cell right above a row that names the columns again.
fn group_named<'s>(sheet: &'s Sheet, columns: &Columns, at: usize) -> Option<&'s str> {
    let mut below = sheet.rows.get(at + 1..)?.iter().filter(|row| !row.is_empty());
    let is_above_head = columns.has_head && is_same(below.next()?, &sheet.rows[0]);
    let mut filled = sheet.rows[at].cells.iter().map(str::trim).filter(|cell| !cell.is_empty());
    let name = filled.next().filter(|_| is_above_head)?;
    filled.next().is_none().then_some(name)
}

/// The group of the rows below the first row that names the columns: the line right above it, if there are more
/// groups.
fn first_group(sheet: &Sheet, columns: &Columns) -> Option<String> {
    let has_groups = (1..sheet.rows.len()).any(|at| group_named(sheet, columns, at).is_some());
    sheet.right_above.clone().filter(|_| has_groups)
}

/// The order of day and month in a sheet: one day beyond the 12th tells it for all its days.
fn order(
    sheet: &Sheet,
    columns: &Columns,
    options: &ReadOptions,
    gather: &mut Gather<'_>,
) -> DayOrder {
    let is_due = |at: &usize| columns.columns[*at].column == Column::Due;
    let due: Vec<usize> = (0..columns.columns.len()).filter(is_due).collect();
    let (mut first, mut second, mut unclear) = (0, 0, None);
    for row in &sheet.rows {
        for cell in due.iter().map(|&at| row.cell(at)) {
            let mut parts = cell.splitn(3, '/').map(|part| part.parse::<u8>().ok());
            if let (Some(Some(a)), Some(Some(b)), Some(_)) =
                (parts.next(), parts.next(), parts.next())
            {
                first += usize::from(a > 12);
                second += usize::from(b > 12);
                if a <= 12 && b <= 12 && a != b {
                    unclear.get_or_insert(*row.lines.start());
                }
            }
        }
    }
    let order = match (first, second) {
        (0, 1..) => DayOrder::MonthFirst,
        (1.., 0) => DayOrder::DayFirst,
        _ => options.order,
    };
    if let Some(line) = unclear {
        let words = match order {
            DayOrder::DayFirst => "the day",
            DayOrder::MonthFirst => "the month",
        };
        gather.say(line, format!("dates such as 3/4 are read with {words} first"));
    }
    order
}

fn draft(
    row: &Row,
    columns: &Columns,
    dates: &Dates<'_>,
    scale: Option<&Scale>,
    gather: &mut Gather<'_>,
) -> Read {
    let line = *row.lines.start();
    let mut draft = Draft::default();
    let is_unread =
        |guess: &&ColumnGuess| matches!(guess.column, Column::KeptInNote | Column::Start);
    let n_unread = columns.columns.iter().filter(is_unread).count();
    let mut has_unread = false;
    let is_of_cards = columns.columns.iter().any(|guess| guess.name == "Card Name");
    let (mut id, mut titles, mut notes, mut done) = (None, Vec::new(), Vec::new(), None);
    let (mut status_word, mut is_cancelled, mut outcome) = (None, false, None);
    let mut parent = None;
    let mut is_unknown_status = false;
    for at in 0..row.cells.len() {
        let guess = columns.columns.get(at);
        let shown = match columns.is_own {
            true => write::unguarded(row.cell(at)).into(),
            false => readable(row.cell(at), guess.map(|guess| guess.column)),
        };
        let cell = &*shown;
        if cell.is_empty() {
            continue;
        }
        let extra = format!("Column {}", at + 1);
        let name = guess.map_or(extra.as_str(), |guess| guess.name.as_str());
        let is_read = match guess.map_or(Column::KeptInNote, |guess| guess.column) {
            Column::LeftOut if columns.is_own && name == write::UPDATED => {
                draft.task.as_of = instant(cell);
                true
            }
            Column::Key => {
                id = Some(cell.to_owned());
                // Other cells may name it, such as the parent of a row.
                columns.is_own
            }
            Column::Title => {
                titles.push(cell.to_owned());
                true
            }
            Column::Done => {
                let mark = is_done(cell);
                // The day on which it was done says so too.
                let is_day = || dates.day(cell).is_some() || is_like_a_time(name, cell);
                done = mark.or_else(|| is_day().then_some(true));
                match done {
                    None => {
                        gather.say(line, "this does not say whether it is done: kept in the note")
                    }
                    Some(true) if mark.is_none() && dates.day(cell).is_none() => {
                        gather.say(
                            line,
                            "this is not a date, but it marks the task as done: kept in the note",
                        );
                    }
                    Some(_) => {}
                }
                mark.is_some()
            }
            Column::Parent => {
                parent = Some((name.to_owned(), cell.to_owned()));
                true
            }
            Column::Canceled => {
                is_cancelled |= dates.day(cell).is_some();
                false
            }
            Column::Outcome => {
                if status_of(cell) == Some(Status::Rejected) {
                    outcome = Some(cell.to_owned());
                }
                false
            }
            Column::Status
                if columns.is_ticktick
                    && let Some(status) = ticktick::status(cell) =>
            {
                draft.task.status = status;
                true
            }
            Column::Status => {
                let exact = cell.parse::<Status>().ok();
                let mark = is_done(cell);
                draft.task.status =
                    exact.or_else(|| status_of(without_limit(cell))).or_else(|| ticked(mark?));
                status_word = Some(cell.to_owned());
                let is_read = draft.task.status.is_some() || mark.is_some();
                is_unknown_status = !is_read;
                is_read
            }
            Column::Reason => {
                draft.task.status_reason = Some(cell.to_owned());
                true
            }
            Column::Priority
                if columns.is_ticktick
                    && let Some(priority) = ticktick::priority(cell) =>
            {
                draft.task.priority = priority;
                true
            }
            Column::Priority => {
                let numbered = || scale.and_then(|scale| scale.read(cell));
                draft.task.priority = priority_named(cell).or_else(numbered);
                let is_read = draft.task.priority.is_some() || is_no_priority(cell);
                if !is_read {
                    gather.say(line, "this priority is not understood: kept in the note");
                }
                is_read
            }
            Column::Due => {
                let of_row = |name: &str| {
                    let named = columns
                        .columns
                        .iter()
                        .position(|guess| guess.name.eq_ignore_ascii_case(name));
                    named.map_or("", |at| row.cell(at))
                };
                let is_all_day = || of_row("Is All Day").eq_ignore_ascii_case("true");
                let local = || ticktick::in_zone(cell, of_row("Timezone"), is_all_day());
                let local = columns.is_ticktick.then(local).flatten();
                let written = if columns.is_own { cell } else { row.cell(at) };
                let written = local.as_deref().unwrap_or(written);
                let dated = dates.due(written);
                match &dated {
                    None => gather.say(line, dates.why_not_due(written)),
                    Some(dated) => dated.doubt().into_iter().for_each(|it| gather.say(line, it)),
                }
                let is_exact = dated.as_ref().is_some_and(|dated| dated.is_exact);
                dated.into_iter().for_each(|dated| draft.due(dated));
                is_exact
            }
            Column::Estimate => {
                draft.task.estimate_minutes = minutes(cell, name, columns.is_own);
                if draft.task.estimate_minutes.is_none() {
                    gather.say(line, "this estimate has no unit of time: kept in the note");
                }
                draft.task.estimate_minutes.is_some()
            }
            Column::Language => {
                draft.task.language = task::language(cell).ok();
                draft.task.language.is_some()
            }
            Column::Category => {
                draft.task.category = Some(cell.split_whitespace().collect::<Vec<_>>().join(" "));
                true
            }
            Column::Label => {
                for label in write::labels(cell) {
                    let label = if is_of_cards { without_colour(&label) } else { &label };
                    draft.label(label);
                }
                true
            }
            // Pages of Notion, which have rows of their own.
            Column::Items if cell.contains(" (http") => false,
            Column::Items => {
                for (title, is_checked, depth) in write::items(cell) {
                    draft.item(None, &title, is_checked, depth);
                }
                true
            }
            Column::Note if columns.is_ticktick && cell.contains(['▫', '▪']) => {
                let (text, items) = ticktick::items(cell);
                notes.extend(Some(text.to_owned()).filter(|text| !text.is_empty()));
                for (title, is_checked) in items {
                    draft.item(None, title, is_checked, 0);
                }
                true
            }
            // The name of the column is all that says what such a text is about.
            Column::Note if columns.has_head && is_by_content(guess) => {
                notes.push(format!("{name}: {cell}"));
                true
            }
            Column::Note => {
                notes.push(cell.to_owned());
                true
            }
            Column::Entries => {
                draft.comments.extend(write::entries(cell));
                true
            }
            Column::Details => {
                let details = Details::parse(cell);
                for (name, value) in details.iter().flat_map(Details::iter) {
                    draft.details.push(name, value);
                }
                details.is_some()
            }
            Column::Starred => {
                let mark = is_done(cell);
                draft.task.flags.starred |= mark == Some(true);
                mark.is_some()
            }
            Column::Private => {
                let mark = is_done(cell);
                draft.task.flags.private |= mark == Some(true);
                mark.is_some()
            }
            Column::LeftOut => true,
            Column::Start | Column::KeptInNote => false,
        };
        if !is_read {
            draft.details.push_new(name, cell);
            if matches!(guess.map(|guess| guess.column), Some(Column::KeptInNote | Column::Start)) {
                let name: String = name.chars().take(40).collect();
                if n_unread <= MANY {
                    gather.say(
                        line,
                        format!("the column `{name}` has no matching field: kept in the note"),
                    );
                }
                has_unread = true;
            }
        }
    }
    if has_unread && n_unread > MANY {
        let message = format!(
            "{n_unread} columns have no matching field: kept in the note under their names"
        );
        gather.say(line, message);
    }
    // A list that is called "Done" holds what is done.
    let has_status = columns.columns.iter().any(|guess| guess.column == Column::Status);
    if let Some(list) = draft.task.category.as_deref().filter(|_| !has_status && !columns.is_own) {
        draft.task.status = status_of(list).filter(|status| *status == Status::Done);
    }
    draft.task.title = titles.join(" ");
    draft.note = notes.join("\n\n");
    // What is closed as "Won't Do" is not done, whatever the board calls its last column.
    let is_closed = done == Some(true) || draft.task.status == Some(Status::Done);
    if let Some(outcome) = outcome.filter(|_| is_closed) {
        draft.task.status = Some(Status::Rejected);
        status_word = Some(outcome);
    }
    let is_rejected = draft.task.status == Some(Status::Rejected);
    if is_cancelled && !is_rejected {
        let word = status_word.as_ref().filter(|_| draft.task.status != Some(Status::Done));
        word.into_iter().for_each(|word| draft.details.push_new("Status", word));
        draft.task.status = Some(Status::Rejected);
        draft.task.status_reason = None;
    } else if done == Some(true) && !is_rejected {
        let before = draft.task.status.replace(Status::Done);
        let is_other = before.is_some_and(|was| !was.is_terminal());
        if let Some(word) = status_word.as_ref().filter(|_| is_other) {
            draft.details.push("Status", word);
        }
    }
    if is_unknown_status && draft.task.status.is_none() {
        gather.say(line, "this status is not understood: kept in the note");
    }
    if draft.task.status.is_some_and(Status::needs_reason)
        && draft.task.status_reason.is_none()
        && let Some(word) = status_word
    {
        // "Waiting" says more than the status that it is read as.
        draft.task.status_reason = Some(format!("Marked as “{word}” in the imported list"));
    }
    if !draft.task.status.is_some_and(Status::needs_reason)
        && let Some(reason) = draft.task.status_reason.take()
    {
        draft.details.push("Reason", &reason);
    }
    Read { draft, id, parent }
}

/// Whether a column is taken for what it holds and not for its name.
fn is_by_content(guess: Option<&ColumnGuess>) -> bool {
    guess.is_some_and(|guess| guess.because == Because::Text)
}

/// Whether a cell in a column of times of completion has a time that is not understood: a year, or any number
/// in a column that is called after a time.
fn is_like_a_time(name: &str, cell: &str) -> bool {
    let mut numbers = cell.split(|c: char| !c.is_ascii_digit());
    let is_year = |number: &str| number.len() == 4 && matches!(&number[..2], "19" | "20");
    numbers.any(is_year) || names_time(name) && cell.contains(|c| matches!(c, '1'..='9'))
}

/// A label of Trello's sheet without the colour that it writes after the name: "Shopping (green)".
fn without_colour(label: &str) -> &str {
    let Some((name, colour)) = label.trim().rsplit_once('(') else { return label };
    let colour = colour.trim_end_matches(')');
    let base = colour.split(['_', ' ']).next().unwrap_or_default();
    let is_colour = matches!(
        base,
        "green"
            | "yellow"
            | "orange"
            | "red"
            | "purple"
            | "blue"
            | "sky"
            | "lime"
            | "pink"
            | "black"
    );
    match (is_colour, name.trim()) {
        (true, "") => colour,
        (true, name) => name,
        (false, _) => label,
    }
}

/// A cell as a person reads it: a list without its brackets and quotation marks, nothing for an empty one,
/// and a time of a program in the form of ISO 8601.
fn readable(cell: &str, column: Option<Column>) -> Cow<'_, str> {
    let Some(column) = column else { return cell.into() };
    let is_time = matches!(column, Column::Due | Column::Start | Column::Done);
    if let Some(at) = of_milliseconds(cell).filter(|_| is_time) {
        return at.to_string().into();
    }
    let is_text = matches!(column, Column::Title | Column::Note | Column::Items | Column::Entries);
    if !is_text && matches!(cell, "null" | "{}") {
        return "".into();
    }
    let Some(inside) = cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']')) else {
        return cell.into();
    };
    let is_list =
        matches!(column, Column::Label | Column::KeptInNote) && !inside.contains(['[', ']']);
    if inside.trim().is_empty() && column != Column::Title {
        // A box that is empty says that something is not done.
        return if column == Column::Done { cell.into() } else { "".into() };
    }
    if is_text || !is_list {
        return cell.into();
    }
    let parts = inside.split(',').map(|part| {
        let part = part.trim();
        let bare =
            ['"', '\''].iter().find_map(|quote| part.strip_prefix(*quote)?.strip_suffix(*quote));
        bare.unwrap_or(part)
    });
    parts.collect::<Vec<_>>().join(", ").into()
}

/// `90 min`, `1.5 h`. A bare number counts what the column's name says, in our own export minutes;
/// elsewhere it may count points.
fn minutes(cell: &str, name: &str, is_own: bool) -> Option<u32> {
    let text = cell.to_lowercase();
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    let number: f64 = text[..end].replace(',', ".").parse().ok()?;
    let factor = match text[end..].trim() {
        "" if is_own => 1.0,
        "" => name.to_lowercase().split(|c: char| !c.is_alphabetic()).find_map(unit)?,
        word => unit(word)?,
    };
    let minutes = (number * factor).round();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Within the bounds.
    (1.0..=1e6).contains(&minutes).then_some(minutes as u32)
}

/// A unit of time in minutes.
fn unit(word: &str) -> Option<f64> {
    match word {
        "m" | "min" | "mins" | "minute" | "minutes" | "minuten" | "minutos" => Some(1.0),
        "h" | "hr" | "hrs" | "hour" | "hours" | "std" | "stunde" | "stunden" | "heure"
        | "heures" | "hora" | "horas" | "ore" => Some(60.0),
        _ => None,
    }
}
