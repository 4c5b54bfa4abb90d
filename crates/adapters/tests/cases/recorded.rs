//! Exchanges with real servers, recorded by others.

use std::fmt::Write as _;
use std::path::Path;

use dormouse_adapters::models::WireFormat;

use crate::support::cassette::{self, Exchange};
use crate::support::play::{Answer, Player, ask, decode, summary};
use crate::support::requests::{config, request, tool, weather};

/// The format of a file, by its name.
fn format(path: &Path) -> WireFormat {
    let name = name(path);
    match name.split('.').next().unwrap() {
        "anthropic" => WireFormat::Anthropic,
        "gemini" => WireFormat::Gemini,
        "openai-chat" => WireFormat::ChatCompletions,
        "openai-responses" => WireFormat::Responses,
        other => panic!("no format for {other}"),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

#[tokio::test]
async fn recorded_exchanges_give_their_turns() {
    for path in cassette::files(".yml") {
        let format = format(&path);
        let mut report = String::new();
        for (n, exchange) in cassette::exchanges(&path).iter().enumerate() {
            let turn = turn(format, exchange).await;
            writeln!(report, "-- exchange {}\n{turn}", n + 1).unwrap();
        }
        insta::assert_snapshot!(format!("recorded {}", name(&path)), report);
    }
}

async fn turn(format: WireFormat, exchange: &Exchange) -> String {
    let answer = Answer::new(exchange.status, &exchange.media_type, &exchange.answer);
    let (events, error) = ask(config(format), Player::of(vec![answer]), &request()).await;
    assert_eq!(error, None, "{}", exchange.uri);
    summary(&events)
}

#[test]
fn recorded_events_give_their_turns() {
    for path in cassette::files(".chunks.txt") {
        let mut request = request();
        request.tools = vec![weather(), tool("cityAttractions", "Names attractions.")];
        let data = std::fs::read_to_string(&path).unwrap();
        let report = match decode(&request, &config(format(&path)), &data) {
            Ok(events) => summary(&events),
            Err(error) => format!("error {error:?}"),
        };
        insta::assert_snapshot!(format!("recorded {}", name(&path)), report);
    }
}
