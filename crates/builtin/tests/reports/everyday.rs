//! What a report makes of everyday notes: words stay as they are written, only finished work is achieved, and a day
//! is the day that was meant.

use jiff::civil::date;

use crate::desk::Desk;

/// Monday.
const TODAY: jiff::civil::Date = date(2026, 11, 30);

fn task() -> Desk {
    Desk::new("Task", TODAY)
}

fn task_in(language: &str) -> Desk {
    let mut desk = task();
    desk.state.language = Some(language.into());
    desk
}

fn section(desk: &Desk, sign: &str) -> Vec<String> {
    let (_, content) = desk.report().expect("a report is due");
    let parts = content.split("## ").find(|part| part.starts_with(sign)).unwrap_or_default();
    let units = parts.lines().filter_map(|line| line.strip_prefix("- "));
    units.map(|unit| unit.trim_start_matches("[ ] ").to_owned()).collect()
}

fn summary(desk: &Desk) -> String {
    desk.report().expect("a report is due").0
}

#[test]
fn a_summary_keeps_the_full_stops_inside_a_sentence() {
    for kept in [
        "Übergabe alte Wohnung 31.1. um 10 Uhr",
        "Der Termin ist erst ab 8.2. möglich",
        "We asked for the machine but Prof. Kim gave me a stick",
        "Vet appointment on 3.12. at 9",
        "Bei der Fa. Holz nachgefragt, Angebot kommt am 30. Januar",
        "La Sra. Ruiz tiene las llaves",
        "Mme. Petit garde les clés jusqu'à lundi",
        "Am vorbit cu dl. Popescu despre contract",
    ] {
        let report = summary(&task().entry(kept));
        assert!(report.contains(kept), "{kept}: {report}");
    }
    for (text, joined) in [
        ("The pump is fixed. Anna paid the bill.", "The pump is fixed; Anna paid the bill."),
        ("The pump is fixed! Anna paid the bill.", "The pump is fixed; Anna paid the bill."),
        ("The van seats 12. It is booked now.", "The van seats 12; It is booked now."),
    ] {
        let report = summary(&task().item(text, false));
        assert!(report.contains(joined), "{text}: {report}");
    }
}

#[test]
fn a_title_keeps_the_sign_it_begins_with() {
    for title in ["-5 °C test", "#812 crash on import", "+49 341 5566 anrufen", "#44 wrong colour"]
    {
        let report = task().item(title, false);
        assert_eq!(section(&report, "📌"), [title], "{}", report.rendered());
        assert!(summary(&report).contains(title), "{}", summary(&report));
    }
    for (title, shown) in [
        ("- call Bo", "call Bo"),
        ("## Garden party", "Garden party"),
        ("• milk", "milk"),
        ("-- call Bo", "call Bo"),
    ] {
        assert_eq!(section(&task().item(title, false), "📌"), [shown], "{title}");
    }
}

#[test]
fn what_is_not_finished_is_not_achieved() {
    for text in [
        // It depends.
        "If the form is sent, we are done.",
        "Unless it rains, the roof is finished.",
        "Once the deposit is paid, the hall is booked.",
        "As soon as Kim has signed, it is settled.",
        "We are done, if the bank agrees.",
        "Provided that Tom drives, the move is sorted.",
        // Nearly.
        "Almost finished the form.",
        "The kitchen is nearly done.",
        "Nearly all rooms are painted.",
        "Booked almost everything for the trip.",
        "The shed is practically finished.",
        "I have not quite finished the form.",
        // Somebody believes it.
        "I thought it was sent but it wasn't.",
        "I assumed the deposit was paid.",
        "The form was sent, I think.",
        "Apparently the invoice is paid.",
        "The parcel has probably arrived.",
        // It is denied, or there is an exception.
        "The form was sent but it wasn't really.",
        "Lights are fixed, but not all of them.",
        "Everything's done apart from the mailing list, we cannot do this until IT opens the port.",
        "All invoices are paid except the one from Braun.",
        "Piotr says #812 is fixed in branch login-812, needs review.",
        "The chapter is finished, awaiting approval.",
        // Others did it.
        "The course was cancelled by the school.",
        "The ferry was cancelled.",
        "DJ cancelled.",
        "Cancelled by the venue at short notice.",
        "The bank called: they want two more papers by Monday.",
        "The landlord called me.",
        "The school emailed.",
    ] {
        let desk = task().item("Receipts", false).entry(text);
        let (tldr, _) = desk.report().expect("a report is due");
        assert_eq!(section(&desk, "✅"), [""; 0], "{text}");
        assert!(!tldr.contains('💪'), "{text}: {tldr}");
    }
}

#[test]
fn what_is_finished_is_achieved_whatever_else_the_sentence_says() {
    for text in [
        "Sent the form, ask Kim if it got lost.",
        "Once the form was sent, we closed the file.",
        "When I called, the plumber confirmed the price.",
        "Paid almost 300 € for the tiles.",
        "It took nearly all day but the pump is fixed.",
        "We thought about it and booked the hall.",
        "The pump is fixed, I thought it would take longer.",
        "The leak is fixed, but the wall is not dry.",
        "The form was sent but it wasn't signed.",
        "The pump is fixed, apart from that no news.",
        "Fixed the login, the review was friendly.",
        "Cancelled the gym.",
        "I have cancelled the contract.",
        "We cancelled the old insurance.",
        "Called the bank about the form.",
        "Tom called the bank.",
        "I emailed the school.",
        "Anna painted the door.",
        "Kim says thanks, the hall is booked.",
    ] {
        let desk = task().item("Receipts", false).entry(text);
        assert_eq!(section(&desk, "✅").len(), 1, "{}", desk.rendered());
    }
}

#[test]
fn a_day_that_has_just_passed_is_not_ahead_in_a_year() {
    for (language, text) in [
        ("en", "On 20 Nov the dog was sick all night."),
        ("en", "20/11 the kit came without screws."),
        ("en", "Update 20/11: ordered the kit on the 18th."),
        ("en", "The meeting on October 12 was loud."),
        ("de", "Wir haben am 20. November alles mit Tom besprochen."),
        ("fr", "Le 20 novembre le chien était malade toute la nuit."),
        ("es", "El 20 de noviembre el perro estaba enfermo toda la noche."),
        ("ro", "Pe 20 noiembrie câinele a fost bolnav toată noaptea."),
    ] {
        let desk = task_in(language).entry(text);
        assert_eq!(section(&desk, "📅"), [""; 0], "{text}\n{}", desk.rendered());
    }
    for (language, text, day) in [
        ("en", "The plumber comes on 3 December at nine.", "2026-12-03"),
        ("en", "Next year the fair is on 20 November again.", "2027-11-20"),
        ("en", "The warranty lasts until 20 November for sure.", "2027-11-20"),
        ("en", "The dog will be six on 20 Nov we think.", "2027-11-20"),
        ("en", "The fair is on 20 November 2027 again.", "2027-11-20"),
        ("en", "The concert is on 12 March in the church.", "2027-03-12"),
        ("de", "Nächstes Jahr ist das Fest wieder am 20. November in der Halle.", "2027-11-20"),
        ("fr", "La garantie dure jusqu'au 20 novembre pour la machine.", "2027-11-20"),
        ("es", "La garantía de la máquina dura hasta el 20 de noviembre.", "2027-11-20"),
        ("ro", "Garanția mașinii ține până pe 20 noiembrie la magazin.", "2027-11-20"),
    ] {
        let desk = task_in(language).entry(&format!("Rex 12 kg.\n\n{text}")).since("Nothing yet.");
        let found = section(&desk, "📅");
        let has_day = found.iter().any(|unit| unit.starts_with(day));
        let is_in_words = text.contains("2027");
        assert!(has_day || is_in_words, "{text}: {found:?}\n{}", desk.rendered());
    }
}

#[test]
fn a_relative_day_in_the_summary_has_its_date_below() {
    for (language, text, day) in [
        ("en", "The plumber comes tomorrow.", "2026-12-01"),
        ("en", "The plumber comes on Thursday.", "2026-12-03"),
        ("de", "Der Klempner kommt morgen um neun in die Wohnung.", "2026-12-01"),
        ("fr", "Le plombier passe demain dans la cuisine.", "2026-12-01"),
        ("es", "El fontanero viene mañana a la cocina.", "2026-12-01"),
        ("ro", "Instalatorul vine mâine în bucătărie.", "2026-12-01"),
    ] {
        let desk = task_in(language).entry(text).since("Nothing yet.");
        let found = section(&desk, "📅");
        assert_eq!(found, [format!("{day}: {text}")], "{}", desk.rendered());
    }
    for (language, text) in [
        ("en", "The plumber comes on 2026-12-03 at nine."),
        ("en", "The plumber comes on 3 December at nine."),
        ("de", "Der Klempner kommt am 3. Dezember in die Wohnung."),
        ("fr", "Le plombier passe le 3 décembre dans la cuisine."),
        ("es", "El fontanero viene el 3 de diciembre a la cocina."),
        ("ro", "Instalatorul vine pe 3 decembrie în bucătărie."),
    ] {
        let desk = task_in(language).entry(text).since("Nothing yet.");
        assert_eq!(section(&desk, "📅"), [""; 0], "{}", desk.rendered());
    }
}

#[test]
fn work_below_the_day_of_an_event_was_not_done_on_it() {
    let done = |text: &str| section(&task().entry(text), "✅");
    assert_eq!(done("## Wedding – 5 June 2027\n\nPaid the hall."), ["Paid the hall."]);
    assert_eq!(done("## Talk (2027-03-10)\n\nBooked the train."), ["Booked the train."]);
    assert_eq!(
        done("## Visit – 20 November 2026\n\nPaid the hall."),
        ["Paid the hall (20 November 2026)"]
    );
    assert_eq!(done("## 2026-11-20\n\nPaid the hall."), ["Paid the hall (2026-11-20)"]);
}

#[test]
fn a_mark_inside_a_sentence_names_the_work_in_the_report_too() {
    for (text, left) in [
        ("They want the IBAN, TODO: find the contract", vec!["find the contract"]),
        ("The hinge is loose (TODO buy screws).", vec!["buy screws"]),
        ("Site visit on Monday – TODO photograph the crack", vec!["photograph the crack"]),
        ("Bo asked for the key, and TODO.md has the rest.", vec![]),
        ("The old plan is in a/TODO for now.", vec![]),
        ("> They want the IBAN, TODO: find the contract", vec![]),
    ] {
        assert_eq!(section(&task().entry(text), "📌"), left, "{text}");
    }
    let desk = task().entry("Paid the deposit, TODO: file the receipt");
    assert_eq!(section(&desk, "📌"), ["file the receipt"]);
    assert_eq!(section(&desk, "✅"), ["Paid the deposit"]);
}
