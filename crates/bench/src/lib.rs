//! Benches as ratios: what the program costs compared with a bare loop that writes the same rows, and what
//! a million sleeping agents cost.
//!
//! Does not own: anything the product needs, limits, or a verdict. A bench measures and says what it
//! measured; no test judges a time.
//!
//! Reading order: [`machine`], [`clock`], [`model`], [`tape`], [`place`], [`world`], [`raw`],
//! [`server`], [`wake`], then [`crowd`] with [`route`], [`start`] and [`memory`]; on their own
//! [`log`] and [`recurrence`].

pub mod machine;
pub mod clock;
pub mod model;
pub mod tape;
pub mod place;
pub mod world;
pub mod raw;
pub mod server;
pub mod wake;
pub mod crowd;
pub mod route;
pub mod start;
pub mod memory;
pub mod log;
pub mod recurrence;

/// The middle of some numbers; of an even count the higher of the two. 0 of none.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    percentile(numbers, 50.0)
}

/// The number below which so many percent of some numbers lie, by nearest rank. 0 of none.
pub fn percentile(numbers: impl IntoIterator<Item = f64>, percent: f64) -> f64 {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rank is small and not negative"
    )]
    let rank = (numbers.len() as f64 * percent / 100.0) as usize;
    numbers.get(rank.min(numbers.len().saturating_sub(1))).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_go_by_nearest_rank() {
        let numbers = (1..=200).rev().map(f64::from);
        assert_eq!(percentile(numbers.clone(), 99.0), 199.0);
        assert_eq!(median(numbers), 101.0);
        assert_eq!(median([]), 0.0);
    }
}
