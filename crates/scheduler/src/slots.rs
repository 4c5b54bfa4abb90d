//! How many runs a node may start of each kind of holder. Pure.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::{HolderId, WorkspaceId};

use crate::handler::{HolderKind, Slots};

/// Kinds that share slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    /// The prefixes of their ids.
    pub kinds: Vec<&'static str>,
    /// Whether holders of an unknown kind belong here. They are claimed, so that their claim says what
    /// is wrong.
    pub has_unknown: bool,
    /// How many runs it has room for at once.
    pub slots: usize,
}

/// The pools of a node, without runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pools(Vec<Pool>);

impl Pools {
    /// The pools of some kinds: one for all that share the node's slots, and one for each other kind.
    pub fn new(kinds: impl Iterator<Item = HolderKind>, shared: usize) -> Self {
        let mut pools = vec![Pool { kinds: Vec::new(), has_unknown: true, slots: shared }];
        for kind in kinds {
            match kind.slots {
                Slots::Shared => pools[0].kinds.push(kind.prefix),
                Slots::Own(slots) => {
                    let kinds = vec![kind.prefix];
                    pools.push(Pool { kinds, has_unknown: false, slots });
                }
            }
        }
        Self(pools)
    }

    /// Whether all kinds share the same slots.
    pub fn is_one(&self) -> bool {
        self.0.len() == 1
    }

    /// The pools, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Pool> {
        self.0.iter()
    }

    /// The place of the pool that a holder belongs to.
    pub fn place_of(&self, holder: &HolderId) -> usize {
        self.0.iter().position(|pool| pool.kinds.contains(&holder.kind())).unwrap_or(0)
    }

    /// How many more runs each pool has room for.
    pub fn free(&self, alive: &BTreeSet<(WorkspaceId, HolderId)>) -> Vec<usize> {
        let mut free: Vec<usize> = self.0.iter().map(|pool| pool.slots).collect();
        for (_, holder) in alive {
            let place = self.place_of(holder);
            free[place] = free[place].saturating_sub(1);
        }
        free
    }

    /// How many claims were made in the pool of a place, of those counted by kind.
    pub fn n_claims(&self, place: usize, claims: &BTreeMap<String, u64>) -> u64 {
        let is_here = |kind: &str| match self.0.iter().position(|pool| pool.kinds.contains(&kind)) {
            Some(known) => known == place,
            None => place == 0,
        };
        claims.iter().filter(|(kind, _)| is_here(kind)).map(|(_, n)| n).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(prefix: &'static str, slots: Slots) -> HolderKind {
        HolderKind { prefix, noun: "holder", slots }
    }

    fn holder(kind: &str, mark: char) -> HolderId {
        format!("{kind}-{}", mark.to_string().repeat(26)).parse().expect("an id")
    }

    fn pools() -> Pools {
        let kinds =
            [kind("ag", Slots::Shared), kind("run", Slots::Own(2)), kind("chore", Slots::Shared)];
        Pools::new(kinds.into_iter(), 3)
    }

    #[test]
    fn a_kind_with_slots_of_its_own_takes_none_of_the_others() {
        let pools = pools();
        let alive = |of: &[(&str, char)]| {
            of.iter().map(|(kind, mark)| (WorkspaceId(1), holder(kind, *mark))).collect()
        };
        assert_eq!(pools.free(&alive(&[])), [3, 2]);
        assert_eq!(pools.free(&alive(&[("run", 'a'), ("run", 'b')])), [3, 0]);
        assert_eq!(pools.free(&alive(&[("ag", 'a'), ("chore", 'b'), ("later", 'c')])), [0, 2]);
        assert_eq!(pools.free(&alive(&[("run", 'a'), ("run", 'b'), ("run", 'c')])), [3, 0]);
    }

    #[test]
    fn claims_are_counted_for_each_pool() {
        let claims = [("ag", 5), ("chore", 2), ("later", 1), ("run", 9)];
        let claims = claims.into_iter().map(|(kind, n)| (kind.to_owned(), n)).collect();
        assert_eq!([0, 1].map(|place| pools().n_claims(place, &claims)), [8, 9]);
    }
}
