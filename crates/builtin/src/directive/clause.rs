//! The settings of one sentence, clause by clause.

use dormouse_types::directive::{
    DirectiveSetting, ProposalKind, ReportLength, ReportSection, ReportTone,
};

use crate::lang::directive::DirectiveWords;

/// What a phrase means in a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Condition,
    Negation,
    Join,
    Filler,
    Propose,
    Add,
    Show,
    First,
    Summary,
    Sentences,
    AtMost,
    Number(u8),
    Topic(Topic),
}

/// What a request may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    Length(ReportLength),
    Tone(ReportTone),
    Section(ReportSection),
    Kind(ProposalKind),
    Emojis,
}

impl Topic {
    /// Whether it is a property, such as "short", and no thing.
    fn is_property(self) -> bool {
        matches!(self, Self::Length(_) | Self::Tone(_))
    }
}

/// The settings of a sentence; `None` if a part of it is not understood.
pub(super) fn settings(sentence: &str, words: &DirectiveWords) -> Option<Vec<DirectiveSetting>> {
    let mut all: Vec<DirectiveSetting> = Vec::new();
    for clause in sentence.split([',', ':', '(', ')']).filter(|clause| !clause.trim().is_empty()) {
        let meanings = meanings(clause, words)?;
        if meanings.contains(&Meaning::Condition) {
            return None;
        }
        let found = of_clause(&meanings, all.last().copied())?;
        all.extend(found);
    }
    (!all.is_empty()).then_some(all)
}

/// What the phrases of a clause mean; `None` if one is unknown.
fn meanings(clause: &str, words: &DirectiveWords) -> Option<Vec<Meaning>> {
    let text = clause.to_lowercase().replace('’', "'");
    let tokens: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '&')))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    let mut rest = &tokens[..];
    while !rest.is_empty() {
        let (meaning, length) = longest(rest, words)?;
        found.push(meaning);
        rest = &rest[length..];
    }
    Some(found)
}

/// The longest phrase at the beginning of some words, with its number of words.
fn longest(tokens: &[&str], words: &DirectiveWords) -> Option<(Meaning, usize)> {
    let mut best: Option<(Meaning, usize)> = None;
    let mut look = |phrases: &[&str], meaning: Meaning| {
        for phrase in phrases {
            let length = phrase.split(' ').count();
            let is_here =
                tokens.len() >= length && phrase.split(' ').eq(tokens[..length].iter().copied());
            if is_here && best.is_none_or(|(_, known)| length > known) {
                best = Some((meaning, length));
            }
        }
    };
    look(words.conditions, Meaning::Condition);
    look(words.negations, Meaning::Negation);
    look(words.joins, Meaning::Join);
    look(words.fillers, Meaning::Filler);
    look(words.propose, Meaning::Propose);
    look(words.add, Meaning::Add);
    look(words.show, Meaning::Show);
    look(words.first, Meaning::First);
    look(words.summary, Meaning::Summary);
    look(words.sentences, Meaning::Sentences);
    look(words.at_most, Meaning::AtMost);
    for (n, phrases) in words.numbers {
        look(phrases, Meaning::Number(*n));
    }
    for (length, phrases) in words.lengths {
        look(phrases, Meaning::Topic(Topic::Length(*length)));
    }
    for (tone, phrases) in words.tones {
        look(phrases, Meaning::Topic(Topic::Tone(*tone)));
    }
    for (section, phrases) in words.sections {
        look(phrases, Meaning::Topic(Topic::Section(*section)));
    }
    for (kind, phrases) in words.kinds {
        look(phrases, Meaning::Topic(Topic::Kind(*kind)));
    }
    look(words.emojis, Meaning::Topic(Topic::Emojis));
    best
}

/// The settings of a clause; `before` is the last one of the clause before it, which a list may go on
/// with: "no estimates, due dates or labels".
fn of_clause(
    meanings: &[Meaning],
    before: Option<DirectiveSetting>,
) -> Option<Vec<DirectiveSetting>> {
    let has = |meaning| meanings.contains(&meaning);
    let n_negations = meanings.iter().filter(|it| **it == Meaning::Negation).count();
    let mut topics = topics(meanings);
    if n_negations > 1 {
        return None;
    }
    if has(Meaning::Summary) || has(Meaning::Sentences) || has(Meaning::AtMost) {
        return sentences_of_summary(meanings, &topics, n_negations);
    }
    if meanings.iter().any(|it| matches!(it, Meaning::Number(_))) {
        return None;
    }
    if has(Meaning::First) {
        let [(Topic::Section(section), false)] = topics[..] else { return None };
        return (n_negations == 0).then(|| vec![DirectiveSetting::First { section }]);
    }
    let is_bare = meanings.iter().all(|it| {
        matches!(
            it,
            Meaning::Topic(Topic::Kind(_) | Topic::Section(_)) | Meaning::Join | Meaning::Filler
        )
    });
    if is_bare && n_negations == 0 {
        let goes_on = |topic: Topic| match before {
            Some(DirectiveSetting::NeverPropose { .. }) => matches!(topic, Topic::Kind(_)),
            Some(DirectiveSetting::LeaveOut { .. }) => matches!(topic, Topic::Section(_)),
            _ => false,
        };
        if !topics.iter().all(|(topic, _)| goes_on(*topic)) {
            return None;
        }
        topics.iter_mut().for_each(|(_, is_negated)| *is_negated = true);
    }
    if topics.is_empty() {
        return None;
    }
    let verbs = (has(Meaning::Propose), has(Meaning::Add), has(Meaning::Show));
    topics.into_iter().map(|(topic, is_negated)| of_topic(topic, is_negated, verbs)).collect()
}

/// The topics of a clause, each with whether it is negated.
///
/// A negation holds up to the end of the clause, but for a property after things: "no emojis and short
/// reports".
fn topics(meanings: &[Meaning]) -> Vec<(Topic, bool)> {
    let mut topics: Vec<(Topic, bool)> = Vec::new();
    let (mut is_negated, mut after_join) = (false, false);
    for meaning in meanings {
        match meaning {
            Meaning::Negation => is_negated = true,
            Meaning::Join => after_join = true,
            Meaning::Topic(topic) => {
                let ends = topic.is_property()
                    && topics.last().is_some_and(|(last, negated)| *negated && !last.is_property());
                if after_join && ends {
                    is_negated = false;
                }
                after_join = false;
                topics.push((*topic, is_negated));
            }
            _ => {}
        }
    }
    topics
}

/// "The summary is at most two sentences."
fn sentences_of_summary(
    meanings: &[Meaning],
    topics: &[(Topic, bool)],
    n_negations: usize,
) -> Option<Vec<DirectiveSetting>> {
    let mut numbers = meanings.iter().filter_map(|it| match it {
        Meaning::Number(n) => Some(*n),
        _ => None,
    });
    let (Some(most), None) = (numbers.next(), numbers.next()) else { return None };
    let is_whole = meanings.contains(&Meaning::Summary) && meanings.contains(&Meaning::Sentences);
    let is_plain = topics.is_empty() && n_negations == 0 && !meanings.contains(&Meaning::First);
    (is_whole && is_plain).then(|| vec![DirectiveSetting::SummarySentences { most }])
}

/// What a topic asks for, given whether it is negated, and which verbs its clause has: of proposing, of
/// adding, of showing.
fn of_topic(
    topic: Topic,
    is_negated: bool,
    (proposes, adds, shows): (bool, bool, bool),
) -> Option<DirectiveSetting> {
    match (topic, is_negated) {
        (Topic::Length(length), false) => Some(DirectiveSetting::Length { length }),
        // What is not to be long is short; what is not to be short may be as it is.
        (Topic::Length(ReportLength::Long), true) => {
            Some(DirectiveSetting::Length { length: ReportLength::Short })
        }
        (Topic::Tone(tone), false) => Some(DirectiveSetting::Tone { tone }),
        (Topic::Emojis, true) if !proposes => Some(DirectiveSetting::Emojis { allowed: false }),
        (Topic::Emojis, false) if shows || adds => Some(DirectiveSetting::Emojis { allowed: true }),
        (Topic::Section(section), true) if !proposes => {
            Some(DirectiveSetting::LeaveOut { section })
        }
        (Topic::Kind(kind), true) if !shows => Some(DirectiveSetting::NeverPropose { kind }),
        _ => None,
    }
}
