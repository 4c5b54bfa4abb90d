use super::*;

const OLD: &str = "You are Laura: warm, patient and a little funny.\n\nWrite the report in Markdown with a TLDR.\n\nSpeak like a friend.";

fn filled(author: &str, kind: TemplateKind, directives: &str) -> TemplateVersion {
    let (_, mut version) = rows(stock::DEFAULT, Timestamp::from_micros(5));
    version.authored_by = author.into();
    version.directives = directives.into();
    version.general_directive.clear();
    version.report_directive.clear();
    version.schema_version = 1;
    let before = version.clone();
    fill(&mut version, kind);
    // Only the two texts, and that they are filled.
    let alike = TemplateVersion {
        general_directive: before.general_directive.clone(),
        report_directive: before.report_directive.clone(),
        schema_version: before.schema_version,
        ..version.clone()
    };
    assert_eq!(alike, before);
    version
}

#[test]
fn a_version_of_the_program_gets_the_stock_texts_of_its_kind() {
    for kind in TemplateKind::ALL {
        let stock = stock::of_kind(*kind);
        let version = filled(SYSTEM, *kind, OLD);
        assert_eq!(version.general_directive, stock.general);
        assert_eq!(version.report_directive, stock.report);
    }
}

#[test]
fn a_version_of_a_person_keeps_the_paragraphs_about_its_character() {
    let version = filled("owner", TemplateKind::TaskAgent, OLD);
    let wanted = format!(
        "{}\n\nPersonality:\n- You are Laura: warm, patient and a little funny.\n- Speak like a friend.",
        stock::DEFAULT.general
    );
    assert_eq!(version.general_directive, wanted);
    assert_eq!(version.report_directive, stock::DEFAULT.report);
    assert!(!version.general_directive.contains(OLD) && version.directives == OLD);
}

#[test]
fn a_version_with_the_stock_text_of_a_person_is_theirs() {
    // Who wrote it is on record: texts are not compared.
    let version = filled("owner", TemplateKind::TaskAgent, "Be formal.");
    assert!(version.general_directive.ends_with("\n- Be formal."), "{version:?}");
}

#[test]
fn a_text_beyond_the_limit_is_kept_as_far_as_it_fits() {
    let long = format!("Be kind.\n\n{}", "kindness ".repeat(3000));
    let version = filled("owner", TemplateKind::TaskAgent, &long);
    assert!(version.general_directive.ends_with("\n- Be kind."));
    assert!(version.general_directive.len() <= limits::DIRECTIVE.max);
}

#[test]
fn the_stock_texts_are_those_that_the_list_of_requirements_asks_for() {
    let has = |text: &str, words: &[&str]| {
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
    };
    for stock in stock::ALL.iter().filter(|stock| stock.kind == TemplateKind::TaskAgent) {
        let general = [
            "persistent and exact",
            "rough transcripts and typos",
            "When in doubt, ask",
            "test release",
            "Recent User Decisions",
            "only when the facts have plainly changed",
        ];
        has(stock.general, &general);
        has(stock.report, &["update_report with both fields", "tldr", "content", "- [ ]"]);
    }
    let default = ["one to three sentences", "encouraging", "one or two fitting emojis"];
    has(stock::DEFAULT.report, &default);
    let kinds = |kind| stock::ALL.iter().filter(|stock| stock.kind == kind).count();
    let counts: Vec<usize> = TemplateKind::ALL.iter().map(|kind| kinds(*kind)).collect();
    assert_eq!(counts, [4, 1, 1]);
}
