//! A program with any model, on a store in memory.

use std::ops::Deref;
use std::sync::Arc;

use dormouse::{Caller, Dormouse, DrainScope, NewEntry, NewTask, WORKSPACE};
use dormouse_scenes::world::{START, services};
use dormouse_types::port::Model;
use dormouse_types::{AgentId, TaskId};
use dormouse_world::{Builder, Rooms};

use super::outside::Outside;

pub struct Program {
    rooms: Rooms,
    pub dormouse: Dormouse,
    pub me: Caller,
}

impl Deref for Program {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

impl Program {
    pub fn with(model: Arc<dyn Model>) -> Self {
        Self::of(Rooms::at(START).model(model))
    }

    /// Adds the services to rooms.
    pub fn of(builder: Builder) -> Self {
        let rooms = builder.build();
        Self { dormouse: services(&rooms, "test"), rooms, me: Caller::owner(WORKSPACE) }
    }

    /// The same, with every way out of it counted.
    pub async fn with_outside(self, outside: &Outside) -> Self {
        let dormouse = self.dormouse.with_model_host(Arc::new(outside.clone()), None);
        dormouse.load_models().await.expect("loaded");
        Self { dormouse, ..self }
    }

    /// Makes a task with items and one note, and its agent, which does not run yet.
    pub async fn task(&self, title: &str, items: &[&str], note: &str) -> (TaskId, AgentId) {
        let new = NewTask {
            title: title.to_owned(),
            note: Some(note.to_owned()),
            items: items.iter().map(|&item| item.to_owned()).collect(),
            ..NewTask::default()
        };
        let made = self.dormouse.create_task(&self.me, new, None).await.expect("a task");
        (made.id.clone(), self.agent(&made.id).await)
    }

    pub async fn agent(&self, task: &TaskId) -> AgentId {
        let name = Some("Ida".to_owned());
        self.dormouse.create_agent(&self.me, task, name, None).await.expect("an agent").id
    }

    pub async fn private_note(&self, task: &TaskId, text: &str) {
        let new = NewEntry { text: text.to_owned(), private: true, ..NewEntry::default() };
        self.dormouse.add_entry(&self.me, task, new, None).await.expect("a note");
    }

    pub async fn note(&self, task: &TaskId, text: &str) {
        let new = NewEntry { text: text.to_owned(), ..NewEntry::default() };
        self.dormouse.add_entry(&self.me, task, new, None).await.expect("a note");
    }

    /// Lets a minute pass and runs whatever is due; returns how each run ended.
    pub async fn run(&self) -> Vec<String> {
        self.later(60);
        let scope = DrainScope { all_due: true, ..DrainScope::default() };
        let mut ended = Vec::new();
        let mut on_run = |run: dormouse::view::RunOutcome| ended.push(run.status.to_string());
        self.dormouse.drain(scope, &mut on_run).await.expect("a drain");
        ended
    }
}
