//! What is sent, byte for byte.

use dormouse_adapters::http::BaseUrl;
use dormouse_adapters::models::{ApiFormat, ModelConfig, ModelId, RemoteModel, ToolMode};
use dormouse_types::model::{FragmentKind, ProviderState, Request, ToolChoice};
use dormouse_types::model_settings::ForcedCall;
use dormouse_types::port::{Model as _, ModelLocation};

use crate::support::play::{Answer, Player, ask, stream_of};
use crate::support::requests::{config, fragment, request, turn, weather};

fn rendered(config: ModelConfig, request: &Request) -> String {
    let outgoing = RemoteModel::new(config, Player::of(vec![])).outgoing(request).unwrap();
    assert!(!format!("{outgoing:?}").contains("very-secret"), "the key is not shown");
    let mut text = format!("{} {}\n", outgoing.method, outgoing.url);
    for (name, value) in outgoing.headers {
        text.push_str(&format!("{name}: {value}\n"));
    }
    text.push_str(&format!("\n{}", outgoing.body));
    text
}

/// A second request: an earlier turn with what its provider wants back, and one without calls.
fn second(format: ApiFormat) -> Request {
    let kept = match format {
        ApiFormat::ChatCompletions => r#"{"kept":{"reasoning_content":"hm"}}"#,
        ApiFormat::Responses => {
            r#"{"kept":{"type":"reasoning","summary":[],"encrypted_content":"AAA"}}"#
        }
        ApiFormat::Anthropic => r#"{"kept":{"type":"thinking","thinking":"hm","signature":"AAA"}}"#,
        ApiFormat::Gemini => r#"{"text":{"text":"","extra":{"thoughtSignature":"AAA"}}}"#,
    };
    let mut before = turn();
    let pieces = r#"{"text":{"text":"I look first."}},{"call":{"id":"c1"}}"#;
    let pieces: serde_json::Value = serde_json::from_str(&format!("[{kept},{pieces}]")).unwrap();
    let origin = config(format).base.origin();
    let state = serde_json::json!({ "origin": origin, "format": format.name(), "pieces": pieces });
    before.provider_state =
        Some(ProviderState { provider: "acme".into(), data: state.to_string() });
    let mut silent = turn();
    silent.text = "Done, I think.".to_owned();
    silent.calls.clear();
    silent.results.clear();
    Request { turn: 3, turns: vec![before, silent], tool_choice: ToolChoice::Required, ..request() }
}

#[test]
fn a_first_request_has_instructions_message_and_tools() {
    for format in ApiFormat::ALL {
        insta::assert_snapshot!(
            format!("first-{}", format.name()),
            rendered(config(*format), &request())
        );
    }
}

#[test]
fn a_later_request_repeats_the_turns_as_the_provider_wants_them() {
    for format in ApiFormat::ALL {
        insta::assert_snapshot!(
            format!("later-{}", format.name()),
            rendered(config(*format), &second(*format))
        );
    }
}

#[test]
fn a_name_that_a_model_made_up_goes_back_as_providers_take_it() {
    for format in ApiFormat::ALL {
        let mut request = second(*format);
        request.turns[0].provider_state = None;
        request.turns[0].calls[0].name = "functions.wetter für morgen".into();
        let body = rendered(config(*format), &request);
        assert!(body.contains("functions_wetter_f_r_morgen"), "{format:?} {body}");
        assert!(!body.contains("functions.wetter"), "{format:?} {body}");
    }
}

#[test]
fn a_request_without_native_tools_explains_them() {
    for rung in [ToolMode::Schema, ToolMode::Text] {
        for format in ApiFormat::ALL {
            let config = ModelConfig { rung, ..config(*format) };
            let text = rendered(config, &second(*format));
            insta::assert_snapshot!(format!("{}-{}", rung.name(), format.name()), text);
        }
    }
}

#[test]
fn a_single_tool_that_must_be_called_is_named() {
    for format in ApiFormat::ALL {
        let request =
            Request { tools: vec![weather()], tool_choice: ToolChoice::Required, ..request() };
        let body = rendered(config(*format), &request);
        let forced = match format {
            // With one tool this names it, and llama.cpp understands nothing else.
            ApiFormat::ChatCompletions => r#""tool_choice":"required""#,
            ApiFormat::Responses => r#""tool_choice":{"type":"function","name":"weather"}"#,
            ApiFormat::Anthropic => r#""tool_choice":{"name":"weather","type":"tool"}"#,
            ApiFormat::Gemini => r#""allowedFunctionNames":["weather"]"#,
        };
        assert!(body.contains(forced), "{body}");
    }
}

/// A closing turn after calls: all tools, of which one may be called, and what is said last.
fn closing(format: ApiFormat, names: &[&str]) -> Request {
    let mut request = second(format);
    request.turns.truncate(1);
    request.fragments.push(fragment(FragmentKind::TaskState, "Buy milk. Done."));
    request.fragments.push(fragment(FragmentKind::Instruction, "Only the report may be written."));
    request.tool_choice = ToolChoice::OneOf(names.iter().map(|&name| name.to_owned()).collect());
    request
}

#[test]
fn a_closing_turn_begins_like_every_other_and_names_what_may_be_called() {
    for format in ApiFormat::ALL {
        let forced = match format {
            ApiFormat::ChatCompletions | ApiFormat::Responses | ApiFormat::Gemini => "",
            ApiFormat::Anthropic => r#""tool_choice":{"name":"update_report","type":"tool"}"#,
        };
        let text = rendered(config(*format), &closing(*format, &["update_report"]));
        assert!(text.contains(forced), "{text}");
        insta::assert_snapshot!(format!("closing-{}", format.name()), text);
        let two = rendered(config(*format), &closing(*format, &["update_report", "weather"]));
        let allowed = match format {
            ApiFormat::ChatCompletions => {
                r#""tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"update_report"}},{"type":"function","function":{"name":"weather"}}]}}"#
            }
            ApiFormat::Responses => {
                r#""tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"update_report"},{"type":"function","name":"weather"}]}"#
            }
            ApiFormat::Anthropic => r#""tool_choice":{"type":"any"}"#,
            ApiFormat::Gemini => r#""allowedFunctionNames":["update_report","weather"]"#,
        };
        assert!(two.contains(allowed), "{two}");
    }
}

#[test]
fn what_a_server_takes_of_a_forced_call_is_sent_and_the_rest_is_said_in_words() {
    for format in ApiFormat::ALL {
        let body = |forced_call, request: &Request| {
            rendered(ModelConfig { forced_call, ..config(*format) }, request)
        };
        let required = match format {
            ApiFormat::ChatCompletions | ApiFormat::Responses => r#""tool_choice":"required""#,
            ApiFormat::Anthropic => r#""tool_choice":{"type":"any"}"#,
            ApiFormat::Gemini => r#""functionCallingConfig":{"mode":"ANY"}"#,
        };
        let auto = match format {
            ApiFormat::ChatCompletions | ApiFormat::Responses => r#""tool_choice":"auto""#,
            ApiFormat::Anthropic => r#""tool_choice":{"type":"auto"}"#,
            ApiFormat::Gemini => r#""functionCallingConfig":{"mode":"AUTO"}"#,
        };
        let closing = closing(*format, &["update_report"]);
        let folding =
            Request { tools: vec![weather()], tool_choice: ToolChoice::Required, ..request() };
        for (request, words) in [
            (&closing, "Call update_report now, and no other tool."),
            (&folding, "Call at least one tool now."),
        ] {
            let some = body(Some(ForcedCall::Required), request);
            assert!(some.contains(required) && some.contains(words), "{some}");
            let none = body(Some(ForcedCall::Auto), request);
            assert!(none.contains(auto) && none.contains(words), "{none}");
            assert!(!body(None, request).contains(words), "it is forced");
        }
        let free = body(Some(ForcedCall::Required), &request());
        assert_eq!(free, body(None, &request()), "{format}: nothing is forced");
    }
}

#[test]
fn servers_of_ones_own_get_one_word_that_a_tool_must_be_called() {
    let format = ApiFormat::ChatCompletions;
    let base = BaseUrl::parse("http://localhost:11434/v1/").unwrap();
    let own = ModelConfig { base, location: ModelLocation::OwnServer, ..config(format) };
    let text = rendered(own, &closing(format, &["update_report"]));
    assert!(text.contains(r#""tool_choice":"required""#), "{text}");
}

#[test]
fn what_is_said_last_follows_the_turns_or_ends_the_message_if_they_say_nothing() {
    for format in ApiFormat::ALL {
        for rung in ToolMode::ALL {
            let config = ModelConfig { rung: *rung, ..config(*format) };
            let mut request = closing(*format, &["update_report"]);
            let text = rendered(config.clone(), &request);
            let place = |words: &str| text.find(words).expect(words);
            assert!(place("15 degrees") < place("Only the report may be written."), "{text}");
            request.turns[0].text.clear();
            request.turns[0].calls.clear();
            request.turns[0].results.clear();
            request.turns[0].provider_state = None;
            let text = rendered(config, &request);
            assert_eq!(text.matches("Only the report may be written.").count(), 1, "{text}");
        }
    }
}

#[test]
fn a_request_to_anthropic_caches_what_the_next_turn_begins_with() {
    let format = ApiFormat::Anthropic;
    let marks = |request: &Request| {
        let body: serde_json::Value = {
            let text = rendered(config(format), request);
            serde_json::from_str(text.split_once("\n\n").unwrap().1).unwrap()
        };
        let mut found = Vec::new();
        let blocks = |list: &serde_json::Value| list.as_array().cloned().unwrap_or_default();
        let mut all = blocks(&body["system"]);
        for message in blocks(&body["messages"]) {
            all.extend(blocks(&message["content"]));
        }
        let all = all.iter();
        for block in all.filter(|block| block.get("cache_control").is_some()) {
            assert_eq!(block["cache_control"], serde_json::json!({ "type": "ephemeral" }));
            let text = block["text"].as_str().or(block["content"].as_str());
            found.push(text.unwrap_or_default().chars().take(12).collect::<String>());
        }
        found
    };
    let mut first = request();
    first.fragments[1].text.push_str("\nTuesday: went on.");
    first.fragments[1].block_ends = vec!["Monday: began.".len()];
    assert_eq!(marks(&first), ["You keep one", "Tuesday: wen", "Buy milk, du"]);
    let mut next = closing(format, &["update_report"]);
    next.fragments[1] = first.fragments[1].clone();
    let last = next.clone();
    next.tool_choice = ToolChoice::Auto;
    next.fragments.truncate(4);
    assert_eq!(marks(&next), ["You keep one", "Tuesday: wen", "Buy milk, du", "`content` is"]);
    // No other turn follows: it only reads.
    assert_eq!(marks(&last), ["You keep one", "Tuesday: wen", "Buy milk, du"]);
    // A call by itself, such as one that folds, begins like no other.
    let alone = Request { tool_choice: ToolChoice::Required, ..first };
    assert_eq!(marks(&alone), [""; 0]);
}

#[test]
fn what_another_provider_wrote_is_not_sent() {
    for format in ApiFormat::ALL {
        let mut request = second(*format);
        let state = request.turns[0].provider_state.as_mut().unwrap();
        state.provider = "other".to_owned();
        let body = rendered(config(*format), &request);
        assert!(!body.contains("AAA") && !body.contains("\"hm\""), "{body}");
        assert!(body.contains("I look first.") && body.contains("15 degrees"), "{body}");
    }
}

#[test]
fn the_prefix_up_to_the_log_does_not_depend_on_the_rest() {
    for format in ApiFormat::ALL {
        let mut longer = request();
        longer.fragments[1].text.push_str("\nTuesday: went on.");
        longer.fragments[2] = fragment(FragmentKind::TaskState, "Buy bread.");
        let (one, two) =
            (rendered(config(*format), &request()), rendered(config(*format), &longer));
        let end = one.find("Monday: began.").unwrap() + "Monday: began.".len();
        assert_eq!(one[..end], two[..end]);
    }
}

#[tokio::test]
async fn what_is_shown_is_what_is_sent() {
    for format in ApiFormat::ALL {
        let player = Player::of(vec![Answer::new(500, "text/plain", "no")]);
        let model = RemoteModel::new(config(*format), player.clone());
        ask(config(*format), player.clone(), &second(*format)).await;
        let sent = player.sent.lock().unwrap();
        assert_eq!(model.outgoing(&second(*format)).as_ref(), sent.first());
    }
}

#[test]
fn models_of_openai_get_the_newer_name_of_the_token_limit() {
    let format = ApiFormat::ChatCompletions;
    let local = ModelConfig {
        base: BaseUrl::parse("http://localhost:11434/v1/").unwrap(),
        key: None,
        ..config(format)
    };
    let text = rendered(local, &request());
    assert!(text.starts_with("POST http://localhost:11434/v1/chat/completions\n"), "{text}");
    assert!(text.contains(r#""max_tokens":2048"#) && !text.contains("authorization"), "{text}");
    assert!(rendered(config(format), &request()).contains(r#""max_completion_tokens":2048"#));
    for (host, is_newer) in [
        ("house.openai.azure.com", true),
        ("house.services.ai.azure.com", true),
        ("openai.azure.com.example.org", false),
    ] {
        let base = BaseUrl::parse(&format!("https://{host}/openai/v1")).unwrap();
        let text = rendered(ModelConfig { base, ..config(format) }, &request());
        assert_eq!(text.contains(r#""max_completion_tokens":2048"#), is_newer, "{text}");
    }
}

#[test]
fn mistral_gets_no_member_that_it_refuses() {
    let base = BaseUrl::parse("https://api.mistral.ai/v1").unwrap();
    let text = rendered(ModelConfig { base, ..config(ApiFormat::ChatCompletions) }, &request());
    assert!(text.contains(r#""max_tokens":2048"#) && !text.contains("stream_options"), "{text}");
}

#[test]
fn a_model_that_does_not_reason_gets_no_request_for_reasoning() {
    let body = |id: &str| {
        let model = ModelId::new(id).unwrap();
        rendered(ModelConfig { model, ..config(ApiFormat::Responses) }, &request())
    };
    for id in [
        "gpt-5-nano",
        "gpt-6",
        "o4-mini",
        "ft:o4-mini:acme::x1",
        "openai/gpt-oss-120b",
        "codex-mini",
    ] {
        assert!(body(id).contains("reasoning.encrypted_content"), "{id}");
    }
    // A deployment may have any name, and its model may not reason.
    for id in
        ["gpt-4o", "openai/gpt-4.1-mini", "gpt-5-chat-latest", "ft:gpt-4o:acme", "prod", "orca"]
    {
        assert!(!body(id).contains("reasoning.encrypted_content"), "{id}");
    }
}

#[tokio::test]
async fn what_a_provider_wants_back_goes_back() {
    let cases = [
        (
            ApiFormat::Anthropic,
            r#"{"type":"message_start","message":{}}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"so"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S1"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"R1"}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}}
{"type":"content_block_stop","index":2}
{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
{"type":"message_stop"}"#,
            r#"{"role":"assistant","content":[{"signature":"S1","thinking":"so","type":"thinking"},{"data":"R1","type":"redacted_thinking"},{"type":"tool_use","id":"t1","name":"weather","input":{}}]}"#,
        ),
        (
            ApiFormat::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"I look.","thoughtSignature":"S0"}]}}]}
{"candidates":[{"content":{"parts":[{"functionCall":{"id":"g1","name":"weather","args":{}},"thoughtSignature":"S1"},{"functionCall":{"name":"weather","args":{}}}]},"finishReason":"STOP"}]}"#,
            r#"{"role":"model","parts":[{"text":"I look.","thoughtSignature":"S0"},{"functionCall":{"name":"weather","args":{}},"thoughtSignature":"S1"},{"functionCall":{"name":"weather","args":{}}}]}"#,
        ),
        (
            ApiFormat::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"Hello "}]}}]}
{"candidates":[{"content":{"parts":[{"text":"world","thoughtSignature":"S1"}]}}]}
{"candidates":[{"content":{"parts":[{"text":"!"},{"text":"","thoughtSignature":"S2"}]},"finishReason":"STOP"}]}"#,
            r#"{"role":"model","parts":[{"text":"Hello "},{"text":"world","thoughtSignature":"S1"},{"text":"!"},{"text":"","thoughtSignature":"S2"}]}"#,
        ),
        (
            ApiFormat::Responses,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","encrypted_content":"S1","status":"completed"}}
{"type":"response.output_item.done","output_index":1,"item":{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"I look."}]}}
{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"f1","name":"weather","arguments":"{}"}}
{"type":"response.completed","response":{"status":"completed"}}"#,
            r#"{"encrypted_content":"S1","summary":[],"type":"reasoning"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}],"phase":"commentary"},{"type":"function_call","call_id":"f1","name":"weather","arguments":"{}"}"#,
        ),
        (
            ApiFormat::ChatCompletions,
            r#"{"choices":[{"delta":{"reasoning_content":"so","reasoning_details":[{"type":"reasoning.text","index":0,"text":"s"}]}}]}
{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"o","signature":"S1"}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"weather","arguments":"{}"},"extra_content":{"google":{"thought_signature":"S2"}}}]},"finish_reason":"tool_calls"}]}
[DONE]"#,
            r#"{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"},"extra_content":{"google":{"thought_signature":"S2"}}}],"reasoning_content":"so","reasoning_details":[{"index":0,"signature":"S1","text":"so","type":"reasoning.text"}]}"#,
        ),
    ];
    for (format, answer, expected) in cases {
        let player = Player::of(vec![stream_of(answer)]);
        let (events, error) = ask(config(format), player, &request()).await;
        assert_eq!(error, None);
        let later = Request { turns: vec![turn_of(events)], ..request() };
        let body = rendered(config(format), &later);
        assert!(body.contains(expected), "{expected}\n\n{body}");
        // The provider of this name has another server now, or speaks another format.
        let base = BaseUrl::parse("https://other.example/v1").unwrap();
        let moved = ModelConfig { base, ..config(format) };
        let base = config(format).base;
        let others = ApiFormat::ALL.iter().filter(|other| **other != format);
        let others = others.map(|other| ModelConfig { base: base.clone(), ..config(*other) });
        for other in std::iter::once(moved).chain(others) {
            let body = rendered(other, &later);
            let is_there = ["\"S0\"", "\"S1\"", "\"S2\"", "\"R1\"", "\"so\""].iter();
            assert_eq!(is_there.filter(|kept| body.contains(**kept)).count(), 0, "{body}");
        }
    }
}

fn turn_of(events: Vec<dormouse_types::model::TurnEvent>) -> dormouse_types::model::Turn {
    use dormouse_types::model::{ToolResult, Turn, TurnEvent};
    let mut turn = Turn {
        text: String::new(),
        calls: vec![],
        results: vec![],
        ended: false,
        provider_state: None,
    };
    for event in events {
        match event {
            TurnEvent::Text(text) => turn.text.push_str(&text),
            TurnEvent::Call(call) => {
                let call_id = call.id.clone();
                turn.results.push(ToolResult { call_id, refused: false, text: "ok".into() });
                turn.calls.push(call);
            }
            TurnEvent::State(state) => turn.provider_state = Some(state),
            TurnEvent::End { ended } => turn.ended = ended,
            TurnEvent::CallDelta { .. } | TurnEvent::Usage(_) => {}
        }
    }
    turn
}
