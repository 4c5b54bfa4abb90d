//! Rules of the person about what agents propose, what they held back, and the items that they are
//! to confirm.

use std::sync::LazyLock;

use dormouse_types::closed_list::Listed;
use dormouse_types::field_change::FieldChange;
use dormouse_types::rule::{Condition, RuleEffect, RuleHolder};
use dormouse_types::{
    ChangeSetId, DecisionId, Fingerprint, HolderId, Id as _, RuleId, TaskId, Timestamp, WorkspaceId,
};

use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// A rule of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: RuleId,
    /// Whose proposals it is about.
    pub holder: RuleHolder,
    pub effect: Listed<RuleEffect>,
    /// The tool, as change items name it.
    pub tool: String,
    /// When it holds; `None` for all proposals of the tool.
    pub condition: Option<Condition>,
    /// The verdicts that it was proposed for.
    pub decisions: Vec<DecisionId>,
    /// Who made it.
    pub made_by: String,
    pub made_at: Timestamp,
    /// When it was removed.
    pub removed_at: Option<Timestamp>,
}

impl Rule {
    /// Returns whether it does this in force.
    pub fn does(&self, effect: RuleEffect) -> bool {
        self.removed_at.is_none() && self.effect == effect
    }
}

/// The name of a condition in rows; empty for none.
fn key(condition: Option<&Condition>) -> String {
    condition.map(Condition::key).unwrap_or_default()
}

/// Writes a new rule; refused while one like it is in force.
pub fn insert(workspace: WorkspaceId, new: &Rule) -> Op {
    let condition = new.condition.as_ref();
    let json = |it: &Condition| serde_json::to_string(it).expect("a condition is plain data");
    Op::one(
        "INSERT INTO rules (ws, id, holder, effect, tool, condition_key, rule_condition, decisions,
           made_by, made_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
         WHERE NOT EXISTS (SELECT 1 FROM rules WHERE ws = ?1 AND holder = ?3 AND effect = ?4
           AND tool = ?5 AND condition_key = ?6 AND removed_at IS NULL)",
        params![
            ws(workspace),
            new.id.as_str(),
            new.holder.as_str(),
            new.effect.name(),
            new.tool.as_str(),
            key(condition),
            condition.map(json),
            serde_json::to_string(&new.decisions).expect("ids are plain data"),
            new.made_by.as_str(),
            new.made_at
        ],
        Refusal::Exists,
    )
}

/// Removes a rule; refused if it is not in force.
pub fn remove(workspace: WorkspaceId, id: &RuleId, by: &str, at: Timestamp) -> Op {
    Op::one(
        "UPDATE rules SET removed_by = ?3, removed_at = ?4
         WHERE ws = ?1 AND id = ?2 AND removed_at IS NULL",
        params![ws(workspace), id.as_str(), by, at],
        Refusal::Missing,
    )
}

/// Removes every rule of a holder with this effect.
pub fn remove_all(
    workspace: WorkspaceId,
    holder: &RuleHolder,
    effect: RuleEffect,
    by: &str,
    at: Timestamp,
) -> Op {
    Op::any(
        "UPDATE rules SET removed_by = ?4, removed_at = ?5
         WHERE ws = ?1 AND holder = ?2 AND effect = ?3 AND removed_at IS NULL",
        params![ws(workspace), holder.as_str(), effect.name(), by, at],
    )
}

/// Guards a commit: the rule must still be in force.
pub fn expect_in_force(workspace: WorkspaceId, id: &RuleId) -> Op {
    Op::one(
        "UPDATE rules SET id = id WHERE ws = ?1 AND id = ?2 AND removed_at IS NULL",
        params![ws(workspace), id.as_str()],
        Refusal::Missing,
    )
}

fn decode(row: &Row) -> Result<Rule, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "rule", &e);
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "rule",
        id: row.text(0).unwrap_or("row").to_owned(),
        detail,
    };
    let condition = row.opt_text(4).map_err(column)?;
    let condition = condition.map(serde_json::from_str).transpose();
    let decisions = serde_json::from_str(row.text(5).map_err(column)?);
    Ok(Rule {
        id: row.text(0).map_err(column)?.parse().map_err(|e| corrupt(format!("{e}")))?,
        holder: row.text(1).map_err(column)?.parse().map_err(corrupt)?,
        effect: Listed::named(row.text(2).map_err(column)?),
        tool: row.text(3).map_err(column)?.to_owned(),
        condition: condition.map_err(|e| corrupt(format!("its condition: {e}")))?,
        decisions: decisions.map_err(|e| corrupt(format!("its verdicts: {e}")))?,
        made_by: row.text(6).map_err(column)?.to_owned(),
        made_at: row.time(7).map_err(column)?,
        removed_at: row.opt_time(8).map_err(column)?,
    })
}

/// One rule, removed ones included.
pub fn by_id(workspace: WorkspaceId, id: &RuleId) -> Query<Rule> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, holder, effect, tool, rule_condition, decisions, made_by, made_at, removed_at
              FROM rules WHERE ws = ?1 AND id = ?2",
        params: params_values![ws(workspace), id.as_str()],
        decode,
    }
}

/// The rules in force of some holders, oldest first.
pub fn in_force(workspace: WorkspaceId, holders: &[RuleHolder]) -> Query<Rule> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, holder, effect, tool, rule_condition, decisions, made_by, made_at, removed_at
             FROM rules WHERE ws = ?1 AND removed_at IS NULL AND holder IN (",
            ") ORDER BY made_at, id",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, holders), decode }
}

/// All rules in force of a workspace, oldest first.
pub fn all_in_force(workspace: WorkspaceId) -> Query<Rule> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, holder, effect, tool, rule_condition, decisions, made_by, made_at, removed_at
              FROM rules WHERE ws = ?1 AND removed_at IS NULL ORDER BY made_at, id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// What a rule did not let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBack {
    pub rule: RuleId,
    pub fingerprint: Fingerprint,
    /// The task it would have been about.
    pub task: TaskId,
    /// Who proposed it last.
    pub proposer: HolderId,
    /// What would have changed.
    pub change: Option<FieldChange>,
    /// How often it was held back.
    pub times: i64,
    /// When it was last.
    pub at: Timestamp,
}

/// Notes that something was held back; the same again counts once more.
pub fn hold_back(workspace: WorkspaceId, held: &HeldBack) -> Op {
    let json = |it: &FieldChange| serde_json::to_string(it).expect("a change is plain data");
    Op::any(
        "INSERT INTO held_back (ws, rule_id, fingerprint, task_id, holder, field_change, times, held_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)
         ON CONFLICT (ws, rule_id, fingerprint) DO UPDATE SET times = held_back.times + 1,
           holder = excluded.holder, field_change = excluded.field_change, held_at = excluded.held_at",
        params![
            ws(workspace),
            held.rule.as_str(),
            held.fingerprint.as_str(),
            held.task.as_str(),
            held.proposer.as_str(),
            held.change.as_ref().map(json),
            held.at
        ],
    )
}

/// What a rule held back, newest first.
pub fn held_by(workspace: WorkspaceId, rule: &RuleId, limit: i64) -> Query<HeldBack> {
    Query {
        db: Db::Agent,
        sql: "SELECT rule_id, fingerprint, task_id, holder, field_change, times, held_at
              FROM held_back WHERE ws = ?1 AND rule_id = ?2 ORDER BY held_at DESC, fingerprint LIMIT ?3",
        params: params_values![ws(workspace), rule.as_str(), limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "proposal held back", &e);
            let corrupt = |detail: String| ReadError::Corrupt {
                db: "agent",
                noun: "proposal held back",
                id: row.text(1).unwrap_or("row").to_owned(),
                detail,
            };
            let id = |e: dormouse_types::IdError| corrupt(e.to_string());
            let change = row.opt_text(4).map_err(column)?.map(serde_json::from_str).transpose();
            Ok(HeldBack {
                rule: row.text(0).map_err(column)?.parse().map_err(id)?,
                fingerprint: Fingerprint(row.text(1).map_err(column)?.to_owned()),
                task: row.text(2).map_err(column)?.parse().map_err(id)?,
                proposer: row.text(3).map_err(column)?.parse().map_err(id)?,
                change: change.map_err(|e| corrupt(format!("its change: {e}")))?,
                times: row.int(5).map_err(column)?,
                at: row.time(6).map_err(column)?,
            })
        },
    }
}

/// How often each rule of at most a page held something back, and when it last did.
pub fn held_counts(workspace: WorkspaceId, rules: &[RuleId]) -> Query<(RuleId, i64, Timestamp)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT rule_id, CAST(SUM(times) AS BIGINT), MAX(held_at) FROM held_back
             WHERE ws = ?1 AND rule_id IN (",
            ") GROUP BY rule_id",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, rules),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "proposal held back", &e);
            let id = row.text(0).map_err(column)?;
            let id = id.parse().map_err(|e: dormouse_types::IdError| ReadError::Corrupt {
                db: "agent",
                noun: "proposal held back",
                id: id.to_owned(),
                detail: e.to_string(),
            })?;
            Ok((id, row.int(1).map_err(column)?, row.time(2).map_err(column)?))
        },
    }
}

/// An open item that a rule is to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemByRule {
    pub ws: WorkspaceId,
    pub set: ChangeSetId,
    pub index: i64,
    pub rule: RuleId,
}

/// Leaves an item to a rule, in the commit that opens it.
pub fn leave_to(
    workspace: WorkspaceId,
    (set, index): (&ChangeSetId, i64),
    rule: &RuleId,
    at: Timestamp,
) -> Op {
    Op::one(
        "INSERT INTO items_by_rule (ws, set_id, item_index, rule_id, made_at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![ws(workspace), set.as_str(), index, rule.as_str(), at],
        Refusal::Exists,
    )
}

/// Takes an item away from its rule: it was confirmed, or the person has to decide.
pub fn release(workspace: WorkspaceId, set: &ChangeSetId, index: i64) -> Op {
    Op::any(
        "DELETE FROM items_by_rule WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3",
        params![ws(workspace), set.as_str(), index],
    )
}

/// The oldest items that wait for their rule, in all workspaces. Within a set they come in order: what
/// belongs to another follows it.
pub fn waiting(limit: i64) -> Query<ItemByRule> {
    Query {
        db: Db::Agent,
        sql: "SELECT ws, set_id, item_index, rule_id FROM items_by_rule
              ORDER BY made_at, ws, set_id, item_index LIMIT ?1",
        params: params_values![limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "item of a rule", &e);
            let corrupt = |e: dormouse_types::IdError| ReadError::Corrupt {
                db: "agent",
                noun: "item of a rule",
                id: row.text(1).unwrap_or("row").to_owned(),
                detail: e.to_string(),
            };
            Ok(ItemByRule {
                ws: WorkspaceId(row.int(0).map_err(column)?),
                set: row.text(1).map_err(column)?.parse().map_err(corrupt)?,
                index: row.int(2).map_err(column)?,
                rule: row.text(3).map_err(column)?.parse().map_err(corrupt)?,
            })
        },
    }
}
