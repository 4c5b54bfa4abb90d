//! An entry of what needs the user in English words, as the terminal and the prompts of agent work have it.

use dormouse_types::model::ProviderUnavailable;
use dormouse_types::spend::{Unit, dollars};

use super::{Attention, AttentionCause, RestoredDatabase};

impl Attention {
    /// One line, made of the values only. The page has its own words; `web/src/i18n/attention.json` lists both.
    pub fn words(&self) -> String {
        let name = self.agent_name.as_deref();
        match &self.cause {
            AttentionCause::Changes { count } => match name {
                Some(name) => format!("{name} suggests {}", changes(*count)),
                None => format!("{} to review", changes(*count)),
            },
            AttentionCause::Expiring { count } => match name {
                Some(name) => {
                    let verb = if *count == 1 { "expires" } else { "expire" };
                    format!("{} of {name} {verb} soon", changes(*count))
                }
                None => {
                    let they = if *count == 1 { "it expires" } else { "they expire" };
                    format!("{} to review before {they}", changes(*count))
                }
            },
            AttentionCause::AgentDormant { runs } => {
                format!("{} stopped: {runs} runs failed in a row", name.unwrap_or("An agent"))
            }
            AttentionCause::RunFailed { error } => {
                let why = error.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                format!("The last run of {} failed{why}", name.unwrap_or("an agent"))
            }
            AttentionCause::Provider { provider, why, detail } => format!(
                "{}: {detail}; wakes are paused and Dormouse retries automatically: choose another model if \
                 you do not want to wait",
                unavailable(provider, why.known())
            ),
            AttentionCause::ModelSetup { provider, why, detail } => {
                format!("{}: {detail}", unavailable(provider, why.known()))
            }
            AttentionCause::Budget { budget: 0, .. } => {
                let whose = match name {
                    Some(name) => format!("of {name}"),
                    None => "of all agents".to_owned(),
                };
                format!("The budget {whose} for a day is 0, which allows no call: raise the budget")
            }
            AttentionCause::Budget { unit, used, budget, next_call } => {
                let amount = |value: i64| match unit {
                    Unit::MicroDollars => dollars(value),
                    Unit::Tokens => format!("{value} tokens"),
                };
                let all = "All agents together have";
                let who = if self.agent_id.is_some() { "This agent has" } else { all };
                format!(
                    "{who} used {} of the {} for today, and the next call may cost {}: raise the \
                     budget, allow as much again for today, or wait until midnight",
                    amount(*used),
                    amount(*budget),
                    amount(*next_call),
                )
            }
            AttentionCause::Restored { database, count } => {
                let name = match database {
                    RestoredDatabase::Journal => "The journal was",
                    RestoredDatabase::Agent => "The database of the agents was",
                };
                let agents = match count {
                    1 => "1 agent has".to_owned(),
                    n => format!("{n} agents have"),
                };
                format!(
                    "{name} restored or recreated. {agents} not reported since, and earlier \
                     reports may mention things that no longer exist"
                )
            }
            AttentionCause::WorkQuestion => self
                .work
                .as_ref()
                .and_then(|work| work.question.as_ref())
                .map(|question| question.question.clone())
                .unwrap_or_default(),
            AttentionCause::WorkReview { error, summary }
            | AttentionCause::WorkFailed { error, summary }
            | AttentionCause::WorkInterrupted { error, summary } => {
                error.clone().or_else(|| summary.clone()).unwrap_or_default()
            }
            AttentionCause::WorkMissed => "it was missed, and was left out".to_owned(),
            AttentionCause::WorkHeld => {
                "the data was restored, and it may have run since the copy was made: resume it to let it run"
                    .to_owned()
            }
            AttentionCause::WorkBroken => {
                "what starts it cannot be read: edit its schedule, then resume it".to_owned()
            }
        }
    }
}

fn unavailable(provider: &str, why: Option<ProviderUnavailable>) -> String {
    match why {
        Some(ProviderUnavailable::Configuration | ProviderUnavailable::WrongAnswer) => {
            format!("The model {provider} cannot be used")
        }
        Some(ProviderUnavailable::Authentication) => {
            format!("The model provider {provider} cannot be used")
        }
        Some(ProviderUnavailable::Unreachable) => {
            format!("The model provider {provider} cannot be reached")
        }
        Some(ProviderUnavailable::Quota) => {
            format!("The model provider {provider} has reached a limit")
        }
        Some(ProviderUnavailable::ServerError) => {
            format!("The model provider {provider} answers with an error")
        }
        Some(ProviderUnavailable::Outage) | None => {
            format!("The model provider {provider} gives no whole answer")
        }
    }
}

fn changes(n: usize) -> String {
    if n == 1 { "1 change".to_owned() } else { format!("{n} changes") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::view::AttentionKind;

    #[derive(serde::Deserialize)]
    struct Row {
        entry: Map<String, Value>,
        terminal: String,
    }

    #[test]
    fn each_entry_has_the_line_that_the_table_gives_it() {
        let table = include_str!("../../../../web/src/i18n/attention.json");
        let rows: Vec<Row> = serde_json::from_str(table).expect("the table of entries and lines");
        let mut kinds: Vec<AttentionKind> = Vec::new();
        for row in rows {
            let mut entry = json!({
                "id": "x", "since": "2026-11-26T10:00:00Z", "taskId": null, "taskTitle": null,
                "agentId": null, "agentName": null, "expiresAt": null, "text": "", "actions": [],
                "work": null, "acknowledgedAt": null
            });
            entry.as_object_mut().expect("an object").extend(row.entry);
            let one: Attention = serde_json::from_value(entry).expect("an entry");
            assert_eq!(one.words(), row.terminal);
            kinds.push(one.cause.kind());
        }
        let missing = dormouse_types::closed_list::ClosedList::ALL.iter();
        let missing: Vec<&AttentionKind> = missing.filter(|kind| !kinds.contains(kind)).collect();
        assert!(missing.is_empty(), "without a line: {missing:?}");
    }
}
