//! Check items in a description that is Markdown.

use super::Draft;

/// Moves the boxes of a Markdown text into the checklist and returns the rest.
pub(crate) fn take_boxes(text: &str, draft: &mut Draft) -> String {
    let (mut rest, mut fence) = (Vec::new(), None);
    for line in text.split('\n') {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None | Some(_), _) => {}
        }
        let item = fence.is_none().then(|| {
            let text = bare.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?.trim_start();
            let ticked = text.strip_prefix("[x] ").or_else(|| text.strip_prefix("[X] "));
            Some((ticked.or_else(|| text.strip_prefix("[ ] "))?, ticked.is_some()))
        });
        match item.flatten() {
            Some((title, is_ticked)) if !title.trim().is_empty() => {
                let indent = line.len() - bare.len();
                let deepest = draft.task.items.last().map_or(0, |item| item.depth + 1);
                let depth = u32::try_from(indent / 2).unwrap_or(0).min(deepest);
                draft.item(None, title, is_ticked, depth);
            }
            Some(_) | None => rest.push(line),
        }
    }
    rest.join("\n").trim().to_owned()
}
