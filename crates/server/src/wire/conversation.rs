//! Request bodies about conversations.

use dormouse::{NewTurn, TaskRef};
use dormouse_types::WorkId;
use dormouse_types::conversation::TaskAction;
use serde::Deserialize;
use utoipa::ToSchema;

use super::read::Reading;
use crate::Problem;

/// A conversation to begin.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversationParams {
    /// Its title.
    pub(crate) title: String,
}

/// What a turn does with a piece of agent work.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct TaskRefParams {
    /// The agent work.
    #[schema(value_type = WorkId)]
    task_id: String,
    /// What it does with it.
    #[schema(value_type = TaskAction)]
    action: String,
}

/// A turn to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct TurnParams {
    /// The words.
    content: String,
    /// What they do with a piece of agent work.
    task_ref: Option<TaskRefParams>,
}

impl TurnParams {
    pub(crate) fn read(self) -> Result<NewTurn, Problem> {
        let mut reading = Reading::default();
        let given = self.task_ref.map(|it| (it.task_id, it.action)).unzip();
        let work = reading.parse("/taskRef/taskId", given.0);
        let action = reading.parse("/taskRef/action", given.1);
        let task_ref = work.zip(action).map(|(work, action)| TaskRef { work, action });
        reading.finish(NewTurn { content: self.content, task_ref })
    }
}
