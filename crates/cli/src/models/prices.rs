//! The table of list prices, and the rows that a person puts in their place.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use dormouse_types::model_settings::ListedPrice;
use dormouse_types::spend::Price;
use jiff::civil::Date;

/// The prices that the program comes with.
const BUILT_IN: &str = include_str!("../../data/prices.csv");
/// The name of a person's own table in the configuration folder.
pub const NAME: &str = "prices.csv";
/// The columns of both, in this order.
const COLUMNS: &[&str] =
    &["provider", "model", "input", "cachedInput", "cacheWrite", "output", "date", "source"];
/// Units: bytes. More than a table of all models of the world has.
const MAX_FILE: u64 = 1024 * 1024;
/// Units: dollars per million tokens. Far above any price, so that a slip of the decimal point is
/// found.
const MAX_DOLLARS: u64 = 10_000;

/// Prices by provider and model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTable(Vec<Row>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    provider: String,
    pattern: Pattern,
    price: ListedPrice,
    /// Whether a person wrote it, who names providers as their settings do.
    is_own: bool,
}

/// Which models a row is for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Exact(String),
    /// Written with a `*` at its end.
    Prefix(String),
}

/// What is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    /// The file cannot be read.
    #[error("{file} cannot be read: {reason}")]
    Read {
        file: String,
        /// What the system says.
        reason: String,
    },
    /// The columns are not those of a price table.
    #[error("{file}, line 1: the columns must be {}", COLUMNS.join(","))]
    Columns { file: String },
    /// A line has too few or too many values, or cannot be read as CSV.
    #[error("{file}, line {line}: {reason}")]
    Line {
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A value cannot be used.
    #[error("{file}, line {line}, column {column}: {value:?} {reason}")]
    Value {
        file: String,
        /// The line, from 1.
        line: u64,
        /// The name of the column.
        column: &'static str,
        /// What the file has, shortened.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl PriceTable {
    /// The table that the program comes with.
    ///
    /// Errors: never; a test reads it.
    pub fn built_in() -> Result<Self, PriceError> {
        Ok(Self(rows("the built-in price table", BUILT_IN, Origin::Program)?))
    }

    /// This table with the rows of `text` in place of those for the same provider and model.
    ///
    /// Errors: the first thing that is wrong with `text`, by its place in `file`.
    pub fn with(mut self, file: &str, text: &str) -> Result<Self, PriceError> {
        let own = rows(file, text, Origin::Person)?;
        self.0.retain(|row| {
            !own.iter().any(|own| own.provider == row.provider && own.pattern == row.pattern)
        });
        self.0.extend(own);
        Ok(self)
    }

    /// The providers that a person's own rows name, each once.
    pub fn own_providers(&self) -> Vec<String> {
        let own = self.0.iter().filter(|row| row.is_own).map(|row| row.provider.clone());
        own.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// The price of a model of the provider that settings call `name`. `known` is the provider that
    /// its address belongs to: built-in rows count only for it, because another server may take
    /// another price.
    ///
    /// An exact row goes before a prefix, a long prefix before a short one, and a person's row
    /// before one of the program.
    pub fn price(&self, name: &str, known: Option<&str>, model: &str) -> Option<&ListedPrice> {
        let is_for =
            |row: &&Row| Some(row.provider.as_str()) == known || row.is_own && row.provider == name;
        let fits = self.0.iter().filter(is_for).filter_map(|row| {
            let length = row.pattern.matches(model)?;
            Some(((length, row.is_own), &row.price))
        });
        fits.max_by_key(|(rank, _)| *rank).map(|(_, price)| price)
    }
}

/// Reads a person's own table; `None` if there is no file.
///
/// Errors: it cannot be read, or is too large.
pub fn read_own(path: &Path) -> Result<Option<String>, PriceError> {
    let failed = |reason: String| PriceError::Read { file: path.display().to_string(), reason };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
        // Opening a pipe would wait for its writer.
        Ok(found) if !found.is_file() => return Err(failed("it is not a file".into())),
        Ok(_) => {}
    }
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let mut text = String::new();
    let read = file.take(MAX_FILE + 1).read_to_string(&mut text);
    let read = read.map_err(|error| failed(error.to_string()))?;
    if u64::try_from(read).is_ok_and(|read| read > MAX_FILE) {
        return Err(failed(format!("it has more than {MAX_FILE} bytes")));
    }
    Ok(Some(text))
}

impl Pattern {
    /// How well it fits a model, more for a better fit; `None` if it does not.
    fn matches(&self, model: &str) -> Option<usize> {
        match self {
            Self::Exact(name) => (name == model).then_some(usize::MAX),
            Self::Prefix(start) => model.starts_with(start.as_str()).then_some(start.len()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Program,
    Person,
}

fn rows(file: &str, text: &str, origin: Origin) -> Result<Vec<Row>, PriceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let is_table = reader.headers().is_ok_and(|found| found.iter().eq(COLUMNS.iter().copied()));
    if !is_table {
        return Err(PriceError::Columns { file: file.to_owned() });
    }
    let mut rows: Vec<Row> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            PriceError::Line { file: file.to_owned(), line, reason: reason(&error) }
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let row = Fields { file, line, record: &record }.row(origin)?;
        if rows.iter().any(|old| old.provider == row.provider && old.pattern == row.pattern) {
            let reason = "there is a line for the same provider and model above".to_owned();
            return Err(PriceError::Line { file: file.to_owned(), line, reason });
        }
        rows.push(row);
    }
    Ok(rows)
}

fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} values instead of {expected_len}")
        }
        _ => error.to_string(),
    }
}

/// The values of one line.
struct Fields<'a> {
    file: &'a str,
    line: u64,
    record: &'a csv::StringRecord,
}

impl Fields<'_> {
    fn row(&self, origin: Origin) -> Result<Row, PriceError> {
        let input = self.price("input")?;
        self.check_origin()?;
        Ok(Row {
            provider: self.text("provider")?.to_owned(),
            pattern: self.pattern()?,
            price: ListedPrice {
                price: Price {
                    input,
                    cached_input: self.price_or("cachedInput", input)?,
                    cache_write: self.price_or("cacheWrite", input)?,
                    output: self.price("output")?,
                },
                on: self.get("date").to_owned(),
                source: self.get("source").to_owned(),
            },
            is_own: origin == Origin::Person,
        })
    }

    fn get(&self, column: &'static str) -> &str {
        let at = COLUMNS.iter().position(|name| *name == column);
        at.and_then(|at| self.record.get(at)).unwrap_or_default()
    }

    fn wrong(&self, column: &'static str, reason: impl Into<String>) -> PriceError {
        PriceError::Value {
            file: self.file.to_owned(),
            line: self.line,
            column,
            value: self.get(column).chars().take(60).collect(),
            reason: reason.into(),
        }
    }

    fn text(&self, column: &'static str) -> Result<&str, PriceError> {
        let text = self.get(column);
        if text.is_empty() { Err(self.wrong(column, "is empty")) } else { Ok(text) }
    }

    fn pattern(&self) -> Result<Pattern, PriceError> {
        let text = self.text("model")?;
        let (start, is_prefix) = match text.strip_suffix('*') {
            Some(start) => (start, true),
            None => (text, false),
        };
        if start.contains('*') {
            return Err(self.wrong("model", "has a `*` that is not at its end"));
        }
        Ok(if is_prefix { Pattern::Prefix(start.into()) } else { Pattern::Exact(start.into()) })
    }

    fn price(&self, column: &'static str) -> Result<u64, PriceError> {
        micro_dollars(self.text(column)?).map_err(|reason| self.wrong(column, reason))
    }

    fn price_or(&self, column: &'static str, otherwise: u64) -> Result<u64, PriceError> {
        if self.get(column).is_empty() { Ok(otherwise) } else { self.price(column) }
    }

    /// A price is of a day and a place, or nobody can check it.
    fn check_origin(&self) -> Result<(), PriceError> {
        let date = self.text("date")?.parse::<Date>();
        date.map_err(|_| self.wrong("date", "is not a date such as 2026-11-23"))?;
        self.text("source").map(drop)
    }
}

/// Reads dollars as micro-dollars, without rounding.
fn micro_dollars(text: &str) -> Result<u64, String> {
    let not_a_price = || "is not a price in dollars such as 2.50".to_owned();
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) {
        return Err(not_a_price());
    }
    if part.len() > 6 {
        return Err("has more than six digits after the point".into());
    }
    let dollars = whole.parse::<u64>().ok().filter(|dollars| *dollars <= MAX_DOLLARS);
    let dollars = dollars.ok_or_else(|| format!("is more than {MAX_DOLLARS} dollars"))?;
    let micros: u64 = format!("{part:0<6}").parse().map_err(|_| not_a_price())?;
    Ok(dollars * 1_000_000 + micros)
}

#[cfg(test)]
#[path = "prices_tests.rs"]
mod tests;
