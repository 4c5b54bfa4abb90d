//! Terminal output: one screen, and the layouts of text on it.
//!
//! Text from the store is sanitised here, in [`table`], [`markdown`], [`wrap`] and by [`Screen`]'s
//! callers through [`line`], so that escape sequences in an entry cannot repaint the reader's
//! screen.

pub mod style;
pub mod markdown;
pub mod time;
pub mod value;
pub mod change;
pub mod table;
pub mod wrap;

use std::io::{self, IsTerminal as _, Write as _};

use dormouse_formats::sanitise::block;
pub use dormouse_formats::sanitise::line;
pub use style::Style;

/// Units: columns. Narrower terminals get the layout of this width.
const NARROWEST: usize = 40;
/// Units: columns. Prose wider than this is hard to read.
const WIDEST_PROSE: usize = 100;

/// `1 task`, `2 tasks`.
pub fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A number of tokens, in words.
pub fn tokens(n: i64) -> String {
    if n == 1 { "1 token".to_owned() } else { format!("{n} tokens") }
}

/// The settings of the terminal.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Units: columns.
    pub width: usize,
    /// Whether colour may be used.
    pub colour: bool,
    /// Whether stdout gets only response bodies.
    pub json: bool,
}

/// Standard output and standard error.
///
/// Output is buffered until [`Screen::flush`], so that a closed pipe is noticed in one place.
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

    /// Units: columns. The width of running text.
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

    /// Prints text for a person; does nothing with `--json`.
    pub fn say(&mut self, text: impl AsRef<str>) {
        if !self.settings.json {
            self.out.push_str(text.as_ref());
            self.out.push('\n');
        }
    }

    /// Prints the body of a response, for `--json`.
    pub fn body(&mut self, body: &[u8]) {
        let body = String::from_utf8_lossy(body);
        self.out.push_str(body.trim_end());
        self.out.push('\n');
    }

    /// Prints a file as it is; on a terminal without what could repaint the screen.
    pub fn file(&mut self, body: &[u8]) {
        let text = String::from_utf8_lossy(body);
        if io::stdout().is_terminal() {
            self.out.push_str(&block(&text));
        } else {
            self.out.push_str(&text);
        }
    }

    /// Writes the buffered output.
    ///
    /// Errors: the output is closed or full.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(std::mem::take(&mut self.out).as_bytes())?;
        stdout.flush()
    }

    /// Asks for a line on standard input; returns `None` at its end.
    ///
    /// On a terminal, input typed before the question appeared is discarded with a note, because it
    /// cannot be an answer to it. A pipe holds all answers from the start.
    ///
    /// Errors: standard input cannot be read, or the output is closed.
    pub fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        let is_terminal = io::stdin().is_terminal();
        if is_terminal && rustix::io::ioctl_fionread(io::stdin())? > 0 {
            rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush)?;
            self.out.push_str("(Input typed before this question was ignored.)\n");
        }
        self.out.push_str(question);
        self.flush()?;
        let mut answer = String::new();
        let n_bytes = io::stdin().read_line(&mut answer)?;
        if !is_terminal {
            // A terminal echoes the input; from a pipe it would be missing in the transcript.
            self.out.push_str(&line(answer.trim_end()));
            self.out.push('\n');
        }
        Ok((n_bytes > 0).then(|| answer.trim().to_owned()))
    }
}

impl Screen {
    /// Asks for a line on a terminal without showing what is typed; returns `None` at its end.
    ///
    /// Errors: the terminal cannot be read or set.
    pub fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        self.out.push_str(question);
        self.flush()?;
        let shown = tcgetattr(io::stdin())?;
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &hidden)?;
        let mut answer = String::new();
        let n_bytes = io::stdin().read_line(&mut answer);
        // Whatever happened, the terminal shows what is typed again.
        tcsetattr(io::stdin(), OptionalActions::Now, &shown)?;
        self.out.push('\n');
        Ok((n_bytes? > 0).then(|| answer.trim().to_owned()))
    }
}

/// The title of a task, or a placeholder if it is empty.
pub fn titled(title: &str) -> &str {
    if title.trim().is_empty() { "(untitled)" } else { title }
}

/// Prints a line on standard error, separate from the command's output.
pub fn note(text: &str) {
    // If standard error is closed, there is nowhere left to report it.
    let _closed = writeln!(io::stderr().lock(), "{text}");
}
