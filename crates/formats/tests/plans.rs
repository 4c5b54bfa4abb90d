//! The plan of a Markdown file: each line with its place, and the tasks.

use dormouse_formats::markdown;
use insta::assert_snapshot;

use crate::show::plan_shown;

fn plan(name: &str, text: &str) -> String {
    plan_shown(text, &markdown::reading(name, text.as_bytes()).unwrap())
}

#[test]
fn headings_with_and_without_boxes_are_tasks() {
    assert_snapshot!(plan("move.md", include_str!("samples/move.md")));
}

#[test]
fn the_signs_of_obsidian_tasks_are_fields() {
    assert_snapshot!(plan("vault.md", include_str!("samples/vault.md")));
}

#[test]
fn phases_stand_before_what_is_below_them() {
    assert_snapshot!(plan("phases.md", include_str!("samples/phases.md")));
}
