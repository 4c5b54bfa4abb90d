//! A scene as a page to read: the prompt of each wake, its answer, the results of its calls, and
//! what all of it came to.

use dormouse::AgentFilter;
use dormouse::view::{Message, Prompt, Wake};
use dormouse_types::AgentId;
use dormouse_types::agent::MessageKind;
use serde_json::Value;

use crate::names::Names;
use crate::outcome;
use crate::world::World;

/// Everything that happened in a scene, wake by wake, and its outcome.
pub async fn of(world: &World) -> anyhow::Result<String> {
    let mut lines = Vec::new();
    let mut agents =
        world.dormouse.agents(&world.me, &AgentFilter::default(), 200, None).await?.items;
    agents.sort_by_key(|agent| agent.created_at);
    for agent in agents {
        let mut wakes = world.dormouse.wakes(&world.me, &agent.id, 1000).await?;
        wakes.sort_by_key(|wake| wake.created_at);
        for (n, wake) in wakes.iter().enumerate() {
            lines.push(format!(
                "==== wake {} of {}: {}, {}",
                n + 1,
                agent.id,
                wake.reason,
                wake.status
            ));
            lines.extend(one(world, &agent.id, wake).await?);
        }
    }
    lines.push("==== outcome".into());
    lines.push(outcome::plain(world).await?);
    let text: Vec<String> =
        lines.iter().flat_map(|line| line.lines()).map(|line| line.trim_end().to_owned()).collect();
    Ok(Names::default().in_text(&text.join("\n")))
}

async fn one(world: &World, agent: &AgentId, wake: &Wake) -> anyhow::Result<Vec<String>> {
    let (dormouse, me) = (&world.dormouse, &world.me);
    let mut lines = Vec::new();
    let (Some(key), Some(thread)) = (&wake.run_key, &wake.thread_id) else {
        return Ok(vec!["waits".into()]);
    };
    let messages = dormouse.messages(me, agent, Some(thread.clone()), 10_000).await?;
    let mut turns = messages.iter().peekable();
    for prompt in dormouse.prompts(me, agent, key).await? {
        lines.extend(prompt_lines(&prompt));
        // A turn is its thought and what follows, up to the next thought.
        let mut thought = true;
        while let Some(message) = turns.next_if(|m| thought || m.kind != MessageKind::Thought) {
            thought = false;
            lines.extend(lines_of(message));
        }
    }
    lines.extend(turns.flat_map(lines_of));
    Ok(lines)
}

/// A prompt by its pieces. What no wake changes, the system prompt and the tools, is only measured.
fn prompt_lines(prompt: &Prompt) -> Vec<String> {
    let verified = if prompt.verified { "rebuilt as sent" } else { "NOT AS SENT" };
    let mut lines = vec![format!("== turn {}, {verified}", prompt.turn)];
    for piece in &prompt.fragments {
        match piece.kind.name() {
            "system" | "tools" => lines.push(format!("-- {}", piece.kind.name())),
            kind => {
                lines.push(format!("-- {kind}"));
                lines.push(piece.text.clone());
            }
        }
    }
    lines
}

fn lines_of(message: &Message) -> Vec<String> {
    let content = message.content.clone().unwrap_or_default();
    match message.kind.name() {
        "thought" => {
            let text = content["text"].as_str().unwrap_or_default();
            let end = if content["ended"] == true { "and ends" } else { "and goes on" };
            vec![format!("== answers {text:?} {end}")]
        }
        "action" => {
            let mut lines =
                vec![format!("call {} {}", content["name"], shortened(&content["args"]))];
            lines.extend(content["args"]["content"].as_str().map(ToOwned::to_owned));
            lines
        }
        "toolResult" => {
            let mark = if message.refused == Some(true) { "refused" } else { "result" };
            let tool = message.tool_name.as_deref().unwrap_or_default();
            vec![format!("{mark} {tool}: {}", content["text"].as_str().unwrap_or_default())]
        }
        kind => vec![format!("{kind}: {content}")],
    }
}

/// Arguments without the content of a report, which is shown as text.
fn shortened(args: &Value) -> Value {
    let mut args = args.clone();
    if let Some(object) = args.as_object_mut() {
        object.remove("content");
    }
    args
}
