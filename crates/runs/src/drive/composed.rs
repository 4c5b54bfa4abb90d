//! Values that the parts of the driver hand to each other: a request that was put together, and how a
//! step ended.

use dormouse_types::RunKey;
use dormouse_types::model::{Fragment, FragmentData, FragmentKind, Request, ToolChoice, Turn};

use crate::End;
use crate::gate::Gated;
use crate::request::{self, Offer};
use crate::step::ToolSet;

/// The context of a first turn, as later turns show it again: without its instruction.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) fragments: Vec<Fragment>,
    /// The lines of the log in it.
    pub(super) log: Vec<(i64, i64)>,
}

/// A request that can be sent.
#[derive(Debug, Clone)]
pub(super) struct Composed {
    pub(super) request: Request,
    /// The lines of the log in it.
    pub(super) log: Vec<(i64, i64)>,
}

/// Puts a request together from what went through the gate and what earlier turns showed.
pub(super) fn composed(
    gated: Gated,
    earlier: Option<&Shown>,
    turns: Vec<Turn>,
    offer: &Offer,
    run: (&RunKey, u32),
    tools: ToolSet,
) -> Composed {
    let mut fragments = request::assemble(gated.fragments);
    let mut log = gated.log;
    if let Some(earlier) = earlier {
        log.clone_from(&earlier.log);
        fragments = earlier.fragments.iter().cloned().chain(fragments).collect();
        fragments.sort_by_key(|fragment| fragment.kind);
    }
    let (key, turn) = run;
    let request = Request {
        run_key: key.clone(),
        turn,
        fragments,
        turns,
        tools: offer.tools().to_vec(),
        tool_choice: match tools {
            ToolSet::All => ToolChoice::Auto,
            ToolSet::Closing => ToolChoice::Required,
        },
    };
    Composed { request, log }
}

/// Keeps the pieces of a first turn that later turns show: text only, without the instruction.
pub(super) fn shown_again(pieces: impl Iterator<Item = (FragmentKind, String)>) -> Vec<Fragment> {
    pieces
        .filter(|(kind, _)| *kind != FragmentKind::Instruction)
        .map(|(kind, text)| Fragment { kind, text, data: FragmentData::None, tainted: true })
        .collect()
}

/// What folding did.
pub(super) enum Folding {
    /// There was nothing to fold, or no room for a call.
    Nothing,
    /// Memory may have changed.
    Done,
    /// The run ended.
    Ended(End),
}

/// Why a call was ended before its answer was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The program is to stop.
    Stopped,
    /// Calls that cost money were switched off.
    PaidCallsOff,
}
