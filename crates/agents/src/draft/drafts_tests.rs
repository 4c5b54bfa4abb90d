use dormouse_runs::{DeltaSink as _, LiveTurn};
use dormouse_types::{HolderId, RunKey, WorkspaceId};

use super::Drafts;

const WS: WorkspaceId = WorkspaceId(1);

struct Case {
    drafts: Drafts,
    holder: HolderId,
}

impl Case {
    fn new() -> Self {
        let drafts = Drafts::default();
        let holder = "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        Self { drafts, holder }
    }

    fn write(&self, run: &str, turn: u32, index: usize, json: &str) {
        let run = RunKey(run.into());
        let live = LiveTurn { ws: WS, holder: &self.holder, run: &run, turn };
        self.drafts.call(&live, index, "publish_report", json);
    }

    fn end(&self, run: &str) {
        self.drafts.ended(WS, &self.holder, &RunKey(run.into()));
    }

    /// The draft that readers see, as `TURN TLDR|CONTENT`.
    fn seen(&self) -> Option<String> {
        let drafts = self.drafts.of_workspace(WS);
        assert!(drafts.len() <= 1 && self.drafts.of_workspace(WorkspaceId(2)).is_empty());
        let draft = drafts.first()?;
        Some(format!("{} {}|{}", draft.turn, draft.tldr, draft.content))
    }
}

#[test]
fn readers_see_what_was_written_last_also_when_nothing_follows() {
    let case = Case::new();
    let mut hints = case.drafts.hints();
    case.write("r", 1, 0, "{\"tldr\":\"");
    assert_eq!((case.seen(), hints.has_changed().ok()), (None, Some(false)), "nothing yet");
    case.write("r", 1, 0, "All ");
    assert_eq!(case.seen().as_deref(), Some("1 All |"));
    hints.borrow_and_update();
    (0..100).for_each(|_| case.write("r", 1, 0, "x"));
    assert_eq!(hints.has_changed().ok(), Some(true));
    assert_eq!(case.seen(), Some(format!("1 All {}|", "x".repeat(100))), "at the same moment");
    case.write("r", 1, 0, "\",\"content\":\"Done.\"}");
    let whole = format!("1 All {}|Done.", "x".repeat(100));
    assert_eq!(case.seen(), Some(whole));
    hints.borrow_and_update();
    case.write("r", 1, 0, " and more");
    assert_eq!(hints.has_changed().ok(), Some(false), "nothing can follow");
}

#[test]
fn a_draft_is_gone_when_its_run_is_over() {
    let case = Case::new();
    case.write("r", 1, 0, "{\"content\":\"A\"}");
    case.end("an earlier one");
    assert_eq!(case.seen().as_deref(), Some("1 |A"));
    let hints = case.drafts.hints();
    case.end("r");
    assert_eq!((case.seen(), hints.has_changed().ok()), (None, Some(true)));
}

#[test]
fn a_later_call_replaces_the_draft_once_it_says_something() {
    let case = Case::new();
    case.write("r", 1, 0, "{\"content\":\"A\"}");
    case.write("r", 1, 2, "{\"content\":");
    assert_eq!(case.seen().as_deref(), Some("1 |A"));
    case.write("r", 1, 2, "\"B\"}");
    assert_eq!(case.seen().as_deref(), Some("1 |B"));
    case.write("r", 2, 0, "{\"content\":\"B\"}");
    assert_eq!(case.seen().as_deref(), Some("2 |B"));
    case.write("another", 1, 0, "{");
    assert_eq!(case.seen(), None, "what another run wrote is not shown any more");
}

#[test]
fn other_tools_and_other_holders_have_no_draft() {
    let case = Case::new();
    let run = RunKey("r".into());
    let live = LiveTurn { ws: WS, holder: &case.holder, run: &run, turn: 1 };
    case.drafts.call(&live, 0, "record_observations", "{\"content\":\"A\"}");
    case.drafts.call(&live, usize::MAX, "no_such_tool", "{\"content\":\"A\"}");
    assert_eq!(case.seen(), None);
}

#[test]
fn of_a_session_the_answer_is_shown_and_of_an_agent_only_the_report() {
    let case = Case::new();
    let (run, later) = (RunKey("r".into()), RunKey("s".into()));
    let session = "evo-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let live = LiveTurn { ws: WS, holder: &session, run: &run, turn: 1 };
    let seen = || {
        let drafts = case.drafts.of_workspace(WS);
        let mine = drafts.iter().find(|draft| draft.writer == session);
        mine.map(|draft| format!("{} {}", draft.turn, draft.answer))
    };
    case.drafts.text(&live, "Less ");
    case.drafts.text(&live, "rum.");
    assert_eq!(seen().as_deref(), Some("1 Less rum."));
    case.drafts.text(&LiveTurn { turn: 2, ..live }, "Aye.");
    assert_eq!(seen().as_deref(), Some("2 Aye."));
    case.drafts.text(&LiveTurn { run: &later, ..live }, "No.");
    assert_eq!(seen().as_deref(), Some("1 No."));
    case.drafts.ended(WS, &session, &later);
    assert_eq!(seen(), None);
    case.drafts.text(&LiveTurn { holder: &case.holder, ..live }, "Thinking.");
    assert_eq!(case.seen(), None);
}
