//! Canonical JSON: one form per value, however it was written before.

use dormouse_types::hash::{canonical, joined, sha256};
use proptest::prelude::*;
use serde_json::Value;

#[track_caller]
fn check(given: &str, expected: &str) {
    let value: Value = serde_json::from_str(given).unwrap_or_else(|e| panic!("{e}: {given}"));
    let written = canonical(&value).unwrap_or_else(|e| panic!("{e}: {given}"));
    assert_eq!(written, expected, "{given}");
}

/// RFC 8785, section 3.2.2 and 3.2.3: the worked example.
#[test]
fn the_worked_example_of_the_standard() {
    let given = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = concat!(
        r#"{"literals":[null,true,false],"#,
        r#""numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        "\"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
    );
    check(given, expected);
}

/// RFC 8785, section 3.2.3: names are sorted by their UTF-16 code units.
#[test]
fn names_are_sorted_as_the_standard_says() {
    let given = r#"{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let expected = concat!(
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",",
        "\"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",",
        "\"\u{1f600}\":\"Emoji: Grinning Face\",",
        "\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    );
    check(given, expected);
}

/// RFC 8785, appendix B: doubles by their bits.
#[test]
fn numbers_are_written_as_the_standard_says() {
    let samples = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, expected) in samples {
        let number = f64::from_bits(bits);
        assert_eq!(canonical(&number).unwrap(), expected, "{bits:016x}");
    }
}

#[test]
fn a_number_is_written_in_one_way_however_it_was_spelled() {
    let spellings = [
        ("1", &["1.0", "1e0", "10e-1", "0.1E+1"][..]),
        ("0", &["-0", "0.0", "-0.0", "0e5"]),
        ("-12", &["-12.0", "-1.2e1"]),
        ("1.5", &["1.50", "15e-1"]),
        ("9007199254740991", &["9007199254740991.0"]),
        ("9007199254740992", &["9007199254740992.0", "9007199254740993"]),
        (
            "9223372036854776000",
            &["9223372036854775807", "9223372036854775808", "9.223372036854775807e18"],
        ),
        ("18446744073709552000", &["18446744073709551615", "18446744073709551615.0"]),
        ("-9223372036854776000", &["-9223372036854775808", "-9223372036854775808.0"]),
    ];
    for (expected, spelled) in spellings {
        for spelling in std::iter::once(&expected).chain(spelled) {
            check(spelling, expected);
            check(&format!(r#"{{"a":[{spelling}]}}"#), &format!(r#"{{"a":[{expected}]}}"#));
        }
    }
}

#[test]
fn texts_are_written_without_needless_escapes_and_not_normalised() {
    check(r#""\u0041\u00e4\/\t""#, "\"A\u{e4}/\\t\"");
    check("\"\\u0000\\u001f\u{7f}\"", "\"\\u0000\\u001f\u{7f}\"");
    // A letter in composed and in decomposed form is two different strings.
    check(r#""\u00e4""#, "\"\u{e4}\"");
    check(r#""a\u0308""#, "\"a\u{308}\"");
}

#[test]
fn what_is_no_json_is_null_or_refused() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(canonical(&vec![number]).unwrap(), "[null]");
    }
    let by_pair = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert!(canonical(&by_pair).is_err(), "keys that are no texts");
}

#[test]
fn hashes_are_the_known_ones() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(sha256("").as_str(), empty);
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256("abc").as_str(), abc);
    assert_eq!(joined(&["a", "b", "c"]), sha256("a|b|c"));
    assert_ne!(joined(&["a", "b"]), joined(&["ab"]));
}

/// A value and the ways to write it: key order, number and string spelling, white space.
#[derive(Debug, Clone)]
enum Spelled {
    Plain(&'static str),
    Number(i32, u8),
    Text(String, bool),
    Array(Vec<Spelled>),
    Object(Vec<(String, Spelled)>),
}

impl Spelled {
    fn write(&self, gap: &str, turned: bool) -> String {
        match self {
            Self::Plain(text) => (*text).to_owned(),
            Self::Number(number, zeros) if turned => {
                format!("{number}.{}", "0".repeat(usize::from(*zeros) + 1))
            }
            Self::Number(number, _) => number.to_string(),
            Self::Text(text, escaped) if turned && *escaped => escape(text),
            Self::Text(text, _) => serde_json::to_string(text).expect("a text"),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| item.write(gap, turned)).collect();
                format!("[{gap}{}]", items.join(&format!("{gap},{gap}")))
            }
            Self::Object(pairs) => {
                let mut pairs: Vec<_> = pairs
                    .iter()
                    .map(|(key, value)| {
                        let key = if turned { escape(key) } else { format!("{key:?}") };
                        format!("{gap}{key}{gap}:{gap}{}", value.write(gap, turned))
                    })
                    .collect();
                if turned {
                    pairs.reverse();
                }
                format!("{{{}{gap}}}", pairs.join(","))
            }
        }
    }
}

fn escape(text: &str) -> String {
    let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    format!("\"{escaped}\"")
}

fn spelled() -> impl Strategy<Value = Spelled> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "false", "0.1", "1e300"])
            .prop_map(Spelled::Plain),
        (any::<i32>(), 0u8..4).prop_map(|(number, zeros)| Spelled::Number(number, zeros)),
        ("\\PC{0,6}", any::<bool>()).prop_map(|(text, escaped)| Spelled::Text(text, escaped)),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        let pairs = prop::collection::btree_map("[a-z0-9]{0,4}", inner.clone(), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Spelled::Array),
            pairs.prop_map(|pairs| Spelled::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spelling_order_and_gaps_do_not_matter(value in spelled(), gap in "[ \n\t]{0,2}") {
        let one: Value = serde_json::from_str(&value.write("", false)).unwrap();
        let other: Value = serde_json::from_str(&value.write(&gap, true)).unwrap();
        let (one, other) = (canonical(&one).unwrap(), canonical(&other).unwrap());
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(sha256(&one), sha256(&other));

        // Canonical text is a fixed point.
        let again: Value = serde_json::from_str(&one).unwrap();
        prop_assert_eq!(canonical(&again).unwrap(), one);
    }

    #[test]
    fn whole_numbers_that_a_double_holds_are_written_out(n in -(1i64 << 53)..=1 << 53) {
        prop_assert_eq!(canonical(&n).unwrap(), n.to_string());
    }

    #[test]
    fn a_double_is_read_back_as_it_was(bits in any::<u64>()) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let written = canonical(&number).unwrap();
        prop_assert_eq!(written.parse::<f64>().unwrap(), number, "{}", written);
        let wrapped = serde_json::json!({"nested": [number]});
        prop_assert_eq!(canonical(&wrapped).unwrap(), format!("{{\"nested\":[{written}]}}"));
    }
}
