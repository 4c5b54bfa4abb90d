//! Exchanges with real servers, recorded by others.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use dormouse_adapters::models::ApiFormat;
use serde_json::Value;

use crate::support::cassette::{self, Exchange};
use crate::support::play::{Answer, report, stream_of};
use crate::support::requests::{config, request, tool, weather};

/// The format of a file, by its name.
fn format(path: &Path) -> ApiFormat {
    let name = name(path);
    match name.split('.').next().unwrap() {
        "anthropic" => ApiFormat::Anthropic,
        "gemini" => ApiFormat::Gemini,
        "openai-chat" => ApiFormat::ChatCompletions,
        "openai-responses" => ApiFormat::Responses,
        other => panic!("no format for {other}"),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// A report without the words of others: texts are counted, messages cut.
fn facts(report: &str) -> String {
    let shorten = |line: &str| match line.strip_prefix("text ") {
        Some(text) => format!("text of {} characters", text.chars().count()),
        None if line.starts_with("Request: ") || line.starts_with("Quota: ") => {
            line.chars().take(60).collect()
        }
        None => line.to_owned(),
    };
    report.lines().map(shorten).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn recorded_exchanges_give_their_turns() {
    for path in cassette::files(".yml") {
        let format = format(&path);
        let mut all = String::new();
        for (n, Exchange { uri, status, media_type, answer }) in
            cassette::exchanges(&path).into_iter().enumerate()
        {
            let answer = Answer::new(status, &media_type, answer);
            let turn = report(config(format), answer, &request()).await;
            assert!(turn.contains("\nend, ended: "), "{uri}: {turn}");
            writeln!(all, "-- exchange {}\n{}", n + 1, facts(&turn)).unwrap();
        }
        check(&path, &all);
    }
}

#[tokio::test]
async fn recorded_events_give_their_turns() {
    for path in cassette::files(".chunks.txt") {
        let mut request = request();
        request.tools = vec![weather(), tool("cityAttractions", "Names attractions.")];
        let data = std::fs::read_to_string(&path).unwrap();
        let turn = report(config(format(&path)), stream_of(&data), &request).await;
        check(&path, &facts(&turn));
    }
}

/// The last event of the format holds the whole answer, as it would have come in one piece.
#[tokio::test]
async fn a_recorded_answer_says_the_same_in_one_piece() {
    let is_responses = |path: &PathBuf| matches!(format(path), ApiFormat::Responses);
    let mut request = request();
    request.tools = vec![weather()];
    let recorded = cassette::files(".yml").into_iter().filter(is_responses);
    let recorded = recorded.flat_map(|path| cassette::exchanges(&path)).map(|it| it.answer);
    let chunks = cassette::files(".chunks.txt").into_iter().filter(is_responses);
    let chunks = chunks.map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| format!("data: {line}\n\n")).collect::<String>()
    });
    for answer in recorded.chain(chunks) {
        let data = answer.lines().filter_map(|line| line.strip_prefix("data: "));
        let mut events = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        let Some(last) = events.find(|event| event["type"] == "response.completed") else {
            continue;
        };
        let whole = Answer::json(last["response"].to_string());
        let config = || config(ApiFormat::Responses);
        let streamed = report(config(), Answer::events(answer), &request).await;
        let plain = report(config(), whole, &request).await;
        let turn = |report: &str| {
            let lines = report.lines().filter(|line| !line.starts_with("preview "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(turn(&plain), turn(&streamed));
    }
}

/// Files with a snapshot are compared; others, added later, must only give a turn or an error.
fn check(path: &Path, report: &str) {
    let name = name(path);
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/snapshots");
    let file = format!("runner__cases__recorded__{name}.snap");
    if known.join(&file).exists() || MAKE_SNAPSHOTS.is_some() {
        insta::assert_snapshot!(name, report);
    } else {
        assert!(!report.is_empty(), "{name}");
    }
}

/// Set at compile time to make snapshots of files that have none.
const MAKE_SNAPSHOTS: Option<&str> = option_env!("DORMOUSE_MAKE_SNAPSHOTS");
