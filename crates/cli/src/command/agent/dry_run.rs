//! `dormouse agent wake --dry-run`: what would be sent, and nothing else.

use dormouse::ProblemKind;
use dormouse::view::Agent;
use dormouse::wake_preview::{PreviewOutcome, PreviewedRequest, WakePreview};
use dormouse_types::kept_back::{KeptBack, KeptBackReason};
use dormouse_types::model_settings::as_argument;
use dormouse_types::spend::{Amount, Unit, dollars};
use serde_json::json;

use super::stopped::with_its_task;
use crate::command::models::too_small;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::{line, note, tokens};

/// Prints the body on standard output, byte for byte, and what there is to say about it on standard
/// error.
pub async fn run(
    session: &mut Session,
    agent: &Agent,
    message: Option<String>,
    model: Option<String>,
) -> Result<(), Failure> {
    let path = format!("/api/agents/{}/wake/preview", agent.id);
    let names_a_model = model.is_some();
    let body = json!({ "message": message, "model": model });
    let reply = session.client.post(&path, body).await;
    let reply = reply.map_err(|failure| {
        // It says itself how the provider is added.
        if names_a_model && failure.is(ProblemKind::NotFound) {
            return failure;
        }
        with_its_task(session, agent, failure)
    })?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let preview: WakePreview = reply.read()?;
    let model = line(&preview.model);
    match preview.outcome {
        PreviewOutcome::Request => {}
        PreviewOutcome::NothingLeaves => {
            note(&format!("nothing leaves: the model {model} runs in this program"));
        }
        PreviewOutcome::Private => {
            note(&format!(
                "nothing would be sent: the task is private, and {model} is not a model of your own"
            ));
        }
        PreviewOutcome::Category => {
            note(&format!(
                "nothing would be sent: tasks of this category may not be sent to the provider of \
                 {model}; see `{}`",
                session.command("models categories NAME")
            ));
        }
        PreviewOutcome::NoTask => note("nothing would be sent: the task is deleted"),
        PreviewOutcome::Unusable => {
            note(&format!(
                "nothing would be sent: {model} cannot be used; see `{}`",
                session.command("models list")
            ));
        }
    }
    if preview.outcome == PreviewOutcome::Request {
        kept_back(&preview.kept_back).iter().for_each(|words| note(words));
    }
    if let Some(request) = &preview.request {
        about(request);
        if !request.is_tool_mode_known {
            note(&format!(
                "how {model} calls tools is not known yet: a wake tries that first, with a call that has \
                 nothing of yours in it, and may then send them in another way; to try it now: {}",
                session.command(&format!("models test {}", as_argument(&model)))
            ));
        }
        if let Some(call) = request.reserved {
            for words in too_small(session, call.unit, &request.too_small) {
                note(&format!("warning: {words}"));
            }
        }
        session.screen.file(request.body.as_bytes());
    }
    Ok(())
}

/// Says what was kept back, one line for each reason.
pub fn kept_back(kept: &KeptBack) -> Vec<String> {
    let line = |(reason, words): (KeptBackReason, String)| match reason {
        KeptBackReason::Private => format!("kept back because it is private: {words}"),
        KeptBackReason::Category => {
            format!("kept back because of the category of its task: {words}")
        }
    };
    kept.words().into_iter().map(line).collect()
}

fn about(request: &PreviewedRequest) {
    note(&format!("{} {}", request.method, line(&request.url)));
    for header in &request.headers {
        note(&format!("{}: {}", line(&header.name), line(&header.value)));
    }
    let cost = match request.estimated_cost {
        None => "no price is known".to_owned(),
        Some(cost) => format!("about {} without the answer", dollars(cost)),
    };
    let most = match request.reserved {
        None => String::new(),
        Some(Amount { unit: Unit::MicroDollars, value }) => {
            format!("; at most {} with it", dollars(value))
        }
        Some(Amount { unit: Unit::Tokens, value: 0 }) => String::new(),
        Some(Amount { unit: Unit::Tokens, value }) => {
            format!("; at most {} with it", tokens(value))
        }
    };
    let tokens = request.estimated_tokens;
    note(&format!("about {tokens} tokens, estimated by its size; {cost}{most}"));
}
