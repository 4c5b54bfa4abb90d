//! What a disk keeps when the power goes: everything synced, and of the rest what chance left.

use std::collections::{BTreeMap, BTreeSet};

use crate::chance::Chance;
use crate::tape::{Event, Image, Inode, Tape};

/// A disk writes this many bytes whole or not at all.
const SECTOR: usize = 512;

/// What a sync is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syncs {
    /// What it says: the product as it is.
    Honest,
    /// Nothing, as if the product had requested none (`synchronous = OFF`).
    Never,
    /// Only those before the log is folded into the file (`synchronous = NORMAL`).
    AtCheckpoint,
}

/// A disk that follows a tape.
pub struct Disk<'a> {
    syncs: Syncs,
    files: BTreeMap<Inode, File<'a>>,
    durable_names: BTreeMap<String, Inode>,
    renamed: Vec<(usize, &'a Event)>,
    logs: BTreeSet<Inode>,
    at: usize,
}

#[derive(Default)]
struct File<'a> {
    durable: Vec<u8>,
    /// What is not synced, with its place on the tape.
    pending: Vec<(usize, &'a Event)>,
    /// How much of it a requested sync has still to write.
    promised: usize,
}

/// What a cut left.
pub struct Cut {
    /// The files.
    pub image: Image,
    /// How many writes did not survive whole.
    pub dropped: usize,
    /// Whether a database file itself had writes that were not synced: a checkpoint was cut.
    pub in_checkpoint: bool,
}

/// Which unsynced writes survive a cut.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// All: only the process died.
    All,
    /// None.
    Nothing,
    /// Those before a place on the tape; the one at the place is torn.
    Until(usize),
    /// Each write by itself, a few of them torn.
    Writes,
    /// Each sector by itself.
    Sectors,
}

impl<'a> Disk<'a> {
    /// The disk before the tape began.
    pub fn new(tape: &Tape, syncs: Syncs) -> Self {
        let mut disk = Self {
            syncs,
            files: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            renamed: Vec::new(),
            logs: BTreeSet::new(),
            at: 0,
        };
        for (inode, (name, bytes)) in (0..).zip(tape.before()) {
            let file = File { durable: bytes.clone(), ..File::default() };
            disk.files.insert(inode, file);
            disk.durable_names.insert(name.clone(), inode);
            if name.ends_with("-wal") {
                disk.logs.insert(inode);
            }
        }
        disk
    }

    /// Follows one event.
    pub fn follow(&mut self, event: &'a Event, chance: &mut Chance) {
        let at = self.at;
        self.at += 1;
        match event {
            Event::Create { name, inode } => {
                self.files.insert(*inode, File::default());
                self.renamed.push((at, event));
                if name.ends_with("-wal") {
                    self.logs.insert(*inode);
                }
            }
            Event::Delete { .. } => self.renamed.push((at, event)),
            Event::Write { inode, .. } | Event::Truncate { inode, .. } => {
                if self.syncs == Syncs::AtCheckpoint && !self.logs.contains(inode) {
                    self.keep_promises();
                }
                if let Some(file) = self.files.get_mut(inode) {
                    file.pending.push((at, event));
                }
            }
            Event::Sync { inode } => self.sync(*inode),
            Event::FailedSync { inode } => {
                // What the system tried to write is settled by chance and marked as written.
                if let Some(file) = self.files.get_mut(inode) {
                    let fate = Fate::draw(chance, &file.pending);
                    let (bytes, _) = file.after(fate, chance);
                    *file = File { durable: bytes, ..File::default() };
                }
            }
            Event::SyncFolder => {
                if self.syncs != Syncs::Never {
                    for (_, event) in self.renamed.drain(..) {
                        rename(&mut self.durable_names, event);
                    }
                }
            }
        }
    }

    fn sync(&mut self, inode: Inode) {
        let Some(file) = self.files.get_mut(&inode) else { return };
        match self.syncs {
            Syncs::Never => {}
            Syncs::AtCheckpoint if self.logs.contains(&inode) => file.promised = file.pending.len(),
            Syncs::Honest | Syncs::AtCheckpoint => file.settle(file.pending.len()),
        }
    }

    /// A checkpoint syncs the log before it writes to the file.
    fn keep_promises(&mut self) {
        for file in self.files.values_mut() {
            file.settle(file.promised);
        }
    }

    /// The power goes now.
    pub fn cut(&self, chance: &mut Chance) -> Cut {
        let mut pending: Vec<_> = self
            .files
            .values()
            .flat_map(|file| &file.pending)
            .chain(&self.renamed)
            .copied()
            .collect();
        pending.sort_by_key(|(at, _)| *at);
        let fate = Fate::draw(chance, &pending);
        let names = self.names_after(fate, chance);
        let mut cut = Cut { image: Image::new(), dropped: 0, in_checkpoint: false };
        for (name, inode) in names {
            let Some(file) = self.files.get(&inode) else { continue };
            let (bytes, dropped) = file.after(fate, chance);
            cut.dropped += dropped;
            cut.in_checkpoint |= name.ends_with(".sqlite") && !file.pending.is_empty();
            cut.image.insert(name, bytes);
        }
        cut
    }

    fn names_after(&self, fate: Fate, chance: &mut Chance) -> BTreeMap<String, Inode> {
        let mut names = self.durable_names.clone();
        let mut lost = BTreeSet::new();
        for (at, event) in &self.renamed {
            let (Event::Create { name, .. } | Event::Delete { name }) = event else { continue };
            let kept = match fate {
                Fate::All => true,
                Fate::Nothing => false,
                Fate::Until(end) => *at < end,
                Fate::Writes | Fate::Sectors => !chance.one_in(2),
            };
            // What happens to one name happens in order.
            if kept && !lost.contains(name) {
                rename(&mut names, event);
            } else {
                lost.insert(name);
            }
        }
        names
    }
}

fn rename(names: &mut BTreeMap<String, Inode>, event: &Event) {
    match event {
        Event::Create { name, inode } => {
            names.insert(name.clone(), *inode);
        }
        Event::Delete { name } => {
            names.remove(name);
        }
        Event::Write { .. }
        | Event::Truncate { .. }
        | Event::Sync { .. }
        | Event::FailedSync { .. }
        | Event::SyncFolder => {}
    }
}

impl Fate {
    fn draw(chance: &mut Chance, pending: &[(usize, &Event)]) -> Self {
        match chance.below(10) {
            0 => Self::All,
            1 | 2 => Self::Nothing,
            3 | 4 => pending
                .get(chance.below(pending.len()))
                .map_or(Self::Nothing, |(at, _)| Self::Until(*at)),
            5..8 => Self::Writes,
            _ => Self::Sectors,
        }
    }

    /// How many sectors of the write at a place survive, when it is decided for the whole write.
    fn sectors(self, at: usize, n: usize, chance: &mut Chance) -> Option<usize> {
        match self {
            Self::All => Some(n),
            Self::Nothing => Some(0),
            Self::Until(end) if at < end => Some(n),
            Self::Until(end) if at == end => Some(chance.below(n)),
            Self::Until(_) => Some(0),
            Self::Writes => Some(match chance.below(9) {
                0..4 => n,
                4..8 => 0,
                _ => chance.below(n),
            }),
            Self::Sectors => None,
        }
    }
}

impl File<'_> {
    /// Makes the first `n` unsynced changes durable.
    fn settle(&mut self, n: usize) {
        for (_, event) in self.pending.drain(..n) {
            match event {
                Event::Write { at, bytes, .. } => put(&mut self.durable, *at, bytes),
                Event::Truncate { len, .. } => self.durable.resize(*len, 0),
                Event::Create { .. }
                | Event::Delete { .. }
                | Event::Sync { .. }
                | Event::FailedSync { .. }
                | Event::SyncFolder => {}
            }
        }
        self.promised -= n.min(self.promised);
    }

    /// The content after a cut, and how many changes did not survive whole.
    fn after(&self, fate: Fate, chance: &mut Chance) -> (Vec<u8>, usize) {
        let mut bytes = self.durable.clone();
        let mut dropped = 0;
        let mut longest = 0;
        // Sectors that lost a write: a later one that covers them in part found them in memory as
        // they never were on the disk, so it is lost with them.
        let mut stale = BTreeSet::new();
        for (place, event) in &self.pending {
            match event {
                Event::Write { at, bytes: data, .. } => {
                    let (first, end) = (at / SECTOR, at + data.len());
                    let n = end.div_ceil(SECTOR) - first;
                    let kept = fate.sectors(*place, n, chance);
                    let mut whole = true;
                    for (index, sector) in (first..first + n).enumerate() {
                        let from = (sector * SECTOR).max(*at);
                        let upto = ((sector + 1) * SECTOR).min(end);
                        let covered = upto - from == SECTOR;
                        let survives = match kept {
                            Some(kept) => index < kept,
                            None => chance.one_in(2),
                        };
                        if survives && (covered || !stale.contains(&sector)) {
                            put(&mut bytes, from, &data[from - at..upto - at]);
                            stale.remove(&sector);
                        } else {
                            stale.insert(sector);
                            whole = false;
                        }
                    }
                    longest = longest.max(end);
                    dropped += usize::from(!whole);
                }
                Event::Truncate { len, .. } => {
                    let kept = fate.sectors(*place, 1, chance).unwrap_or_else(|| chance.below(2));
                    if kept == 1 {
                        bytes.resize(*len, 0);
                        longest = longest.min(*len);
                    } else {
                        dropped += 1;
                    }
                }
                Event::Create { .. }
                | Event::Delete { .. }
                | Event::Sync { .. }
                | Event::FailedSync { .. }
                | Event::SyncFolder => {}
            }
        }
        // The length may have survived where the bytes did not; what is there then is arbitrary.
        if longest > bytes.len() && chance.one_in(2) {
            let filler = if chance.one_in(2) { 0 } else { 0x5a };
            bytes.resize(longest, filler);
        }
        (bytes, dropped)
    }
}

/// Writes bytes at a place; a gap before it reads as zeros.
fn put(bytes: &mut Vec<u8>, at: usize, data: &[u8]) {
    let end = at + data.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[at..end].copy_from_slice(data);
}
