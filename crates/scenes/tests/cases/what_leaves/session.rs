//! A session in which a person and a model improve a template.

use dormouse_types::port::OutgoingRequest;
use serde_json::json;

use super::mark;
use super::workspace::{Workspace, answer};

/// What the second answer of a session sends, after a first one that noted something and proposed.
pub(super) async fn second_answer(world: &Workspace) -> anyhow::Result<Vec<OutgoingRequest>> {
    let (me, template) = (&world.me, &world.template);
    world.dormouse.start_evolution(me, template, Some(&mark("session-person")), None).await?;
    let proposal = json!({
        "general_directive": mark("session-general"),
        "report_directive": mark("session-report"),
        "rationale": mark("session-rationale"),
    });
    let note = json!({ "kind": "pattern", "content": mark("session-note") });
    let calls = [("record_evolution_note", note), ("propose_directives", proposal)];
    world.model.script.push(answer(mark("session-model"), &calls));
    world.model.script.push(answer(mark("session-model"), &[]));
    world.drain_all().await?;
    world.bodies();
    world.dormouse.say_in_evolution(me, template, &mark("session-again"), None).await?;
    world.model.script.push(answer(mark("session-model"), &[]));
    world.drain_all().await?;
    Ok(world.bodies())
}
