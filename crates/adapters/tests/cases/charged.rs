//! What a provider charged, where it says so itself.

use dormouse_adapters::http::BaseUrl;
use dormouse_adapters::models::{ApiFormat, ModelConfig};
use dormouse_types::model::{TurnEvent, Usage};
use serde_json::{Value, json};

use crate::support::play::{Answer, Player, ask, stream_of};
use crate::support::requests::{config, request};

/// The tokens and the charge of an answer that ends with this usage, streamed and plain.
async fn counted(base: &str, usage: Value) -> Option<Usage> {
    let base = BaseUrl::parse(base).unwrap();
    let config = ModelConfig { base, ..config(ApiFormat::ChatCompletions) };
    let choice =
        |member: &str| json!([{ member: { "content": "Fine." }, "finish_reason": "stop" }]);
    let part = json!({ "choices": choice("delta") });
    let last = json!({ "choices": [], "usage": usage });
    let streamed = Answer::events(format!("data: {part}\n\ndata: {last}\n\ndata: [DONE]\n\n"));
    let plain = Answer::json(json!({ "choices": choice("message"), "usage": usage }).to_string());
    let mut all = Vec::new();
    for answer in [streamed, plain] {
        let (events, error) = ask(config.clone(), Player::of(vec![answer]), &request()).await;
        assert_eq!(error, None);
        all.push(events.into_iter().find_map(|event| match event {
            TurnEvent::Usage(usage) => Some(usage),
            _ => None,
        }));
    }
    assert_eq!(all[0], all[1], "streamed and plain");
    all[0]
}

const OPENROUTER: &str = "https://openrouter.ai/api/v1";

/// A usage of OpenRouter as its documentation shows it, with other numbers.
fn of_openrouter(cost: Value) -> Value {
    json!({
        "prompt_tokens": 194, "completion_tokens": 20, "total_tokens": 214, "cost": cost,
        "is_byok": false, "cost_details": { "upstream_inference_cost": null },
        "prompt_tokens_details": { "cached_tokens": 100, "audio_tokens": 0 },
        "completion_tokens_details": { "reasoning_tokens": 6 },
    })
}

fn tokens(cost: Option<u64>) -> Option<Usage> {
    Some(Usage { input: 194, cached_input: 100, cache_write: 0, output: 20, reasoning: 6, cost })
}

#[tokio::test]
async fn openrouter_says_in_dollars_what_it_charged() {
    for (dollars, micros) in [
        (json!(0.001_234_5), 1_235),
        (json!(0.000_015), 15),
        (json!(1.5e-5), 15),
        (json!(0.000_000_1), 1),
        (json!(0), 0),
        (json!(2), 2_000_000),
    ] {
        let counted = counted(OPENROUTER, of_openrouter(dollars.clone())).await;
        assert_eq!(counted, tokens(Some(micros)), "{dollars}");
    }
    assert_eq!(counted(OPENROUTER, of_openrouter(Value::Null)).await, tokens(None));
}

/// With a key of one's own, OpenRouter charges for passing the call on, and the provider for the call.
#[tokio::test]
async fn both_charges_count_of_a_call_with_a_key_of_the_provider_behind() {
    let mut usage = of_openrouter(json!(0.001));
    usage["is_byok"] = json!(true);
    usage["cost_details"] = json!({ "upstream_inference_cost": 0.02 });
    assert_eq!(counted(OPENROUTER, usage).await, tokens(Some(21_000)));
}

/// A figure that cannot be right, or without tokens, counts as no usage at all: the whole reservation.
#[tokio::test]
async fn a_charge_that_cannot_be_right_or_has_no_tokens_is_no_usage() {
    for dollars in [json!(-0.01), json!("0.01"), json!(1e12), json!([])] {
        let counted = counted(OPENROUTER, of_openrouter(dollars.clone())).await;
        assert_eq!(counted, None, "{dollars}");
    }
    assert_eq!(counted(OPENROUTER, json!({ "cost": 0.000_001 })).await, None);
}

/// What other servers mean by `cost` is not known.
#[tokio::test]
async fn a_charge_of_another_server_is_not_read() {
    for base in ["https://api.example/v1", "https://notopenrouter.ai/api/v1"] {
        let counted = counted(base, of_openrouter(json!(0.5))).await;
        assert_eq!(counted, tokens(None), "{base}");
    }
}

/// Answers that end with a refusal, a filter, half a call or nonsense, each with the tokens that it used: 100 in,
/// 20 out.
const UNUSABLE: &str = r#"
chatCompletions {"choices":[{"delta":{"content":"Hi"},"finish_reason":"content_filter"}]} {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20}}
chatCompletions {"choices":[{"delta":{"refusal":"No."},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}
chatCompletions {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"lat"}}]},"finish_reason":"length"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}
chatCompletions {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}
chatCompletions-plain {"choices":[{"message":{"content":"Hi"},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}
chatCompletions-plain {"choices":[{"message":{"tool_calls":[{"index":-1,"id":"a","function":{"name":"weather","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}
responses {"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"No."}]}} {"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":100,"output_tokens":20}}}
responses {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"usage":{"input_tokens":100,"output_tokens":20}}}
responses {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"weather","arguments":""}} {"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":100,"output_tokens":20}}}
responses-plain {"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[],"usage":{"input_tokens":100,"output_tokens":20}}
responses-plain {"status":"failed","error":{"code":"server_error","message":"Sorry"},"usage":{"input_tokens":100,"output_tokens":20}}
anthropic {"type":"message_start","message":{"usage":{"input_tokens":100,"output_tokens":1}}} {"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":20}} {"type":"message_stop"}
anthropic {"type":"message_start","message":{"usage":{"input_tokens":100,"output_tokens":1}}} {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}} {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}} {"type":"message_stop"}
anthropic {"type":"message_start","message":{"usage":{"input_tokens":100,"output_tokens":1}}} {"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"output_tokens":20}} {"type":"message_stop"}
anthropic-plain {"type":"message","stop_reason":"refusal","content":[],"usage":{"input_tokens":100,"output_tokens":20}}
gemini {"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20}}
gemini {"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":100,"totalTokenCount":120}}
gemini {"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20}}
gemini-plain [{"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20}}]
"#;

#[tokio::test]
async fn an_answer_that_cannot_be_used_reports_what_it_used_before_its_error() {
    for line in UNUSABLE.lines().filter(|line| !line.is_empty()) {
        let (format, body) = line.split_once(' ').unwrap();
        let (format, is_plain) = match format.strip_suffix("-plain") {
            Some(format) => (format, true),
            None => (format, false),
        };
        let config = config(format.parse::<ApiFormat>().unwrap());
        let events = serde_json::Deserializer::from_str(body).into_iter::<Value>();
        let events: Vec<_> = events.map(|event| event.unwrap().to_string()).collect();
        let answer = if is_plain { Answer::json(body) } else { stream_of(&events.join("\n")) };
        let (events, error) = ask(config, Player::of(vec![answer]), &request()).await;
        assert!(error.is_some(), "{line}");
        let used = Usage { input: 100, output: 20, ..Usage::default() };
        assert_eq!(events.last(), Some(&TurnEvent::Usage(used)), "{line}");
    }
}

/// What a server counts while it writes is not yet what the call costs.
#[tokio::test]
async fn an_answer_that_breaks_off_reports_nothing_of_what_was_counted_so_far() {
    for (format, lines) in [
        (
            ApiFormat::ChatCompletions,
            r#"{"choices":[{"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":100,"completion_tokens":1}}"#,
        ),
        (
            ApiFormat::Anthropic,
            r#"{"type":"message_start","message":{"usage":{"input_tokens":100,"output_tokens":1}}}"#,
        ),
        (
            ApiFormat::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":1}}"#,
        ),
    ] {
        let (events, error) =
            ask(config(format), Player::of(vec![stream_of(lines)]), &request()).await;
        assert!(error.is_some(), "{lines}");
        let is_usage = |event: &TurnEvent| matches!(event, TurnEvent::Usage(_));
        assert!(!events.iter().any(is_usage), "{events:?}");
    }
}
