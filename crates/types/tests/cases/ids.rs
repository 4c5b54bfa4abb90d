//! Ids name their kind, sort by time, and cannot be mistaken for another kind.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use dormouse_types::port::Entropy;
use dormouse_types::{
    AgentId, CategoryId, ChangeSetId, ChecklistId, ConversationId, DecisionId, DeliveryId, EntryId,
    EvolutionMessageId, EvolutionNoteId, EvolutionSessionId, HookId, HostId, Id, ItemId, LabelId,
    LinkId, MessageId, PREFIXES, PayloadId, QuestionId, ReportHeadId, ReportId, RequestId, RuleId,
    SessionId, StateId, SubscriptionId, TaskId, TaskLinkId, TemplateId, TemplateVersionId,
    ThreadId, Timestamp, TokenId, WorkId, WorkRunId,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Randomness from a counter.
#[derive(Default)]
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, out: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        out.fill(0);
        let start = out.len() - count.len();
        out[start..].copy_from_slice(&count);
    }
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_micros(1_767_600_000_000_000 + millis * 1000)
}

fn check_kind<T: Id + Debug + PartialEq + Ord + Serialize + DeserializeOwned>(
    kinds: &mut BTreeSet<String>,
) {
    let entropy = Counting::default();
    let id = T::fresh(at(0), &entropy);
    let text = id.to_string();
    assert_eq!(text.parse::<T>().unwrap(), id);
    assert_eq!(id.as_str(), text);
    assert_eq!(id.short(), &text[text.len() - 5..]);
    assert_eq!(text.len(), T::PREFIX.len() + 1 + 26);
    assert_eq!(text, text.to_lowercase());
    let json = serde_json::to_string(&id).unwrap();
    assert_eq!(json, format!("\"{text}\""));
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), id);
    assert!(serde_json::from_str::<T>("\"nonsense\"").is_err());

    // Later ids sort after earlier ones, and ids of one instant differ.
    let (same, later) = (T::fresh(at(0), &entropy), T::fresh(at(1), &entropy));
    assert!(id < same && same < later, "{id} {same} {later}");

    for (prefix, _) in PREFIXES {
        let other = text.replacen(T::PREFIX, prefix, 1);
        assert_eq!(other.parse::<T>().is_ok(), *prefix == T::PREFIX, "{other}");
    }
    let rest = &text[T::PREFIX.len() + 1..];
    let wrong = [
        String::new(),
        rest.to_owned(),
        format!("{}{rest}", T::PREFIX),
        format!("{}-", T::PREFIX),
        format!("{}-{}", T::PREFIX, rest.to_uppercase()),
        format!("{}-{}", T::PREFIX, &rest[1..]),
        format!("{text}a"),
        format!(" {text}"),
        format!("{text}\n"),
        format!("{}-{}é", T::PREFIX, &rest[2..]),
        format!("{}-{}-", T::PREFIX, &rest[1..]),
    ];
    for text in wrong {
        let error = text.parse::<T>().expect_err(&text);
        assert_eq!((error.prefix, error.text.as_str()), (T::PREFIX, text.as_str()));
        assert!(error.to_string().contains(&format!("{}-", T::PREFIX)), "{error}");
    }
    kinds.insert(T::PREFIX.to_owned());
}

#[test]
fn every_kind_of_id_is_read_as_it_was_written() {
    let mut kinds = BTreeSet::new();
    check_kind::<TaskId>(&mut kinds);
    check_kind::<ChecklistId>(&mut kinds);
    check_kind::<ItemId>(&mut kinds);
    check_kind::<EntryId>(&mut kinds);
    check_kind::<TaskLinkId>(&mut kinds);
    check_kind::<LabelId>(&mut kinds);
    check_kind::<CategoryId>(&mut kinds);
    check_kind::<AgentId>(&mut kinds);
    check_kind::<StateId>(&mut kinds);
    check_kind::<MessageId>(&mut kinds);
    check_kind::<PayloadId>(&mut kinds);
    check_kind::<ReportId>(&mut kinds);
    check_kind::<ReportHeadId>(&mut kinds);
    check_kind::<LinkId>(&mut kinds);
    check_kind::<SubscriptionId>(&mut kinds);
    check_kind::<ChangeSetId>(&mut kinds);
    check_kind::<DecisionId>(&mut kinds);
    check_kind::<ThreadId>(&mut kinds);
    check_kind::<HostId>(&mut kinds);
    check_kind::<RequestId>(&mut kinds);
    check_kind::<TokenId>(&mut kinds);
    check_kind::<WorkId>(&mut kinds);
    check_kind::<WorkRunId>(&mut kinds);
    check_kind::<SessionId>(&mut kinds);
    check_kind::<QuestionId>(&mut kinds);
    check_kind::<HookId>(&mut kinds);
    check_kind::<ConversationId>(&mut kinds);
    check_kind::<DeliveryId>(&mut kinds);
    check_kind::<TemplateId>(&mut kinds);
    check_kind::<TemplateVersionId>(&mut kinds);
    check_kind::<EvolutionSessionId>(&mut kinds);
    check_kind::<EvolutionMessageId>(&mut kinds);
    check_kind::<EvolutionNoteId>(&mut kinds);
    check_kind::<RuleId>(&mut kinds);
    let table: BTreeSet<String> = PREFIXES.iter().map(|(prefix, _)| (*prefix).to_owned()).collect();
    assert_eq!(kinds, table, "a kind is not tested here");
}

#[test]
fn a_long_text_is_not_repeated_whole_in_the_error() {
    let error = "x".repeat(10_000).parse::<TaskId>().unwrap_err();
    assert!(error.to_string().len() < 200);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_read_as_an_id_is_printed_as_it_was(text in "(jt|ag|[a-z]{0,3})-?[0-9a-zA-Zé-]{0,30}") {
        if let Ok(id) = text.parse::<TaskId>() {
            prop_assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn any_time_and_randomness_make_an_id_that_can_be_read(micros in any::<i64>()) {
        let id = AgentId::fresh(Timestamp::from_micros(micros), &Counting::default());
        prop_assert_eq!(id.to_string().parse::<AgentId>(), Ok(id));
    }

    #[test]
    fn a_time_is_read_as_it_was_written(micros in -60_000_000_000_000_000i64..250_000_000_000_000_000) {
        let time = Timestamp::from_micros(micros);
        let json = serde_json::to_string(&time).unwrap();
        prop_assert!(json.ends_with("Z\""), "{}", json);
        prop_assert_eq!(serde_json::from_str::<Timestamp>(&json).unwrap(), time);
    }
}
