//! Token counts as providers report them, checked before they count.

use dormouse_types::model::Usage;
use serde_json::Value;

/// Units: tokens. More than any model takes or writes in one call.
const MOST_TOKENS: u64 = 100_000_000;

/// Counts of one report. Each is missing, or a number that may be nonsense.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) input: Count,
    pub(crate) cached_input: Count,
    pub(crate) cache_write: Count,
    pub(crate) output: Count,
    pub(crate) reasoning: Count,
    /// What the call cost, by the provider's own figure. Units: micro-dollars.
    pub(crate) cost: Count,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Count {
    /// Not reported.
    #[default]
    Missing,
    /// A number of tokens.
    Tokens(u64),
    /// Negative, not whole, or too large.
    Absurd,
}

impl Count {
    /// Reads the member that `path` leads to.
    pub(crate) fn at(value: &Value, path: &str) -> Self {
        match value.pointer(path) {
            None | Some(Value::Null) => Self::Missing,
            Some(number) => {
                let whole = number.as_u64().or_else(|| {
                    // 12.0 is twelve: some servers count in floating point.
                    let number = number.as_f64()?;
                    let is_whole = number.fract() == 0.0 && (0.0..1e15).contains(&number);
                    is_whole.then(|| format!("{number:.0}").parse().ok()).flatten()
                });
                match whole {
                    Some(tokens) if tokens <= MOST_TOKENS => Self::Tokens(tokens),
                    Some(_) | None => Self::Absurd,
                }
            }
        }
    }

    /// Reads an amount of dollars at a path, as micro-dollars, rounded up.
    pub(crate) fn dollars_at(value: &Value, path: &str) -> Self {
        match value.pointer(path) {
            None | Some(Value::Null) => Self::Missing,
            Some(number) => {
                // Thousandths of a micro-dollar are what a decimal fraction of binary digits is off by.
                let nanos = number.as_f64().map(|dollars| (dollars * 1e9).round());
                let nanos = nanos.filter(|nanos| (0.0..1e15).contains(nanos));
                let micros = nanos.and_then(|it| format!("{:.0}", (it / 1e3).ceil()).parse().ok());
                micros.map_or(Self::Absurd, Self::Tokens)
            }
        }
    }

    /// This one, or `other` where this one is missing.
    pub(crate) fn or(self, other: Self) -> Self {
        match self {
            Self::Missing => other,
            Self::Tokens(_) | Self::Absurd => self,
        }
    }

    /// Both together; a missing one is 0, if the other is there.
    pub(crate) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Absurd, _) | (_, Self::Absurd) => Self::Absurd,
            (Self::Missing, other) => other,
            (this, Self::Missing) => this,
            (Self::Tokens(a), Self::Tokens(b)) => Self::Tokens(a.saturating_add(b)),
        }
    }

    /// This one without `other`.
    pub(crate) fn minus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Tokens(a), Self::Tokens(b)) => {
                a.checked_sub(b).map_or(Self::Absurd, Self::Tokens)
            }
            (Self::Missing, _) => Self::Missing,
            (this, Self::Missing) => this,
            (Self::Absurd, _) | (_, Self::Absurd) => Self::Absurd,
        }
    }

    fn or_zero(self) -> Option<u64> {
        match self {
            Self::Missing => Some(0),
            Self::Tokens(tokens) => Some(tokens),
            Self::Absurd => None,
        }
    }

    fn known(self) -> Option<u64> {
        match self {
            Self::Tokens(tokens) => Some(tokens),
            Self::Missing | Self::Absurd => None,
        }
    }
}

impl Counts {
    /// Takes over what a later report says; the last counts.
    pub(crate) fn merge(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.cached_input = later.cached_input.or(self.cached_input);
        self.cache_write = later.cache_write.or(self.cache_write);
        self.output = later.output.or(self.output);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.cost = later.cost.or(self.cost);
    }

    /// The usage; `None` if input or output is missing, or if a number cannot be true. Then the
    /// caller must assume the worst.
    pub(crate) fn usage(self) -> Option<Usage> {
        let usage = Usage {
            input: self.input.known()?,
            cached_input: self.cached_input.or_zero()?,
            cache_write: self.cache_write.or_zero()?,
            output: self.output.known()?,
            reasoning: self.reasoning.or_zero()?,
            cost: match self.cost {
                Count::Missing => None,
                Count::Tokens(micros) => Some(micros),
                Count::Absurd => return None,
            },
        };
        let is_consistent = usage.cached_input.saturating_add(usage.cache_write) <= usage.input
            && usage.reasoning <= usage.output;
        is_consistent.then_some(usage)
    }
}
