//! Secrets as they are in the database: sealed for their hook, by a key that is outside.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dormouse_types::HookId;
use dormouse_types::Id as _;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

/// Units: bytes. The random part of a sealed text.
pub const NONCE: usize = NONCE_LEN;

fn cipher(key: &[u8; 32]) -> LessSafeKey {
    let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key of this cipher has 32 bytes");
    LessSafeKey::new(key)
}

/// What a text is sealed for: moved to another row, it cannot be opened.
fn place(hook: &HookId, n: i64) -> Aad<Vec<u8>> {
    Aad::from(format!("{}|{n}", hook.as_str()).into_bytes())
}

/// Seals the nth secret of a hook. `nonce` is random, and never used twice.
pub fn seal(key: &[u8; 32], hook: &HookId, n: i64, nonce: [u8; NONCE], text: &str) -> String {
    let mut sealed = text.as_bytes().to_vec();
    cipher(key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), place(hook, n), &mut sealed)
        .expect("a secret is far shorter than what one nonce seals");
    STANDARD.encode([&nonce[..], &sealed].concat())
}

/// Opens what [`seal`] made; `None` if another key made it, or for another place.
pub fn open(key: &[u8; 32], hook: &HookId, n: i64, sealed: &str) -> Option<String> {
    let mut bytes = STANDARD.decode(sealed).ok()?;
    let (nonce, text) = bytes.split_first_chunk_mut::<NONCE>()?;
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let text = cipher(key).open_in_place(nonce, place(hook, n), text).ok()?;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(mark: &str) -> HookId {
        format!("hook-{}", mark.repeat(26)).parse().expect("an id")
    }

    #[test]
    fn a_secret_is_opened_by_its_key_in_its_place_alone() {
        let (key, other) = ([1; 32], [2; 32]);
        let sealed = seal(&key, &hook("a"), 1, [3; NONCE], "whsec_abc");
        assert_eq!(open(&key, &hook("a"), 1, &sealed).as_deref(), Some("whsec_abc"));
        assert_eq!(open(&other, &hook("a"), 1, &sealed), None, "another key");
        assert_eq!(open(&key, &hook("b"), 1, &sealed), None, "another hook");
        assert_eq!(open(&key, &hook("a"), 2, &sealed), None, "another number");
        let mut bytes = STANDARD.decode(&sealed).expect("base64");
        bytes[NONCE] ^= 1;
        assert_eq!(open(&key, &hook("a"), 1, &STANDARD.encode(bytes)), None, "a changed byte");
        for wrong in ["", "AAAA", "not base64"] {
            assert_eq!(open(&key, &hook("a"), 1, wrong), None, "{wrong}");
        }
        assert!(!sealed.contains("whsec"));
    }
}
