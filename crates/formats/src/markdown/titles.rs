//! Titles and categories of tasks, from their headings and the headings over them.

use std::collections::BTreeMap;

use super::days;
use super::key;
use super::outline::Outline;
use super::sections::Section;
use super::structure::{Kind, OVER, Structure, Use};

/// What the headings say about the tasks of a file.
pub(super) struct Titles {
    /// For each section with a heading, the title of its task.
    pub titles: Vec<String>,
    /// For each section, the category of its task.
    pub categories: Vec<Option<String>>,
    /// For each section, the category of the tasks below its heading.
    pub below: Vec<Option<String>>,
}

/// Makes titles: a heading says what its task is, after its parents and, where it says too little
/// alone or occurs more than once, after the heading around it.
pub(super) fn make(sections: &[Section], outline: &Outline, structure: &Structure) -> Titles {
    let own = |at: usize| sections[at].heading(outline).map_or("", |h| h.text.as_str());
    let is_task = |at: usize| structure.kinds[at] == Kind::Task && sections[at].heading.is_some();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for at in (0..sections.len()).filter(|&at| is_task(at)) {
        *count.entry(key::fold(own(at))).or_default() += 1;
    }
    let mut titles: Vec<String> = Vec::with_capacity(sections.len());
    let mut categories = Vec::with_capacity(sections.len());
    let mut below: Vec<Option<String>> = Vec::with_capacity(sections.len());
    for (at, section) in sections.iter().enumerate() {
        let text = own(at);
        let mut title = text.to_owned();
        let parent = section.parent;
        if let Some(lead) = structure.leads[at] {
            title = joined(own(lead), &title);
        }
        let stands_before = parent.filter(|&above| structure.uses[above] == Some(Use::Before));
        let says_too_little = || {
            days::is_alone(text)
                || !text.contains(char::is_alphabetic)
                || count.get(&key::fold(text)).is_some_and(|&n| n > 1)
        };
        if let Some(above) = stands_before {
            title = joined(&titles[above], &title);
        } else if is_task(at)
            && structure.leads[at].is_none()
            && let Some(above) = parent.filter(|&above| own(above).chars().nth(OVER).is_none())
            && says_too_little()
        {
            title = joined(&titles[above], &title);
        }
        let around: Option<String> = parent.and_then(|above| below[above].clone());
        below.push(match structure.uses[at] {
            // A day says when something was noted, and would be a category for each page of a diary.
            Some(Use::Category) if days::is_alone(text) => around.clone(),
            Some(Use::Category) => {
                let own = cut(&unended(&title), 6 * OVER);
                Some(around.as_ref().map_or_else(|| own.clone(), |outer| joined(outer, &own)))
            }
            Some(Use::Before) | None => around.clone(),
        });
        categories.push(around);
        titles.push(title);
    }
    // Still the same words below different categories: these make the difference.
    let mut same: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for at in (0..sections.len()).filter(|&at| is_task(at)) {
        same.entry(key::fold(&titles[at])).or_default().push(at);
    }
    for at in same.into_values().filter(|same| same.len() > 1).flatten() {
        if let Some(category) = &categories[at] {
            titles[at] = joined(category, &titles[at]);
        }
    }
    Titles { titles, categories, below }
}

/// A title after another one, which is not repeated if the title begins with its words.
pub(super) fn joined(before: &str, title: &str) -> String {
    let before = unended(before);
    let folded = key::fold(title);
    let rest = folded.strip_prefix(&key::fold(&before));
    if before.is_empty() || rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) {
        return title.to_owned();
    }
    if title.trim().is_empty() {
        return before;
    }
    format!("{}: {title}", cut(&before, 6 * OVER))
}

/// A text without the colon at its end, which may stand inside emphasis: `**Phase 1:**`.
fn unended(text: &str) -> String {
    let text = text.trim_end_matches(':').trim();
    let open = text.trim_end_matches(['*', '_']);
    let bare = open.trim_end_matches(':');
    let signs = &text[open.len()..];
    // After a space, or where nothing opened it, the sign at the end closes no emphasis.
    let closes = !bare.ends_with(char::is_whitespace) && bare.contains(signs);
    if bare.len() == open.len() || !closes {
        return text.to_owned();
    }
    format!("{bare}{signs}")
}

fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
