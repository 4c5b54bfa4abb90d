//! The models that a server offers.

use dormouse_adapters::models::{ApiFormat, ListedModel, list};
use dormouse_types::model::{ModelError, ProviderUnavailable};

use crate::support::play::{Answer, Player};
use crate::support::requests::config;

fn listed(id: &str, window: Option<u64>, calls_tools: Option<bool>) -> ListedModel {
    ListedModel { id: id.to_owned(), window, calls_tools }
}

#[tokio::test]
async fn every_format_has_its_list() {
    let cases = [
        (
            ApiFormat::ChatCompletions,
            "https://api.openai.com/v1/models",
            r#"{"data":[
                {"id":"vllm","max_model_len":8192},
                {"id":"llama","meta":{"n_ctx_train":2048}},
                {"id":"router","context_length":131072,"supported_parameters":["tools"]},
                {"id":"mistral","max_context_length":32768,"capabilities":{"function_calling":false}},
                {"id":"plain"},{"id":"plain"},{"id":"has space"},{"id":" at an end"},{"id":"two\nlines"},{"id":""},{"no":"id"},7,
                "name-alone",{"id":"models/folder"}
            ]}"#,
            vec![
                listed("has space", None, None),
                listed("llama", Some(2048), None),
                listed("mistral", Some(32768), Some(false)),
                listed("models/folder", None, None),
                listed("name-alone", None, None),
                listed("plain", None, None),
                listed("router", Some(131_072), Some(true)),
                listed("vllm", Some(8192), None),
            ],
        ),
        (
            ApiFormat::Anthropic,
            "https://api.anthropic.com/v1/models?limit=1000",
            r#"{"data":[{"type":"model","id":"claude","max_input_tokens":200000}],"has_more":false}"#,
            vec![listed("claude", Some(200_000), None)],
        ),
        (
            ApiFormat::Gemini,
            "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
            r#"{"models":[
                {"name":"models/flash","inputTokenLimit":1048576,"supportedGenerationMethods":["generateContent"]},
                {"name":"models/embed","supportedGenerationMethods":["embedContent"]}
            ]}"#,
            vec![listed("flash", Some(1_048_576), None)],
        ),
    ];
    for (format, url, body, expected) in cases {
        let player = Player::of(vec![Answer::json(body)]);
        assert_eq!(list(player.as_ref(), &config(format)).await.unwrap(), expected);
        let sent = player.sent.lock().unwrap();
        assert_eq!((sent[0].method, sent[0].url.as_str()), ("GET", url));
    }
}

/// The key of [`config`] is `sk-very-secret`.
#[tokio::test]
async fn an_id_that_repeats_the_key_is_not_listed() {
    let body = r#"{"data":[{"id":"sk-very-secret"},{"name":"models/sk-very-secret"},
        {"id":"plan-sk-very-secret-b"},{"id":"sk-very"},{"id":"plain"}]}"#;
    let player = Player::of(vec![Answer::json(body)]);
    let config = config(ApiFormat::ChatCompletions);
    let expected = vec![listed("plain", None, None), listed("sk-very", None, None)];
    assert_eq!(list(player.as_ref(), &config).await.unwrap(), expected);
}

#[tokio::test]
async fn a_server_without_a_list_is_an_error() {
    let (outage, setup) = (ProviderUnavailable::Outage, ProviderUnavailable::Configuration);
    let cases = [
        (Answer::json("{}"), outage, "https://api.openai.com answered without a list of models"),
        (Answer::json("{"), outage, "https://api.openai.com answered with text that is not JSON"),
        (
            Answer::json(r#"{"error":"Unexpected endpoint or method. (GET /models)"}"#),
            setup,
            "acme has nothing at this address; check the base URL \
             https://api.openai.com/v1: Unexpected endpoint or method. (GET /models)",
        ),
        (
            Answer::new(200, "text/html", "<html>"),
            ProviderUnavailable::WrongAnswer,
            "https://api.openai.com answered with a web page instead of an answer of a model; \
             check the base URL",
        ),
    ];
    for (answer, fault, expected) in cases {
        let player = Player::of(vec![answer]);
        let error = list(player.as_ref(), &config(ApiFormat::Responses)).await.unwrap_err();
        let ModelError::Provider { why, detail, .. } = error else { panic!("{error}") };
        assert_eq!((why, detail.as_str()), (fault, expected));
    }
}
