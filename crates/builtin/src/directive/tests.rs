use dormouse_types::directive::DirectiveSetting;
use dormouse_types::model::Directives;

use super::*;

fn words(setting: DirectiveSetting) -> String {
    match setting {
        DirectiveSetting::Length { length } => length.to_string(),
        DirectiveSetting::Tone { tone } => tone.to_string(),
        DirectiveSetting::SummarySentences { most } => format!("summary {most}"),
        DirectiveSetting::Emojis { allowed } => format!("emojis {allowed}"),
        DirectiveSetting::First { section } => format!("first {section}"),
        DirectiveSetting::LeaveOut { section } => format!("without {section}"),
        DirectiveSetting::NeverPropose { kind } => format!("never {kind}"),
    }
}

fn read_as(text: &str) -> String {
    let directives = Directives { general: text.to_owned(), report: String::new() };
    let understood = read(&directives);
    let settings: Vec<String> = understood.settings.into_iter().map(words).collect();
    let rest = understood.not_understood.len();
    if rest == 0 { settings.join(", ") } else { format!("{} | {rest}", settings.join(", ")) }
}

/// A directive, and what is understood of it; after `|` how many sentences are not.
const PHRASES: &[(&str, &str)] = &[
    ("terse, no emojis, no estimates", "short, emojis false, never estimate"),
    ("Be brief.", "short"),
    ("Keep reports short and friendly.", "short, encouraging"),
    ("Write detailed reports.", "long"),
    ("A calm, factual tone.", "factual"),
    ("Stay calm.", "factual"),
    ("Be direct and concise", "direct, short"),
    ("Be encouraging; use emojis.", "encouraging, emojis true"),
    ("Please be thorough!", "long"),
    ("Reports should be in depth", "long"),
    ("Never use emojis.", "emojis false"),
    ("Don’t use emojis or smileys.", "emojis false"),
    ("Write without emojis", "emojis false"),
    ("Avoid emojis.", "emojis false"),
    ("No emojis and short reports.", "emojis false, short"),
    ("Never propose due dates or priorities.", "never dueDate, never priority"),
    ("Do not suggest labels.", "never labels"),
    ("No estimates, due dates or labels.", "never estimate, never dueDate, never labels"),
    ("Never change the status.", "never status"),
    ("Never change the title of a task", "never title"),
    ("Don't add checklist items.", "never items"),
    ("Never tick items.", "never ticks"),
    ("Do not estimate.", "never estimate"),
    ("Begin with what is left to do.", "first left"),
    ("Put open questions first.", "first questions"),
    ("Next steps come first", "first left"),
    ("Lead with progress.", "first achieved"),
    ("Leave out open questions.", "without questions"),
    ("Leave out the links.", " | 1"),
    ("No learnings section.", "without learned"),
    ("Skip lessons learned and open questions", "without learned, without questions"),
    ("Ask no questions.", "without questions"),
    ("The summary is one sentence.", "summary 1"),
    ("Keep the tl;dr to at most two sentences.", "summary 2"),
    ("No long reports.", "short"),
    ("Don't be verbose.", "short"),
    ("Be short. Be detailed.", "long"),
    // Near misses: a word that is not known, a condition, a double or other negation.
    ("Never miss a deadline.", " | 1"),
    ("Use emojis sparingly.", " | 1"),
    ("Don't be shy with emojis.", " | 1"),
    ("Not too many emojis.", " | 1"),
    ("No emojis unless I use one.", " | 1"),
    ("Be brief, unless something is urgent.", " | 1"),
    ("Do not leave out what is done.", " | 1"),
    ("Never skip open questions.", " | 1"),
    ("Not too short.", " | 1"),
    ("Do not be terse.", " | 1"),
    ("Don't be friendly.", " | 1"),
    ("Propose estimates only if I ask for them.", " | 1"),
    ("Propose no due dates before March.", " | 1"),
    ("Two sentences at most.", " | 1"),
    ("A short summary.", " | 1"),
    ("Do not show due dates.", " | 1"),
    ("Do not begin with questions.", " | 1"),
    ("Emojis", " | 1"),
    ("Estimate generously.", " | 1"),
    ("Links are important to me.", " | 1"),
    ("Title case for headings.", " | 1"),
    ("You are a project lead with a sense of humour.", " | 1"),
    ("Be persistent and exact.", " | 1"),
    ("No estimates before the plan is complete.", " | 1"),
    ("Short on time", " | 1"),
    ("It is not long until the deadline.", " | 1"),
    ("Use no more than two emojis.", " | 1"),
    ("Emojis, but not in the title.", " | 1"),
    ("Be warm. Never be long-winded, and no questions.", "encouraging, short, without questions"),
];

#[test]
fn a_directive_is_understood_whole_or_not_at_all() {
    let wrong: Vec<String> = PHRASES
        .iter()
        .filter(|(text, expected)| read_as(text) != *expected)
        .map(|(text, expected)| format!("{text:?}: {:?}, not {expected:?}", read_as(text)))
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn the_directive_about_reports_counts_where_both_say_something() {
    let directives =
        Directives { general: "Be terse. No emojis.".into(), report: "Be detailed.".into() };
    let settings: Vec<String> = read(&directives).settings.into_iter().map(words).collect();
    assert_eq!(settings, ["emojis false", "long"]);
}

#[test]
fn the_marks_of_lists_and_headings_belong_to_no_sentence() {
    assert_eq!(read_as("## Style\n- no emojis\n* short reports.\n\n"), "emojis false, short | 1");
}
