//! `docs/tools.md` is made from the registries: a tool that moves moves its page.

use std::fmt::Write as _;

use dormouse_agents::template::evolution::tools as evolution;
use dormouse_builtin::propose::ledger;
use dormouse_changes::{ModelTool, Policy};
use dormouse_work::tools::{self as work, proposing};
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

fn policy(tool: &ModelTool) -> String {
    let item = tool.item().map(|item| item.name());
    match tool.policy {
        Policy::Immediate(_) => "takes effect at once".to_owned(),
        Policy::Deferred(_) => {
            format!("one proposal, `{}`, that waits for the person", item.unwrap_or_default())
        }
        Policy::Exploded { list, max, .. } => format!(
            "a proposal `{}` for each of `{list}` (at most {})",
            item.unwrap_or_default(),
            max.max
        ),
    }
}

fn policy_of_work(tool: &ModelTool<work::Policy>) -> String {
    let policy = match tool.policy {
        work::Policy::Ends(_) => "ends the run",
        work::Policy::Publishes(_) => "published when the run ends",
        work::Policy::Reads(_) => "reads only",
        work::Policy::Steps(_) => "takes effect at once, on the steps of the run",
    };
    policy.to_owned()
}

fn section<P>(tool: &ModelTool<P>, policy: &str) -> String {
    let mut text = format!("### `{}`\n\n{}\n\n", tool.name, tool.description);
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
        "# Tools\n\nWhat a model may call. Made from the registries by\n`crates/dormouse/tests/cases/tools_page.rs`: after a change, put what the test prints here.\n\n## Agents of tasks\n",
    );
    for tool in dormouse_agents::TOOLS.iter().chain(dormouse_changes::TOOLS) {
        page.push('\n');
        page.push_str(&section(tool, &policy(tool)));
    }
    let shared: Vec<_> = proposing::all().map(|tool| format!("`{}`", tool.name)).collect();
    writeln!(
        page,
        "\n## Runs of agent work\n\nBesides the following: {}, each with the task that it is about as `taskId`.",
        shared.join(", ")
    )
    .expect("written");
    for tool in work::TOOLS {
        page.push('\n');
        page.push_str(&section(tool, &policy_of_work(tool)));
    }
    page.push_str("\n## Sessions about templates\n");
    for tool in evolution::TOOLS {
        page.push('\n');
        page.push_str(&section(tool, "written when the run ends, for the person"));
    }
    assert!(page == PAGE, "docs/tools.md should hold:\n{page}");
}

fn names<P>(tool: &ModelTool<P>) -> Vec<&'static str> {
    std::iter::once(tool.name).chain(tool.aliases.iter().copied()).collect()
}

#[test]
fn no_two_tools_of_any_rooms_share_a_name_or_an_alias() {
    let of_agents = dormouse_agents::TOOLS.iter().chain(dormouse_changes::TOOLS);
    let mut all: Vec<_> = of_agents.flat_map(|tool| names(tool)).collect();
    all.extend(evolution::TOOLS.iter().flat_map(|tool| names(tool)));
    all.extend(work::TOOLS.iter().flat_map(|tool| names(tool)));
    all.sort_unstable();
    let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "two tools answer to: {twice:?}");
}

/// The rules import no room above them, so they spell the names of tools out, in one table.
#[test]
fn what_the_built_in_rules_propose_are_tools_of_the_registry() {
    for kind in ledger::KINDS {
        let tool = dormouse_changes::tools::by_name(kind.call).expect(kind.call);
        assert_eq!(tool.name, kind.call);
        for name in kind.names() {
            let is_known = tool.answers_to(name) || tool.item().is_some_and(|it| it.name() == name);
            assert!(is_known, "{name} is no name of {}", kind.call);
        }
    }
    let immediate = dormouse_agents::TOOLS.iter().map(|tool| tool.name);
    let all: Vec<&str> =
        immediate.chain(dormouse_changes::TOOLS.iter().map(|tool| tool.name)).collect();
    for name in ledger::OTHER_TOOLS {
        let is_known = all.contains(&name) || dormouse_changes::tools::item(name).is_some();
        assert!(is_known, "{name} is no tool");
    }
}
