//! Repeats an operation whose commit was refused because another writer came first.

use std::future::Future;

use crate::commit::{CommitError, Refusal};

/// How often [`retry`] runs an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// At most this many times; the first attempt counts.
    Attempts(usize),
    /// Until the result is no refusal, for an operation that must not be left half done.
    UntilSettled,
}

impl Policy {
    /// For an operation on a row that many clients may write at once. Every refusal means that one of
    /// them has committed, so as many as come together each get their turn.
    pub const CONTENDED: Self = Self::Attempts(64);
}

/// An error that may be the refusal of a commit.
pub trait MaybeRefused {
    /// The precondition that failed, if that was the cause.
    fn refusal(&self) -> Option<Refusal>;
}

impl MaybeRefused for CommitError {
    fn refusal(&self) -> Option<Refusal> {
        Self::refusal(self)
    }
}

/// Decides whether an operation is attempted again.
///
/// [`retry`] uses it. It is used directly by an operation that borrows its state mutably for each
/// attempt, which a closure cannot lend to the future it returns.
#[derive(Debug)]
pub struct Attempts<'a> {
    policy: Policy,
    refusals: &'a [Refusal],
    n_made: usize,
}

impl<'a> Attempts<'a> {
    /// Starts counting; no attempt has been made.
    pub fn new(policy: Policy, refusals: &'a [Refusal]) -> Self {
        Self { policy, refusals, n_made: 0 }
    }

    /// Counts the attempt that had this result, and returns whether another one follows.
    pub fn go_on_after<T, E: MaybeRefused>(&mut self, result: &Result<T, E>) -> bool {
        self.n_made += 1;
        let is_left = match self.policy {
            Policy::Attempts(most) => self.n_made < most,
            Policy::UntilSettled => true,
        };
        let refusal = result.as_ref().err().and_then(MaybeRefused::refusal);
        is_left && refusal.is_some_and(|refusal| self.refusals.contains(&refusal))
    }
}

/// Runs an operation again as long as it fails with one of `refusals`.
///
/// A refused commit wrote nothing, and its precondition fails only because another writer has
/// committed since the rows were read. Each attempt must therefore read, decide and commit again;
/// sending the refused commit again would be refused again. There is no pause between attempts,
/// because a refusal means that somebody else has made progress. Any other error, and the last
/// refusal, are returned as they are.
pub async fn retry<T, E, F>(
    policy: Policy,
    refusals: &[Refusal],
    mut attempt: impl FnMut() -> F,
) -> Result<T, E>
where
    E: MaybeRefused,
    F: Future<Output = Result<T, E>>,
{
    let mut attempts = Attempts::new(policy, refusals);
    loop {
        // Boxed: attempts nest, from a decision to the edit it makes, and futures within futures would
        // outgrow the stack of a thread.
        let result = Box::pin(attempt()).await;
        if !attempts.go_on_after(&result) {
            return result;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STALE: CommitError = CommitError::Refused { label: "test", refusal: Refusal::Stale };
    const MOVED: CommitError = CommitError::Refused { label: "test", refusal: Refusal::ItemMoved };

    /// Runs an operation that gives these answers in turn; returns the result and how often it ran.
    async fn check(
        policy: Policy,
        answers: &[Result<u8, CommitError>],
    ) -> (Result<u8, CommitError>, usize) {
        let mut n_made = 0;
        let result = retry(policy, &[Refusal::Stale, Refusal::ItemMoved], || {
            n_made += 1;
            std::future::ready(answers[n_made - 1].clone())
        })
        .await;
        (result, n_made)
    }

    #[tokio::test]
    async fn the_first_success_is_the_result() {
        let answers = [Err(STALE), Ok(2), Ok(3)];
        assert_eq!(check(Policy::Attempts(3), &answers).await, (Ok(2), 2));
    }

    #[tokio::test]
    async fn after_the_last_attempt_its_refusal_is_returned() {
        let answers = [Err(STALE), Err(STALE), Err(MOVED), Ok(4)];
        assert_eq!(check(Policy::Attempts(3), &answers).await, (Err(MOVED), 3));
    }

    #[tokio::test]
    async fn an_operation_that_must_settle_is_repeated_without_limit() {
        let mut answers = vec![Err(STALE); 40];
        answers.push(Ok(41));
        assert_eq!(check(Policy::UntilSettled, &answers).await, (Ok(41), 41));
    }

    #[tokio::test]
    async fn other_refusals_and_other_errors_are_not_repeated() {
        let lost = CommitError::Refused { label: "test", refusal: Refusal::LeaseLost };
        let broken = CommitError::Broken { label: "test", db: "agent", detail: "full".into() };
        for error in [lost, broken] {
            let answers = [Err(error.clone()), Ok(2)];
            assert_eq!(check(Policy::UntilSettled, &answers).await, (Err(error), 1));
        }
    }
}
