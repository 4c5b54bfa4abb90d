//! The words of a piece of Markdown, and the addresses in it.

use dormouse_formats::sanitise;
use dormouse_types::address;

use crate::lang;
use crate::report::link::place;

/// An address, with the words that link to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The words in brackets, the alternative text of an image, or an empty string.
    pub title: String,
    /// The address as written.
    pub url: String,
    /// Whether it is an image.
    pub is_image: bool,
}

/// The text and links of a piece of Markdown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// One line, without emphasis, links, tags and addresses; code spans are kept.
    pub text: String,
    /// Addresses, in order.
    pub links: Vec<Link>,
}

const TAGS: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "del",
    "details",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];

/// Reads a piece of Markdown within one block.
pub fn read(raw: &str) -> Words {
    let mut reader = Reader { raw, at: 0, text: String::with_capacity(raw.len()), links: vec![] };
    reader.run();
    let text = tidy(&reader.text);
    Words { text, links: reader.links }
}

struct Reader<'a> {
    raw: &'a str,
    at: usize,
    text: String,
    links: Vec<Link>,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(c) = self.raw[self.at..].chars().next() {
            let rest = &self.raw[self.at..];
            let step = match c {
                '\\' => self.escaped(rest),
                '`' => self.code(rest),
                '!' if rest.starts_with("![") => self.link(&rest[1..], true).map(|n| n + 1),
                '[' => self.link(rest, false),
                '<' => self.angle(rest),
                'h' | 'H' => self.bare(rest),
                '~' if rest.starts_with("~~") => struck(rest),
                '*' => Some(1),
                '_' => self.underscore(rest),
                _ => None,
            };
            match step {
                Some(step) => self.at += step,
                None => {
                    self.text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escaped(&mut self, rest: &str) -> Option<usize> {
        let next = rest[1..].chars().next()?;
        if next.is_ascii_punctuation() {
            self.text.push(next);
            return Some(1 + next.len_utf8());
        }
        None
    }

    fn code(&mut self, rest: &str) -> Option<usize> {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let inner = &rest[ticks..];
        let close = inner.find(&rest[..ticks]);
        let Some(close) = close else {
            return Some(ticks);
        };
        let code = inner[..close].trim();
        self.text.push('`');
        let mut shown = code;
        // An address inside code would be cut in half by a later rule that shortens text.
        while let Some((before, url, after)) = address::first(shown) {
            self.text.push_str(before);
            self.text.push('…');
            self.links.push(Link { title: String::new(), url: url.to_owned(), is_image: false });
            shown = after;
        }
        self.text.push_str(shown);
        self.text.push('`');
        Some(ticks + close + ticks)
    }

    fn link(&mut self, rest: &str, is_image: bool) -> Option<usize> {
        let close = closing(rest, '[', ']')?;
        let words = &rest[1..close];
        let following = &rest[close + 1..];
        if following.starts_with('(') {
            let end = closing(following, '(', ')')?;
            let target = following[1..end].trim();
            let url = target.split_whitespace().next().unwrap_or_default();
            let url = url.trim_start_matches('<').trim_end_matches('>');
            let inner = read(words);
            if address::opens(url) {
                let shown =
                    inner.links.iter().map(|link| link.title.as_str()).find(|t| !t.is_empty());
                let title = match shown {
                    // An image that is a link: its alternative text titles both.
                    Some(shown) if inner.text.is_empty() => shown.to_owned(),
                    _ if inner.text.is_empty()
                        && !address::opens(words.trim())
                        && inner.links.is_empty() =>
                    {
                        tidy(words)
                    }
                    _ => inner.text.clone(),
                };
                self.links.push(Link { title, url: address::leading(url).to_owned(), is_image });
            }
            self.links
                .extend(inner.links.into_iter().filter(|link| link.url != address::leading(url)));
            if !is_image {
                self.text.push_str(&inner.text);
            }
            return Some(close + 1 + end + 1);
        }
        // A reference: [words][label].
        if following.starts_with('[') && !is_image {
            let end = closing(following, '[', ']')?;
            if following[1..end].contains(char::is_whitespace) {
                return None;
            }
            let inner = read(words);
            self.text.push_str(&inner.text);
            self.links.extend(inner.links);
            return Some(close + 1 + end + 1);
        }
        None
    }

    fn angle(&mut self, rest: &str) -> Option<usize> {
        if rest.starts_with("<!--") {
            return Some(rest.find("-->").map_or(rest.len(), |end| end + 3));
        }
        if address::opens(&rest[1..]) {
            let url = address::leading(&rest[1..]);
            self.links.push(Link { title: String::new(), url: url.to_owned(), is_image: false });
            let end = 1 + url.len();
            return Some(end + usize::from(rest[end..].starts_with('>')));
        }
        let name: String = rest[1..]
            .trim_start_matches('/')
            .chars()
            .take(11)
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        if !TAGS.contains(&name.to_ascii_lowercase().as_str()) {
            return None;
        }
        let end = rest.char_indices().take(600).find(|&(_, c)| c == '>')?.0;
        let mut tag = &rest[..end];
        while let Some((_, url, after)) = address::first(tag) {
            let is_image = name.eq_ignore_ascii_case("img");
            self.links.push(Link { title: String::new(), url: url.to_owned(), is_image });
            tag = after;
        }
        self.text.push(' ');
        Some(end + 1)
    }

    fn bare(&mut self, rest: &str) -> Option<usize> {
        if !address::opens(rest) {
            return None;
        }
        let url = address::leading(rest);
        // "Fixed in <address>, merged" needs a word in place of the address.
        let before = self.text.trim_end().rsplit([' ', '(']).next().unwrap_or_default();
        let before = before.to_lowercase();
        // "(see <address>)" is a remark and is removed entirely.
        let is_seen = before == "see" && self.text.trim_end().to_lowercase().ends_with(", see");
        if is_seen
            || lang::ALL
                .iter()
                .any(|lang| lang.report.cues.before_address.contains(&before.as_str()))
        {
            self.text.push_str(&place(url));
        }
        self.links.push(Link { title: String::new(), url: url.to_owned(), is_image: false });
        Some(url.len())
    }

    fn underscore(&self, rest: &str) -> Option<usize> {
        let before = self.raw[..self.at].chars().next_back();
        let after = rest.trim_start_matches('_').chars().next();
        let inside =
            before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
        let loose = before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace);
        (!inside && !loose).then_some(1)
    }
}

/// Returns the length of struck-out text, which is not evidence of anything.
fn struck(rest: &str) -> Option<usize> {
    let inner = &rest[2..];
    let end = inner.find("~~")?;
    (end > 0).then_some(2 + end + 2)
}

/// Returns the byte position of the bracket that closes the one at the start of `rest`, within a
/// limit.
fn closing(rest: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in rest.char_indices().take(4_000) {
        if c == open {
            depth += 1;
            if depth > 8 {
                return None;
            }
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Collapses white space and removes what a deleted address leaves over.
fn tidy(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut gap = false;
    // Joiners that a script or an emoji needs are kept: without them the word changes.
    for c in sanitise::line(text).chars() {
        if c.is_whitespace() {
            gap = true;
        } else {
            let sticks = matches!(c, '.' | ',' | ';' | ')' | ':' | '!' | '?');
            if gap && !line.is_empty() && !(sticks && line.ends_with('(')) {
                line.push(' ');
            }
            gap = false;
            line.push(c);
        }
    }
    for empty in ["( )", "()", "(: )", "(:)", "(see )", "(see)", "(ref:)", "[]"] {
        // `f()` is a name; " ()" is a leftover.
        line = line.replace(&format!(" {empty}"), "");
    }
    line.trim().trim_end_matches([':', ',', ';']).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        read(raw).text
    }

    #[test]
    fn the_words_stay_and_the_markup_goes() {
        for (raw, expected) in [
            ("**Bold** and _soft_ words", "Bold and soft words"),
            ("Set `max_pods` in snake_case_name", "Set `max_pods` in snake_case_name"),
            ("See [the plan](https://a.example/b?c=d#e) now.", "See the plan now."),
            ("Fix it (https://a.example/1)", "Fix it"),
            ("Fix it https://a.example/1", "Fix it"),
            ("Fix it ([issue](https://a.example/1)).", "Fix it (issue)."),
            ("![chart](https://a.example/x.png)", ""),
            ("Call `f()` and ~~wait~~ go", "Call `f()` and go"),
            ("a<br/>b <pod-name>", "a b <pod-name>"),
            ("\\*not\\* bold", "*not* bold"),
            ("क्\u{200d}ष and a\u{200b}b\u{202e}c", "क्\u{200d}ष and abc"),
            ("2 * 3 _ 4", "2 3 _ 4"),
            ("get `curl 'https://a.example/x'` done", "get `curl '…'` done"),
        ] {
            assert_eq!(text(raw), expected, "{raw}");
        }
    }

    #[test]
    fn addresses_are_read_as_written() {
        for (raw, title, url) in [
            ("[docs](https://a.example/x_(y)?q=1&z=2)", "docs", "https://a.example/x_(y)?q=1&z=2"),
            ("(see https://a.example/x).", "", "https://a.example/x"),
            ("<https://a.example/x>", "", "https://a.example/x"),
            ("[https://a.example/x](https://a.example/x)", "", "https://a.example/x"),
            ("![alt words](http://a.example/i.png)", "alt words", "http://a.example/i.png"),
            ("<img src=\"https://a.example/i.png\">", "", "https://a.example/i.png"),
        ] {
            let links = read(raw).links;
            assert_eq!(links.len(), 1, "{raw}: {links:?}");
            assert_eq!((links[0].title.as_str(), links[0].url.as_str()), (title, url), "{raw}");
        }
    }
}
