//! Amounts of money and of tokens on the command line.

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

/// Units: tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens(pub i64);

/// The largest budget that the server takes, in digits.
const DIGITS: usize = 12;

/// Reads tokens such as `250000`, `500k` or `1.5M`, as the page does.
pub fn tokens_of(text: &str) -> Result<Tokens, String> {
    let wrong = || format!("`{text}` is no number of tokens: write 250000, 500k or 1.5M");
    let (digits, zeros) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 3),
        None => text.strip_suffix(['m', 'M']).map_or((text, 0), |digits| (digits, 6)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = !whole.is_empty()
        && whole.len() + zeros <= DIGITS
        && part.len() <= zeros
        && (digits == whole || !part.is_empty())
        && are_digits(whole)
        && are_digits(part);
    if !is_number {
        return Err(wrong());
    }
    format!("{whole}{part:0<zeros$}").parse().map(Tokens).map_err(|_| wrong())
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

    #[test]
    fn tokens_are_read_with_thousands_and_millions() {
        for (text, count) in [
            ("0", 0),
            ("250000", 250_000),
            ("500k", 500_000),
            ("1.5M", 1_500_000),
            ("0.25k", 250),
            ("2m", 2_000_000),
        ] {
            assert_eq!(tokens_of(text), Ok(Tokens(count)), "{text}");
        }
        for text in ["", "k", "-1", "1.5", "1.k", "1,5k", "1e3", "9999999999999", "1.2345k", "²k"]
        {
            assert!(tokens_of(text).is_err(), "{text}");
        }
    }
}
