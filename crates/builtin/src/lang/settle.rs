//! How a language says that something is settled: it came, it is done, it is not wanted any more.

/// Words that say whether a thing is done, has arrived or is no longer wanted. Every word is folded: lower case, without accents.
#[derive(Debug)]
pub struct Settling {
    /// Past forms that settle what they are said of: "arrived", "paid".
    pub states: &'static [&'static str],
    /// Words that do so only after an auxiliary: "is here", "are complete".
    pub after_auxiliary: &'static [&'static str],
    /// Of those states, the ones that say that a thing came.
    pub comes: &'static [&'static str],
    /// Things that ask for something when they come: "bill".
    pub owed: &'static [&'static str],
    /// Of the states, the ones that say that a thing is reserved.
    pub reserved: &'static [&'static str],
    /// Verbs of work that is done when the thing comes: "order".
    pub gets: &'static [&'static str],
    /// Past forms that settle what is owed.
    pub pays: &'static [&'static str],
    /// Verbs of the same work, with the past forms that finish it: "return", "handed back".
    pub same: &'static [(&'static [&'static str], &'static [&'static str])],
    /// Of the states, the ones that nobody brings about: "arrived".
    pub happens: &'static [&'static str],
    /// Words that are such a state only at the end of a clause: "the seed is in".
    pub at_end: &'static [&'static str],
    /// Small words after a verb: "handed back".
    pub small: &'static [&'static str],
    /// Words between several things.
    pub joins: &'static [&'static str],
    /// Between a thing and its state.
    pub auxiliaries: &'static [&'static str],
    /// Words that may stand anywhere around a thing and its state.
    pub adverbs: &'static [&'static str],
    /// Before a thing.
    pub determiners: &'static [&'static str],
    /// Between a thing and what it is part of, or meant for.
    pub prepositions: &'static [&'static str],
    /// Past forms whose object the writer now has: "bought".
    pub takes: &'static [&'static str],
    /// Past forms of somebody else's act, if `receivers` follow: "wrote us".
    pub gives: &'static [&'static str],
    /// "us", "me"
    pub receivers: &'static [&'static str],
    /// "I", "we"
    pub selves: &'static [&'static str],
    /// Objects that stand for all of the work: "everything".
    pub everything: &'static [&'static str],
    /// Words at the end of a title that name the state to reach, with words that say the same.
    pub goals: &'static [(&'static str, &'static [&'static str])],
    /// In the clause: it is a wish, a plan, a denial, a part.
    pub void: &'static [&'static str],
    /// Anywhere in the sentence: part of it is missing.
    pub rest: &'static [&'static str],
    /// Anywhere in the sentence: what came is not what was wanted.
    pub harm: &'static [&'static str],
    /// Anywhere in the sentence: the harm does not matter.
    pub shrug: &'static [&'static str],
    /// Words that begin a clause of their own.
    pub clauses: &'static [&'static str],
    /// Before a thing that is not wanted any more: "no need for".
    pub dropped_before: &'static [&'static str],
    /// After such a thing: "is not needed".
    pub dropped_after: &'static [&'static str],
    /// "no … then", "no … after all": the words after the thing.
    pub no_after: &'static [&'static str],
    /// Verbs of getting in touch, whose work ends when the other side answers.
    pub contacts: &'static [&'static str],
    /// What an answer looks like.
    pub replies: &'static [&'static str],
    /// Verbs of waiting: what is awaited follows one of `awaited`.
    pub waits: &'static [&'static str],
    /// "for", "on", "by"
    pub awaited: &'static [&'static str],
    /// After what was awaited: "at last".
    pub at_last: &'static [&'static str],
    /// Further past forms that say that something was carried out: "went", "drew".
    pub acts: &'static [&'static str],
    /// Things that take place, so that reserving them does not finish them: "appointment".
    pub held: &'static [&'static str],
    /// Things that are no use when they are full: "hotel".
    pub crowded: &'static [&'static str],
    /// Things that somebody else must get, so that they are done when they are sent: "invoice".
    pub outgoing: &'static [&'static str],
    /// Past forms that say so.
    pub sends: &'static [&'static str],
    /// Past forms that finish what exists once it is made: "wrote".
    pub makes: &'static [&'static str],
    /// Nouns of a verb; the work is done when they are sent: "cancel", "cancellation".
    pub nouns: &'static [(&'static str, &'static [&'static str])],
    /// Verbs of telling somebody something.
    pub tells: &'static [&'static str],
    /// What is said of somebody who was told.
    pub knows: &'static [&'static str],
    /// Before a verb form: what it names will not be done.
    pub not_doing: &'static [&'static str],
    /// Before the base form of a verb: the same.
    pub not_to: &'static [&'static str],
    /// Before a past form: it does not have to be done.
    pub not_necessary: &'static [&'static str],
    /// Words before a number that say that it counts all there are: "last".
    pub last_of: &'static [&'static str],
    /// Words of time that may follow what is reserved again and again: "every".
    pub recurring: &'static [&'static str],
    /// Past forms of work that is done no matter who did it: "repaired".
    pub finishers: &'static [&'static str],
    /// Things that exist for others when they are online: "advert".
    pub publishable: &'static [&'static str],
    /// States of such things.
    pub published: &'static [&'static str],
    /// What arrives "from" somebody who was waited for.
    pub parcels: &'static [&'static str],
    /// Awaited things, and what is done when they come: "call", "rang".
    pub comings: &'static [(&'static [&'static str], &'static [&'static str])],
    /// Words that somebody says or decides with.
    pub speaks: &'static [&'static str],
    /// Last words of a compound that add nothing: "notice letter".
    pub containers: &'static [&'static str],
    /// Verbs of handing over.
    pub hands: &'static [&'static str],
    /// Words that close a list about a thing: "finished".
    pub closed: &'static [&'static str],
    /// Before a thing that is complete now: "that completes".
    pub completes: &'static [&'static str],
    /// Words which say that work is somebody else's.
    pub not_ours: &'static [&'static str],
    /// Before another one of a thing: "no second quote" drops none.
    pub further: &'static [&'static str],
    /// Words before work that somebody is to do: "has to", "needs to".
    pub asks: &'static [&'static str],
    /// Verbs that are nouns as well: "figure", "draft".
    pub nouns_too: &'static [&'static str],
    /// Words of time that may follow what is done: "handed in after the shift".
    pub temporal: &'static [&'static str],
    /// What somebody does who was waited for: "closed", "answered".
    pub closes: &'static [&'static str],
    /// "it", "this"
    pub pronouns: &'static [&'static str],
    /// Before a verb: there is nothing of the kind to do.
    pub nothing_to: &'static [&'static str],
    /// Signs and words after which a thing has a new value: "now".
    pub values: &'static [&'static str],
    /// Units after a number.
    pub units: &'static [&'static str],
    /// Words which say that a thing has another day now: "instead".
    pub moves: &'static [&'static str],
    /// Before a day that a thing had: "instead of 1 March".
    pub away: &'static [&'static str],
    /// Words between "only" and what makes a sentence conditional.
    pub only: &'static [&'static str],
}
