//! What no report may repeat: secrets, machine ids, personal paths.

use std::sync::LazyLock;

use regex::Regex;

static MASKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        // Keys in the formats of well-known providers.
        r"\b(?:gh[pousr]_|github_pat_|glpat-|sk-|pk_live_|sk_live_|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|SG\.)[A-Za-z0-9_\-.]{8,}",
        r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]+",
        r"|-----BEGIN [A-Z ]+-----[^-]*(?:-----END [A-Z ]+-----)?",
        // Ids that mean something only to a machine.
        r"|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",
        r"|\b[0-7][0-9a-hjkmnp-tv-zA-HJKMNP-TV-Z]{25}\b",
        r"|\b[0-9a-fA-F]{32,}\b",
        r"|\b[A-Za-z0-9+/]{40,}={0,2}",
    ))
    .expect("a fixed pattern")
});

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\)[^\s`'\x22)]+").expect("a fixed pattern")
});

static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:password|passwd|passphrase|pwd|secret|api[ _-]?key|access[ _-]?key|token|pin)\b\s*(?:is|=|:)\s*\S",
        r"|\b[A-Z0-9_]*(?:_TOKEN|_SECRET|_PASSWORD|_API_KEY|_ACCESS_KEY)\b",
        r"|(?i:authorization['\x22]?\s*:|\bbearer\s+[A-Za-z0-9._-]{12,})",
        r"|://[^/\s:@]+:[^/\s@]+@",
    ))
    .expect("a fixed pattern")
});

/// Returns whether a text reveals a secret, or where one is stored.
pub fn holds_secret(text: &str) -> bool {
    SECRET.is_match(text)
}

/// Returns a text without machine ids and personal paths.
pub fn masked(text: &str) -> String {
    let text = MASKED.replace_all(text, "…");
    PATH.replace_all(&text, |found: &regex::Captures<'_>| {
        let path = found[0].trim_end_matches(['/', '\\', '.', ',']);
        let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
        // A home folder is named after its owner.
        if path.split(['/', '\\']).count() > 3 { format!("…/{last}") } else { "…".to_owned() }
    })
    .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known() {
        for (text, secret) in [
            ("The password is hunter2", true),
            ("headers={'Authorization': 'token ' + x}", true),
            ("export SERVICE_API_KEY", true),
            ("api_key = 12", true),
            ("postgres://me:pw@db/x", true),
            ("The token expired", false),
            ("Reset the password", false),
            ("Pin the version", false),
        ] {
            assert_eq!(holds_secret(text), secret, "{text}");
        }
    }

    #[test]
    fn ids_and_personal_paths_are_masked() {
        for (text, expected) in [
            ("run 123e4567-e89b-42d3-a456-426614174000 ended", "run … ended"),
            ("see /home/anna/notes/plan.md now", "see …/plan.md now"),
            ("in /Users/anna.", "in …"),
            ("key ghp_abcdefghij0123456789", "key …"),
            ("pool-32-134a959a-vvsw stays", "pool-32-134a959a-vvsw stays"),
        ] {
            assert_eq!(masked(text), expected, "{text}");
        }
    }
}
