//! The sample workspace of `dormouse serve --demo`.

use dormouse::{ImportOptions, WORKSPACE};
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
    let options =
        ImportOptions { with_agents: true, dry_run: false, format: Some(Format::Markdown) };
    let mut count = |event| {
        n_tasks += usize::from(matches!(event, dormouse::view::ImportEvent::Task { .. }));
    };
    engine
        .dormouse
        .import(&owner, NAME, TASKS.as_bytes(), options, &mut count)
        .await
        .map_err(failed)?;
    Ok(n_tasks)
}
