//! Text folded for search: case and accents are ignored.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Folds text for search. Folding folded text changes nothing.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase().replace('\0', " ");
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        fold_into(c, &mut folded);
    }
    folded
}

/// Finds the first occurrence of a folded word in a text. Returns its start and end in the original
/// text, in bytes.
pub fn find(text: &str, word: &str) -> Option<(usize, usize)> {
    if word.is_empty() {
        return None;
    }
    let mut all = String::with_capacity(text.len());
    // For each byte of the folded text, the character it comes from.
    let mut origin = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        fold_into(c, &mut all);
        origin.resize(all.len(), (at, at + c.len_utf8()));
    }
    let begin = all.find(word)?;
    Some((origin[begin].0, origin[begin + word.len() - 1].1))
}

fn fold_into(c: char, folded: &mut String) {
    if c.is_ascii() {
        // Not every database can store U+0000 in text.
        folded.push(if c == '\0' { ' ' } else { c.to_ascii_lowercase() });
        return;
    }
    if let Some(plain) = without_stroke(c) {
        folded.push_str(plain);
        return;
    }
    for part in c.to_lowercase().nfkd().filter(|part| !is_combining_mark(*part)) {
        for letter in part.to_lowercase() {
            // A raised æ decomposes into an æ.
            match without_stroke(letter) {
                Some(plain) => folded.push_str(plain),
                None => folded.push(letter),
            }
        }
    }
}

/// The plain letters of one with a stroke, or of a ligature: these do not decompose into a letter and
/// an accent.
fn without_stroke(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' => "d",
        'ı' => "i",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_and_accents_make_no_difference() {
        for (one, other) in [
            ("Crème Brûlée", "creme brulee"),
            ("STRASSE", "straße"),
            ("cafe\u{301}", "CAFÉ"),
            ("Ångström", "angstrom"),
            ("ﬁle", "FILE"),
            ("Łódź", "lodz"),
            ("\u{10783}", "AE"),
        ] {
            assert_eq!(folded(one), folded(other), "{one}");
        }
        assert_ne!(folded("a b"), folded("ab"));
    }

    #[test]
    fn a_word_is_found_where_it_is_in_the_text_as_it_is() {
        let text = "Zum Café in der Straße";
        for (word, shown) in [("cafe", "Café"), ("strasse", "Straße"), ("ss", "ß"), ("zum", "Zum")]
        {
            let (begin, end) = find(text, word).expect(word);
            assert_eq!(&text[begin..end], shown);
        }
        assert_eq!(find(text, "tee"), None);
        assert_eq!(find(text, ""), None);
    }

    proptest! {
        #[test]
        fn what_is_folded_stays_and_is_found_in_its_text(text in ".{0,40}", word in ".{1,4}") {
            let once = folded(&text);
            prop_assert_eq!(folded(&once), once.clone());
            let word = folded(&word);
            let found = find(&text, &word);
            prop_assert_eq!(found.is_some(), !word.is_empty() && once.contains(&word));
            if let Some((begin, end)) = found {
                prop_assert!(folded(&text[begin..end]).contains(&word));
            }
        }
    }
}
