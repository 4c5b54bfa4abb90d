//! Colour and weight, or neither.

/// Gives text colour and weight where the terminal shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    on: bool,
}

/// One kind of weight or colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Color {
    /// As the terminal has it.
    #[default]
    Plain,
    /// Headings and titles.
    Bold,
    /// What matters less: ids, times, keys.
    Dim,
    /// Emphasis.
    Italic,
    /// Code.
    Cyan,
    /// What went well.
    Green,
    /// What waits for the person.
    Yellow,
    /// What went wrong.
    Red,
}

impl Color {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Bold => Some("1"),
            Self::Dim => Some("2"),
            Self::Italic => Some("3"),
            Self::Cyan => Some("36"),
            Self::Green => Some("32"),
            Self::Yellow => Some("33"),
            Self::Red => Some("31"),
        }
    }
}

impl Style {
    /// Ink that shows, or none.
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    /// Text in a color.
    pub fn paint(self, color: Color, text: &str) -> String {
        match color.code() {
            Some(code) if self.on && !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Some(_) | None => text.to_owned(),
        }
    }

    /// A heading or title.
    pub fn bold(self, text: &str) -> String {
        self.paint(Color::Bold, text)
    }

    /// Something that matters less.
    pub fn dim(self, text: &str) -> String {
        self.paint(Color::Dim, text)
    }
}
