use dormouse_store::agent::template::{SPLIT, TemplateVersion};
use dormouse_types::closed_list::Listed;
use dormouse_types::limits;
use dormouse_types::template::{TemplateKind, TemplateVersionStatus};

use super::*;
use crate::template::stock::{self, Stock};

fn version(schema: i64, [legacy, general, report]: [&str; 3]) -> TemplateVersion {
    TemplateVersion {
        id: "av-00000000000000000000000001".parse().unwrap(),
        agent_id: "at-00000000000000000000000001".parse().unwrap(),
        version: 3,
        status: Listed::Known(TemplateVersionStatus::Active),
        directives: legacy.into(),
        general_directive: general.into(),
        report_directive: report.into(),
        authored_by: "owner".into(),
        created_at: dormouse_types::Timestamp::from_micros(1),
        model_id: None,
        profile_id: None,
        schema_version: schema,
        deleted_at: None,
    }
}

fn check(schema: i64, texts: [&str; 3], wanted: &str) {
    let effective = Effective::of(&version(schema, texts), TemplateKind::TaskAgent);
    assert_eq!(prompt(&effective), wanted);
}

/// The whole prompt of a general directive and what follows it.
fn whole(general: &str, after: &str) -> String {
    format!("{SCAFFOLD}\n\n## Your Personality & Directives\n\n{general}\n\n{after}")
}

#[test]
fn both_directives_stand_under_their_headings() {
    let wanted = whole("Be kind.", "## Report Format\n\nThree lines.");
    check(SPLIT, ["both", "Be kind.", "Three lines."], &wanted);
    check(1, ["old", "Be kind.", "Three lines."], &wanted);
}

#[test]
fn an_empty_directive_is_the_default_one() {
    let Stock { general, report, .. } = *stock::DEFAULT;
    let default = format!("## Report Format\n\n{report}");
    check(SPLIT, ["both", "Be kind.", ""], &whole("Be kind.", &default));
    check(1, ["old", "Be kind.", " \n"], &whole("Be kind.", &default));
    check(SPLIT, ["both", "", "Three lines."], &whole(general, "## Report Format\n\nThree lines."));
    check(SPLIT, ["both", "", ""], &whole(general, &default));
    assert_eq!(prompt(&Effective::stock(TemplateKind::TaskAgent)), whole(general, &default));
}

#[test]
fn a_text_of_the_older_shape_stands_as_it_is_before_the_default_report_rules() {
    let report = stock::DEFAULT.report;
    check(1, ["Be the old one.\n\nReport in verse.", "", ""], &{
        whole("Be the old one.\n\nReport in verse.", report)
    });
    check(1, ["Be the old one.", "", "Three lines."], &whole("Be the old one.", report));
}

#[test]
fn an_own_report_directive_leaves_no_sentence_of_the_default_one() {
    let effective =
        Effective::of(&version(SPLIT, ["", "Be kind.", "Three lines."]), TemplateKind::TaskAgent);
    let text = prompt(&effective);
    for sentence in stock::DEFAULT.report.split(['\n', '.']).map(str::trim) {
        assert!(sentence.is_empty() || !text.contains(sentence), "{sentence}");
    }
}

#[test]
fn the_longest_directives_fit_into_the_fragment() {
    let longest = "x".repeat(limits::DIRECTIVE.max);
    let effective =
        Effective::of(&version(SPLIT, ["", &longest, &longest]), TemplateKind::TaskAgent);
    let cap = dormouse_runs::request::cap(dormouse_types::model::FragmentKind::System);
    assert!(prompt(&effective).len() <= cap);
    for stock in stock::ALL {
        assert!(stock.general.len().max(stock.report.len()) <= limits::DIRECTIVE.max);
    }
}

#[test]
fn both_texts_in_one_are_complete_instructions() {
    let effective = Effective::of(&version(SPLIT, ["", "Be kind.", ""]), TemplateKind::TaskAgent);
    let wanted = format!("Be kind.\n\n## Report Format\n\n{}", stock::DEFAULT.report);
    assert_eq!(effective.joined(), wanted);
}
