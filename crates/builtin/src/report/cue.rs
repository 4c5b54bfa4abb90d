//! What a sentence says by its words: finished, still to do, decided, a question.

use jiff::civil::Date;

use crate::lang::Lang;
use crate::propose::day;
use crate::propose::words::tokens;
use crate::read::fold::fold;

/// A sentence, prepared for looking up phrases.
#[derive(Debug)]
pub struct CueText {
    /// All words, folded, separated by single spaces.
    spaced: String,
    /// The same for each clause.
    clauses: Vec<String>,
    /// Whether it ends as a question.
    asks: bool,
    /// Whether it was left unfinished: "????".
    unfinished: bool,
}

/// How firmly a sentence says that work is finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Done {
    /// Something is done: in a log it was done at the time, elsewhere it describes how things work.
    Process,
    /// Something was done: "the form was sent".
    Act,
    /// Something is as it should be: "resolved", "back to normal".
    State,
}

impl CueText {
    /// Prepares a sentence.
    pub fn new(text: &str, lang: &Lang) -> Self {
        let folded = fold(&without_months(text, lang));
        let mut cue_text = Self {
            spaced: String::from(" "),
            clauses: vec![String::from(" ")],
            asks: folded.trim_end_matches(['"', ')', '\'', ' ', '.']).ends_with('?'),
            unfinished: folded.contains("???"),
        };
        let mut word = String::new();
        for c in folded.chars().chain([' ']) {
            if c.is_alphanumeric() || matches!(c, '\'' | '-' | '_' | '.' | '/' | '%' | '#') {
                word.push(c);
                continue;
            }
            cue_text.push_word(&word, lang);
            word.clear();
            if matches!(c, ',' | ';' | ':' | '(' | ')' | '!' | '?') {
                cue_text.next_clause();
            }
        }
        cue_text
    }

    fn push_word(&mut self, word: &str, lang: &Lang) {
        let ends = word.ends_with('.');
        let word = word.trim_matches(['.', '\'', '-', '/', '_']);
        if word.is_empty() {
            if !self.spaced.ends_with("  ") {
                self.next_clause();
            }
            return;
        }
        if lang.report.cues.clauses.contains(&word) {
            self.next_clause();
        }
        for text in [Some(&mut self.spaced), self.clauses.last_mut()].into_iter().flatten() {
            text.push_str(word);
            text.push(' ');
        }
        if ends {
            self.next_clause();
        }
    }

    fn next_clause(&mut self) {
        if self.clauses.last().is_some_and(|clause| clause.len() > 1) {
            self.clauses.push(String::from(" "));
        }
    }

    /// Returns whether one of the phrases occurs.
    pub fn has(&self, phrases: &[&str]) -> bool {
        has(&self.spaced, phrases)
    }

    /// Returns whether it starts with one of the phrases.
    pub fn opens_with(&self, phrases: &[&str]) -> bool {
        begins(&self.spaced, phrases)
    }

    /// Returns whether it names a cause and only then says that something was done: such a sentence
    /// explains rather than reports.
    pub fn explains(&self, lang: &Lang) -> bool {
        self.has(lang.report.cues.learned)
            && self.clauses.first().is_some_and(|clause| done(clause, lang).is_none())
            && has(&self.spaced, lang.report.cues.explaining)
    }

    /// Returns whether it says that something changes from now on.
    pub fn is_new_rule(&self, lang: &Lang) -> bool {
        let cues = &lang.report.cues;
        cues.from_now.iter().any(|phrase| {
            self.spaced.split_once(&format!(" {phrase} ")).is_some_and(|(_, after)| {
                let next = after.split(' ').next().unwrap_or_default();
                !cues.ongoing_endings.iter().any(|ending| next.ends_with(ending))
            })
        })
    }

    /// Returns whether it says that a day moved: such a sentence is about a plan, not about work.
    pub fn moves_day(&self, text: &str, lang: &Lang) -> bool {
        let cues = &lang.report.cues;
        let is_date_moved = |clause: &String| {
            cues.moved.iter().any(|word| {
                clause.split_once(&format!(" {word} ")).is_some_and(|(before, after)| {
                    // "The deadline moved", "moved the deadline"; not "moved the sofa that day".
                    let near = after.split(' ').take(3).collect::<Vec<_>>().join(" ");
                    [before, near.as_str()]
                        .iter()
                        .any(|words| has(&format!(" {} ", words.trim()), cues.dates))
                })
            })
        };
        self.has(cues.postponed)
            || self.clauses.iter().any(is_date_moved)
            || self.has(cues.moved) && leads_to_day(text, lang)
    }

    /// Returns whether it is a question.
    pub fn asks(&self) -> bool {
        self.asks
    }

    /// Returns whether it is an unfinished note, which cannot be evidence.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// Returns the number of words.
    pub fn n_words(&self) -> usize {
        self.spaced.split(' ').filter(|word| !word.is_empty()).count()
    }

    /// Returns whether it starts with one of the words.
    pub fn begins_with(&self, words: &[&str]) -> bool {
        self.spaced
            .split(' ')
            .find(|word| !word.is_empty())
            .is_some_and(|word| words.contains(&word))
    }

    /// Returns whether it starts with one of the words, ignoring filler words.
    pub fn is_request(&self, lang: &Lang) -> bool {
        let cues = &lang.report.cues;
        let mut words = self.spaced.split(' ').filter(|word| !word.is_empty());
        words
            .by_ref()
            .take(3)
            .find(|word| !cues.adverbs.contains(word) && *word != "please")
            .is_some_and(|word| cues.todo_verbs.contains(&word))
            // "Order placed" is done.
            && words.next().is_none_or(|next| !next.ends_with("ed") || next == "bed" || next == "shed")
    }

    /// Returns whether the sentence says that work is finished: now, in its own words, and without
    /// reservation.
    pub fn done(&self, lang: &Lang) -> Option<Done> {
        if self.asks || self.unfinished || self.is_reserved(lang) {
            return None;
        }
        self.clauses
            .iter()
            .enumerate()
            .filter_map(|(n, clause)| match done(clause, lang) {
                // "a field, checked once": a bare past form counts only in the first clause.
                Some(Done::Act) if n > 0 && opens_bare(clause, lang) => Some(Done::Process),
                // "We are done, if the bank agrees": the state depends on the next clause.
                Some(Done::State) if self.depends_on_next(n, lang) => None,
                found => found,
            })
            .max()
    }

    /// Returns whether a sentence makes a reservation about all it says: it depends on something, has an exception
    /// or is denied.
    fn is_reserved(&self, lang: &Lang) -> bool {
        let cues = &lang.report.cues;
        let first = self.clauses.first().map_or(" ", String::as_str);
        let is_over = !has(first, cues.present_auxiliaries) && !has(first, &["has", "have"]);
        let depends = begins(first, cues.conditions) || begins(first, cues.occasions) && !is_over;
        let excepts = cues.exceptions.iter().any(|phrase| {
            self.spaced.split_once(&format!(" {phrase} ")).is_some_and(|(_, after)| {
                after.split(' ').next().is_some_and(|next| !cues.no_exceptions.contains(&next))
            })
        });
        let is_taken_back = self.clauses.iter().skip(1).any(|clause| denies(clause, lang));
        depends || excepts || is_taken_back || self.has(cues.unexamined)
    }

    /// Returns whether a clause is followed by a condition or by "I think".
    fn depends_on_next(&self, n: usize, lang: &Lang) -> bool {
        let cues = &lang.report.cues;
        self.clauses.get(n + 1).is_some_and(|next| begins(next, cues.conditions))
    }
}

/// Removes the names of months: "in May" is not a wish.
fn without_months(text: &str, lang: &Lang) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = bare.starts_with(char::is_uppercase) && lang.dates().names_a_month(bare);
        let next = words.peek().is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
        if is_name && (!kept.is_empty() || next) {
            // The sign after the name still ends a clause.
            kept.push(word.rsplit_once(bare).map_or("", |(_, after)| after));
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// Returns whether a text says "to Friday" or "until 5 May".
fn leads_to_day(text: &str, lang: &Lang) -> bool {
    let tokens = tokens(text);
    // Only the form matters here, so any day will do to read one without a year.
    let days = day::mentions(&tokens, Date::constant(2024, 1, 1), lang);
    let through = lang.propose.days.through;
    days.iter().any(|day| day.start > 0 && through.contains(&tokens[day.start - 1].word.as_str()))
}

fn has(spaced: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| holds(spaced, phrase))
}

/// Returns whether ` phrase ` occurs, without building that text.
fn holds(spaced: &str, phrase: &str) -> bool {
    let mut from = 0;
    while let Some(at) = spaced[from..].find(phrase) {
        let start = from + at;
        let end = start + phrase.len();
        if spaced[..start].ends_with(' ') && spaced[end..].starts_with(' ') {
            return true;
        }
        from = end;
    }
    false
}

/// Returns whether a clause starts with one of the phrases.
fn begins(clause: &str, phrases: &[&str]) -> bool {
    let text = clause.trim_start();
    phrases.iter().any(|phrase| text.strip_prefix(phrase).is_some_and(|rest| rest.starts_with(' ')))
}

/// Returns whether a clause does no more than deny the one before, or call it a belief: "but it wasn't", "I think".
fn denies(clause: &str, lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    if cues.belief_tags.contains(&clause.trim()) {
        return true;
    }
    let mut words = clause.split(' ').filter(|word| !word.is_empty());
    let turns = words.next().is_some_and(|word| cues.turns.contains(&word));
    let mut is_negative = false;
    let only_denies = words.all(|word| {
        let negates = cues.negation.contains(&word);
        is_negative |= negates;
        negates || cues.denial.contains(&word)
    });
    turns && only_denies && is_negative
}

/// Returns whether what a clause says is done is only believed, or only nearly so.
fn is_doubted(words: &[&str], lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    let is_done = |at: usize| {
        let word = words[at];
        cues.done.contains(&word)
            || cues.done_verbs.contains(&word)
            || cues.done_anything.contains(&word)
            || is_past(word, lang)
    };
    let at_done = |from: usize| {
        let next = (from..words.len()).find(|&at| !cues.adverbs.contains(&words[at]));
        next.is_some_and(is_done)
    };
    let nearly = cues.nearly.iter().any(|phrase| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        let ends = words.windows(parts.len()).enumerate().filter(|(_, part)| *part == parts);
        ends.map(|(at, _)| at + parts.len()).any(|next| {
            words.get(next).is_some_and(|word| cues.wholes.contains(word)) || at_done(next)
        })
    });
    let believed = words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1);
        cues.beliefs.contains(word)
            && next.is_some_and(|next| !cues.not_believed.contains(next))
            && (at + 1..words.len()).any(is_done)
    });
    let first_done = (0..words.len()).find(|&at| is_done(at)).unwrap_or(0);
    let before = format!(" {} ", words[..first_done].join(" "));
    nearly || believed || has(&before, cues.hedge)
}

/// Returns whether a past form tells what others did to the writer: "the ferry was cancelled", "the bank called".
fn is_done_to_us(words: &[&str], at: usize, lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    if !cues.done_to_us.contains(&words[at]) {
        return false;
    }
    let is_between = |word: &&&str| cues.adverbs.contains(*word) || cues.have.contains(*word);
    let subject = words[..at].iter().rev().find(|word| !is_between(word));
    let is_own = subject.is_none_or(|word| cues.own.contains(word));
    let next = words.get(at + 1);
    let reaches_others = cues.contacted.contains(&words[at])
        && next
            .is_some_and(|next| cues.articles.contains(next) && *next != "by" && *next != "from");
    let is_passive = next.is_some_and(|next| *next == "by");
    is_passive || !is_own && !reaches_others
}

fn done(clause: &str, lang: &Lang) -> Option<Done> {
    let cues = &lang.report.cues;
    if has(clause, cues.negation) || has(clause, cues.conditional) {
        return None;
    }
    // An error that has returned is not finished work.
    if has(clause, cues.trouble) && has(clause, cues.returned) {
        return None;
    }
    let words: Vec<&str> = clause.split(' ').filter(|word| !word.is_empty()).collect();
    if is_doubted(&words, lang) {
        return None;
    }
    if has(clause, cues.done) {
        return Some(Done::State);
    }
    words
        .iter()
        .enumerate()
        .filter(|(at, _)| !is_done_to_us(&words, *at, lang))
        .filter_map(|(at, word)| {
            let states = cues.done_verbs.contains(word) && is_statement(&words, at, lang);
            let tells = states || is_past(word, lang) && is_own_act(&words, at, lang);
            if !tells {
                return None;
            }
            let before = words[..at].iter().rev().find(|word| !cues.adverbs.contains(word));
            let present = before.is_some_and(|word| cues.present_auxiliaries.contains(word));
            Some(if present { Done::Process } else { Done::Act })
        })
        .max()
}

/// Returns whether a clause starts with the past form of a verb.
fn opens_bare(clause: &str, lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    clause
        .split(' ')
        .find(|word| !word.is_empty() && !cues.adverbs.contains(word))
        .is_some_and(|word| cues.done_verbs.contains(&word) || is_past(word, lang))
}

/// Returns whether a word looks like the past form of a verb that completes something.
fn is_past(word: &str, lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    word.len() >= 5
        && word.chars().all(char::is_alphabetic)
        && cues.past_endings.iter().any(|ending| word.ends_with(ending))
        && !cues.not_work.contains(&word)
}

/// Returns whether the writer did it themselves: "Rented the dryer", "we rented".
fn is_own_act(words: &[&str], at: usize, lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    match words[..at].iter().rev().find(|word| !cues.adverbs.contains(word)) {
        None => words.len() > 1,
        Some(word) => cues.subjects.contains(word),
    }
}

/// Returns whether the past form at `at` states something rather than describing a thing.
fn is_statement(words: &[&str], at: usize, lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    let before = words[..at].iter().rev().find(|word| !cues.adverbs.contains(word));
    match before {
        // "Replaced the pipe", "sent to the bank": a note of what was done.
        None => words.len() > 1,
        Some(word) if cues.auxiliaries.contains(word) || cues.subjects.contains(word) => true,
        Some(word) if cues.articles.contains(word) => false,
        // "pipe replaced", "Anna sent the form"; not "updated list".
        Some(_) => match words.get(at + 1) {
            None => true,
            Some(next) => {
                cues.articles.contains(next)
                    || cues.objects.contains(next)
                    || *next == "and"
                    || cues.adverbs.contains(next)
            }
        },
    }
}

/// Returns the rest of a line that starts with a label of work, and its owner: "TODO(kim): call".
pub fn after_label<'a>(text: &'a str, labels: &[&str]) -> Option<(&'a str, Option<&'a str>)> {
    let bare = text.trim_start_matches(['[', '*', '(', ' ']);
    let head: String = bare.chars().take(24).collect::<String>().to_lowercase();
    let length = labels
        .iter()
        .filter(|label| {
            head.strip_prefix(**label).is_some_and(|rest| {
                rest.starts_with('(')
                    || rest.trim_start_matches(['*', ' ']).starts_with([':', ']', ')'])
            })
        })
        .map(|label| label.len())
        .max();
    let Some(length) = length else { return after_owned_label(bare, labels) };
    let mut rest = bare.get(length..)?;
    let mut owner = None;
    if let Some(inner) = rest.strip_prefix('(') {
        let (name, after) = inner.split_once(')').filter(|(name, _)| name.len() <= 40)?;
        (rest, owner) = (after.strip_prefix(':')?, Some(name.trim()));
    }
    let rest = rest.trim_start_matches([':', ']', ')', '*', ' ', '-', '–']);
    (!rest.is_empty()).then_some((rest, owner.filter(|name| !name.is_empty())))
}

/// The same for a label followed by a name: "Tasks for Kim: call", "TODO (kim) call".
fn after_owned_label<'a>(text: &'a str, labels: &[&str]) -> Option<(&'a str, Option<&'a str>)> {
    let bare = text.trim_start_matches(['[', '*']);
    let lower: String = bare.chars().take(24).collect::<String>().to_lowercase();
    let length = labels
        .iter()
        .flat_map(|label| [(*label).to_owned(), format!("{label}s")])
        .chain(["task".to_owned(), "tasks".to_owned()])
        .filter(|label| {
            lower.strip_prefix(label.as_str()).is_some_and(|rest| rest.starts_with(' '))
        })
        .map(|label| label.len())
        .max()?;
    let rest = bare.get(length..)?.trim_start();
    let is_name = |name: &str| {
        let words: Vec<&str> = name.split(' ').collect();
        let joins = ["and", "&", "und", "et", "y", "si"];
        (1..=3).contains(&words.len())
            && name.chars().count() <= 40
            && words.iter().all(|word| {
                joins.contains(word)
                    || word.starts_with(char::is_uppercase)
                        && word.chars().all(|c| c.is_alphabetic() || ".,-'".contains(c))
            })
    };
    let is_shouted = bare.get(..length).is_some_and(|label| label.chars().all(char::is_uppercase));
    if is_shouted && let Some(inner) = rest.strip_prefix('(') {
        let (name, after) = inner.split_once(')')?;
        let after = after.trim_start_matches([':', ' ']);
        return (name.chars().count() <= 40 && !after.is_empty()).then_some((after, Some(name)));
    }
    let (head, after) = rest.split_once(':')?;
    let name = crate::lang::ALL
        .iter()
        .flat_map(|lang| lang.report.cues.owner)
        .find_map(|word| head.strip_prefix(word)?.strip_prefix(' '))
        .unwrap_or(head);
    let after = after.trim_start_matches([' ', '*', '_']);
    (is_name(name) && !after.is_empty()).then_some((after, Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::en::EN;

    #[test]
    fn finished_work_is_distinguished_from_wishes_failures_and_questions() {
        for (text, expected) in [
            ("Launches are back to normal.", Some(Done::State)),
            ("The chart is updated to v2.", Some(Done::State)),
            ("The leak is fixed, but the wall is not dry.", Some(Done::State)),
            ("Replaced the pipe under the sink", Some(Done::Act)),
            ("We sent the form to the bank.", Some(Done::Act)),
            ("Anna painted the door.", Some(Done::Act)),
            ("Node limit increased", Some(Done::Act)),
            ("The old pods were then deleted.", Some(Done::Act)),
            ("The list is rebuilt on every start.", Some(Done::Process)),
            ("A field is public, checked once.", Some(Done::Process)),
            ("The form was not sent.", None),
            ("The form has not been sent yet.", None),
            ("The form should be sent.", None),
            ("Once it is merged we can go on.", None),
            ("It would be fixed by a restart.", None),
            ("Was the form sent?", None),
            ("Deleted both to see if this helps", None),
            ("The updated list is long.", None),
            ("Fix the door", None),
            ("The build is being deployed.", None),
            ("Rented a dryer for two weeks", Some(Done::Act)),
            ("Needed for the kitchen", None),
            ("Paid the deposit in May", Some(Done::Act)),
            ("Paid the deposit on May 12", Some(Done::Act)),
            ("The deposit may be paid", None),
            ("It is fixed ????", None),
        ] {
            assert_eq!(CueText::new(text, &EN).done(&EN), expected, "{text}");
        }
    }

    #[test]
    fn a_day_that_moved_is_distinguished_from_a_thing_that_moved() {
        for (text, expected) in [
            ("The deadline moved from 15 March to 29 March 2027.", true),
            ("We moved the appointment to Friday.", true),
            ("The concert is postponed until May.", true),
            ("Moved the inspection to 2027-03-04.", true),
            ("The due date was changed again.", true),
            ("We moved the sofa on Friday.", false),
            ("Moved the servers to the cellar on 5 May.", false),
            ("We updated the page about the deadline.", false),
        ] {
            assert_eq!(CueText::new(text, &EN).moves_day(text, &EN), expected, "{text}");
        }
    }

    #[test]
    fn labels_open_a_line_of_work() {
        let labels = EN.report.cues.todo_labels;
        for (text, rest) in [
            ("TODO: call Bob", Some(("call Bob", None))),
            ("TODO(kim): call Bob", Some(("call Bob", Some("kim")))),
            ("Tasks for Kim: call Bob", Some(("call Bob", Some("Kim")))),
            ("AI Kim: call Bob", Some(("call Bob", Some("Kim")))),
            ("TODO (kim) call Bob", Some(("call Bob", Some("kim")))),
            ("Actions: call Bob", None),
            ("Next to Kim: Bob", None),
            ("Open the shop: Bob", None),
            ("[Action Item] call Bob", Some(("call Bob", None))),
            ("Next steps: call Bob", Some(("call Bob", None))),
            ("Open (since May) is the shop", None),
            ("Todos los santos", None),
            ("Next we call Bob", None),
        ] {
            assert_eq!(after_label(text, labels), rest, "{text}");
        }
    }
}
