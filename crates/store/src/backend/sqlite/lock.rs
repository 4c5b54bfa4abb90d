//! Locking what a panicking thread may have held.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while holding the lock leaves a connection that SQLite rolls back itself.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
