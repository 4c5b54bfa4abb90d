//! What reaches the terminal: one screen, and the shapes text takes on it.
//!
//! Text of the store is cleaned here, in [`table`], [`markdown`], [`wrap`] and [`Screen`]'s callers
//! through [`line`]: no escape sequence of an entry repaints the screen of whoever reads it.

pub mod style;
pub mod markdown;
pub mod time;
pub mod table;
pub mod wrap;

use std::io::{self, IsTerminal as _, Write as _};

pub use dormouse_formats::sanitise::line;
pub use style::Style;

/// Units: columns. Narrower terminals get the layout of this width.
const NARROWEST: usize = 40;
/// Units: columns. Prose wider than this is hard to read.
const WIDEST_PROSE: usize = 100;

/// What is known about the terminal before anything is printed.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Units: columns.
    pub width: usize,
    /// Whether colour may be used.
    pub colour: bool,
    /// Whether only bodies of the API go to stdout.
    pub json: bool,
}

/// Standard output and standard error.
///
/// What is printed is kept until [`Screen::flush`], so that a pipe that was closed is noticed in
/// one place.
#[derive(Debug)]
pub struct Screen {
    settings: Settings,
    out: String,
}

impl Screen {
    /// A screen with these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, out: String::new() }
    }

    /// Units: columns.
    pub fn width(&self) -> usize {
        self.settings.width.max(NARROWEST)
    }

    /// Units: columns. Of running text.
    pub fn prose_width(&self) -> usize {
        self.width().min(WIDEST_PROSE)
    }

    /// The style of standard output.
    pub fn style(&self) -> Style {
        Style::new(self.settings.colour)
    }

    /// Whether `--json` was given.
    pub fn is_json(&self) -> bool {
        self.settings.json
    }

    /// Prints text for a person; nothing with `--json`.
    pub fn say(&mut self, text: impl AsRef<str>) {
        if !self.settings.json {
            self.out.push_str(text.as_ref());
            self.out.push('\n');
        }
    }

    /// Prints the body of an answer, for `--json`.
    pub fn body(&mut self, body: &[u8]) {
        let body = String::from_utf8_lossy(body);
        self.out.push_str(body.trim_end());
        self.out.push('\n');
    }

    /// Writes out what was printed.
    ///
    /// Errors: the output is closed or full.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(std::mem::take(&mut self.out).as_bytes())?;
        stdout.flush()
    }

    /// Asks for a line on standard input; none at its end.
    ///
    /// On a terminal, what was typed before the question was on screen answers another one, or none:
    /// it is left out, and said so. A pipe holds all answers from the start.
    ///
    /// Errors: standard input cannot be read, or the output is closed.
    pub fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        let is_terminal = io::stdin().is_terminal();
        if is_terminal && rustix::io::ioctl_fionread(io::stdin())? > 0 {
            rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush)?;
            self.out.push_str("(What you typed before this question was left out.)\n");
        }
        self.out.push_str(question);
        self.flush()?;
        let mut answer = String::new();
        let n_bytes = io::stdin().read_line(&mut answer)?;
        if !is_terminal {
            // What was typed shows on a terminal; from a pipe it would be missing in the transcript.
            self.out.push_str(&line(answer.trim_end()));
            self.out.push('\n');
        }
        Ok((n_bytes > 0).then(|| answer.trim().to_owned()))
    }
}

/// Prints a line on standard error, beside what the command answers.
pub fn note(text: &str) {
    // Nothing is left to tell whoever closed standard error.
    let _closed = writeln!(io::stderr().lock(), "{text}");
}
