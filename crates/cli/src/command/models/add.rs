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
    let at = path_of(&params.name);
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
    let given = Given { name: &params.name, url: params.url.as_deref(), format: params.format };
    let Some(Place { url, format, known }) = given.place(current, &before.known) else {
        let name = line(&params.name);
        return Err(Failure::usage(format!("the address of {name} is missing: give --url")));
    };
    let is_own = params.own || (!params.not_own && current.is_some_and(|current| current.is_own));
    let query = [
        ("format", format.name()),
        ("baseUrl", url.as_str()),
        ("isOwn", if is_own { "true" } else { "false" }),
    ];
    let question = session.client.get(&path(&format!("{at}/question"), &query)).await?;
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
    let reply = session.client.put(&at, body).await?;
    let name = line(&params.name);
    let next = session.command(&format!("models offered {name}"));
    say(session, &reply, &format!("{name} is saved; its models: {next}"));
    if session.screen.is_json() {
        return Ok(());
    }
    if let Some(known) = known.filter(|known| known.format != format) {
        session.screen.say(format!(
            "it is called in the format {format}; the one that works best there is {}: --format {}",
            known.format, known.format
        ));
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
    /// The known provider that is there.
    known: Option<&'a Provider>,
}

impl Given<'_> {
    /// What is left out stays as it is; of a provider that is added it is what is known of its address, else of its
    /// name. `None` if its address is not known.
    fn place<'a>(&self, current: Option<&Provider>, known: &'a [Provider]) -> Option<Place<'a>> {
        let origin = |url: &str| BaseUrl::parse(url.trim()).ok().map(|base| base.origin());
        let is_there = |url: &str| {
            let origin_of_url = origin(url)?;
            known.iter().find(|known| origin(&known.base_url).as_ref() == Some(&origin_of_url))
        };
        let url = self.url.or_else(|| current.map(|current| current.base_url.as_str()));
        let there = match url {
            Some(url) => is_there(url),
            None => known.iter().find(|known| known.name == self.name),
        };
        // Of a known server, its host is enough.
        let is_bare = |url: &&str| BaseUrl::parse(url.trim()).is_ok_and(|base| base.is_origin());
        let url = match (url, there) {
            (Some(url), Some(there)) if is_bare(&url) => there.base_url.clone(),
            (Some(url), _) => url.to_owned(),
            (None, Some(there)) => there.base_url.clone(),
            (None, None) => return None,
        };
        let is_moved = current.is_some_and(|current| origin(&current.base_url) != origin(&url));
        let stays = current.filter(|_| !is_moved || there.is_none()).map(|current| current.format);
        let format = self.format.or(stays).or(there.map(|there| there.format));
        Some(Place { url, format: format.unwrap_or(ApiFormat::ChatCompletions), known: there })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Provider> {
        crate::models::known::PROVIDERS.iter().map(|known| known.provider()).collect()
    }

    fn place(
        name: &str,
        url: Option<&str>,
        format: Option<ApiFormat>,
        current: Option<&Provider>,
    ) -> Option<(String, ApiFormat)> {
        let known = known();
        let place = Given { name, url, format }.place(current, &known);
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
        let back = place("gemini", None, Some(gemini.format), Some(&changed));
        assert_eq!(back, at(below, gemini.format));
    }
}
