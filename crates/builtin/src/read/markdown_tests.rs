use jiff::civil::date;

use super::*;
use crate::read::Mark;

/// One line per segment: depth, kind, day and time, path, words.
fn outline(text: &str) -> String {
    let found = segments(0, text, date(2026, 3, 1));
    for segment in &found {
        assert!(text.contains(&segment.raw), "raw is verbatim: {:?}", segment.raw);
        for piece in &segment.sentences {
            assert!(text.contains(&piece.raw), "pieces are verbatim: {:?}", piece.raw);
        }
    }
    let line = |s: &Segment| {
        let kind = match s.kind {
            Kind::Heading { level } => format!("h{level}"),
            Kind::Box { mark: Mark::Open } => "[ ]".into(),
            Kind::Box { mark: Mark::Ticked } => "[x]".into(),
            Kind::Box { mark: Mark::Partial } => "[~]".into(),
            Kind::Bullet => "-".into(),
            Kind::Numbered => "1.".into(),
            Kind::Row => "|".into(),
            Kind::Sentence => "s".into(),
        };
        let path: Vec<&str> = s.headings.iter().map(|(_, text)| text.as_str()).collect();
        let at = s.stamp.rendered().map(|at| format!(" @{at}")).unwrap_or_default();
        let quoted = if s.quoted { " quoted" } else { "" };
        let indent = "  ".repeat(s.depth as usize);
        format!("{indent}{kind}{at}{quoted} <{}> {}", path.join(" / "), s.text)
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn headings_open_a_path_and_days_date_what_follows() {
    insta::assert_snapshot!(outline(
        "# Leak, 2026-02-20\n\nWater came in.\n\n## Feb 21, 13:00\n\nThe plumber came. He left.\n\n### 15:15\n\n- pipe replaced\n\n## Next steps\n\n1. call the insurer\n"
    ), @r"
    h1 <> Leak, 2026-02-20
    s <Leak, 2026-02-20> Water came in.
    h2 @Feb 21, 13:00 <Leak, 2026-02-20> Feb 21, 13:00
    s @Feb 21, 13:00 <Leak, 2026-02-20 / Feb 21, 13:00> The plumber came.
    s @Feb 21, 13:00 <Leak, 2026-02-20 / Feb 21, 13:00> He left.
    h3 @Feb 21, 15:15 <Leak, 2026-02-20 / Feb 21, 13:00> 15:15
    - @Feb 21, 15:15 <Leak, 2026-02-20 / Feb 21, 13:00 / 15:15> pipe replaced
    h2 <Leak, 2026-02-20> Next steps
    1. <Leak, 2026-02-20 / Next steps> call the insurer
    ");
}

#[test]
fn lists_fold_their_further_lines_in() {
    insta::assert_snapshot!(outline(
        "Shopping:\n- [ ] paint,\n  white\n  - [x] brush\n- [~] ladder\n\n  A borrowed one.\n- ✅ tape\n* ~~gone~~\n\n☐ loose\n☑ done\n\nText\nof a\n2024. paragraph"
    ), @r"
    h7 <> Shopping
    [ ] <Shopping> paint, white
      [x] <Shopping> brush
    [~] <Shopping> ladder
      s <Shopping> A borrowed one.
    [x] <Shopping> tape
    [ ] <Shopping> loose
    [x] <Shopping> done
    s <> Text of a 2024. paragraph
    ");
}

#[test]
fn code_comments_and_front_matter_are_no_segments() {
    insta::assert_snapshot!(outline(
        "---\ntitle: X\n---\nBefore\n\n```sh\n- [ ] no\n```\n\n    - [ ] nor this\n\n<!-- - [ ] hidden\nstill -->\n- item\n\n      code in item\n\nAfter `kept`\n~~~\nopen to the end\n- [ ] no"
    ), @r"
    s <> Before
    - <> item
    s <> After `kept`
    ");
}

#[test]
fn quotes_rows_and_bold_lines() {
    insta::assert_snapshot!(outline(
        "> Anna said: do it.\n> - [ ] now\n\n| Step | State |\n|---|---|\n| Paint | done |\n\n**Open:**\n\nNothing. Yet.\n\nTitle\n-----\nx\r\ny\r\n"
    ), @r"
    s quoted <> Anna said: do it.
    [ ] quoted <> now
    | <> Paint | done
    h6 <> Open
    s <Open> Nothing.
    s <Open> Yet.
    h2 <> Title
    s <Title> x y
    ");
}

#[test]
fn lines_that_open_with_a_day() {
    insta::assert_snapshot!(outline(
        "2026-02-03: called. They wait.\n\nNothing new.\n\n- 12 February - paid\n- posted"
    ), @r"
    s @2026-02-03 <> 2026-02-03: called.
    s @2026-02-03 <> They wait.
    s @2026-02-03 <> Nothing new.
    - @12 February <> 12 February - paid
    - @2026-02-03 <> posted
    ");
}

#[test]
fn a_line_of_work_ends_at_its_end_unless_it_was_wrapped() {
    insta::assert_snapshot!(outline(
        "TODO: fix the butt\nMake sure the seeds arrive\nin time.\ntodo: paint\nBlocked: no seeds\nIt rains.\nTODO: ask the neighbour about the hedge and about the old\nladder in the shed"
    ), @r"
    s <> TODO: fix the butt
    s <> Make sure the seeds arrive in time.
    s <> todo: paint
    s <> Blocked: no seeds
    s <> It rains.
    s <> TODO: ask the neighbour about the hedge and about the old ladder in the shed
    ");
}

#[test]
fn lines_of_quick_notes_end_where_they_end() {
    insta::assert_snapshot!(outline(
        "14:10 Kofi can do the sat night if i take his tue 25 long day. said yes!!\nward 4 want people for their bank holiday gaps, not my problem\nsun 23 still open\n\nquota raised, the other 4 came over too. one more run, right before the switch\nhoster closed #88213. Checked with dig, correct"
    ), @r"
    s @14:10 <> 14:10 Kofi can do the sat night if i take his tue 25 long day.
    s @14:10 <> said yes!!
    s @14:10 <> ward 4 want people for their bank holiday gaps, not my problem
    s @14:10 <> sun 23 still open
    s @14:10 <> quota raised, the other 4 came over too.
    s @14:10 <> one more run, right before the switch
    s @14:10 <> hoster closed #88213.
    s @14:10 <> Checked with dig, correct
    ");
}
