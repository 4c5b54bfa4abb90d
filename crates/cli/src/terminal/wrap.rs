//! Wraps text by its width on the screen.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::style::{Color, Style};

/// A piece of a paragraph in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its text; it may break at white space.
    pub text: String,
    /// How it looks.
    pub color: Color,
}

impl Span {
    /// A piece of text in the default style.
    pub fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), color: Color::Plain }
    }
}

/// The prefixes of a paragraph's lines.
#[derive(Debug, Clone, Copy)]
pub struct Margin<'a> {
    /// The prefix of the first line.
    pub first: &'a str,
    /// The prefix of all other lines.
    pub rest: &'a str,
}

/// Wraps spans into lines no wider than `width`, including margins.
///
/// A word wider than a line is split. A URL never is: the terminal wraps it and still recognises it
/// as one link.
pub fn spans(spans: &[Span], width: usize, margin: Margin<'_>, style: Style) -> Vec<String> {
    let indent = margin.first.width().max(margin.rest.width());
    let room = width.saturating_sub(indent).max(8);
    let mut lines: Vec<Vec<Span>> = Vec::new();
    let mut used = 0;
    for word in words(spans).into_iter().flat_map(|word| cut(word, room)) {
        let word_width = width_of(&word);
        match lines.last_mut() {
            Some(line) if used + 1 + word_width <= room => {
                line.push(space(line.last(), word.first()));
                line.extend(word);
                used += 1 + word_width;
            }
            Some(_) | None => {
                lines.push(word);
                used = word_width;
            }
        }
    }
    if lines.is_empty() {
        lines.push(Vec::new());
    }
    let painted = lines.into_iter().enumerate().map(|(at, line)| {
        let start = if at == 0 { margin.first } else { margin.rest };
        format!("{start}{}", paint(&line, style)).trim_end().to_owned()
    });
    painted.collect()
}

/// Wraps plain text.
pub fn text(text: &str, width: usize, margin: Margin<'_>) -> Vec<String> {
    spans(&[Span::plain(text)], width, margin, Style::new(false))
}

/// Truncates text to a width, marking the cut with `…`.
pub fn cut_to(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// A space is styled only between words of the same style.
fn space(before: Option<&Span>, after: Option<&Span>) -> Span {
    let color = match (before, after) {
        (Some(before), Some(after)) if before.color == after.color => before.color,
        _ => Color::Plain,
    };
    Span { text: " ".to_owned(), color }
}

/// Words with their spans: `**bold**,` is one word made of two spans.
fn words(spans: &[Span]) -> Vec<Vec<Span>> {
    let mut words: Vec<Vec<Span>> = Vec::new();
    let mut open = false;
    for span in spans {
        for c in span.text.chars() {
            // A no-break space does not break.
            if c.is_whitespace() && c != '\u{a0}' && c != '\u{202f}' {
                open = false;
                continue;
            }
            if !open {
                words.push(Vec::new());
                open = true;
            }
            let Some(word) = words.last_mut() else { continue };
            match word.last_mut() {
                Some(last) if last.color == span.color => last.text.push(c),
                Some(_) | None => word.push(Span { text: c.to_string(), color: span.color }),
            }
        }
    }
    words
}

fn width_of(word: &[Span]) -> usize {
    word.iter().map(|span| span.text.width()).sum()
}

/// Splits a word into pieces that fit.
fn cut(word: Vec<Span>, room: usize) -> Vec<Vec<Span>> {
    let is_address = word.iter().any(|span| span.text.contains("://"));
    if width_of(&word) <= room || is_address {
        return vec![word];
    }
    let mut pieces: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    for span in word {
        for c in span.text.chars() {
            let width = c.width().unwrap_or(0);
            if used + width > room {
                pieces.push(Vec::new());
                used = 0;
            }
            used += width;
            let Some(piece) = pieces.last_mut() else { continue };
            match piece.last_mut() {
                Some(last) if last.color == span.color => last.text.push(c),
                Some(_) | None => piece.push(Span { text: c.to_string(), color: span.color }),
            }
        }
    }
    pieces
}

fn paint(line: &[Span], style: Style) -> String {
    let mut out = String::new();
    let mut spans = line.iter().peekable();
    while let Some(span) = spans.next() {
        let mut text = span.text.clone();
        while let Some(next) = spans.next_if(|next| next.color == span.color) {
            text.push_str(&next.text);
        }
        out.push_str(&style.paint(span.color, &text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Margin<'_> = Margin { first: "", rest: "" };

    #[test]
    fn lines_break_by_width_not_by_characters() {
        let lines = text("日本語の 文章を 折り返す", 10, NONE);
        assert_eq!(lines, ["日本語の", "文章を", "折り返す"]);
        assert!(lines.iter().all(|line| line.width() <= 10));
    }

    #[test]
    fn a_margin_counts_and_later_lines_hang() {
        let margin = Margin { first: "- ", rest: "  " };
        assert_eq!(text("one two three four", 12, margin), ["- one two", "  three four"]);
    }

    #[test]
    fn a_word_wider_than_the_line_is_cut_and_an_address_is_not() {
        assert_eq!(text("abcdefghijkl", 8, NONE), ["abcdefgh", "ijkl"]);
        let address = "https://example.org/a/long/path";
        assert_eq!(text(address, 10, NONE), [address]);
    }

    #[test]
    fn punctuation_stays_with_the_emphasised_word_before_it() {
        let bold = Span { text: "done".into(), color: Color::Bold };
        let lines = spans(&[bold, Span::plain(", at last")], 80, NONE, Style::new(true));
        assert_eq!(lines, ["\u{1b}[1mdone\u{1b}[0m, at last"]);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut_to("a long title", 7), "a long…");
        assert_eq!(cut_to("日本語の文章", 7), "日本語…");
        assert_eq!(cut_to("short", 7), "short");
    }
}
