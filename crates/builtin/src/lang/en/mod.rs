//! English.

pub mod report;
pub mod propose;
pub mod settle;
pub mod directive;
pub mod work;

use super::Lang;

/// English.
pub const EN: Lang = Lang {
    code: "en",
    rules: "en",
    order: None,
    abbreviations: &[
        "approx", "art", "ca", "cf", "ch", "dr", "ed", "eq", "est", "etc", "ex", "fig", "inc",
        "incl", "jr", "max", "min", "mr", "mrs", "ms", "no", "nr", "p", "pp", "prof", "ref",
        "resp", "sec", "sr", "st", "vol", "vs", "cust", "appt", "dept", "tel", "wk", "wks", "hrs",
        "mins", "ext", "acct", "inv", "qty", "orig",
    ],
    stop_words: &[
        "a", "about", "after", "again", "all", "also", "an", "and", "any", "are", "as", "at", "be",
        "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does",
        "doing", "done", "down", "for", "from", "get", "gets", "got", "had", "has", "have", "he",
        "her", "here", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "let",
        "made", "make", "may", "me", "more", "most", "must", "my", "need", "needs", "no", "not",
        "now", "of", "off", "on", "once", "one", "only", "or", "other", "our", "out", "over",
        "own", "per", "she", "should", "since", "so", "some", "still", "such", "sure", "than",
        "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to",
        "too", "under", "until", "up", "us", "use", "used", "very", "was", "we", "were", "what",
        "when", "where", "which", "while", "who", "why", "will", "with", "would", "yet", "you",
        "your",
    ],
    suffixes: &[
        "ations", "ation", "ings", "ing", "ies", "ied", "ions", "ion", "ures", "ure", "es", "ed",
        "ly", "s", "y",
    ],
    short_forms: &[
        ("fig", "figure"),
        ("figs", "figures"),
        ("doc", "document"),
        ("docs", "documents"),
        ("pic", "picture"),
        ("pics", "pictures"),
        ("appt", "appointment"),
        ("dept", "department"),
        ("info", "information"),
        ("recs", "reconciliations"),
        ("rec", "reconciliation"),
        ("insp", "inspection"),
        ("reg", "registration"),
        ("cert", "certificate"),
        ("certs", "certificates"),
        ("spec", "specification"),
        ("specs", "specifications"),
        ("config", "configuration"),
        ("repo", "repository"),
        ("db", "database"),
        ("ad", "advert"),
    ],
    takes_back: &[
        "no wait",
        "wait no",
        "hmm no wait",
        "oh no wait",
        "hmm no",
        "scratch that",
        "strike that",
        "actually no",
        "ah no",
        "oh wait no",
        "not true",
    ],
    report: &report::REPORT,
    propose: &propose::RULES,
    settle: &settle::SETTLING,
};
