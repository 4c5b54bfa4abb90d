//! Detects the language a task is written in.

use dormouse_types::model::TaskState;
use whatlang::{Detector, Lang as Known, Script};

use super::fold;
use super::segment::Segment;

/// Language detected in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// ISO 639 code; empty if it cannot be detected.
    pub code: &'static str,
    /// How certain the detection is.
    pub confidence: Confidence,
}

/// How certain a detection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Not certain enough to act on.
    None,
    /// Two indicators agree on a short text.
    Medium,
    /// Two indicators agree on a long text.
    High,
}

/// Folded function words that distinguish the languages.
const SIGNS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "the", "and", "is", "are", "was", "were", "with", "this", "that", "from", "have",
            "been", "will", "should", "which", "not", "it", "we", "for", "to", "of",
        ],
    ),
    (
        "de",
        &[
            "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "fur", "auf", "wird",
            "wurde", "werden", "auch", "noch", "von", "bei", "im", "zu", "den",
        ],
    ),
    (
        "fr",
        &[
            "le", "les", "des", "et", "est", "une", "dans", "pour", "pas", "avec", "sur", "qui",
            "nous", "par", "sont", "du", "cette", "aux", "ne", "ete",
        ],
    ),
    (
        "es",
        &[
            "el", "los", "las", "y", "una", "para", "con", "por", "del", "que", "como", "pero",
            "esta", "se", "al", "ya", "hay", "fue", "mas", "lo",
        ],
    ),
    (
        "ro",
        &[
            "si", "nu", "este", "sunt", "pentru", "cu", "din", "care", "pe", "sau", "mai", "sa",
            "fi", "dupa", "cand", "daca", "fost", "am", "au", "ca",
        ],
    ),
    (
        "it",
        &[
            "il", "che", "di", "per", "non", "sono", "gli", "della", "nel", "alla", "con", "del",
            "si", "una", "ho", "anche", "ancora", "dal", "stato", "lo",
        ],
    ),
    (
        "pt",
        &[
            "o", "os", "nao", "uma", "com", "para", "que", "em", "da", "do", "foi", "ao", "mais",
            "dos", "pela", "ainda", "ja", "esta", "mas", "na",
        ],
    ),
    (
        "nl",
        &[
            "het", "een", "van", "niet", "ook", "op", "voor", "wordt", "zijn", "maar", "nog", "de",
            "te", "naar", "bij", "dat", "met", "moet", "er", "heeft",
        ],
    ),
    (
        "pl",
        &[
            "nie", "jest", "sie", "na", "do", "przez", "oraz", "juz", "jeszcze", "ale", "ze",
            "trzeba", "byl", "z", "w", "od", "po", "dla", "czy", "tylko",
        ],
    ),
    (
        "sv",
        &[
            "och", "att", "det", "som", "inte", "med", "har", "pa", "den", "ett", "till", "fran",
            "ar", "av", "vi", "maste", "efter", "om", "ska", "var",
        ],
    ),
];

/// Units: characters. Enough to detect a language; more only costs time.
const SAMPLE_MAX: usize = 12_000;

/// Detects the language of a task from its entries, title and items.
pub fn detect(state: &TaskState, segments: &[Segment]) -> Detected {
    let mut sample = String::new();
    let titles = state.items.iter().map(|item| item.title.as_str());
    let words = segments.iter().map(|segment| segment.text.as_str());
    for text in words.chain([state.title.as_str()]).chain(titles) {
        if sample.len() > SAMPLE_MAX {
            break;
        }
        sample.extend(text.chars().take(SAMPLE_MAX));
        sample.push('\n');
    }
    of_text(&sample)
}

/// Detects the language of a text.
pub fn of_text(text: &str) -> Detected {
    const NOTHING: Detected = Detected { code: "", confidence: Confidence::None };
    let prose = without_code(text);
    let folded = fold::fold(&prose);
    let words: Vec<&str> = fold::words(&folded).collect();
    let mut counts: Vec<(usize, &'static str)> = SIGNS
        .iter()
        .map(|(code, signs)| (words.iter().filter(|word| signs.contains(*word)).count(), *code))
        .collect();
    // Ties keep the order of the table.
    counts.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    let (first, second) = (counts[0], counts[1]);
    let guess = Detector::new().detect(&prose);
    let guessed = guess.as_ref().and_then(|info| code_of(info.lang()));
    let clear = first.0 >= 3 && first.0 >= 2 * second.0.max(1);
    let long = words.len() >= 25;
    // Related languages share many function words; the statistics decide between them.
    let related =
        first.0 >= 3 && long && counts.iter().any(|(n, of)| Some(*of) == guessed && *n == first.0);
    match (clear, guessed) {
        (true, Some(code)) if code == first.1 && long => {
            Detected { code, confidence: Confidence::High }
        }
        (true, Some(code)) if code == first.1 => Detected { code, confidence: Confidence::Medium },
        (false, Some(code)) if related => Detected { code, confidence: Confidence::Medium },
        // Function words are more reliable if names and code distort the statistics.
        (true, _) if first.0 >= 8 => Detected { code: first.1, confidence: Confidence::Medium },
        (false, Some(code))
            if long && first.0 < 2 && guess.as_ref().is_some_and(whatlang::Info::is_reliable) =>
        {
            Detected { code, confidence: Confidence::Medium }
        }
        // A script that only one language uses needs no long text.
        (false, Some(code))
            if guess.as_ref().is_some_and(|info| is_of_one_language(info.script())) =>
        {
            Detected { code, confidence: Confidence::Medium }
        }
        _ => NOTHING,
    }
}

fn is_of_one_language(script: Script) -> bool {
    matches!(
        script,
        Script::Bengali
            | Script::Greek
            | Script::Hangul
            | Script::Hebrew
            | Script::Hiragana
            | Script::Katakana
            | Script::Mandarin
            | Script::Thai
    )
}

/// Removes code spans, because identifiers look like English.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns the code of a language that a task may have.
fn code_of(lang: Known) -> Option<&'static str> {
    let code = match lang {
        Known::Ara => "ar",
        Known::Ben => "bn",
        Known::Bul => "bg",
        Known::Cmn => "zh",
        Known::Hrv => "hr",
        Known::Ces => "cs",
        Known::Dan => "da",
        Known::Nld => "nl",
        Known::Eng => "en",
        Known::Est => "et",
        Known::Fin => "fi",
        Known::Fra => "fr",
        Known::Deu => "de",
        Known::Ell => "el",
        Known::Heb => "he",
        Known::Hin => "hi",
        Known::Hun => "hu",
        Known::Ind => "id",
        Known::Ita => "it",
        Known::Jpn => "ja",
        Known::Kor => "ko",
        Known::Lav => "lv",
        Known::Lit => "lt",
        Known::Nob => "no",
        Known::Pol => "pl",
        Known::Por => "pt",
        Known::Ron => "ro",
        Known::Rus => "ru",
        Known::Srp => "sr",
        Known::Slk => "sk",
        Known::Slv => "sl",
        Known::Spa => "es",
        Known::Swe => "sv",
        Known::Tha => "th",
        Known::Tur => "tr",
        Known::Ukr => "uk",
        Known::Vie => "vi",
        _ => return None,
    };
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_distinguished() {
        for (text, code, confidence) in [
            (
                "The plumber came on Monday and replaced the pipe, but the wall is still wet. We should call the insurer before the end of the week, and it is not clear who pays for that.",
                "en",
                Confidence::High,
            ),
            (
                "Der Klempner war am Montag da und hat das Rohr ersetzt, aber die Wand ist noch nicht trocken. Wir werden die Versicherung vor dem Ende der Woche anrufen, und das ist auch nicht billig.",
                "de",
                Confidence::High,
            ),
            (
                "Le plombier est venu lundi et le tuyau est remplacé dans la cuisine, mais les murs ne sont pas encore secs pour une peinture avec des couleurs que nous aimons.",
                "fr",
                Confidence::High,
            ),
            (
                "El fontanero vino el lunes y cambió el tubo, pero la pared ya no está seca. Hay que llamar al seguro para que se pague lo que fue dañado por el agua con los muebles.",
                "es",
                Confidence::High,
            ),
            (
                "Instalatorul a venit luni și a schimbat țeava, dar peretele nu este uscat. Sunt multe de făcut pentru că apa a fost și pe podea, iar asigurarea nu a fost sunată din cauza sărbătorii.",
                "ro",
                Confidence::High,
            ),
            (
                "Oggi ho parlato con il padrone di casa: le chiavi si ritirano il 10.12.2026 e la caparra è di 900 euro. Bisogna ancora avvisare l'amministratore del condominio. Chi porta il pianoforte?",
                "it",
                Confidence::High,
            ),
            (
                "Hoje falei com o senhorio: as chaves ficam prontas no dia 10 e a caução é de 900 euros. Ainda é preciso avisar a administração do condomínio antes do fim do mês.",
                "pt",
                Confidence::High,
            ),
            (
                "De loodgieter is maandag geweest en heeft de kraan vervangen, maar de muur is nog nat. We moeten voor het einde van de maand de verzekering bellen.",
                "nl",
                Confidence::High,
            ),
            (
                "Hydraulik był w poniedziałek i wymienił zawór, ale ściana jest jeszcze mokra. Trzeba zadzwonić do ubezpieczyciela przed końcem tygodnia i nie wiadomo, kto za to płaci.",
                "pl",
                Confidence::High,
            ),
            (
                "Rörmokaren kom på måndagen och bytte röret, men väggen är inte torr. Vi måste ringa försäkringen efter helgen och det är inte klart vem som betalar.",
                "sv",
                Confidence::High,
            ),
            ("昨日、不動産屋さんと話しました。", "ja", Confidence::Medium),
            ("Call Bob", "", Confidence::None),
            ("", "", Confidence::None),
            ("`let the = and.is(were)`", "", Confidence::None),
        ] {
            assert_eq!(of_text(text), Detected { code, confidence }, "{text}");
        }
    }
}
