//! Web addresses in text: where they begin and end, and what to call them.

/// Finds every address, in order, repeated ones included.
///
/// An address ends before white space, quotes, angle brackets and trailing punctuation; a closing
/// parenthesis belongs to it only when it was opened inside.
pub fn find(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = next_start(text, at) {
        let rest = &text[start..];
        let mut end = rest
            .find(|c: char| c.is_whitespace() || "<>\"'`".contains(c))
            .unwrap_or(rest.len());
        // `[https://…](https://…)`: the words end where the target begins.
        if let Some(link) = rest[..end].find("](") {
            end = link;
        }
        let address = trimmed(&rest[..end]);
        let scheme = if address.starts_with("https://") { 8 } else { 7 };
        if address.len() > scheme {
            found.push(address);
        }
        at = start + address.len().max(scheme);
    }
    found
}

fn next_start(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let http = rest.find("http://");
    let https = rest.find("https://");
    [http, https].into_iter().flatten().min().map(|found| at + found)
}

fn trimmed(mut address: &str) -> &str {
    loop {
        let closes = address.matches(')').count();
        let opens = address.matches('(').count();
        let cut = match address.chars().next_back() {
            Some(last) if ".,;:!?*]|“”»’".contains(last) => last.len_utf8(),
            Some(')') if closes > opens => 1,
            _ => return address,
        };
        address = &address[..address.len() - cut];
    }
}

/// Two to five words for an address: host and the last words of its path.
pub fn title(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    let mut words = path.split('/').filter(|word| !word.is_empty());
    let host = words.next().unwrap_or(path).trim_start_matches("www.");
    let tail: Vec<&str> = words.collect();
    let tail = &tail[tail.len().saturating_sub(2)..];
    let clean = |word: &&str| {
        let word: String =
            word.chars().filter(|c| !"[]()\\`*".contains(*c)).take(40).collect();
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
        check("[https://a.example/](https://a.example/)", &["https://a.example/", "https://a.example/"]);
        check("<https://a.example>", &["https://a.example"]);
        check("no https:// here", &[]);
    }

    #[test]
    fn a_title_has_two_to_five_words() {
        assert_eq!(title("https://www.a.example/b/c/d?e=f"), "a.example c d");
        assert_eq!(title("https://a.example"), "a.example page");
    }
}
