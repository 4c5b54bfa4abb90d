//! Values that the parts of the driver hand to each other: a request that was put together, and how a
//! step ended.

use dormouse_types::RunKey;
use dormouse_types::model::{Fragment, FragmentData, FragmentKind, Request, ToolChoice, Turn};

use crate::End;
use crate::gate::Gated;
use crate::request::{self, Offer};

/// The context of a first turn, as later turns show it again: to the byte, so that what a provider
/// keeps of it is found again.
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

/// Puts a request together from what went through the gate and what earlier turns showed. `closing`
/// are the only tools that may be called, if this is a closing turn.
pub(super) fn composed(
    gated: Gated,
    earlier: Option<&Shown>,
    turns: Vec<Turn>,
    offer: &Offer,
    run: (&RunKey, u32),
    closing: Option<&[String]>,
) -> Composed {
    let mut fragments = request::assemble(gated.fragments);
    let mut log = gated.log;
    if let Some(earlier) = earlier {
        log.clone_from(&earlier.log);
        let now = fragments;
        fragments = earlier.fragments.clone();
        match closing {
            Some(_) => fragments.extend(now),
            // The model has its instructions already. Rules that read data find it where it was said.
            None => {
                let is_instruction = |it: &&mut Fragment| it.kind == FragmentKind::Instruction;
                let data = now.into_iter().find(|it| it.kind == FragmentKind::Instruction);
                match (fragments.iter_mut().find(is_instruction), data) {
                    (Some(sent), Some(now)) => sent.data = now.data,
                    (None, Some(now)) => fragments.push(now),
                    (_, None) => {}
                }
            }
        }
    }
    let (key, turn) = run;
    let request = Request {
        run_key: key.clone(),
        turn,
        fragments,
        turns,
        tools: offer.tools().to_vec(),
        tool_choice: closing.map_or(ToolChoice::Auto, |names| ToolChoice::OneOf(names.to_vec())),
    };
    Composed { request, log }
}

/// Keeps the pieces of a first turn that later turns show: text only.
pub(super) fn shown_again(
    pieces: impl Iterator<Item = (FragmentKind, String, Vec<usize>)>,
) -> Vec<Fragment> {
    pieces
        .map(|(kind, text, block_ends)| Fragment {
            kind,
            text,
            data: FragmentData::None,
            tainted: true,
            block_ends,
        })
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
    /// The time of the run was up while the model was still writing.
    OverTime,
}
