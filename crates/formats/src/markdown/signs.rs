//! The fields that people write into the line of a task: the signs of Obsidian's Tasks plugin, its
//! `[due:: 2026-01-01]` form, the `@{2026-01-01}` of its Kanban plugin, `!p1`, `#labels`, and the id of a block.
//!
//! Source: the documentation of Obsidian Tasks, "Emoji Format" and "Dataview Format".

use dormouse_types::task::Priority;
use jiff::civil::Date;

use super::days;

/// A line of a task, understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// The text without the fields; the whole text if nothing else would be left.
    pub title: String,
    /// The text without fields and labels, from which a key is made: ticking a task in Obsidian adds
    /// a date to its line.
    pub bare: String,
    pub due_on: Option<Date>,
    pub priority: Option<Priority>,
    pub labels: Vec<String>,
    /// The id of the block or of the task, without `^`.
    pub id: Option<String>,
    /// Fields that a draft has no place for, as written.
    pub kept: Vec<String>,
    /// Dates that are not in the calendar, as written; they are kept too.
    pub impossible: Vec<String>,
    /// Whether there is a field that only a task can have.
    has_field: bool,
    /// Whether such a field ends the text, apart from labels and the id of a block.
    pub ends_with_field: bool,
    /// Whether the priority is written as `!p1`, which nobody takes for decoration.
    is_marked: bool,
}

impl Signs {
    /// Whether a heading has these fields; other signs are decoration there.
    pub fn are_of_heading(&self) -> bool {
        self.due_on.is_some() || self.is_marked
    }

    /// Whether the line has a field that only a task can have: labels and ids do not count.
    pub fn makes_task(&self) -> bool {
        self.has_field
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Due,
    /// A date without a place: scheduled, start, created, done, cancelled.
    Date,
    Recurrence,
    Priority(Priority),
    Id,
    /// One word without a place: what it depends on, what happens when it is done.
    Word,
}

fn sign(c: char) -> Option<Field> {
    Some(match c {
        '📅' | '📆' | '🗓' => Field::Due,
        '⏳' | '⌛' | '🛫' | '➕' | '✅' | '❌' => Field::Date,
        '🔁' => Field::Recurrence,
        '🔺' => Field::Priority(Priority::P0),
        '⏫' => Field::Priority(Priority::P1),
        '🔼' => Field::Priority(Priority::P2),
        '🔽' | '⏬' => Field::Priority(Priority::P3),
        '🆔' => Field::Id,
        '⛔' | '🏁' => Field::Word,
        _ => return None,
    })
}

fn named(key: &str, value: &str) -> Option<Field> {
    Some(match key.to_lowercase().as_str() {
        "due" => Field::Due,
        "scheduled" | "start" | "created" | "completion" | "cancelled" => Field::Date,
        "repeat" => Field::Recurrence,
        "id" => Field::Id,
        "dependson" | "oncompletion" => Field::Word,
        "priority" => Field::Priority(match value.to_lowercase().as_str() {
            "highest" => Priority::P0,
            "high" => Priority::P1,
            "medium" => Priority::P2,
            "low" | "lowest" => Priority::P3,
            _ => return None,
        }),
        _ => return None,
    })
}

/// The label with which Obsidian Tasks marks its tasks. It is no word of a title.
const FILTER: &str = "#task";

/// How many labels stand before a sentence and apart from it: `#task Call mum`, and not `#hiring plan`, where
/// the label is a word of it.
fn n_before_sentence(words: &[&str]) -> usize {
    let n = words.iter().take_while(|word| label(word).is_some()).count();
    let begins_sentence = |word: &str| word.starts_with(|c: char| !c.is_lowercase());
    if words.get(n).is_some_and(|word| begins_sentence(word)) {
        return n;
    }
    0
}

/// Reads the fields of a line, which has no list marker and no box.
pub(super) fn read(text: &str) -> Signs {
    let mut signs = Signs::default();
    // What is left of the text, and what is left without labels.
    let mut title = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_field = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '[' | '(' => signs.bracketed(rest),
            '@' => signs.of_card(rest),
            '!' if title.is_empty() || title.ends_with(char::is_whitespace) => signs.marked(rest),
            _ => sign(c).map_or(0, |field| signs.signed(field, c, rest)),
        };
        if taken == 0 {
            title.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            title.push(' ');
            rest = &rest[taken..];
            after_field = rest;
        }
    }
    signs.ends_with_field = signs.has_field
        && after_field
            .split_whitespace()
            .all(|word| label(word).is_some() || word.starts_with('^'));
    let title = signs.without_block_id(&title);
    let words: Vec<&str> = title.split_whitespace().collect();
    signs.labels = words.iter().filter_map(|word| label(word)).map(str::to_owned).collect();
    // Labels at the end stand apart from the sentence; elsewhere they are words of it.
    let n_stated = words.iter().rposition(|word| label(word).is_none()).map_or(0, |at| at + 1);
    let words_read = if n_stated == 0 { &words[..] } else { &words[..n_stated] };
    // So that what was imported before is recognized, the key keeps the labels at the beginning.
    signs.bare = words_read.join(" ");
    let is_filter = |word: &&&str| word.eq_ignore_ascii_case(FILTER);
    let stated = words_read[n_before_sentence(words_read)..].iter();
    signs.title = stated.filter(|word| !is_filter(word)).copied().collect::<Vec<_>>().join(" ");
    if signs.title.is_empty() {
        signs.title = text.trim().to_owned();
        signs.bare = signs.title.clone();
    }
    signs
}

impl Signs {
    /// Takes a field with a sign before it; returns its length in bytes, 0 if it is none.
    fn signed(&mut self, field: Field, sign: char, rest: &str) -> usize {
        let after = &rest[sign.len_utf8()..];
        let after = after.strip_prefix('\u{fe0f}').unwrap_or(after);
        let value = after.trim_start();
        let length = match field {
            Field::Priority(_) => return self.take(field, &rest[..rest.len() - after.len()], ""),
            Field::Due | Field::Date => date_length(value),
            Field::Recurrence => recurrence_length(value),
            Field::Id | Field::Word => word_length(value),
        };
        if length == 0 {
            return 0;
        }
        let whole = rest.len() - value.len() + length;
        self.take(field, &rest[..whole], &value[..length])
    }

    /// Takes `!p0` to `!p3`, as in the line of a quick add; returns its length in bytes.
    fn marked(&mut self, rest: &str) -> usize {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let priority = match word.to_ascii_lowercase().as_str() {
            "!p0" => Priority::P0,
            "!p1" => Priority::P1,
            "!p2" => Priority::P2,
            "!p3" => Priority::P3,
            _ => return 0,
        };
        self.is_marked = true;
        self.take(Field::Priority(priority), word, "")
    }

    /// Takes the day or the time of a card of Obsidian's Kanban: `@{2026-12-01}`, `@[[2026-12-01]]`,
    /// `@@{14:30}`. Returns its length in bytes, 0 if it is none.
    fn of_card(&mut self, rest: &str) -> usize {
        for (open, end) in [("@{", "}"), ("@[[", "]]")] {
            let Some(value) = rest.strip_prefix(open) else { continue };
            if date_length(value) == 10 && value[10..].starts_with(end) {
                let whole = open.len() + 10 + end.len();
                return self.take(Field::Due, &rest[..whole], &value[..10]);
            }
        }
        // The longest one is `12:30 PM`.
        const LONGEST: usize = 8;
        let is_in_time = |c: char| c.is_ascii_digit() || ": apmAPM".contains(c);
        let time = rest.strip_prefix("@@{").and_then(|rest| {
            let n_chars = rest.chars().take(LONGEST).take_while(|&c| is_in_time(c)).count();
            rest[n_chars..].starts_with('}').then(|| &rest[..n_chars])
        });
        match time.filter(|time| time.contains(':')) {
            Some(time) => self.take(Field::Word, &rest[..time.len() + 4], time),
            None => 0,
        }
    }

    /// Takes `[key:: value]` or `(key:: value)`.
    fn bracketed(&mut self, rest: &str) -> usize {
        // A field is short; a long text after a bracket is none.
        const LONGEST: usize = 200;
        let close = if rest.starts_with('[') { ']' } else { ')' };
        let opens = |c: char| matches!(c, '[' | '(');
        let inside = rest.char_indices().skip(1).take(LONGEST).take_while(|&(_, c)| !opens(c));
        let Some(end) = { inside }.find(|&(_, c)| c == close) else { return 0 };
        let Some((key, value)) = rest[1..end.0].split_once("::") else { return 0 };
        let (key, value) = (key.trim(), value.trim());
        let Some(field) = named(key, value) else { return 0 };
        let is_date = matches!(field, Field::Due | Field::Date);
        if value.is_empty() || (is_date && date_length(value) != value.len()) {
            return 0;
        }
        self.take(field, &rest[..end.0 + 1], value)
    }

    fn take(&mut self, field: Field, whole: &str, value: &str) -> usize {
        match field {
            Field::Due => match days::leading(value, None).day() {
                Some(day) if self.due_on.is_none() => self.due_on = Some(day),
                Some(_) => self.kept.push(whole.to_owned()),
                None => {
                    self.impossible.push(value.to_owned());
                    self.kept.push(whole.to_owned());
                }
            },
            Field::Priority(priority) if self.priority.is_none() => self.priority = Some(priority),
            Field::Priority(_) | Field::Date | Field::Recurrence | Field::Word => {
                self.kept.push(whole.to_owned());
            }
            Field::Id => {
                self.kept.push(whole.to_owned());
                self.id.get_or_insert_with(|| value.to_owned());
            }
        }
        self.has_field |= !matches!(field, Field::Id | Field::Word);
        whole.len()
    }

    /// Takes ` ^id` from the end of a text.
    fn without_block_id<'a>(&mut self, text: &'a str) -> &'a str {
        let text = text.trim_end();
        let Some((before, id)) = text.rsplit_once(" ^") else { return text };
        let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !is_id {
            return text;
        }
        self.id = Some(id.to_owned());
        self.kept.push(format!("^{id}"));
        before
    }
}

/// The length of a date `2026-01-01` at the beginning of a text, also of an impossible one.
fn date_length(text: &str) -> usize {
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let fits = text.len() >= 10 && text.bytes().take(10).enumerate().all(shape);
    let runs_on = text[if fits { 10 } else { 0 }..].starts_with(|c: char| c.is_alphanumeric());
    if fits && !runs_on { 10 } else { 0 }
}

/// The length of `every 2 weeks when done`: up to the next field or label.
fn recurrence_length(text: &str) -> usize {
    let ends = |c: char| sign(c).is_some() || matches!(c, '#' | '[' | '(' | '^');
    text[..text.find(ends).unwrap_or(text.len())].trim_end().len()
}

fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ',');
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// The label of a word such as `#home/garden`. A number alone is the number of an issue.
fn label(word: &str) -> Option<&str> {
    let name = word.strip_prefix('#')?.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let fits = !name.is_empty() && name.chars().all(is_name) && name.contains(char::is_alphabetic);
    fits.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_leave_the_title_and_what_has_no_place_is_kept() {
        let signs = read(
            "Pay #the rent 🔺 🔁 every month on the 1st 🛫 2026-11-25 📅 2026-12-01 #money ^r1",
        );
        assert_eq!(signs.title, "Pay #the rent");
        assert_eq!(signs.due_on.unwrap().to_string(), "2026-12-01");
        assert_eq!((signs.priority, signs.id.as_deref()), (Some(Priority::P0), Some("r1")));
        assert_eq!(signs.labels, ["the", "money"]);
        assert_eq!(signs.kept, ["🔁 every month on the 1st", "🛫 2026-11-25", "^r1"]);
    }

    #[test]
    fn the_form_in_brackets_is_read_too() {
        let signs = read(
            "Call  [due:: 2026-02-30] (priority:: high) [note:: x] [[Bob]] [repeat:: every day]",
        );
        assert_eq!(signs.title, "Call [note:: x] [[Bob]]");
        assert_eq!((signs.due_on, signs.priority), (None, Some(Priority::P1)));
        assert_eq!(signs.impossible, ["2026-02-30"]);
        assert_eq!(signs.kept, ["[due:: 2026-02-30]", "[repeat:: every day]"]);
    }

    #[test]
    fn labels_before_a_sentence_are_no_words_of_it() {
        for (text, title, labels) in [
            ("#task Draft the letter 📅 2026-12-01", "Draft the letter", "task"),
            ("#task draft the letter", "draft the letter", "task"),
            ("#home #garden 3 bags of soil", "3 bags of soil", "home garden"),
            ("#hiring plan for spring", "#hiring plan for spring", "hiring"),
            ("#home", "#home", "home"),
            ("#task", "#task", "task"),
            ("#task **?** 📅 2026-12-01", "**?**", "task"),
        ] {
            let signs = read(text);
            assert_eq!((signs.title.as_str(), signs.labels.join(" ").as_str()), (title, labels));
        }
        assert_eq!(read("#task Draft it").bare, "#task Draft it", "the key is what it was");
    }

    #[test]
    fn a_card_of_a_board_has_a_day_and_a_time() {
        let signs = read("Call Ana @{2026-12-02} @@{14:30} #phone");
        assert_eq!((signs.title.as_str(), signs.labels.join(" ").as_str()), ("Call Ana", "phone"));
        assert_eq!(signs.due_on.unwrap().to_string(), "2026-12-02");
        assert_eq!(signs.kept, ["@@{14:30}"]);
        let linked = read("Book @[[2026-12-05]]");
        assert_eq!((linked.title.as_str(), linked.makes_task()), ("Book", true));
        for text in ["mail a@{b}", "@{soon} x", "@[[Ana]] x", "@@{x} y", "x @{2026-12-01"] {
            assert_eq!((read(text).title.as_str(), read(text).due_on), (text, None));
        }
    }

    #[test]
    fn a_sign_without_its_value_is_text() {
        for text in
            ["✅ done", "📅 soon", "📅 2026-01-011", "C# and #12", "x^2", "(due: now", "a ^ b"]
        {
            let signs = read(text);
            assert_eq!((signs.title.as_str(), signs.makes_task()), (text, false));
            assert!(signs.labels.is_empty(), "{text}");
        }
        assert_eq!(read("#home").title, "#home");
        assert_eq!(read("⏫").title, "⏫");
    }
}
