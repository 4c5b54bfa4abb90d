//! What a turn sends: the request, recorded before the model is asked, and read back later.

use dormouse_store::agent::log_line;
use dormouse_store::agent::wake_request::{self, Span};
use dormouse_store::{ReadError, Store, text};
use dormouse_types::model::{Fragment, FragmentData, FragmentKind, Request, ToolChoice, Turn};
use dormouse_types::{HolderId, WorkspaceId};

use super::ActiveRun;
use crate::handler::{RunError, TurnContext};
use crate::request;
use crate::step::{LoggedTurn, ToolSet};

impl ActiveRun<'_> {
    /// Builds the request and records what it consists of before the model is asked.
    ///
    /// A request is stored as digests of its texts and a range of log lines, not as a copy, so it
    /// can be shown and verified later. Later turns repeat the first turn's context, so all turns
    /// of a run see the same facts.
    pub(super) async fn request(
        &mut self,
        gathered: TurnContext,
        turn: u32,
        tools: ToolSet,
    ) -> Result<Request, RunError> {
        let lease = self.lease;
        let offer = match (tools, &self.closing) {
            (ToolSet::Closing, Some(closing)) => closing.tools.clone(),
            (ToolSet::All, _) | (ToolSet::Closing, None) => gathered.tools,
        };
        let mut fragments = request::assemble(gathered.fragments);
        let mut log_upto = gathered.log_upto;
        if turn > 1 {
            if self.shown.is_none() {
                self.shown = self.first_turn().await?;
            }
            if let Some((earlier, upto)) = self.shown.clone() {
                log_upto = upto;
                fragments = earlier.into_iter().chain(fragments).collect();
                fragments.sort_by_key(|fragment| fragment.kind);
            }
        } else {
            let all = fragments.iter().map(|fragment| (fragment.kind, fragment.text.clone()));
            self.shown = Some((shown_again(all), log_upto));
        }
        let turns: Vec<Turn> = self.log.turns.iter().map(LoggedTurn::shown).collect();
        let mut ops = Vec::new();
        let mut spans = Vec::new();
        for fragment in &fragments {
            if fragment.kind == FragmentKind::Log {
                spans.push(Span::Log { from: 1, upto: log_upto });
                continue;
            }
            let (sha256, op) = text::put(lease.ws, &fragment.text);
            ops.push(op);
            spans.push(Span::Text { kind: request::name(fragment.kind).into(), sha256 });
        }
        let (sha256, op) = text::put(lease.ws, offer.text());
        ops.push(op);
        spans.push(Span::Text { kind: "tools".into(), sha256 });
        let digest = request::digest_with(
            fragments.iter().map(|f| (request::name(f.kind), f.text.as_str())),
            &turns,
            offer.text(),
        );
        let now = self.driver.clock.now();
        ops.push(wake_request::put(lease.ws, &lease.run.key, turn, &spans, &digest, now));
        self.commit("run.request", ops).await?;
        Ok(Request {
            run_key: lease.run.key.clone(),
            turn,
            fragments,
            turns,
            tools: offer.tools().to_vec(),
            tool_choice: match tools {
                ToolSet::All => ToolChoice::Auto,
                ToolSet::Closing => ToolChoice::Required,
            },
        })
    }

    /// Rebuilds the recorded context of the first turn, without its instruction, and its last log
    /// line.
    pub(super) async fn first_turn(&self) -> Result<Option<(Vec<Fragment>, i64)>, RunError> {
        let lease = self.lease;
        let stored = self.driver.store.all(wake_request::of_run(lease.ws, &lease.run.key)).await?;
        let Some(first) = stored.into_iter().find(|request| request.turn == 1) else {
            return Ok(None);
        };
        let upto = first.spans.iter().find_map(|span| match span {
            Span::Log { upto, .. } => Some(*upto),
            Span::Text { .. } => None,
        });
        let rebuilt =
            rebuild(&self.driver.store, lease.ws, &lease.run.holder, &first.spans).await?;
        let pieces = rebuilt.into_iter().filter_map(|(kind, text)| Some((kind_of(&kind)?, text)));
        Ok(Some((shown_again(pieces), upto.unwrap_or(0))))
    }
}

/// Keeps the pieces of a first turn that later turns show: text only, without the instruction.
fn shown_again(pieces: impl Iterator<Item = (FragmentKind, String)>) -> Vec<Fragment> {
    pieces
        .filter(|(kind, _)| *kind != FragmentKind::Instruction)
        .map(|(kind, text)| Fragment { kind, text, data: FragmentData::None, tainted: true })
        .collect()
}

fn kind_of(name: &str) -> Option<FragmentKind> {
    [
        FragmentKind::System,
        FragmentKind::Log,
        FragmentKind::LinkedTasks,
        FragmentKind::TaskState,
        FragmentKind::Decisions,
        FragmentKind::Delta,
        FragmentKind::Message,
        FragmentKind::Instruction,
    ]
    .into_iter()
    .find(|kind| request::name(*kind) == name)
}

/// Rebuilds the pieces of a stored request as (kind, text). A purged text is replaced by a note.
pub async fn rebuild(
    store: &Store,
    ws: WorkspaceId,
    holder: &HolderId,
    spans: &[Span],
) -> Result<Vec<(String, String)>, ReadError> {
    let purged = || "[purged]".to_owned();
    let mut pieces = Vec::new();
    for span in spans {
        match span {
            Span::Text { kind, sha256 } => {
                let text = store.first(text::by_digest(ws, sha256)).await?;
                pieces.push((kind.clone(), text.unwrap_or_else(purged)));
            }
            Span::Log { from, upto } => {
                let lines = store.all(log_line::of_holder(ws, holder, *from, *upto)).await?;
                let lines: Vec<String> =
                    lines.into_iter().map(|line| line.text.unwrap_or_else(purged)).collect();
                let text = request::log_text(lines.iter().map(String::as_str));
                pieces.push((request::name(FragmentKind::Log).to_owned(), text));
            }
        }
    }
    Ok(pieces)
}
