//! Queries of the plugins of Obsidian: what they show are tasks of other notes, so they are none themselves.

use dormouse_types::draft::Remark;

use super::outline::Outline;
use super::source::{Source, remark};

/// What the block of a query is called: those of the plugins Tasks and Dataview.
const QUERIES: &[&str] = &["tasks", "dataview", "dataviewjs"];

/// Leaves the blocks of queries out, with the headings that have nothing else below them.
pub(super) fn leave_out(source: &Source<'_>, outline: &mut Outline, remarks: &mut Vec<Remark>) {
    let n_lines = source.n_lines();
    let mut is_of_query = vec![false; n_lines];
    let mut line = outline.first;
    while line < n_lines {
        let is_query = source.line(line).trim().strip_prefix("```").is_some_and(|info| {
            outline.lines[line].inside.is_none() && QUERIES.contains(&info.trim())
        });
        let is_end = |at: &usize| source.line(*at).trim() == "```";
        if !is_query {
            line += 1;
            continue;
        }
        // A block that is never closed goes to the end of the text, and so would those in it.
        let Some(end) = (line + 1..n_lines).find(is_end) else { break };
        is_of_query[line..=end].fill(true);
        line = end + 1;
    }
    let Some(first) = is_of_query.iter().position(|is_of_query| *is_of_query) else { return };
    remarks.push(remark(first, "a query shows tasks of other notes: left out"));
    let starts: Vec<usize> = outline.headings.iter().map(|heading| heading.first).collect();
    let mut next = 0;
    outline.headings.retain(|heading| {
        next += 1;
        let mut body = heading.last + 1..starts.get(next).copied().unwrap_or(n_lines);
        let has_query = is_of_query[body.clone()].contains(&true);
        let is_bare = body.all(|line| is_of_query[line] || source.line(line).trim().is_empty());
        if has_query && is_bare {
            is_of_query[heading.first..=heading.last].fill(true);
        }
        !(has_query && is_bare)
    });
    for (kind, _) in
        outline.lines.iter_mut().zip(is_of_query).filter(|(_, is_of_query)| *is_of_query)
    {
        (kind.is_rule, kind.is_opaque, kind.begins_block) = (true, true, false);
    }
}
