//! `dormouse models add`: adds a provider, or changes what is given of it.

use clap::Args;
use dormouse::models::{ModelsView, ProviderQuestion};
use dormouse_adapters::http::BaseUrl;
use dormouse_types::model_settings::{ApiFormat, Provider};
use serde_json::json;

use super::show::{self, say};
use super::{choose, question};
use crate::client::{encode, path};
use crate::failure::Failure;
use crate::models::known;
use crate::session::Session;
use crate::terminal::line;

#[derive(Debug, Args)]
pub struct Params {
    /// Its name, the first part of provider/model
    name: String,
    /// The address of its API, such as http://localhost:11434/v1 [default: that of a known name, such as openai]
    #[arg(long, value_name = "ADDRESS")]
    url: Option<String>,
    /// The format of its API: chatCompletions, responses, anthropic or gemini [default: that of a known address, else
    /// chatCompletions]
    #[arg(long, value_parser = format)]
    format: Option<ApiFormat>,
    /// It is your own server: private tasks may be sent to it, and calls cost nothing
    #[arg(long)]
    own: bool,
    /// It is not your own server
    #[arg(long, conflicts_with = "own")]
    not_own: bool,
    /// Do not ask before a provider that is in use is changed
    #[arg(long, short)]
    yes: bool,
}

fn format(text: &str) -> Result<ApiFormat, String> {
    text.parse().map_err(|e: dormouse_types::task::NotListed| e.to_string())
}

/// The path of a provider in the API.
pub fn path_of(name: &str) -> String {
    format!("/api/models/providers/{}", encode(name))
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let route = path_of(&params.name);
    let before: ModelsView = session.client.get("/api/models").await?.read()?;
    let all = before.providers.iter().chain(&before.found).map(|view| &view.provider);
    let current = all.into_iter().find(|known| known.name == params.name);
    // That one server is the person's own says nothing about the next one.
    let is_unsaid = !params.own && !params.not_own;
    let moves =
        params.url.as_ref().zip(current).is_some_and(|(url, current)| *url != current.base_url);
    if let Some(current) = current.filter(|current| current.is_own && moves && is_unsaid) {
        let (name, url) = (line(&params.name), line(&current.base_url));
        return Err(Failure::usage(format!("{name} is your own server, at {url}"))
            .hint("say of the other address with --own or --not-own whether that is yours too"));
    }
    let local = known::local_servers();
    if let Some(right) = spelled(&params.name, &before, &local) {
        return Err(Failure::usage(format!(
            "{} is written {}: write its name in that way, or choose another name",
            line(&params.name),
            line(&right)
        )));
    }
    let given = Given { name: &params.name, url: params.url.as_deref(), format: params.format };
    let Some(Place { url, format, at }) = given.place(current, &before.known, &local) else {
        let name = line(&params.name);
        return Err(Failure::usage(format!("the address of {name} is missing: give --url")));
    };
    let is_own = params.own || (!params.not_own && current.is_some_and(|current| current.is_own));
    let query = [
        ("format", format.name()),
        ("baseUrl", url.as_str()),
        ("isOwn", if is_own { "true" } else { "false" }),
    ];
    let question = session.client.get(&path(&format!("{route}/question"), &query)).await?;
    let question: ProviderQuestion = question.read()?;
    if !question.is_agreed {
        if !session.screen.is_json() {
            question::of_provider(session, &params.name, &question);
        }
        if !params.yes {
            choose::says_yes(session, "Change it?")?;
        }
    }
    let body = json!({ "format": format, "baseUrl": url, "isOwn": is_own });
    let reply = session.client.put(&route, body).await?;
    let name = line(&params.name);
    let next = session.command(&format!("models offered {name}"));
    say(session, &reply, &format!("{name} is saved; its models: {next}"));
    if session.screen.is_json() {
        return Ok(());
    }
    match at {
        At::Known(known) if known.format != format => {
            let (best, address) = (known.format, line(&known.base_url));
            let better =
                session.command(&format!("models add {name} --url {address} --format {best}"));
            session.screen.say(format!(
                "it is called in the format {format}; the one that works best there is {best}: {better}"
            ));
        }
        At::Below(known) => session.screen.say(format!(
            "this is another address of {}, whose own is {}",
            line(&known.name),
            line(&known.base_url)
        )),
        At::Known(_) | At::Path(_) | At::Nowhere => {}
    }
    let is_here = BaseUrl::parse(&url).is_ok_and(|base| base.is_loopback());
    if is_here && is_unsaid && current.is_none() {
        let own = session.command(&format!("models add {name} --own"));
        session.screen.say(format!(
            "it is taken as somebody else's server: it is sent nothing private, and its calls count in your budgets. \
             If you run it yourself, and it forwards to nobody: {own}"
        ));
    }
    show::forgotten_tests(session, &before, &reply.read()?);
    Ok(())
}

/// What a person says of a provider.
struct Given<'a> {
    name: &'a str,
    url: Option<&'a str>,
    format: Option<ApiFormat>,
}

/// Where a provider is, and how it is spoken to.
struct Place<'a> {
    url: String,
    format: ApiFormat,
    at: At<'a>,
}

/// What an address says of who answers there.
#[derive(Debug, Clone, Copy, PartialEq)]
enum At<'a> {
    /// It is the address of a known provider, or its host alone.
    Known(&'a Provider),
    /// Its path names a format, also one below the host of a known provider.
    Path(ApiFormat),
    /// Another path on the host of a known provider.
    Below(&'a Provider),
    /// Nothing.
    Nowhere,
}

impl<'a> At<'a> {
    /// `at` in `web/src/screens/settings/models/rules.ts` decides the same.
    fn of(url: &str, known: &'a [Provider]) -> Self {
        let Ok(base) = BaseUrl::parse(url.trim()) else { return Self::Nowhere };
        let address = |known: &Provider| BaseUrl::parse(&known.base_url).ok();
        let is_there = |known: &&Provider| {
            address(known).is_some_and(|address| address.origin() == base.origin())
        };
        let there = known.iter().find(is_there);
        let is_known =
            |known: &&Provider| base.is_origin() || address(known).as_ref() == Some(&base);
        match (there.filter(is_known), named_format(&base.to_string()), there) {
            (Some(known), _, _) => Self::Known(known),
            (None, Some(format), _) => Self::Path(format),
            (None, None, Some(known)) => Self::Below(known),
            (None, None, None) => Self::Nowhere,
        }
    }

    /// The format that is meant by it, if it says so.
    fn format(self) -> Option<ApiFormat> {
        match self {
            Self::Known(known) | Self::Below(known) => Some(known.format),
            Self::Path(format) => Some(format),
            Self::Nowhere => None,
        }
    }
}

/// The format of a company that the path of an address names: its models, or those of others, are offered below it in
/// that format.
fn named_format(address: &str) -> Option<ApiFormat> {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    path.split('/').skip(1).find_map(|part| match part.to_ascii_lowercase().as_str() {
        "openai" => Some(ApiFormat::ChatCompletions),
        "anthropic" => Some(ApiFormat::Anthropic),
        _ => None,
    })
}

/// How the name of a provider is written that is there or known, if `name` writes it in another way.
fn spelled(name: &str, models: &ModelsView, local: &[Provider]) -> Option<String> {
    let added = models.providers.iter().chain(&models.found).map(|view| &view.provider);
    let all: Vec<&str> =
        added.chain(&models.known).chain(local).map(|known| known.name.as_str()).collect();
    let other = all.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    (!all.contains(&name)).then(|| (*other).to_owned())
}

impl Given<'_> {
    /// What is left out stays as it is; of a provider that is added it is what is known of its address, else of its
    /// name. `None` if its address is not known.
    fn place<'a>(
        &self,
        current: Option<&Provider>,
        known: &'a [Provider],
        local: &'a [Provider],
    ) -> Option<Place<'a>> {
        let named = || known.iter().chain(local).find(|known| known.name == self.name);
        let url = match (self.url, current) {
            (Some(url), _) => url.trim().to_owned(),
            (None, Some(current)) => current.base_url.clone(),
            (None, None) => named()?.base_url.clone(),
        };
        let at = At::of(&url, known);
        let base = |url: &str| BaseUrl::parse(url).ok();
        // Of a known server, its host is enough.
        let url = match at {
            At::Known(known) if base(&url).is_some_and(|base| base.is_origin()) => {
                known.base_url.clone()
            }
            At::Known(_) | At::Path(_) | At::Below(_) | At::Nowhere => url,
        };
        // What a person chose for an address stays with it.
        let stays = current.filter(|current| {
            let before = base(&current.base_url);
            let is_moved = before != base(&url);
            let is_same_server = before.map(|it| it.origin()) == base(&url).map(|it| it.origin());
            match at {
                At::Known(_) | At::Path(_) => !is_moved,
                At::Below(_) => is_same_server,
                At::Nowhere => true,
            }
        });
        let format = self.format.or(stays.map(|current| current.format)).or(at.format());
        Some(Place { url, format: format.unwrap_or(ApiFormat::ChatCompletions), at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Provider> {
        known::PROVIDERS.iter().map(|known| known.provider()).collect()
    }

    fn place(
        name: &str,
        url: Option<&str>,
        format: Option<ApiFormat>,
        current: Option<&Provider>,
    ) -> Option<(String, ApiFormat)> {
        let (known, local) = (known(), known::local_servers());
        let place = Given { name, url, format }.place(current, &known, &local);
        place.map(|place| (place.url, place.format))
    }

    #[test]
    fn a_known_name_or_address_gives_what_is_left_out() {
        let of = |name: &str| known().into_iter().find(|one| one.name == name).expect(name);
        let at = |url: &str, format| Some((url.to_owned(), format));
        let (openai, claude, gemini) = (of("openai"), of("anthropic"), of("gemini"));
        let chat = ApiFormat::ChatCompletions;
        let added = place("openai", None, None, None);
        assert_eq!(added, at(&openai.base_url, openai.format));
        let address = claude.base_url.as_str();
        assert_eq!(place("mine", Some(address), None, None), at(address, claude.format));
        let bare = "https://api.anthropic.com/";
        assert_eq!(place("mine", Some(bare), None, None), at(address, claude.format));
        assert_eq!(place("mine", Some(address), Some(chat), None), at(address, chat));
        let elsewhere = "https://gateway.example/openai";
        assert_eq!(place("openai", Some(elsewhere), None, None), at(elsewhere, chat));
        assert_eq!(place("mine", None, None, None), None);
        let below = "https://generativelanguage.googleapis.com/v1beta/openai";
        let changed = Provider { format: chat, base_url: below.into(), ..gemini.clone() };
        let stays = place("gemini", None, None, Some(&changed));
        assert_eq!(stays, at(below, chat), "what a person chose stays");
        let moved = place("gemini", Some(below), None, Some(&gemini));
        assert_eq!(moved, at(below, chat), "another path is another format");
        let back = place("gemini", Some(&gemini.base_url), None, Some(&changed));
        assert_eq!(back, at(&gemini.base_url, gemini.format));
        assert_eq!(place("ollama", None, None, None), at("http://127.0.0.1:11434/v1", chat));
    }

    #[test]
    fn below_the_address_of_a_provider_the_path_decides() {
        let known = known();
        let at = |url: &str| At::of(url, &known);
        let of = |name: &str| known.iter().find(|one| one.name == name).expect(name);
        for (url, name) in [
            ("https://generativelanguage.googleapis.com/v1beta/", "gemini"),
            ("https://API.deepseek.com", "deepseek"),
            ("https://api.groq.com/openai/v1", "groq"),
            ("https://api.groq.com", "groq"),
        ] {
            assert_eq!(at(url), At::Known(of(name)), "{url}");
        }
        for (url, format) in [
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                ApiFormat::ChatCompletions,
            ),
            ("https://api.deepseek.com/anthropic", ApiFormat::Anthropic),
            ("https://gateway.example/v1/anthropic", ApiFormat::Anthropic),
        ] {
            assert_eq!(at(url), At::Path(format), "{url}");
        }
        for (url, name) in [
            ("https://openrouter.ai/api", "openrouter"),
            ("https://api.groq.com/v1", "groq"),
            ("https://api.openai.com/v2", "openai"),
        ] {
            assert_eq!(at(url), At::Below(of(name)), "{url}");
        }
        for url in ["https://models.example/v1", "nothing", "https://openai.example"] {
            assert_eq!(at(url), At::Nowhere, "{url}");
        }
    }
}
