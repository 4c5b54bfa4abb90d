//! The words that the report needs from a language.

/// Words and sentences of the report in one language.
///
/// All phrases are folded (see [`crate::read::fold`]) and match whole words.
#[derive(Debug)]
pub struct Words {
    /// What headings say about the text below them.
    pub headings: Headings,
    /// What sentences say.
    pub cues: Cues,
    /// How the report words things.
    pub say: Say,
}

/// Phrases that determine the kind of a heading. `=` before a phrase: it must be the whole heading.
#[derive(Debug)]
pub struct Headings {
    /// Work to be done.
    pub todo: &'static [&'static str],
    /// Finished work.
    pub done: &'static [&'static str],
    /// Causes, lessons, decisions.
    pub learned: &'static [&'static str],
    /// Unsettled questions.
    pub open: &'static [&'static str],
    /// A short account of what the text is about.
    pub summary: &'static [&'static str],
    /// Known headings without a kind of their own: an outer heading's kind does not apply below
    /// them.
    pub neutral: &'static [&'static str],
}

/// Phrases that determine the kind of a sentence.
#[derive(Debug)]
pub struct Cues {
    /// Something is finished or works again.
    pub done: &'static [&'static str],
    /// Of those, the phrases that fit any work: "done", "finished".
    pub done_anything: &'static [&'static str],
    /// Past forms of work that needs to be done only once.
    pub done_verbs: &'static [&'static str],
    /// Words before a past form that make it a statement: "was", "has".
    pub auxiliaries: &'static [&'static str],
    /// Of those, the words that may also describe how things work: "is".
    pub present_auxiliaries: &'static [&'static str],
    /// Endings of the past form of any verb; such a word counts if it opens a sentence or follows a
    /// subject.
    pub past_endings: &'static [&'static str],
    /// Words with such an ending that describe no finished work: "needed", "planned".
    pub not_work: &'static [&'static str],
    /// Subjects that may precede a past form: "we".
    pub subjects: &'static [&'static str],
    /// Words that may occur between subject and past form.
    pub adverbs: &'static [&'static str],
    /// Words before a past form that make it an attribute: "the updated list".
    pub articles: &'static [&'static str],
    /// Words after a past form that name its object: "sent it".
    pub objects: &'static [&'static str],
    /// Labels at the start of a line that names work.
    pub todo_labels: &'static [&'static str],
    /// Something is still to be done.
    pub todo: &'static [&'static str],
    /// "Yet" and "not": together they say that something is still to be done.
    pub yet: &'static [&'static str],
    /// The other half of the pair.
    pub not: &'static [&'static str],
    /// The same, but weaker: counts only if no list names the work.
    pub todo_weak: &'static [&'static str],
    /// At the start of a clause, before what the writer has to get: "need".
    pub needs: &'static [&'static str],
    /// "Must be", before what is to be done or how something has to be.
    pub must_be: &'static [&'static str],
    /// Words after it that ask for work: "in", "ready".
    pub be_done: &'static [&'static str],
    /// "Must" that guesses: "must be a mistake".
    pub guesses: &'static [&'static str],
    /// Verbs that work starts with: "call", "fix".
    pub todo_verbs: &'static [&'static str],
    /// A decision.
    pub decided: &'static [&'static str],
    /// A new state of affairs: "is now".
    pub from_now: &'static [&'static str],
    /// Endings of the word after such a phrase which mean that something merely continues: "is now
    /// running".
    pub ongoing_endings: &'static [&'static str],
    /// A day was moved, whatever the sentence is about: "postponed".
    pub postponed: &'static [&'static str],
    /// Words that move a day or a thing: "moved".
    pub moved: &'static [&'static str],
    /// Objects of such a word when it moves a day: "deadline".
    pub dates: &'static [&'static str],
    /// Something is waiting.
    pub blocked: &'static [&'static str],
    /// A cause or an insight.
    pub learned: &'static [&'static str],
    /// The cause that explains everything.
    pub root: &'static [&'static str],
    /// Words that name any cause.
    pub cause: &'static [&'static str],
    /// An earlier statement does not hold, or a wish is already met.
    pub withdrawn: &'static [&'static str],
    /// The sentence tells of the past, or of where something comes from: "since", "dated".
    pub past: &'static [&'static str],
    /// Of those, the phrases that do so to what is named by a number: "ignore Q-3307".
    pub replaced: &'static [&'static str],
    /// Something that was believed turned out to be wrong.
    pub correction: &'static [&'static str],
    /// Finished work was undone.
    pub undone: &'static [&'static str],
    /// A question without a question mark.
    pub question: &'static [&'static str],
    /// A clause is negated.
    pub negation: &'static [&'static str],
    /// The sentence is a wish, a plan or an attempt.
    pub conditional: &'static [&'static str],
    /// At the start of a sentence that holds only if something else does: "if".
    pub conditions: &'static [&'static str],
    /// The same, if what follows is not over: "once it is paid", not "once it was paid".
    pub occasions: &'static [&'static str],
    /// Before a past form, or before words of `wholes`: not finished, but nearly.
    pub nearly: &'static [&'static str],
    /// Words that say that nothing is missing: "everything".
    pub wholes: &'static [&'static str],
    /// Before a statement that somebody only believes: "I thought".
    pub beliefs: &'static [&'static str],
    /// Words after such a word that make it another: "thought about".
    pub not_believed: &'static [&'static str],
    /// Clauses that make the one before a belief: "I think".
    pub belief_tags: &'static [&'static str],
    /// Before an exception: "apart from".
    pub exceptions: &'static [&'static str],
    /// After such a phrase: what was said before is no exception. "Apart from that"
    pub no_exceptions: &'static [&'static str],
    /// At the start of a clause that may deny the one before: "but".
    pub turns: &'static [&'static str],
    /// The other words of a clause that only denies: "but it wasn't really".
    pub denial: &'static [&'static str],
    /// Somebody else has to look at what was done: "needs review".
    pub unexamined: &'static [&'static str],
    /// Past forms that are no progress where somebody else did it: "the ferry was cancelled".
    pub done_to_us: &'static [&'static str],
    /// Of those, past forms of getting in touch, with others who may do it for the writer: "Tom called the bank".
    pub contacted: &'static [&'static str],
    /// The writer.
    pub own: &'static [&'static str],
    /// Words between the writer and a past form: "have".
    pub have: &'static [&'static str],
    /// The sentence is about what is to come: a day without a year is the next one.
    pub ahead: &'static [&'static str],
    /// The writer is not sure.
    pub hedge: &'static [&'static str],
    /// The paragraph is part of a template.
    pub sample: &'static [&'static str],
    /// Words that open a list of examples.
    pub example: &'static [&'static str],
    /// Table cells which say that the row is finished.
    pub cell_done: &'static [&'static str],
    /// Table cells which say that the row is open.
    pub cell_open: &'static [&'static str],
    /// Column titles that only name the state of a row.
    pub column_state: &'static [&'static str],
    /// Items which say that there is nothing.
    pub nothing: &'static [&'static str],
    /// Words that separate the clauses of a sentence.
    pub clauses: &'static [&'static str],
    /// Words at the start of a sentence that refer to the one before: "this", "it".
    pub leaning: &'static [&'static str],
    /// Phrases that make a sentence an explanation, even if it mentions finished work.
    pub explaining: &'static [&'static str],
    /// Words at the start of a sentence that holds only in some cases: "if", "when".
    pub provisos: &'static [&'static str],
    /// Words at the start of a sentence fragment: "in", "with".
    pub fragments: &'static [&'static str],
    /// Words that need something after them, even an address: "in".
    pub before_address: &'static [&'static str],
    /// Words of a request: "please".
    pub please: &'static [&'static str],
    /// Labels of what blocks the work.
    pub blocked_labels: &'static [&'static str],
    /// Words at the start of a sentence that contradicts the one before: "but".
    pub against: &'static [&'static str],
    /// Things that are not finished work when they are "back".
    pub trouble: &'static [&'static str],
    /// Phrases which say that trouble has returned.
    pub returned: &'static [&'static str],
    /// Something does not work as it should, now.
    pub failing: &'static [&'static str],
    /// Everything that failed works again.
    pub all_clear: &'static [&'static str],
    /// What helps until there is a real solution.
    pub workaround: &'static [&'static str],
    /// After a label of work, before the name of the person who does it: "for".
    pub owner: &'static [&'static str],
    /// Words before "that" or a colon that add nothing: "note that".
    pub notes: &'static [&'static str],
    /// A rule to follow: "never", "do not".
    pub rule: &'static [&'static str],
}

/// Titles and sentences of the report, with `{…}` placeholders. What is empty is left out.
#[derive(Debug)]
pub struct Say {
    /// Section of finished work, without its emoji.
    pub achieved: &'static str,
    /// Section of open work.
    pub left: &'static str,
    /// Section of insights.
    pub learned: &'static str,
    /// Section of open questions.
    pub open: &'static str,
    /// Section of what the newest notes say besides.
    pub recent: &'static str,
    /// Section of days to come.
    pub coming: &'static str,
    /// A day whose year is probably a slip. `{text}` `{year}`
    pub odd_year: &'static str,
    /// A day that a text names for some work has passed. `{text}`
    pub day_passed: &'static str,
    /// Section of addresses.
    pub links: &'static str,
    /// `{version}` `{n}`
    pub versions: &'static str,
    /// `{done}` `{all}`
    pub boxes: &'static str,
    /// `{all}`
    pub all_boxes: &'static str,
    /// Before what was achieved, for a template that asks for encouragement. `{what}`
    pub praise: &'static str,
    /// A group of boxes. `{group}` `{done}` `{all}`
    pub group: &'static str,
    /// Groups that did not fit. `{groups}` `{boxes}`
    pub more_groups: &'static str,
    /// Things that did not fit. `{n}`
    pub more: &'static str,
    /// `{first}`
    pub one_open: &'static str,
    /// `{n}` `{first}`
    pub n_open: &'static str,
    /// The text says that the only open box is done. `{first}`
    pub one_contested: &'static str,
    /// The text says that all open boxes are done. `{n}` `{first}`
    pub n_contested: &'static str,
    /// Nothing is open and something is done.
    pub nothing_open: &'static str,
    /// Nothing is reported as done.
    pub nothing_done: &'static str,
    /// The task holds no text and no items.
    pub nothing_yet: &'static str,
    /// `{reason}`
    pub blocked: &'static str,
    /// Without a reason.
    pub blocked_bare: &'static str,
    /// `{reason}`
    pub on_hold: &'static str,
    /// Without a reason.
    pub on_hold_bare: &'static str,
    /// The person closed the task.
    pub closed: &'static str,
    /// The person dropped the task.
    pub dropped: &'static str,
    /// `{day}`
    pub due: &'static str,
    /// `{what}`
    pub new: &'static str,
    /// `{item}`
    pub new_ticked: &'static str,
    /// `{item}`
    pub new_unticked: &'static str,
    /// `{item}`
    pub new_item: &'static str,
    /// `{field}` `{value}`
    pub new_field: &'static str,
    /// `{field}`
    pub field_cleared: &'static str,
    /// `{label}`
    pub new_label: &'static str,
    /// Names of fields: as in JSON, and for a reader.
    pub fields: &'static [(&'static str, &'static str)],
    /// A box that is neither open nor ticked. `{item}`
    pub half: &'static str,
    /// A box is open although the text says it is done. `{item}` `{text}`
    pub box_against_text: &'static str,
    /// A box is ticked although a later text asks for the work. `{item}` `{text}`
    pub text_against_box: &'static str,
    /// Link texts that say nothing about the target.
    pub empty_titles: &'static [&'static str],
    /// Words for kinds of addresses: issue, pull request, commit, image.
    pub kinds: &'static [(&'static str, &'static str)],
    /// Addresses found in code, by host. `{host}`
    pub page: &'static str,
    /// A single word that names an address. `{title}` `{host}`
    pub on_host: &'static str,
}
