//! Conversations: the closed lists of their records, and the ids that follow from what they are for.

use crate::closed_list;
use crate::{ConversationId, Id as _, WorkId};

closed_list! {
    /// What a conversation is for.
    pub enum ConversationKind, "kind of conversation" {
        /// A person or another program began it.
        Begun = "begun",
        /// What agent work with a schedule reports. A workspace has at most one.
        ScheduledEvents = "scheduledEvents",
        /// About one piece of agent work, which has at most one of these.
        Task = "task",
    }
}

closed_list! {
    /// Who said something.
    pub enum TurnRole, "role" {
        /// The person.
        User = "user",
        /// A model, or what replaces one.
        Assistant = "assistant",
    }
}

closed_list! {
    /// What a turn of a conversation did with a piece of agent work.
    pub enum TaskAction, "action" {
        /// It was made.
        Created = "created",
        /// It was changed, or got an instruction how to go on.
        Updated = "updated",
        /// It was talked about.
        Discussed = "discussed",
        /// It came to a result.
        Completed = "completed",
    }
}

/// The title of the conversation of [`ConversationKind::ScheduledEvents`].
pub const SCHEDULED_EVENTS: &str = "Scheduled Events";

impl ConversationId {
    /// The conversation of what scheduled work reports: the same id in every workspace, so that two nodes
    /// that begin it at once begin one.
    pub fn of_scheduled_events() -> Self {
        Self::at(&"0".repeat(26))
    }

    /// The conversation that is bound to a piece of agent work: made of the id of the work, so that there is
    /// one.
    pub fn of_work(work: &WorkId) -> Self {
        Self::at(&work.as_str()[WorkId::PREFIX.len() + 1..])
    }

    fn at(rest: &str) -> Self {
        let text = format!("{}-{rest}", Self::PREFIX);
        text.parse().expect("the rest of an id is 26 letters and digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_that_is_for_something_has_an_id_that_follows_from_it() {
        let work: WorkId = "task-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        assert_eq!(ConversationId::of_work(&work).as_str(), "conv-01jd7m3k5vn2c8q4w6x0z9abcd");
        let scheduled = ConversationId::of_scheduled_events();
        assert_eq!(scheduled, ConversationId::of_scheduled_events());
        assert_ne!(scheduled, ConversationId::of_work(&work));
    }
}
