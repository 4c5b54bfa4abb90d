//! One more budget for today, for a scope that has used its budget up.

use dormouse_store::agent::model_setting;
use dormouse_store::agent::spend::{self, Account, SpendScope};
use dormouse_store::agent::wake_queue;
use dormouse_store::{Audit, ChangeRow, Commit, Db, Op, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::spend::{OverBudget, Unit, dollars};
use dormouse_types::{AgentId, Caller, EventKind, Origin, Scope};

use super::{ATTEMPTS, EditError};
use crate::request::require;
use crate::view::Spending;
use crate::{Dormouse, Error};

/// Whose budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetScope {
    /// All agents together.
    Workspace,
    /// One agent.
    Agent(AgentId),
}

impl BudgetScope {
    fn account(&self) -> SpendScope {
        match self {
            Self::Workspace => SpendScope::Workspace,
            Self::Agent(id) => SpendScope::Holder(id.into()),
        }
    }

    /// Which budget it is, and what it counts.
    fn budgets(&self) -> &'static [(OverBudget, Unit)] {
        match self {
            Self::Workspace => &[
                (OverBudget::Workspace, Unit::MicroDollars),
                (OverBudget::Workspace, Unit::Tokens),
            ],
            Self::Agent(_) => &[(OverBudget::Agent, Unit::MicroDollars)],
        }
    }
}

impl Dormouse {
    /// Allows one more budget of the same size for today, in a scope that has used its budget up.
    /// The wakes that wait for it are due at once. It can be repeated whenever it has no room again.
    ///
    /// Returns what the scope has spent today, and its new limit.
    ///
    /// Errors: the agent does not exist; the budget has room for the next call; it is 0.
    pub async fn once_more_today(
        &self,
        caller: &Caller,
        scope: &BudgetScope,
    ) -> Result<Spending, Error> {
        require(caller, Scope::Admin)?;
        let ws = caller.workspace;
        if let BudgetScope::Agent(id) = scope {
            self.agents.agent(ws, id).await?;
        }
        let lifted = retry(ATTEMPTS, &[Refusal::Stale, Refusal::Missing], || async {
            self.lift_once(caller, scope).await
        })
        .await;
        match lifted {
            Ok(()) => self.spending(caller, scope).await,
            Err(EditError::No(error)) => Err(error),
            Err(EditError::Commit(error)) => Err(error.into()),
        }
    }

    /// What a scope has spent today.
    pub async fn spending(&self, caller: &Caller, scope: &BudgetScope) -> Result<Spending, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        match scope {
            BudgetScope::Workspace => Ok(self.queries.spending(ws).await?),
            BudgetScope::Agent(id) => {
                self.agents.agent(ws, id).await?;
                Ok(self.queries.spending_of_agent(ws, id).await?)
            }
        }
    }

    async fn lift_once(&self, caller: &Caller, scope: &BudgetScope) -> Result<(), EditError> {
        let ws = caller.workspace;
        let now = self.clock.now();
        let day = now.day_in(&self.zone.get());
        let stored = self.store.first(model_setting::of_workspace(ws)).await?;
        let revision = stored.as_ref().map_or(0, |stored| stored.revision);
        let budgets = stored.map(|stored| stored.settings.budgets).unwrap_or_default();
        let mut ops: Vec<Op> = Vec::new();
        let mut detail = Vec::new();
        for (budget, unit) in scope.budgets().iter().copied() {
            let account = Account { scope: scope.account(), day, unit };
            let balance = self.store.first(spend::of_account(ws, &account)).await?;
            if balance.is_none_or(|balance| balance.held_at.is_none()) {
                continue;
            }
            let amount = budgets.limit(budget, unit).unwrap_or_default();
            if amount == 0 {
                let message = "the budget is 0, so doubling it changes nothing: raise it first";
                return Err(refused(message));
            }
            ops.push(spend::lift(ws, &account, amount));
            detail.push(match unit {
                Unit::MicroDollars => dollars(amount),
                Unit::Tokens => format!("{amount} tokens"),
            });
        }
        if ops.is_empty() {
            return Err(refused(
                "the budget of today has room for the next call: there is nothing to allow",
            ));
        }
        let (due, event) = match scope {
            BudgetScope::Workspace => {
                (wake_queue::release_put_off(ws, now), EventKind::ModelsChanged)
            }
            BudgetScope::Agent(id) => {
                (wake_queue::release_one(ws, id, now), EventKind::AgentChanged)
            }
        };
        let account = scope.account();
        let commit = Commit::new("models.onceMore", Db::Agent, ws)
            .op(model_setting::unchanged(ws, revision))
            .ops(ops)
            .op(due)
            .change(ChangeRow::agent(Origin::Person { via: None }, event, None, account.as_str()))
            .audit(Audit {
                actor: caller.actor.clone(),
                action: AuditAction::ModelsOnceMore,
                object: account.to_string(),
                detail: format!("{} more on {day}", detail.join(" and ")),
            });
        self.store.commit(commit).await?;
        Ok(())
    }
}

fn refused(message: &str) -> EditError {
    EditError::No(Error::Invalid { field: "budget", message: message.to_owned() })
}
