//! What cannot be configured.

use dormouse_adapters::http::{BaseUrl, BaseUrlError, Secret, SecretError};
use dormouse_adapters::models::{ApiFormat, ModelConfig, ModelId, default_base_url, http_request};

use crate::support::requests::{config, request};

#[test]
fn a_base_url_is_the_address_of_a_server_and_nothing_else() {
    let good = [
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("https://API.example.com:443/v1/", "https://api.example.com/v1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://example.com/a/b//", "https://example.com/a/b"),
        ("https://example.com./a", "https://example.com/a"),
    ];
    for (text, expected) in good {
        assert_eq!(BaseUrl::parse(text).unwrap().to_string(), expected);
    }
    let bad = [
        "",
        "localhost",
        "localhost:11434",
        "ftp://example.com",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://a b/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://example.com/\nHost: other",
        "http://exämple.com/",
        "http://./",
        "http://example.com../",
    ];
    for text in bad {
        assert!(BaseUrl::parse(text).is_err(), "{text:?}");
    }
    for text in ["https://key@example.com", "https://user:secret@example.com/v1", "key@host"] {
        let error = BaseUrl::parse(text).unwrap_err();
        assert_eq!(error, BaseUrlError::UserInfo);
        assert!(!error.to_string().contains("secret"));
    }
    for text in ["https://example.com/v1?key=secret", "https://example.com/#secret"] {
        let error = BaseUrl::parse(text).unwrap_err();
        assert_eq!(error, BaseUrlError::Query);
        assert!(!error.to_string().contains("secret"));
    }
    let long = format!("http://example.com/{}", "a".repeat(2048));
    assert_eq!(BaseUrl::parse(&long), Err(BaseUrlError::TooLong));
}

#[test]
fn what_is_not_encrypted_can_be_read_on_the_way_outside_of_the_own_network() {
    let unread = [
        "https://api.example.com",
        "http://localhost:11434/v1",
        "http://gpu:8000",
        "http://127.0.0.1.:8080",
        "http://10.0.0.2",
        "http://172.16.4.1",
        "http://192.168.1.7:8000",
        "http://169.254.1.1",
        "http://100.100.1.1",
        "http://[::1]:8080",
        "http://[fd00::7]",
        "http://[fe80::7]",
        "http://[::ffff:192.168.1.7]",
        "http://attic.local",
        "http://attic.lan",
        "http://attic.home.arpa",
        "http://models.internal",
    ];
    let read = [
        "http://api.example.com",
        "http://8.8.8.8",
        "http://134744072",
        "http://0x8080808",
        "http://100.128.0.1",
        "http://172.32.0.1",
        "http://[2001:db8::1]",
        "http://[::ffff:8.8.8.8]",
        "http://evil.local.example.com",
    ];
    for (addresses, expected) in [(&unread[..], false), (&read[..], true)] {
        for text in addresses {
            let base = BaseUrl::parse(text).unwrap();
            assert_eq!(base.is_readable_on_the_way(), expected, "{text}");
        }
    }
}

#[test]
fn a_key_is_what_a_header_can_carry_and_is_never_shown() {
    let cases = [
        ("", SecretError::Empty),
        ("sk-1\n", SecretError::Character),
        ("sk 1", SecretError::Character),
        ("\"sk-1\"", SecretError::Quoted),
        ("“sk-1”", SecretError::Quoted),
        ("'sk-1", SecretError::Quoted),
        ("sk-1\r\nx-other: 1", SecretError::Character),
        ("schlüssel", SecretError::Character),
    ];
    for (text, expected) in cases {
        assert_eq!(Secret::new(text), Err(expected));
    }
    assert_eq!(Secret::new("a".repeat(4097)), Err(SecretError::TooLong));
    let config = config(ApiFormat::Anthropic);
    assert!(!format!("{config:?} {:?}", config.key).contains("very-secret"));
    let said = config.key.unwrap().hide_in("wrong key sk-very-secret!");
    assert_eq!(said, "wrong key (not shown)!");
}

#[test]
fn a_model_id_has_spaces_only_inside() {
    for text in
        ["qwen3:8b", "openai/gpt-5-nano", "models/gemini-2.5-flash", "модель", "My Model Q4.gguf"]
    {
        assert_eq!(ModelId::new(text).unwrap().as_str(), text);
    }
    for text in ["", " ", " a", "a ", "a\u{a0}b", "a\tb", "a\nb", "a\u{0}", &"a".repeat(201)] {
        assert!(ModelId::new(text).is_err(), "{text:?}");
    }
}

#[test]
fn an_address_in_anthropics_format_may_have_its_version_or_not() {
    for (base, expected) in [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"),
        ("https://api.deepseek.com/anthropic/", "https://api.deepseek.com/anthropic/v1/messages"),
        ("https://gw.example/v2beta", "https://gw.example/v2beta/messages"),
        ("https://gw.example/vertex", "https://gw.example/vertex/v1/messages"),
    ] {
        let base = BaseUrl::parse(base).unwrap();
        let config = ModelConfig { base, ..config(ApiFormat::Anthropic) };
        assert_eq!(http_request(&request(), &config).target.to_string(), expected);
    }
    let bare = BaseUrl::parse("https://gw.example").unwrap();
    let config = ModelConfig { base: bare, ..config(ApiFormat::ChatCompletions) };
    let target = http_request(&request(), &config).target.to_string();
    assert_eq!(target, "https://gw.example/chat/completions", "others have no such habit");
}

#[test]
fn every_format_has_the_address_of_its_maker() {
    for format in ApiFormat::ALL {
        BaseUrl::parse(default_base_url(*format)).unwrap();
    }
}
