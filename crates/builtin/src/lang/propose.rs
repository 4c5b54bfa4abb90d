//! What a language says about proposals: a table of words and sentence patterns.

use dormouse_types::task::{Priority, Status};

use crate::propose::day::DayWords;
use crate::propose::duration::SpanWords;
use crate::propose::pattern::Classes;

/// The proposal rules of one language. Every word is folded: small letters without accents.
///
/// The patterns are in the form of [`crate::propose::pattern`].
#[derive(Debug)]
pub struct Rules {
    /// Days.
    pub days: DayWords,
    /// Lengths of time.
    pub spans: SpanWords,
    /// Classes of phrases that the patterns name.
    pub classes: Classes,
    /// What turns a clause into its opposite.
    pub negations: &'static [&'static str],
    /// What makes a clause a guess, a wish or a possibility.
    pub doubts: &'static [&'static str],
    /// What makes a whole sentence depend on something else.
    pub conditions: &'static [&'static str],
    /// What makes a sentence a sample.
    pub samples: &'static [&'static str],
    /// Words that begin a further statement in a sentence.
    pub conjunctions: &'static [&'static str],
    /// Who begins a statement of its own behind an "and".
    pub speakers: &'static [&'static str],
    /// Words that end a clause as a comma does.
    pub breaks: &'static [&'static str],
    /// A day by which the task is due.
    pub due: &'static [&'static str],
    /// What speaks of the deadline in any way: a newer such sentence that no pattern reads keeps an
    /// older one from being proposed.
    pub due_topic: &'static [&'static str],
    /// Beside a day, what says there when that is.
    pub due_vague: &'static [&'static str],
    /// What the task is about moved to a day: where an older sentence named the day it is due, that
    /// day moves along.
    pub due_along: &'static [&'static str],
    /// The deadline is lifted.
    pub due_off: &'static [&'static str],
    /// In the clause of a deadline: it does not hold.
    pub due_void: &'static [&'static str],
    /// How long the task takes.
    pub estimate: &'static [&'static str],
    /// What speaks of how long the task takes, in the same way.
    pub estimate_topic: &'static [&'static str],
    /// Beside a length of time, what says there that an older one does not hold.
    pub estimate_vague: &'static [&'static str],
    /// In the sentence of a length of time: it was spent, or counts something else.
    pub estimate_void: &'static [&'static str],
    /// How much the task matters.
    pub priority: &'static [(&'static str, Priority)],
    /// It matters less than was said.
    pub priority_off: &'static [&'static str],
    /// How the task stands.
    pub status: &'static [(&'static str, Status)],
    /// It does not stand so any more.
    pub status_off: &'static [&'static str],
    /// In the sentence of a status: it is over already.
    pub status_void: &'static [&'static str],
    /// Check-offs in prose.
    pub tick: Ticking,
    /// New items.
    pub item: NewItems,
    /// Before a label's name: it is not meant.
    pub label_void: &'static [&'static str],
    /// Why an open proposal is withdrawn.
    pub retract: Retracting,
    /// Observations.
    pub observe: Noticing,
}

/// How a language says that something was done.
#[derive(Debug)]
pub struct Ticking {
    /// Verbs with their past forms, where those do not follow `endings`.
    pub irregular: &'static [(&'static str, &'static [&'static str])],
    /// Endings of the past forms of all other verbs.
    pub endings: &'static [&'static str],
    /// Words that say "done" of anything.
    pub done: &'static [&'static str],
    /// Who may have done it.
    pub subjects: &'static [&'static str],
    /// Between subject, object and verb.
    pub auxiliaries: &'static [&'static str],
    /// Between verb and object, or before the object.
    pub fillers: &'static [&'static str],
    /// What begins a further description of the object, or the place where it went.
    pub prepositions: &'static [&'static str],
    /// Before the verb: it is done only in relation to something else.
    pub void_before: &'static [&'static str],
    /// Words of a title that do not name the work: "first".
    pub asides: &'static [&'static str],
    /// In a further clause, with a word of `void`: the work goes on.
    pub more: &'static [&'static str],
    /// In the clause: it is not done, or not surely.
    pub void: &'static [&'static str],
    /// In the sentence: it was tried, and did not work.
    pub failed: &'static [&'static str],
    /// In the sentence: it is still to do, and an older word that it was done no longer holds.
    pub undone: &'static [&'static str],
    /// What begins a clause of its own.
    pub clause_words: &'static [&'static str],
    /// Of those, what may stand for the past form of a verb of making, or before its -ing form.
    pub finished: &'static [&'static str],
    /// Verbs of making: what was made is finished when it is done.
    pub makes: &'static [&'static str],
    /// Verbs whose object may be the one who acts: "the bank called".
    pub mutual: &'static [&'static str],
    /// What joins objects of one verb.
    pub joins: &'static [&'static str],
    /// Verbs whose past form is the verb itself: done only behind a subject or an auxiliary.
    pub unchanging: &'static [&'static str],
}

/// How a language names work to do.
#[derive(Debug)]
pub struct NewItems {
    /// Before a colon: what follows is to do.
    pub markers: &'static [&'static str],
    /// Before the work, in capitals, without a colon.
    pub capitals: &'static [&'static str],
    /// In the item: it is done or withdrawn.
    pub void: &'static [&'static str],
    /// In the item: it is part of a form, not work.
    pub samples: &'static [&'static str],
    /// Behind the marker in capitals: it is talk about a list, not work.
    pub talk: &'static [&'static str],
    /// What says that there is nothing.
    pub nothing: &'static [&'static str],
    /// Headings above what somebody may do some day: the report names it, nobody is asked to add
    /// it. The whole heading but for numbers and marks.
    pub someday: &'static [&'static str],
    /// Headings that are no title of a task.
    pub untitled: &'static [&'static str],
    /// Words that make two titles differ although they say little: one has the first, the other
    /// the second.
    pub opposites: &'static [(&'static str, &'static str)],
}

/// Reasons for withdrawing an open proposal. In templates `{…}` is filled in.
#[derive(Debug)]
pub struct Retracting {
    /// `{value}`.
    pub newer: &'static str,
    /// A newer entry takes it back.
    pub taken_back: &'static str,
    /// A newer entry speaks of it in words that no rule reads.
    pub unread: &'static str,
    /// The task has the value by now.
    pub has_it: &'static str,
    /// The work is done.
    pub done: &'static str,
    /// The work is not done after all.
    pub not_done: &'static str,
    /// The item is gone.
    pub gone: &'static str,
}

/// What observations look for, and how they are worded. In templates `{…}` is filled in.
#[derive(Debug)]
pub struct Noticing {
    /// A deadline that moved, with `<day>` the new one and `<other>` the one before, if named.
    pub moved: &'static [&'static str],
    /// Escalating words about the task.
    pub escalated: &'static [&'static str],
    /// First, second, third and so on.
    pub ordinals: &'static [&'static str],
    /// `{nth}` and `{days}`.
    pub due_moved: &'static str,
    /// `{from}` and `{to}`.
    pub priority_raised: &'static str,
    /// `{quote}`.
    pub pressure: &'static str,
    /// `{n}` and `{all}`.
    pub momentum: &'static str,
    /// `{title}`.
    pub last_item: &'static str,
    /// `{reason}`.
    pub blocked: &'static str,
    /// `{reason}`.
    pub held: &'static str,
    /// No filling.
    pub unblocked: &'static str,
    /// `{what}` and `{reason}`.
    pub rejected: &'static str,
    /// What a proposal was about: due date, estimate, priority, status, title, label, new item,
    /// check-off; `{value}`.
    pub subjects: [&'static str; 8],
}
