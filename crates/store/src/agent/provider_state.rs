//! What a provider must get back with the turns that it gave, one row per turn.

use dormouse_types::model::ProviderState;
use dormouse_types::{RunKey, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// Records the state of a turn; refused if the turn has one.
pub fn insert(workspace: WorkspaceId, run: &RunKey, turn: u32, state: &ProviderState) -> Op {
    Op::one(
        "INSERT INTO provider_states (ws, run_key, turn, provider, data)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            ws(workspace),
            run.as_str(),
            i64::from(turn),
            state.provider.as_str(),
            state.data.as_str()
        ],
        Refusal::Exists,
    )
}

/// Deletes the states of a run: what is in them, only their provider knows.
pub fn delete_of_run(workspace: WorkspaceId, run: &RunKey) -> Op {
    Op::any(
        "DELETE FROM provider_states WHERE ws = ?1 AND run_key = ?2",
        params![ws(workspace), run.as_str()],
    )
}

fn decode(row: &Row) -> Result<(i64, ProviderState), ReadError> {
    let column = |e| ReadError::column(Db::Agent, "provider_state", &e);
    let provider = row.text(1).map_err(column)?.to_owned();
    let data = row.text(2).map_err(column)?.to_owned();
    Ok((row.int(0).map_err(column)?, ProviderState { provider, data }))
}

/// The states of a run with the numbers of their turns, in order.
pub fn of_run(workspace: WorkspaceId, run: &RunKey) -> Query<(i64, ProviderState)> {
    Query {
        db: Db::Agent,
        sql: "SELECT turn, provider, data FROM provider_states WHERE ws = ?1 AND run_key = ?2
              ORDER BY turn",
        params: params_values![ws(workspace), run.as_str()],
        decode,
    }
}
