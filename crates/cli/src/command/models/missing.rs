//! A provider that a command names and that is not there.

use dormouse::models::ModelsView;
use dormouse_types::missing_provider::HowToAdd;

use crate::failure::Failure;
use crate::models::known::local_servers;
use crate::session::Session;
use crate::terminal::line;

/// The failure of a provider that is not there, with the command that adds it after `why`.
pub fn no_provider(session: &Session, name: &str, models: &ModelsView, why: &str) -> Failure {
    let added = models.providers.iter().chain(&models.found).map(|view| view.provider.clone());
    let added: Vec<_> = added.collect();
    let how = HowToAdd::of(name, &added, &models.known, &local_servers());
    let failure = Failure::failed(format!("there is no provider {}", line(name)));
    match how.command() {
        Some(command) => failure.hint(format!("{why}: {}", session.command(&line(&command)))),
        None => failure.hint(how.advice()),
    }
}
