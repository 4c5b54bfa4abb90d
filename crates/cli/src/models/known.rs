//! Providers and local servers whose addresses are known.

use dormouse_adapters::http::BaseUrl;
use dormouse_types::model_settings::{ApiFormat, Provider};

/// A company that offers models to everybody who has a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProvider {
    /// Its name in `provider/model` and in the price table.
    pub name: &'static str,
    /// The format that it speaks, and that is the best one there.
    pub format: ApiFormat,
    /// Other formats that it speaks as well, perhaps below another path.
    pub also: &'static [ApiFormat],
    /// Its address.
    pub base_url: &'static str,
}

/// The addresses are those of the providers' own documentation.
pub const PROVIDERS: &[KnownProvider] = &[
    KnownProvider {
        name: "openai",
        format: ApiFormat::Responses,
        also: &[ApiFormat::ChatCompletions],
        base_url: "https://api.openai.com/v1",
    },
    KnownProvider {
        name: "anthropic",
        format: ApiFormat::Anthropic,
        also: &[ApiFormat::ChatCompletions],
        base_url: "https://api.anthropic.com/v1",
    },
    KnownProvider {
        name: "gemini",
        format: ApiFormat::Gemini,
        also: &[ApiFormat::ChatCompletions],
        base_url: "https://generativelanguage.googleapis.com/v1beta",
    },
    KnownProvider {
        name: "mistral",
        format: ApiFormat::ChatCompletions,
        also: &[],
        base_url: "https://api.mistral.ai/v1",
    },
    KnownProvider {
        name: "openrouter",
        format: ApiFormat::ChatCompletions,
        also: &[ApiFormat::Responses, ApiFormat::Anthropic],
        base_url: "https://openrouter.ai/api/v1",
    },
    KnownProvider {
        name: "deepseek",
        format: ApiFormat::ChatCompletions,
        also: &[ApiFormat::Anthropic],
        base_url: "https://api.deepseek.com",
    },
    KnownProvider {
        name: "groq",
        format: ApiFormat::ChatCompletions,
        also: &[ApiFormat::Responses],
        base_url: "https://api.groq.com/openai/v1",
    },
];

/// (name, address) of servers on this machine, with the ports that they use by default.
const LOCAL_SERVERS: &[(&str, &str)] = &[
    ("ollama", "http://127.0.0.1:11434/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("lm-studio", "http://127.0.0.1:1234/v1"),
    ("vllm", "http://127.0.0.1:8000/v1"),
];

impl KnownProvider {
    /// The provider as settings keep it.
    pub fn provider(&self) -> Provider {
        Provider {
            name: self.name.to_owned(),
            format: self.format,
            base_url: self.base_url.to_owned(),
            is_own: false,
            categories: None,
        }
    }

    /// Whether it speaks a format.
    pub fn speaks(&self, format: ApiFormat) -> bool {
        self.format == format || self.also.contains(&format)
    }

    /// Whether an address has the same scheme, host and port.
    pub fn is_at(&self, base: &BaseUrl) -> bool {
        BaseUrl::parse(self.base_url).is_ok_and(|own| own.origin() == base.origin())
    }
}

/// The known provider that has a name, at any address.
pub fn by_name(name: &str) -> Option<&'static KnownProvider> {
    PROVIDERS.iter().find(|known| known.name == name)
}

/// The known provider that an address belongs to, whatever name a person gave it.
pub fn by_address(base: &BaseUrl) -> Option<&'static KnownProvider> {
    PROVIDERS.iter().find(|known| known.is_at(base))
}

/// The known provider whose host an address has, whatever its scheme and port: it is nobody's own server.
pub fn by_host(base: &BaseUrl) -> Option<&'static KnownProvider> {
    PROVIDERS.iter().find(|known| {
        BaseUrl::parse(known.base_url).is_ok_and(|address| address.host() == base.host())
    })
}

/// The servers to look for on this machine.
pub fn local_servers() -> Vec<Provider> {
    let provider = |(name, base_url): &(&str, &str)| Provider {
        name: (*name).to_owned(),
        format: ApiFormat::ChatCompletions,
        base_url: (*base_url).to_owned(),
        is_own: true,
        categories: None,
    };
    LOCAL_SERVERS.iter().map(provider).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_address_is_valid_and_of_one_provider() {
        for known in PROVIDERS {
            let base = BaseUrl::parse(known.base_url).expect(known.name);
            assert_eq!(base.to_string(), known.base_url, "in its one spelling");
            assert_eq!(by_address(&base), Some(known));
            assert!(base.is_tls(), "{}: a key never crosses the network in plain text", known.name);
        }
        for server in local_servers() {
            let base = BaseUrl::parse(&server.base_url).expect("an address");
            assert_eq!(base.to_string(), server.base_url);
            assert_eq!(by_address(&base), None, "{}", server.name);
        }
    }

    #[test]
    fn a_provider_is_known_by_its_address_whatever_its_path() {
        let base = BaseUrl::parse("https://API.openai.com:443/v2").expect("an address");
        assert_eq!(by_address(&base).map(|known| known.name), Some("openai"));
        for other in
            ["http://api.openai.com/v1", "https://api.openai.com:8443", "https://openai.com"]
        {
            let base = BaseUrl::parse(other).expect("an address");
            assert_eq!(by_address(&base), None, "{other}");
        }
        for same in ["http://api.openai.com/v1", "https://api.openai.com.:8443/v1"] {
            let base = BaseUrl::parse(same).expect("an address");
            assert_eq!(by_host(&base).map(|known| known.name), Some("openai"), "{same}");
        }
    }
}
