//! What a provider charged, where it says so itself.

use dormouse_adapters::http::BaseUrl;
use dormouse_adapters::models::{ModelConfig, WireFormat};
use dormouse_types::model::{TurnEvent, Usage};
use serde_json::{Value, json};

use crate::support::play::{Answer, Player, ask};
use crate::support::requests::{config, request};

/// The tokens and the charge of an answer that ends with this usage, streamed and plain.
async fn counted(base: &str, usage: Value) -> Option<Usage> {
    let base = BaseUrl::parse(base).unwrap();
    let config = ModelConfig { base, ..config(WireFormat::ChatCompletions) };
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
