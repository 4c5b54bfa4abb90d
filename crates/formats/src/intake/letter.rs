//! What is around the list in a pasted letter: its head, the greeting and the signature.

use std::ops::Range;

use super::sender::{LONG, folded, is_contact, is_listed, is_name, is_sender};

/// Units: words after the greeting.
const MOST_WORDS: usize = 4;

/// Units: lines from the first one of a signature on.
const MOST_LINES: usize = 9;

/// The lines of a text that are around its list. Empty where there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Letter {
    pub head: Range<usize>,
    pub signature: Range<usize>,
}

impl Letter {
    /// Finds the greeting at the beginning of a text and the signature at its end.
    pub fn of(lines: &[&str]) -> Self {
        let head_end = fields_end(lines);
        let first = filled(lines, head_end..lines.len()).next();
        let is_ended =
            |at: usize| lines[at].trim_end().ends_with([',', '!', '.', ':', '-', '–', '—']);
        let is_apart = |at: usize| lines.get(at + 1).is_none_or(|next| next.trim().is_empty());
        let greeting = first.filter(|&at| is_greeting(lines[at]) && (is_ended(at) || is_apart(at)));
        let begin = signature(lines, greeting.is_some());
        let greeting = greeting.filter(|&at| is_ended(at) || begin.is_some());
        let head = match greeting {
            Some(at) => 0..at + 1,
            None if begin.is_some() => 0..head_end,
            None => 0..0,
        };
        let begin = begin.unwrap_or(lines.len());
        let signature = begin..lines.len();
        // A letter without anything in it is a text.
        match filled(lines, head.end..begin).next() {
            Some(_) => Self { head, signature },
            None => Self { head: 0..0, signature: lines.len()..lines.len() },
        }
    }

    /// Whether a line is around the list.
    pub fn has(&self, line: usize) -> bool {
        self.head.contains(&line) || self.signature.contains(&line)
    }
}

fn filled<'l>(lines: &'l [&str], among: Range<usize>) -> impl Iterator<Item = usize> + 'l {
    among.filter(|&at| !lines[at].trim().is_empty())
}

/// Where the fields of a mail at the beginning end: `Subject: …`.
fn fields_end(lines: &[&str]) -> usize {
    let n_fields = lines.iter().take_while(|line| is_mail_field(line)).count();
    if n_fields > 1 { n_fields } else { 0 }
}

/// Whether a line is a field that programs show above a mail.
pub(crate) fn is_mail_field(line: &str) -> bool {
    let name = line.split_once(": ").map(|(name, _)| name.trim().to_lowercase());
    name.is_some_and(|name| FIELDS.contains(&name.as_str()))
}

/// Whether a line greets somebody and says nothing else.
fn is_greeting(line: &str) -> bool {
    let text = line.trim();
    if text.chars().nth(LONG).is_some() || is_listed(text) {
        return false;
    }
    let bare = text.trim_end_matches([',', '!', '.', ':', '-', '–', '—', ' ']);
    let words: Vec<&str> = bare.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| folded(word)).collect();
    let greeting = GREETINGS.iter().map(|greeting| greeting.split(' ').count()).filter(|&n| {
        let begins = lower.get(..n).map(|words| words.join(" "));
        begins.is_some_and(|begins| GREETINGS.contains(&begins.as_str()))
    });
    let Some(n) = greeting.max() else { return false };
    let names = &words[n..];
    let is_name = |word: &&str| {
        word.starts_with(char::is_uppercase) || ADDRESSED.contains(&folded(word).as_str())
    };
    let is_for_somebody = names.len() <= MOST_WORDS && names.iter().all(is_name);
    // "Morning:" and "Morning Routine:" are headings, and so is "Salut –".
    let is_heading = text.ends_with([':', '-', '–', '—'])
        && (names.is_empty() || lower.first().is_some_and(|word| word == "morning"));
    is_for_somebody && !is_heading && (!names.is_empty() || bare != text)
}

/// Where the signature begins: at words such as "Best regards" below a letter that greets, or at `-- `.
/// Only a name and where its owner is reached may follow; other lines may be tasks, and then none is
/// left out.
fn signature(lines: &[&str], is_greeted: bool) -> Option<usize> {
    let below = |at: usize, end: usize| filled(lines, at + 1..end).map(|at| lines[at].trim());
    let is_mark = |at: usize| lines[at] == "-- " || is_greeted && lines[at].trim() == "--";
    let last = last_filled(lines, lines.len());
    let mark = last.iter().copied().find(|&at| is_mark(at)).filter(|&at| {
        // Below `-- ` in a list a lone word with a capital may be anything.
        let is_sure = is_greeted || below(at, lines.len()).any(is_contact);
        is_sure && is_sender(below(at, lines.len()), false)
    });
    if !is_greeted {
        return mark;
    }
    let end = mark.unwrap_or(lines.len());
    let mut begin = mark;
    let mut is_closed = false;
    for at in last_filled(lines, end) {
        match closing(lines[at].trim()) {
            Some(Closing { is_named }) if is_closed || is_sender(below(at, end), is_named) => {
                (begin, is_closed) = (Some(at), true);
            }
            None if !is_closed => {}
            Some(_) | None => break,
        }
    }
    begin
}

/// The last lines with text among the first ones, from the last on.
fn last_filled(lines: &[&str], end: usize) -> Vec<usize> {
    (0..end).rev().filter(|&at| !lines[at].trim().is_empty()).take(MOST_LINES).collect()
}

struct Closing {
    is_named: bool,
}

/// Words that close a letter, followed by a name or not.
fn closing(line: &str) -> Option<Closing> {
    if line.chars().nth(LONG).is_some() || is_listed(line) {
        return None;
    }
    let bare = line.trim_end_matches([',', '!', '.', ' ', '-', '–', '—']);
    let known = |text: &str| CLOSINGS.contains(&folded(text).as_str());
    if known(bare) {
        return Some(Closing { is_named: false });
    }
    let (before, name) = bare.split_once(',')?;
    (known(before.trim()) && is_name(name.trim())).then_some(Closing { is_named: true })
}

#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "subject", "from", "to", "cc", "bcc", "date", "sent", "reply-to",
    "betreff", "von", "an", "gesendet", "datum", "kopie",
    "objet", "de", "à", "envoyé", "asunto", "para", "enviado", "fecha",
    "subiect", "către", "trimis",
];

/// In lower case.
#[rustfmt::skip]
const GREETINGS: &[&str] = &[
    "hi", "hello", "hey", "hiya", "dear", "good morning", "good afternoon", "good evening", "good day", "morning",
    "greetings", "hi there", "hello there",
    "hallo", "liebe", "lieber", "liebes", "ihr lieben", "guten tag", "guten morgen", "guten abend", "moin", "servus",
    "sehr geehrte", "sehr geehrter", "grüss gott", "na",
    "bonjour", "bonsoir", "salut", "coucou", "cher", "chère", "chers", "chères",
    "hola", "estimado", "estimada", "estimados", "querido", "querida", "buenos días", "buenas tardes", "buenas",
    "bună", "buna", "bună ziua", "buna ziua", "dragă", "draga", "dragi", "stimate", "stimată", "stimata",
    "ciao", "caro", "cara", "buongiorno",
];

/// Whom a greeting may be for besides a name.
#[rustfmt::skip]
const ADDRESSED: &[&str] = &[
    "all", "everyone", "everybody", "team", "both", "there", "guys", "folks", "again", "friends", "and", "&", "sir",
    "or", "madam", "colleagues", "neighbours", "neighbors", "of", "the",
    "und", "zusammen", "alle", "ihr", "beiden", "damen", "herren",
    "et", "tous", "toutes", "à", "a", "toi", "vous", "y", "todos", "todas", "equipo", "și", "si", "tuturor",
];

/// In lower case, with `ss` for `ß`.
#[rustfmt::skip]
const CLOSINGS: &[&str] = &[
    "best", "best regards", "kind regards", "warm regards", "regards", "best wishes", "all the best", "cheers",
    "thanks", "thank you", "many thanks", "thanks a lot", "thanks so much", "thanks in advance",
    "thank you in advance", "thank you very much", "thank you so much", "thanks again", "thanks and regards",
    "sincerely", "yours sincerely", "yours truly", "yours faithfully", "yours", "love", "lots of love", "with love",
    "take care", "see you", "see you soon", "talk soon", "speak soon", "xoxo", "xx", "br", "rgds",
    "viele grüsse", "liebe grüsse", "beste grüsse", "schöne grüsse", "herzliche grüsse", "freundliche grüsse",
    "mit freundlichen grüssen", "mit besten grüssen", "mit lieben grüssen", "grüsse", "gruss", "lieber gruss",
    "lg", "vg", "mfg", "glg", "danke", "vielen dank", "danke dir", "danke euch", "danke schön", "danke im voraus",
    "vielen dank im voraus", "bis bald", "bis dann", "alles gute", "alles liebe", "ciao", "tschüss",
    "cordialement", "bien cordialement", "bien à vous", "bien à toi", "amicalement", "merci", "merci beaucoup",
    "merci d'avance", "bises", "bisous", "à bientôt", "salutations", "sincères salutations",
    "saludos", "un saludo", "saludos cordiales", "un abrazo", "abrazos", "besos", "gracias", "muchas gracias",
    "atentamente", "hasta pronto",
    "mulțumesc", "multumesc", "mulțumesc mult", "mersi", "cu stimă", "cu stima", "toate cele bune", "cu drag",
    "salutări", "salutari", "pe curând", "pe curand", "te pup", "o zi bună",
    "cordiali saluti", "grazie", "a presto",
];
