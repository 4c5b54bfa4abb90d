//! Amounts of money on the command line.

/// Units: micro-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount(pub i64);

/// Reads dollars such as `3`, `0.5` or `$0.10`, to a hundredth of a cent.
pub fn dollars_of(text: &str) -> Result<Amount, String> {
    let wrong = || format!("`{text}` is no amount in dollars: write 3 or 0.50");
    let digits = text.strip_prefix('$').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || whole.len() > 6
        || part.len() > 4
        || !are_digits(whole)
        || !are_digits(part)
    {
        return Err(wrong());
    }
    let whole: i64 = whole.parse().map_err(|_| wrong())?;
    let part: i64 = format!("{part:0<6}").parse().map_err(|_| wrong())?;
    Ok(Amount(whole * 1_000_000 + part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_to_a_hundredth_of_a_cent() {
        for (text, micros) in [
            ("3", 3_000_000),
            ("0.5", 500_000),
            ("$0.10", 100_000),
            ("0", 0),
            ("1.2345", 1_234_500),
        ] {
            assert_eq!(dollars_of(text), Ok(Amount(micros)), "{text}");
        }
        for text in ["", "$", "-1", "1,50", ".5", "1.23456", "1e3", "10000000", "³"] {
            assert!(dollars_of(text).is_err(), "{text}");
        }
    }
}
