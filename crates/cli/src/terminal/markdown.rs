//! Renders Markdown for the terminal: headings, lists, check boxes, links with their URL, code.

use dormouse_formats::sanitise;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::style::{Color, Style};
use super::wrap::{self, Margin, Span};

/// Renders Markdown as lines no wider than `width`; only URLs and code may be wider.
pub fn render(text: &str, width: usize, style: Style) -> String {
    let clean = sanitise::block(text);
    let options =
        Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut page = Page::new(width, style);
    for event in Parser::new_ext(&clean, options) {
        page.take(event);
    }
    page.end_paragraph();
    page.lines.join("\n")
}

/// The page under construction.
struct Page {
    width: usize,
    style: Style,
    lines: Vec<String>,
    /// The line prefix of each open list item or quote.
    margins: Vec<String>,
    /// The one-time prefix of the next line: a bullet or a number.
    bullet: Option<String>,
    /// The number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    paragraph: Vec<Span>,
    tones: Vec<Color>,
    /// The URL of each open link, and where its text begins in the paragraph.
    links: Vec<(String, usize)>,
    is_code: bool,
    /// Whether the next block needs an empty line before it.
    is_apart: bool,
}

impl Page {
    fn new(width: usize, style: Style) -> Self {
        Self {
            width,
            style,
            lines: Vec::new(),
            margins: Vec::new(),
            bullet: None,
            lists: Vec::new(),
            paragraph: Vec::new(),
            tones: Vec::new(),
            links: Vec::new(),
            is_code: false,
            is_apart: false,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => self.code(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.span(&format!("`{text}`"), Color::Cyan),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.end_paragraph(),
            Event::Rule => {
                self.end_paragraph();
                self.push("───");
            }
            Event::TaskListMarker(is_checked) => {
                let mark = if is_checked { "[x] " } else { "[ ] " };
                if let Some(bullet) = self.bullet.as_mut() {
                    mark.clone_into(bullet);
                }
                if let Some(margin) = self.margins.last_mut() {
                    *margin = " ".repeat(mark.len());
                }
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.end_paragraph();
                self.is_apart = !self.lines.is_empty();
                let is_top = matches!(level, HeadingLevel::H1 | HeadingLevel::H2);
                self.tones.push(if is_top { Color::Bold } else { Color::Italic });
            }
            Tag::List(first) => {
                self.end_paragraph();
                self.lists.push(first);
            }
            Tag::Item => {
                self.end_paragraph();
                let bullet = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let bullet = format!("{number}. ");
                        *number += 1;
                        bullet
                    }
                    Some(None) | None => "- ".to_owned(),
                };
                self.margins.push(" ".repeat(bullet.len()));
                self.bullet = Some(bullet);
            }
            Tag::BlockQuote(_) => {
                self.end_paragraph();
                self.margins.push("│ ".to_owned());
            }
            Tag::CodeBlock(kind) => {
                self.end_paragraph();
                self.is_code = true;
                if let CodeBlockKind::Fenced(name) = kind
                    && !name.is_empty()
                {
                    let name = self.style.dim(&name);
                    self.push(&name);
                }
            }
            Tag::Emphasis => self.tones.push(Color::Italic),
            Tag::Strong => self.tones.push(Color::Bold),
            Tag::Strikethrough => self.span("~~", Color::Dim),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.paragraph.len()));
            }
            Tag::TableHead | Tag::TableRow => self.end_paragraph(),
            Tag::TableCell if !self.paragraph.is_empty() => self.span(" | ", Color::Dim),
            Tag::Paragraph
            | Tag::HtmlBlock
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Table(_)
            | Tag::TableCell
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.end_paragraph();
                self.tones.pop();
            }
            TagEnd::Paragraph => {
                self.end_paragraph();
                // Paragraphs in a list stay together; others are separated.
                self.is_apart = self.lists.is_empty();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.is_apart = self.lists.is_empty();
            }
            TagEnd::Item => {
                if self.bullet.is_some() && self.paragraph.is_empty() {
                    self.paragraph.push(Span::plain(""));
                }
                self.end_paragraph();
                self.margins.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.end_paragraph();
                self.margins.pop();
                self.is_apart = true;
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.is_apart = self.lists.is_empty();
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.tones.pop();
            }
            TagEnd::Strikethrough => self.span("~~", Color::Dim),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::HtmlBlock => self.end_paragraph(),
            TagEnd::Table => self.is_apart = true,
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::TableCell
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        let color = self.tones.last().copied().unwrap_or_default();
        self.span(text, color);
    }

    fn span(&mut self, text: &str, color: Color) {
        // Sanitised again: an entity such as `&#27;` becomes a control character only when parsed.
        self.paragraph.push(Span { text: sanitise::line(text), color });
    }

    /// Adds the URL unless the link text is the URL.
    fn end_link(&mut self) {
        let Some((address, at)) = self.links.pop() else { return };
        let words: String = self.paragraph.iter().skip(at).map(|span| span.text.as_str()).collect();
        let bare = address.strip_prefix("mailto:").unwrap_or(&address);
        if words == bare || address.is_empty() {
            return;
        }
        let address = if words.is_empty() { address } else { format!(" ({address})") };
        self.span(&address, Color::Dim);
    }

    /// Code keeps its lines and spaces; wrapping would change it.
    fn code(&mut self, text: &str) {
        for line in sanitise::block(text).lines() {
            let line = self.style.paint(Color::Cyan, line);
            self.push(&format!("    {line}"));
        }
    }

    fn end_paragraph(&mut self) {
        if self.paragraph.is_empty() {
            return;
        }
        self.part();
        let rest = self.margins.concat();
        let first = self.first_margin();
        let margin = Margin { first: &first, rest: &rest };
        let spans = std::mem::take(&mut self.paragraph);
        self.lines.extend(wrap::spans(&spans, self.width, margin, self.style));
    }

    fn push(&mut self, line: &str) {
        self.part();
        let first = self.first_margin();
        self.lines.push(format!("{first}{line}").trim_end().to_owned());
    }

    /// Separates blocks by one empty line.
    fn part(&mut self) {
        if std::mem::take(&mut self.is_apart) && !self.lines.is_empty() {
            self.lines.push(String::new());
        }
    }

    /// The margin of the next line, with its bullet if there is one.
    fn first_margin(&mut self) -> String {
        let Some(bullet) = self.bullet.take() else { return self.margins.concat() };
        let outer = self.margins.len().saturating_sub(1);
        format!(
            "{}{bullet}",
            self.margins.iter().take(outer).map(String::as_str).collect::<String>()
        )
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
