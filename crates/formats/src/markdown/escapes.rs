//! Headings and check boxes within a note, which an own file holds behind a backslash: without one they would
//! be read as a part of the task.

/// Puts a backslash before each heading and check box of a text, from a line on. What is in a fence is none.
pub(crate) fn escaped(text: &str, from: usize) -> String {
    changed(text, |n, line| {
        let at = if n < from { None } else { sign(line) };
        at.map_or_else(|| line.to_owned(), |at| format!("{}\\{}", &line[..at], &line[at..]))
    })
}

/// Takes these backslashes away.
pub(crate) fn unescaped(text: &str) -> String {
    changed(text, |_, line| match sign(line) {
        Some(at) if line[at..].starts_with('\\') => format!("{}{}", &line[..at], &line[at + 1..]),
        Some(_) | None => line.to_owned(),
    })
}

/// Changes each line that is in no fence.
fn changed(text: &str, change: impl Fn(usize, &str) -> String) -> String {
    let lines = fenced_lines(text)
        .enumerate()
        .map(|(n, (line, is_fenced))| if is_fenced { line.to_owned() } else { change(n, line) });
    lines.collect::<Vec<_>>().join("\n")
}

/// The lines of a text, and whether each is in a fence or the mark of one.
pub(crate) fn fenced_lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence: Option<&str> = None;
    text.split('\n').map(move |line| {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        let is_fenced = fence.is_some() || mark.is_some();
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None | Some(_), _) => {}
        }
        (line, is_fenced)
    })
}

/// Where the sign of a heading or of a check box is, or the backslashes before it. Units: bytes.
fn sign(line: &str) -> Option<usize> {
    let is_apart = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let mut rest = line.trim_start();
    loop {
        let bare = rest.trim_start_matches('\\');
        let n = bare.bytes().take_while(|&byte| byte == b'#').count();
        let mut boxed = bare.chars();
        let is_box =
            boxed.next() == Some('[') && boxed.next().is_some() && boxed.next() == Some(']');
        if (1..=6).contains(&n) && is_apart(&bare[n..]) || is_box && is_apart(boxed.as_str()) {
            return Some(line.len() - rest.len());
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let marker = match rest.as_bytes().get(digits) {
            Some(b'-' | b'*' | b'+' | b'>') if digits == 0 => 1,
            Some(b'.' | b')') if digits > 0 => digits + 1,
            _ => return None,
        };
        if !is_apart(&rest[marker..]) && !rest.starts_with('>') {
            return None;
        }
        rest = rest[marker..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_comes_back() {
        for text in [
            "# Goals\n\nfast\n\n## Non-goals",
            "- [ ] send\n  - [x] book\n1. [?] why\n> - [ ] quoted",
            "\\# no heading\n- \\[ ] no box\n\\\\## two",
            "```\n- [ ] code\n# code\n```\n# after",
            "#tag\n- [link](x)\n-[ ] word\n[ ] alone\n- plain\n\\",
        ] {
            assert_eq!(unescaped(&escaped(text, 0)), text);
        }
    }

    #[test]
    fn only_headings_and_boxes_are_escaped() {
        let text = "# A\n- [ ] b\n```\n# c\n```\n#tag\n- [link](x)";
        assert_eq!(escaped(text, 0), "\\# A\n- \\[ ] b\n```\n# c\n```\n#tag\n- [link](x)");
        assert_eq!(escaped("# A\n# B", 1), "# A\n\\# B");
    }
}
