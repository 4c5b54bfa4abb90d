//! Lines of the response to an import.

use dormouse::view::ImportEvent;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Problem;

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
