//! What happened to the files of one folder, in order; and the faults that are to happen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::ffi;

/// One file from its creation to its end; a new file of the same name is another one.
pub type Inode = u32;

/// The files of a folder by name.
pub type Image = BTreeMap<String, Vec<u8>>;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A name was given to a new, empty file.
    Create {
        name: String,
        /// The file.
        inode: Inode,
    },
    /// Bytes were written.
    Write {
        /// The file.
        inode: Inode,
        /// From where on.
        at: usize,
        /// What.
        bytes: Box<[u8]>,
    },
    /// A file was cut off, or made longer with zeros.
    Truncate {
        /// The file.
        inode: Inode,
        /// Its new length.
        len: usize,
    },
    /// A file was synced: what was written to it is durable.
    Sync {
        /// The file.
        inode: Inode,
    },
    /// The sync of a file failed. What was written may be lost, and will not be tried again.
    FailedSync {
        /// The file.
        inode: Inode,
    },
    /// The folder was synced: what was created and deleted is durable.
    SyncFolder,
    /// A name was removed.
    Delete { name: String },
}

/// What is to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// From the `n`th write on the disk is full, until [`Tape::heal`].
    Full {
        /// From 1.
        n: usize,
    },
    /// The `n`th sync fails; those after it do not.
    Sync {
        /// From 1.
        n: usize,
    },
}

/// The record of a folder.
#[derive(Debug)]
pub struct Tape {
    state: Mutex<State>,
    /// The files before anything happened; their inodes are counted from 0 in this order.
    before: Image,
}

#[derive(Debug, Default)]
struct State {
    events: Vec<Event>,
    names: BTreeMap<String, Inode>,
    next: Inode,
    /// New logs: with their first sync, SQLite syncs the folder too.
    unnamed: BTreeSet<Inode>,
    fault: Option<Fault>,
    seen: usize,
    fired: usize,
}

impl Tape {
    /// A tape of a folder that holds these files, all of them durable.
    pub fn over(before: Image) -> Self {
        let mut state = State::default();
        for name in before.keys() {
            state.names.insert(name.clone(), state.next);
            state.next += 1;
        }
        Self { state: Mutex::new(state), before }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while it was held has failed the test already.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files before anything happened.
    pub fn before(&self) -> &Image {
        &self.before
    }

    /// How much has happened until now.
    pub fn len(&self) -> usize {
        self.state().events.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everything that has happened until now.
    pub fn events(&self) -> Vec<Event> {
        self.state().events.clone()
    }

    /// Lets something go wrong from now on, and counts again.
    pub fn arm(&self, fault: Fault) {
        let mut state = self.state();
        (state.fault, state.seen, state.fired) = (Some(fault), 0, 0);
    }

    /// Lets nothing go wrong any more, and says how often something did.
    pub fn heal(&self) -> usize {
        let mut state = self.state();
        state.fault = None;
        state.fired
    }

    /// Whether a name is given to a file.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.state().names.contains_key(name)
    }

    pub(crate) fn open(&self, name: &str, existed: bool, log: bool) -> Inode {
        let mut state = self.state();
        if existed && let Some(inode) = state.names.get(name) {
            return *inode;
        }
        let inode = state.next;
        state.next += 1;
        state.names.insert(name.to_owned(), inode);
        if log {
            state.unnamed.insert(inode);
        }
        state.events.push(Event::Create { name: name.to_owned(), inode });
        inode
    }

    /// The code with which the next write fails.
    pub(crate) fn before_write(&self) -> Option<i32> {
        let mut state = self.state();
        let Some(Fault::Full { n }) = state.fault else { return None };
        state.seen += 1;
        if state.seen < n {
            return None;
        }
        state.fired += 1;
        Some(ffi::SQLITE_FULL)
    }

    pub(crate) fn wrote(&self, inode: Inode, at: usize, bytes: &[u8]) {
        self.state().events.push(Event::Write { inode, at, bytes: bytes.into() });
    }

    pub(crate) fn truncated(&self, inode: Inode, len: usize) {
        self.state().events.push(Event::Truncate { inode, len });
    }

    /// The code with which a sync fails.
    pub(crate) fn synced(&self, inode: Inode) -> Result<(), i32> {
        let mut state = self.state();
        if let Some(Fault::Sync { n }) = state.fault {
            state.seen += 1;
            if state.seen == n {
                state.fired += 1;
                state.events.push(Event::FailedSync { inode });
                return Err(ffi::SQLITE_IOERR_FSYNC);
            }
        }
        state.events.push(Event::Sync { inode });
        if state.unnamed.remove(&inode) {
            state.events.push(Event::SyncFolder);
        }
        Ok(())
    }

    pub(crate) fn deleted(&self, name: &str, sync_folder: bool) {
        let mut state = self.state();
        state.names.remove(name);
        state.events.push(Event::Delete { name: name.to_owned() });
        if sync_folder {
            state.events.push(Event::SyncFolder);
        }
    }
}
