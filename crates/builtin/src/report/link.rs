//! Every address of a task, once, unbroken, with a title for its target.

use dormouse_types::address;

use super::fact::Fact;
use crate::input::Input;
use crate::lang::Lang;
use crate::read::fold::fold;
use crate::read::inline::Link;

/// An address, with its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Titled {
    /// Two to five words.
    pub title: String,
    /// The address as written.
    pub url: String,
}

/// Units: links. Longer lists are grouped by host.
const FLAT: usize = 40;

/// Returns the links of a task: those of open work, of finished work, the others, those only in
/// code.
pub fn links(input: &Input<'_>, left: &[Fact], done: &[Fact]) -> Vec<Titled> {
    let mut known: Vec<(&Link, usize)> = Vec::new();
    for (at, segment) in input.segments.iter().enumerate() {
        known.extend(segment.links.iter().map(|link| (link, at)));
    }
    let mut order: Vec<String> = Vec::new();
    for fact in left.iter().chain(done) {
        if let Some(at) = fact.segment {
            order.extend(input.segments[at].links.iter().map(|link| link.url.clone()));
        }
    }
    order.extend(known.iter().map(|(link, _)| link.url.clone()));
    let everything = addresses(input);
    let mut seen = std::collections::BTreeSet::new();
    let mut found: Vec<Titled> = Vec::new();
    let mut titles = std::collections::BTreeSet::new();
    let whole: std::collections::BTreeSet<&String> = everything.iter().collect();
    for url in order.iter().filter(|url| whole.contains(url)).chain(&everything) {
        if !seen.insert(url.clone()) {
            continue;
        }
        let mut named = known.iter().filter(|(link, _)| link.url == *url);
        let title = named
            .find_map(|(link, _)| given(link, input.lang))
            .or_else(|| {
                known
                    .iter()
                    .find(|(link, _)| link.url == *url)
                    .and_then(|(link, _)| short(link, input.lang))
            })
            .unwrap_or_else(|| place_in(url, input.lang));
        let title = if titles.contains(&title) { place_in(url, input.lang) } else { title };
        let title = if titles.contains(&title) { numbered(&title, &titles) } else { title };
        titles.insert(title.clone());
        found.push(Titled { title, url: url.clone() });
    }
    found
}

/// Appends the next free number to a title that is already taken.
fn numbered(title: &str, taken: &std::collections::BTreeSet<String>) -> String {
    let words: Vec<&str> = title.split(' ').take(4).collect();
    let title = words.join(" ");
    (2..).map(|n| format!("{title} {n}")).find(|title| !taken.contains(title)).unwrap_or(title)
}

/// Returns every address of the entries and items, including code, in order of appearance.
fn addresses(input: &Input<'_>) -> Vec<String> {
    let texts = input.state.entries.iter().map(|entry| entry.text.as_str());
    let items = input.state.items.iter().map(|item| item.title.as_str());
    let mut seen = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for text in texts.chain(items) {
        for url in address::find(text) {
            if seen.insert(url.to_owned()) {
                found.push(url.to_owned());
            }
        }
    }
    found
}

/// Returns the words of a link, if they say something.
fn given(link: &Link, lang: &Lang) -> Option<String> {
    let title = clean(&link.title);
    let words: Vec<&str> =
        title.split(' ').filter(|word| word.chars().any(char::is_alphanumeric)).collect();
    let folded = fold(&title);
    let says_nothing = lang.report.say.empty_titles.contains(&folded.trim_matches(['(', ')', '.']))
        || title.contains("://")
        || words.iter().all(|word| is_code(word));
    let cues = &lang.report.cues;
    let opens = words.first().map(|word| fold(word)).unwrap_or_default();
    let is_fragment =
        cues.auxiliaries.contains(&opens.as_str()) || cues.fragments.contains(&opens.as_str());
    if says_nothing || words.len() < 2 || is_fragment {
        return None;
    }
    let mut words = &words[..words.len().min(5)];
    while words.len() > 2 && lang.stop_words.contains(&fold(words[words.len() - 1]).as_str()) {
        words = &words[..words.len() - 1];
    }
    Some(crate::report::unit::cut(&words.join(" "), 60))
}

/// Extends a single meaningful word by the host.
fn short(link: &Link, lang: &Lang) -> Option<String> {
    let title = clean(&link.title);
    let tells = title.chars().filter(|c| c.is_alphabetic()).count() >= 4
        && !title.contains([' ', '#'])
        && title.chars().count() <= 40;
    let host = host(&link.url);
    (tells && !host.contains("github") && !host.contains("gitlab") && !is_code(&title))
        .then(|| lang.report.say.on_host.replace("{title}", &title).replace("{host}", host))
        .filter(|_| !title.contains("://"))
}

fn is_code(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    digits == bare.chars().count() || bare.len() >= 7 && bare.chars().all(|c| c.is_ascii_hexdigit())
}

/// Removes what would end a link title.
fn clean(title: &str) -> String {
    title
        .chars()
        .filter(|c| !matches!(c, '[' | ']' | '`' | '*' | '<' | '>' | '|' | '\\' | '"'))
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Builds a title from the address alone, in the words of the first language.
pub fn place(url: &str) -> String {
    place_in(url, crate::lang::ALL[0])
}

fn place_in(url: &str, lang: &Lang) -> String {
    let host = host(url);
    let kind = |key: &str| {
        lang.report.say.kinds.iter().find(|(known, _)| *known == key).map(|(_, word)| *word)
    };
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<String> = path
        .split('/')
        .skip(1)
        .filter(|part| !part.is_empty() && *part != "-")
        .map(|part| {
            part.chars().filter(|c| c.is_alphanumeric() || "-_.".contains(*c)).take(40).collect()
        })
        .filter(|part: &String| part.chars().any(char::is_alphanumeric))
        .collect();
    let numbered = parts.windows(3).find_map(|window| {
        let word = match window[1].as_str() {
            "issues" | "issue" => kind("issue"),
            "pull" | "pulls" | "merge_requests" => kind("pull"),
            "commit" | "commits" => kind("commit"),
            "discussions" => kind("discussion"),
            _ => None,
        }?;
        let n: String = window[2].chars().take(10).collect();
        Some(format!("{} {word} {n}", window[0]))
    });
    if let Some(title) = numbered {
        return title;
    }
    let is_forge = ["github.com", "gitlab.com", "codeberg.org"].contains(&host);
    if is_forge && parts.len() >= 2 {
        let (owner, repo) = (&parts[0], &parts[1]);
        return match parts.last().filter(|_| parts.len() > 2) {
            Some(last) => format!("{repo} {last}"),
            None => format!("{owner} {repo}"),
        };
    }
    let image = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"];
    let host: String =
        host.chars().filter(|c| c.is_alphanumeric() || ".-:".contains(*c)).take(60).collect();
    let last = parts.last();
    if let Some(last) =
        last.filter(|last| image.iter().any(|end| last.to_lowercase().ends_with(end)))
    {
        return format!("{} {host} {last}", kind("image").unwrap_or_default()).trim().to_owned();
    }
    let shown = if parts.len() > 2 { &parts[parts.len() - 2..] } else { &parts[..] };
    if shown.is_empty() {
        return lang.report.say.page.replace("{host}", &host);
    }
    format!("{host} {}", shown.join(" "))
}

/// Returns the lines of the section.
///
/// Units: `room` is in bytes. Titles are shortened before addresses are dropped; dropped addresses
/// are counted in the last line.
pub fn lines(links: &[Titled], room: usize, lang: &Lang) -> Vec<String> {
    let full = grouped(links);
    if size(&full) <= room {
        return full;
    }
    let bare: Vec<String> = links.iter().map(|link| line("", &link.url)).collect();
    if size(&bare) <= room {
        return bare;
    }
    let mut kept = Vec::new();
    let mut used = 40;
    for text in bare {
        if used + text.len() + 1 > room {
            break;
        }
        used += text.len() + 1;
        kept.push(text);
    }
    let missing = links.len() - kept.len();
    kept.push(format!("- {}", lang.report.say.more.replace("{n}", &missing.to_string())));
    kept
}

fn grouped(links: &[Titled]) -> Vec<String> {
    let plain = |links: &mut dyn Iterator<Item = &Titled>| -> Vec<String> {
        links.map(|link| line(&link.title, &link.url)).collect()
    };
    if links.len() <= FLAT {
        return plain(&mut links.iter());
    }
    let mut hosts: Vec<&str> = Vec::new();
    for link in links {
        if !hosts.contains(&host(&link.url)) {
            hosts.push(host(&link.url));
        }
    }
    if hosts.len() > FLAT / 2 {
        return plain(&mut links.iter());
    }
    let mut lines = Vec::new();
    for name in hosts {
        lines.push(format!("### {}", clean(name)));
        lines.extend(plain(&mut links.iter().filter(|link| host(&link.url) == name)));
    }
    lines
}

/// Formats one link; an address with unbalanced parentheses is put in angle brackets.
fn line(title: &str, url: &str) -> String {
    let mut depth = 0_i32;
    let mut balanced = true;
    for c in url.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        balanced &= depth >= 0;
    }
    if title.is_empty() {
        format!("- <{url}>")
    } else if balanced && depth == 0 {
        format!("- [{title}]({url})")
    } else {
        format!("- [{title}](<{url}>)")
    }
}

fn size(lines: &[String]) -> usize {
    lines.iter().map(|line| line.len() + 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::en::EN;

    #[test]
    fn an_address_titles_itself() {
        for (url, title) in [
            ("https://github.com/a/kube-spawner/pull/208", "kube-spawner PR 208"),
            ("https://github.com/a/deploy/issues/611#c", "deploy issue 611"),
            ("https://github.com/a/deploy", "a deploy"),
            ("https://git.example.org/ferry/issues/88", "ferry issue 88"),
            ("https://docs.example.org/tasks/pose#train", "docs.example.org tasks pose"),
            ("https://i.example.com/ab.png", "image i.example.com ab.png"),
            ("https://www.example.org/", "page on example.org"),
        ] {
            assert_eq!(place(url), title, "{url}");
        }
    }

    #[test]
    fn link_words_title_a_link_when_they_tell() {
        for (words, title) in [
            ("announcement post", Some("announcement post")),
            ("how to read the chart of last week", Some("how to read the chart")),
            ("see issue here", None),
            ("#512", None),
            ("PR #428", Some("PR #428")),
            ("overview", None),
        ] {
            let link =
                Link { title: words.into(), url: "https://a.example/x".into(), is_image: false };
            assert_eq!(given(&link, &EN).as_deref(), title, "{words}");
        }
    }

    #[test]
    fn addresses_that_would_break_a_link_stand_in_brackets() {
        assert_eq!(
            line("two words", "https://a.example/(b"),
            "- [two words](<https://a.example/(b>)"
        );
        assert_eq!(
            line("two words", "https://a.example/(b)"),
            "- [two words](https://a.example/(b))"
        );
    }
}
