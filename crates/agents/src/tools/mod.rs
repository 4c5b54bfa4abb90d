//! Tools that write only the agent store.

pub mod update_report;
pub mod record_observations;

use std::sync::{Arc, LazyLock};

use dormouse_changes::ModelTool;
use dormouse_runs::ToolSet;
use dormouse_runs::request::Offer;
use dormouse_types::model::ToolSpec;

/// The tools of this room as models call them.
pub const TOOLS: &[&ModelTool] = &[&update_report::TOOL, &record_observations::TOOL];

/// Finds a tool of this room by name or alias.
pub fn by_name(name: &str) -> Option<&'static ModelTool> {
    TOOLS.iter().copied().find(|tool| tool.answers_to(name))
}

/// Returns whether an accepted call of this tool closes a run: it publishes the report.
pub fn closes(tool: &ModelTool) -> bool {
    tool.name == update_report::TOOL.name
}

/// Returns the tools offered to a task agent's model.
pub fn specs(set: ToolSet) -> Vec<ToolSpec> {
    match set {
        ToolSet::All => SPECS.clone(),
        ToolSet::Closing => {
            let closing = TOOLS.iter().filter(|tool| closes(tool)).map(|tool| tool.name);
            let closing: Vec<_> = closing.collect();
            SPECS.iter().filter(|spec| closing.contains(&spec.name.as_str())).cloned().collect()
        }
    }
}

/// Returns the same tools with their serialized text.
pub fn offer(set: ToolSet) -> Arc<Offer> {
    match set {
        ToolSet::All => (*ALL).clone(),
        ToolSet::Closing => (*CLOSING).clone(),
    }
}

static ALL: LazyLock<Arc<Offer>> = LazyLock::new(|| Arc::new(Offer::new(specs(ToolSet::All))));
static CLOSING: LazyLock<Arc<Offer>> =
    LazyLock::new(|| Arc::new(Offer::new(specs(ToolSet::Closing))));

/// Cached, because deriving a schema from a type is slower than copying it.
static SPECS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| {
    let all = TOOLS.iter().chain(dormouse_changes::TOOLS);
    all.map(|tool| ToolSpec {
        name: tool.name.into(),
        description: tool.description.into(),
        parameters: (tool.schema)(),
    })
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tool_of_two_rooms_shares_a_name_or_an_alias() {
        let mut names: Vec<_> = TOOLS
            .iter()
            .chain(dormouse_changes::TOOLS)
            .flat_map(|tool| std::iter::once(tool.name).chain(tool.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(count, names.len());
    }

    #[test]
    fn a_closing_turn_offers_the_report_alone() {
        let names: Vec<_> = specs(ToolSet::Closing).into_iter().map(|spec| spec.name).collect();
        assert_eq!(names, ["update_report"]);
        assert_eq!(specs(ToolSet::All).len(), TOOLS.len() + dormouse_changes::TOOLS.len());
    }
}

#[cfg(test)]
mod recorded_tests;
