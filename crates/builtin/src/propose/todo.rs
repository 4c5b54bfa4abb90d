//! `TODO` in capitals: a mark of work at the start of any clause, with or without a colon.

use super::statement::Statement;
use super::words::{Class, Token, tokens};
use crate::lang::Lang;
use crate::lang::propose::Rules;

/// Signs after which a clause begins.
const BEFORE: &[&str] = &[":", "-", "–", "—", ";", "(", "[", ",", ".", "!", "?", "|", "/", "→"];

/// Returns the work after each `TODO` of a sentence: "Note 1: TODO call Bo", "(TODO buy screws)".
pub fn after_marks(statement: &Statement<'_>, rules: &Rules) -> Vec<String> {
    works(statement.text, &statement.sentence.tokens, rules)
}

/// The same for a text and its source, with what is before the first mark.
pub fn in_text<'a>(text: &'a str, raw: &str, rules: &Rules) -> Option<(&'a str, Vec<String>)> {
    let works = works(text, &tokens(raw), rules);
    let read = tokens(text);
    let first =
        (0..read.len()).find(|at| is_todo(&read[*at], rules) && opens_clause(&read, *at))?;
    let before = text.get(..read[first].start)?;
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || "([,;:-–—".contains(c));
    (!works.is_empty()).then_some((before, works))
}

fn works(text: &str, source: &[Token], rules: &Rules) -> Vec<String> {
    let tokens = tokens(text);
    // In code and quotations it is a word of others; plain text no longer shows which is which.
    let count = |tokens: &[Token]| tokens.iter().filter(|t| is_todo(t, rules)).count();
    if count(&tokens) != count(source) {
        return Vec::new();
    }
    let marks: Vec<(usize, usize)> = (0..tokens.len())
        .filter(|at| is_todo(&tokens[*at], rules) && opens_clause(&tokens, *at))
        .filter_map(|at| Some((at, work_after(&tokens, at, rules)?)))
        .collect();
    let works = marks.iter().enumerate().filter_map(|(n, (at, first))| {
        let next = marks.get(n + 1).map_or(tokens.len(), |(next, _)| *next);
        let end = closing(&tokens, *at, *first).unwrap_or(next).min(next);
        let start = tokens.get(*first)?.start;
        let words = text.get(start..tokens.get(end).map_or(text.len(), |t| t.start))?;
        let words = words.trim_end_matches(|c: char| c.is_whitespace() || "([,;-–—".contains(c));
        (!words.is_empty()).then(|| words.to_owned())
    });
    works.collect()
}

/// Returns whether a line is work: "TODO call Bo" is, "TODO list" and "TODO next week" are not.
pub fn opens_with_work(line: &str, lang: &Lang) -> bool {
    let tokens = tokens(line);
    let rules = lang.propose;
    let Some(first) = tokens.first().filter(|t| is_todo(t, rules)) else { return false };
    let Some(at) = work_after(&tokens, 0, rules).filter(|_| !line.trim_end().ends_with(':')) else {
        return false;
    };
    let verb = tokens[at].word.as_str();
    let has_thing =
        tokens.get(at + 1).is_some_and(|t| lang.settle.determiners.contains(&t.word.as_str()));
    first.start == 0
        && (lang.report.cues.todo_verbs.contains(&verb)
            || lang.settle.contacts.contains(&verb)
            || has_thing && !lang.stop_words.contains(&verb))
}

fn is_todo(token: &Token, rules: &Rules) -> bool {
    token.capitals
        && token.class == Class::Word
        && rules.item.capitals.contains(&token.word.as_str())
}

/// Returns whether a clause begins there: after a sign, or after nothing but a time.
fn opens_clause(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before]) else { return true };
    let is_sign = before.class == Class::Mark && BEFORE.contains(&before.raw.as_str());
    // "TODO.md" and "a/TODO" are names.
    let is_glued = tokens[at].glued && !matches!(before.raw.as_str(), "(" | "[");
    !is_glued && (is_sign || tokens[..at].iter().all(|t| t.class != Class::Word))
}

/// Returns the first token of the work that a mark names.
fn work_after(tokens: &[Token], at: usize, rules: &Rules) -> Option<usize> {
    let sign = tokens.get(at + 1)?;
    let is_sign = (sign.is(":") || sign.is("]")) && sign.glued
        || matches!(sign.raw.as_str(), "-" | "–" | "—") && !sign.glued;
    let signs = tokens[at + 1..].iter().take_while(|t| t.is(":") || t.is("]")).count();
    let first = at + 1 + if is_sign { signs.max(1) } else { 0 };
    let named = tokens.get(first)?;
    if named.glued || named.class != Class::Word {
        // "TODO: 3 stamps"
        return (is_sign && !named.glued && named.class == Class::Number).then_some(first);
    }
    let word = named.word.as_str();
    let is_talk = rules.negations.contains(&word) || rules.item.talk.contains(&word);
    let has_thing = tokens.get(first + 1).is_some_and(|t| t.class != Class::Mark);
    (is_sign || !is_talk && has_thing && !named.capitals).then_some(first)
}

/// Returns the bracket that closes the one around the mark: "(TODO buy screws) and".
fn closing(tokens: &[Token], at: usize, first: usize) -> Option<usize> {
    let opened = tokens.get(at.checked_sub(1)?)?;
    let close = if opened.is("(") { ")" } else { return None };
    let mut depth = 0;
    (first..tokens.len()).find(|n| {
        if tokens[*n].is("(") {
            depth += 1;
        } else if tokens[*n].is(close) {
            depth -= 1;
        }
        depth < 0
    })
}
