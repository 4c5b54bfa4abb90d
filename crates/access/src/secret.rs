//! Texts that open something: 32 random bytes, of which only the hash is kept.

use dormouse_types::port::Entropy;
use dormouse_types::{Digest, hash};

use crate::view::Secret;

/// What a token begins with, so that people and scanners of leaked secrets know it for one.
pub(crate) const PREFIX: &str = "dm_";

/// A fresh one after a prefix.
pub(crate) fn fresh(prefix: &str, entropy: &dyn Entropy) -> Secret {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    Secret(format!("{prefix}{}", base64url(&bytes)))
}

/// The hash of a secret: what is stored of it.
pub(crate) fn hash_secret(secret: &str) -> Digest {
    hash::sha256(secret)
}

/// Shape: 4 characters for 3 bytes, without padding.
///
/// Source: RFC 4648, section 5.
fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |n: usize| u32::from(three.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..=three.len() {
            let digit = (bits >> (18 - 6 * n)) & 63;
            text.push(char::from(DIGITS[usize::try_from(digit).unwrap_or(0)]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_the_standard_says() {
        let cases = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let written = ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"];
        assert_eq!(cases.map(|text| base64url(text.as_bytes())), written);
        assert_eq!(base64url(&[0xfb, 0xff, 0xbf]), "-_-_");
        assert_eq!(base64url(&[7; 32]).len(), 43);
    }
}
