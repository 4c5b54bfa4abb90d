//! What is registered from above: a handler for each kind of holder, and chores.

use std::collections::BTreeSet;
use std::future::ready;
use std::time::Duration;

use dormouse_store::agent::timer::Timer;
use dormouse_store::agent::wake_queue::{QueueEntry, Reason, Signal};
use dormouse_store::agent::wake_run::Run;
use dormouse_store::{ChangeRow, Op};
use dormouse_types::agent::PutOff;
use dormouse_types::port::BoxFuture;
use dormouse_types::{HolderId, Seq, Timestamp, WorkspaceId};
use futures_util::future::Shared;

use crate::end::End;
use crate::error::HandlerError;
use crate::lease::Lease;

/// Completes when the program is to stop; runs under way are then left to be resumed.
pub type Stop = Shared<BoxFuture<'static, ()>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HolderKind {
    /// The prefix of the ids of its holders. No two kinds begin with the same three letters, see
    /// [`dormouse_store::agent::wake_queue::claimable_of`].
    pub prefix: &'static str,
    /// What lines for a person call one of them.
    pub noun: &'static str,
    /// Where on a node its runs find a place.
    pub slots: Slots,
}

/// Where on a node the runs of a kind find a place.
///
/// Runs that take minutes must not keep short ones waiting, nor the other way round: a kind of its
/// own pace has slots of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slots {
    /// Among those of the node's [`crate::Options`], with all other kinds that say so.
    Shared,
    /// So many of its own, however busy the others are.
    Own(usize),
}

/// How many runs of a kind may start in a workspace now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// As many as the node has slots for.
    Free,
    /// One, to find out whether more may follow.
    One,
    /// None before that time.
    Closed {
        /// When to ask again.
        until: Timestamp,
    },
}

/// A due row that a node is about to claim.
#[derive(Debug, Clone, Copy)]
pub struct Due<'a> {
    /// Workspace of the row.
    pub ws: WorkspaceId,
    /// The row as it was read.
    pub entry: &'a QueueEntry,
    /// The interrupted run that waits to be resumed, if there is one.
    pub waiting: Option<&'a Run>,
}

/// What a handler decides about a due row.
#[derive(Debug)]
pub enum Admission {
    /// A fresh run starts.
    Start {
        /// Row of the run, with its key and everything that the claim freezes.
        run: Box<Run>,
        /// What else the claim writes.
        ops: Vec<Op>,
        /// What is written instead if the run's key has already run: the same wake was delivered
        /// twice, and its signals are cleared.
        if_repeated: Vec<Op>,
    },
    /// The waiting run continues.
    Resume {
        /// What else the claim writes.
        ops: Vec<Op>,
    },
    /// This process cannot run it, and another one may: nothing is written, and a later sweep decides again.
    Leave,
    /// It may not run until something unblocks it, which makes it due again.
    Park {
        /// Guards the commit by what the decision was based on.
        guard: Vec<Op>,
    },
    /// It may not run before a time, which becomes the row's due time.
    Postpone {
        /// When to ask again.
        until: Timestamp,
        why: PutOff,
        /// Guards the commit by what the decision was based on: what ends the wait in the meantime
        /// must not be overlooked.
        guard: Vec<Op>,
    },
    /// It never runs: the waiting run ends, or the signals are cleared if there is none.
    End {
        /// Why.
        reason: String,
        /// What else is written with the end.
        ops: Vec<Op>,
        /// What clients learn besides.
        news: Vec<ChangeRow>,
    },
}

/// Decides about the holders of one kind, and runs them.
pub trait Handler: Send + Sync {
    /// The kind of holder.
    fn kind(&self) -> HolderKind;

    /// Returns how many runs may start in a workspace now.
    fn capacity(&self, ws: WorkspaceId) -> BoxFuture<'_, Result<Capacity, HandlerError>>;

    /// Decides whether a due row may run, and what its claim freezes.
    ///
    /// The scheduler adds lease and epoch and commits everything together, guarded by the row as it
    /// was read; a signal that arrives meanwhile is therefore never cleared unseen.
    fn admit<'a>(&'a self, due: Due<'a>) -> BoxFuture<'a, Result<Admission, HandlerError>>;

    /// Drives a claimed run to its end.
    ///
    /// The scheduler renews the lease meanwhile and drops the future if the lease is lost: whatever
    /// the run was doing could not be committed anyway.
    fn run<'a>(
        &'a self,
        lease: &'a Lease,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<End, HandlerError>>;

    /// Returns what else is written when a run is given up because it crashed too often.
    fn give_up<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>>;

    /// Returns the signal that a timer gives when it fires: unless a kind has a rule of its own, the
    /// holder becomes due at the time of the timer.
    fn timer_signal<'a>(
        &'a self,
        _ws: WorkspaceId,
        timer: &'a Timer,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Signal, HandlerError>> {
        Box::pin(ready(Ok(Signal {
            holder: timer.holder.clone(),
            reason: Reason::Timer,
            at: now,
            due_at: Some(timer.at),
            upto: Seq(0),
            request_id: None,
        })))
    }

    /// Returns whether a command that runs what is pending may run a row now: it is due, or nothing
    /// but the merging of signals holds it back. Unless a kind merges signals, only what is due is ready.
    fn is_ready<'a>(
        &'a self,
        _ws: WorkspaceId,
        entry: &'a QueueEntry,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool, HandlerError>> {
        Box::pin(ready(Ok(is_due(entry, now))))
    }

    /// Returns the change row that announces that a holder's queue row or run changed.
    fn announce(&self, holder: &HolderId, subject: &str) -> Option<ChangeRow>;
}

/// How far a due time may lie ahead and still count as come: one that was just set may be a moment
/// ahead by another process's clock.
const CLOCK_DIFFERENCE: Duration = Duration::from_millis(100);

/// Returns whether nobody runs a row and its time has come.
fn is_due(entry: &QueueEntry, now: Timestamp) -> bool {
    entry.owner.is_none() && entry.due_at.is_some_and(|due| due <= now + CLOCK_DIFFERENCE)
}

/// When a chore runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In every poll, before anything is claimed: runs depend on it.
    EachPoll,
    /// From time to time.
    Sweep,
}

/// What a chore did.
#[derive(Debug, Default)]
pub struct Done {
    /// One line for each thing it completed, or could not complete.
    pub lines: Vec<Result<String, String>>,
    /// Workspaces in which it failed. No run starts there in this poll.
    pub blocked: BTreeSet<WorkspaceId>,
}

/// Background work of a node. An error of one chore is a line, and stops no other.
pub trait Chore: Send + Sync {
    /// What its lines call it.
    fn name(&self) -> &'static str;

    /// When it runs.
    fn when(&self) -> When;

    /// Does what there is to do, in one workspace or in all of them. `now` is the time of the
    /// database, which all nodes share; what is due is compared with it.
    fn work(
        &self,
        of: Option<WorkspaceId>,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>>;

    /// Returns when it next has something to do; `None` if nothing is planned.
    ///
    /// Called in every poll, so it costs one statement at most. The node works at that time whatever
    /// [`Chore::when`] says, and a command that runs what is pending works if the time has come, unless its
    /// scheduler leaves plans to nodes.
    fn next_due(
        &self,
        _of: Option<WorkspaceId>,
    ) -> BoxFuture<'_, Result<Option<Timestamp>, HandlerError>> {
        Box::pin(ready(Ok(None)))
    }
}
