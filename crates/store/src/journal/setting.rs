//! Settings of a workspace.

use dormouse_types::WorkspaceId;
use dormouse_types::closed_list::Listed;
use dormouse_types::day_order::DayOrder;

use crate::commit::{Db, Op};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// The time zone of the workspace, as an IANA name.
pub const TIME_ZONE: &str = "timeZone";

/// The time zone of the workspace before a person chose one; missing if nobody did.
pub const DEFAULT_TIME_ZONE: &str = "defaultTimeZone";

/// When something is due that has a day and no time, as `06:30`; missing if nobody chose a time.
pub const DAY_STARTS: &str = "dayStarts";

/// The order of day and month in figures, see [`date_order`]; missing if nobody chose one.
pub const DATE_ORDER: &str = "dateOrder";

/// Sets a setting.
pub fn put(workspace: WorkspaceId, key: &str, value: &str) -> Op {
    Op::any(
        "INSERT INTO settings (ws, key, value) VALUES (?1, ?2, ?3)
         ON CONFLICT (ws, key) DO UPDATE SET value = excluded.value",
        params![ws(workspace), key, value],
    )
}

/// Removes a setting, so that its default holds again.
pub fn remove(workspace: WorkspaceId, key: &str) -> Op {
    Op::any("DELETE FROM settings WHERE ws = ?1 AND key = ?2", params![ws(workspace), key])
}

/// Every setting, by its key.
pub fn all(workspace: WorkspaceId) -> Query<(String, String)> {
    Query {
        db: Db::Journal,
        sql: "SELECT key, value FROM settings WHERE ws = ?1 ORDER BY key",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "setting", &e);
            Ok((row.text(0).map_err(column)?.to_owned(), row.text(1).map_err(column)?.to_owned()))
        },
    }
}

/// A setting, if it was set.
pub fn by_key(workspace: WorkspaceId, key: &str) -> Query<String> {
    Query {
        db: Db::Journal,
        sql: "SELECT value FROM settings WHERE ws = ?1 AND key = ?2",
        params: params_values![ws(workspace), key],
        decode: |row| {
            row.text(0)
                .map(ToOwned::to_owned)
                .map_err(|e| ReadError::column(Db::Journal, "setting", &e))
        },
    }
}

/// The order of day and month in figures, if it was chosen.
pub fn date_order(workspace: WorkspaceId) -> Query<Listed<DayOrder>> {
    let Query { db, sql, params, .. } = by_key(workspace, DATE_ORDER);
    let decode = |row: &Row| {
        let name = row.text(0).map_err(|e| ReadError::column(Db::Journal, "setting", &e))?;
        Ok(Listed::named(name))
    };
    Query { db, sql, params, decode }
}
