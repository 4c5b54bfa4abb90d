//! Tasks in languages without rules: their own sentences, boxes, days and addresses, and no English around them.

use jiff::civil::date;

use crate::desk::Desk;

fn of(title: &str, open: &str, ticked: &str, note: &str) -> Desk {
    Desk::new(title, date(2026, 11, 24)).item(open, false).item(ticked, true).entry(note)
}

#[test]
fn french_has_every_sentence_and_its_days() {
    let desk = of(
        "Rénover le gîte",
        "Plombier pour la douche",
        "Changer le matelas",
        "On a acheté la peinture avec Marie, elle est dans le garage. Le rendez-vous pour le ménage est le \
         3 décembre 2026 à 9h. Qui garde les clés ? Voir https://exemple.fr/facture/12.",
    );
    insta::assert_snapshot!(desk.rendered());
}

#[test]
fn german_has_every_sentence() {
    let desk = of(
        "Balkon abdichten",
        "Handwerker anrufen",
        "Fotos machen",
        "Der Nachbar hat gesagt, dass das Wasser durch die Fuge kommt. Wir müssen bis zum 12. Dezember 2026 \
         ein Angebot haben. Siehe [Forum](https://example.de/fuge).",
    );
    insta::assert_snapshot!(desk.rendered());
}

#[test]
fn polish_has_titles_and_figures() {
    let desk = of(
        "Remont kuchni",
        "Zamówić płytki",
        "Umówić hydraulika",
        "Hydraulik był w poniedziałek i wymienił zawór, ale ściana jest jeszcze mokra. Trzeba zadzwonić do \
         ubezpieczyciela przed 15.12.2026. Płytki kosztują 2400 zł.",
    );
    insta::assert_snapshot!(desk.rendered());
}

#[test]
fn japanese_sentences_stay_whole() {
    let desk = of(
        "引っ越しの準備",
        "電気の契約",
        "荷造り",
        "昨日、不動産屋さんと話しました。鍵の受け取りは来週です。https://example.jp/moving を参照。",
    );
    insta::assert_snapshot!(desk.rendered());
}

#[test]
fn a_language_that_nobody_wrote_words_for_gets_signs() {
    let mut desk = of(
        "Kuhama nyumba",
        "Lipa umeme",
        "Funga mizigo",
        "Jana nilizungumza na mwenye nyumba. Funguo ziko tayari tarehe 2026-12-10.",
    );
    desk.state.language = Some("sw".into());
    insta::assert_snapshot!(desk.rendered());
}

#[test]
fn signs_name_the_sections_even_where_a_template_wants_no_emojis() {
    let mut desk =
        of("Kuhama nyumba", "Lipa umeme", "Funga mizigo", "Jana nilizungumza na mwenye nyumba.")
            .directed("No emojis.");
    desk.state.language = Some("sw".into());
    let (tldr, content) = desk.report().expect("a report is due");
    assert_eq!(tldr, "Jana nilizungumza na mwenye nyumba. 1/2. Lipa umeme.");
    assert_eq!(content, "## ✅\n\n- Funga mizigo\n\n## 📌\n\n- [ ] Lipa umeme");
}

#[test]
fn the_report_of_a_bare_task_is_its_title() {
    let mut desk = Desk::new("Kuhama nyumba", date(2026, 11, 24));
    desk.state.language = Some("sw".into());
    let (tldr, _) = desk.report().expect("a report is due");
    assert_eq!(tldr, "Kuhama nyumba. 🌱");
}
