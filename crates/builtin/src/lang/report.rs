//! The words the report asks a language for.

/// Words and sentences of the report in one language.
///
/// All phrases are folded (see [`crate::read::fold`]) and are looked for as whole words.
#[derive(Debug)]
pub struct Words {
    /// What headings say about the text below them.
    pub headings: Headings,
    /// What sentences say.
    pub cues: Cues,
    /// How the report says things.
    pub say: Say,
}

/// Phrases by which a heading is of a kind. `=` before one: the heading is nothing but that.
#[derive(Debug)]
pub struct Headings {
    /// Work to be done.
    pub todo: &'static [&'static str],
    /// Finished work.
    pub done: &'static [&'static str],
    /// Causes, lessons, decisions.
    pub learned: &'static [&'static str],
    /// What nobody settled yet.
    pub open: &'static [&'static str],
    /// What the text is about, in short.
    pub summary: &'static [&'static str],
    /// Known, but telling nothing: the kind of an outer heading does not reach below it.
    pub neutral: &'static [&'static str],
}

/// Phrases by which a sentence is of a kind.
#[derive(Debug)]
pub struct Cues {
    /// Something is finished or works again.
    pub done: &'static [&'static str],
    /// Of those, what may stand for any work: "done", "finished".
    pub done_anything: &'static [&'static str],
    /// Past forms of work that is finished by being done once.
    pub done_verbs: &'static [&'static str],
    /// Words before a past form that make it a statement: "was", "has".
    pub auxiliaries: &'static [&'static str],
    /// Those of them that may as well tell how things work: "is".
    pub present_auxiliaries: &'static [&'static str],
    /// Endings of the past form of any verb; such a word counts where it opens a sentence or
    /// follows a subject.
    pub past_endings: &'static [&'static str],
    /// Words with such an ending that tell of no finished work: "needed", "planned".
    pub not_work: &'static [&'static str],
    /// Who did it, when the past form follows: "we".
    pub subjects: &'static [&'static str],
    /// Words that may stand between those and the past form.
    pub adverbs: &'static [&'static str],
    /// Words before a past form that make it an attribute: "the updated list".
    pub articles: &'static [&'static str],
    /// Words behind a past form that somebody acted on: "sent it".
    pub objects: &'static [&'static str],
    /// Labels that open a line of work.
    pub todo_labels: &'static [&'static str],
    /// Something is still to be done.
    pub todo: &'static [&'static str],
    /// "Yet" and "not": together they say that something is still to be done.
    pub yet: &'static [&'static str],
    /// The other half of it.
    pub not: &'static [&'static str],
    /// The same, but weaker: counts only where nothing lists the work.
    pub todo_weak: &'static [&'static str],
    /// What work begins with: "call", "fix".
    pub todo_verbs: &'static [&'static str],
    /// A decision.
    pub decided: &'static [&'static str],
    /// A new state of affairs: "is now".
    pub from_now: &'static [&'static str],
    /// Endings of a word behind that by which it only goes on: "is now running".
    pub ongoing_endings: &'static [&'static str],
    /// A day moved, whatever the sentence names: "postponed".
    pub postponed: &'static [&'static str],
    /// Words that move a day or a thing: "moved".
    pub moved: &'static [&'static str],
    /// What such a word moves when it moves a day: "deadline".
    pub dates: &'static [&'static str],
    /// Something waits.
    pub blocked: &'static [&'static str],
    /// A cause or an insight.
    pub learned: &'static [&'static str],
    /// The one that explains everything.
    pub root: &'static [&'static str],
    /// What names a cause at all.
    pub cause: &'static [&'static str],
    /// An earlier statement does not hold, or a wish is met already.
    pub withdrawn: &'static [&'static str],
    /// What was believed does not hold.
    pub correction: &'static [&'static str],
    /// Work was taken back.
    pub undone: &'static [&'static str],
    /// A question without a question mark.
    pub question: &'static [&'static str],
    /// The sentence turns into its opposite within a clause.
    pub negation: &'static [&'static str],
    /// The sentence is a wish, a plan or an attempt.
    pub conditional: &'static [&'static str],
    /// The writer is not sure.
    pub hedge: &'static [&'static str],
    /// The paragraph is left over from a form.
    pub sample: &'static [&'static str],
    /// What opens a list of examples.
    pub example: &'static [&'static str],
    /// Cells of a table that say that its row is finished.
    pub cell_done: &'static [&'static str],
    /// Cells of a table that say that its row is open.
    pub cell_open: &'static [&'static str],
    /// Titles of columns that name nothing but the state of a row.
    pub column_state: &'static [&'static str],
    /// Items that say that there is none.
    pub nothing: &'static [&'static str],
    /// Words at which a sentence falls into clauses.
    pub clauses: &'static [&'static str],
    /// Words that open a sentence which leans on the one before: "this", "it".
    pub leaning: &'static [&'static str],
    /// Phrases by which a sentence explains, whatever it says of finished work.
    pub explaining: &'static [&'static str],
    /// Words that open a sentence which holds only in some case: "if", "when".
    pub provisos: &'static [&'static str],
    /// Words that open a piece of a sentence: "in", "with".
    pub fragments: &'static [&'static str],
    /// Words that want something behind them, were it an address: "in".
    pub before_address: &'static [&'static str],
    /// Words that ask: "please".
    pub please: &'static [&'static str],
    /// Labels of what holds the work up.
    pub blocked_labels: &'static [&'static str],
    /// Words that open a sentence which turns against the one before: "but".
    pub against: &'static [&'static str],
    /// What is no work when it is "back".
    pub trouble: &'static [&'static str],
    /// Phrases that say of a trouble that it is there again.
    pub returned: &'static [&'static str],
    /// Something does not work as it should, now.
    pub failing: &'static [&'static str],
    /// Everything that failed works.
    pub all_clear: &'static [&'static str],
    /// What helps until the real solution is there.
    pub workaround: &'static [&'static str],
    /// Behind a label of work, before the name of who does it: "for".
    pub owner: &'static [&'static str],
    /// Words before "that" or a colon that tell nothing: "note that".
    pub notes: &'static [&'static str],
    /// A rule to keep: "never", "do not".
    pub rule: &'static [&'static str],
}

/// Titles and sentences of the report. `{…}` is filled in.
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
    /// Section of addresses.
    pub links: &'static str,
    /// `{version}` `{n}`
    pub versions: &'static str,
    /// `{done}` `{all}`
    pub boxes: &'static str,
    /// `{all}`
    pub all_boxes: &'static str,
    /// A group of boxes. `{group}` `{done}` `{all}`
    pub group: &'static str,
    /// Groups that found no place. `{groups}` `{boxes}`
    pub more_groups: &'static str,
    /// Things that found no place. `{n}`
    pub more: &'static str,
    /// `{first}`
    pub one_open: &'static str,
    /// `{n}` `{first}`
    pub n_open: &'static str,
    /// All that is open the text says is done: one box. `{first}`
    pub one_contested: &'static str,
    /// The same of several. `{n}` `{first}`
    pub n_contested: &'static str,
    /// Nothing is open and something is done.
    pub nothing_open: &'static str,
    /// Nothing is said to be done.
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
    /// Names of fields on the wire and for a reader.
    pub fields: &'static [(&'static str, &'static str)],
    /// A box that is neither open nor ticked. `{item}`
    pub half: &'static str,
    /// A box is open, the text says it is done. `{item}` `{text}`
    pub box_against_text: &'static str,
    /// A box is ticked, a later text asks for the work. `{item}` `{text}`
    pub text_against_box: &'static str,
    /// Link words that say nothing about what is behind a link.
    pub empty_titles: &'static [&'static str],
    /// Words for kinds of addresses: issue, pull request, commit, image.
    pub kinds: &'static [(&'static str, &'static str)],
    /// Addresses that stood in code, by host. `{host}`
    pub page: &'static str,
}
