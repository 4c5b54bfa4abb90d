//! Documents that are text and no list: they are refused by name, because line by line their markup
//! would become tasks.

/// What a text begins with, and what such a document is called.
const BEGINNINGS: &[(&str, &str)] = &[
    ("<!doctype html", "a web page (HTML)"),
    ("<html", "a web page (HTML)"),
    ("{\\rtf", "rich text (RTF)"),
    ("%pdf-", "a PDF"),
    ("%!ps-adobe", "PostScript"),
    ("begin:vcard", "a list of contacts (vCard)"),
    ("<?xml", "XML of a program that is not known"),
];

/// What kind of document a text is; none of one that may be a list.
pub(crate) fn kind(text: &str) -> Option<&'static str> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |beginning: &str| {
        start.get(..beginning.len()).is_some_and(|part| part.eq_ignore_ascii_case(beginning))
    };
    let (_, kind) = BEGINNINGS.iter().find(|(beginning, _)| begins(beginning))?;
    if !begins("<?xml") {
        return Some(kind);
    }
    // A page of XHTML says so after its first line.
    let head = &start[..start.floor_char_boundary(1000)];
    let is_page = head.to_ascii_lowercase().contains("<html");
    Some(if is_page { "a web page (HTML)" } else { kind })
}
