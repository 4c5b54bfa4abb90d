//! Whether a call of a hook is what it says it is: pure, from its headers, its body, the secrets and the
//! time.
//!
//! Source: the specification of Standard Webhooks; "Validating webhook deliveries" of GitHub.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dormouse_types::work_hook::{HookForm, HookRefusal};
use dormouse_types::{Timestamp, hash, limits};
use ring::hmac;

/// What a secret of the standard form begins with.
const PREFIX: &str = "whsec_";
/// Units: bytes. How long the key of a secret of the standard form may be.
const KEY_SIZES: std::ops::RangeInclusive<usize> = 24..=64;
/// Units: bytes. How long a secret of the form of Git hosts may be.
const TEXT_SIZES: std::ops::RangeInclusive<usize> = 16..=200;
/// The most signatures of one call that are looked at: one for each secret of the sender.
const SIGNATURES: usize = 10;

/// The headers of a call that matter here, as they were sent.
#[derive(Debug, Clone, Default)]
pub struct HookHeaders {
    /// `webhook-id`.
    pub id: Option<String>,
    /// `webhook-timestamp`.
    pub timestamp: Option<String>,
    /// `webhook-signature`.
    pub signature: Option<String>,
    /// `x-hub-signature-256`.
    pub body_signature: Option<String>,
    /// `x-github-delivery`, else `x-gitea-delivery`.
    pub delivery: Option<String>,
}

impl HookHeaders {
    /// Takes them from the headers of a request.
    pub fn read<'h>(get: impl Fn(&str) -> Option<&'h str>) -> Self {
        let header = |name| get(name).map(ToOwned::to_owned);
        Self {
            id: header("webhook-id"),
            timestamp: header("webhook-timestamp"),
            signature: header("webhook-signature"),
            body_signature: header("x-hub-signature-256"),
            delivery: header("x-github-delivery").or_else(|| header("x-gitea-delivery")),
        }
    }
}

/// A secret that a sender signs its calls with.
#[derive(Clone, PartialEq, Eq)]
pub struct HookSecret {
    text: String,
    key: Vec<u8>,
}

// Keeps the secret out of logs.
impl fmt::Debug for HookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookSecret(…)")
    }
}

impl HookSecret {
    /// A secret made of random bytes.
    pub fn fresh(form: HookForm, random: [u8; 32]) -> Self {
        let encoded = STANDARD.encode(random);
        match form {
            HookForm::Standard => Self { text: format!("{PREFIX}{encoded}"), key: random.to_vec() },
            HookForm::GitHost => Self { key: encoded.clone().into_bytes(), text: encoded },
        }
    }

    /// Reads a secret as the person was shown it, or as a sender made it.
    ///
    /// Errors: what is wrong with it; the text does not repeat it.
    pub fn read(form: HookForm, text: &str) -> Result<Self, &'static str> {
        let key = match form {
            HookForm::Standard => {
                let wrong = "the secret must be `whsec_` and the base64 of 24 to 64 bytes";
                let key = text.strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok());
                key.filter(|key| KEY_SIZES.contains(&key.len())).ok_or(wrong)?
            }
            HookForm::GitHost => {
                if !TEXT_SIZES.contains(&text.len()) || text.contains(char::is_control) {
                    return Err("the secret must have 16 to 200 bytes, and no line break");
                }
                text.as_bytes().to_vec()
            }
        };
        Ok(Self { text: text.to_owned(), key })
    }

    /// The secret as the person is shown it.
    pub fn expose(&self) -> &str {
        &self.text
    }

    fn fits(&self, message: &[u8], tag: &[u8]) -> bool {
        // Compares in constant time.
        hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, &self.key), message, tag).is_ok()
    }
}

/// A call whose signature is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The id that the sender gave it.
    pub id: String,
    /// What the signature makes unique. The id of a Git host is not signed: anyone who saw a call could send
    /// it again under another one. So there it is the hash of the body.
    pub signed: String,
}

/// Accepts a call that one of the secrets signed.
///
/// Errors: why it is refused.
pub fn verify(
    form: HookForm,
    secrets: &[HookSecret],
    headers: &HookHeaders,
    body: &[u8],
    now: Timestamp,
) -> Result<Delivery, HookRefusal> {
    match form {
        HookForm::Standard => standard(secrets, headers, body, now),
        HookForm::GitHost => git_host(secrets, headers, body),
    }
}

/// A header that must be there.
fn needed(header: Option<&String>) -> Result<&str, HookRefusal> {
    header.map(|text| text.trim()).filter(|text| !text.is_empty()).ok_or(HookRefusal::Malformed)
}

fn checked_id(header: Option<&String>) -> Result<String, HookRefusal> {
    let id = needed(header)?;
    let is_fine = limits::HOOK_DELIVERY_ID.check(id.len()).is_ok()
        && id.bytes().all(|byte| byte.is_ascii_graphic());
    if is_fine { Ok(id.to_owned()) } else { Err(HookRefusal::Malformed) }
}

fn standard(
    secrets: &[HookSecret],
    headers: &HookHeaders,
    body: &[u8],
    now: Timestamp,
) -> Result<Delivery, HookRefusal> {
    let id = checked_id(headers.id.as_ref())?;
    let timestamp = needed(headers.timestamp.as_ref())?;
    let is_number = timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: i64 = timestamp.parse().map_err(|_| HookRefusal::Malformed)?;
    // With a dot in the id, one signature would fit two calls.
    if !is_number || id.contains('.') {
        return Err(HookRefusal::Malformed);
    }
    let given = needed(headers.signature.as_ref())?;
    let mut message = format!("{id}.{timestamp}.").into_bytes();
    message.extend_from_slice(body);
    let tags = given.split_ascii_whitespace().filter_map(|one| one.strip_prefix("v1,"));
    let mut tags = tags.take(SIGNATURES).filter_map(|tag| STANDARD.decode(tag).ok());
    if !tags.any(|tag| secrets.iter().any(|secret| secret.fits(&message, &tag))) {
        return Err(HookRefusal::Forged);
    }
    let now = now.micros().div_euclid(1_000_000);
    if now.abs_diff(seconds) > limits::HOOK_TOLERANCE_SECONDS.unsigned_abs() {
        return Err(HookRefusal::Late);
    }
    Ok(Delivery { signed: id.clone(), id })
}

fn git_host(
    secrets: &[HookSecret],
    headers: &HookHeaders,
    body: &[u8],
) -> Result<Delivery, HookRefusal> {
    let id = checked_id(headers.delivery.as_ref())?;
    let given = needed(headers.body_signature.as_ref())?;
    let tag = given.strip_prefix("sha256=").and_then(bytes_of).ok_or(HookRefusal::Forged)?;
    if !secrets.iter().any(|secret| secret.fits(body, &tag)) {
        return Err(HookRefusal::Forged);
    }
    Ok(Delivery { id, signed: hash::sha256(body).0 })
}

/// The bytes of hex digits.
fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits.filter(|digits| digits.len() % 2 == 0)?;
    pairs.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_614_265_330;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn secret(form: HookForm, text: &str) -> HookSecret {
        HookSecret::read(form, text).expect("a secret")
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    /// Source: the example of the specification.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn call() -> HookHeaders {
        HookHeaders {
            id: some("msg_p5jXN8AQM9LWM0D4loKWxJek"),
            timestamp: some("1614265330"),
            signature: some(SIGNATURE),
            ..HookHeaders::default()
        }
    }

    #[track_caller]
    fn check(headers: &HookHeaders, body: &[u8], now: i64, expected: Result<&str, HookRefusal>) {
        let secrets = [secret(HookForm::Standard, SECRET)];
        let found = verify(HookForm::Standard, &secrets, headers, body, at(now));
        assert_eq!(found.as_ref().map(|call| call.id.as_str()).map_err(|e| *e), expected);
    }

    #[test]
    fn a_call_signed_as_the_standard_says_is_accepted_within_five_minutes() {
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        for now in [NOW, NOW - 300, NOW + 300] {
            check(&call(), BODY, now, Ok(id));
        }
        for now in [NOW - 301, NOW + 301, 0, i64::from(u32::MAX)] {
            check(&call(), BODY, now, Err(HookRefusal::Late));
        }
    }

    #[test]
    fn what_is_not_signed_by_a_secret_is_forged() {
        let forged = |headers: HookHeaders| check(&headers, BODY, NOW, Err(HookRefusal::Forged));
        check(&call(), br#"{"test": 2432232315}"#, NOW, Err(HookRefusal::Forged));
        check(&call(), b"", NOW, Err(HookRefusal::Forged));
        forged(HookHeaders { id: some("another"), ..call() });
        forged(HookHeaders { timestamp: some("1614265331"), ..call() });
        for signature in
            ["v1,", "v1", "v2,AAAA", &SIGNATURE[3..], &format!("v1a,{}", &SIGNATURE[3..])]
        {
            forged(HookHeaders { signature: some(signature), ..call() });
        }
        // A wrong signature is reported before a wrong time: nobody learns anything about the clock.
        let other = HookHeaders { signature: some("v1,AAAA"), ..call() };
        check(&other, BODY, 0, Err(HookRefusal::Forged));
    }

    #[test]
    fn one_right_signature_among_several_is_enough() {
        let both = format!("v1,AAAA v2,ignored {SIGNATURE}");
        check(
            &HookHeaders { signature: Some(both), ..call() },
            BODY,
            NOW,
            Ok("msg_p5jXN8AQM9LWM0D4loKWxJek"),
        );
        let many = "v1,AAAA ".repeat(SIGNATURES) + SIGNATURE;
        let many = HookHeaders { signature: Some(many), ..call() };
        check(&many, BODY, NOW, Err(HookRefusal::Forged));
        let secrets =
            [HookSecret::fresh(HookForm::Standard, [7; 32]), secret(HookForm::Standard, SECRET)];
        let found = verify(HookForm::Standard, &secrets, &call(), BODY, at(NOW));
        assert!(found.is_ok(), "while it rotates, both secrets count");
        assert_eq!(
            verify(HookForm::Standard, &[], &call(), BODY, at(NOW)),
            Err(HookRefusal::Forged),
            "without a secret nothing is accepted"
        );
    }

    #[test]
    fn a_call_that_lacks_a_header_is_malformed() {
        let malformed =
            |headers: HookHeaders| check(&headers, BODY, NOW, Err(HookRefusal::Malformed));
        malformed(HookHeaders::default());
        malformed(HookHeaders { id: None, ..call() });
        malformed(HookHeaders { timestamp: None, ..call() });
        malformed(HookHeaders { signature: some(" "), ..call() });
        for timestamp in ["+1614265330", "-5", "now", "1e9", "99999999999999999999"] {
            malformed(HookHeaders { timestamp: some(timestamp), ..call() });
        }
        for id in ["a.b", "a b", "ä", &"x".repeat(limits::HOOK_DELIVERY_ID.max + 1)] {
            malformed(HookHeaders { id: some(id), ..call() });
        }
    }

    #[test]
    fn the_form_of_git_hosts_signs_the_body_alone() {
        // Source: the example of "Validating webhook deliveries" of GitHub.
        let secrets = [secret(HookForm::GitHost, "It's a Secret to Everybody")];
        let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let headers = HookHeaders {
            delivery: some("72d3162e-cc78-11e3-81ab-4c9367dc0958"),
            body_signature: some(signature),
            ..HookHeaders::default()
        };
        let verify = |headers: &HookHeaders, body: &[u8]| {
            verify(HookForm::GitHost, &secrets, headers, body, at(0))
        };
        let found = verify(&headers, b"Hello, World!").expect("accepted");
        assert_eq!(found.id, "72d3162e-cc78-11e3-81ab-4c9367dc0958");
        assert_eq!(found.signed, hash::sha256(b"Hello, World!").0, "its id is not signed");
        assert_eq!(verify(&headers, b"Hello, World?"), Err(HookRefusal::Forged));
        let bare = HookHeaders { delivery: None, ..headers.clone() };
        assert_eq!(verify(&bare, b"Hello, World!"), Err(HookRefusal::Malformed));
        for wrong in ["sha256=", "sha256=zz", "sha256=7", &signature[7..], "sha1=00"] {
            let headers = HookHeaders { body_signature: some(wrong), ..headers.clone() };
            assert_eq!(verify(&headers, b"Hello, World!"), Err(HookRefusal::Forged), "{wrong}");
        }
        // The other form is never accepted in its place.
        assert_eq!(verify(&call(), BODY), Err(HookRefusal::Malformed));
    }

    #[test]
    fn headers_are_known_by_their_names() {
        let read = HookHeaders::read(|name| match name {
            "webhook-id" => Some("a"),
            "x-gitea-delivery" => Some("b"),
            _ => None,
        });
        assert_eq!((read.id.as_deref(), read.delivery.as_deref()), (Some("a"), Some("b")));
    }

    #[test]
    fn a_secret_that_was_made_is_read_again_and_is_never_shown_in_logs() {
        for form in HookForm::ALL {
            let fresh = HookSecret::fresh(*form, [9; 32]);
            assert_eq!(HookSecret::read(*form, fresh.expose()), Ok(fresh.clone()));
            assert!(!format!("{fresh:?}").contains(fresh.expose()));
        }
        for wrong in ["", "whsec_", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%"] {
            assert!(HookSecret::read(HookForm::Standard, wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "short", "sixteen bytes, and\na line break"] {
            assert!(HookSecret::read(HookForm::GitHost, wrong).is_err(), "{wrong}");
        }
    }
}
