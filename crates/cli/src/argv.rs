//! Makes sure that text is not mistaken for syntax: a value that begins with a dash stays a value.
//!
//! Rewrites the arguments into an unambiguous form for clap: `--name=value` for options, and
//! positional arguments after `--`. A token that matches an option of the command is that option;
//! any other token that begins with a dash is text wherever text is allowed. A typo such as
//! `--reasen` is left to clap, which suggests the right option.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::iter::Peekable;
use std::path::PathBuf;

use clap::{Arg, Command};

use crate::values::Clearable;

/// Returns the same command line in an unambiguous form.
///
/// `command` must be built, so that it knows its global arguments.
pub fn escape_text_arguments(
    typed: impl IntoIterator<Item = OsString>,
    command: &Command,
) -> Vec<OsString> {
    let mut typed = typed.into_iter().peekable();
    let mut plain: Vec<OsString> = typed.next().into_iter().collect();
    let mut command = command;
    let mut positional: Vec<OsString> = Vec::new();
    while let Some(token) = typed.next() {
        if token == "--" {
            positional.extend(typed);
            break;
        }
        match option(command, &token) {
            Some((arg, is_whole)) if arg.get_action().takes_values() && !is_whole => {
                match value(command, arg, &mut typed) {
                    Some(value) => plain.push(joined(&token, &value)),
                    None => plain.push(token),
                }
            }
            Some(_) => plain.push(token),
            None if command.has_subcommands() => {
                plain.push(token.clone());
                match command.find_subcommand(&token) {
                    Some(sub) if sub.get_name() != "help" => command = sub,
                    // An unknown command, or `help`.
                    Some(_) | None => {
                        plain.extend(typed);
                        return plain;
                    }
                }
            }
            None if !is_dashed(&token) || is_text(command, &token, positional.len()) => {
                positional.push(token);
            }
            None => plain.push(token),
        }
    }
    if !positional.is_empty() {
        plain.push("--".into());
        plain.extend(positional);
    }
    plain
}

/// Returns the option that a token names, and whether the token includes its value.
fn option<'a>(command: &'a Command, token: &OsStr) -> Option<(&'a Arg, bool)> {
    let text = token.to_str()?;
    let mut args = command.get_arguments();
    match text.strip_prefix("--") {
        Some(long) => {
            let (name, value) = match long.split_once('=') {
                Some((name, _)) => (name, true),
                None => (long, false),
            };
            let names = |arg: &&Arg| {
                arg.get_long() == Some(name)
                    || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
            };
            args.find(names).map(|arg| (arg, value))
        }
        // Short options are never combined: no command has many of them.
        None => {
            let mut letters = text.strip_prefix('-')?.chars();
            let letter = letters.next().filter(|_| letters.next().is_none());
            args.find(|arg| letter.is_some() && arg.get_short() == letter).map(|arg| (arg, false))
        }
    }
}

/// Takes the value that follows an option. Only text may look like another option.
fn value(
    command: &Command,
    arg: &Arg,
    typed: &mut Peekable<impl Iterator<Item = OsString>>,
) -> Option<OsString> {
    typed.next_if(|next| takes_text(arg) || option(command, next).is_none())
}

fn joined(option: &OsStr, value: &OsStr) -> OsString {
    let mut joined = option.to_owned();
    joined.push("=");
    joined.push(value);
    joined
}

/// Whether an argument accepts any text.
pub fn takes_text(arg: &Arg) -> bool {
    let kind = arg.get_value_parser().type_id();
    let texts = [
        TypeId::of::<String>(),
        TypeId::of::<PathBuf>(),
        TypeId::of::<OsString>(),
        TypeId::of::<Clearable<String>>(),
    ];
    arg.get_action().takes_values() && texts.iter().any(|text| kind == *text)
}

fn is_dashed(token: &OsStr) -> bool {
    token.len() > 1 && token.as_encoded_bytes().starts_with(b"-")
}

/// What arguments are called that name something to be found, not text to be kept. Such a name can be
/// given in another way, so a word like `-q` after it is rather an option that does not exist.
const NAMES: [&str; 8] = ["AGENT", "CONVERSATION", "ITEM", "LABEL", "OTHER", "SET", "TASK", "WORK"];

/// Whether a token that begins with a dash and is not an option counts as text. This holds for
/// anything with white space; for a word where a value is expected, unless it resembles an option;
/// and for a word with one dash in the middle of text that is kept.
fn is_text(command: &Command, token: &OsStr, n_before: usize) -> bool {
    let token = token.to_string_lossy();
    let mut places = command.get_positionals();
    let (due, last) = (places.nth(n_before), command.get_positionals().last());
    let goes_on = last.filter(|last| is_many(last));
    let Some(place) = due.or(goes_on).filter(|place| takes_text(place)) else { return false };
    let is_letter = |text: &str| text[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    token.contains(char::is_whitespace)
        || (!token.starts_with("--") && (due.is_some() || !is_name(place) || !is_letter(&token)))
        || (due.is_some() && !is_nearly_an_option(command, &token))
}

fn is_name(arg: &Arg) -> bool {
    let mut names = arg.get_value_names().unwrap_or_default().iter();
    names.any(|name| NAMES.contains(&name.as_str()))
}

fn is_many(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|n| n.max_values() > 1)
        || matches!(arg.get_action(), clap::ArgAction::Append)
}

fn is_nearly_an_option(command: &Command, token: &str) -> bool {
    let name = token.trim_start_matches('-').split('=').next().unwrap_or_default();
    command.get_arguments().filter_map(Arg::get_long).any(|long| distance(name, long) <= 2)
}

/// The edit distance between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut above = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let change = above + usize::from(from != *to);
            above = row[j + 1];
            row[j + 1] = change.min(above + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use clap::{ArgMatches, CommandFactory as _};

    use super::*;
    use crate::args::Args;

    fn built() -> Command {
        let mut command = Args::command();
        command.build();
        command
    }

    fn read(typed: &[&str]) -> Result<ArgMatches, clap::Error> {
        let typed = std::iter::once("dormouse").chain(typed.iter().copied());
        let plain = escape_text_arguments(typed.map(OsString::from), &built());
        Args::command().try_get_matches_from(plain)
    }

    /// The matches of the innermost command.
    fn leaf(matches: &ArgMatches) -> &ArgMatches {
        matches.subcommand().map_or(matches, |(_, inner)| leaf(inner))
    }

    fn raw(matches: &ArgMatches, id: &str) -> Vec<String> {
        let raw = leaf(matches).get_raw(id).into_iter().flatten();
        raw.map(|value| value.to_string_lossy().into_owned()).collect()
    }

    /// Every command without subcommands, with its path.
    fn leaves<'a>(
        command: &'a Command,
        path: &[&'a str],
        found: &mut Vec<(Vec<&'a str>, &'a Command)>,
    ) {
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            let path = [path, &[sub.get_name()]].concat();
            if sub.has_subcommands() {
                leaves(sub, &path, found);
            } else {
                found.push((path, sub));
            }
        }
    }

    /// A value the argument accepts.
    fn fitting(arg: &Arg) -> String {
        let possible = arg.get_possible_values();
        let shown = arg.get_value_names().and_then(|names| names.first()).map(|name| name.as_str());
        match (possible.first(), arg.get_id().as_str(), shown) {
            (Some(value), _, _) => value.get_name().to_owned(),
            (None, "kind", _) => "blocks".to_owned(),
            (None, "policy", _) => "ask".to_owned(),
            (None, _, Some("DURATION")) => "90".to_owned(),
            (None, _, Some("VERSION")) => "1".to_owned(),
            (None, _, _) => "x".to_owned(),
        }
    }

    /// Whether clap refuses a line because of the combination of arguments, not because of their
    /// values.
    fn is_about_company(kind: ErrorKind) -> bool {
        matches!(kind, ErrorKind::ArgumentConflict | ErrorKind::MissingRequiredArgument)
    }

    #[test]
    fn every_argument_that_takes_text_takes_text_that_begins_with_a_dash() {
        let built = built();
        let mut all = Vec::new();
        leaves(&built, &[], &mut all);
        let mut tried = 0;
        for (path, command) in &all {
            let positionals: Vec<&Arg> = command.get_positionals().collect();
            for arg in command.get_arguments().filter(|arg| takes_text(arg)) {
                // A short option of the command, such as `-f`, is that option where a value is
                // optional.
                for text in ["- [ ] first", "-x", "--zzzzzzzz", "--- rule", "-5"] {
                    let mut typed: Vec<String> = path.iter().map(|&word| word.into()).collect();
                    if let Some(long) = arg.get_long() {
                        typed.extend([format!("--{long}"), text.to_owned()]);
                    }
                    for other in &positionals {
                        let is_it = other.get_id() == arg.get_id();
                        let value = if is_it { text.to_owned() } else { fitting(other) };
                        let is_wanted = is_it || other.is_required_set();
                        let comes_before =
                            arg.is_positional() && other.get_index() < arg.get_index();
                        typed.extend((is_wanted || comes_before).then_some(value));
                    }
                    let line: Vec<&str> = typed.iter().map(String::as_str).collect();
                    let found = match read(&line) {
                        Ok(matches) => raw(&matches, arg.get_id().as_str()),
                        // Which options may be combined is not tested here.
                        Err(e) if is_about_company(e.kind()) => vec![text.to_owned()],
                        Err(e) => panic!("{line:?}: {e}"),
                    };
                    assert_eq!(found, [text], "{line:?}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 200, "only {tried} were found");
    }

    #[test]
    fn text_of_an_option_may_look_like_another_option() {
        let matches =
            read(&["task", "add", "Mend", "it", "--note", "--reason", "--item", "--json"]);
        let matches = matches.expect("it is understood");
        assert_eq!(raw(&matches, "note"), ["--reason"]);
        assert_eq!(raw(&matches, "item"), ["--json"]);
        assert_eq!(raw(&matches, "title"), ["Mend", "it"]);
    }

    #[test]
    fn options_may_come_before_between_and_after_words() {
        for typed in [
            ["task", "note", "--on", "2036-01-01", "gate", "-", "oil", "it"],
            ["task", "note", "gate", "--on", "2036-01-01", "-", "oil", "it"],
            ["task", "note", "gate", "-", "oil", "it", "--on", "2036-01-01"],
        ] {
            let matches = read(&typed).expect("it is understood");
            assert_eq!(raw(&matches, "on"), ["2036-01-01"], "{typed:?}");
            assert_eq!(raw(&matches, "text"), ["-", "oil", "it"], "{typed:?}");
        }
        let matches = read(&["--data", "-d", "--json", "task", "note", "gate", "--", "--on"]);
        let matches = matches.expect("it is understood");
        assert_eq!(raw(&matches, "text"), ["--on"], "what follows `--` is text");
        assert_eq!(matches.get_raw("data").into_iter().flatten().collect::<Vec<_>>(), ["-d"]);
    }

    #[test]
    fn a_typo_is_not_text() {
        for typed in [
            &["task", "add", "Mend", "the", "gate", "--statis", "open"][..],
            &["task", "add", "--itme", "hinges", "Mend"],
            &["task", "edit", "gate", "--titel", "Mend"],
            &["task", "list", "--stauts", "open"],
            &["doctor", "-x"],
            // It is no part of a name either.
            &["agent", "wake", "gate", "-q"],
            &["agent", "wake", "gate", "hinges", "-q", "--no-wait"],
            &["task", "show", "gate", "-v"],
            &["work", "run", "gate", "-n"],
            &["review", "gate", "-y"],
        ] {
            let kind = read(typed).expect_err("it is refused").kind();
            assert_eq!(kind, ErrorKind::UnknownArgument, "{typed:?}");
        }
        let missing = read(&["task", "edit", "gate", "--due", "--json"]).expect_err("no day");
        assert_eq!(missing.kind(), ErrorKind::InvalidValue);
    }

    #[test]
    fn a_word_of_a_title_may_begin_with_a_dash() {
        for (typed, id, words) in [
            (&["task", "note", "gate", "tar", "-x"][..], "text", &["tar", "-x"][..]),
            (&["task", "add", "Learn", "tar", "-x"], "title", &["Learn", "tar", "-x"]),
            (&["task", "list", "tar", "-x"], "words", &["tar", "-x"]),
            (&["agent", "wake", "winter", "-5", "degrees"], "agent", &["winter", "-5", "degrees"]),
            (&["agent", "wake", "tar -x"], "agent", &["tar -x"]),
            (&["agent", "wake", "--", "tar", "-x"], "agent", &["tar", "-x"]),
        ] {
            let matches = read(typed).expect("it is understood");
            assert_eq!(raw(&matches, id), words, "{typed:?}");
        }
    }

    #[test]
    fn help_is_help_in_any_place() {
        for typed in [
            &["task", "note", "gate", "words", "--help"][..],
            &["task", "add", "-h"],
            &["help", "task", "add"],
            &["task", "help", "add"],
        ] {
            let kind = read(typed).expect_err("help is shown").kind();
            assert_eq!(kind, ErrorKind::DisplayHelp, "{typed:?}");
        }
        assert_eq!(read(&["-V"]).expect_err("shown").kind(), ErrorKind::DisplayVersion);
    }
}
