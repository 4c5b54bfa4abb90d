//! Reads Markdown task lists into drafts.
//!
//! - A heading with check items is a task, and so is a heading next to it without them: see
//!   `structure`. Check items before any heading are a task too, titled by the front matter or the
//!   file. Where most check items have dates or signs of Obsidian Tasks, each is a task.
//! - A bullet without a box next to one with a box is an item too, and one above boxes names them: see
//!   `siblings`.
//! - A heading over tasks is their category, or comes before their titles: see `titles`.
//! - Items of a plain list below a heading or a line such as "Action items" are check items too, of the
//!   task that they are in.
//! - So are all items of a plain list that is all that there is below the title of a file.
//! - So are the rows of a table below such a line, and of one with a column of marks for what is done;
//!   any other table is text.
//! - In a file whose headings only say "To do" and "Done", and that has no task otherwise, each paragraph
//!   is one. Items below such a "Done" are done.
//! - In a file without headings, lines in bold above boxes are its headings.
//! - Other text is an entry of the task around it. No text goes to a neighbour.
//! - A file without check items is one task. Its title comes from the front matter, else from the
//!   heading above all others, else from the file's name.
//! - A heading begins an entry and includes its deeper headings. A heading or line that begins with
//!   a date begins an entry of that day.
//! - Structure is CommonMark's: what looks like a box inside code, HTML or a quotation is text. With
//!   two exceptions, both how people write lists: a line that is not indented ends an item, and a
//!   box at the beginning of a line needs no list marker.
//!
//! Keys survive edits elsewhere in the file. A task is identified by its heading path or the id of
//! its block, an item by its folded title, an entry by its heading or day; equal ones are numbered.
//! So a reworded item or a renamed heading is a new one, and all others keep their keys; among
//! several with equal words, an insertion before them shifts the numbers.
//!
//! Line ends become `\n`. Everything else in an entry is verbatim, except that notes under an item
//! lose the item's indentation and follow its title without the box.
//!
//! Reading order: `source`, `front_matter`, `bounded`, `check_box`, `outline`, `siblings`, `outline_reader`, `board`, `tables`, `status_lists`, `items`, `sections`, `structure`, `titles`, `signs`,
//! `fields`, `entries`, `places`, `kept`, `tasks`, `key`, `days`.

mod board;
mod bounded;
mod check_box;
pub(crate) mod days;
mod entries;
mod error;
pub(crate) mod escapes;
mod fields;
mod front_matter;
mod items;
mod kept;
pub(crate) mod key;
mod outline;
mod outline_reader;
mod places;
mod queries;
mod sections;
mod siblings;
mod signs;
mod source;
mod status_lists;
mod structure;
mod tables;
mod tasks;
mod titles;

use dormouse_types::draft::Drafts;

pub use error::ReadError;

pub(crate) use check_box::listed;
pub(crate) use dormouse_types::draft::Remark;
pub(crate) use entries::of as entries_of;
pub(crate) use fields::escaped as escaped_field;
pub(crate) use source::stem;

use crate::intake::{Dated, ReadOptions};
use crate::reading::{Format, MAX_TASKS, MovingDay, Reading};

/// Reads a file into drafts.
///
/// `name` is the file's name as the person knows it: without an `id` in the front matter every key
/// begins with it, and without a title its stem is the title.
/// Shape: remarks are in line order.
/// Errors: the file cannot be read as text, or a task has too many items. A refused file yields no
/// drafts at all.
///
/// ```
/// let drafts = dormouse_formats::markdown::read("move.md", b"# Move\n- [x] Boxes\n- [ ] Van\n")?;
/// assert_eq!(drafts.tasks[0].title, "Move");
/// assert!(drafts.tasks[0].items[0].is_checked);
/// # Ok::<(), dormouse_formats::markdown::ReadError>(())
/// ```
pub fn read(name: &str, bytes: &[u8]) -> Result<Drafts, ReadError> {
    let reading = reading(name, bytes)?;
    Ok(Drafts { tasks: reading.tasks, not_understood: reading.remarks })
}

/// Reads a file into tasks and the place of each of its lines.
///
/// Shape and errors: as [`read`].
///
/// ```
/// let reading = dormouse_formats::markdown::reading("move.md", b"# Move\n- [x] Boxes\n")?;
/// assert_eq!(reading.places[1].role, dormouse_formats::plan::Role::Item);
/// # Ok::<(), dormouse_formats::markdown::ReadError>(())
/// ```
pub fn reading(name: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    reading_with(name, bytes, &ReadOptions::default())
}

/// Reads a file into tasks and the place of each of its lines, with dates as `options` says.
///
/// Shape and errors: as [`read`].
pub fn reading_with(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Reading, ReadError> {
    let source = source::Source::new(name, bytes)?;
    let mut remarks: Vec<Remark> = source.is_guess.then(source::guessed).into_iter().collect();
    let matter = front_matter::read(&source, options, &mut remarks);
    let mut outline = outline_reader::read(&source, matter.lines, &options.cancel);
    if options.cancel.is_cancelled() {
        return Err(ReadError::Cancelled { name: name.to_owned() });
    }
    if matter.is_board {
        board::mark(&source, &mut outline);
    }
    queries::leave_out(&source, &mut outline, &mut remarks);
    items::finish(&source, &mut outline, &mut remarks);
    if outline.headings.len() > MAX_TASKS {
        let (name, what) = (name.to_owned(), "headings");
        return Err(ReadError::TooMany { name, what, max: MAX_TASKS });
    }
    let (tasks, places) = tasks::gather(&source, &matter, &outline, options, &mut remarks)?;
    if tasks.is_empty() && remarks.is_empty() {
        remarks.push(source::remark(0, "the file is empty: there is nothing to import"));
    }
    remarks.sort_by_key(|remark| remark.line);
    let places = places.finish(&source, &outline);
    let moving = match matter.due {
        Some(Dated { day, words, moves: true, .. }) => {
            let due = (0..tasks.len()).filter(|&task| tasks[task].due_on == Some(day));
            due.map(|task| MovingDay { task, words: words.clone(), day }).collect()
        }
        Some(_) | None => Vec::new(),
    };
    let options = options.clone();
    Ok(Reading { options, tasks, places, remarks, moving, ..Reading::of(Format::Markdown) })
}

/// Decodes a file of any text format. The second value says so if its encoding was guessed.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Result<(String, Option<Remark>), ReadError> {
    let source = source::Source::new(name, bytes)?;
    let remark = source.is_guess.then(source::guessed);
    Ok((source.text, remark))
}
