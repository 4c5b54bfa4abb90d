//! New tasks that have the title of a task that is here already.

use dormouse_types::Caller;
use dormouse_types::draft::Remark;

use super::ImportFile;
use super::plan::PlannedFile;
use crate::{Dormouse, Error};

impl Dormouse {
    /// Reports how many tasks of a file would be beside one of the same title, because neither an earlier
    /// import of the file nor an id says that they are the same.
    pub(super) async fn same_titles(
        &self,
        caller: &Caller,
        file: &ImportFile,
        made: &PlannedFile,
    ) -> Result<Option<Remark>, Error> {
        let drafts: Vec<_> = made.planned.tasks.iter().map(|task| &task.draft).collect();
        let n = self.journal.import_same_titles(caller.workspace, &file.name, &drafts).await?;
        let message = match n {
            0 => return Ok(None),
            1 => "1 new task has the same title as a task that is already in Dormouse: this file does not \
                  say whether they are the same, so it is added as a new task"
                .to_owned(),
            n => format!(
                "{n} new tasks have the same title as a task that is already in Dormouse: this file does \
                 not say whether they are the same, so they are added as new tasks"
            ),
        };
        Ok(Some(Remark { line: 1, message }))
    }
}
