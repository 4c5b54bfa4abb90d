//! New checklist items: open boxes, TODO lines, bullets under a heading for work to do.

use std::collections::BTreeSet;

use dormouse_types::limits;
use serde_json::Value;

use super::ledger;
use super::pattern;
use super::same::{Key, without_numbering};
use super::statement::{Evidence, Rank, Statement, quote};
use super::tick::Reports;
use super::todo;
use super::words::{Class, Token, tokens};
use crate::Input;
use crate::lang::Lang;
use crate::lang::propose::Rules;
use crate::read::fold::{content_words, fold, overlap};
use crate::read::{Kind, Mark, Segment};
use crate::report::cue::{CueText, after_label};
use crate::report::heading::{Below, is_version, kind};
use crate::report::unit::cut;
use crate::report::wording::works;

/// Most new items in one wake; a person reads them one by one.
const ITEMS_MAX: usize = 40;

/// Units: characters. A longer title is cut at the end of a clause, but never below `TITLE_SHORT`.
const TITLE_LONG: usize = 140;
const TITLE_SHORT: usize = 40;

/// An item to add, with its evidence.
#[derive(Debug)]
pub struct NewItem {
    pub title: String,
    /// Line that names the work.
    pub evidence: Evidence,
    rank: Rank,
    key: Key,
}

/// Returns the new items of the task.
pub fn items(
    input: &Input<'_>,
    statements: &[Statement<'_>],
    reports: &Reports<'_>,
) -> Vec<NewItem> {
    let lang = input.lang;
    let listed: Vec<Key> =
        input.state.items.iter().map(|item| Key::of(&item.title, lang)).collect();
    let titles: BTreeSet<String> = input.state.items.iter().map(|item| fold(&item.title)).collect();
    let is_listed = |title: &str, key: &Key| {
        titles.contains(&fold(title))
            || listed.iter().any(|on_list| on_list.is(key, lang) || key.covers(on_list, lang))
    };
    // What the list names already in other words is not added from prose.
    let on_list: Vec<Vec<String>> =
        input.state.items.iter().map(|item| content_words(&item.title, lang)).collect();
    let room = limits::ITEMS_PER_TASK.max.saturating_sub(input.state.items.len());
    let most = ITEMS_MAX.min(room);
    let mut named: Vec<NewItem> = Vec::new();
    // Rejected or finished under its first wording; if mentioned again, that wording is kept.
    let mut refused: Vec<NewItem> = Vec::new();
    // A long text names more than is ever proposed: a full list is only kept up to date.
    for (n, statement) in statements.iter().enumerate() {
        let above = above(&statements[..n], statement);
        let requested = requested(statements, n, lang);
        let mine = obliged(statement, lang).filter(|title| {
            let words = content_words(title, lang);
            !on_list.iter().any(|item| overlap(&words, item) >= 0.5)
        });
        for title in work(statement, above, lang).into_iter().chain(requested).chain(mine) {
            let Some(title) = tidy(&title, statement, lang.propose) else { continue };
            let is_whole = title.len() == statement.segment.text.len();
            let known = reports.named(n).filter(|_| is_whole).cloned();
            let key = known.unwrap_or_else(|| Key::of(&title, lang));
            if key.is_empty() && fold(&title).chars().filter(|c| c.is_alphabetic()).count() < 4 {
                continue;
            }
            let evidence = match statement.segment.kind {
                Kind::Box { .. } => {
                    Evidence { quote: quote(&statement.segment.raw, 0), ..statement.evidence() }
                }
                _ => statement.evidence(),
            };
            let item = NewItem { title, evidence, rank: statement.rank, key };
            let has_room = named.len() < most;
            match named.iter_mut().find(|other| other.key.is(&item.key, lang)) {
                // Mentioned again: the first wording, the newer evidence.
                Some(other) if item.rank > other.rank => {
                    other.rank = item.rank;
                    other.evidence = item.evidence;
                }
                Some(_) => {}
                None if !has_room || is_listed(&item.title, &item.key) => {}
                None if may_be_added(input, reports, &item) => {
                    let before = refused.iter().find(|other| other.key.is(&item.key, lang));
                    let title = before.map_or(item.title, |before| before.title.clone());
                    named.push(NewItem { title, ..item });
                }
                None if refused.len() < ITEMS_MAX => refused.push(item),
                None => {}
            }
        }
    }
    named
}

/// Returns whether an item is neither finished nor rejected.
fn may_be_added(input: &Input<'_>, reports: &Reports<'_>, item: &NewItem) -> bool {
    let same = |args: &Value| is_add_of(args, &item.key, input);
    reports.on(&item.title, Some(item.rank)).is_none_or(|report| !report.is_done)
        && reports.settlements.over(&item.title, item.rank.entry(), &[]).is_none()
        && ledger::allows_part(input, ledger::ADD, item.evidence.at, &same)
}

/// Returns whether the arguments of a proposal add an item with that title.
fn is_add_of(args: &Value, key: &Key, input: &Input<'_>) -> bool {
    let title = args.get("title").and_then(Value::as_str);
    title.is_some_and(|title| Key::of(title, input.lang).is(key, input.lang))
}

/// Returns the work that a statement names.
fn work(statement: &Statement<'_>, above: Option<&Statement<'_>>, lang: &Lang) -> Vec<String> {
    let rules = lang.propose;
    let segment = statement.segment;
    if statement.is_quoted {
        return Vec::new();
    }
    let named = match segment.kind {
        Kind::Heading { .. } | Kind::Row => None,
        Kind::Box { mark: Mark::Open } => {
            (statement.is_first && !is_form(statement, rules)).then(|| statement.text.to_owned())
        }
        Kind::Box { .. } => None,
        Kind::Sentence | Kind::Bullet | Kind::Numbered => {
            if is_form(statement, rules) {
                return Vec::new();
            }
            let in_capitals = todo::after_marks(statement, rules);
            if !in_capitals.is_empty() {
                return in_capitals.iter().flat_map(|rest| works(rest, None, lang)).collect();
            }
            if let Some(rest) = labelled(statement, rules) {
                return works(&rest, None, lang);
            }
            // "Tasks for Kim: write; call" names several tasks and their owner.
            if let Some((rest, Some(owner))) =
                after_label(statement.text, lang.report.cues.todo_labels)
            {
                return works(rest, Some(owner), lang);
            }
            let is_item = segment.is_item()
                && statement.is_first
                && is_work_heading(segment, lang)
                && !is_withdrawn(segment, rules);
            // Details nested under another item are part of it; under a line that ends in a colon
            // they are the items.
            let is_top =
                segment.depth == 0 || above.is_some_and(|above| heads_others(above.segment));
            (is_item && !heads_others(segment) && is_top).then(|| statement.text.to_owned())
        }
    };
    named.into_iter().collect()
}

/// Returns the work of a line that is one of several requests in a list below no heading: "call Bo",
/// "find the contract".
fn requested(statements: &[Statement<'_>], n: usize, lang: &Lang) -> Option<String> {
    let statement = statements.get(n)?;
    let is_next = |other: &&Statement<'_>| {
        other.segment.entry == statement.segment.entry
            && other.segment.block.abs_diff(statement.segment.block) == 1
    };
    let near = statements[n.saturating_sub(4)..].iter().take(9);
    let is_one_of = near.filter(is_next).any(|other| is_request(other, lang));
    (is_request(statement, lang) && is_one_of).then(|| statement.text.to_owned())
}

/// Returns whether a list item is nothing but a short request.
fn is_request(statement: &Statement<'_>, lang: &Lang) -> bool {
    let segment = statement.segment;
    let stated = CueText::new(statement.text, lang);
    let first = statement.sentence.tokens.first();
    matches!(segment.kind, Kind::Bullet | Kind::Numbered)
        && segment.depth == 0
        && segment.sentences.len() == 1
        && segment.headings.iter().all(|(level, _)| *level == 1)
        && !statement.is_quoted
        && !is_form(statement, lang.propose)
        && !pattern::holds(&statement.sentence.tokens, lang.propose.item.void)
        && stated.n_words() <= 10
        && stated.is_request(lang)
        && !stated.asks()
        && first.is_some_and(|t| lang.report.cues.todo_verbs.contains(&t.word.as_str()))
}

/// Returns the list item that a nested one belongs to.
fn above<'a, 'b>(
    before: &'a [Statement<'b>],
    statement: &Statement<'_>,
) -> Option<&'a Statement<'b>> {
    let depth = statement.segment.depth.checked_sub(1)?;
    before
        .iter()
        .rev()
        .take_while(|other| {
            other.segment.entry == statement.segment.entry && other.segment.is_item()
        })
        .find(|other| other.segment.depth == depth)
}

/// "Kitchen:" names no work itself; the lines under it do.
fn heads_others(segment: &Segment) -> bool {
    segment.raw.trim_end().ends_with(':')
}

/// Returns whether the line, or the heading above it, is part of a template.
fn is_form(statement: &Statement<'_>, rules: &Rules) -> bool {
    pattern::holds(&statement.sentence.tokens, rules.item.samples)
        || statement.is_below_sample(rules)
}

/// Returns the work that the writer says is still theirs: "I still have to ring accounts".
fn obliged(statement: &Statement<'_>, lang: &Lang) -> Option<String> {
    let is_own = statement.segment.kind == Kind::Sentence || statement.is_first;
    if !is_own || statement.is_question() || statement.segment.depth > 0 {
        return None;
    }
    obligation(statement.raw, &statement.sentence.tokens, lang)
}

/// Returns what the writer of a sentence has to do, in their words.
pub fn obligation(raw: &str, tokens: &[Token], lang: &Lang) -> Option<String> {
    let rules = lang.propose;
    let is = |at: usize, words: &[&str]| {
        tokens.get(at).is_some_and(|t| words.contains(&t.word.as_str()))
    };
    (0..tokens.len()).find_map(|at| {
        let after = rules.obligations.iter().find_map(|phrase| {
            let parts: Vec<&str> = phrase.split(' ').collect();
            let fits = parts.iter().enumerate().all(|(n, part)| is(at + n, &[part]));
            fits.then_some(at + parts.len())
        })?;
        // "I still have to", and "must ring them" where a clause begins
        let before = (0..at).rev().find(|n| !is(*n, rules.before_obligations));
        let is_mine = before.is_none_or(|n| {
            is(n, lang.settle.selves) || tokens[n].class == Class::Mark && !tokens[n].is("?")
        });
        let verb = tokens.get(after)?.word.as_str();
        // "Bed the ridge": what a thing follows is a verb.
        let has_thing = is(after + 1, lang.settle.determiners);
        let is_work = lang.report.cues.todo_verbs.contains(&verb)
            || lang.settle.contacts.contains(&verb)
            || verb == "do"
            || has_thing && !lang.stop_words.contains(&verb);
        if !is_mine || !is_work || rules.no_work.contains(&verb) {
            return None;
        }
        let end = (after..tokens.len())
            .find(|n| pattern::ends_clause(tokens, *n) || is(*n, rules.work_ends))
            .unwrap_or(tokens.len());
        let named = raw.get(tokens[after].start..tokens[..end].last()?.end)?.trim();
        (content_words(named, lang).len() >= 2).then(|| named.to_owned())
    })
}

/// Returns what follows a label such as "To do:" or "Next step -" at the start of a sentence.
fn labelled(statement: &Statement<'_>, rules: &Rules) -> Option<String> {
    let tokens = &statement.sentence.tokens;
    statement.sentence.opens.iter().find_map(|open| {
        let rest = &tokens[*open..];
        let n = rules.item.markers.iter().find_map(|marker| {
            let n = marker.split(' ').count();
            let fits = rest.len() > n && marker.split(' ').zip(rest).all(|(word, t)| t.is(word));
            fits.then_some(n)
        })?;
        let sign = rest.get(n)?;
        if rest.get(n + 1).is_none_or(|next| next.glued) {
            return None;
        }
        if sign.is(":") {
            return statement.text.split_once(':').map(|(_, rest)| rest.trim().to_owned());
        }
        if sign.is("-") && !sign.glued {
            let dashes = [" - ", " – ", " — "].into_iter();
            let parts = dashes.filter_map(|dash| statement.text.split_once(dash));
            return parts
                .max_by_key(|(_, rest)| rest.len())
                .map(|(_, rest)| rest.trim().to_owned());
        }
        None
    })
}

/// Returns whether the nearest heading of a known kind is one for work to do.
pub fn is_work_heading(segment: &Segment, lang: &Lang) -> bool {
    for (_, heading) in segment.headings.iter().rev() {
        if is_version(heading) {
            return false;
        }
        match kind(heading, lang) {
            Some(Below::Todo) => {
                return !lang.propose.item.someday.contains(&bare(heading).as_str());
            }
            Some(_) => return false,
            None => {}
        }
    }
    false
}

/// Returns the words of a heading without numbers and marks.
pub fn bare(heading: &str) -> String {
    let words: Vec<String> = tokens(heading)
        .into_iter()
        .filter(|t| t.class == Class::Word || t.is("-"))
        .map(|t| t.word)
        .collect();
    words.join(" ").trim_matches(['-', ' ']).to_owned()
}

/// Returns whether an item under such a heading says that it is done or dropped: after its first
/// sentence, in parentheses, after a dash, or as its last word.
fn is_withdrawn(segment: &Segment, rules: &Rules) -> bool {
    let void = |words: &str| pattern::holds(&tokens(words), rules.item.void);
    let Some((first, rest)) = segment.sentences.split_first() else { return false };
    if rest.iter().any(|piece| void(&piece.text)) {
        return true;
    }
    let aside = first.text.find(['(', '—', '–']).or_else(|| first.text.find(" - "));
    if aside.is_some_and(|at| void(&first.text[at..])) {
        return true;
    }
    let last = tokens(&first.text).into_iter().rev().find(|t| t.class == Class::Word);
    last.is_some_and(|last| rules.item.void.contains(&last.word.as_str()))
}

/// Formats an item's title: one line within the limit, without numbering or a trailing "(issue)".
fn tidy(words: &str, statement: &Statement<'_>, rules: &Rules) -> Option<String> {
    let mut title = without_numbering(words).split_whitespace().collect::<Vec<_>>().join(" ");
    // An address was removed from its end.
    if !statement.segment.links.is_empty()
        && title.ends_with([')', '.'])
        && let Some(at) = title.rfind(" (")
        && title[at..].split_whitespace().count() <= 3
    {
        title.truncate(at);
    }
    let title =
        title.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | ';' | ','));
    // "fix <address>": without the address it means nothing.
    let mut title = title.trim().to_owned();
    if !title.contains(' ')
        && let [link] = statement.segment.links.as_slice()
        && link.title.is_empty()
    {
        title = format!("{title} {}", link.url);
    }
    let title = short(&title);
    let title = cut(title, limits::ITEM_TITLE.max).trim().to_owned();
    let is_nothing = rules.item.nothing.contains(&fold(&title).as_str());
    (title.chars().any(char::is_alphabetic) && !is_nothing).then_some(title)
}

/// Cuts a long title at the end of a clause.
fn short(title: &str) -> &str {
    let Some((end, _)) = title.char_indices().nth(TITLE_LONG) else { return title };
    let marks = [", ", " (", "; ", " - ", " – ", " — "];
    let cut = marks.iter().filter_map(|mark| title[..end].rfind(mark)).max();
    cut.filter(|cut| *cut >= TITLE_SHORT).map_or(title, |cut| &title[..cut])
}
