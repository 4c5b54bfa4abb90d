//! Values in the wire format, and the text of statements.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::value::Value;

/// A value and the type of its column do not fit.
#[derive(Debug, thiserror::Error)]
#[error("{found} does not fit into a parameter or column of the type {wanted}")]
pub(super) struct Unfit {
    found: &'static str,
    wanted: String,
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "NULL",
        Value::Int(_) => "an integer",
        Value::Real(_) => "a float",
        Value::Text(_) => "text",
        Value::Blob(_) => "bytes",
    }
}

/// The server infers the type of each parameter; the value is written as that type.
impl ToSql for Value {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let is_text = matches!(*ty, Type::TEXT | Type::VARCHAR | Type::UNKNOWN);
        let unfit = || Unfit { found: kind(self), wanted: ty.name().to_owned() };
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) if *ty == Type::INT8 => value.to_sql(ty, out),
            Self::Int(value) if *ty == Type::INT4 => {
                i32::try_from(*value).map_err(|_| unfit())?.to_sql(ty, out)
            }
            // A number concatenated with text becomes text, as in SQLite.
            Self::Int(value) if is_text => value.to_string().to_sql(ty, out),
            Self::Real(value) if *ty == Type::FLOAT8 => value.to_sql(ty, out),
            Self::Text(value) if is_text => value.to_sql(ty, out),
            Self::Blob(value) if *ty == Type::BYTEA => value.to_sql(ty, out),
            Self::Int(_) | Self::Real(_) | Self::Text(_) | Self::Blob(_) => Err(unfit().into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Self::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Self::Int(i32::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Self::Real(f64::from_sql(ty, raw)?),
            Type::TEXT | Type::VARCHAR => Self::Text(String::from_sql(ty, raw)?),
            Type::BYTEA => Self::Blob(raw.to_vec()),
            _ => {
                let wanted = ty.name().to_owned();
                return Err(Unfit { found: "a value of the store", wanted }.into());
            }
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A portable statement in this engine's syntax: `?1` becomes `$1`, outside quotes.
pub fn statement(portable: &str) -> String {
    let mut quoted = false;
    let mut text = String::with_capacity(portable.len());
    let mut rest = portable.chars().peekable();
    while let Some(c) = rest.next() {
        quoted ^= c == '\'';
        let is_placeholder = c == '?' && !quoted && rest.peek().is_some_and(char::is_ascii_digit);
        text.push(if is_placeholder { '$' } else { c });
    }
    text
}

/// A portable migration in this engine's syntax. Text is compared by bytes, as in SQLite, whatever
/// the server's locale.
pub(super) fn schema(portable: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::with_capacity(portable.len() * 2);
    for piece in portable.split_inclusive(|c| !is_word(c)) {
        let word = piece.trim_end_matches(|c| !is_word(c));
        text.push_str(match word {
            "TEXT" => "TEXT COLLATE \"C\"",
            "BLOB" => "BYTEA",
            other => other,
        });
        text.push_str(&piece[word.len()..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_with_dollars_outside_of_quotes() {
        let portable =
            "SELECT '?1', a FROM t WHERE b = ?1 AND c LIKE ?12 ESCAPE '\\' AND d = '' || ?2";
        let expected =
            "SELECT '?1', a FROM t WHERE b = $1 AND c LIKE $12 ESCAPE '\\' AND d = '' || $2";
        assert_eq!(statement(portable), expected);
    }

    #[test]
    fn text_columns_are_compared_by_their_bytes() {
        let portable = "CREATE TABLE texts (ws BIGINT, text TEXT NOT NULL, a_TEXT BLOB);";
        let expected =
            "CREATE TABLE texts (ws BIGINT, text TEXT COLLATE \"C\" NOT NULL, a_TEXT BYTEA);";
        assert_eq!(schema(portable), expected);
    }
}
