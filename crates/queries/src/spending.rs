//! What was spent on models today, and what may still be.

use std::collections::BTreeSet;

use dormouse_store::agent::spend::{self, Balance, SpendScope};
use dormouse_store::agent::{model_setting, wake_queue};
use dormouse_types::spend::{Budgets, OverBudget, Unit};
use dormouse_types::{AgentId, HolderId, WorkspaceId};

use crate::view::{Spending, Spent};
use crate::{Queries, QueryError};

impl Queries {
    /// What all agents have spent today.
    pub async fn spending(&self, ws: WorkspaceId) -> Result<Spending, QueryError> {
        let budgets = self.budgets(ws).await?;
        let mut balances =
            self.store.all(spend::of_scope(ws, &SpendScope::Workspace, self.today())).await?;
        self.leave_out_what_holds_nobody(ws, &mut balances).await?;
        let of = |unit: Unit| balances.iter().find(|balance| balance.unit == unit);
        Ok(Spending {
            day: self.today(),
            money: spent(of(Unit::MicroDollars), budgets.workspace_day),
            tokens: Some(spent(of(Unit::Tokens), budgets.unpriced_day)),
        })
    }

    /// What one agent has spent today. Tokens of models without a price have a budget for all agents
    /// together only.
    pub async fn spending_of_agent(
        &self,
        ws: WorkspaceId,
        agent: &AgentId,
    ) -> Result<Spending, QueryError> {
        let budgets = self.budgets(ws).await?;
        let scope = SpendScope::Holder(agent.into());
        let mut balances = self.store.all(spend::of_scope(ws, &scope, self.today())).await?;
        self.leave_out_what_holds_nobody(ws, &mut balances).await?;
        let money = balances.iter().find(|balance| balance.unit == Unit::MicroDollars);
        let money = spent(money, budgets.agent_day);
        Ok(Spending { day: self.today(), money, tokens: None })
    }

    /// The accounts of today that have no room for the next call, each with its scope and budget.
    pub(crate) async fn held_accounts(
        &self,
        ws: WorkspaceId,
    ) -> Result<Vec<HeldAccount>, QueryError> {
        let mut held = self.store.all(spend::held(ws, self.today())).await?;
        self.leave_out_what_holds_nobody(ws, &mut held).await?;
        held.retain(|balance| balance.held_at.is_some());
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let budgets = self.budgets(ws).await?;
        let account = |balance: Balance| {
            let unit = balance.unit.known()?;
            let agent = match &balance.scope {
                SpendScope::Workspace => None,
                SpendScope::Holder(holder) => holder.as_str().parse::<AgentId>().ok(),
            };
            let scope = if agent.is_some() { OverBudget::Agent } else { OverBudget::Workspace };
            let spent = spent(Some(&balance), budgets.limit(scope, unit)?);
            Some(HeldAccount { agent, unit, spent })
        };
        Ok(held.into_iter().filter_map(account).collect())
    }

    /// Clears the holds of accounts for which no wake waits: its agent got a model that costs nothing, or
    /// the wake was cancelled.
    async fn leave_out_what_holds_nobody(
        &self,
        ws: WorkspaceId,
        balances: &mut [Balance],
    ) -> Result<(), QueryError> {
        if balances.iter().all(|balance| balance.held_at.is_none()) {
            return Ok(());
        }
        let waiting = self.store.all(wake_queue::put_off_by_budgets(ws)).await?;
        let waiting: BTreeSet<Option<HolderId>> = waiting.into_iter().collect();
        for balance in balances {
            let holder = match &balance.scope {
                SpendScope::Workspace => None,
                SpendScope::Holder(holder) => Some(holder.clone()),
            };
            if !waiting.contains(&holder) {
                balance.held_at = None;
            }
        }
        Ok(())
    }

    async fn budgets(&self, ws: WorkspaceId) -> Result<Budgets, QueryError> {
        let stored = self.store.first(model_setting::of_workspace(ws)).await?;
        Ok(stored.map(|stored| stored.settings.budgets).unwrap_or_default())
    }

    fn today(&self) -> jiff::civil::Date {
        self.clock.now().day_in(&self.zone.get())
    }
}

/// A scope without room for its next call.
pub(crate) struct HeldAccount {
    /// The agent; `None` means all agents.
    pub agent: Option<AgentId>,
    pub unit: Unit,
    pub spent: Spent,
}

fn spent(balance: Option<&Balance>, budget: i64) -> Spent {
    Spent {
        used: balance.map_or(0, Balance::used),
        budget,
        extra: balance.map_or(0, |balance| balance.extra),
        held_since: balance.and_then(|balance| balance.held_at),
        next_call: balance.filter(|it| it.held_at.is_some()).map(|balance| balance.wanted),
    }
}
