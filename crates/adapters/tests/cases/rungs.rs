//! Three ways to call tools, one turn.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dormouse_adapters::http::BaseUrl;
use dormouse_adapters::models::{ApiFormat, ModelConfig, Probe, ToolMode, probe};
use dormouse_types::Timestamp;
use dormouse_types::model::{ModelError, ProviderUnavailable, TurnEvent, Usage};
use dormouse_types::model_settings::{FailedTest, ForcedCall, OutputLimit};
use dormouse_types::port::{BoxFuture, Clock, ModelLocation};
use serde_json::{Value, json};

use crate::support::play::{Answer, Player, ask, stream_of};
use crate::support::requests::{config, request};

/// What a turn says, whatever the rung: text, calls, whether it ended.
type Said = (String, Vec<(String, Value)>, bool);

async fn said(rung: ToolMode, answer: Answer) -> Said {
    let config = ModelConfig { rung, ..config(ApiFormat::ChatCompletions) };
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
fn answer(rung: ToolMode, (say, calls, done): &Said) -> Answer {
    let object = || {
        let calls: Vec<_> =
            calls.iter().map(|(tool, args)| json!({ "tool": tool, "arguments": args })).collect();
        json!({ "say": say, "calls": calls, "done": done }).to_string()
    };
    let (text, calls) = match rung {
        ToolMode::Native => {
            let calls = calls.iter().enumerate().map(|(n, (name, args))| {
                let function = json!({ "name": name, "arguments": args.to_string() });
                json!({ "index": n, "id": format!("c{n}"), "function": function })
            });
            (say.clone(), calls.collect())
        }
        ToolMode::Schema => (object(), vec![]),
        ToolMode::Text => (format!("```json\n{}\n```", object()), vec![]),
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
        for rung in ToolMode::ALL {
            let answer = answer(*rung, &said_by_model);
            assert_eq!(said(*rung, answer).await, said_by_model, "{rung:?}");
        }
    }
}

#[tokio::test]
async fn text_that_looks_like_a_call_stays_text_on_a_native_model() {
    let text = r#"{"say":"x","calls":[{"tool":"weather","arguments":{}}],"done":false}"#;
    let looks = (text.to_owned(), vec![], true);
    assert_eq!(said(ToolMode::Native, answer(ToolMode::Native, &looks)).await, looks);
    let looks = (format!("```json\n{text}\n```"), vec![], true);
    assert_eq!(said(ToolMode::Native, answer(ToolMode::Native, &looks)).await, looks);
}

#[tokio::test]
async fn text_without_the_form_is_a_remark_and_not_the_end() {
    let text = (String::from("I am only a small model."), vec![], true);
    for rung in [ToolMode::Schema, ToolMode::Text] {
        let got = said(rung, answer(ToolMode::Native, &text)).await;
        assert_eq!(got, (text.0.clone(), vec![], false));
    }
}

#[tokio::test]
async fn an_answer_in_json_that_is_cut_by_its_length_has_no_calls() {
    let text = r#"{"say":"","calls":[{"tool":"weather","arguments":{"latitude":"1""#;
    let event = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "length" }] });
    for rung in [ToolMode::Schema, ToolMode::Text] {
        let config = ModelConfig { rung, ..config(ApiFormat::ChatCompletions) };
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
    probe(player.as_ref(), &config(ApiFormat::ChatCompletions), &clock).await
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
    let probe = |rung: Option<ToolMode>, failures| {
        let (usage, is_counted) = (None, false);
        let first_event = rung.map(|_| second);
        Probe {
            rung,
            usage,
            is_counted,
            first_event,
            is_cut: false,
            output_limit: None,
            forced_call: None,
            failures,
        }
    };
    let cases = [
        (vec![answer(ToolMode::Native, &call)], probe(Some(ToolMode::Native), vec![])),
        (
            vec![answer(ToolMode::Native, &text), answer(ToolMode::Schema, &call)],
            probe(Some(ToolMode::Schema), vec![(ToolMode::Native, silent.clone())]),
        ),
        (
            vec![refused.clone(), refused, answer(ToolMode::Text, &call)],
            probe(
                Some(ToolMode::Text),
                vec![(ToolMode::Native, no_tools.clone()), (ToolMode::Schema, no_tools)],
            ),
        ),
        (
            vec![answer(ToolMode::Native, &text); 3],
            probe(None, ToolMode::ALL.iter().map(|rung| (*rung, silent.clone())).collect()),
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
    assert_eq!((found.rung, found.usage), (Some(ToolMode::Native), Some(usage)));
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
    // It fails again while it serves another request: so it is about tools.
    let found =
        probed(vec![refused.clone(), answer(ToolMode::Schema, &call), refused]).await.unwrap();
    let failed: Vec<_> = found.failures.iter().map(|(rung, _)| *rung).collect();
    assert_eq!((found.rung, failed), (Some(ToolMode::Schema), vec![ToolMode::Native]));
}

/// A gateway that is down for a moment, a stream that breaks, an error in it, a filter: none says anything of tools.
#[tokio::test]
async fn a_failure_that_passes_leaves_a_model_on_its_best_rung() {
    let call: Said =
        (String::new(), vec![("confirm_word".into(), json!({ "word": "hazelnut" }))], false);
    let begun = r#"{"choices":[{"delta":{"content":"Su"}}]}"#;
    let error = r#"{"error":{"message":"Provider returned error","code":502}}"#;
    let filtered = r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#;
    for passing in [
        Answer::new(502, "application/json", r#"{"error":{"message":"Provider returned error"}}"#),
        Answer::new(503, "text/plain", "loading"),
        Answer::new(504, "text/html", "<html>"),
        stream_of(begun),
        stream_of(&format!("{begun}\n{error}")),
        stream_of(filtered),
    ] {
        let answers =
            vec![passing.clone(), answer(ToolMode::Schema, &call), answer(ToolMode::Native, &call)];
        let found = probed(answers).await.unwrap();
        assert_eq!((found.rung, found.failures), (Some(ToolMode::Native), vec![]), "{passing:?}");
        // It lasts, and only with tools.
        let answers = vec![passing.clone(), answer(ToolMode::Schema, &call), passing.clone()];
        let found = probed(answers).await.unwrap();
        assert_eq!((found.rung, found.failures.len()), (Some(ToolMode::Schema), 1), "{passing:?}");
    }
    let limited = Answer::new(429, "application/json", r#"{"error":{"message":"slow down"}}"#);
    let failed = probed(vec![limited]).await.unwrap_err();
    assert!(failed.error.to_string().contains("slow down"), "{failed:?}");
}

/// The models of OpenAI behind another host, and a server that knows the older name only.
#[tokio::test]
async fn a_probe_sends_the_other_limit_of_output_if_the_server_says_that_it_does_not_take_one() {
    let call: Said =
        (String::new(), vec![("confirm_word".into(), json!({ "word": "hazelnut" }))], false);
    let gateway = BaseUrl::parse("https://gateway.example/v1").unwrap();
    let openai = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                  'max_completion_tokens' instead.";
    let pydantic = r#"{"detail":[{"loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}"#;
    let openai = json!({ "error": { "message": openai, "code": "unsupported_parameter" } });
    let cases = [
        (
            gateway,
            openai.to_string(),
            400,
            "max_completion_tokens",
            OutputLimit::MaxCompletionTokens,
        ),
        (
            config(ApiFormat::ChatCompletions).base,
            pydantic.to_owned(),
            422,
            "max_tokens",
            OutputLimit::MaxTokens,
        ),
    ];
    for (base, refusal, status, member, limit) in cases {
        let refused = Answer::new(status, "application/json", refusal);
        let player = Player::of(vec![refused.clone(), answer(ToolMode::Native, &call)]);
        let config = ModelConfig { base, ..config(ApiFormat::ChatCompletions) };
        let found = probe(player.as_ref(), &config, &Ticks(AtomicI64::new(0))).await.unwrap();
        assert_eq!((found.rung, found.output_limit), (Some(ToolMode::Native), Some(limit)));
        assert!(found.failures.is_empty(), "{:?}", found.failures);
        let sent = player.sent.lock().unwrap()[1].body.clone();
        assert!(sent.contains(&format!("\"{member}\":2048")), "{sent}");
        // It is kept with the model.
        let config = ModelConfig { output_limit: Some(limit), ..config };
        let player = Player::of(vec![answer(ToolMode::Native, &call)]);
        ask(config.clone(), player.clone(), &request()).await;
        assert_eq!(player.sent.lock().unwrap()[0].body.matches(member).count(), 1);
        // A server that takes neither is asked no more often than that.
        let player = Player::of(vec![refused; 4]);
        let config = ModelConfig { output_limit: None, ..config };
        probe(player.as_ref(), &config, &Ticks(AtomicI64::new(0))).await.unwrap_err();
        assert!(player.sent.lock().unwrap().len() <= 4);
    }
}

/// The answers are those of DeepSeek's reasoner, of Qwen in its thinking mode, of LM Studio and of Anthropic.
#[tokio::test]
async fn a_refusal_of_a_forced_call_is_about_the_choice_and_a_weaker_one_is_kept() {
    let call: Said =
        (String::new(), vec![("confirm_word".into(), json!({ "word": "hazelnut" }))], false);
    let refused = |message: &str| {
        let error = json!({ "error": { "message": message, "type": "invalid_request_error" } });
        Answer::new(400, "application/json", error.to_string())
    };
    let object =
        "Invalid tool_choice type: 'object'. Supported string values: none, auto, required";
    let reasoner = "deepseek-reasoner does not support this tool_choice";
    let elsewhere = config(ApiFormat::ChatCompletions);
    let own = ModelConfig { location: ModelLocation::OwnServer, ..elsewhere.clone() };
    let (required, auto) = (r#""tool_choice":"required""#, r#""tool_choice":"auto""#);
    for (config, refusals, kept, sent) in [
        (
            &elsewhere,
            vec![],
            None,
            "\"type\":\"function\",\"function\":{\"name\":\"confirm_word\"}",
        ),
        (&elsewhere, vec![object], Some(ForcedCall::Required), required),
        (&elsewhere, vec![reasoner; 2], Some(ForcedCall::Auto), auto),
        // One's own server got the word at once.
        (&own, vec![reasoner], Some(ForcedCall::Auto), auto),
    ] {
        let n_refused = refusals.len();
        let answers = refusals.into_iter().map(refused).chain([answer(ToolMode::Native, &call)]);
        let player = Player::of(answers.collect());
        let found = probe(player.as_ref(), config, &Ticks(AtomicI64::new(0))).await.unwrap();
        assert_eq!((found.rung, found.forced_call), (Some(ToolMode::Native), kept));
        assert!(found.failures.is_empty(), "{:?}", found.failures);
        let bodies = player.sent.lock().unwrap();
        assert_eq!(bodies.len(), n_refused + 1);
        assert!(bodies[n_refused].body.contains(sent), "{}", bodies[n_refused].body);
    }
    // A server that takes no choice at all has no tools: the next ways are tried, and nothing is kept.
    let answers = vec![refused(reasoner), refused(reasoner), refused(reasoner)];
    let answers = [answers, vec![answer(ToolMode::Schema, &call)]].concat();
    let found = probed(answers).await.unwrap();
    assert_eq!((found.rung, found.forced_call), (Some(ToolMode::Schema), None));
    assert_eq!(found.failures.len(), 1);
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
    let found =
        probed(vec![unknown.clone(), unknown, answer(ToolMode::Text, &call)]).await.unwrap();
    assert_eq!((found.rung, found.failures.len()), (Some(ToolMode::Text), 2));
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
    let config = ModelConfig { max_output_tokens: 4096, ..config(ApiFormat::ChatCompletions) };
    let found = probe(player.as_ref(), &config, &Ticks(AtomicI64::new(0))).await.unwrap();
    let cut = "it was cut at 4096 tokens while it thought, before it called a tool".to_owned();
    assert_eq!(
        found.failures,
        ToolMode::ALL.iter().map(|rung| (*rung, cut.clone())).collect::<Vec<_>>()
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
