//! What two wakes of an agent send begins alike, byte for byte, up to the end of its log: in each format
//! and each way of calling tools, over many wakes and a fold.

use std::sync::Arc;

use dormouse_adapters::models::{ApiFormat, ModelConfig, RemoteModel, ToolMode};
use serde_json::{Value, json};

use crate::support::program::Program;
use crate::support::wire::{Server, Turn, config};

const N_WAKES: usize = 14;
/// Said in the first turn of each wake, so that later turns can be distinguished from it.
const LOOK: &str = "I look around.";
/// Where the part of a message begins that is about the present.
const PRESENT: &str = "<data of=\\\"taskState\\\">";
const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// Looks and notes something, then says that it is done, then makes a call that may not be made: so
/// the report stays due, and each wake has a turn in which nothing else may be called.
fn turn(body: &str) -> Turn {
    let noted = json!({ "observations": [{ "text": "Prefers mornings.", "priority": "routine" }] });
    if body.contains("keep_summary") {
        let summary = "The movers come on Friday at eight. ".repeat(6);
        ("", vec![("keep_summary", json!({ "summary": summary }))])
    } else if body.contains("Only update_report may be called now") {
        ("", vec![("record_observations", noted)])
    } else if body.contains(LOOK) {
        ("That is all.", vec![])
    } else {
        (LOOK, vec![("record_observations", noted)])
    }
}

/// A body without the marks that say what is to be kept: they are no part of the prompt.
fn unmarked(body: &str) -> String {
    body.replace(MARK, "")
}

/// Where the log of a prompt ends; `None` if it has none.
fn log_end(body: &str, format: ApiFormat) -> Option<usize> {
    body.find("## Task Log")?;
    let present = body.find(PRESENT).expect("the task is in every prompt");
    match format {
        // The end of a block is part of what has to be found again.
        ApiFormat::Anthropic => body[..present].rfind("\"},{").map(|at| at + 2),
        ApiFormat::ChatCompletions | ApiFormat::Responses | ApiFormat::Gemini => {
            body[..present].strip_suffix("\\n\\n").map(str::len)
        }
    }
}

/// What every turn of an agent version has in common.
fn tools_and_system(body: &str, format: ApiFormat) -> [Value; 2] {
    let body: Value = serde_json::from_str(body).expect("a body is JSON");
    let at = |path: &str| body.pointer(path).cloned().unwrap_or_default();
    let system = match format {
        ApiFormat::ChatCompletions => at("/messages/0"),
        ApiFormat::Responses => at("/instructions"),
        ApiFormat::Anthropic => at("/system"),
        ApiFormat::Gemini => at("/systemInstruction"),
    };
    [at("/tools"), system]
}

/// What one wake sent: its turns, and whether it folded first.
struct Wake {
    bodies: Vec<String>,
    folded: bool,
}

async fn wakes(format: ApiFormat, rung: ToolMode) -> Vec<Wake> {
    let server = Server::answering(format, rung, turn);
    // Small enough for a fold after a few wakes.
    let config = ModelConfig { window: Some(9_500), ..config(format, rung) };
    let model = RemoteModel::new(config, server.clone());
    let program = Program::with(Arc::new(model));
    let (task, agent) = program.task("Move", &["Find the number"], "We move in May.").await;
    let mut wakes = Vec::new();
    for n in 0..N_WAKES {
        if n > 0 {
            let words = "The hall is full of boxes, and the \"lift\" is narrow. ".repeat(12);
            program.note(&task, &format!("Note {n}. {words}")).await;
        }
        assert_eq!(program.run().await, ["completed"], "wake {n}");
        let sent: Vec<String> =
            server.sent.lock().expect("one thread").drain(..).map(|sent| sent.body).collect();
        for body in &sent {
            assert!(body.matches(MARK).count() <= 4, "more marks than the provider takes: {body}");
        }
        let (folds, bodies): (Vec<_>, Vec<_>) =
            sent.iter().map(|body| unmarked(body)).partition(|body| body.contains("keep_summary"));
        wakes.push(Wake { bodies, folded: !folds.is_empty() });
    }
    let runs = program.dormouse.wakes(&program.me, &agent, 50).await.expect("wakes");
    for key in runs.into_iter().filter_map(|wake| wake.run_key) {
        let prompts = program.dormouse.prompts(&program.me, &agent, &key).await.expect("prompts");
        assert!(prompts.iter().all(|prompt| prompt.verified), "what is stored is what was sent");
    }
    wakes
}

async fn check(format: ApiFormat) {
    for rung in ToolMode::ALL {
        let wakes = wakes(format, *rung).await;
        let same = tools_and_system(&wakes[0].bodies[0], format);
        for wake in &wakes {
            assert_eq!(wake.bodies.len(), 3, "a look, the end, and a turn for the report alone");
            for body in &wake.bodies {
                assert_eq!(tools_and_system(body, format), same, "{format:?} {rung:?}");
            }
            if let Some(end) = log_end(&wake.bodies[0], format) {
                let begins = |body: &String| body.starts_with(&wake.bodies[0][..end]);
                assert!(wake.bodies.iter().all(begins), "{format:?} {rung:?}: turns of one wake");
            }
        }
        let mut n_folds = 0;
        let mut n_alike = 0;
        for pair in wakes.windows(2) {
            let (before, after) = (&pair[0].bodies[0], &pair[1].bodies[0]);
            let Some(end) = log_end(before, format) else { continue };
            let is_alike = after.starts_with(&before[..end]);
            n_folds += usize::from(pair[1].folded);
            n_alike += usize::from(is_alike);
            assert_eq!(is_alike, !pair[1].folded, "{format:?} {rung:?}:\n{before}\n\n{after}");
        }
        assert_eq!((n_folds, n_alike), (1, N_WAKES - 3), "{format:?} {rung:?}");
    }
}

#[tokio::test]
async fn two_wakes_begin_alike_in_chat_completions() {
    check(ApiFormat::ChatCompletions).await;
}

#[tokio::test]
async fn two_wakes_begin_alike_in_responses() {
    check(ApiFormat::Responses).await;
}

#[tokio::test]
async fn two_wakes_begin_alike_in_anthropics_messages() {
    check(ApiFormat::Anthropic).await;
}

#[tokio::test]
async fn two_wakes_begin_alike_to_gemini() {
    check(ApiFormat::Gemini).await;
}
