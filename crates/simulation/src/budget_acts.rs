//! What people do about money: they raise budgets, allow one more for today, and switch paid calls off
//! and on.

use std::sync::Arc;

use anyhow::Context as _;
use dormouse::models::BudgetScope;
use dormouse::{Caller, Error, Store, WORKSPACE};
use dormouse_store::agent::{model_setting, spend, wake_queue};
use dormouse_store::{ChangeRow, Commit, Db};
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::port::{Clock as _, NoFaults};
use dormouse_types::{AgentId, EventKind, Origin, Timestamp};
use futures_util::future::FutureExt as _;
use jiff::tz::TimeZone;

use crate::client::{Client, Reply};
use crate::process::NodeAccess;
use crate::sim_state::SimState;
use crate::spend_oracle;
use crate::terms::Place;

/// Sets the budgets of a play, past every fault.
pub(crate) fn prepare(sim: &SimState) -> anyhow::Result<()> {
    if sim.terms.place == Place::BuiltIn {
        return Ok(());
    }
    let budgets = sim.terms.budgets;
    change(sim, move |settings| settings.budgets = budgets)
}

/// Allows paid calls, past every fault.
pub(crate) fn allow(sim: &SimState) -> anyhow::Result<()> {
    if sim.terms.place == Place::BuiltIn {
        return Ok(());
    }
    change(sim, |settings| settings.paid_calls = true)
}

/// Allows paid calls once more, if a request that was long on its way switched them off since.
pub(crate) fn allow_again(sim: &SimState) -> anyhow::Result<()> {
    let store = Store::new(sim.sqlite.clone(), Arc::new(NoFaults));
    let read = store.first(model_setting::paid_calls(WORKSPACE)).now_or_never();
    match read.context("a store in memory answers at once")?? {
        Some(false) => allow(sim),
        Some(true) | None => Ok(()),
    }
}

fn change(sim: &SimState, edit: impl Fn(&mut ModelSettings)) -> anyhow::Result<()> {
    let store = Store::new(sim.sqlite.clone(), Arc::new(NoFaults));
    let edited = edited(store, sim.clock.now(), edit).now_or_never();
    let commit = edited.context("a store in memory answers at once")??;
    spend_oracle::applied(sim, &commit);
    Ok(())
}

/// Edits the settings; returns the commit that did.
async fn edited(
    store: Store,
    now: Timestamp,
    edit: impl Fn(&mut ModelSettings),
) -> Result<Commit, Error> {
    let stored = store.first(model_setting::of_workspace(WORKSPACE)).await?;
    let revision = stored.as_ref().map_or(0, |stored| stored.revision);
    let mut settings = stored.map(|stored| stored.settings).unwrap_or_default();
    edit(&mut settings);
    let by = Origin::Person { via: None };
    let commit = Commit::new("models.edit", Db::Agent, WORKSPACE)
        .op(model_setting::put(WORKSPACE, revision, &settings))
        .op(spend::end_holds(WORKSPACE, now.day_in(&TimeZone::UTC)))
        .op(wake_queue::release_put_off(WORKSPACE, now))
        .change(ChangeRow::agent(by, EventKind::ModelsChanged, None, "budgets"));
    store.commit(commit.clone()).await?;
    Ok(commit)
}

impl Client {
    /// Does one thing about money.
    pub(crate) async fn see_to_money(&mut self, agent: Option<AgentId>) {
        match self.sim.draw(|chance| chance.below(8)) {
            0..4 => self.once_more(agent).await,
            4 => self.set("raises the budgets", raised).await,
            5 => {
                let off = self.set("switches paid calls off", |it| it.paid_calls = false);
                if off.await {
                    self.sim.count("paid calls switched off");
                    spend_oracle::note_paid_calls_off(&self.sim);
                }
                true
            }
            _ => self.set("switches paid calls on", |it| it.paid_calls = true).await,
        };
    }

    async fn once_more(&mut self, agent: Option<AgentId>) -> bool {
        let key = self.fresh();
        let of_agent = self.sim.draw(|chance| chance.one_in(2));
        let scope = match agent {
            Some(agent) if of_agent => BudgetScope::Agent(agent),
            Some(_) | None => BudgetScope::Workspace,
        };
        let make = |access: NodeAccess, _key| -> Reply<()> {
            let scope = scope.clone();
            Box::pin(async move {
                let me = Caller::owner(WORKSPACE);
                access.dormouse.once_more_today(&me, &scope).await.map(drop)
            })
        };
        let answer = self.ask("allows one more budget", make, &key).await;
        if matches!(answer, Some(Ok(()))) {
            self.sim.count("one more budget");
        }
        true
    }

    /// Edits the settings; returns whether that was acknowledged.
    async fn set(&mut self, what: &str, edit: fn(&mut ModelSettings)) -> bool {
        let key = self.fresh();
        let now = self.sim.clock.now();
        let make = |access: NodeAccess, _key| -> Reply<()> {
            Box::pin(async move { edited(access.store, now, edit).await.map(drop) })
        };
        matches!(self.ask(what, make, &key).await, Some(Ok(())))
    }
}

fn raised(settings: &mut ModelSettings) {
    let budgets = &mut settings.budgets;
    for budget in [&mut budgets.workspace_day, &mut budgets.unpriced_day] {
        *budget += 20_000;
    }
}
