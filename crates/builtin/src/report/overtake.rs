//! Later statements override earlier ones; the task's own boxes are the strongest evidence.

use dormouse_types::model::Item;
use jiff::civil::Date;

use super::classify::{Evidence, Findings, Turn, order_of_entry};
use super::cue::CueText;
use super::fact::{Fact, Kind, Source, names_agree, same};
use super::odd_year;
use crate::input::Input;
use crate::lang::Lang;
use crate::propose::day::Reading;
use crate::propose::due;
use crate::propose::statement::Statement;
use crate::propose::tick::{Reports, contested};
use crate::propose::value::Stated as Value;
use crate::read::{fold, inline};
use crate::settle::Settlements;
use crate::settle::phrase::same_stem;
use crate::settle::title_terms::TitleTerms;

/// Returns the facts that still hold, including the task's items.
pub fn settle(
    input: &Input<'_>,
    findings: &mut Findings,
    statements: &[Statement<'_>],
) -> Vec<Fact> {
    let mut facts = std::mem::take(&mut findings.facts);
    newest(&mut findings.evidence);
    facts.retain(|fact| !is_overtaken(fact, &findings.evidence, input.lang));
    facts.retain({
        let listed: Vec<usize> = listed_entries(&facts);
        move |fact| {
            fact.source != Source::WeakCue
                || fact.entry.is_none_or(|entry| !listed.contains(&entry))
        }
    });
    let mut all = Vec::with_capacity(facts.len() + input.state.items.len());
    let deadline = due::stated(input, statements);
    facts.retain(|fact| !is_old_deadline(input, fact, statements, deadline.as_ref()));
    let reports = Reports::of(input, statements);
    let contested = contested(input, &reports);
    // What the text says is done of the list, and in which entry.
    let mut settled: Vec<(TitleTerms, usize)> = Vec::new();
    for item in input.state.items.iter().filter(|item| !item.is_checked && !item.is_archived) {
        let ticked = contested.iter().find(|tick| tick.item.id == item.id);
        let entry = ticked.and_then(|tick| entry_of(input, &tick.evidence.entry));
        let dropped =
            || reports.settlements.dropped(&item.title).map(|cue_text| cue_text.segment.entry);
        if let Some(entry) = entry.or_else(dropped) {
            settled.push((TitleTerms::of(&item.title, input.lang), entry));
        }
    }
    facts.retain(|fact| !is_rest_of(fact, &settled, input.lang));
    leave_over(input, &mut facts, &reports.settlements, &settled);
    doubt_years(input, &mut facts, statements);
    for fact in &mut facts {
        if is_overdue(input, fact, statements) {
            let text = super::unit::cut(super::unit::without_stop(&fact.text), 140);
            fact.kind = Kind::Open;
            fact.text = input.lang.report.say.day_passed.replace("{text}", &text);
        }
    }
    for item in input.state.items.iter().filter(|item| !item.is_archived) {
        let tick = contested.iter().find(|tick| tick.item.id == item.id);
        let fact = of_item(input, item);
        let dropped = if item.is_checked { None } else { reports.settlements.dropped(&item.title) };
        // What the text says is done becomes a question, what it drops a decision.
        all.push(match (tick, dropped) {
            (Some(tick), _) => held_against(input, &tick.evidence.quote, fact),
            (None, Some(dropped)) => {
                let text = dropped.text.to_owned();
                Fact { kind: Kind::Learned, entry: Some(dropped.segment.entry), text, ..fact }
            }
            (None, None) => fact,
        });
    }
    let n_items = all.len();
    for fact in facts {
        let of_same = all[..n_items].iter_mut().find(|item| item.is_same(&fact));
        let kind_of_same = of_same.map(|item| {
            item.is_half |= fact.is_half;
            // A box in the text is the item itself; a sentence that contradicts the item is
            // reported too.
            if item.kind == Kind::Learned {
                Kind::Done
            } else if !item.is_half
                && item.kind == Kind::Left
                && fact.source != Source::Box
                && fact.kind == Kind::Done
            {
                // List and text disagree: the item is shown after the others.
                item.is_contested = true;
                Kind::Open
            } else {
                item.kind
            }
        });
        match (fact.kind, kind_of_same) {
            (Kind::Left, Some(Kind::Done)) => all.extend(requested_again(input, &fact)),
            // The list already says so.
            (Kind::Left, Some(Kind::Left | Kind::Open))
            | (Kind::Done, Some(Kind::Left | Kind::Done)) => {}
            (Kind::Learned | Kind::Open, _) | (Kind::Left | Kind::Done, _) => all.push(fact),
        }
    }
    all
}

/// Returns the position of an entry.
fn entry_of(input: &Input<'_>, id: &str) -> Option<usize> {
    input.state.entries.iter().position(|entry| entry.id.to_string() == id)
}

/// Returns whether a line only says what an item of the list lacked, which a later note says is done:
/// "measured for the plan, not the terrace yet", then "plan: finished".
fn is_rest_of(fact: &Fact, settled: &[(TitleTerms, usize)], lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    let is_cue = matches!(fact.source, Source::Cue | Source::WeakCue);
    if fact.kind != Kind::Left || !is_cue || !CueText::new(&fact.text, lang).has(cues.yet) {
        return false;
    }
    settled.iter().any(|(item, entry)| {
        fact.entry.is_some_and(|cue_text| cue_text < *entry)
            && item.thing.last().is_some_and(|head| fact.words.contains(head))
    })
}

/// Number of open lines, newest first, that later notes are compared with.
const OPEN_MAX: usize = 200;

/// Leaves out the open work of earlier notes that a later note settles, and lines that only say how
/// far an item of the list is.
fn leave_over(
    input: &Input<'_>,
    facts: &mut Vec<Fact>,
    settlements: &Settlements<'_>,
    settled: &[(TitleTerms, usize)],
) {
    let lang = input.lang;
    let items = input.state.items.iter().filter(|item| !item.is_checked && !item.is_archived);
    let items: Vec<TitleTerms> = items.map(|item| TitleTerms::of(&item.title, lang)).collect();
    let is_open = |fact: &Fact| fact.kind == Kind::Left && fact.source != Source::Item;
    let open: Vec<(usize, TitleTerms)> = (0..facts.len())
        .rev()
        .filter(|at| is_open(&facts[*at]))
        .take(OPEN_MAX)
        .map(|at| (at, TitleTerms::of_request(&facts[at].text, lang)))
        .collect();
    let newest = input.state.entries.len().saturating_sub(1);
    let mut over = Vec::new();
    for (at, terms) in &open {
        let Some(entry) = facts[*at].entry.filter(|entry| *entry < newest) else { continue };
        let is_settled =
            |other: &TitleTerms| settled.iter().any(|(done, _)| done.words == other.words);
        let same = |other: &&TitleTerms| other.words != terms.words && !is_settled(other);
        let others: Vec<&TitleTerms> =
            open.iter().map(|(_, other)| other).chain(&items).filter(same).collect();
        if settlements.ended(terms, entry, &others).is_some() {
            over.push(*at);
        }
    }
    // "Waiting for their approval" says no more than the item "cost plan approved".
    let is_goal_of = |awaited: &[String]| {
        let [thing] = awaited else { return false };
        items.iter().any(|item| {
            item.goal.is_some() && item.words.last().is_some_and(|goal| same_stem(goal, thing))
        })
    };
    for (at, terms) in &open {
        if terms.awaited.as_deref().is_some_and(is_goal_of) {
            over.push(*at);
        }
    }
    for fact in facts.iter_mut().filter(|fact| is_open(fact)) {
        // "Hostels: two booked, one still missing" says how far an item is; the item is on the list.
        let label = fact.text.split_once(": ").filter(|(label, rest)| {
            label.split(' ').count() <= 4 && !CueText::new(rest, lang).is_request(lang)
        });
        let words = label.map(|(label, _)| fold::content_words(label, lang)).unwrap_or_default();
        let is_cue = matches!(fact.source, Source::Cue | Source::WeakCue);
        if is_cue && !words.is_empty() && items.iter().any(|item| item.begins_with(&words)) {
            fact.kind = Kind::Learned;
        }
    }
    let mut at = 0;
    facts.retain(|_| {
        at += 1;
        !over.contains(&(at - 1))
    });
}

/// Returns whether something to do, or to know, is only the deadline that the task had before the
/// person moved it.
fn is_old_deadline(
    input: &Input<'_>,
    fact: &Fact,
    statements: &[Statement<'_>],
    deadline: Option<&Value<jiff::civil::Date>>,
) -> bool {
    let Some(segment) = fact.segment.and_then(|at| input.segments.get(at)) else { return false };
    matches!(fact.kind, Kind::Left | Kind::Learned)
        && fact.source != Source::Box
        && statements.iter().any(|statement| {
            std::ptr::eq(statement.segment, segment)
                && statement.text.contains(fact.text.trim_end_matches('.'))
                && (due::is_overruled(input, statement)
                    || deadline.is_some_and(|newest| due::is_older(input, statement, newest)))
        })
}

/// Asks about days of the newest note whose year is probably a slip, and claims nothing of them.
fn doubt_years(input: &Input<'_>, facts: &mut Vec<Fact>, statements: &[Statement<'_>]) {
    let newest = input.state.entries.len().saturating_sub(1);
    for statement in statements {
        let Some(year) = odd_year::meant(input, statement) else { continue };
        let of_statement = |fact: &Fact| {
            fact.segment.and_then(|at| input.segments.get(at)).is_some_and(|segment| {
                std::ptr::eq(statement.segment, segment)
                    && statement.text.contains(fact.text.trim_end_matches('.'))
            })
        };
        facts.retain(|fact| !of_statement(fact));
        if statement.segment.entry == newest {
            let text = super::unit::cut(super::unit::without_stop(statement.text), 140);
            let ask = input.lang.report.say.odd_year.replace("{text}", &text);
            facts.push(Fact {
                kind: Kind::Open,
                source: Source::Cue,
                words: fold::content_words(statement.text, input.lang),
                text: ask.replace("{year}", &year.to_string()),
                order: order_of_entry(newest),
                weight: 3,
                stamp: None,
                group: None,
                segment: None,
                entry: Some(newest),
                is_half: false,
                is_contested: false,
            });
        }
    }
}

/// Returns whether open work of an earlier note has a day that has passed, and no note says whether it was done.
fn is_overdue(input: &Input<'_>, fact: &Fact, statements: &[Statement<'_>]) -> bool {
    let newest = input.state.entries.len().saturating_sub(1);
    let Some(segment) = fact.segment.and_then(|at| input.segments.get(at)) else { return false };
    if fact.kind != Kind::Left
        || fact.source == Source::Box
        || fact.entry.is_none_or(|entry| entry >= newest)
    {
        return false;
    }
    statements.iter().any(|statement| {
        let days: Option<Vec<Date>> = statement
            .sentence
            .days
            .values()
            .map(|mention| match mention.reading {
                Reading::Day(day) => Some(day),
                Reading::Unclear => None,
            })
            .collect();
        let last = days.and_then(|days| days.into_iter().max());
        last.is_some_and(|day| day < input.instruction.today && day >= statement.on)
            && std::ptr::eq(statement.segment, segment)
            && statement.text.contains(fact.text.trim_end_matches('.'))
    })
}

/// Maximum number of sentences compared with others; the newest are kept.
const EVIDENCE_MAX: usize = 500;

/// Keeps the newest sentences, in order. Comparing all pairs of a long text would take too long.
fn newest(evidence: &mut Vec<Evidence>) {
    if evidence.len() > EVIDENCE_MAX {
        let mut orders: Vec<i64> = evidence.iter().map(|one| one.order).collect();
        orders.sort_unstable();
        let least = orders[orders.len() - EVIDENCE_MAX];
        evidence.retain(|one| one.order >= least);
    }
}

/// Returns the entries in which a list or a heading names the work.
fn listed_entries(facts: &[Fact]) -> Vec<usize> {
    facts
        .iter()
        .filter(|fact| {
            fact.kind == Kind::Left && matches!(fact.source, Source::Box | Source::Heading)
        })
        .filter_map(|fact| fact.entry)
        .collect()
}

fn is_overtaken(fact: &Fact, evidence: &[Evidence], lang: &Lang) -> bool {
    evidence.iter().any(|later| {
        if Some(later.segment) == fact.segment || later.order <= fact.order {
            return false;
        }
        if later.turn == Turn::Withdrawn && is_named_as_replaced(fact, later, lang) {
            return true;
        }
        match (fact.kind, later.turn) {
            (Kind::Left | Kind::Open, Turn::Done) => is_done_by(&fact.words, later),
            (Kind::Left | Kind::Open, Turn::Withdrawn) => {
                let shared = shared_terms(&fact.words, &later.words);
                shared >= 4 || shared >= 2 && fold::overlap(&fact.words, &later.words) >= 0.6
            }
            // Only statements about a failure; other work remains.
            (Kind::Left | Kind::Open, Turn::AllClear) => {
                CueText::new(&fact.text, lang).has(lang.report.cues.failing)
            }
            (Kind::Learned, Turn::Withdrawn) => {
                let workaround = lang.report.cues.workaround;
                CueText::new(&fact.text, lang).has(workaround)
                    && CueText::new(&later.text, lang).has(workaround)
            }
            (Kind::Learned, Turn::Corrected) => {
                shared_terms(&fact.words, &later.words) >= 2
                    && fold::overlap(&fact.words, &later.words) >= 0.5
            }
            // "Corrected figure 16,450" takes the place of "figure arrived, 23,870".
            (Kind::Done, Turn::Corrected) => shared_terms(&fact.words, &later.words) >= 2,
            (Kind::Done, Turn::Undone) => {
                let shared = shared_terms(&fact.words, &later.words);
                shared >= 2 && fold::overlap(&fact.words, &later.words) >= 0.34
            }
            _ => false,
        }
    })
}

/// Returns whether a sentence such as "ignore Q-3307" names a fact by its number.
fn is_named_as_replaced(fact: &Fact, later: &Evidence, lang: &Lang) -> bool {
    let cue_text = CueText::new(&later.text, lang);
    let is_number = |word: &&String| word.chars().filter(char::is_ascii_digit).count() >= 3;
    cue_text.has(lang.report.cues.replaced)
        && cue_text.n_words() <= 6
        && later.words.iter().filter(is_number).any(|number| fact.words.contains(number))
}

/// Returns how many words two texts share; numbers can separate two texts but do not connect them.
fn shared_terms(one: &[String], other: &[String]) -> usize {
    let is_term = |word: &&String| word.chars().any(char::is_alphabetic);
    one.iter().filter(is_term).filter(|word| other.contains(word)).count()
}

/// Returns whether a sentence says that work is finished: it shares the work's verb or says "done",
/// and shares at least two words and half of the shorter text.
fn is_done_by(terms: &[String], later: &Evidence) -> bool {
    let verb = terms.iter().find(|word| word.chars().any(char::is_alphabetic));
    let names_verb = verb.is_some_and(|verb| later.words.contains(verb));
    let names_all = terms.len() >= 2 && terms.iter().all(|word| later.words.contains(word));
    (names_all || shared_terms(terms, &later.words) >= 2.min(terms.len().max(1)))
        && (names_verb || later.is_general)
        && fold::overlap(terms, &later.words) >= 0.5
        && names_agree(terms, &later.words)
}

/// Turns an item of the task into a fact.
fn of_item(input: &Input<'_>, item: &Item) -> Fact {
    let text = item_text(&item.title);
    let seen = input
        .state
        .entries
        .iter()
        .filter(|entry| item.checked_at.is_some_and(|at| entry.created_at <= at))
        .count();
    Fact {
        kind: if item.is_checked { Kind::Done } else { Kind::Left },
        source: Source::Item,
        words: fold::content_words(&text, input.lang),
        text,
        order: order_of_entry(seen),
        weight: 4,
        stamp: None,
        group: None,
        segment: None,
        entry: None,
        is_half: false,
        is_contested: false,
    }
}

/// Returns the words of an item's title.
pub fn item_text(title: &str) -> String {
    let read = inline::read(title);
    if read.text.chars().any(char::is_alphanumeric) {
        return read.text;
    }
    read.links.first().map_or_else(|| title.to_owned(), |link| super::link::place(&link.url))
}

/// Turns an open box whose work the text says is done into a question.
fn held_against(input: &Input<'_>, quote: &str, fact: Fact) -> Fact {
    let quote = inline::read(quote).text;
    let text = input
        .lang
        .report
        .say
        .box_against_text
        .replace("{item}", &fact.text)
        .replace("{text}", &super::unit::cut(&quote, 120));
    Fact { kind: Kind::Open, group: Some(fact.text), text, is_contested: true, ..fact }
}

/// Finds a ticked item whose work is requested by text written after the tick.
fn requested_again(input: &Input<'_>, fact: &Fact) -> Option<Fact> {
    let entry = input.state.entries.get(fact.entry?)?;
    let item = input.state.items.iter().find(|item| {
        item.is_checked
            && same(&fold::content_words(&item_text(&item.title), input.lang), &fact.words, 0.8)
    })?;
    if item.checked_at.is_none_or(|at| at >= entry.created_at) {
        return None;
    }
    let text = input
        .lang
        .report
        .say
        .text_against_box
        .replace("{item}", &item_text(&item.title))
        .replace("{text}", &super::unit::cut(&fact.text, 120));
    Some(Fact { kind: Kind::Open, text, ..fact.clone() })
}
