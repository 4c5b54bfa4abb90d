//! The words that work without a language model needs from a language: what it says, and what
//! instructions say.

use dormouse_types::work_kind::{AgendaList, ReviewList, WorkKind};

use super::{de, en};

/// Words of work in one language.
#[derive(Debug)]
pub struct Words {
    /// ISO 639 code.
    pub code: &'static str,
    /// The gallery: name and sentence of each kind.
    pub gallery: &'static [(WorkKind, &'static str, &'static str)],
    /// What texts say.
    pub say: Say,
    /// What instructions say.
    pub read: Read,
}

/// Every language of work; the first one also serves readers of other languages.
pub const ALL: &[&Words] = &[&en::work::WORDS, &de::work::WORDS];

/// Returns the words of a language code, or those of the first language.
pub fn of(code: &str) -> &'static Words {
    let primary = code.split(['-', '_']).next().unwrap_or_default();
    ALL.iter().find(|words| words.code.eq_ignore_ascii_case(primary)).unwrap_or(&ALL[0])
}

/// A text about one thing, and about several: `{n}`.
#[derive(Debug, Clone, Copy)]
pub struct Counted(pub &'static str, pub &'static str);

impl Counted {
    /// The text for a number.
    pub fn of(self, n: usize) -> String {
        let Self(one, many) = self;
        if n == 1 { one } else { many }.replace("{n}", &n.to_string())
    }
}

/// What texts say, with `{…}` placeholders.
#[derive(Debug)]
pub struct Say {
    /// Monday first.
    pub weekdays: [&'static str; 7],
    /// Monday first.
    pub weekdays_short: [&'static str; 7],
    /// January first.
    pub months: [&'static str; 12],
    /// January first.
    pub months_short: [&'static str; 12],
    /// `{weekday}` `{day}` `{month}`
    pub day_long: &'static str,
    /// `{weekday}` `{day}` `{month}`
    pub day_short: &'static str,
    /// A day of another year: `{day}` `{month}` `{year}`
    pub day_of_year: &'static str,
    /// The day of the text.
    pub today: &'static str,
    /// The day after.
    pub tomorrow: &'static str,
    /// The day before.
    pub yesterday: &'static str,
    /// How long something has lasted.
    pub days: Counted,
    /// How long something has lasted, in parentheses.
    pub lasted: Counted,
    /// How long ago something was.
    pub ago: Counted,
    /// How far ahead something is.
    pub ahead: Counted,
    /// `{h}` `{m}`
    pub hours_minutes: &'static str,
    /// `{h}`
    pub hours: &'static str,
    /// `{m}`
    pub minutes: &'static str,
    /// Between the last two of several things.
    pub and: &'static str,
    /// Lines that did not fit.
    pub more: Counted,
    /// A task without a title.
    pub untitled: &'static str,
    /// Time without a category.
    pub no_category: &'static str,
    /// A task of priority 0.
    pub urgent: &'static str,
    /// A task of priority 1.
    pub high: &'static str,
    /// `{reason}`
    pub waits_for: &'static str,
    /// Blocked without a reason.
    pub blocked: &'static str,
    /// Put aside.
    pub on_hold: &'static str,
    /// Open proposals about a task.
    pub to_review: Counted,
    pub agenda: SayAgenda,
    /// What happened to a task.
    pub changes: SayChanges,
    pub review: SayReview,
    pub watch: SayWatch,
    pub sweep: SaySweep,
    /// The repetition.
    pub repeat: SayRepeat,
    /// Kinds, lists and parameters, to say an instruction back.
    pub back: SayBack,
}

#[derive(Debug)]
pub struct SayAgenda {
    /// Heading of the events.
    pub events: &'static str,
    /// Heading of the tasks whose due date has passed.
    pub overdue: &'static str,
    /// Heading of the tasks that are due today.
    pub due_today: &'static str,
    /// Heading of the tasks that are due up to a day. `{day}`
    pub due_until: &'static str,
    /// Heading of what waits for the person.
    pub needs_you: &'static str,
    /// Heading of the tasks that wait for somebody else.
    pub waiting: &'static str,
    /// Heading of what happened. `{day}`
    pub changed_since: &'static str,
    /// In the title.
    pub n_events: Counted,
    /// In the title.
    pub n_overdue: Counted,
    /// In the title.
    pub n_due_today: Counted,
    /// In the title. `{day}`
    pub n_due_until: Counted,
    /// In the title.
    pub n_needs_you: Counted,
    /// In the title.
    pub n_waiting: Counted,
    /// In the title.
    pub n_changed: Counted,
    /// An event of whole days.
    pub whole_day: &'static str,
    /// `{from}` `{to}`
    pub from_to: &'static str,
    /// An event that began on another day. `{day}` `{time}`
    pub until: &'static str,
    /// A due date that was moved to here. `{day}`
    pub was_due: &'static str,
    /// Agent work of which several runs wait. `{title}` `{n}`
    pub run: &'static str,
    /// `{text}`
    pub asks: &'static str,
    /// `{text}`
    pub failed: &'static str,
    /// A day on which there is nothing.
    pub empty: &'static str,
}

/// What happened to a task.
#[derive(Debug)]
pub struct SayChanges {
    /// It was made.
    pub created: &'static str,
    /// Several were imported.
    pub imported: Counted,
    /// It was finished.
    pub done: &'static str,
    pub dropped: &'static str,
    pub begun: &'static str,
    /// It is open again.
    pub reopened: &'static str,
    /// `{day}`
    pub due: &'static str,
    /// `{to}` `{from}`
    pub due_moved: &'static str,
    /// Its due date was cleared.
    pub due_cleared: &'static str,
    /// `{title}`
    pub renamed: &'static str,
    /// Its priority rose or fell.
    pub priority: &'static str,
    /// Items were ticked.
    pub ticked: Counted,
    /// Items were added.
    pub items: Counted,
    /// Notes were added.
    pub notes: Counted,
    /// Anything else.
    pub other: &'static str,
}

#[derive(Debug)]
pub struct SayReview {
    /// Title of seven days. `{day}` `{counts}`
    pub week: &'static str,
    /// Title of other stretches. `{days}` `{day}` `{counts}`
    pub stretch: &'static str,
    /// Heading.
    pub done: &'static str,
    /// Heading.
    pub dropped: &'static str,
    /// Heading.
    pub stuck: &'static str,
    /// Heading.
    pub moved: &'static str,
    /// Heading.
    pub decisions: &'static str,
    /// Heading. `{time}`
    pub hours: &'static str,
    /// In the title.
    pub n_done: Counted,
    /// In the title.
    pub n_dropped: Counted,
    /// In the title.
    pub n_stuck: Counted,
    /// In the title.
    pub n_moved: Counted,
    /// In the title.
    pub n_decisions: Counted,
    /// In progress, and nothing happened. `{days}`
    pub in_progress: &'static str,
    /// Blocked, and nothing happened. `{days}` `{reason}`
    pub blocked: &'static str,
    /// The same without a reason. `{days}`
    pub blocked_bare: &'static str,
    /// Due in the past, and nothing happened. `{day}` `{days}`
    pub overdue: &'static str,
    /// `{from}` `{to}`
    pub move_: &'static str,
    /// How often a date was ever moved.
    pub n_times: Counted,
    /// `{n}` proposals.
    pub confirmed: Counted,
    /// `{n}` proposals.
    pub rejected: Counted,
    /// `{n}` verdicts.
    pub undone: Counted,
}

#[derive(Debug)]
pub struct SayWatch {
    /// Heading of deadlines to come.
    pub near: &'static str,
    /// Heading of deadlines that passed.
    pub passed: &'static str,
    /// Heading of what waits.
    pub waiting: &'static str,
    /// In the title.
    pub n_near: Counted,
    /// In the title.
    pub n_passed: Counted,
    /// In the title.
    pub n_waiting: Counted,
}

#[derive(Debug)]
pub struct SaySweep {
    /// Title. `{n}` `{days}`
    pub title: Counted,
    pub heading: &'static str,
    /// The reason of the status, and the evidence. `{day}` `{days}`
    pub reason: &'static str,
}

/// What a repetition says.
#[derive(Debug)]
pub struct SayRepeat {
    /// Title. `{title}`
    pub reset: &'static str,
    /// Title. `{title}`
    pub make: &'static str,
    /// Title, where the task that is copied is open. `{title}`
    pub make_beside: &'static str,
    /// Heading of the items to untick.
    pub ticked: &'static str,
    /// Heading of the items that were not ticked.
    pub left: &'static str,
    /// Heading of the items of a new task.
    pub items: &'static str,
    /// Evidence. `{n}` of `{all}`
    pub evidence: &'static str,
    /// Heading of a new task without items.
    pub new_task: &'static str,
    /// Of a new task. `{day}`
    pub due: &'static str,
}

/// How an instruction is said back.
#[derive(Debug)]
pub struct SayBack {
    /// Names of the kinds.
    pub kinds: &'static [(WorkKind, &'static str)],
    /// What the lists of an agenda hold. Overdue and due are said together if both are there.
    pub agenda: &'static [(AgendaList, &'static str)],
    /// What the lists of a review hold.
    pub review: &'static [(ReviewList, &'static str)],
    /// `{days}`
    pub ahead: &'static str,
    /// One day ahead.
    pub and_tomorrow: &'static str,
    /// `{days}`
    pub period: &'static str,
    /// Deadlines of a watch. `{days}`
    pub warn: &'static str,
    /// Deadlines on the day alone.
    pub warn_today: &'static str,
    /// Waiting of a watch. `{days}`
    pub waiting: &'static str,
    /// `{days}`
    pub sweep: &'static str,
    /// At most so many proposals.
    pub most: Counted,
    /// `{title}`
    pub reset: &'static str,
    /// `{title}`
    pub copy: &'static str,
    /// `{title}`
    pub make: &'static str,
    /// `{names}`
    pub only: &'static str,
    /// With the lists empty.
    pub silent: &'static str,
    /// With the lists empty.
    pub say: &'static str,
    /// The sentence. `{kind}` `{when}` `{what}`
    pub sentence: &'static str,
    /// The sentence of work without a schedule. `{kind}` `{what}`
    pub sentence_once: &'static str,
}

/// What a phrase of an instruction means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cue {
    /// It names a kind.
    Kind(WorkKind),
    /// It is the name of a kind, and needs no more words to be one.
    Named(WorkKind),
    /// It names a review of so many days.
    ReviewOf(u16),
    /// It names something that a kind lists.
    Topic(Topic),
    /// A checklist starts over; a task has to be named.
    Reset,
    /// A task is copied; a task has to be named.
    Copy,
    /// A task is made; the rest of the sentence is its title.
    Make,
    /// So many days after today.
    Ahead(u16),
    /// A length of time in days; which parameter it is follows from the kind.
    Length(u16),
    /// A length of time in days before something; with what comes near it names a watch.
    Before(u16),
    /// A length of time in days, up to now.
    Past(u16),
    /// A length of time in days, from now on.
    Coming(u16),
    /// This day.
    Today,
    /// The day before.
    Yesterday,
    /// A stretch of time that neither begins nor ends now: "next week". No kind has it as a parameter.
    Elsewhere,
    /// Units: proposals, as the number in the phrase says.
    Most,
    /// An empty day is mentioned, too.
    SayEmpty,
    /// Only those that are urgent.
    Urgent,
    /// It makes its part of the sentence a condition: "if", "as soon as".
    If,
    /// A filter follows.
    Only,
    /// It changes nothing.
    Filler,
}

/// Something that a kind lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    Events,
    Due,
    Overdue,
    /// Whom the person waits for.
    Waiting,
    /// What waits for the person.
    NeedsYou,
    /// What happened.
    Changed,
    Done,
    Stuck,
    /// Moved dates.
    Moved,
    /// Verdicts.
    Decisions,
    /// Time spent.
    Hours,
    /// What nobody touched.
    Stale,
}

/// What instructions say. All phrases are folded (see [`crate::read::fold`]) and match whole words; `/`
/// separates words of which one is there, `?` after a word means that it may be missing, `N` is a number
/// and `UNIT` a unit of time.
#[derive(Debug)]
pub struct Read {
    /// Phrases and what they mean; of several that fit, the longest counts.
    pub cues: &'static [(&'static str, Cue)],
    /// "Every hour" as the reader of dates finds it in a text, and as it is said.
    pub every_hour: Option<(&'static str, &'static str)>,
    /// Words that change nothing.
    pub fillers: &'static [&'static str],
    /// Words that say when or how often, as far as no phrase above has them: names of days and months, numbers
    /// and units are known anyway.
    pub times: &'static [&'static str],
    /// Words that turn round what is said with them. Those of all languages count in each.
    pub negations: &'static [&'static str],
    /// Words for the list of a task or what is on it. Where a task repeats they say no more than its title does.
    pub of_lists: &'static [&'static str],
    /// Words before or between those of [`Self::times`], which alone say nothing of when: "except".
    pub around_times: &'static [&'static str],
    /// Words that the reader of dates takes as part of a date, and that name what is looked at: "due".
    pub due: &'static [&'static str],
    /// Words of days that are not exact: "end of the month".
    pub vague: &'static [&'static str],
    /// Words that alone say how often, and not clearly when: "weekly".
    pub bare: &'static [&'static str],
    /// How often a kind usually runs, where a bare word such as "weekly" says no more than that.
    pub usual_words: &'static [(WorkKind, &'static str)],
    /// An instruction of each kind that is understood.
    pub examples: &'static [(WorkKind, &'static str)],
    /// Numbers in words.
    pub numbers: &'static [(&'static str, u16)],
    /// Units of time, in days; 0 is an hour.
    pub units: &'static [(&'static str, u16)],
    /// Words that begin a statement about oneself, in which an unknown word changes nothing: "I".
    pub statements: &'static [&'static str],
    /// Words between two things of which each is understood by itself.
    pub and: &'static [&'static str],
    /// Words before a name that filters: "in".
    pub places: &'static [&'static str],
    /// Words that stand for two.
    pub contractions: &'static [(&'static str, &'static str)],
    /// How often, in words that the reader of dates does not know or reads in another way: phrase, words
    /// that it knows, and the time of day that it names.
    pub schedules: &'static [(&'static str, &'static str, Option<&'static str>)],
    /// Parts of the day that are written as one word with the weekday, and their time.
    pub parts: &'static [(&'static str, &'static str)],
    /// A weekday of every week: `{day}`.
    pub each: &'static str,
    /// Before a time: "at".
    pub at: &'static str,
    /// When a kind usually runs, with its time: what is taken if an instruction does not say.
    pub usual: &'static [(WorkKind, &'static str, &'static str)],
}
