//! Hooks: addresses that programs outside call to start a run of agent work.

use crate::closed_list;

closed_list! {
    /// How the calls of a hook are signed.
    #[derive(Default)]
    pub enum HookForm, "form of a hook" {
        /// As Standard Webhooks says: id, time and body are signed.
        #[default]
        Standard = "standard",
        /// As Git hosts do: the body alone is signed.
        GitHost = "gitHost",
    }
}

closed_list! {
    /// Why a call of a hook started nothing.
    pub enum HookRefusal, "refusal of a hook" {
        /// No hook has this address.
        Unknown = "unknown",
        /// It lacks a header that it must have, or its body is not text.
        Malformed = "malformed",
        /// No secret of the hook made its signature.
        Forged = "forged",
        /// It is signed for another time.
        Late = "late",
        /// It has the id of an earlier call, and another body.
        Altered = "altered",
        /// The agent work may not start runs.
        Inactive = "inactive",
        /// The hook has started as many runs within the hour as it may.
        TooMany = "tooMany",
        /// The secrets of the hook cannot be opened: their key is missing, or another one.
        Unreadable = "unreadable",
    }
}
