//! The request and the lines of the response of an import.

use dormouse::imports::{Column, Correction};
use dormouse::view::ImportEvent;
use dormouse_types::Digest;
use dormouse_types::limits::CORRECTIONS;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Problem;
use crate::extract::holds_nul;

/// A text to import with a person's corrections.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportTextParams {
    /// The file.
    pub(crate) text: String,
    /// The digest of the plan that was shown. If the plan is another one by now, the import is
    /// refused; corrections cannot be imported without it.
    pub(crate) digest: Option<Digest>,
    /// What the person changed in the plan.
    #[serde(default)]
    pub(crate) corrections: Vec<Correction>,
    /// What each column of a sheet means; by default it is guessed.
    pub(crate) columns: Option<Vec<Column>>,
}

impl ImportTextParams {
    /// Tells such a body from a file as it is.
    pub(crate) const MEDIA_TYPE: &str = "application/vnd.dormouse.import+json";

    /// Refuses more corrections than a person makes, and characters that cannot be stored.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        CORRECTIONS.check(self.corrections.len()).map_err(dormouse::Error::from)?;
        let corrections = serde_json::json!(self.corrections).to_string();
        if holds_nul(corrections.as_bytes()) {
            let message = "a correction contains the character U+0000: remove it";
            return Err(Problem::invalid("corrections", message));
        }
        Ok(())
    }
}

/// One line of the response to an import.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ImportLine {
    /// An import event.
    Event(ImportEvent),
    /// The import failed; always the last line.
    Stopped(Stopped),
}

/// Why an import stopped after it began.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", tag = "event")]
pub(crate) enum Stopped {
    /// The import failed; everything reported before is durable.
    Problem { problem: Problem },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_line_of_a_stopped_import_holds_the_problem() {
        let problem = Problem::not_found("it is gone");
        let line = json!(ImportLine::Stopped(Stopped::Problem { problem: problem.clone() }));
        assert_eq!(line, json!({"event": "problem", "problem": problem.to_json()}));
    }
}
