//! HTML as an editor writes it into a description, turned into Markdown.
//!
//! Reads the elements that a rich text editor makes. Of any other element the text inside is kept;
//! of a link, image or mention also where it leads. Linear in the size of the text, whatever is
//! never closed.

use std::fmt::Write as _;

/// Elements by which a text is known to be HTML if it begins with one.
const BLOCKS: &[&str] = &[
    "p",
    "ul",
    "ol",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "pre",
    "div",
    "table",
    "hr",
    "br",
    "img",
    "strong",
    "em",
    "a",
    "span",
    "figure",
];

/// The most lists or quotations inside of each other that are shown as such.
const DEEPEST: usize = 8;

/// Units: bytes. A longer tag or comment is text.
const LONGEST: usize = 4000;

/// Whether a text is HTML: it begins with an element of text.
pub(crate) fn is_html(text: &str) -> bool {
    let Some(tag) = text.trim_start().strip_prefix('<') else { return false };
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
    let name = tag[..end].to_ascii_lowercase();
    BLOCKS.contains(&name.as_str()) && tag[end..].contains('>')
}

/// The Markdown of a text in HTML.
pub(crate) fn to_markdown(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        page.text(&rest[..at]);
        rest = &rest[at..];
        match tag(rest) {
            Some((tag, after)) => {
                page.tag(&tag);
                rest = after;
            }
            None => {
                page.text("<");
                rest = &rest[1..];
            }
        }
    }
    page.text(rest);
    page.finish()
}

/// A tag, with what its attributes say.
struct Tag<'t> {
    name: String,
    is_end: bool,
    inside: &'t str,
}

impl Tag<'_> {
    /// The value of an attribute.
    fn get(&self, name: &str) -> Option<String> {
        let mut rest = self.inside;
        while let Some(at) = rest.find(name) {
            let begins = rest[..at].ends_with(|c: char| c.is_whitespace());
            let after = &rest[at + name.len()..];
            if let (true, Some(value)) = (begins, after.trim_start().strip_prefix('=')) {
                let value = value.trim_start();
                let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                let value = &value[1..];
                return Some(unescaped(&value[..value.find(quote)?]));
            }
            rest = after;
        }
        None
    }
}

/// The tag or comment that a text begins with, and what follows.
fn tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let inner = text.strip_prefix('<')?;
    if let Some(comment) = inner.strip_prefix("!--") {
        let reach = &comment[..comment.floor_char_boundary(LONGEST)];
        let end = reach.find("-->")?;
        let (inside, after) = (&comment[..end], &comment[end + 3..]);
        return Some((Tag { name: "!".to_owned(), is_end: false, inside }, after));
    }
    let is_end = inner.starts_with('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(inner.len());
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    // What is not closed soon, or before another one begins, is text.
    let reach = &inner[..inner.floor_char_boundary(LONGEST)];
    let close = reach.find(['<', '>']).filter(|&at| reach[at..].starts_with('>'))?;
    let name = inner[..end.min(close)].to_ascii_lowercase();
    Some((Tag { name, is_end, inside: &inner[end.min(close)..close] }, &inner[close + 1..]))
}

/// A list that is open.
struct List {
    /// The number of the next item; none for bullets.
    next: Option<usize>,
    is_tasks: bool,
}

#[derive(Default)]
struct Page {
    done: String,
    /// The line that is being written.
    line: String,
    lists: Vec<List>,
    quotes: usize,
    is_code: bool,
    /// Whether a blank line is due before the next one.
    is_apart: bool,
    /// The marker of the item whose first line is still to come.
    marker: Option<String>,
    /// Where links lead that are open.
    links: Vec<Option<String>>,
    /// Whether a cell of the row came before.
    has_cell: bool,
}

impl Page {
    fn text(&mut self, text: &str) {
        let text = unescaped(text);
        if self.is_code {
            for (n, line) in text.split('\n').enumerate() {
                if n > 0 {
                    self.end_line(Blank::Keep);
                }
                self.line.push_str(line);
            }
            return;
        }
        for c in text.chars() {
            match c.is_whitespace() {
                true if self.line.is_empty() || self.line.ends_with(' ') => {}
                true => self.line.push(' '),
                false => self.line.push(c),
            }
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        match tag.name.as_str() {
            "br" => self.end_line(Blank::Keep),
            "p" | "div" | "figure" | "label" | "details" | "summary" | "section" => {
                self.end_line(Blank::Drop);
                // Paragraphs of an item follow each other; others are set apart.
                self.is_apart |= self.lists.is_empty() && tag.name != "label";
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.apart();
                if !tag.is_end {
                    let level = tag.name[1..].parse().unwrap_or(6);
                    self.line = format!("{} ", "#".repeat(level));
                }
            }
            "hr" => {
                self.apart();
                self.line.push_str("---");
                self.apart();
            }
            "blockquote" => {
                self.apart();
                self.quotes = match tag.is_end {
                    true => self.quotes.saturating_sub(1),
                    false => self.quotes + 1,
                };
            }
            "pre" if tag.is_end == self.is_code => {
                self.end_line(Blank::Drop);
                self.is_apart |= !tag.is_end;
                self.is_code = false;
                self.line.push_str("```");
                self.end_line(Blank::Drop);
                self.is_code = !tag.is_end;
                self.is_apart = tag.is_end;
            }
            "ul" | "ol" => {
                self.end_line(Blank::Drop);
                self.is_apart |= self.lists.is_empty();
                if tag.is_end {
                    self.lists.pop();
                    self.is_apart |= self.lists.is_empty();
                } else {
                    let is_tasks = tag.get("data-type").is_some_and(|kind| kind == "taskList");
                    let next = (tag.name == "ol").then_some(1);
                    self.lists.push(List { next, is_tasks });
                }
            }
            "li" => {
                self.end_line(Blank::Drop);
                self.marker = None;
                if !tag.is_end {
                    self.item(tag);
                }
            }
            "input" if tag.get("type").is_some_and(|kind| kind == "checkbox") => {
                let is_task = self.marker.as_deref().is_some_and(|marker| marker.contains('['));
                if let (false, Some(marker)) = (is_task, &mut self.marker) {
                    let is_checked = tag.inside.contains("checked");
                    marker.push_str(if is_checked { "[x] " } else { "[ ] " });
                }
            }
            "strong" | "b" => self.line.push_str("**"),
            "em" | "i" => self.line.push('*'),
            "s" | "del" | "strike" => self.line.push_str("~~"),
            "code" if !self.is_code => self.line.push('`'),
            "a" if !tag.is_end => {
                self.links.push(tag.get("href"));
                self.line.push('[');
            }
            "a" => {
                let Some(link) = self.links.pop() else { return };
                let link = link.unwrap_or_default();
                // A link that shows where it leads says so once.
                let shown = self.line.rfind('[').map(|at| self.line[at + 1..].to_owned());
                match shown.filter(|shown| *shown == link || link.is_empty()) {
                    Some(shown) => {
                        let at = self.line.len() - shown.len() - 1;
                        self.line.replace_range(at..=at, "");
                    }
                    None => {
                        let _ = write!(self.line, "]({link})");
                    }
                }
            }
            "img" => {
                let (alt, link) = (tag.get("alt"), tag.get("src").or_else(|| tag.get("data-src")));
                let (alt, link) = (alt.unwrap_or_default(), link.unwrap_or_default());
                // A picture inside of the text is no text.
                let link = if link.starts_with("data:") { "" } else { &link };
                let _ = write!(self.line, "![{alt}]({link})");
            }
            "mention-user" if !tag.is_end => {
                let name = tag.get("data-label").or_else(|| tag.get("data-id"));
                let _ = write!(self.line, "@{}", name.unwrap_or_default());
            }
            "tr" | "table" => {
                self.end_line(Blank::Drop);
                self.has_cell = false;
                self.is_apart |= tag.name == "table";
            }
            "td" | "th" if !tag.is_end && std::mem::replace(&mut self.has_cell, true) => {
                self.line.push_str(" | ");
            }
            _ => {}
        }
    }

    fn item(&mut self, tag: &Tag<'_>) {
        let Some(list) = self.lists.last_mut() else { return };
        let mut marker = match &mut list.next {
            Some(next) => {
                *next += 1;
                format!("{}. ", *next - 1)
            }
            None => "- ".to_owned(),
        };
        let is_task = list.is_tasks || tag.get("data-type").is_some_and(|kind| kind == "taskItem");
        if is_task {
            let is_checked = tag.get("data-checked").is_some_and(|checked| checked == "true");
            marker.push_str(if is_checked { "[x] " } else { "[ ] " });
        }
        self.marker = Some(marker);
    }

    /// Ends the line and sets what follows apart.
    fn apart(&mut self) {
        self.end_line(Blank::Drop);
        self.is_apart = true;
    }

    fn end_line(&mut self, blank: Blank) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        let is_kept = blank == Blank::Keep && self.marker.is_none() && !self.done.is_empty();
        if line.is_empty() && !is_kept {
            return;
        }
        if std::mem::take(&mut self.is_apart) && !self.done.is_empty() {
            self.done.push('\n');
        }
        let quotes = "> ".repeat(self.quotes.min(DEEPEST));
        let depth = self.lists.len().min(DEEPEST);
        let marker = self.marker.take();
        let indent = "  ".repeat(if marker.is_some() { depth.max(1) - 1 } else { depth });
        let marker = marker.unwrap_or_default();
        let _ = writeln!(self.done, "{quotes}{indent}{marker}{line}");
    }

    fn finish(mut self) -> String {
        self.end_line(Blank::Drop);
        self.done.trim_matches('\n').to_owned()
    }
}

/// How a line without text is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blank {
    Keep,
    Drop,
}

/// A text with its references to characters resolved: those that editors write.
/// The attributes of a tag of XML, from what is between its name and its end, in order.
pub(crate) fn attributes(inside: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = inside;
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some(end) = after[1..].find(quote) else { break };
        let name = name.split_whitespace().next_back().unwrap_or_default();
        found.push((name.to_owned(), unescaped(&after[1..=end])));
        rest = &after[end + 2..];
    }
    found
}

pub(crate) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let reach = &rest[..rest.floor_char_boundary(12)];
        let found = reach.find(';').and_then(|end| Some((character(&reach[1..end])?, end)));
        match found {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number).filter(|c| *c == '\n' || !c.is_control())?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, markdown: &str) {
        assert!(is_html(html), "{html}");
        assert_eq!(to_markdown(html), markdown, "{html}");
    }

    #[test]
    fn what_an_editor_writes_is_markdown() {
        for (html, markdown) in [
            ("<p>White, <strong>two coats</strong></p>", "White, **two coats**"),
            ("<p>One</p><p>Two<br>lines</p>", "One\n\nTwo\nlines"),
            ("<h2>Head</h2><p>Text &amp; more&nbsp;&lt;3</p>", "## Head\n\nText & more <3"),
            (
                "<ul><li><p>a</p><ol><li>b</li><li><p>c</p></li></ol></li><li>d</li></ul><p>e</p>",
                "- a\n  1. b\n  2. c\n- d\n\ne",
            ),
            (
                "<ul data-type=\"taskList\"><li data-checked=\"true\" data-type=\"taskItem\"><label>\
                 <input type=\"checkbox\" checked=\"checked\"><span></span></label><div><p>Done</p></div>\
                 </li><li data-checked=\"false\" data-type=\"taskItem\"><p>Open</p></li></ul>",
                "- [x] Done\n- [ ] Open",
            ),
            (
                "<p>See <a target=\"_blank\" href=\"https://a.example/?b=1&amp;c\">this</a> and \
                 <a href=\"https://d.example\">https://d.example</a></p>",
                "See [this](https://a.example/?b=1&c) and https://d.example",
            ),
            ("<blockquote><p>so</p><p>it is</p></blockquote>", "> so\n\n> it is"),
            (
                "<pre><code class=\"language-sh\">if a &lt; b\n  then</code></pre><p>x</p>",
                "```\nif a < b\n  then\n```\n\nx",
            ),
            ("<p>a</p><hr><p>b <code>c</code></p>", "a\n\n---\n\nb `c`"),
            (
                "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
                "a | b\n1 | 2",
            ),
            (
                "<p>a <mention-user data-id=\"ana\" data-label=\"Ana\"></mention-user> b</p>",
                "a @Ana b",
            ),
            ("<p>&#x1F980; &unknown; 5 < 6 <b", "\u{1f980} &unknown; 5 < 6 <b"),
            ("<p>1</p><!-- no --><custom x=1>kept</custom>", "1\n\nkept"),
        ] {
            check(html, markdown);
        }
        for text in ["", "a < b", "<3", "plain <p>", "<https://a.example>", "**bold**"] {
            assert!(!is_html(text), "{text}");
        }
    }

    #[test]
    fn what_is_never_closed_takes_no_longer() {
        for part in [
            "<",
            "<p",
            "<a href=\"",
            "<!--",
            "&",
            "&#",
            "<li>",
            "<ul>",
            "<a>[",
            "</a>",
            "<pre>",
            "<td>",
        ] {
            let text = format!("<p>{}", part.repeat(50_000 / part.len()));
            assert!(to_markdown(&text).len() <= 20 * text.len());
        }
    }
}
