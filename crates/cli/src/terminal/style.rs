//! Text styles, or none.

/// Styles text if the terminal supports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    on: bool,
}

/// A colour or weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Color {
    /// The terminal's default.
    #[default]
    Plain,
    /// Headings and titles.
    Bold,
    /// Less important text: ids, times, keys.
    Dim,
    /// Emphasis.
    Italic,
    /// Code.
    Cyan,
    /// Success.
    Green,
    /// Something that waits for the user.
    Yellow,
    /// Errors.
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
    /// Creates a style; disabled, it leaves text unchanged.
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

    /// Less important text.
    pub fn dim(self, text: &str) -> String {
        self.paint(Color::Dim, text)
    }
}
