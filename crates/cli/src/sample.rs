//! The sample workspace of `dormouse serve --demo`.

use dormouse::{ImportAgents, ImportFile, ImportOptions, WORKSPACE};
use dormouse_types::Caller;
use dormouse_types::draft::Format;

use crate::engine::Engine;
use crate::failure::Failure;

const NAME: &str = "household.md";
const TASKS: &str = include_str!("../../../samples/household.md");

/// Adds the sample tasks, each with an agent, to a workspace without tasks. Returns how many it
/// added.
///
/// Errors: the store cannot be read or written.
pub async fn fill(engine: &Engine) -> Result<usize, Failure> {
    let owner = Caller::owner(WORKSPACE);
    let failed = |e: dormouse::Error| Failure::failed(e.problem().detail);
    if engine.dormouse.overview(&owner).await.map_err(failed)?.tasks > 0 {
        return Ok(0);
    }
    let mut n_tasks = 0;
    let file = ImportFile::new(NAME, TASKS.as_bytes());
    let (agents, format) = (ImportAgents::All, Some(Format::Markdown));
    let options = ImportOptions { agents, format, ..ImportOptions::default() };
    let mut count = |event| {
        n_tasks += usize::from(matches!(event, dormouse::view::ImportEvent::Task { .. }));
    };
    engine.dormouse.import(&owner, &file, &options, &mut count).await.map_err(failed)?;
    Ok(n_tasks)
}
