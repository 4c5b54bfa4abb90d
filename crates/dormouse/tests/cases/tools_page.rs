//! `docs/tools.md` is made from the registries: a tool that moves moves its page.

use std::fmt::Write as _;

use dormouse_changes::{ModelTool, Policy};
use serde_json::Value;

const PAGE: &str = include_str!("../../../../docs/tools.md");

fn arguments(schema: &Value, root: &Value, into: &mut String, indent: usize) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, of) in properties {
        let must = if required.contains(&Value::String(name.clone())) { ", required" } else { "" };
        let about = of["description"].as_str().unwrap_or_default().replace('\n', " ");
        let about = if about.is_empty() { String::new() } else { format!(": {about}") };
        let pad = " ".repeat(indent);
        writeln!(into, "{pad}- `{name}`{must}{about}").expect("written");
        let inner = of["items"]["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        if let Some(inner) = inner {
            arguments(&root["$defs"][inner], root, into, indent + 2);
        }
    }
}

fn section(tool: &ModelTool) -> String {
    let mut text = format!("## `{}`\n\n{}\n\n", tool.name, tool.description);
    let item = tool.item().map(|item| item.name());
    let policy = match tool.policy {
        Policy::Immediate(_) => "takes effect at once".to_owned(),
        Policy::Deferred(_) => {
            format!("one proposal, `{}`, that waits for the person", item.unwrap_or_default())
        }
        Policy::Exploded { list, max, .. } => format!(
            "a proposal `{}` for each of `{list}` (at most {})",
            item.unwrap_or_default(),
            max.max
        ),
    };
    writeln!(text, "- What happens: {policy}").expect("written");
    if !tool.aliases.is_empty() {
        let aliases: Vec<_> = tool.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        writeln!(text, "- Also understood as: {}", aliases.join(", ")).expect("written");
    }
    text.push_str("- Arguments:\n");
    let schema = (tool.schema)();
    arguments(&schema, &schema, &mut text, 2);
    text
}

#[test]
fn the_page_of_tools_is_what_the_registries_hold() {
    let mut page = String::from(
        "# Tools\n\nWhat the model of a task agent may call. Made from the registries by\n`crates/dormouse/tests/cases/tools_page.rs`: after a change, put what the test prints here.\n",
    );
    for tool in dormouse_agents::TOOLS.iter().chain(dormouse_changes::TOOLS) {
        page.push('\n');
        page.push_str(&section(tool));
    }
    assert!(page == PAGE, "docs/tools.md should hold:\n{page}");
}
