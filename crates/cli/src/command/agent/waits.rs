//! What a wake waits for, and what a person can do about it.

use dormouse::models::ModelsView;
use dormouse::view::{Agent, HeldBy, Overview, ProviderAlert, ScheduledReason};
use dormouse_types::closed_list::Listed;
use dormouse_types::model_settings::as_argument;
use dormouse_types::{Id as _, Timestamp};

use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::{line, time};

/// Says what the wake of an agent waits for; nothing if it waits for nothing outside of itself.
pub async fn say(session: &mut Session, agent: &Agent) -> Result<(), Failure> {
    let held = agent.scheduled_wakes.iter().find_map(|wake| match wake.held_by {
        Some(Listed::Known(by @ (HeldBy::Provider | HeldBy::Budget | HeldBy::PaidCalls))) => {
            Some((by, wake.at))
        }
        Some(_) | None => None,
    });
    let Some((by, until)) = held else { return say_failure(session, agent).await };
    let models: ModelsView = session.client.get("/api/models").await?.read()?;
    let model = models.models.iter().find(|model| model.id == agent.model);
    let overview: Overview = session.client.get("/api/overview").await?.read()?;
    let alert = overview.alerts.iter().find(|alert| is_of(&alert.provider, &agent.model));
    let failing = overview.failing.iter().find(|failing| is_of(&failing.provider, &agent.model));
    let zone = session.zone.clone();
    let at = |at| time::minute(at, &zone);
    let until = until.map(at).unwrap_or_else(|| "later".to_owned());
    let command = |text: &str| session.command(text);
    let whose = agent.id.short();
    let words = match by {
        HeldBy::Provider if model.is_some_and(|model| model.calls_nothing) => {
            let model = line(&agent.model);
            let other = command(&format!("agent model {whose} MODEL"));
            let test = command(&format!("models test {}", as_argument(&model)));
            format!(
                "it waits for its model: {model} called no tool in any of the three ways, and agents work by calling \
                 tools\nit is not tried again by itself; to choose another model: {other}; to test it again: {test}"
            )
        }
        HeldBy::Provider => {
            let other = command(&format!("agent model {whose} MODEL"));
            let test = command(&format!("models test {}", as_argument(&line(&agent.model))));
            let model = line(&agent.model);
            let problem = match (alert, failing) {
                (Some(alert), _) => away(alert, at),
                (None, Some(failing)) => {
                    format!("{model} could not be used: {}", line(&failing.detail))
                }
                (None, None) => format!("the provider of {model} could not be used"),
            };
            let again = match session.is_without_server() {
                false => format!("it is tried again at {until}, by itself"),
                true => format!(
                    "it is tried again by the next command after {until}, or by itself while `dormouse serve` runs"
                ),
            };
            format!(
                "it waits for its model: {problem}\n{again}; to try now: {test}; to choose another model: {other}"
            )
        }
        HeldBy::Budget if is_zero(&models, agent) => {
            let whose = if agent.dormant_reason.is_some() { "one agent" } else { "all agents" };
            let budget = command("models budget");
            format!(
                "it waits: the budget of {whose} for a day is 0, which allows no call; to raise it: {budget}"
            )
        }
        HeldBy::Budget => {
            let once = match &agent.dormant_reason {
                Some(_) => command(&format!("models once-more --agent {whose}")),
                None => command("models once-more"),
            };
            let budget = command("models budget");
            format!(
                "it waits until {until}: today's budget has no room for the next call\nto allow as much \
                 again for today: {once}; to change the budget: {budget}"
            )
        }
        HeldBy::PaidCalls => {
            let on = command("models on");
            format!("it waits: calls that cost money are switched off; to allow them: {on}")
        }
        HeldBy::SleepUntil | HeldBy::BackOff | HeldBy::Automation | HeldBy::Dormant => {
            return Ok(());
        }
    };
    session.screen.say(words);
    Ok(())
}

/// Says why the wake of an agent waits whose next try is due.
async fn say_failure(session: &mut Session, agent: &Agent) -> Result<(), Failure> {
    let interrupted = Some(ScheduledReason::Interrupted);
    if !agent.scheduled_wakes.iter().any(|wake| wake.reason.clone().known() == interrupted) {
        return Ok(());
    }
    let overview: Overview = session.client.get("/api/overview").await?.read()?;
    if let Some(failing) = overview.failing.iter().find(|it| is_of(&it.provider, &agent.model)) {
        let (model, detail) = (line(&agent.model), line(&failing.detail));
        session.screen.say(format!("it waits for its model: {model} could not be used: {detail}"));
    }
    Ok(())
}

/// Whether the budget that an agent waits for is 0: its own if it is dormant, else that of all agents.
fn is_zero(models: &ModelsView, agent: &Agent) -> bool {
    let is_priced =
        models.models.iter().any(|model| model.id == agent.model && model.price.is_some());
    let budgets = &models.budgets;
    match (&agent.dormant_reason, is_priced) {
        (Some(_), _) => budgets.agent_day == 0,
        (None, true) => budgets.workspace_day == 0,
        (None, false) => budgets.unpriced_day == 0,
    }
}

/// Whether what failed is a model, or the provider of it.
fn is_of(provider: &str, model: &str) -> bool {
    let rest = model.strip_prefix(provider);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn away(alert: &ProviderAlert, at: impl Fn(Timestamp) -> String) -> String {
    let (provider, detail) = (line(&alert.provider), line(&alert.detail));
    format!("{provider} has been unavailable since {}: {detail}", at(alert.since))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_is_about_all_models_of_a_provider_or_about_one() {
        assert!(is_of("far", "far/big"));
        assert!(is_of("far/big", "far/big"));
        assert!(!is_of("far/small", "far/big"));
        assert!(!is_of("fa", "far/big"));
    }
}
