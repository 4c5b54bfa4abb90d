//! What a note of an own file holds after a backslash, because without one it would be read as more than text:
//! headings and lines below them, check boxes, days that begin a note, and what would hide the lines after it.

use super::check_box::names_list;
use super::days;
use crate::intake;
use crate::when::Leading;

/// Puts a backslash before each sign in a text, from a line on. What is in a fence is none.
pub(crate) fn escaped(text: &str, from: usize) -> String {
    changed(text, |n, line, begins| {
        let at = if n < from { None } else { sign(line, begins) };
        at.map_or_else(|| line.to_owned(), |at| format!("{}\\{}", &line[..at], &line[at..]))
    })
}

/// Takes these backslashes away.
pub(crate) fn unescaped(text: &str) -> String {
    changed(text, |_, line, begins| match sign(line, begins) {
        Some(at) if line[at..].starts_with('\\') => format!("{}{}", &line[..at], &line[at + 1..]),
        Some(_) | None => line.to_owned(),
    })
}

/// Changes each line that is in no fence; it is given its number, and whether it begins a paragraph.
fn changed(text: &str, change: impl Fn(usize, &str, bool) -> String) -> String {
    let mut begins = true;
    let lines = fenced_lines(text).enumerate().map(|(n, (line, is_fenced))| {
        let changed = if is_fenced { line.to_owned() } else { change(n, line, begins) };
        begins = line.trim().is_empty();
        changed
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The lines of a text, and whether each is in a fence or the mark of one. A fence that nothing closes is none.
pub(crate) fn fenced_lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut is_fenced = vec![false; lines.len()];
    // A mark that nothing closed: nothing closes a later one of its kind that is no shorter.
    let mut unclosed = [usize::MAX; 2];
    let mut at = 0;
    while at < lines.len() {
        let open =
            fence(lines[at]).filter(|open| open.length < unclosed[usize::from(open.is_tilde)]);
        let Some(open) = open else {
            at += 1;
            continue;
        };
        let closes = |line: &str| {
            fence(line).is_some_and(|mark| {
                mark.is_tilde == open.is_tilde && mark.length >= open.length && mark.is_alone
            })
        };
        match lines[at + 1..].iter().position(|line| closes(line)) {
            Some(n) => {
                is_fenced[at..=at + 1 + n].fill(true);
                at += n + 2;
            }
            None => {
                unclosed[usize::from(open.is_tilde)] = open.length;
                at += 1;
            }
        }
    }
    lines.into_iter().zip(is_fenced)
}

/// The mark of a fence.
struct Fence {
    is_tilde: bool,
    length: usize,
    /// Whether nothing follows it, so that it can close one.
    is_alone: bool,
}

fn fence(line: &str) -> Option<Fence> {
    let mark = line.trim();
    let first = mark.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = mark.trim_start_matches(first);
    let length = mark.len() - rest.len();
    // What is in backticks on one line is code in running text.
    let is_fence = length >= 3 && (first == '~' || !rest.contains('`'));
    is_fence.then_some(Fence { is_tilde: first == '~', length, is_alone: rest.is_empty() })
}

/// Beginnings of HTML that goes on to a certain end, through everything before it.
///
/// Source: CommonMark 0.31, "HTML blocks", the first five kinds.
const OPEN_HTML: [&str; 6] = ["<!", "<?", "<pre", "<script", "<style", "<textarea"];

/// Whether a line is the beginning of something that would hide the lines after it, the line below a heading,
/// or begins a note with its day.
fn is_sign_at_the_margin(line: &str) -> bool {
    let bare = line.trim();
    let is_line_of =
        |sign: &str| !bare.is_empty() && bare.replace([' ', '\t'], "").replace(sign, "").is_empty();
    let begins =
        |start: &&str| bare.get(..start.len()).is_some_and(|part| part.eq_ignore_ascii_case(start));
    fence(line).is_some()
        || OPEN_HTML.iter().any(begins)
        || is_line_of("=")
        || is_line_of("-") && bare != "-"
        || bare.len() > 2 && (is_line_of("*") || is_line_of("_"))
        || bare.starts_with('|')
        || bare.contains('|') && is_line_of_signs(bare, "|-:")
        || names_list(line)
        || days::heads_note(line)
}

/// Whether a line has nothing but some signs, such as the line below the head of a table.
fn is_line_of_signs(line: &str, signs: &str) -> bool {
    line.chars().all(|sign| signs.contains(sign) || sign.is_whitespace())
}

/// Where such a sign is in a line of a note, or the backslashes before it. Units: bytes.
///
/// Any day at the beginning of a paragraph begins a note; within one, only a day that is set off.
fn sign(line: &str, begins: bool) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let without = format!("{}{}", &line[..start], line[start..].trim_start_matches('\\'));
    let is_day = begins && matches!(days::of_line(&without, None), Leading::Day(..));
    if is_day || is_sign_at_the_margin(&without) {
        return Some(start);
    }
    let is_apart = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let mut rest = line.trim_start();
    loop {
        let bare = rest.trim_start_matches('\\');
        let n = bare.bytes().take_while(|&byte| byte == b'#').count();
        let mut boxed = bare.chars();
        let is_bracketed =
            boxed.next() == Some('[') && boxed.next().is_some() && boxed.next() == Some(']');
        let is_box = is_bracketed && is_apart(boxed.as_str()) || intake::boxed(bare).is_some();
        if (1..=6).contains(&n) && is_apart(&bare[n..]) || is_box {
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
            "log:\n```\nERROR 500\n# no code",
            "~~~~\n~~~\n# code\n~~~~\n# after\n~~~",
            "Monday\n------\n\n***\n\\---\n===",
            "24 Nov 2026: bought\n\n2026-11-07: oiled\n\\2026-11-08: so written",
            "Action items:\n- ☐ a\n- ✔ b\n☑ c\n**To do**\n| done | title |\n|---|---|\ndone | title\n---|---",
            "<!-- open\n<pre>\n<b>bold</b>",
        ] {
            assert_eq!(unescaped(&escaped(text, 0)), text);
        }
    }

    #[test]
    fn what_is_no_sign_stays() {
        let text = "# A\n- [ ] b\n```\n# c\n```\n#tag\n- [link](x)";
        assert_eq!(escaped(text, 0), "\\# A\n- \\[ ] b\n```\n# c\n```\n#tag\n- [link](x)");
        assert_eq!(escaped("# A\n# B", 1), "# A\n\\# B");
        assert_eq!(escaped("a\n```\nb\n# c", 0), "a\n\\```\nb\n\\# c");
        let text = "```\ncode\n```\n`a` is ```not``` one\n-\nsince 2026-11-07: rust\n<b>x</b>";
        assert_eq!(escaped(text, 0), text);
    }
}
