//! Tools that write only the agent store.

pub mod update_report;
pub mod record_observations;

use std::sync::{Arc, LazyLock};

use dormouse_changes::ModelTool;
use dormouse_runs::request::Offer;
use dormouse_types::model::ToolSpec;

/// The tools of this room as models call them.
pub const TOOLS: &[&ModelTool] = &[&update_report::TOOL, &record_observations::TOOL];

/// Finds a tool of this room by name or alias.
pub fn by_name(name: &str) -> Option<&'static ModelTool> {
    let name = name.trim();
    TOOLS.iter().copied().find(|tool| tool.name == name || tool.aliases.contains(&name))
}

/// Returns the tools offered to a task agent's model; with `report_only`, just the report tool.
pub fn specs(report_only: bool) -> Vec<ToolSpec> {
    let all = SPECS.iter();
    all.filter(|spec| !report_only || spec.name == update_report::TOOL.name).cloned().collect()
}

/// Returns the same tools with their serialized text.
pub fn offer(report_only: bool) -> Arc<Offer> {
    let offer = if report_only { &REPORT } else { &ALL };
    (**offer).clone()
}

static ALL: LazyLock<Arc<Offer>> = LazyLock::new(|| Arc::new(Offer::new(specs(false))));
static REPORT: LazyLock<Arc<Offer>> = LazyLock::new(|| Arc::new(Offer::new(specs(true))));

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
    fn a_report_only_turn_offers_the_report_alone() {
        let names: Vec<_> = specs(true).into_iter().map(|spec| spec.name).collect();
        assert_eq!(names, ["update_report"]);
        assert_eq!(specs(false).len(), TOOLS.len() + dormouse_changes::TOOLS.len());
    }
}
