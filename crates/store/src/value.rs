//! Values exchanged with a database engine.

use dormouse_types::Timestamp;

/// A value as both engines store it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// BIGINT; flags are 0 and 1, times are microseconds in UTC.
    Int(i64),
    /// DOUBLE PRECISION.
    Real(f64),
    Text(String),
    /// BLOB or BYTEA.
    Blob(Vec<u8>),
}

/// A parameter of an [`crate::Op`]: a value, or one that only the writer knows.
#[derive(Debug, Clone, PartialEq)]
pub enum Param {
    /// Known when the commit was built.
    Value(Value),
    /// The sequence number of this commit.
    Seq,
    /// The time at which the writer applies the commit.
    Now,
    /// The time of the commit plus a duration, for example the expiry of a lease taken now.
    Later(std::time::Duration),
    /// The host id of the database.
    Host,
}

impl<T: Into<Value>> From<T> for Param {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}
impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}
impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Self {
        Self::Int(value.micros())
    }
}
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Makes a parameter list: `params![ws, id, Param::Now]`.
#[macro_export]
macro_rules! params {
    ($($param:expr),* $(,)?) => { vec![$($crate::Param::from($param)),*] };
}

/// Makes the parameter list of a query.
#[macro_export]
macro_rules! params_values {
    ($($param:expr),* $(,)?) => { vec![$($crate::Value::from($param)),*] };
}

/// One row of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<Value>);

/// A column holds something this program would not write: the row was damaged or edited by hand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column} holds {found}, expected {expected}")]
pub struct ColumnError {
    /// The column's index, from 0.
    pub column: usize,
    /// The type that was found.
    pub found: &'static str,
    /// The type that was expected.
    pub expected: &'static str,
}

impl Row {
    fn bad<T>(&self, column: usize, expected: &'static str) -> Result<T, ColumnError> {
        let found = match self.0.get(column) {
            None => "nothing",
            Some(Value::Null) => "NULL",
            Some(Value::Int(_)) => "an integer",
            Some(Value::Real(_)) => "a float",
            Some(Value::Text(_)) => "text",
            Some(Value::Blob(_)) => "bytes",
        };
        Err(ColumnError { column, found, expected })
    }

    /// An integer column.
    pub fn int(&self, column: usize) -> Result<i64, ColumnError> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Ok(*value),
            _ => self.bad(column, "an integer"),
        }
    }

    /// An integer column that may be empty.
    pub fn opt_int(&self, column: usize) -> Result<Option<i64>, ColumnError> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Ok(Some(*value)),
            Some(Value::Null) => Ok(None),
            _ => self.bad(column, "an integer or NULL"),
        }
    }

    /// A text column.
    pub fn text(&self, column: usize) -> Result<&str, ColumnError> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Ok(value),
            _ => self.bad(column, "text"),
        }
    }

    /// A text column that may be empty.
    pub fn opt_text(&self, column: usize) -> Result<Option<&str>, ColumnError> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Ok(Some(value)),
            Some(Value::Null) => Ok(None),
            _ => self.bad(column, "text or NULL"),
        }
    }

    /// A time column.
    pub fn time(&self, column: usize) -> Result<Timestamp, ColumnError> {
        self.int(column).map(Timestamp::from_micros)
    }

    /// A time column that may be empty.
    pub fn opt_time(&self, column: usize) -> Result<Option<Timestamp>, ColumnError> {
        Ok(self.opt_int(column)?.map(Timestamp::from_micros))
    }
}
