//! Reads Markdown task lists into drafts.
//!
//! - A heading that directly owns check items is a task; so are check items before any heading,
//!   titled by the front matter or the file.
//! - Other text is an entry. Text that introduces a task belongs to it: text of a heading that
//!   encloses the task, text between such a heading and its first task, and bare headings right
//!   before either. All other text belongs to the task whose heading encloses it, or to the nearest
//!   task above, or, at the top of the file, to the first task.
//! - A file without check items is one task. Its title comes from the front matter, else from the
//!   heading above all others, else from the file's name.
//! - A heading begins an entry and includes its deeper headings. A heading or line that begins with
//!   a date begins an entry of that day.
//! - Structure is CommonMark's: what looks like a box inside code, HTML or a quotation is text.
//!
//! Keys survive edits elsewhere in the file. A task is identified by its heading path, an item by
//! its folded title, an entry by its heading or day; equal ones are numbered. So a reworded item or
//! a renamed heading is a new one, and all others keep their keys; among several with equal words,
//! an insertion before them shifts the numbers.
//!
//! Line ends become `\n`. Everything else in an entry is verbatim, except that notes under an item
//! lose the item's indentation and follow its title without the box.
//!
//! Reading order: `source`, `front_matter`, `outline`, `sections`, `entries`, `tasks`, `key`,
//! `date`.

mod date;
mod entries;
mod error;
mod front_matter;
mod key;
mod outline;
mod sections;
mod source;
mod tasks;

use dormouse_types::draft::Drafts;

pub use error::ReadError;

/// Reads a file into drafts.
///
/// `name` is the file's name as the person knows it: without an `id` in the front matter every key
/// begins with it, and without a title its stem is the title.
/// Shape: remarks are in line order.
/// Errors: the file cannot be read as text, its front matter has an invalid value, or a task has
/// too many items. A refused file yields no drafts at all.
///
/// ```
/// let drafts = dormouse_formats::markdown::read("move.md", b"# Move\n- [x] Boxes\n- [ ] Van\n")?;
/// assert_eq!(drafts.tasks[0].title, "Move");
/// assert!(drafts.tasks[0].items[0].is_checked);
/// # Ok::<(), dormouse_formats::markdown::ReadError>(())
/// ```
pub fn read(name: &str, bytes: &[u8]) -> Result<Drafts, ReadError> {
    let source = source::Source::new(name, bytes)?;
    let mut remarks = Vec::new();
    let front_matter = front_matter::read(&source, &mut remarks)?;
    let outline = outline::read(&source, front_matter.lines, &mut remarks);
    let tasks = tasks::gather(&source, front_matter, &outline, &mut remarks)?;
    if tasks.is_empty() && remarks.is_empty() {
        remarks.push(source::remark(0, "the file is empty: there is nothing to import"));
    }
    remarks.sort_by_key(|remark| remark.line);
    Ok(Drafts { tasks, not_understood: remarks })
}
