//! What a language says about proposals: a table of words and sentence patterns.

use dormouse_types::task::{Priority, Status};

use crate::propose::day::DayWords;
use crate::propose::duration::SpanWords;
use crate::propose::pattern::Classes;

/// The proposal rules of one language. Every word is folded: lower case, without accents.
///
/// For the syntax of the patterns see [`crate::propose::pattern`].
#[derive(Debug)]
pub struct Rules {
    /// What reaches the writer: "mail", "letter".
    pub letters: &'static [&'static str],
    /// "Have to", "must": before work of the writer.
    pub obligations: &'static [&'static str],
    /// Words that may stand before such a phrase.
    pub before_obligations: &'static [&'static str],
    /// Verbs after such a phrase that name no work: "wait".
    pub no_work: &'static [&'static str],
    /// Words that end what such a phrase names.
    pub work_ends: &'static [&'static str],
    pub days: DayWords,
    /// Lengths of time.
    pub spans: SpanWords,
    /// Classes of phrases that the patterns name.
    pub classes: Classes,
    /// Words that turn a clause into its opposite.
    pub negations: &'static [&'static str],
    /// Words that make a clause a guess, a wish or a possibility.
    pub doubts: &'static [&'static str],
    /// Words that make a sentence depend on something else.
    pub conditions: &'static [&'static str],
    /// Words that mark a sentence as an example.
    pub samples: &'static [&'static str],
    /// Words that start another statement in a sentence.
    pub conjunctions: &'static [&'static str],
    /// Words that start a statement of their own after an "and".
    pub speakers: &'static [&'static str],
    /// Words that end a clause the way a comma does.
    pub breaks: &'static [&'static str],
    /// A day by which the task is due.
    pub due: &'static [&'static str],
    /// Any mention of the deadline. If a newer sentence matches one of these but no other pattern,
    /// older sentences about the deadline are not proposed.
    pub due_topic: &'static [&'static str],
    /// Words that, next to a day, leave it open when something happens.
    pub due_vague: &'static [&'static str],
    /// What the task is about was moved to another day. If an older sentence named that day as the
    /// deadline, the deadline moves too.
    pub due_along: &'static [&'static str],
    /// The deadline was lifted.
    pub due_off: &'static [&'static str],
    /// In the clause of a deadline: the deadline does not hold.
    pub due_void: &'static [&'static str],
    /// How long the task takes.
    pub estimate: &'static [&'static str],
    /// Any mention of how long the task takes; works like `due_topic`.
    pub estimate_topic: &'static [&'static str],
    /// Words next to a length of time which say that an older one does not hold.
    pub estimate_vague: &'static [&'static str],
    /// In the sentence of a length of time: the time was spent, or measures something else.
    pub estimate_void: &'static [&'static str],
    /// How much the task matters.
    pub priority: &'static [(&'static str, Priority)],
    /// The task matters less than was said before.
    pub priority_off: &'static [&'static str],
    /// The state of the task.
    pub status: &'static [(&'static str, Status)],
    /// A status that no longer holds.
    pub status_off: &'static [&'static str],
    /// In the sentence of a status: it has already ended.
    pub status_void: &'static [&'static str],
    /// After a comma behind a reason: what follows is something else.
    pub status_turns: &'static [&'static str],
    /// In what follows: work goes on all the same, so the status does not hold.
    pub status_calm: &'static [&'static str],
    /// Check-offs in prose.
    pub tick: Ticking,
    pub item: NewItems,
    /// Before a label's name: the label is not meant.
    pub label_void: &'static [&'static str],
    /// Why an open proposal is withdrawn.
    pub retract: Retracting,
    /// Observations.
    pub observe: Noticing,
}

/// How a language says that something was done.
#[derive(Debug)]
pub struct Ticking {
    /// Verbs with past forms that do not follow `endings`.
    pub irregular: &'static [(&'static str, &'static [&'static str])],
    /// Past-form endings of all other verbs.
    pub endings: &'static [&'static str],
    /// Words that say "done" about anything.
    pub done: &'static [&'static str],
    /// Subjects that may have done the work.
    pub subjects: &'static [&'static str],
    /// Words between subject, object and verb.
    pub auxiliaries: &'static [&'static str],
    /// Words between verb and object, or before the object.
    pub fillers: &'static [&'static str],
    /// Words that introduce a further description of the object, or where it went.
    pub prepositions: &'static [&'static str],
    /// Before the verb: the work is done only in relation to something else.
    pub void_before: &'static [&'static str],
    /// Words in a title that do not name the work: "first".
    pub asides: &'static [&'static str],
    /// In another clause, together with a word of `void`: the work continues.
    pub more: &'static [&'static str],
    /// In the clause: the work is not done, or not certainly.
    pub void: &'static [&'static str],
    /// In the sentence: the work was attempted without success.
    pub failed: &'static [&'static str],
    /// In the sentence: the work is still to do, and an older statement that it was done no longer
    /// holds.
    pub undone: &'static [&'static str],
    /// Words that start a clause of their own.
    pub clause_words: &'static [&'static str],
    /// Of those, words that can replace the past form of a verb of making, or precede its -ing
    /// form.
    pub finished: &'static [&'static str],
    /// Verbs of making: the work is done when the thing is finished.
    pub makes: &'static [&'static str],
    /// Verbs whose object may be the actor: "the bank called".
    pub mutual: &'static [&'static str],
    /// Words that join several objects of one verb.
    pub joins: &'static [&'static str],
    /// Verbs whose past form equals the base form: done only after a subject or an auxiliary.
    pub unchanging: &'static [&'static str],
}

/// How a language names work that is to be done.
#[derive(Debug)]
pub struct NewItems {
    /// Before a colon: what follows is to be done.
    pub markers: &'static [&'static str],
    /// Before the work, in capitals, without a colon.
    pub capitals: &'static [&'static str],
    /// In the item: it was done or withdrawn.
    pub void: &'static [&'static str],
    /// In the item: it belongs to a template, not to the work.
    pub samples: &'static [&'static str],
    /// After a marker in capitals: the sentence talks about a list and names no work.
    pub talk: &'static [&'static str],
    /// Words that say there is nothing.
    pub nothing: &'static [&'static str],
    /// Headings over ideas for some other day: the report mentions them, but nothing is proposed.
    /// They must match the whole heading, apart from numbers and marks.
    pub someday: &'static [&'static str],
    /// Headings that cannot be the title of a task.
    pub untitled: &'static [&'static str],
    /// Pairs of small words that make two titles differ if one title has the first and the other
    /// the second.
    pub opposites: &'static [(&'static str, &'static str)],
}

/// Reasons for withdrawing an open proposal. Templates have `{…}` placeholders.
#[derive(Debug)]
pub struct Retracting {
    /// `{value}`.
    pub newer: &'static str,
    /// A newer entry takes it back.
    pub taken_back: &'static str,
    /// A newer entry mentions it in words that no rule can read.
    pub unread: &'static str,
    /// The task already has the value.
    pub has_it: &'static str,
    /// The work is done.
    pub done: &'static str,
    /// The work is not done after all.
    pub not_done: &'static str,
    /// The item no longer exists.
    pub gone: &'static str,
}

/// What observations look for, and their wording. Templates have `{…}` placeholders.
#[derive(Debug)]
pub struct Noticing {
    /// A deadline that moved: `<day>` is the new one, `<other>` the previous one if it is named.
    pub moved: &'static [&'static str],
    /// Escalating words about the task.
    pub escalated: &'static [&'static str],
    /// First, second, third and so on.
    pub ordinals: &'static [&'static str],
    /// `{nth}` and `{days}`.
    pub due_moved: &'static str,
    /// `{from}` and `{to}`.
    pub priority_raised: &'static str,
    /// `{nth}`, `{from}` and `{to}`.
    pub priority_raised_again: &'static str,
    /// `{quote}`.
    pub pressure: &'static str,
    /// `{n}` and `{before}`, the most of one of the weeks before. Its words before the first
    /// placeholder tell it from other notes.
    pub week_of_much: &'static str,
    /// `{weeks}`. Its words before the placeholder tell it from other notes.
    pub after_quiet: &'static str,
    /// `{n}` and `{all}`.
    pub momentum: &'static str,
    /// `{title}`.
    pub last_item: &'static str,
    /// `{reason}`.
    pub blocked: &'static str,
    /// `{reason}`.
    pub held: &'static str,
    /// No placeholders.
    pub unblocked: &'static str,
    /// `{what}` and `{reason}`.
    pub rejected: &'static str,
    /// What a proposal was about: due date, estimate, priority, status, title, label, new item,
    /// check-off; `{value}`.
    pub subjects: [&'static str; 8],
}

impl Noticing {
    /// Formats how often something happened.
    pub fn nth(&self, n: usize) -> String {
        let known = n.checked_sub(1).and_then(|place| self.ordinals.get(place));
        known.map_or_else(|| format!("{n}."), |nth| (*nth).to_owned())
    }
}
