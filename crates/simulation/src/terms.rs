//! Where the model of a play runs, what it costs, and how much it reads.

use dormouse_types::port::{ModelClass, ModelLocation};
use dormouse_types::spend::{Budgets, Price};

use crate::chance::Chance;

/// Where a model runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the process: its answers come whole, and its agents fold nothing.
    BuiltIn,
    /// On a server of one's own: its answers come in pieces, and cost nothing.
    OwnServer,
    /// With a provider: the same, for money, and with a part that the provider wants back.
    Provider,
}

/// The name of the provider.
pub(crate) const PROVIDER: &str = "acme";

/// The most that one answer writes. Units: tokens.
pub(crate) const MOST_OUTPUT: u64 = 200;

/// The terms of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) place: Place,
    /// `None` if nobody knows it: then tokens are counted.
    pub(crate) price: Option<Price>,
    /// Units: tokens. So small that a log with a few long lines is folded.
    pub(crate) window: u64,
    /// What may be spent at the beginning. One wake never has more than one agent, and one agent
    /// never more than all of them: a call that fits its wake fits the budgets of a new day.
    pub(crate) budgets: Budgets,
}

impl Terms {
    /// Draws the terms of a play.
    pub(crate) fn drawn(chance: &mut Chance) -> Self {
        let place = match chance.below(5) {
            0 | 1 => Place::Provider,
            2 => Place::OwnServer,
            _ => Place::BuiltIn,
        };
        let dollars = Price {
            input: 1_000_000,
            cached_input: 100_000,
            cache_write: 1_250_000,
            output: 10_000_000,
        };
        let has_price = place == Place::Provider && !chance.one_in(4);
        let more = |chance: &mut Chance, most| i64::try_from(chance.below(most)).unwrap_or(0);
        let wake = 20_000;
        let agent_day = wake + more(chance, 10_000);
        let budgets = Budgets {
            wake,
            agent_day,
            workspace_day: agent_day + more(chance, 15_000),
            unpriced_day: 15_000 + more(chance, 15_000),
        };
        // Rules and tools take about 5,000, the task and what is kept free for later turns 1,500.
        let window = 7_100 + chance.below(700);
        Self { place, price: has_price.then_some(dollars), window, budgets }
    }

    pub(crate) fn class(&self) -> ModelClass {
        match self.place {
            Place::BuiltIn | Place::OwnServer => ModelClass::Free,
            Place::Provider => ModelClass::Paid,
        }
    }

    pub(crate) fn location(&self) -> ModelLocation {
        match self.place {
            Place::BuiltIn => ModelLocation::BuiltIn,
            Place::OwnServer => ModelLocation::OwnServer,
            Place::Provider => ModelLocation::Elsewhere,
        }
    }
}
