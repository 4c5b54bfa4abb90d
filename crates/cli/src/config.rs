//! What the environment and the flags say. Nothing else reads the environment.

use std::env::var_os;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use jiff::tz::TimeZone;

use crate::args::Global;
use crate::failure::Failure;
use crate::terminal::Settings;

/// Units: columns. A width nobody tells us.
const DEFAULT_WIDTH: usize = 80;

/// The settings of one command.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data folder.
    pub data: PathBuf,
    /// How this program is called, with its data folder: the beginning of commands that are shown.
    pub call: String,
    /// The terminal.
    pub screen: Settings,
    /// Whether agents are left asleep.
    pub no_wait: bool,
    /// The person's time zone.
    pub zone: TimeZone,
}

impl Config {
    /// Reads flags first, then the environment, then defaults.
    ///
    /// Errors: no flag and no variable says where the data is.
    pub fn read(global: &Global) -> Result<Self, Failure> {
        let data = global.data.clone().or_else(|| folder("DORMOUSE_DATA")).or_else(default_data);
        let Some(data) = data else {
            return Err(Failure::usage("there is no data folder: HOME is not set")
                .hint("name one with --data DIR or DORMOUSE_DATA"));
        };
        let call = match &global.data {
            Some(data) => format!("{} --data {}", program(), quoted(&data.to_string_lossy())),
            None => program(),
        };
        let screen = Settings { width: width(), colour: colour(global), json: global.json };
        Ok(Self { data, call, screen, no_wait: global.no_wait, zone: TimeZone::system() })
    }
}

/// The program as it was called: by its path, or as a command that the shell finds.
fn program() -> String {
    let called = std::env::args_os().next().map(|name| name.to_string_lossy().into_owned());
    called.filter(|name| name.contains('/')).map_or_else(|| "dormouse".to_owned(), |n| quoted(&n))
}

fn folder(name: &str) -> Option<PathBuf> {
    var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn default_data() -> Option<PathBuf> {
    let base = folder("XDG_DATA_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(folder("HOME")?.join(".local/share")))?;
    Some(base.join("dormouse"))
}

fn width() -> usize {
    let told = var_os("COLUMNS").and_then(|text| text.to_str()?.parse().ok());
    told.filter(|width| *width > 0)
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
        .unwrap_or(DEFAULT_WIDTH)
}

fn colour(global: &Global) -> bool {
    let refused = var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = var_os("TERM").is_some_and(|term| term == "dumb");
    !global.no_color && !refused && !is_dumb && std::io::stdout().is_terminal()
}

/// Text as one word of a shell.
fn quoted(text: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./:@+=,".contains(c);
    if !text.is_empty() && text.chars().all(is_safe) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_command_can_be_pasted() {
        assert_eq!(quoted("target/demo"), "target/demo");
        assert_eq!(quoted("my tasks"), "'my tasks'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
