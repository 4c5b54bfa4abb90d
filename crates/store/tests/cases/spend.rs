//! Budgets: what is reserved, settled, held and lifted; the same on each engine.

use dormouse_store::Refusal;
use dormouse_store::agent::model_setting;
use dormouse_store::agent::spend::{self, Account, Balance, SpendScope};
use dormouse_store::agent::wake_queue::{self, PutOff, Reason, Signal};
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::spend::Unit;
use dormouse_types::{AgentId, Seq, Timestamp};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    a_budget_takes_what_fits_and_nothing_more,
    a_hold_ends_by_being_lifted_and_only_once,
    the_holds_of_a_day_end_together,
    what_was_put_off_is_due_at_once_unless_it_sleeps,
    a_decision_on_old_settings_is_refused,
);

fn account(scope: SpendScope, day: i8) -> Account {
    let day = jiff::civil::date(2026, 3, day);
    Account { scope, day, unit: Unit::MicroDollars }
}

fn of_agent(world: &World) -> SpendScope {
    let agent: AgentId = world.id();
    SpendScope::Holder(agent.into())
}

fn balance(world: &World, account: &Account) -> (i64, i64, i64, Option<Timestamp>) {
    let Balance { reserved, spent, extra, held_at, .. } =
        world.only(spend::of_account(WS, account));
    (reserved, spent, extra, held_at)
}

fn a_budget_takes_what_fits_and_nothing_more(world: &World) {
    let day = account(SpendScope::Workspace, 2);
    let reserve = |amount| spend::reserve(WS, &day, amount, 100);
    assert_eq!(world.agent_refusal([reserve(101)]), Refusal::OverBudget);
    world.agent([reserve(60)]);
    assert_eq!(world.agent_refusal([reserve(41)]), Refusal::OverBudget);
    assert_eq!(world.agent_refusal([reserve(i64::MAX)]), Refusal::OverBudget);
    world.agent([spend::settle(WS, &day, 60, 10), reserve(90)]);
    assert_eq!(balance(world, &day), (90, 10, 0, None));
    world.agent([spend::reserve(OTHER_WS, &day, 100, 100)]);
    world.agent([spend::reserve(WS, &account(SpendScope::Workspace, 3), 100, 100)]);
}

fn a_hold_ends_by_being_lifted_and_only_once(world: &World) {
    let day = account(of_agent(world), 2);
    let hold = |time| spend::hold(WS, &day, at(time), 50, 100);
    assert_eq!(world.agent_refusal([hold(1)]), Refusal::Stale, "there is room");
    assert_eq!(world.agent_refusal([spend::lift(WS, &day, 100)]), Refusal::Missing);
    world.agent([spend::reserve(WS, &day, 60, 100)]);
    world.agent([hold(1)]);
    world.agent([hold(9)]);
    assert_eq!(balance(world, &day), (60, 0, 0, Some(at(1))), "since the first refusal");
    world.agent([spend::is_held(WS, &day)]);
    world.agent([spend::lift(WS, &day, 100)]);
    assert_eq!(world.agent_refusal([spend::is_held(WS, &day)]), Refusal::Stale);
    assert_eq!(world.agent_refusal([spend::lift(WS, &day, 100)]), Refusal::Missing);
    assert_eq!(world.agent_refusal([hold(2)]), Refusal::Stale, "there is room now");
    world.agent([spend::reserve(WS, &day, 140, 100)]);
    assert_eq!(
        world.agent_refusal([spend::reserve(WS, &day, 1, 100)]),
        Refusal::OverBudget,
        "as much again, and nothing more"
    );
}

fn the_holds_of_a_day_end_together(world: &World) {
    let (one, other) = (account(of_agent(world), 2), account(of_agent(world), 3));
    world.agent([spend::hold(WS, &one, at(1), 5, 0), spend::hold(WS, &other, at(1), 5, 0)]);
    let held: Vec<SpendScope> =
        world.all(spend::held(WS, one.day)).into_iter().map(|held| held.scope).collect();
    assert_eq!(held, std::slice::from_ref(&one.scope));
    world.agent([spend::end_holds(WS, one.day)]);
    assert_eq!(world.all(spend::held(WS, one.day)), []);
    assert_eq!(world.all(spend::held(WS, other.day)).len(), 1);
}

fn what_was_put_off_is_due_at_once_unless_it_sleeps(world: &World) {
    let [waiting, sleeping, plain] = [(); 3].map(|()| -> AgentId { world.id() });
    for agent in [&waiting, &sleeping, &plain] {
        world.agent([
            wake_queue::insert(WS, agent, None, at(0)),
            wake_queue::clear_signals(WS, agent),
            wake_queue::signal(
                WS,
                &Signal {
                    holder: agent.into(),
                    reason: Reason::Subscription,
                    at: at(1),
                    due_at: Some(at(10)),
                    upto: Seq(1),
                    request_id: None,
                },
            ),
        ]);
    }
    let row = |agent: &AgentId| world.only(wake_queue::of_holder(WS, agent));
    for agent in [&waiting, &sleeping] {
        let read = row(agent);
        world.agent([wake_queue::postpone(WS, &read, at(900), PutOff::AgentBudget)]);
    }
    world.agent([wake_queue::sleep_until(WS, &sleeping, Some(at(950)), at(20), None)]);
    assert_eq!(world.all(wake_queue::put_off(WS)).len(), 2);
    let mut by_budgets = world.all(wake_queue::put_off_by_budgets(WS));
    by_budgets.sort();
    let mut both = [Some((&waiting).into()), Some((&sleeping).into())];
    both.sort();
    assert_eq!(by_budgets, both);
    world.agent([wake_queue::release_put_off(WS, at(50))]);
    let due = |agent: &AgentId| (row(agent).due_at, row(agent).put_off);
    assert_eq!(due(&waiting), (Some(at(50)), None));
    assert_eq!(due(&sleeping), (Some(at(950)), None), "its sleep goes on");
    assert_eq!(due(&plain), (Some(at(10)), None));

    let read = row(&waiting);
    world.agent([wake_queue::postpone(WS, &read, at(900), PutOff::Provider)]);
    world.agent([wake_queue::release_one(WS, &plain, at(5))]);
    assert_eq!(due(&waiting).0, Some(at(900)), "only the one that was named");
    world.agent([wake_queue::release_one(WS, &waiting, at(60))]);
    assert_eq!(due(&waiting), (Some(at(60)), None));
}

fn a_decision_on_old_settings_is_refused(world: &World) {
    let settings = ModelSettings { paid_calls: false, ..ModelSettings::default() };
    assert_eq!(world.first(model_setting::paid_calls(WS)), None);
    world.agent([model_setting::unchanged(WS, 0)]);
    world.agent([model_setting::put(WS, 0, &settings)]);
    assert_eq!(world.first(model_setting::paid_calls(WS)), Some(false));
    world.agent([model_setting::forbids_paid_calls(WS)]);
    assert_eq!(world.agent_refusal([model_setting::unchanged(WS, 0)]), Refusal::Stale);
    world.agent([model_setting::unchanged(WS, 1)]);
}
