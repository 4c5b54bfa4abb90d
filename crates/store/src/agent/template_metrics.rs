//! How a template does: the runs that followed it, what their models cost, and the outcome of their
//! proposals, counted by week, version and model.
//!
//! A run belongs to the template whose version it was sent. Which version that was is recorded since schema
//! 33; a run without it counts for the template that its agent follows now, with no version.

use std::fmt::Write as _;
use std::sync::LazyLock;

use dormouse_types::agent::{ItemStatus, RunFailure, RunStatus};
use dormouse_types::closed_list::Listed;
use dormouse_types::spend::Unit;
use dormouse_types::{IdError, TemplateId, TemplateVersionId, Timestamp, WorkspaceId};

use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::{Row, Value};

/// The most weeks that are counted apart.
pub const MOST_WEEKS: usize = 26;

/// Whose runs are counted, and from when.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    pub template: &'a TemplateId,
    /// Whether it is also the template of agents that have none of their own.
    pub is_default: bool,
    /// When each week begins, oldest first; the last one has no end. Nothing before the first is counted.
    pub weeks: &'a [Timestamp],
}

/// What a count is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The place of the week in [`Wanted::weeks`].
    pub week: usize,
    /// The version that was sent; `None` if it is not known.
    pub version: Option<TemplateVersionId>,
    /// The model of the run; `None` if none was chosen.
    pub model: Option<String>,
}

/// How many runs ended in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunCount {
    pub group: Group,
    pub status: Listed<RunStatus>,
    /// Whether a person cancelled them.
    pub is_cancelled: bool,
    pub n: i64,
    /// Tokens of all their turns.
    pub input_tokens: i64,
    pub output_tokens: i64,
}

/// What the calls of models cost, in one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCost {
    pub group: Group,
    pub unit: Listed<Unit>,
    pub calls: i64,
    /// A call without a figure counts as its reservation.
    pub cost: i64,
}

/// How many proposals of a tool came to one end, or were put off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemCount {
    /// The week is that of the end.
    pub group: Group,
    pub tool: String,
    pub state: Listed<ItemStatus>,
    /// Whether a rule of the person confirmed them, instead of the person.
    pub is_by_rule: bool,
    pub n: i64,
}

/// The placeholder of the first week; those before it are the workspace, the template, and what counts as
/// the template of an agent that has none of its own.
const FIRST_WEEK: usize = 4;

/// The expression for the place of the week of a time.
fn week_of(time: &str) -> String {
    let mut sql = "CASE".to_owned();
    for week in 1..MOST_WEEKS {
        let next = FIRST_WEEK + week;
        write!(sql, " WHEN {time} < ?{next} THEN {}", week - 1).expect("a string takes everything");
    }
    write!(sql, " ELSE {} END", MOST_WEEKS - 1).expect("a string takes everything");
    sql
}

/// Panics: if there are no weeks, or more than [`MOST_WEEKS`].
fn params(workspace: WorkspaceId, wanted: &Wanted<'_>) -> Vec<Value> {
    let Wanted { template, is_default, weeks } = wanted;
    assert!((1..=MOST_WEEKS).contains(&weeks.len()), "1 to {MOST_WEEKS} weeks are counted");
    let without = if *is_default { template.to_string() } else { String::new() };
    let mut params = params_values![ws(workspace), template.to_string(), without];
    let never = Timestamp::from_micros(i64::MAX);
    let weeks = weeks.iter().copied().chain(std::iter::repeat(never)).take(MOST_WEEKS);
    params.extend(weeks.flat_map(|week| params_values![week]));
    params
}

/// Both sources of runs `r`: those that were sent a version of the template, and those without a version of
/// the agents that follow it. The versions and the agents come first: SQLite takes the order of a
/// `CROSS JOIN` as it is, and would otherwise read all runs of the workspace.
fn over_runs(columns: &str, join: &str, groups: &str) -> String {
    let week = week_of("r.created_at");
    format!(
        "SELECT {week}, r.template_version, r.model, {columns}
         FROM agent_entities v CROSS JOIN wake_run_log r {join}
         WHERE v.ws = ?1 AND v.agent_id = ?2 AND v.type = 'agentTemplateVersion'
           AND r.ws = v.ws AND r.template_version = v.id AND r.created_at >= ?{FIRST_WEEK}
         GROUP BY {groups}
         UNION ALL
         SELECT {week}, r.template_version, r.model, {columns}
         FROM agent_entities a CROSS JOIN wake_run_log r {join}
         WHERE a.ws = ?1 AND a.type = 'agent' AND COALESCE(a.subtype, ?3) = ?2
           AND r.ws = a.ws AND r.agent_id = a.id AND r.template_version IS NULL
           AND r.created_at >= ?{FIRST_WEEK}
         GROUP BY {groups}"
    )
}

/// The runs of a template.
pub fn runs(workspace: WorkspaceId, wanted: &Wanted<'_>) -> Query<RunCount> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let cancelled = RunFailure::Cancelled.name();
        let columns = format!(
            "r.status, CASE WHEN r.failure = '{cancelled}' THEN 1 ELSE 0 END, COUNT(*),
             CAST(COALESCE(SUM(r.input_tokens), 0) AS BIGINT),
             CAST(COALESCE(SUM(r.output_tokens), 0) AS BIGINT)"
        );
        over_runs(&columns, "", "1, 2, 3, 4, 5")
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: params(workspace, wanted),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "wake run", &e);
            Ok(RunCount {
                group: group(row)?,
                status: Listed::named(row.text(3).map_err(column)?),
                is_cancelled: row.int(4).map_err(column)? == 1,
                n: row.int(5).map_err(column)?,
                input_tokens: row.int(6).map_err(column)?,
                output_tokens: row.int(7).map_err(column)?,
            })
        },
    }
}

/// What the runs of a template cost. The week is that of the run.
pub fn cost(workspace: WorkspaceId, wanted: &Wanted<'_>) -> Query<CallCost> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let columns = "c.unit, COUNT(*), CAST(SUM(COALESCE(c.cost, c.reserved)) AS BIGINT)";
        let calls = "JOIN model_calls c ON c.ws = r.ws AND c.run_key = r.run_key";
        over_runs(columns, calls, "1, 2, 3, 4")
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: params(workspace, wanted),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "model call", &e);
            Ok(CallCost {
                group: group(row)?,
                unit: Listed::named(row.text(3).map_err(column)?),
                calls: row.int(4).map_err(column)?,
                cost: row.int(5).map_err(column)?,
            })
        },
    }
}

/// The outcome of the proposals of a template: those that were confirmed, rejected, expired, or are put off.
///
/// The document of a decision names its rule right before its round, and quotation marks inside a text are
/// written with a backslash, so the pattern finds nothing else.
pub fn items(workspace: WorkspaceId, wanted: &Wanted<'_>) -> Query<ItemCount> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let week = week_of("i.decided_at");
        format!(
            "SELECT {week}, r.template_version, r.model, i.tool, i.state,
               CASE WHEN i.state = 'confirmed' AND EXISTS (SELECT 1 FROM agent_entities d
                 WHERE d.ws = i.ws AND d.task_id = i.task_id AND d.type = 'changeDecision'
                   AND d.agent_id = i.agent_id
                   AND d.serialized LIKE '%\"changeSetId\":\"' || i.set_id || '\",\"itemIndex\":'
                     || CAST(i.item_index AS TEXT) || ',%'
                   AND d.serialized LIKE '%\"byRule\":\"%\",\"round\":'
                     || CAST(i.round AS TEXT) || ',%') THEN 1 ELSE 0 END,
               COUNT(*)
             FROM change_items i
             JOIN agent_entities s ON s.ws = i.ws AND s.id = i.set_id
             LEFT JOIN wake_run_log r ON r.ws = s.ws AND r.thread_id = s.thread_id
             LEFT JOIN agent_entities v ON v.ws = r.ws AND v.id = r.template_version
             LEFT JOIN agent_entities a
               ON a.ws = i.ws AND a.id = i.agent_id AND a.type = 'agent'
             WHERE i.ws = ?1 AND i.decided_at IS NOT NULL AND i.decided_at >= ?{FIRST_WEEK}
               AND i.state IN ('confirmed', 'rejected', 'deferred', 'expired')
               AND (v.agent_id = ?2 OR (r.template_version IS NULL AND a.id IS NOT NULL
                 AND COALESCE(a.subtype, ?3) = ?2))
             GROUP BY 1, 2, 3, 4, 5, 6"
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: params(workspace, wanted),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "change item", &e);
            Ok(ItemCount {
                group: group(row)?,
                tool: row.text(3).map_err(column)?.to_owned(),
                state: Listed::named(row.text(4).map_err(column)?),
                is_by_rule: row.int(5).map_err(column)? == 1,
                n: row.int(6).map_err(column)?,
            })
        },
    }
}

fn group(row: &Row) -> Result<Group, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "wake run", &e);
    let version = row.opt_text(1).map_err(column)?;
    let corrupt = |e: IdError| ReadError::Corrupt {
        db: "agent",
        noun: "wake run",
        id: version.unwrap_or_default().to_owned(),
        detail: e.to_string(),
    };
    Ok(Group {
        week: usize::try_from(row.int(0).map_err(column)?).unwrap_or(0),
        version: version.map(str::parse).transpose().map_err(corrupt)?,
        model: row.opt_text(2).map_err(column)?.map(ToOwned::to_owned),
    })
}
