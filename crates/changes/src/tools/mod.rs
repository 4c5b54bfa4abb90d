//! One file per tool, and the registry that lists them.

pub mod set_task_title;
pub mod update_task_estimate;
pub mod update_task_due_date;
pub mod update_task_priority;
pub mod set_task_status;
pub mod add_checklist_item;
pub mod update_checklist_item;
pub mod assign_task_label;
pub mod set_task_language;
pub mod create_follow_up_task;
pub mod migrate_checklist_item;
pub mod link_task;
pub mod start_agent_work;
pub mod copy_task;
pub mod retract_suggestions;

use crate::tool::{ItemTool, ModelTool};

/// The tools of this room as models call them.
pub const TOOLS: &[&ModelTool] = &[
    &set_task_title::TOOL,
    &update_task_estimate::TOOL,
    &update_task_due_date::TOOL,
    &update_task_priority::TOOL,
    &set_task_status::TOOL,
    &add_checklist_item::TOOL,
    &update_checklist_item::TOOL,
    &assign_task_label::TOOL,
    &set_task_language::TOOL,
    &create_follow_up_task::TOOL,
    &migrate_checklist_item::TOOL,
    &link_task::TOOL,
    &start_agent_work::TOOL,
    &retract_suggestions::TOOL,
];

/// The tools that no model is offered: built-in work calls them.
pub const OF_BUILT_IN_WORK: &[&ModelTool] = &[&copy_task::TOOL];

/// Finds a tool that built-in work calls: one of its own, or one that models call too.
pub fn of_built_in_work(name: &str) -> Option<&'static ModelTool> {
    let own = OF_BUILT_IN_WORK.iter().copied().find(|tool| tool.name == name);
    own.or_else(|| by_name(name))
}

/// Returns whether a call proposes another task, or names one. Only an agent of the task does that: a run
/// of agent work is about no task of its own that a group could belong to.
pub fn is_of_groups(tool: &ModelTool) -> bool {
    tool.names_task() || tool.name == create_follow_up_task::TOOL.name
}

/// Finds a tool by name or alias. Aliases resolve before anything else is decided.
pub fn by_name(name: &str) -> Option<&'static ModelTool> {
    TOOLS.iter().copied().find(|tool| tool.answers_to(name))
}

/// The tools of change items that models propose.
pub fn items() -> impl Iterator<Item = &'static dyn ItemTool> {
    TOOLS.iter().filter_map(|tool| tool.item())
}

/// Finds the tool of a change item.
pub fn item(name: &str) -> Option<&'static dyn ItemTool> {
    let of_work = OF_BUILT_IN_WORK.iter().filter_map(|tool| tool.item());
    items().chain(of_work).find(|item| item.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tools_share_a_name_or_an_alias() {
        let mut names: Vec<_> = TOOLS
            .iter()
            .flat_map(|tool| std::iter::once(tool.name).chain(tool.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(count, names.len());
    }

    #[test]
    fn an_alias_leads_to_the_same_policy() {
        let tool = by_name("set_task_due_date").expect("a known alias");
        assert_eq!(tool.name, "update_task_due_date");
        assert!(by_name("delete_task").is_none());
    }
}
