//! `dormouse openapi`: the description of the API.

use crate::config::Config;
use crate::failure::Failure;
use crate::terminal::Screen;

/// Prints the document that a server answers with at `/api/openapi.json`; nothing is opened for it.
///
/// Errors: the output is closed or full.
pub fn run(config: &Config) -> Result<(), Failure> {
    let mut screen = Screen::new(config.screen);
    screen.body(format!("{:#}", dormouse_server::openapi()).as_bytes());
    screen.flush().map_err(|e| Failure::failed(format!("the document cannot be written: {e}")))
}
