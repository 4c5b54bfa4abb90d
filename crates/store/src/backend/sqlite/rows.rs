//! Parameters and rows as plain values.

use rusqlite::Connection;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use crate::value::{Row, Value};

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

/// Reads all rows of a statement.
pub(super) fn rows(
    connection: &Connection,
    sql: &str,
    params: &[Value],
) -> rusqlite::Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(params))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let values: rusqlite::Result<Vec<Value>> = (0..columns)
            .map(|column| {
                Ok(match row.get_ref(column)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(value) => Value::Int(value),
                    ValueRef::Real(value) => Value::Real(value),
                    // A damaged text is passed on damaged: the decoder of its noun reports it by
                    // name.
                    ValueRef::Text(value) => {
                        Value::Text(String::from_utf8_lossy(value).into_owned())
                    }
                    ValueRef::Blob(value) => Value::Blob(value.to_vec()),
                })
            })
            .collect();
        all.push(Row(values?));
    }
    Ok(all)
}
