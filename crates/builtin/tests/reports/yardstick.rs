//! What must hold for every report, whatever its subject.

use std::collections::BTreeSet;

use dormouse_types::address;

/// Maximum units of a section; sections are named by their emoji.
const MOST: [(&str, usize); 6] =
    [("🆕", 4), ("📅", 5), ("✅", 18), ("📌", 24), ("💡", 10), ("❓", 12)];

/// Every address of a text.
pub fn addresses(text: &str) -> BTreeSet<String> {
    let text = text.replace("\\_", "_");
    let mut found = BTreeSet::new();
    let mut rest = text.as_str();
    while let Some((_, url, after)) = address::first(rest) {
        found.insert(url.to_owned());
        rest = after;
    }
    found
}

/// Lists what is wrong with a report about `source`; empty if nothing is.
pub fn faults(tldr: &str, content: &str, source: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |is_broken: bool, words: String| {
        if is_broken {
            faults.push(words);
        }
    };
    let n_chars = tldr.chars().count();
    fault(tldr.trim().is_empty() || n_chars > 400, format!("the summary has {n_chars} characters"));
    let words: Vec<&str> = tldr.split_whitespace().collect();
    let stops = (0..words.len()).filter(|&at| ends_sentence(words[at], words.get(at + 1))).count();
    fault(stops > 3, format!("the summary has {stops} sentences: {tldr}"));
    if content == tldr {
        // If hardly anything is known, the summary is the whole report.
        return faults;
    }
    let mut fault = |is_broken: bool, words: String| {
        if is_broken {
            faults.push(words);
        }
    };
    fault(tldr.contains('\n'), "the summary has several lines".into());
    fault(content.len() > 32 * 1024, format!("{} bytes", content.len()));

    let (mut section, mut n_units, mut size) = ("", 0, 0);
    let mut seen: Vec<(String, bool)> = Vec::new();
    for line in content.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.split(' ').next().unwrap_or_default();
            n_units = 0;
        }
        if section == "🔗" {
            continue;
        }
        size += line.chars().count() + 1;
        fault(
            !line.is_empty() && !line.starts_with("## ") && !line.starts_with("- "),
            format!("a loose line: {line}"),
        );
        if let Some(unit) = line.strip_prefix("- ") {
            n_units += 1;
            let text = unit.strip_prefix("[ ] ");
            fault(text.is_some() != (section == "📌"), format!("a box out of place: {line}"));
            let text = text.unwrap_or(unit);
            fault(
                text.chars().count() > 300,
                format!("a unit of {} characters", text.chars().count()),
            );
            fault(!text.chars().any(char::is_alphanumeric), format!("an empty unit: {line}"));
            if matches!(section, "✅" | "📌") {
                seen.push((
                    text.to_lowercase().trim_end_matches(['.', ' ']).to_owned(),
                    section == "✅",
                ));
            }
        }
        let most = MOST.iter().find(|(emoji, _)| *emoji == section).map_or(0, |(_, most)| *most);
        fault(section.is_empty() || n_units > most, format!("{n_units} units in {section:?}"));
    }
    let most = (source.chars().count() * 6 / 10).clamp(2_000, 6_000);
    fault(size > most, format!("{size} characters, {most} allowed"));
    for (one, _) in seen.iter().filter(|(_, done)| *done) {
        for (other, _) in seen.iter().filter(|(_, done)| !*done) {
            let least = one.chars().count().min(other.chars().count());
            let twice = one == other
                || least >= 20 && (one.contains(other) || other.contains(one.as_str()));
            fault(twice, format!("achieved and left: {one}"));
        }
    }
    let strange = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let prose = content.split("## 🔗").next().unwrap_or_default();
    fault(tldr.contains(strange) || prose.contains(strange), "unseen characters".into());

    let (have, want) = (addresses(&format!("{tldr}\n{content}")), addresses(source));
    let invented: Vec<_> = have.difference(&want).collect();
    fault(!invented.is_empty(), format!("invented addresses: {invented:?}"));
    let all_fit = want.iter().map(|url| url.len() + 8).sum::<usize>() < 24 * 1024;
    let lost: Vec<_> = want.difference(&have).collect();
    fault(all_fit && !lost.is_empty(), format!("lost addresses: {lost:?}"));
    for url in &want {
        let ends = [format!("]({url})"), format!("](<{url}>)"), format!("- <{url}>")];
        let n = content.lines().filter(|line| ends.iter().any(|end| line.ends_with(end))).count();
        fault(n > 1, format!("{n} times: {url}"));
    }
    faults
}

/// Whether a word ends a sentence: "Prof. Kim", "31.1. um" and "am 30. Januar" go on.
fn ends_sentence(word: &str, next: Option<&&str>) -> bool {
    let bare = word.trim_end_matches(['.', '!', '?']);
    let is_short = bare.chars().count() == 1 || bare.contains('.');
    let is_figure = bare.len() <= 5 && bare.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_abbreviation = word.ends_with('.') && bare.len() <= 4 && next.is_some();
    let goes_on =
        word.ends_with('.') && (is_short || is_figure || is_abbreviation) && next.is_some();
    bare.len() < word.len() && !goes_on
}
