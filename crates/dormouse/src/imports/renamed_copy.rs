//! A list that was downloaded again, which its program or browser gave another name: "board (1).json".
//!
//! A list is known by its name, since two lists may have the same titles and ids that count from 1. So such a
//! file is treated as another list unless the user renames it; the plan warns about that.

use dormouse_types::Caller;
use dormouse_types::draft::Remark;

use super::ImportFile;
use super::options::ImportOptions;
use super::plan::{PlannedFile, ReadPurpose};
use crate::{Dormouse, Error};

/// How many earlier downloads of a name are looked for.
const DOWNLOADS: u32 = 9;

/// The words that programs put after the name of a copy.
const COPIES: &[&str] = &[" copy", " - copy", " kopie", " - kopie", " - copie", " - copia"];

impl Dormouse {
    /// Says of a file with the name of a copy that its tasks were imported under another name before.
    /// None if the file itself was imported before, or if nothing of it is known.
    pub(super) async fn copied(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
        made: &PlannedFile,
    ) -> Result<Option<Remark>, Error> {
        let names = earlier_names(&file.name);
        let Some(original) = names.first() else { return Ok(None) };
        let total = made.planned.tasks.len();
        if self.n_known(caller, &file.name, made).await? > 0 {
            return Ok(None);
        }
        // Keys without an id begin with the name of the file: those of the original are read under its name.
        let renamed = ImportFile { name: original.clone(), bytes: file.bytes.clone() };
        let plain = ImportOptions { corrections: Vec::new(), digest: None, ..options.clone() };
        let base = self.base(caller, &renamed, &plain, ReadPurpose::Plan).await?;
        let of_original = self.made(&renamed, &plain, &base).await?;
        let n_known = self.n_known(caller, original, &of_original).await?;
        let mut found = (n_known > 0).then_some((original, n_known));
        for name in &names[1..] {
            if found.is_none() {
                let n_known = self.n_known(caller, name, made).await?;
                found = (n_known > 0).then_some((name, n_known));
            }
        }
        Ok(found.map(|(name, n)| {
            let (tasks, them) = match (n, total) {
                (1, 1) => ("this task was".to_owned(), "it"),
                (1, _) => (format!("1 of these {total} tasks was"), "it"),
                (_, _) if n == total => (format!("these {n} tasks were"), "them"),
                (_, _) => (format!("{n} of these {total} tasks were"), "them"),
            };
            let message = format!(
                "{tasks} imported from {name} before, and this file adds {them} again: to update {them} \
                 instead, rename this file to {name} and import it again"
            );
            Remark { line: 1, message }
        }))
    }

    /// How many tasks of a plan were imported from a file of this name before.
    async fn n_known(
        &self,
        caller: &Caller,
        name: &str,
        made: &PlannedFile,
    ) -> Result<usize, Error> {
        let drafts: Vec<_> = made.planned.tasks.iter().map(|task| &task.draft).collect();
        Ok(self.journal.n_imported(caller.workspace, name, &drafts).await?)
    }
}

/// The names that a file may have had when it was downloaded first and since, the original first; none for a
/// name that no copy has.
fn earlier_names(name: &str) -> Vec<String> {
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => name.split_at(stem.len()),
        _ => (name, ""),
    };
    let Some((original, number)) = without_copy(stem) else { return Vec::new() };
    let mut names = vec![format!("{original}{end}")];
    let last = number.unwrap_or(DOWNLOADS + 1).min(DOWNLOADS + 1);
    names.extend((1..last).map(|n| format!("{original} ({n}){end}")));
    names
}

/// A name without what makes it that of a copy, and the number of the copy.
fn without_copy(stem: &str) -> Option<(&str, Option<u32>)> {
    let numbered = |stem: &str| -> Option<(usize, u32)> {
        let (before, number) = stem.strip_suffix(')')?.rsplit_once('(')?;
        let is_short = (1..=3).contains(&number.len());
        Some((before.trim_end().len(), number.parse().ok().filter(|_| is_short)?))
    };
    let (bare, number) = match numbered(stem) {
        Some((length, number)) => (&stem[..length], Some(number)),
        None => (stem, None),
    };
    // "board copy 2"
    let unnumbered = bare.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let copy = [bare, unnumbered].into_iter().find_map(|name| {
        let ends = |copy: &&&str| name.to_lowercase().ends_with(**copy);
        let copy = COPIES.iter().filter(ends).max_by_key(|copy| copy.len())?;
        name.get(..name.len() - copy.len())
    });
    let original = copy.or(number.map(|_| bare))?;
    (!original.is_empty()).then_some((original, number.filter(|_| copy.is_none())))
}

#[cfg(test)]
mod tests {
    use super::earlier_names;

    #[test]
    fn the_name_of_a_copy_says_what_it_is_a_copy_of() {
        assert_eq!(earlier_names("board (1).json"), ["board.json"]);
        assert_eq!(earlier_names("board(2).json"), ["board.json", "board (1).json"]);
        for name in
            ["board copy.json", "board copy 2.json", "board - Copy.json", "board - Kopie (2).json"]
        {
            assert_eq!(earlier_names(name)[0], "board.json", "{name}");
        }
        assert_eq!(earlier_names("list (3)"), ["list", "list (1)", "list (2)"]);
        for name in [
            "board.json",
            "copy.md",
            "Photocopy.md",
            "(1).md",
            "Sprint 2.md",
            ".md",
            "Trip (May).md",
        ] {
            assert_eq!(earlier_names(name), Vec::<String>::new(), "{name}");
        }
    }
}
