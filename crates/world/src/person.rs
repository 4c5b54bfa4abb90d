//! What the person does, in the workspace of the tests.

use std::time::Duration;

use dormouse_journal::{Edit, EditCtx, NewTask, TaskView, state};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_testkit::wait;
use dormouse_types::model::TaskState;
use dormouse_types::{Actor, AgentId, Origin, TaskId, WorkspaceId};

use crate::rooms::Rooms;

/// The workspace.
pub const WS: WorkspaceId = WorkspaceId(1);

/// An edit by the person.
pub fn person() -> EditCtx {
    EditCtx::new(Origin::Person { via: None }, Actor::Owner)
}

/// An edit by an agent, whose values do not count as set by the person.
pub fn as_agent(agent: &AgentId) -> EditCtx {
    EditCtx::new(Origin::Agent { agent: agent.clone() }, Actor::Other("agent:test".into()))
}

impl Rooms {
    /// Moves the clock forward.
    pub fn later(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Creates a task as the person, now.
    #[track_caller]
    pub fn create_task(&self, title: &str, edits: Vec<Edit>) -> TaskId {
        let new = NewTask { title: title.into(), edits };
        wait(self.journal.create(WS, &new, &person())).expect("the task is accepted").task
    }

    /// Edits a task as the person, now.
    #[track_caller]
    pub fn edit_task(&self, task: &TaskId, edits: &[Edit]) {
        wait(self.journal.edit(WS, task, edits, &person())).expect("the edit is accepted");
    }

    /// A task with its rows.
    #[track_caller]
    pub fn task_view(&self, task: &TaskId) -> TaskView {
        wait(self.journal.task(WS, task)).expect("the task is there")
    }

    /// A task as a model sees it.
    #[track_caller]
    pub fn task_state(&self, task: &TaskId) -> TaskState {
        state(&self.task_view(task), &self.zone.get())
    }

    /// What is proposed about a task, oldest set first.
    #[track_caller]
    pub fn items_of(&self, task: &TaskId) -> Vec<Item> {
        wait(self.store.all(change_item::of_task(WS, task))).expect("the items can be read")
    }
}
