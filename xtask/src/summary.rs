//! Adds up what the test runners print, over all test binaries and scripts.
//!
//! Scripts around runners of another make close with a line in the words of cargo's.

use std::fmt;

/// The sum of all test binaries of one run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Test binaries that printed a result, documentation tests included.
    pub n_binaries: usize,
    /// Tests that passed.
    pub n_passed: usize,
    /// Tests that failed.
    pub n_failed: usize,
    /// Tests that are marked as ignored.
    pub n_ignored: usize,
    /// The names of the tests that failed.
    pub failed: Vec<String>,
}

impl Summary {
    /// Takes in one line of output; lines that are no result change nothing.
    pub fn read(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED")) {
            self.failed.push(name.to_owned());
        }
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.n_binaries += 1;
        for count in counts.split("; ") {
            let Some((number, word)) = count.split_once(' ') else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match word {
                "passed" => self.n_passed += number,
                "failed" => self.n_failed += number,
                "ignored" => self.n_ignored += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_binaries, n_passed, n_failed, n_ignored, failed } = self;
        writeln!(
            f,
            "  {n_passed} tests passed, {n_failed} failed, {n_ignored} ignored in {n_binaries} test \
             binaries"
        )?;
        failed.iter().try_for_each(|name| writeln!(f, "  FAILED {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_binaries_are_added() {
        let mut summary = Summary::default();
        for line in [
            "running 3 tests",
            "test wake::a_change_wakes ... ok",
            "test wake::own_writes_do_not ... FAILED",
            "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 7 filtered out; \
             finished in 0.01s",
            "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished \
             in 1.20s",
        ] {
            summary.read(line);
        }
        let failed = vec!["wake::own_writes_do_not".to_owned()];
        let expected = Summary { n_binaries: 2, n_passed: 5, n_failed: 1, n_ignored: 1, failed };
        assert_eq!(summary, expected);
        assert!(summary.to_string().contains("FAILED wake::own_writes_do_not"));
    }
}
