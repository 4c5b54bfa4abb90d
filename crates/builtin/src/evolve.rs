//! A session about a template: what decisions plainly show, as a sentence that the rules of directives read.

use dormouse_types::directive::{DirectiveSetting, ProposalKind};
use dormouse_types::evolution::ToolVerdicts;
use dormouse_types::model::{Directives, EvolutionFacts, FragmentData, Request, ToolCall};
use serde_json::json;

use crate::directive;
use crate::propose::ledger::Kind;

/// How many decisions about a tool say something.
const ENOUGH: u64 = 5;

/// What the rules answer in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What the person reads.
    pub text: String,
    /// The proposal, if there is one.
    pub call: Option<ToolCall>,
}

/// Answers a request of a session; `None` for any other request.
pub fn answer(request: &Request) -> Option<Answer> {
    let facts = request.fragments.iter().find_map(|fragment| match &fragment.data {
        FragmentData::Evolution(facts) => Some(facts.as_ref()),
        _ => None,
    })?;
    let refused = request.turns.last().and_then(|turn| {
        turn.results.iter().find(|result| result.refused).map(|result| result.text.clone())
    });
    if let Some(refused) = refused {
        return Some(Answer { text: format!("I cannot propose that: {refused}."), call: None });
    }
    if !request.turns.is_empty() {
        return Some(Answer { text: String::new(), call: None });
    }
    Some(of_facts(facts))
}

fn of_facts(facts: &EvolutionFacts) -> Answer {
    let wanted: Vec<(&ToolVerdicts, ProposalKind)> = facts
        .verdicts
        .iter()
        .filter(|verdicts| is_unwanted(verdicts))
        .filter_map(|verdicts| Some((verdicts, Kind::of_tool(&verdicts.tool)?.what)))
        .filter(|(_, kind)| !is_left_out(&facts.directives, *kind))
        .collect();
    let sentences: Vec<String> =
        wanted.iter().map(|(_, kind)| format!("Never propose {}.", words(*kind))).collect();
    let general = format!("{}\n\n{}", facts.directives.general.trim_end(), sentences.join(" "));
    if wanted.is_empty() || facts.turned_down.contains(&general) {
        return Answer { text: nothing(facts), call: None };
    }
    let reasons = wanted.iter().map(|(verdicts, kind)| {
        let all = verdicts.confirmed + verdicts.rejected;
        format!("{} of {all} proposals of {} were rejected", verdicts.rejected, words(*kind))
    });
    let reasons = reasons.collect::<Vec<_>>().join(", and ");
    let rationale = format!("In the last {} days {reasons}. Nothing else is changed.", facts.days);
    let args = json!({
        "general_directive": general,
        "report_directive": facts.directives.report,
        "rationale": rationale,
    });
    let call = ToolCall { id: "call-1".into(), name: "propose_directives".into(), args };
    let text = format!(
        "{rationale} I propose to add: {} I am rules, not a language model: I go by decisions, and cannot answer in words.",
        sentences.join(" ")
    );
    Answer { text, call: Some(call) }
}

/// What is said if decisions ask for no change.
fn nothing(facts: &EvolutionFacts) -> String {
    let seen = match facts.verdicts.iter().map(|it| it.confirmed + it.rejected).sum::<u64>() {
        0 => format!("no proposals were decided in the last {} days", facts.days),
        1 => format!("one proposal was decided in the last {} days", facts.days),
        n => format!("{n} proposals were decided in the last {} days", facts.days),
    };
    format!(
        "There is nothing to change yet: {seen}, and no kind of proposal was rejected at least {ENOUGH} times and five times out of six without being left out or turned down already. I am rules, not a language model: I go by decisions, and cannot answer in words. Choose a language model for the template editor to talk about the directives."
    )
}

/// Whether a person rejects what a tool proposes: at least five times, and five out of six.
fn is_unwanted(verdicts: &ToolVerdicts) -> bool {
    let all = verdicts.confirmed + verdicts.rejected;
    verdicts.rejected >= ENOUGH && verdicts.rejected * 6 >= all * 5
}

fn is_left_out(directives: &Directives, kind: ProposalKind) -> bool {
    let settings = directive::read(directives).settings;
    settings.contains(&DirectiveSetting::NeverPropose { kind })
}

/// What a directive calls a kind.
fn words(kind: ProposalKind) -> &'static str {
    match kind {
        ProposalKind::Title => "titles",
        ProposalKind::Status => "statuses",
        ProposalKind::Priority => "priorities",
        ProposalKind::DueDate => "due dates",
        ProposalKind::Estimate => "estimates",
        ProposalKind::Labels => "labels",
        ProposalKind::Items => "checklist items",
        ProposalKind::Ticks => "ticks",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propose::ledger::ESTIMATE;

    fn facts(verdicts: &[(&str, u64, u64)]) -> EvolutionFacts {
        let of = |(tool, confirmed, rejected): &(&str, u64, u64)| ToolVerdicts {
            tool: (*tool).to_owned(),
            confirmed: *confirmed,
            rejected: *rejected,
        };
        EvolutionFacts {
            directives: Directives { general: "Be calm.".into(), report: "Be short.".into() },
            verdicts: verdicts.iter().map(of).collect(),
            days: 90,
            turned_down: Vec::new(),
        }
    }

    fn proposed(facts: &EvolutionFacts) -> Option<String> {
        let call = of_facts(facts).call?;
        assert_eq!(call.args["report_directive"], "Be short.");
        Some(call.args["general_directive"].as_str().expect("a text").to_owned())
    }

    #[test]
    fn every_kind_is_left_out_in_words_that_the_reader_of_directives_knows() {
        for kind in ProposalKind::ALL {
            let general = format!("Be calm.\n\nNever propose {}.", words(*kind));
            let directives = Directives { general, report: String::new() };
            assert!(is_left_out(&directives, *kind), "{}", words(*kind));
        }
    }

    #[test]
    fn what_is_rejected_five_times_of_six_is_left_out() {
        let five = facts(&[(ESTIMATE.call, 1, 5), ("set_task_title", 4, 1)]);
        assert_eq!(proposed(&five).as_deref(), Some("Be calm.\n\nNever propose estimates."));
        for few in [(ESTIMATE.call, 0, 4), (ESTIMATE.call, 2, 5)] {
            assert_eq!(proposed(&facts(&[few])), None, "{few:?}");
        }
        assert_eq!(proposed(&facts(&[("start_agent_work", 0, 9)])), None);
    }

    #[test]
    fn nothing_is_proposed_twice() {
        let mut known = facts(&[(ESTIMATE.call, 0, 6)]);
        known.turned_down = vec![proposed(&known).expect("a proposal")];
        assert_eq!(proposed(&known), None);
        let mut stated = facts(&[(ESTIMATE.call, 0, 6)]);
        stated.directives.general = "Never propose estimates.".into();
        assert_eq!(proposed(&stated), None);
        assert!(of_facts(&stated).text.starts_with("There is nothing to change yet: 6 proposals"));
    }
}
