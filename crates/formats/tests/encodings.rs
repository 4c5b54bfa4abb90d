//! Files that are not UTF-8: read if it is certain what they are, else refused.

use dormouse_formats::plan::{self, Options};

/// The titles and remarks of a file, or why it is refused.
fn read(bytes: &[u8]) -> Result<(Vec<String>, Vec<String>), String> {
    match plan::read("list.txt", bytes, &Options::default()) {
        Ok(reading) => {
            let remarks =
                reading.remarks.iter().map(|one| format!("{}: {}", one.line, one.message));
            Ok((reading.tasks.iter().map(|task| task.title.clone()).collect(), remarks.collect()))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(to_bytes).collect()
}

const LIST: &str = "Café with Zoë 🎂\r\nMüll hinaus\r\n";

#[test]
fn utf_16_with_a_byte_order_mark_is_read() {
    let expected = Ok((vec!["Café with Zoë 🎂".to_owned(), "Müll hinaus".to_owned()], vec![]));
    assert_eq!(read(&utf16(LIST, u16::to_le_bytes)), expected);
    assert_eq!(read(&utf16(LIST, u16::to_be_bytes)), expected);
    let sheet = utf16("Task\tDue Date\r\nÜbung\t2026-12-01\r\n", u16::to_le_bytes);
    assert_eq!(read(&sheet).unwrap().0, ["Übung"]);
}

#[test]
fn utf_16_that_is_broken_is_refused_with_what_to_do() {
    let refused = Err("list.txt begins as UTF-16 and goes on as something else; save the file as UTF-8 and import it \
                       again"
        .to_owned());
    let mut odd = utf16(LIST, u16::to_le_bytes);
    odd.push(b'x');
    assert_eq!(read(&odd), refused);
    assert_eq!(read(b"\xff\xfe\x00\xd8a\x00"), refused);
    assert!(read(b"\xff\xfe\x00\x00a\x00\x00\x00").unwrap_err().contains("NUL"));
}

#[test]
fn windows_1252_is_read_and_said() {
    let (titles, remarks) = read(
        b"Caf\xe9 mit Zo\xeb \x96 20 \x80\r\nM\xfcll hinaus\r\nL\x92\xe9t\xe9 \xe0 la mer\r\n",
    )
    .unwrap();
    assert_eq!(titles, ["Café mit Zoë – 20 €", "Müll hinaus", "L’été à la mer"]);
    assert_eq!(
        remarks,
        [
            "1: the file is not UTF-8: read as Windows-1252 (Western European); if letters are wrong, save it as UTF-8"
        ]
    );
}

#[test]
fn what_may_be_another_encoding_is_refused() {
    let cyrillic = b"\xca\xf3\xef\xe8\xf2\xfc \xec\xee\xeb\xee\xea\xee\n";
    let polish = b"Kupi\xe6 ksi\xb9\xbfk\xea\n";
    let broken = b"caf\xc3\xa9 and caf\xe9\n";
    let shift_jis = b"\x83\x5e\x83\x58\x83\x4e\x82\xf0\n";
    let no_letter = b"buy 5 \xb0 of it\n";
    let control = b"caf\xe9 \x01\x02\n";
    for bytes in [&cyrillic[..], polish, broken, shift_jis, no_letter, control] {
        let error = read(bytes).unwrap_err();
        assert!(
            error.ends_with("is not UTF-8; save the file as UTF-8 and import it again"),
            "{error}"
        );
    }
}

#[test]
fn a_picture_is_called_one() {
    let error = read(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR").unwrap_err();
    assert!(error.contains("is a picture or another file without text"), "{error}");
}

#[test]
fn a_document_that_is_no_list_is_called_what_it_is() {
    let page = "<!DOCTYPE html>\n<html><body><ul><li>milk</li></ul></body></html>\n";
    let xhtml = "<?xml version=\"1.0\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">\n</html>\n";
    let notes = "\u{feff}<?xml version=\"1.0\"?>\n<en-export>\n<note><title>Trip</title></note>\n</en-export>\n";
    for (text, kind) in [
        (page, "a web page (HTML)"),
        (xhtml, "a web page (HTML)"),
        (notes, "XML of a program that is not known"),
        ("{\\rtf1\\ansi milk\\par bread}\n", "rich text (RTF)"),
        ("%PDF-1.4\n1 0 obj<<>>endobj\n", "a PDF"),
        ("BEGIN:VCARD\nFN:Tom\nEND:VCARD\n", "a list of contacts (vCard)"),
    ] {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(
            error.contains(&format!("is {kind}, which cannot be imported; export it as")),
            "{error}"
        );
    }
    // Markdown may begin with a tag.
    assert!(read(b"<p align=\"center\">Moving</p>\n\n- [ ] boxes\n- [ ] van\n").is_ok());
}
