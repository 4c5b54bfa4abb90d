//! The report that a person reads about a task.
//!
//! Does not own: when a report is written, its versions, and the check of its limits on save.
//!
//! Reading order: [`classify`] (with [`heading`] and [`cue`]) turns segments into facts,
//! [`overtake`] drops what later text or the task's boxes settle, [`choose`] keeps what a reader
//! can take in, [`tldr`] and [`link`] write the first and last part, [`unit`] and [`leave_out`]
//! guard each line.

pub mod heading;
pub mod cue;
pub mod fact;
pub mod classify;
pub mod wording;
pub mod overtake;
pub mod choose;
pub mod tldr;
pub mod link;
pub mod coming;
pub mod recent;
pub mod odd_year;
pub mod unit;
pub mod leave_out;

use dormouse_types::agent::DecisionVerdict;
use dormouse_types::change::What;
use dormouse_types::directive::{ReportLength, ReportSection};
use dormouse_types::field_change::{FieldChange, FieldRef};
use dormouse_types::limits;
use dormouse_types::model::Resolution;

use self::choose::Chosen;
use self::coming::Coming;
use self::fact::Fact;
use crate::directive::Style;
use crate::input::Input;
use crate::lang::Lang;
use crate::propose::statement::{Statement, statements};

/// The arguments of `update_report`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// One to three sentences.
    pub tldr: String,
    /// Markdown in sections.
    pub content: String,
    /// Language of the report: the task's, or the detected one.
    pub language: String,
}

/// Units: characters, not counting links.
const CONTENT_MAX: usize = 5_800;
/// Units: characters. A report may always be this long, however short the text.
const CONTENT_LEAST: usize = 1_950;

/// Writes the report of a task.
pub fn report(input: &Input<'_>) -> Report {
    let mut findings = classify::classify(input);
    let statements = statements(input);
    let facts = overtake::settle(input, &mut findings, &statements);
    let mut chosen = choose::choose(input, &findings, facts);
    let tldr = tldr::tldr(input, &findings, &chosen);
    if input.style().length() != Some(ReportLength::Short) {
        let mut coming = coming::coming(input, &statements);
        // What only says "tomorrow" is read on another day.
        coming.retain(|one| !one.is_full || !is_mentioned(&one.text, &tldr, &chosen));
        chosen.coming = coming;
        let mut recent = recent::recent(input);
        let is_odd = |text: &String| {
            let of_text = |statement: &&Statement<'_>| statement.text.starts_with(text.as_str());
            statements
                .iter()
                .filter(of_text)
                .any(|statement| odd_year::meant(input, statement).is_some())
        };
        recent.retain(|text| !is_odd(text));
        let is_ahead = |text: &String| chosen.coming.iter().any(|one| one.text == *text);
        let new = recent
            .into_iter()
            .filter(|text| !is_ahead(text) && !is_mentioned(text, &tldr, &chosen));
        chosen.recent = recent::first(new.collect());
    }
    let links = link::links(input, &chosen.left, &chosen.done);
    shorten(&mut chosen, room(input), input.lang, input.style());
    let prose = sections(&chosen, input.lang, input.style());
    let mut content = prose.join("\n\n");
    if !links.is_empty() {
        let head = headline("🔗", input.lang.report.say.links, input.style());
        let room = limits::REPORT.max.saturating_sub(content.len() + head.len() + 64);
        let lines = link::lines(&links, room, input.lang);
        if !content.is_empty() {
            content.push_str("\n\n");
        }
        content.push_str(&format!("{head}\n\n{}", lines.join("\n")));
    }
    if content.is_empty() {
        // Hardly anything is known: the TLDR is the whole report.
        content.clone_from(&tldr);
    }
    Report { tldr, content, language: input.language.clone() }
}

/// Returns whether the report says a sentence elsewhere.
fn is_mentioned(text: &str, tldr: &str, chosen: &Chosen) -> bool {
    let facts = chosen.done.iter().chain(&chosen.left).chain(&chosen.learned).chain(&chosen.open);
    facts.map(|fact| fact.text.as_str()).any(|other| choose::is_in_both(text, other))
        || choose::is_part_of(text, tldr)
}

/// Returns whether anything changed that a report would mention: in the journal, or through a
/// proposal the person accepted since the last report.
pub fn is_material(input: &Input<'_>) -> bool {
    let reported_at = input.instruction.last_report.as_ref().map(|report| report.at);
    let accepted = input.ledger.decisions.iter().any(|decided| {
        decided.verdict == Resolution::Decided(DecisionVerdict::Confirmed)
            && reported_at.is_none_or(|at| decided.at > at)
    });
    accepted || has_material_change(input)
}

fn has_material_change(input: &Input<'_>) -> bool {
    input.delta.changes.iter().any(|change| match &change.what {
        What::TaskDeleted | What::TaskRestored | What::EntryFlagged { .. } => false,
        // What a person marks as starred or private changes nothing that a report says.
        What::FieldSet(FieldChange { field: FieldRef::Starred | FieldRef::Private, .. }) => false,
        What::TaskCreated { .. }
        | What::FieldSet(_)
        | What::ItemAdded { .. }
        | What::ItemChecked { .. }
        | What::ItemRenamed { .. }
        | What::ItemArchived { .. }
        | What::ItemMoved { .. }
        | What::EntryAdded { .. }
        | What::EntryEdited { .. }
        | What::EntryDeleted { .. }
        | What::EntryRestored { .. }
        | What::LabelAdded { .. }
        | What::LabelRemoved { .. }
        | What::LinkAdded { .. }
        | What::LinkRemoved { .. }
        | What::Unknown => true,
    })
}

/// Returns the room for a report, which is always shorter than its source.
fn room(input: &Input<'_>) -> usize {
    let n_chars: usize = input.state.entries.iter().map(|entry| entry.text.chars().count()).sum();
    let room = (n_chars * 55 / 100).clamp(CONTENT_LEAST, CONTENT_MAX);
    match input.style().length() {
        Some(ReportLength::Short) => room / 2,
        Some(ReportLength::Long) | None => room,
    }
}

fn sections(chosen: &Chosen, lang: &Lang, style: Style<'_>) -> Vec<String> {
    let say = &lang.report.say;
    let texts = |facts: &[Fact]| facts.iter().map(|fact| fact.text.clone()).collect::<Vec<_>>();
    let done = chosen.done.iter().map(dated).collect();
    let ahead = |one: &Coming| {
        let day = one.day.to_string();
        if one.text.contains(&day) { one.text.clone() } else { format!("{day}: {}", one.text) }
    };
    let mut sections = Vec::new();
    let mut add = |emoji: &str, title: &str, mark: &str, lines: &[String]| {
        if !lines.is_empty() {
            let lines: Vec<String> = lines.iter().map(|line| format!("{mark}{line}")).collect();
            sections.push(format!("{}\n\n{}", headline(emoji, title, style), lines.join("\n")));
        }
    };
    if style.first().is_none() {
        add("🆕", say.recent, "- ", &chosen.recent);
        add("📅", say.coming, "- ", &chosen.coming.iter().map(ahead).collect::<Vec<_>>());
    }
    let mut all = [
        (ReportSection::Achieved, "✅", say.achieved, "- ", done),
        (ReportSection::Left, "📌", say.left, "- [ ] ", texts(&chosen.left)),
        (ReportSection::Learned, "💡", say.learned, "- ", texts(&chosen.learned)),
        (ReportSection::Questions, "❓", say.open, "- ", texts(&chosen.open)),
    ];
    all.sort_by_key(|(section, ..)| style.first() != Some(*section));
    for (section, emoji, title, mark, lines) in all {
        if style.has(section) {
            add(emoji, title, mark, &lines);
        }
    }
    if style.first().is_some() {
        add("🆕", say.recent, "- ", &chosen.recent);
        add("📅", say.coming, "- ", &chosen.coming.iter().map(ahead).collect::<Vec<_>>());
    }
    sections
}

/// A section without a title is named by its sign, whatever the style.
fn headline(emoji: &str, title: &str, style: Style<'_>) -> String {
    if title.is_empty() {
        return format!("## {emoji}");
    }
    if style.has_emojis() { format!("## {emoji} {title}") } else { format!("## {title}") }
}

/// Adds the day or version to finished work, unless its words already contain it.
fn dated(fact: &Fact) -> String {
    let version = fact.group.as_deref().filter(|group| heading::is_version(group));
    let place = match (version, &fact.stamp) {
        (Some(version), _) => Some(unit::cut(version.trim_matches(['[', ']']), 40)),
        (None, Some(stamp)) => Some(stamp.clone()),
        (None, None) => None,
    };
    match place.filter(|place| !fact.text.contains(place.as_str())) {
        Some(place) => {
            let place = place.replace(['[', ']', ')'], "").replace(" (", ", ");
            format!("{} ({place})", unit::without_stop(&fact.text))
        }
        None => fact.text.clone(),
    }
}

/// Drops the least informative units, then shortens the rest, until the prose fits.
fn shorten(chosen: &mut Chosen, room: usize, lang: &Lang, style: Style<'_>) {
    let size = |chosen: &Chosen| sections(chosen, lang, style).join("\n\n").chars().count();
    while size(chosen) > room {
        let long = |facts: &[Fact], keep: usize| facts.len() > keep;
        if chosen.recent.len() > 2 {
            chosen.recent.pop();
        } else if long(&chosen.done, 6) {
            drop_least(&mut chosen.done);
        } else if long(&chosen.learned, 6) {
            drop_least(&mut chosen.learned);
        } else if long(&chosen.open, 3) {
            drop_least(&mut chosen.open);
        } else if long(&chosen.left, 12) {
            chosen.left.pop();
        } else {
            break;
        }
    }
    let mut most = unit::UNIT_MAX;
    while size(chosen) > room && most > 60 {
        most -= 20;
        for fact in [&mut chosen.done, &mut chosen.left, &mut chosen.learned, &mut chosen.open]
            .into_iter()
            .flatten()
        {
            fact.text = unit::cut(&fact.text, most);
        }
    }
}

fn drop_least(facts: &mut Vec<Fact>) {
    let least =
        facts.iter().enumerate().min_by_key(|(at, fact)| (fact.weight, std::cmp::Reverse(*at)));
    if let Some((at, _)) = least {
        facts.remove(at);
    }
}
