//! The few sentences at the top of the report.

use dormouse_types::Id as _;
use dormouse_types::change::What;
use dormouse_types::directive::ReportTone;
use dormouse_types::field_change::FieldChange;
use dormouse_types::task::Status;

use super::choose::Chosen;
use super::classify::Findings;
use super::cue::{CueText, after_label};
use super::fact::{Fact, Kind, Source, same};
use super::unit::{cut, finish, without_stop};
use crate::input::Input;
use crate::read::fold;
use crate::read::line::opens_with_label;
use crate::read::sentence::keeps_stop;

/// Units: characters.
const TLDR_MAX: usize = 400;
/// Number of boxes up to which a clear sentence says more than their count.
const SHORT_LIST: usize = 12;

/// Writes the state with its figures, what changed, and what is next.
pub fn tldr(input: &Input<'_>, findings: &Findings, chosen: &Chosen) -> String {
    let say = &input.lang.report.say;
    let state = input.state;
    let is_over = state.status.is_terminal();
    let reason = state.status_reason.as_deref().and_then(|reason| finish(reason, 110, input.lang));
    let mut parts: Vec<String> = Vec::new();
    parts.extend(news(input, chosen));
    match state.status {
        Status::Blocked => parts.push(reasoned(reason, say.blocked, say.blocked_bare)),
        Status::OnHold => parts.push(reasoned(reason, say.on_hold, say.on_hold_bare)),
        Status::Done => parts.push(say.closed.to_owned()),
        Status::Rejected => parts.push(say.dropped.to_owned()),
        Status::Open | Status::Groomed | Status::InProgress => {}
    }
    let next = (!is_over).then(|| next(input, chosen)).flatten();
    let style = input.style();
    let room = style.summary_sentences().saturating_sub(usize::from(next.is_some()));
    let nothing = input.segments.is_empty() && input.state.items.is_empty();
    let progress = if is_over { None } else { progress_line(input, findings, chosen) };
    // Without rules for its language, a text is best told by its own newest sentence.
    if !input.lang.has_rules() && parts.is_empty() {
        parts.extend(opening(input).find_map(|text| finish(text, 220, input.lang)));
    }
    parts.extend(progress.clone().filter(|text| is_new(text, &parts, input)));
    if parts.len() < room {
        let mut stated_already = parts.clone();
        stated_already.extend(chosen.left.first().map(|first| first.text.clone()));
        let about =
            about(input, findings, chosen).find(|text| is_new(text, &stated_already, input));
        // The beginning of the newest entry is only a last resort.
        let opening = || opening(input).filter_map(|text| finish(text, 150, input.lang));
        let first = || {
            opening().map(|text| capital(&text)).find(|text| is_new(text, &stated_already, input))
        };
        parts.extend(about.or_else(|| if parts.is_empty() { first() } else { None }));
    }
    if parts.is_empty() && (room > 0 || next.is_none()) {
        let bare = if nothing { say.nothing_yet } else { say.nothing_done };
        let is_wordless = bare.is_empty() && next.is_none();
        parts.push(if is_wordless { cut(&state.title, 150) } else { bare.to_owned() });
    }
    parts.retain(|part| !part.is_empty());
    match style.tone() {
        // What was achieved comes before what is merely new.
        Some(ReportTone::Encouraging) => {
            let ticked = (!is_over && chosen.n_ticked > 0).then(|| boxes(input, chosen));
            if let Some(achieved) = ticked.or(progress) {
                parts.retain(|part| *part != achieved);
                parts.insert(0, say.praise.replace("{what}", &achieved));
            }
            parts.truncate(room);
            parts.extend(next);
        }
        Some(ReportTone::Direct) => {
            parts.truncate(room);
            parts.splice(0..0, next);
        }
        Some(ReportTone::Factual) | None => {
            parts.truncate(room);
            parts.extend(next);
        }
    }
    let emoji = match state.status {
        Status::Blocked => "🚧",
        Status::OnHold => "⏸️",
        Status::Done => "🎉",
        Status::Rejected => "📦",
        Status::Open | Status::Groomed | Status::InProgress => {
            match (&chosen.done[..], chosen.n_left) {
                ([], _) => "🌱",
                (_, 0) if chosen.n_boxes > 0 && chosen.n_ticked == chosen.n_boxes => "🎉",
                (_, 0) => "👍",
                _ => "💪",
            }
        }
    };
    join(parts, style.has_emojis().then_some(emoji))
}

/// Joins sentences within the limit, keeping each whole.
fn join(parts: Vec<String>, emoji: Option<&str>) -> String {
    let mut parts: Vec<String> = parts.iter().map(|part| one_sentence(part)).collect();
    let length = |parts: &[String]| -> usize {
        parts.iter().map(|part| part.chars().count() + 1).sum::<usize>()
            + emoji.map_or(0, |emoji| emoji.chars().count())
    };
    let mut most = 220;
    while length(&parts) > TLDR_MAX && most > 60 {
        most -= 20;
        parts = parts.iter().map(|part| one_sentence(&cut(part, most))).collect();
    }
    parts.extend(emoji.map(str::to_owned));
    parts.join(" ")
}

/// Turns any text into one sentence with one full stop. A full stop that belongs to its word stays.
fn one_sentence(text: &str) -> String {
    let text = without_stop(text.trim());
    let mut line = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = matches!(c, '.' | '!' | '?' | '…');
        let mut ahead = chars.clone().map(|(_, next)| next);
        let after = ahead.find(|next| {
            !matches!(next, '.' | '!' | '?' | '…' | '"' | '\'' | ')' | ']' | '”' | '»')
        });
        let is_of_word =
            c == '.' && after.is_some() && keeps_stop(&text[..at], &text[at + c.len_utf8()..]);
        let breaks = ends && !is_of_word && after.is_none_or(char::is_whitespace);
        match (breaks, after) {
            (true, Some(_)) => {
                // A sentence within a sentence continues after a semicolon.
                if !line.ends_with(';') {
                    line.push(';');
                }
            }
            (true, None) if c == '…' => line.push('…'),
            (true, None) => {}
            (false, _) => line.push(c),
        }
    }
    let line = line.replace(";)", ")").replace(";;", ";");
    let line = line.trim_end_matches([';', ',', ':', ' ']);
    let is_ended = line.ends_with(['…', '。', '！', '？', '؟', '।']);
    if is_ended { line.to_owned() } else { format!("{line}.") }
}

fn reasoned(reason: Option<String>, with: &str, bare: &str) -> String {
    reason.map_or_else(|| bare.to_owned(), |reason| with.replace("{reason}", without_stop(&reason)))
}

/// Returns how far the task is: its boxes, or else the newest finished work.
fn progress_line(input: &Input<'_>, findings: &Findings, chosen: &Chosen) -> Option<String> {
    let say = &input.lang.report.say;
    let is_numbered = |version: &&String| version.chars().any(|c| c.is_ascii_digit());
    if let Some(newest) = findings.versions.iter().find(is_numbered)
        && findings.is_change_log
    {
        let n_versions = findings.versions.iter().filter(is_numbered).count();
        let text = say.versions.replace("{n}", &n_versions.to_string());
        return Some(text.replace("{version}", &cut(&newest.replace(['[', ']'], ""), 60)));
    }
    if chosen.n_boxes > 1 && chosen.n_ticked == chosen.n_boxes {
        return Some(say.all_boxes.replace("{all}", &chosen.n_boxes.to_string()));
    }
    let is_state = chosen.done.iter().any(|fact| fact.source == Source::Cue && fact.weight >= 3);
    if chosen.n_ticked > 0 && (!is_state || chosen.n_boxes > SHORT_LIST) {
        return Some(boxes(input, chosen));
    }
    // A finished item is worded as work; a sentence says what came of it.
    let is_marked = |fact: &&Fact| matches!(fact.source, Source::Heading | Source::Cue);
    let firmest = chosen.done.iter().filter(is_marked).map(|fact| fact.weight).max();
    let Some(firmest) = firmest else {
        let last = chosen.done.first().filter(|_| chosen.n_ticked == 0)?;
        return Some(capital(&cut(&last.text, 150)));
    };
    let firm = || chosen.done.iter().filter(is_marked).filter(|fact| fact.weight + 1 >= firmest);
    let leans = |fact: &&Fact| {
        let cue_text = CueText::new(&fact.text, input.lang);
        cue_text.begins_with(input.lang.report.cues.leaning) || cue_text.n_words() < 4
    };
    let newest = firm().find(|fact| !leans(fact)).or_else(|| firm().next())?;
    Some(capital(&cut(&newest.text, 150)))
}

fn boxes(input: &Input<'_>, chosen: &Chosen) -> String {
    let text = input.lang.report.say.boxes.replace("{done}", &chosen.n_ticked.to_string());
    text.replace("{all}", &chosen.n_boxes.to_string())
}

/// Returns whether a sentence adds something to the others.
fn is_new(text: &str, stated_already: &[String], input: &Input<'_>) -> bool {
    let plain =
        |text: &str| fold::fold(text).trim_end_matches(['.', '!', ';', ' ', '…']).to_owned();
    let (one, words) = (plain(text), fold::content_words(text, input.lang));
    stated_already.iter().all(|other| {
        let other_words = fold::content_words(other, input.lang);
        let other = plain(other);
        let is_same = words.len().min(other_words.len()) >= 3 && same(&words, &other_words, 0.8);
        !other.contains(&one) && !one.contains(&other) && !is_same
    })
}

/// Returns what the text says about itself in short, best first: what blocks the work, its summary,
/// its insights.
fn about(input: &Input<'_>, findings: &Findings, chosen: &Chosen) -> impl Iterator<Item = String> {
    let mut insights: Vec<&Fact> = chosen.learned.iter().collect();
    insights.sort_by_key(|fact| (std::cmp::Reverse(fact.weight), fact.segment));
    let lang = input.lang;
    let cues = &lang.report.cues;
    // A sentence can say what blocks all work; a waiting item is only one of several.
    let marked = chosen.left.iter().filter(|fact| fact.source == Source::Cue);
    let waits = marked.map(|fact| fact.text.as_str()).filter(|text| {
        after_label(text, cues.blocked_labels).is_some()
            || CueText::new(text, lang).has(cues.blocked)
    });
    let tells = |text: &&String| CueText::new(text, lang).n_words() >= 5 && !opens_with_label(text);
    // In a changelog the summary is about the file; its newest version says more.
    let newest = findings.is_change_log.then(|| {
        chosen.done.iter().find(|fact| {
            fact.group.as_ref().is_some_and(|group| group.contains(|c: char| c.is_ascii_digit()))
        })
    });
    let newest = newest.flatten().map(|fact| fact.text.as_str());
    waits
        .chain(newest)
        .chain(findings.summary.iter().rev().find(tells).map(String::as_str))
        .chain(insights.into_iter().map(|fact| fact.text.as_str()))
        .filter_map(|text| finish(text, 150, input.lang))
        .map(|text| capital(&text))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Returns the sentences of the newest entry that name no work, as a last resort.
fn opening<'a>(input: &'a Input<'_>) -> impl Iterator<Item = &'a str> {
    let newest = input.segments.last().map(|last| last.entry);
    let lang = input.lang;
    let labels = lang.report.cues.todo_labels;
    input
        .segments
        .iter()
        .filter(move |segment| {
            Some(segment.entry) == newest
                && !segment.quoted
                && segment.kind == crate::read::Kind::Sentence
        })
        .map(|segment| segment.body())
        .filter(move |text| {
            let cue_text = CueText::new(text, lang);
            let is_work = cue_text.is_request(lang) || cue_text.has(lang.report.cues.todo);
            text.contains([' ', '、', '。']) && after_label(text, labels).is_none() && !is_work
        })
}

/// Returns how much is open and what comes first, with its due date.
fn next(input: &Input<'_>, chosen: &Chosen) -> Option<String> {
    let say = &input.lang.report.say;
    let due = input.state.due_on.map(|day| say.due.replace("{day}", &day.to_string()));
    let Some(first) = chosen.left.first() else {
        if let Some(first) = chosen.contested.first() {
            let n = chosen.contested.len();
            let template = if n == 1 { say.one_contested } else { say.n_contested };
            let text = template.replace("{n}", &n.to_string()).replace("{first}", &cut(first, 110));
            return Some(due.map_or_else(|| text.clone(), |due| format!("{text}, {due}")));
        }
        // Only a ticked-off list can say that nothing is open.
        let calm = (chosen.n_ticked > 0).then(|| say.nothing_open.to_owned());
        return match (calm, due) {
            (Some(calm), Some(due)) => Some(format!("{calm}, {due}")),
            (calm, due) => calm.or(due.map(|due| capital(&due))),
        };
    };
    let n = chosen.n_left.max(chosen.left.len());
    let first = cut(&first.text, 110);
    let text = if chosen.left[0].is_contested {
        let template = if n == 1 { say.one_contested } else { say.n_contested };
        template.replace("{n}", &n.to_string()).replace("{first}", &first)
    } else if n == 1 {
        say.one_open.replace("{first}", &first)
    } else {
        say.n_open.replace("{n}", &n.to_string()).replace("{first}", &first)
    };
    Some(due.map_or_else(|| text.clone(), |due| format!("{text}, {due}")))
}

/// Returns what happened since the last report.
fn news(input: &Input<'_>, chosen: &Chosen) -> Option<String> {
    let say = &input.lang.report.say;
    input.instruction.last_report.as_ref()?;
    let what = input
        .delta
        .changes
        .iter()
        .rev()
        .find_map(|change| newest_change(input, chosen, &change.what))?;
    let what = finish(&what, 150, input.lang)?;
    Some(say.new.replace("{what}", without_stop(&what)))
}

fn newest_change(input: &Input<'_>, chosen: &Chosen, what: &What) -> Option<String> {
    let say = &input.lang.report.say;
    let named = |template: &str, item: &str| {
        Some(
            template
                .replace("{item}", &format!("\"{}\"", cut(&super::overtake::item_text(item), 90))),
        )
    };
    match what {
        What::EntryAdded { entry } | What::EntryEdited { entry } => {
            let at =
                input.state.entries.iter().position(|known| known.id.as_str() == entry.as_str())?;
            let of_entry = |facts: &'_ [Fact]| -> Option<String> {
                facts
                    .iter()
                    .find(|fact| fact.entry == Some(at) && fact.kind != Kind::Open)
                    .map(|fact| fact.text.clone())
            };
            of_entry(&chosen.done)
                .or_else(|| of_entry(&chosen.left))
                .or_else(|| of_entry(&chosen.learned))
                .or_else(|| {
                    let first = input.segments.iter().find(|segment| {
                        segment.entry == at
                            && !matches!(segment.kind, crate::read::Kind::Heading { .. })
                    })?;
                    first.sentences.first().map(|piece| piece.text.clone())
                })
        }
        What::ItemChecked { title, is_checked: true, .. } => named(say.new_ticked, title),
        What::ItemChecked { title, is_checked: false, .. } => named(say.new_unticked, title),
        What::ItemAdded { title, is_checked: false, .. } => named(say.new_item, title),
        What::ItemAdded { title, is_checked: true, .. } => named(say.new_ticked, title),
        What::FieldSet(FieldChange { field, to, .. }) => {
            let field = field.field()?.name();
            let name = say.fields.iter().find(|(known, _)| *known == field)?.1;
            Some(match to {
                Some(value) => say
                    .new_field
                    .replace("{field}", name)
                    .replace("{value}", &cut(&value.plain(), 80)),
                None => say.field_cleared.replace("{field}", name),
            })
        }
        What::LabelAdded { name, .. } => Some(say.new_label.replace("{label}", name)),
        What::TaskCreated { .. }
        | What::TaskDeleted
        | What::TaskRestored
        | What::ItemRenamed { .. }
        | What::ItemArchived { .. }
        | What::ItemMoved { .. }
        | What::EntryDeleted { .. }
        | What::EntryRestored { .. }
        | What::EntryFlagged { .. }
        | What::LabelRemoved { .. }
        | What::LinkAdded { .. }
        | What::LinkRemoved { .. }
        | What::Unknown => None,
    }
}

/// Capitalizes the start of a sentence; code is left as it is.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
