//! Three ways to call tools, one turn.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dormouse_adapters::models::{ModelConfig, Probe, Rung, WireFormat, probe};
use dormouse_types::Timestamp;
use dormouse_types::model::{ModelError, ProviderUnavailable, TurnEvent, Usage};
use dormouse_types::model_settings::FailedTest;
use dormouse_types::port::{BoxFuture, Clock};
use serde_json::{Value, json};

use crate::support::play::{Answer, Player, ask, stream_of};
use crate::support::requests::{config, request};

/// What a turn says, whatever the rung: text, calls, whether it ended.
type Said = (String, Vec<(String, Value)>, bool);

async fn said(rung: Rung, answer: Answer) -> Said {
    let config = ModelConfig { rung, ..config(WireFormat::ChatCompletions) };
    let (events, error) = ask(config, Player::of(vec![answer]), &request()).await;
    assert_eq!(error, None);
    let mut said = (String::new(), vec![], false);
    for event in events {
        match event {
            TurnEvent::Text(text) => said.0.push_str(&text),
            TurnEvent::Call(call) => said.1.push((call.name, call.args)),
            TurnEvent::End { ended } => said.2 = ended,
            TurnEvent::CallDelta { .. } | TurnEvent::State(_) | TurnEvent::Usage(_) => {}
        }
    }
    said
}

/// The answer of a server on a rung that means `(say, calls, done)`.
fn answer(rung: Rung, (say, calls, done): &Said) -> Answer {
    let object = || {
        let calls: Vec<_> =
            calls.iter().map(|(tool, args)| json!({ "tool": tool, "arguments": args })).collect();
        json!({ "say": say, "calls": calls, "done": done }).to_string()
    };
    let (text, calls) = match rung {
        Rung::Native => {
            let calls = calls.iter().enumerate().map(|(n, (name, args))| {
                let function = json!({ "name": name, "arguments": args.to_string() });
                json!({ "index": n, "id": format!("c{n}"), "function": function })
            });
            (say.clone(), calls.collect())
        }
        Rung::Schema => (object(), vec![]),
        Rung::Fenced => (format!("```json\n{}\n```", object()), vec![]),
    };
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let pieces: Vec<_> = text.chars().collect();
    let mut lines = String::new();
    for piece in pieces.chunks(5) {
        let piece: String = piece.iter().collect();
        lines.push_str(&format!("{}\n", json!({ "choices": [{ "delta": { "content": piece } }] })));
    }
    let end = json!({ "choices": [{ "delta": { "tool_calls": calls }, "finish_reason": reason }] });
    stream_of(&format!("{lines}{end}\n[DONE]"))
}

#[tokio::test]
async fn one_table_of_turns_goes_through_all_rungs() {
    let call = |name: &str, args: Value| (name.to_owned(), args);
    let table: [Said; 5] = [
        ("Nothing to do.".into(), vec![], true),
        (String::new(), vec![call("weather", json!({ "latitude": "52.5" }))], false),
        (
            "I write.".into(),
            vec![call("update_report", json!({ "content": "```\n\"{}\"" }))],
            false,
        ),
        (
            "Beide.".into(),
            vec![call("weather", json!({})), call("weather", json!({ "x": [1, null, "é"] }))],
            false,
        ),
        (String::new(), vec![call("unknown_tool", json!({ "deep": { "er": {} } }))], false),
    ];
    for said_by_model in table {
        for rung in Rung::ALL {
            let answer = answer(*rung, &said_by_model);
            assert_eq!(said(*rung, answer).await, said_by_model, "{rung:?}");
        }
    }
}

#[tokio::test]
async fn text_that_looks_like_a_call_stays_text_on_a_native_model() {
    let text = r#"{"say":"x","calls":[{"tool":"weather","arguments":{}}],"done":false}"#;
    let looks = (text.to_owned(), vec![], true);
    assert_eq!(said(Rung::Native, answer(Rung::Native, &looks)).await, looks);
    let looks = (format!("```json\n{text}\n```"), vec![], true);
    assert_eq!(said(Rung::Native, answer(Rung::Native, &looks)).await, looks);
}

#[tokio::test]
async fn text_without_the_form_is_a_remark_and_not_the_end() {
    let text = (String::from("I am only a small model."), vec![], true);
    for rung in [Rung::Schema, Rung::Fenced] {
        let got = said(rung, answer(Rung::Native, &text)).await;
        assert_eq!(got, (text.0.clone(), vec![], false));
    }
}

#[tokio::test]
async fn an_answer_in_json_that_is_cut_by_its_length_has_no_calls() {
    let text = r#"{"say":"","calls":[{"tool":"weather","arguments":{"latitude":"1""#;
    let event = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "length" }] });
    for rung in [Rung::Schema, Rung::Fenced] {
        let config = ModelConfig { rung, ..config(WireFormat::ChatCompletions) };
        let answer = stream_of(&format!("{event}\n[DONE]"));
        let (events, error) = ask(config, Player::of(vec![answer]), &request()).await;
        let has_call = |event: &TurnEvent| matches!(event, TurnEvent::Call(_));
        assert!(!events.iter().any(has_call), "{events:?}");
        assert!(matches!(error, Some(ModelError::Request { .. })), "{error:?}");
    }
}

/// A clock that goes on by one second each time it is read.
struct Ticks(AtomicI64);

impl Clock for Ticks {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.fetch_add(1_000_000, Ordering::Relaxed))
    }

    fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

async fn probed(answers: Vec<Answer>) -> Result<Probe, FailedTest> {
    let player = Player::of(answers);
    let clock = Ticks(AtomicI64::new(0));
    probe(player.as_ref(), &config(WireFormat::ChatCompletions), &clock).await
}

#[tokio::test]
async fn a_probe_finds_the_best_rung_on_which_the_call_comes_back() {
    let call: Said =
        (String::new(), vec![("confirm_word".into(), json!({ "word": "hazelnut" }))], false);
    let text: Said = ("Sure!".into(), vec![], true);
    let silent = "the model answered without calling the tool".to_owned();
    let refused = Answer::json(r#"{"error":{"message":"no tools here","code":400}}"#);
    let refused = Answer { status: 400, ..refused };
    let no_tools = "the provider refused the request: no tools here".to_owned();
    let second = Duration::from_secs(1);
    let probe = |rung: Option<Rung>, failures| {
        let (usage, is_counted) = (None, false);
        let first_event = rung.map(|_| second);
        Probe { rung, usage, is_counted, first_event, is_cut: false, failures }
    };
    let cases = [
        (vec![answer(Rung::Native, &call)], probe(Some(Rung::Native), vec![])),
        (
            vec![answer(Rung::Native, &text), answer(Rung::Schema, &call)],
            probe(Some(Rung::Schema), vec![(Rung::Native, silent.clone())]),
        ),
        (
            vec![refused.clone(), refused, answer(Rung::Fenced, &call)],
            probe(
                Some(Rung::Fenced),
                vec![(Rung::Native, no_tools.clone()), (Rung::Schema, no_tools)],
            ),
        ),
        (
            vec![answer(Rung::Native, &text); 3],
            probe(None, Rung::ALL.iter().map(|rung| (*rung, silent.clone())).collect()),
        ),
    ];
    for (answers, expected) in cases {
        assert_eq!(probed(answers).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_probe_reports_tokens_and_stops_if_the_provider_is_unavailable() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"confirm_word","arguments":"{\"word\":\"hazelnut\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#;
    let found = probed(vec![stream_of(call)]).await.unwrap();
    let usage = Usage { input: 9, output: 4, ..Usage::default() };
    assert_eq!((found.rung, found.usage), (Some(Rung::Native), Some(usage)));
    assert!(found.is_counted);
    // Every way that is tried is a call that is paid.
    let text = r#"{"choices":[{"delta":{"content":"Sure!"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#;
    let found = probed(vec![stream_of(text); 3]).await.unwrap();
    let usage = Usage { input: 27, output: 12, ..Usage::default() };
    assert_eq!((found.rung, found.usage, found.is_counted), (None, Some(usage), true));
    let refused = Answer::json(r#"{"error":{"message":"no tools here","code":400}}"#);
    let refused = Answer { status: 400, ..refused };
    let found = probed(vec![refused, stream_of(text), stream_of(text)]).await.unwrap();
    let usage = Usage { input: 18, output: 8, ..Usage::default() };
    assert_eq!((found.usage, found.is_counted), (Some(usage), true), "a refusal costs nothing");
    let failed = probed(vec![Answer::new(401, "text/plain", "no")]).await.unwrap_err();
    assert!(matches!(failed.error, ModelError::Provider { .. }), "{failed:?}");
    assert_eq!((failed.usage, failed.is_counted), (None, true));
    let failed = probed(vec![Answer::new(503, "text/plain", "no"); 3]).await.unwrap_err();
    assert!(matches!(failed.error, ModelError::Provider { .. }), "{failed:?}");
    assert_eq!((failed.usage, failed.is_counted), (None, true));
    // What came before the error was served.
    let usage = Usage { input: 9, output: 4, ..Usage::default() };
    let late = vec![stream_of(text), Answer::new(401, "text/plain", "no")];
    let failed = probed(late).await.unwrap_err();
    assert_eq!((failed.usage, failed.is_counted), (Some(usage), true));
    let uncounted = r#"{"choices":[{"delta":{"content":"Sure!"},"finish_reason":"stop"}]}"#;
    let late = vec![stream_of(uncounted), Answer::new(401, "text/plain", "no")];
    let failed = probed(late).await.unwrap_err();
    assert_eq!((failed.usage, failed.is_counted), (None, false));
}

/// As llama.cpp without its template engine does.
#[tokio::test]
async fn a_probe_goes_on_after_a_server_that_answers_tools_with_500() {
    let call: Said =
        (String::new(), vec![("confirm_word".into(), json!({ "word": "hazelnut" }))], false);
    let refused = Answer::new(500, "application/json", r#"{"error":{"message":"no tools"}}"#);
    let found = probed(vec![refused, answer(Rung::Schema, &call)]).await.unwrap();
    let failed: Vec<_> = found.failures.iter().map(|(rung, _)| *rung).collect();
    assert_eq!((found.rung, failed), (Some(Rung::Schema), vec![Rung::Native]));
}

#[tokio::test]
async fn a_probe_of_a_model_that_nobody_offers_is_an_error_and_one_without_tools_is_not() {
    let unknown =
        r#"{"error":{"message":"The model `small-1` does not exist","code":"model_not_found"}}"#;
    let unknown = Answer::new(404, "application/json", unknown);
    let error = probed(vec![unknown.clone(); 3]).await.unwrap_err().error;
    let ModelError::Provider { why, detail, .. } = &error else { panic!("{error}") };
    assert_eq!(*why, ProviderUnavailable::Configuration);
    assert!(detail.contains("choose one that it lists"), "{detail}");

    // Some providers say of a model without tools that they do not offer it.
    let call: Said =
        (String::new(), vec![("confirm_word".into(), json!({ "word": "hazelnut" }))], false);
    let found = probed(vec![unknown.clone(), unknown, answer(Rung::Fenced, &call)]).await.unwrap();
    assert_eq!((found.rung, found.failures.len()), (Some(Rung::Fenced), 2));
}

/// What is refused however the tool is offered is not the fault of the tools.
#[tokio::test]
async fn a_probe_that_is_refused_the_same_way_each_time_says_so_and_nothing_about_tools() {
    let refused = |what: &str| {
        let body = json!({ "error": { "message": what, "code": 400 } });
        Answer::new(400, "application/json", body.to_string())
    };
    let same = vec![refused("Unsupported parameter: max_tokens"); 3];
    let error = probed(same).await.unwrap_err().error;
    let ModelError::Rejected { detail } = &error else { panic!("{error}") };
    assert_eq!(detail, "the provider refused the request: Unsupported parameter: max_tokens");

    let found = probed(vec![refused("no tools"), refused("no schema"), refused("no")]).await;
    let found = found.unwrap();
    assert_eq!((found.rung, found.usage, found.is_counted), (None, None, true));
}

#[tokio::test]
async fn a_model_may_think_as_long_in_a_probe_as_in_a_turn_and_is_said_to_be_cut_beyond() {
    let thought = r#"{"choices":[{"delta":{"reasoning_content":"Hm"}}]}
{"choices":[{"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":4096}}
[DONE]"#;
    let player = Player::of(vec![stream_of(thought); 3]);
    let config = ModelConfig { max_output_tokens: 4096, ..config(WireFormat::ChatCompletions) };
    let found = probe(player.as_ref(), &config, &Ticks(AtomicI64::new(0))).await.unwrap();
    let cut = "it was cut at 4096 tokens while it thought, before it called a tool".to_owned();
    assert_eq!(
        found.failures,
        Rung::ALL.iter().map(|rung| (*rung, cut.clone())).collect::<Vec<_>>()
    );
    let usage = Usage { input: 27, output: 3 * 4096, ..Usage::default() };
    assert_eq!((found.rung, found.is_cut), (None, true));
    assert_eq!((found.usage, found.is_counted), (Some(usage), true));
    for sent in player.sent.lock().unwrap().iter() {
        assert!(sent.body.contains("_tokens\":4096"), "{}", sent.body);
    }
    // One that rambles was heard to call nothing.
    let text = r#"{"choices":[{"delta":{"content":"So"},"finish_reason":"length"}]}"#;
    assert!(!probed(vec![stream_of(text); 3]).await.unwrap().is_cut);
}
