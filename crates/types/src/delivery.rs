//! Deliveries: notices to the person about agent work, and where.

use crate::closed_list;
use crate::{DeliveryId, Id as _, WorkRunId, hash};

closed_list! {
    /// Where a notice is shown.
    pub enum DeliveryTarget, "target" {
        /// In the app.
        App = "app",
    }
}

closed_list! {
    /// What it is about.
    pub enum DeliveryKind, "kind" {
        /// A run has a question.
        Question = "question",
        /// A run ended without an outcome, and waits to be looked at.
        Review = "review",
        /// A run ended without a result.
        Failed = "failed",
        /// An occurrence was due while nothing ran, and was left out; with others before it if they were
        /// missed together.
        Missed = "missed",
        /// A run that waited to start was left out, because the data was restored.
        Held = "held",
        /// A run came to a result.
        Result = "result",
    }
}

closed_list! {
    /// How far a delivery has come. It never goes back.
    pub enum DeliveryState, "state" {
        /// Nothing has shown it yet.
        Pending = "pending",
        /// Its target showed it, and shows it no second time.
        Delivered = "delivered",
        /// The person saw it, or has dealt with what it was about.
        Read = "read",
    }
}

closed_list! {
    /// What a target says about a delivery.
    pub enum DeliveryMark, "mark" {
        /// It was shown.
        Delivered = "delivered",
        /// The person saw it.
        Read = "read",
    }
}

impl DeliveryId {
    /// The delivery of one kind about an attempt of a run to a target: made of stored facts only, so that
    /// repeating it creates no second delivery.
    pub fn about(
        run: &WorkRunId,
        attempt: i64,
        kind: DeliveryKind,
        target: DeliveryTarget,
    ) -> Self {
        let digest =
            hash::joined(&[run.as_str(), &attempt.to_string(), kind.name(), target.name()]);
        let text = format!("{}-{}", Self::PREFIX, &digest.as_str()[..26]);
        text.parse().expect("digits of a hash are digits and letters")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_facts_are_the_same_delivery_and_others_are_another() {
        let run: WorkRunId = "run-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        let about = |attempt, kind| DeliveryId::about(&run, attempt, kind, DeliveryTarget::App);
        let first = about(0, DeliveryKind::Question);
        assert_eq!(first, about(0, DeliveryKind::Question));
        assert_ne!(first, about(1, DeliveryKind::Question));
        assert_ne!(first, about(0, DeliveryKind::Failed));
        assert_eq!(first.as_str().len(), "dl-".len() + 26);
    }
}
