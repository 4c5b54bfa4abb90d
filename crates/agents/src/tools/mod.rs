//! Tools that write only the agent store.

pub mod update_report;
pub mod record_observations;
pub mod search_memory;

use std::sync::{Arc, LazyLock};

use dormouse_changes::ModelTool;
use dormouse_runs::request::Offer;
use dormouse_types::model::ToolSpec;

/// The tools of this room as models call them.
pub const TOOLS: &[&ModelTool] =
    &[&update_report::TOOL, &record_observations::TOOL, &search_memory::TOOL];

/// Finds a tool of this room by name or alias.
pub fn by_name(name: &str) -> Option<&'static ModelTool> {
    TOOLS.iter().copied().find(|tool| tool.answers_to(name))
}

/// Finds a tool of any room by name or alias.
pub fn of_any_room(name: &str) -> Option<&'static ModelTool> {
    by_name(name).or_else(|| dormouse_changes::tools::by_name(name))
}

/// Returns whether an accepted call of this tool closes a run: it publishes the report.
pub fn closes(tool: &ModelTool) -> bool {
    tool.name == update_report::TOOL.name
}

/// Returns the names of the tools that close a run.
pub fn closing_names() -> Vec<String> {
    TOOLS.iter().filter(|tool| closes(tool)).map(|tool| tool.name.to_owned()).collect()
}

/// The names of the tools that close a run, in a sentence.
pub fn closing_in_words() -> String {
    closing_names().join(" and ")
}

/// Returns the tools offered to a task agent's model, in every turn, with their serialized text.
pub fn offer() -> Arc<Offer> {
    (*OFFER).clone()
}

static OFFER: LazyLock<Arc<Offer>> = LazyLock::new(|| Arc::new(Offer::new(specs())));

fn specs() -> Vec<ToolSpec> {
    let all = TOOLS.iter().chain(dormouse_changes::TOOLS);
    all.map(|tool| tool.spec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_offered_and_the_report_closes_a_run() {
        assert_eq!(closing_names(), ["update_report"]);
        assert_eq!(offer().tools().len(), TOOLS.len() + dormouse_changes::TOOLS.len());
    }
}

#[cfg(test)]
mod recorded_tests;
