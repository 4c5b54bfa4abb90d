//! Web addresses in text: where they begin and end, and a short title for them.
//!
//! All code that stores, counts or removes addresses uses this module, so that it agrees on what an
//! address is.

/// Finds every address, in order, repeated ones included.
///
/// An address ends before white space, quotes, angle brackets and trailing punctuation; a closing
/// parenthesis belongs to it only if it was opened inside. It is returned as written, escapes
/// included.
pub fn find(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, address, after)) = first(rest) {
        found.push(address);
        rest = after;
    }
    found
}

/// The first address of a text, with the text before and after it.
pub fn first(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find("://")?;
        let start = ["https", "http"].iter().find_map(|scheme| {
            let start = at.checked_sub(scheme.len())?;
            text.get(start..at).filter(|head| head.eq_ignore_ascii_case(scheme)).map(|_| start)
        });
        match start {
            Some(start) if opens(&text[start..]) => {
                let address = leading(&text[start..]);
                return Some((&text[..start], address, &text[start + address.len()..]));
            }
            _ => from = at + 3,
        }
    }
}

/// Whether a text begins with an address.
pub fn opens(text: &str) -> bool {
    let scheme = ["https://", "http://"].iter().find(|scheme| {
        text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    });
    scheme.is_some_and(|scheme| {
        text[scheme.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '[')
    })
}

/// The address a text begins with, without the punctuation of the sentence around it.
///
/// For a text that [`opens`] rejects, this is its first word.
pub fn leading(text: &str) -> &str {
    let stop =
        |c: char| c.is_whitespace() || is_unseen(c) || matches!(c, '<' | '>' | '"' | '\'' | '`');
    let mut address = &text[..text.find(stop).unwrap_or(text.len())];
    // `[https://…](https://…)`: the link text ends where the target begins.
    if let Some(link) = address.find("](") {
        address = &address[..link];
    }
    let opened = address.matches('(').count();
    let mut closed = address.matches(')').count();
    while let Some(last) = address.chars().next_back() {
        let outside = matches!(
            last,
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | ']' | '|' | '“' | '”' | '»' | '’'
        );
        if !(outside || last == ')' && closed > opened) {
            break;
        }
        closed -= usize::from(last == ')');
        address = &address[..address.len() - last.len_utf8()];
    }
    address
}

/// Whether a character is invisible: controls, directional marks, zero-width joiners.
///
/// Such characters make one text look like another; an address ends before one.
pub fn is_unseen(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// Whether a character shows something: neither white space nor unseen.
pub fn is_seen(c: char) -> bool {
    !c.is_whitespace() && !is_unseen(c)
}

/// A title of two to five words: the host and the last words of the path.
pub fn title(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    let mut words = path.split('/').filter(|word| !word.is_empty());
    let host = words.next().unwrap_or(path).trim_start_matches("www.");
    let tail: Vec<&str> = words.collect();
    let tail = &tail[tail.len().saturating_sub(2)..];
    let clean = |word: &&str| {
        let word: String = word.chars().filter(|c| !"[]()\\`*".contains(*c)).take(40).collect();
        word
    };
    let mut title = vec![host.chars().filter(|c| !"[]()".contains(*c)).collect::<String>()];
    title.extend(tail.iter().map(clean).filter(|word| !word.is_empty()));
    if title.len() == 1 {
        title.push("page".into());
    }
    title.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(find(text), expected, "{text}");
    }

    #[test]
    fn an_address_ends_where_a_reader_would_end_it() {
        check("See https://a.example/x.", &["https://a.example/x"]);
        check("(https://a.example/x)", &["https://a.example/x"]);
        check("https://a.example/x_(y) z", &["https://a.example/x_(y)"]);
        check("[words](https://a.example/x?y=1#z), more", &["https://a.example/x?y=1#z"]);
        check(
            "[https://a.example/](https://a.example/)",
            &["https://a.example/", "https://a.example/"],
        );
        check("<https://a.example>", &["https://a.example"]);
        check("no https:// here", &[]);
        check("HTTPS://a.example/x, then", &["HTTPS://a.example/x"]);
        check("https://a.example/x\u{202E}y", &["https://a.example/x"]);
        check("https://a.example/a\\_b", &["https://a.example/a\\_b"]);
        check("ftp://a.example https://b.example", &["https://b.example"]);
        check("(see https://a.example/x(y).)", &["https://a.example/x(y)"]);
    }

    #[test]
    fn a_title_has_two_to_five_words() {
        assert_eq!(title("https://www.a.example/b/c/d?e=f"), "a.example c d");
        assert_eq!(title("https://a.example"), "a.example page");
    }
}
