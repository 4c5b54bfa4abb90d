//! A promise of the store that a play does without, to see that it is missed.

/// A promise that the store of a play does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// Nobody's epoch is looked at: neither the lease's nor the fence's.
    Epoch,
    /// The journal keeps no receipts.
    Receipts,
    /// Proposals never grow old.
    Expiry,
    /// The feed position moves on before the signals are written.
    Feed,
    /// A claim says that its run hears more than has been said.
    Words,
    /// A change marks every agent, not only those that it concerns.
    Marks,
    /// The feed position goes back now and then.
    Back,
    /// A budget is read when a run is claimed, and not in the commit that reserves.
    Budget,
    /// What a provider wants back is not kept.
    Opaque,
    /// A checkpoint claims one line more than it folds.
    Fold,
    /// The recorded turns of a run are not found by the process that takes it over.
    Turns,
}
