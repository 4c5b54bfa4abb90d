//! Which rules the verdicts of the person speak for.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dormouse_store::agent::rule::Rule;
use dormouse_types::field_change::FieldChange;
use dormouse_types::rule::{Condition, RuleEffect, conditions_of};
use dormouse_types::{DecisionId, Timestamp};

/// How many rejections speak for a rule.
pub const ENOUGH: usize = 3;

/// How far back verdicts count.
pub const AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A verdict of the person on a proposal that counts: not undone, not given by a rule, and not one that only
/// followed from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenVerdict {
    pub decision: DecisionId,
    /// The tool, as change items name it.
    pub tool: String,
    /// What would have changed; `None` if it is not known.
    pub change: Option<FieldChange>,
    pub is_rejection: bool,
    pub at: Timestamp,
}

/// A rule that verdicts speak for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub tool: String,
    pub condition: Option<Condition>,
    /// The rejections, newest first.
    pub rejections: Vec<DecisionId>,
    /// How many proposals of this kind were confirmed in the same time.
    pub n_confirmed: usize,
}

/// Returns the rules that verdicts speak for: three rejections of one tool under the same condition within
/// 30 days. Of two that rest on the same rejections the narrower one is suggested; what a rule holds back
/// already is not suggested again. The words of a reason play no part.
pub fn suggestions(verdicts: &[GivenVerdict], rules: &[Rule], now: Timestamp) -> Vec<Suggestion> {
    type Key = (String, Option<Condition>);
    type Rejections<'v> = Vec<(Timestamp, &'v DecisionId)>;
    let recent = |verdict: &&GivenVerdict| verdict.at + AGE > now && verdict.at <= now;
    let mut rejected: BTreeMap<Key, BTreeSet<(Timestamp, &DecisionId)>> = BTreeMap::new();
    let mut confirmed: BTreeMap<Key, usize> = BTreeMap::new();
    for verdict in verdicts.iter().filter(recent) {
        let conditions = verdict.change.as_ref().map(conditions_of).unwrap_or_default();
        for condition in std::iter::once(None).chain(conditions.into_iter().map(Some)) {
            let key = (verdict.tool.clone(), condition);
            if verdict.is_rejection {
                rejected.entry(key).or_default().insert((verdict.at, &verdict.decision));
            } else {
                *confirmed.entry(key).or_default() += 1;
            }
        }
    }
    rejected.retain(|_, decisions| decisions.len() >= ENOUGH);
    let is_held = |tool: &str, condition: Option<&Condition>| {
        rules.iter().any(|rule| {
            rule.tool == tool
                && ((rule.does(RuleEffect::Forbid) || rule.does(RuleEffect::HoldBack))
                    && (rule.condition.is_none() || rule.condition.as_ref() == condition))
        })
    };
    // One rule for each set of rejections: words that always stand together are one condition, and
    // the rule without a condition, which comes first, gives way to a narrower one.
    let mut by_decisions: BTreeMap<(String, Rejections<'_>), Option<Condition>> = BTreeMap::new();
    for ((tool, condition), decisions) in &rejected {
        let decisions: Vec<_> = decisions.iter().rev().copied().collect();
        let known = by_decisions.entry((tool.clone(), decisions)).or_default();
        *known = narrower(known.take(), condition.clone());
    }
    let mut suggestions: Vec<Suggestion> = by_decisions
        .into_iter()
        .filter(|((tool, _), condition)| !is_held(tool, condition.as_ref()))
        .map(|((tool, decisions), condition)| {
            let key = (tool.clone(), condition.clone());
            Suggestion {
                tool,
                condition,
                rejections: decisions.into_iter().map(|(_, id)| id.clone()).collect(),
                n_confirmed: confirmed.get(&key).copied().unwrap_or_default(),
            }
        })
        .collect();
    suggestions.sort_by(|a, b| {
        (b.rejections.len(), &a.tool, &a.condition).cmp(&(
            a.rejections.len(),
            &b.tool,
            &b.condition,
        ))
    });
    suggestions
}

fn narrower(known: Option<Condition>, found: Option<Condition>) -> Option<Condition> {
    match (known, found) {
        (Some(Condition::Words { mut words }), Some(Condition::Words { words: more })) => {
            words.extend(more);
            words.sort();
            words.dedup();
            words.truncate(dormouse_types::rule::MOST_WORDS);
            Some(Condition::Words { words })
        }
        (Some(known), _) => Some(known),
        (None, found) => found,
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::LabelId;
    use dormouse_types::field_change::{FieldRef, FieldValue};
    use dormouse_types::rule::{ItemPart, RuleHolder, ValueClass};
    use dormouse_types::task::Priority;

    use super::*;

    fn id<T: dormouse_types::Id>(n: usize) -> T {
        format!("{}-{n:026}", T::PREFIX).parse().unwrap_or_else(|_| panic!("an id"))
    }

    fn day(n: i64) -> Timestamp {
        Timestamp::from_micros(n * 24 * 60 * 60 * 1_000_000)
    }

    fn rejected(n: usize, tool: &str, change: FieldChange) -> GivenVerdict {
        let at = day(100) + Duration::from_secs(u64::try_from(n).unwrap());
        GivenVerdict {
            decision: id(n),
            tool: tool.into(),
            change: Some(change),
            is_rejection: true,
            at,
        }
    }

    fn priority(priority: Priority) -> FieldChange {
        let to = Some(FieldValue::Priority { priority });
        FieldChange { field: FieldRef::Priority, from: None, to }
    }

    fn item(title: &str) -> FieldChange {
        let (title, is_checked, is_archived) = (title.to_owned(), false, false);
        let to = Some(FieldValue::Item { title, is_checked, is_archived });
        FieldChange { field: FieldRef::Item { id: None }, from: None, to }
    }

    fn suggested(verdicts: &[GivenVerdict]) -> Vec<(String, Option<String>, usize)> {
        let all = suggestions(verdicts, &[], day(101));
        let one =
            |one: Suggestion| (one.tool, one.condition.map(|it| it.key()), one.rejections.len());
        all.into_iter().map(one).collect()
    }

    #[test]
    fn three_rejections_under_the_same_condition_speak_for_a_rule_and_two_do_not() {
        let tool = "update_task_priority";
        let mut all: Vec<_> = (1..3).map(|n| rejected(n, tool, priority(Priority::P1))).collect();
        assert_eq!(suggested(&all), []);
        all.push(rejected(3, tool, priority(Priority::P1)));
        assert_eq!(suggested(&all), [(tool.into(), Some("value:P1".into()), 3)]);
        // Another value: what they share is that there was none before.
        all[0] = rejected(1, tool, priority(Priority::P3));
        assert_eq!(suggested(&all), [(tool.into(), Some("value:first".into()), 3)]);
    }

    #[test]
    fn values_that_share_no_condition_speak_for_a_rule_about_the_tool() {
        let label = |n| FieldChange {
            field: FieldRef::Label { id: id::<LabelId>(n) },
            from: None,
            to: None,
        };
        let all: Vec<_> = (1..4).map(|n| rejected(n, "assign_task_label", label(n))).collect();
        assert_eq!(suggested(&all), [("assign_task_label".into(), None, 3)]);
        let all: Vec<_> = (1..4).map(|n| rejected(n, "assign_task_label", label(7))).collect();
        let expected = Some(format!("label:{}", id::<LabelId>(7)));
        assert_eq!(suggested(&all), [("assign_task_label".into(), expected, 3)]);
    }

    #[test]
    fn words_that_always_stand_together_are_one_condition() {
        let titles = ["Write unit tests", "Write more unit tests", "Maybe write UNIT tests"];
        let all: Vec<_> = titles
            .iter()
            .enumerate()
            .map(|(n, title)| rejected(n, "add_checklist_item", item(title)))
            .collect();
        let expected = Some("words:tests unit write".to_owned());
        assert_eq!(suggested(&all), [("add_checklist_item".into(), expected, 3)]);
    }

    #[test]
    fn a_rejection_of_31_days_ago_does_not_count() {
        let tool = "update_task_priority";
        let mut all: Vec<_> = (1..4).map(|n| rejected(n, tool, priority(Priority::P1))).collect();
        all[0].at = day(70);
        assert_eq!(suggested(&all), []);
        all[0].at = day(72);
        assert_eq!(suggested(&all).len(), 1);
    }

    #[test]
    fn what_a_rule_holds_back_already_is_not_suggested() {
        let tool = "update_task_priority";
        let all: Vec<_> = (1..4).map(|n| rejected(n, tool, priority(Priority::P1))).collect();
        let rule = |condition| Rule {
            id: id(1),
            holder: RuleHolder::Agent(id(1)),
            effect: RuleEffect::HoldBack.into(),
            tool: tool.into(),
            condition,
            decisions: Vec::new(),
            made_by: "owner".into(),
            made_at: day(90),
            removed_at: None,
        };
        let same = rule(Some(Condition::Value { class: ValueClass::P1 }));
        assert_eq!(suggestions(&all, &[same], day(101)), []);
        assert_eq!(suggestions(&all, &[rule(None)], day(101)), []);
        let other = rule(Some(Condition::Field { part: ItemPart::Tick }));
        assert_eq!(suggestions(&all, &[other], day(101)).len(), 1);
    }
}
