//! What Markdown means as tasks, items and entries.

use dormouse_formats::intake::ReadOptions;
use dormouse_formats::markdown::reading_with;
use insta::assert_snapshot;
use jiff::civil::date;

use crate::show::read;

#[test]
fn front_matter_nested_items_notes_and_dated_lines() {
    assert_snapshot!(read("boat.md", include_str!("samples/boat.md")));
}

#[test]
fn headings_with_boxes_are_tasks_and_other_text_finds_its_task() {
    assert_snapshot!(read("household.md", include_str!("samples/household.md")));
}

#[test]
fn a_file_without_boxes_is_one_task_split_at_its_days_and_headings() {
    assert_snapshot!(read("logbook.md", include_str!("samples/logbook.md")));
}

#[test]
fn windows_line_ends_a_byte_order_mark_tabs_and_underlined_headings() {
    assert_snapshot!(read("folder/windows.md", include_str!("samples/windows.md")));
}

#[test]
fn boxes_before_any_heading_make_a_task_of_the_file() {
    assert_snapshot!(read("notes/errands.md", "Today:\n- [ ] milk\n- [ ] bread\n"), @r#"
    TASK "errands" line 1 key notes%2ferrands.md#1
      [ ] milk   <milk#1>
      [ ] bread   <bread#1>
      ENTRY <text#1>
        | Today:
    "#);
    assert_snapshot!(read("errands.md", "---\ntitle: Saturday\n---\n- [ ] milk\n\n# Later\n- [ ] shoes\n"), @r#"
    TASK "Saturday" line 4 key errands.md#1
      [ ] milk   <milk#1>
    TASK "Later" line 6 key errands.md/later#1
      [ ] shoes   <shoes#1>
    "#);
}

#[test]
fn a_title_in_the_front_matter_of_several_tasks_is_remarked() {
    assert_snapshot!(
        read("a.md", "---\ntitle: Both\nestimate: 2h\npriority: P0\n---\n# One\n- [ ] a\n# Two\n- [ ] b\n"),
        @r#"
        TASK "One" line 6 key a.md/one#1
          priority P0
          [ ] a   <a#1>
        TASK "Two" line 8 key a.md/two#1
          priority P0
          [ ] b   <b#1>
        ! 2: title `Both` is not used: 2 tasks have their own headings
        ! 3: estimate of 120 minutes is not used: the file has 2 tasks
        "#
    );
}

#[test]
fn a_title_equal_to_the_heading_is_not_repeated_as_text() {
    assert_snapshot!(read("a.md", "---\ntitle: Paint the shed\nid: shed\n---\n# Paint the  shed\n\nRed.\n\n- [ ] buy paint\n"), @r#"
    TASK "Paint the shed" line 5 key shed/paint the shed#1
      [ ] buy paint   <buy paint#1>
      ENTRY <text#1>
        | Red.
    "#);
}

#[test]
fn headings_beside_a_task_are_tasks_with_or_without_text() {
    assert_snapshot!(
        read("a.md", "# One\n- [ ] a\n\n# TITLE: Two\n\n# LABELS: x\n\n# BODY\n\nWhy.\n\n## Steps\n- [ ] b\n\n# End\nBye.\n"),
        @r#"
        TASK "One" line 1 key a.md/one#1
          [ ] a   <a#1>
        TASK "TITLE: Two" line 4 key a.md/title: two#1
        TASK "LABELS: x" line 6 key a.md/labels: x#1
        TASK "BODY" line 8 key a.md/body#1
          [ ] b   <b#1>
          ENTRY <text#1>
            | Why.
            | 
            | ## Steps
        TASK "End" line 15 key a.md/end#1
          ENTRY <text#1>
            | Bye.
        "#
    );
}

#[test]
fn a_heading_with_text_over_a_single_list_is_the_task_of_that_list() {
    assert_snapshot!(
        read("a.md", "# One\n- [ ] a\n\n# Two\nWhy.\n## Use\nHow.\n## Steps\n- [ ] b\n## Risks\nNone.\n"),
        @r#"
        TASK "One" line 1 key a.md/one#1
          [ ] a   <a#1>
        TASK "Two" line 4 key a.md/two#1
          [ ] b   <b#1>
          ENTRY <text#1>
            | Why.
          ENTRY <use#1>
            | ## Use
            | 
            | How.
          ENTRY <steps#1>
            | ## Steps
          ENTRY <risks#1>
            | ## Risks
            | 
            | None.
        "#
    );
}

#[test]
fn below_a_title_with_boxes_each_heading_beside_a_task_is_one() {
    assert_snapshot!(
        read("a.md", "# Outer\n- [ ] a\n## Inner\n- [ ] b\n## Notes\nabout the outer one\n"),
        @r#"
        TASK "Outer" line 1 key a.md/outer#1
          [ ] a   <a#1>
        TASK "Inner" line 3 key a.md/outer/inner#1
          [ ] b   <b#1>
        TASK "Notes" line 5 key a.md/outer/notes#1
          ENTRY <text#1>
            | about the outer one
        "#
    );
}

#[test]
fn headings_with_a_time_stay_with_their_day() {
    assert_snapshot!(
        read("a.md", "# 2018-03-13, the lock\n\n## Timeline\n\nIn UTC.\n\n### 2018-03-13 07:28\nseen\n\n### 07:40\nstopped\n\n### 0X:XX\nunclear\n\n### Mar 14, 08:00\nagain\n\n## Lessons\n\n### Well\nfast\n\n### Badly\nlate\n"),
        @r#"
        TASK "2018-03-13, the lock" line 1 key a.md#1
          ENTRY <timeline#1> on 2018-03-13
            | ## Timeline
            | 
            | In UTC.
          ENTRY <2018-03-13 07:28#1> on 2018-03-13
            | ### 2018-03-13 07:28
            | 
            | seen
            | 
            | ### 07:40
            | 
            | stopped
            | 
            | ### 0X:XX
            | 
            | unclear
          ENTRY <mar 14, 08:00#1> on 2018-03-14
            | ### Mar 14, 08:00
            | 
            | again
          ENTRY <lessons#1> on 2018-03-13
            | ## Lessons
            | 
            | ### Well
            | 
            | fast
            | 
            | ### Badly
            | 
            | late
        "#
    );
}

#[test]
fn a_heading_that_is_only_a_day_is_no_title() {
    assert_snapshot!(read("diary/monday.md", "# 2026-10-05\n\nRained.\n\n- 2026-10-06: sun\n- Tuesday, 7 October 2026 wind\n"), @r#"
    TASK "monday" line 1 key diary%2fmonday.md#1
      ENTRY <2026-10-05#1> on 2026-10-05
        | # 2026-10-05
        | 
        | Rained.
      ENTRY <2026-10-05@2026-10-06#1> on 2026-10-06
        | - 2026-10-06: sun
      ENTRY <2026-10-05@2026-10-07#1> on 2026-10-07
        | - Tuesday, 7 October 2026 wind
    "#);
}

#[test]
fn a_paragraph_is_not_cut_at_a_day_in_its_middle() {
    assert_snapshot!(read("a.md", "The meeting of\n2026-10-02 was moved to\n2026-10-09.\n\n    2026-10-10: code\n"), @r#"
    TASK "a" line 1 key a.md#1
      ENTRY <text#1>
        | The meeting of
        | 2026-10-02 was moved to
        | 2026-10-09.
        | 
        |     2026-10-10: code
    "#);
}

#[test]
fn a_line_break_in_an_item_sets_a_note_apart_and_a_wrapped_line_does_not() {
    assert_snapshot!(
        read("a.md", "# A\n- [ ] compare the\n  backups  \n  see <https://example.org/a?b=c#d>\n- [ ] paid by\n2026-10-02: receipt came\nwith the mail\n"),
        @r#"
        TASK "A" line 1 key a.md/a#1
          [ ] compare the backups   <compare the backups#1>
          [ ] paid by   <paid by#1>
          ENTRY <text#1>
            | - compare the backups
            |   see <https://example.org/a?b=c#d>
          ENTRY <@2026-10-02#1> on 2026-10-02
            | 2026-10-02: receipt came
            | with the mail
        "#
    );
}

#[test]
fn boxes_in_code_html_and_quotations_are_text() {
    assert_snapshot!(
        read("a.md", "# A\n- [x] real\n\n```\n- [ ] fenced\n```\n\n    - [ ] indented\n\n<!--\n- [ ] commented\n-->\n\n> - [ ] quoted\n\n[ ] naked\n"),
        @r#"
        TASK "A" line 1 key a.md/a#1
          [x] real   <real#1>
          [ ] naked   <naked#1>
          ENTRY <text#1>
            | ```
            | - [ ] fenced
            | ```
            | 
            |     - [ ] indented
            | 
            | <!--
            | - [ ] commented
            | -->
            | 
            | > - [ ] quoted
        "#
    );
}

#[test]
fn items_inside_plain_list_points_keep_their_own_depth() {
    assert_snapshot!(
        read("a.md", "# A\nText.\n\n1. **First**\n    - [ ] a\n        - [ ] b\n            - [x] c\n\n2. **Second**\n    - [ ] d\n      - point\n        - [ ] e\n"),
        @r#"
        TASK "A" line 1 key a.md/a#1
          [ ] a   <a#1>
            [ ] b   <b#1>
              [x] c   <c#1>
          [ ] d   <d#1>
            [ ] e   <e#1>
          ENTRY <text#1>
            | Text.
            | 
            | 1. **First**
            | 
            | 2. **Second**
            | 
            | - d
            |   - point
        "#
    );
}

#[test]
fn an_empty_file_says_so_and_a_title_alone_is_a_task() {
    assert_snapshot!(read("a.md", " \n\n"), @r"! 1: the file is empty: there is nothing to import");
    assert_snapshot!(read("a.md", "---\ntitle: Only this\nlabels:\n  - one\n  - two\n  - One\n---\n"), @r#"
    TASK "Only this" line 1 key a.md#1
      labels one | two
    "#);
}

#[test]
fn a_file_that_begins_with_a_rule_has_no_front_matter() {
    assert_snapshot!(read("a.md", "---\n# Title\ntext\n---\nmore\n"), @r#"
    TASK "Title" line 2 key a.md#1
      ENTRY <text#1>
        | text
        | ---
        | 
        | more
    "#);
}

#[test]
fn a_paragraph_above_a_rule_is_no_heading() {
    let long = "word ".repeat(25);
    let drafts =
        dormouse_formats::markdown::read("a.md", format!("# A\n\n{long}\n---\n").as_bytes())
            .unwrap();
    assert_eq!(drafts.tasks[0].entries[0].text, long.trim());
    assert_snapshot!(read("a.md", "# A\n- [ ] a\n\nwritten in\ntwo lines\n---\n- [ ] b\n\nOne line\n---\ntext\n"), @r#"
    TASK "A" line 1 key a.md/a#1
      [ ] a   <a#1>
      [ ] b   <b#1>
      ENTRY <text#1>
        | written in
        | two lines
      ENTRY <one line#1>
        | One line
        | ---
        | 
        | text
    "#);
}

#[test]
fn front_matter_beyond_the_simple_subset_is_remarked_by_line() {
    assert_snapshot!(
        read("a.md", "---\n# comment\nstatus: blocked\nowner:\n  name: Ada\n  - Bob\nTags: #home, ' x '\nstatus: open\nlang: DE\n---\ntext\n"),
        @r#"
        TASK "a" line 11 key a.md#1
          status BLOCKED
          language de
          labels home | x
          ENTRY <text#1>
            | text
          ENTRY <front matter#1>
            | owner:
            |   name: Ada
            |   - Bob
            | status: open
        ! 2: comment `# comment` is not imported
        ! 3: the status needs a reason; add `reason: …`
        ! 4: unknown front-matter key `owner`: kept in the note
        ! 5: front-matter line `name: Ada` is not understood: kept in the note
        ! 8: front-matter key `status` is there twice: kept in the note
        "#
    );
}

#[test]
fn too_long_a_title_is_cut_and_kept_whole() {
    let item = "word ".repeat(81);
    let heading = "head ".repeat(101);
    let drafts =
        dormouse_formats::markdown::read("a.md", format!("# {heading}\n- [ ] {item}\n").as_bytes())
            .unwrap();
    let task = &drafts.tasks[0];
    assert_eq!((task.title.chars().count(), task.items[0].title.chars().count()), (500, 400));
    let texts: Vec<_> = task.entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, [heading.trim(), item.trim()]);
    let remarks: Vec<_> =
        drafts.not_understood.iter().map(|r| (r.line, r.message.as_str())).collect();
    assert_eq!(
        remarks,
        [
            (
                1,
                "title is 504 characters, at most 500 are accepted: shortened, with the full text kept as an entry"
            ),
            (
                2,
                "item title is 404 characters, at most 400 are accepted: shortened, with the full text kept as an entry"
            ),
        ]
    );
}

#[test]
fn a_text_beyond_the_limit_is_split_between_paragraphs() {
    let paragraph = "A sentence of some length. ".repeat(1500);
    let text = format!("# Log\n\n{0}\n\n{0}\n\n{0}\n\n{0}\n", paragraph.trim());
    let drafts = dormouse_formats::markdown::read("a.md", text.as_bytes()).unwrap();
    let entries = &drafts.tasks[0].entries;
    let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["text#1", "text#1.2"]);
    for entry in entries {
        assert!(entry.text.len() <= 100 * 1024);
        assert_eq!(entry.text, format!("{0}\n\n{0}", paragraph.trim()));
    }
    assert_eq!(drafts.not_understood.len(), 1);
}

#[test]
fn a_day_below_a_task_is_its_text_and_no_task_of_its_own() {
    assert_snapshot!(
        read("a.md", "# Passport\n- [ ] photos\n\n## 2027-02-08\nThe office closes.\n\n- [ ] find the old one\n"),
        @r#"
    TASK "Passport" line 1 key a.md/passport#1
      [ ] photos   <photos#1>
      ENTRY <2027-02-08#1> on 2027-02-08
        | ## 2027-02-08
        | 
        | The office closes.
        | 
        | - [ ] find the old one
    "#
    );
}

#[test]
fn a_day_to_come_in_a_heading_is_no_day_of_its_notes_also_without_a_plan() {
    let days = |heading: &str, today| {
        let read_on = Some(date(2026, 11, 30));
        let options = ReadOptions { today, read_on, ..ReadOptions::default() };
        let text = format!("# Diary\n\n## {heading}\n\nDeadline is Friday.\n");
        let read = reading_with("a.md", text.as_bytes(), &options).expect("a file");
        read.tasks[0].entries.last().and_then(|entry| entry.on)
    };
    for today in [None, Some(date(2026, 11, 30))] {
        for heading in ["Garden party, 20 June 2027", "Fest – 20. Juni 2027", "Talk (2027-03-10)"]
        {
            assert_eq!(days(heading, today), None, "{heading}");
        }
        for (heading, day) in [
            ("Retro (2026-11-20)", date(2026, 11, 20)),
            ("Begehung – 20. November 2026", date(2026, 11, 20)),
            ("2027-03-10", date(2027, 3, 10)),
        ] {
            assert_eq!(days(heading, today), Some(day), "{heading}");
        }
    }
}
