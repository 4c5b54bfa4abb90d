//! What earlier imports of a file wrote and the file no longer has.

use std::collections::BTreeSet;

use dormouse_types::Caller;
use dormouse_types::draft::Remark;

use super::ImportFile;
use super::plan::PlannedFile;
use crate::{Dormouse, Error};

impl Dormouse {
    /// Names the tasks that were imported from a file and that it no longer has. Nothing is done to
    /// them. What a correction leaves out, splits or joins is still in the file.
    pub(super) async fn missing(
        &self,
        caller: &Caller,
        file: &ImportFile,
        made: &PlannedFile,
    ) -> Result<Option<Remark>, Error> {
        let planned = made.planned.tasks.iter().map(|task| task.draft.key.as_str());
        let keys: BTreeSet<&str> =
            planned.chain(made.corrected_keys.iter().map(String::as_str)).collect();
        let words = words(made);
        let missing =
            self.journal.import_missing(caller.workspace, &file.name, &keys, &words).await?;
        if missing.n == 0 {
            return Ok(None);
        }
        let titles = missing.titles.iter().map(|title| match title.as_str() {
            "" => "an untitled task".to_owned(),
            title => format!("“{title}”"),
        });
        let mut names = titles.collect::<Vec<_>>().join(", ");
        let more = missing.n - missing.titles.len();
        if more > 0 {
            names.push_str(&format!(" and {more} more"));
        }
        let message = match missing.n {
            1 => format!(
                "1 task imported earlier is no longer in {} and is kept: {names}",
                file.name
            ),
            n => format!(
                "{n} tasks imported earlier are no longer in {} and are kept: {names}",
                file.name
            ),
        };
        Ok(Some(Remark { line: 1, message }))
    }
}

/// The titles of tasks and items of a file, and its categories, in lower case: a list that is written in another way has
/// them in other places.
fn words(made: &PlannedFile) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for task in made.planned.tasks.iter().map(|task| &task.draft) {
        let items = task.items.iter().map(|item| &item.title);
        let all = items.chain([&task.title]).chain(&task.category);
        words.extend(all.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty()));
    }
    words
}
