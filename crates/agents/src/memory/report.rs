//! The report: cleaned up before it is stored (all addresses kept, invented ones and internal ids
//! removed), and read back.

use std::collections::BTreeSet;

use dormouse_store::agent::entity;
use dormouse_store::agent::report::{self, OwnAddress, Report, ReportHead};
use dormouse_store::agent::source::Source;
use dormouse_store::doc::Doc;
use dormouse_types::agent::ReportScope;
use dormouse_types::model::TaskState;
use dormouse_types::{AgentId, Id as _, PREFIXES, WorkspaceId, address, limits};

use crate::tools::update_report::Draft;
use crate::{AgentError, Agents};

/// A report, with the head row that marks it as current.
#[derive(Debug, Clone)]
pub(crate) struct Latest {
    pub(crate) head: Doc<ReportHead>,
    /// `None` if the head names a report that does not exist.
    pub(crate) report: Option<Report>,
}

impl Agents {
    /// Returns the report a person reads; no model is involved.
    pub async fn latest_report(
        &self,
        ws: WorkspaceId,
        agent: &AgentId,
    ) -> Result<Option<Report>, AgentError> {
        Ok(self.latest(ws, agent).await?.and_then(|latest| latest.report))
    }

    /// Returns the latest report together with its head.
    pub(crate) async fn latest(
        &self,
        ws: WorkspaceId,
        agent: &AgentId,
    ) -> Result<Option<Latest>, AgentError> {
        let Some(head) =
            self.store.first(report::head(ws, agent, &ReportScope::Current.into())).await?
        else {
            return Ok(None);
        };
        let id = head.doc.value.report_id.as_str();
        let report = self.store.first(entity::by_id::<Report>(ws, id)).await?;
        Ok(Some(Latest { head: head.doc, report: report.map(|report| report.doc.value) }))
    }
}

/// A report as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its text.
    pub draft: Draft,
    /// The addresses in it that entries of the task have.
    pub own_addresses: Vec<OwnAddress>,
    /// The entries that its addresses were taken from.
    pub sources: Vec<Source>,
}

/// Cleans up a report before it is stored.
///
/// Afterwards it contains every address of the task's entries and of the reports of linked tasks, no
/// other address, and no internal ids. Prose is not edited.
pub fn finished(draft: &Draft, task: &TaskState, linked: &[OwnAddress]) -> Finished {
    let mut all: Vec<OwnAddress> = Vec::new();
    for entry in &task.entries {
        for found in address::find(&entry.text) {
            if !all.iter().any(|known| known.address == found) {
                all.push(OwnAddress { address: found.to_owned(), entry: entry.id.clone() });
            }
        }
    }
    let n_own = all.len();
    for other in linked {
        if !all.iter().any(|known| known.address == other.address) {
            all.push(other.clone());
        }
    }
    let known: Vec<&str> = all.iter().map(|own| own.address.as_str()).collect();
    let tldr = without_ids(&without_invented(&draft.tldr, &known));
    let mut content = without_ids(&without_invented(&draft.content, &known));
    let there: Vec<String> = address::find(&content).into_iter().map(ToOwned::to_owned).collect();
    let missing: Vec<&str> =
        known.into_iter().filter(|known| !there.iter().any(|there| there == known)).collect();
    if !missing.is_empty() {
        content = with_links(&content, &missing);
    }
    let there: BTreeSet<&str> = address::find(&content).into_iter().collect();
    let (own, other) = all.split_at(n_own);
    let is_there = |own: &&OwnAddress| there.contains(own.address.as_str());
    let entries: BTreeSet<Source> = (own.iter().chain(other).filter(is_there))
        .map(|own| Source::Entry(own.entry.clone()))
        .collect();
    let own_addresses = own.iter().filter(is_there).cloned().collect();
    let sources = entries.into_iter().collect();
    Finished { draft: Draft { tldr, content }, own_addresses, sources }
}

/// Appends links to the links section, creating it if needed.
fn with_links(content: &str, missing: &[&str]) -> String {
    let mut content = content.trim_end().to_owned();
    if !content.lines().any(|line| line.starts_with('#') && line.contains('🔗')) {
        content.push_str("\n\n## 🔗 Links");
    }
    for address in missing {
        let line = format!("\n- [{}]({address})", address::title(address));
        if content.len() + line.len() <= limits::REPORT.max {
            content.push_str(&line);
        }
    }
    content
}

/// Removes addresses that are in no entry: a link keeps its words, a bare address disappears.
fn without_invented(text: &str, known: &[&str]) -> String {
    let invented: Vec<String> = address::find(text)
        .into_iter()
        .filter(|found| !known.contains(found))
        .map(ToOwned::to_owned)
        .collect();
    let mut text = text.to_owned();
    // Longest first: a shorter address may be a prefix of a longer, known one.
    let mut invented = invented;
    invented.sort_by_key(|address| std::cmp::Reverse(address.len()));
    for address in invented {
        text = text.replace(&format!("]({address})"), "]").replace(&format!("<{address}>"), "");
        text = replace_whole(&text, &address);
    }
    text
}

fn replace_whole(text: &str, address: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(address) {
        let whole = address::find(&rest[at..]).first().is_some_and(|found| *found == address);
        out.push_str(&rest[..at]);
        if !whole {
            out.push_str(address);
        }
        rest = &rest[at + address.len()..];
    }
    out.push_str(rest);
    out
}

/// Removes internal ids with the brackets and the word `id` around them. Ids inside an address
/// stay.
fn without_ids(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((start, end)) = internal_id(rest) {
        let before = &rest[..start];
        let in_address = before
            .rsplit(|c: char| c.is_whitespace() || c == '(')
            .next()
            .is_some_and(|word| word.contains("://"));
        if in_address {
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let kept = before.trim_end_matches([' ', '(', '[', ':', '=']);
        let kept = kept
            .strip_suffix("id")
            .filter(|k| !k.ends_with(char::is_alphanumeric))
            .unwrap_or(before);
        let opened = before.len() > kept.len() || before.ends_with(['(', '[']);
        out.push_str(kept.trim_end_matches(['(', '[']).trim_end());
        rest = &rest[end..];
        if opened {
            rest = rest.strip_prefix([')', ']']).unwrap_or(rest);
        }
    }
    out.push_str(rest);
    out
}

/// Returns every internal id in a text.
pub(crate) fn internal_ids(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((start, end)) = internal_id(rest) {
        found.push(&rest[start..end]);
        rest = &rest[end..];
    }
    found
}

/// Returns the byte range of the first internal id.
fn internal_id(text: &str) -> Option<(usize, usize)> {
    let starts = PREFIXES.iter().flat_map(|(prefix, _)| {
        let prefix = format!("{prefix}-");
        text.match_indices(&prefix).map(|(at, found)| (at, at + found.len())).collect::<Vec<_>>()
    });
    starts
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '-'))
        .filter_map(|(at, rest)| {
            let id = text.get(rest..rest + 26)?;
            let whole = id.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase())
                && !text[rest + 26..].starts_with(char::is_alphanumeric);
            whole.then_some((at, rest + 26))
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without_ids(text), expected);
    }

    #[test]
    fn internal_ids_are_stripped_with_the_marks_around_them() {
        check("Done (id: ci-01jd7m3k5vn2c8q4w6x0z9abcd) today", "Done today");
        check("Done (ci-01jd7m3k5vn2c8q4w6x0z9abcd).", "Done.");
        check(
            "See https://host/tasks/jt-01jd7m3k5vn2c8q4w6x0z9abcd now",
            "See https://host/tasks/jt-01jd7m3k5vn2c8q4w6x0z9abcd now",
        );
        check("A ci-pipeline stays", "A ci-pipeline stays");
    }

    #[test]
    fn an_address_that_no_entry_has_goes_and_its_words_stay() {
        let text = "See [the plan](https://made.up/x) and https://real.example/a?b=c.";
        let known = ["https://real.example/a?b=c"];
        assert_eq!(
            without_invented(text, &known),
            "See [the plan] and https://real.example/a?b=c."
        );
    }
}
