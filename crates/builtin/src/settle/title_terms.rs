//! What a title names: a thing, sometimes with a verb before it or the state to reach after it.

use super::phrase::Named;
use crate::lang::Lang;
use crate::propose::words::{Class, Token, tokens};
use crate::read::fold::stem;

/// What a title names.
#[derive(Debug, Clone)]
pub struct TitleTerms {
    /// All its words that carry meaning.
    pub words: Vec<String>,
    /// Of those, the ones of the thing itself: "list" and "guests" are two things, of which the
    /// first counts.
    pub thing: Vec<String>,
    /// The verb it begins with.
    pub verb: Option<String>,
    /// The verbs of a title with several: "strip and check the frame".
    pub verbs: Vec<String>,
    /// Nouns of its verb: "cancellation".
    pub nouns: Vec<&'static str>,
    /// Its first word, which may be a verb that no list knows.
    pub opening: Option<String>,
    /// The state it ends with: "signed".
    pub goal: Option<&'static [&'static str]>,
    /// What it waits for.
    pub awaited: Option<Vec<String>>,
    /// Numbers in it, and whether it names more than one thing.
    pub numbers: Vec<String>,
    /// Whether it joins several things, which are done when all are.
    pub is_list: bool,
    /// Whether its thing looks like a plural.
    pub is_plural: bool,
    /// Small words of it, as in "turn down".
    pub particles: Vec<String>,
    /// Names after its thing: "Rome" in "a hotel in Rome".
    pub names: Vec<String>,
}

impl TitleTerms {
    /// Reads a title.
    pub fn of(title: &str, lang: &Lang) -> Self {
        let rules = lang.settle;
        let all = tokens(&without_parentheses(title));
        let stated: Vec<&Token> =
            all.iter().filter(|t| matches!(t.class, Class::Word | Class::Number)).collect();
        let is_preposition = |t: &&&Token| rules.prepositions.contains(&t.word.as_str());
        let words = content(&stated, lang);
        // "Insurance: plan approved" is about the plan.
        let start = after_label(&all, stated.len());
        let verb_at = verb_at(&stated, start, lang);
        let verb = verb_at.and_then(|at| lemma(&stated[at].word, lang));
        let opening =
            stated.get(start).filter(|_| stated.len() > start + 1).map(|t| t.word.clone());
        let mut from = verb_at.map_or(start, |at| at + 1);
        // "Get rid of the stump" is no getting.
        let is_rid = stated.get(from).is_some_and(|token| token.word == "rid");
        let verb = verb.map(|verb| if is_rid { "remove".to_owned() } else { verb });
        // "Get the render patched" asks to patch it.
        let made_done = made_done(verb.as_deref(), &stated, from, lang);
        if verb.is_some() {
            // "write to the banks", "get rid of the stump"
            while stated.get(from).is_some_and(|t| !carries(t, lang) || t.word == "rid") {
                from += 1;
            }
        }
        let rest = &stated[from.min(stated.len())..];
        let to =
            rest.iter().skip(1).position(|t| is_preposition(&t)).map_or(rest.len(), |at| at + 1);
        let verb = if let Some(done) = made_done.clone() { Some(done) } else { verb };
        // "Strip + check frame"
        let mut verbs: Vec<String> = verb.iter().cloned().collect();
        let second = all.iter().position(|t| t.is("+") || t.is("&") || t.is("and") || t.is("/"));
        let joined = second.and_then(|at| all.get(at + 1)).and_then(|next| {
            lemma(&next.word, lang).filter(|base| *base == next.word && is_work_verb(base, lang))
        });
        // A verb that no list knows is one if another follows: "strip + check frame".
        let verb = match (&joined, &opening) {
            (Some(_), Some(opening)) if verb.is_none() && second == Some(1) => {
                Some(opening.clone())
            }
            _ => verb,
        };
        if verb.is_some() && verbs.is_empty() {
            verbs.extend(verb.clone());
        }
        if verb.is_some() {
            verbs.extend(joined);
        }
        let of_verb = rules.nouns.iter().filter(|(of, _)| verb.as_deref() == Some(of));
        let nouns = of_verb.flat_map(|(_, nouns)| nouns.iter().copied()).collect();
        let mut thing = content(&rest[..to], lang);
        if made_done.is_some() && thing.len() > 1 {
            thing.pop();
        }
        if verbs.len() > 1 {
            thing.retain(|word| verbs.iter().all(|verb| stem(verb, lang) != *word));
        }
        // "Give the key back"
        let ends_small = rest[..to].last().is_some_and(|t| rules.small.contains(&t.word.as_str()));
        if ends_small && verb.is_some() && thing.len() > 1 && carries(rest[to - 1], lang) {
            thing.pop();
        }
        let goal = stated
            .last()
            .filter(|_| verb.is_none())
            .and_then(|last| Some(rules.goals.iter().find(|(goal, _)| *goal == last.word)?.1));
        if goal.is_some()
            && stated.last().is_some_and(|last| carries(last, lang))
            && thing.len() > 1
        {
            thing.pop();
        }
        let awaited = awaited(&stated, lang);
        let counted = stated[start..].iter().filter(|t| is_number(t, lang));
        let numbers = counted.map(|t| stem(&t.word, lang)).collect();
        let inner = &rest[..to];
        let after = rest[to..].iter().filter(|t| carries(t, lang) && begins_upper(t));
        let names = after.map(|t| stem(&t.word, lang)).collect();
        let is_list = inner.iter().any(|t| rules.joins.contains(&t.word.as_str()))
            || all.iter().any(|t| t.is(",") || t.is("&") || t.is("+"));
        let last = inner.iter().rev().find(|t| carries(t, lang));
        let is_plural = last.is_some_and(|t| t.word.ends_with('s') && !t.word.ends_with("ss"));
        Self {
            words,
            thing,
            verb,
            verbs,
            nouns,
            opening,
            goal,
            awaited,
            numbers,
            is_list,
            is_plural,
            particles: particles(rest),
            names,
        }
    }

    /// The last word of its thing, numbers aside.
    pub fn head(&self) -> &str {
        let is_term = |word: &&String| word.chars().any(char::is_alphabetic);
        self.thing.iter().rev().find(is_term).map(String::as_str).unwrap_or_default()
    }

    /// Reads a sentence that asks for work: "the part has to be ordered", "Ruth to ask the verger".
    pub fn of_request(text: &str, lang: &Lang) -> Self {
        let tokens = tokens(text);
        let is = |at: usize, phrase: &str| {
            phrase
                .split(' ')
                .enumerate()
                .all(|(n, word)| tokens.get(at + n).is_some_and(|t| t.is(word)))
        };
        let rules = lang.settle;
        let waits = (0..tokens.len()).any(|at| rules.waits.iter().any(|phrase| is(at, phrase)));
        let words = |range: std::ops::Range<usize>| -> String {
            tokens[range].iter().map(|t| t.raw.as_str()).collect::<Vec<_>>().join(" ")
        };
        // "Need 2 rolls of felt": all of it is to be got.
        let needed = tokens.iter().enumerate().position(|(at, t)| {
            let is_quiet = |t: &Token| {
                let word = t.word.as_str();
                rules.selves.contains(&word) || lang.propose.before_obligations.contains(&word)
            };
            let before = tokens[..at].iter().rev().find(|t| !is_quiet(t));
            let opens = before.is_none_or(|t| t.class == Class::Mark);
            opens && lang.report.cues.needs.contains(&t.word.as_str()) && !is(at + 1, "to")
        });
        if let Some(at) = needed
            && !waits
        {
            let all = Self::of(&words(at + 1..tokens.len()), lang);
            let nouns = Self::of(text, lang).words.into_iter().filter(|word| !is_count_word(word));
            let own = stem(&tokens[at].word, lang);
            let thing: Vec<String> = nouns.filter(|word| *word != own).collect();
            let words = thing.clone();
            return Self { thing, words, verb: Some("get".into()), numbers: Vec::new(), ..all };
        }
        // "Hettinga has not answered yet"
        let not = (0..tokens.len()).find(|at| {
            lang.report.cues.not.iter().any(|word| tokens[*at].is(word)) && *at > 0 && *at <= 4
        });
        let yet = tokens.iter().any(|t| lang.report.cues.yet.contains(&t.word.as_str()));
        if let Some(at) = not.filter(|_| yet && !waits) {
            let all = Self::of(text, lang);
            let who: Vec<String> = tokens[..at]
                .iter()
                .filter(|t| carries(t, lang))
                .map(|t| stem(&t.word, lang))
                .collect();
            if !who.is_empty() {
                return Self { awaited: Some(who), ..all };
            }
        }
        // "Ruth to ask": of somebody only.
        let is_given = |at: usize| {
            let from = tokens[..at].iter().rposition(|t| t.is(":")).map_or(0, |n| n + 1);
            at > from
                && tokens[from..at].iter().all(|t| begins_upper(t) || t.is("and") || t.is("&"))
        };
        let request = (0..tokens.len()).find_map(|at| {
            let phrase = rules.asks.iter().find(|phrase| is(at, phrase))?;
            (*phrase != "to" || is_given(at)).then(|| (at, at + phrase.split(' ').count()))
        });
        let Some((at, after)) = request.filter(|_| !waits) else { return Self::of(text, lang) };
        let end = tokens[after..]
            .iter()
            .position(|t| t.is(",") || t.is(";"))
            .map_or(tokens.len(), |n| after + n);
        let Some(verb) = tokens.get(after) else { return Self::of(text, lang) };
        // "The part has to be ordered" asks to order the part.
        if verb.is("be")
            && let Some(past) = tokens.get(after + 1).and_then(|past| lemma(&past.word, lang))
        {
            return Self::of(&format!("{past} {}", words(0..at)), lang);
        }
        let is_work = lemma(&verb.word, lang).is_some_and(|base| base == verb.word);
        if is_work { Self::of(&words(after..end), lang) } else { Self::of(text, lang) }
    }

    /// Returns the reading without a verb of a title such as "figure 3" or "draft accounts".
    pub fn as_thing(&self, lang: &Lang) -> Option<Self> {
        let verb = self.verb.as_ref()?;
        let is_noun = self.opening.as_ref() == Some(verb)
            && lang.settle.nouns_too.contains(&verb.as_str())
            && self.words.first() == Some(&stem(verb, lang));
        let thing = [stem(verb, lang)].into_iter().chain(self.thing.iter().cloned());
        is_noun.then(|| Self {
            thing: thing.collect(),
            verb: None,
            opening: None,
            // "Draft accounts" could ask for drafting; "swap form" asks for nothing.
            is_list: self.is_plural,
            ..self.clone()
        })
    }

    /// Returns whether it has all these words.
    pub fn has_all(&self, named: &[String]) -> bool {
        named.iter().all(|word| self.words.contains(word))
    }

    /// Returns whether its thing consists of these words.
    pub fn begins_with(&self, words: &[String]) -> bool {
        self.verb.is_none() && self.thing == words
    }

    /// Returns whether these words name exactly this thing: all of them are its own, and the last
    /// word of the thing, or two words of the title, are among them.
    ///
    /// One of several things is not all of them: "got a quote" is not "three quotes".
    pub fn is_named_by(&self, stated: &Named) -> bool {
        let Some(head) = self.thing.last() else { return false };
        let named = &stated.words;
        let is_whole = self.thing.iter().all(|word| named.contains(word));
        let counts = self.numbers.iter().all(|number| named.contains(number)) || stated.is_all;
        // "Battery 1004" is not "battery 1003".
        let is_marked = self.numbers.iter().all(|number| stated.marks.contains(number));
        let marks_agree = stated.marks.is_empty() || self.numbers.is_empty() || is_marked;
        let counts = (counts || is_marked) && marks_agree;
        !named.is_empty()
            && self.has_all(named)
            && (is_whole || !self.is_list)
            && counts
            && (stated.is_plural || !self.is_plural)
            && (named.last() == Some(head)
                || named.len() >= 2
                    && named.iter().zip(&self.words).all(|(one, other)| one == other))
    }
}

/// The stems of the words that carry meaning.
fn content(tokens: &[&Token], lang: &Lang) -> Vec<String> {
    tokens.iter().filter(|t| carries(t, lang)).map(|t| stem(&t.word, lang)).collect()
}

/// Where the verb of a title is: "Kofi writes to the banks", "I fill in the form".
fn verb_at(stated: &[&Token], start: usize, lang: &Lang) -> Option<usize> {
    // Another word comes first only if somebody does it.
    let has_actor = |at: usize| {
        lang.settle.selves.contains(&stated[at - 1].word.as_str())
            || stated[at].word.ends_with('s') && stated[at - 1].raw.starts_with(char::is_uppercase)
    };
    (start..stated.len().min(start + 2)).find(|at| {
        stated.len() > at + 1
            && lemma(&stated[*at].word, lang).is_some_and(|base| {
                // "Fixed asset register" asks nobody to fix anything.
                let asks = *at == start && base == stated[*at].word;
                is_work_verb(&base, lang) && (asks || *at > start && has_actor(*at))
            })
    })
}

/// Where a title begins after a label, among its words and numbers.
fn after_label(all: &[Token], n_words: usize) -> usize {
    let start = all.iter().rposition(|t| t.is(":")).map_or(0, |at| {
        all[..at].iter().filter(|t| matches!(t.class, Class::Word | Class::Number)).count()
    });
    if start < n_words { start } else { 0 }
}

/// The verb at the end of "get the render patched".
fn made_done(verb: Option<&str>, stated: &[&Token], from: usize, lang: &Lang) -> Option<String> {
    verb.filter(|verb| matches!(*verb, "get" | "have") && stated.len() > from + 1)?;
    let last = stated.last()?;
    let stripped = last.word.strip_suffix("ed")?;
    Some(lemma(&last.word, lang).unwrap_or_else(|| stripped.to_owned()))
}

fn particles(rest: &[&Token]) -> Vec<String> {
    let is_particle =
        |t: &&&Token| matches!(t.word.as_str(), "down" | "up" | "off" | "on" | "in" | "out");
    rest.iter().filter(is_particle).map(|t| t.word.clone()).collect()
}

/// What a title waits for: "waiting for the parts".
fn awaited(stated: &[&Token], lang: &Lang) -> Option<Vec<String>> {
    let rules = lang.settle;
    let at = stated.iter().position(|t| rules.waits.contains(&t.word.as_str()))?;
    let after = &stated[at + 1..];
    let start = after.iter().position(|t| rules.awaited.contains(&t.word.as_str()))? + 1;
    let named = &after[start..];
    // "Waiting for Thorn now, nothing else to do"
    let ends = |t: &&Token| {
        let word = t.word.as_str();
        rules.adverbs.contains(&word) || rules.prepositions.contains(&word)
    };
    let end = named.iter().skip(1).position(ends).map_or(named.len(), |at| at + 1);
    // "So we are waiting for that": for what the sentence is about.
    let is_pronoun = named.first().is_some_and(|t| rules.pronouns.contains(&t.word.as_str()));
    let words =
        if is_pronoun { content(&stated[..at], lang) } else { content(&named[..end], lang) };
    Some(words).filter(|words| !words.is_empty())
}

/// Returns whether a token is a number, in figures or in words.
pub fn is_number(token: &Token, lang: &Lang) -> bool {
    token.class == Class::Number
        || lang.propose.spans.numbers.iter().any(|(word, _)| *word == token.word)
}

/// Returns whether a stem is a figure.
fn is_count_word(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

/// Returns whether a word is written like a name.
pub fn begins_upper(token: &Token) -> bool {
    token.class == Class::Word && token.raw.starts_with(char::is_uppercase)
}

/// Returns whether a word carries meaning.
pub fn carries(token: &Token, lang: &Lang) -> bool {
    match token.class {
        Class::Number => true,
        Class::Word => {
            token.word.chars().count() > 1 && !lang.stop_words.contains(&token.word.as_str())
        }
        Class::Mark | Class::Sealed => false,
    }
}

/// Returns the base form of a verb: "wrote", "writes" and "write" are one. `None` if the word can
/// be no form of a known verb.
pub fn lemma(word: &str, lang: &Lang) -> Option<String> {
    let irregular = lang.propose.tick.irregular;
    if let Some((base, _)) =
        irregular.iter().find(|(base, forms)| *base == word || forms.contains(&word))
    {
        return Some((*base).to_owned());
    }
    let verbs = lang.report.cues.todo_verbs;
    let known =
        |base: &str| irregular.iter().any(|(verb, _)| *verb == base) || verbs.contains(&base);
    if known(word) {
        return Some(word.to_owned());
    }
    let stripped = ["s", "es", "ed", "d"].iter().filter_map(|ending| word.strip_suffix(ending));
    let doubled = word.strip_suffix("ed").filter(|rest| {
        let mut last = rest.chars().rev();
        last.next() == last.next()
    });
    let shorter = doubled.map(|rest| &rest[..rest.len() - 1]);
    if let Some(rest) = word.strip_suffix("ied").or(word.strip_suffix("ies"))
        && known(&format!("{rest}y"))
    {
        return Some(format!("{rest}y"));
    }
    stripped.chain(shorter).find(|base| known(base)).map(str::to_owned)
}

fn is_work_verb(base: &str, lang: &Lang) -> bool {
    lang.report.cues.todo_verbs.contains(&base) || lang.settle.contacts.contains(&base)
}

/// Returns a title without what it says in parentheses.
fn without_parentheses(title: &str) -> String {
    let mut depth = 0_u32;
    let kept = title.chars().filter(|c| {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0
    });
    let kept: String = kept.collect();
    if kept.chars().any(char::is_alphabetic) { kept } else { title.to_owned() }
}
