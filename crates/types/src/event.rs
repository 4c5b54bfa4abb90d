//! Kinds of events: what clients learn has happened.

use crate::closed_list;

closed_list! {
    /// The kind of an event: a change row as clients see it.
    ///
    /// An event says that something happened, not what it is like now. The rows of the journal are
    /// all of one kind and store no name.
    pub enum EventKind, "kind of event" {
        /// The user's data changed.
        JournalChanged = "journal:changed",
        /// An agent was created.
        AgentCreated = "agent:created",
        /// An agent was configured, paused, resumed or destroyed.
        AgentChanged = "agent:changed",
        /// A wake was queued, began or ended.
        AgentWake = "agent:wake",
        /// An agent wrote a report.
        AgentReport = "agent:report",
        /// The user sent an agent a message, or an agent wrote one.
        AgentMessage = "agent:message",
        /// An agent created a set of proposals.
        ChangeSetCreated = "change-set:created",
        /// A proposal was added, decided, undone, withdrawn or expired.
        ChangeSetItem = "change-set:item",
        /// A model provider became unavailable.
        ProviderAway = "provider:away",
        /// A model provider is available again.
        ProviderBack = "provider:back",
        /// A budget of the day leaves no room for a call.
        BudgetReached = "budget:reached",
        /// The settings of models, a budget, or what may be spent today changed.
        ModelsChanged = "models:changed",
        /// A definition of agent work was created.
        WorkCreated = "task:created",
        /// A definition of agent work was changed, or one of its runs moved.
        WorkStatus = "task:status",
        /// A turn was added to the log of a run of agent work.
        WorkLog = "task:log",
        /// A run of agent work began to wait for the person.
        WorkNeedsAttention = "task:needs-attention",
        /// The person took note of something that needs them, or took that back.
        AttentionAcknowledged = "attention:acknowledged",
        /// A conversation began, got a turn, or was deleted.
        ConversationChanged = "conversation:changed",
        /// There is something to tell the person, or it was shown or read.
        DeliveryChanged = "delivery:changed",
        /// A template was made, or changed in any way: its versions, its name, or what it is the default of.
        TemplateChanged = "template:changed",
        /// A session about a template began, moved or ended: something was said, proposed or decided.
        EvolutionChanged = "evolution:changed",
        /// A rule about what agents propose was made or removed.
        RuleChanged = "rule:changed",
        /// A setting that holds for the whole workspace was changed, such as its time zone.
        SettingsChanged = "settings:changed",
    }
}

impl EventKind {
    /// Whether the list of what needs the user may have changed.
    pub fn moves_attention(self) -> bool {
        match self {
            Self::AgentChanged
            | Self::AgentWake
            | Self::ChangeSetCreated
            | Self::ChangeSetItem
            | Self::ProviderAway
            | Self::ProviderBack
            | Self::BudgetReached
            | Self::ModelsChanged
            | Self::WorkStatus
            | Self::WorkNeedsAttention
            | Self::AttentionAcknowledged => true,
            // Work that was just made waits for nobody; a turn and a conversation only tell.
            Self::WorkCreated
            | Self::WorkLog
            | Self::ConversationChanged
            | Self::DeliveryChanged
            | Self::TemplateChanged
            | Self::EvolutionChanged
            | Self::RuleChanged
            | Self::SettingsChanged => false,
            Self::JournalChanged | Self::AgentCreated | Self::AgentReport | Self::AgentMessage => {
                false
            }
        }
    }
}
