//! `dormouse openapi`: the OpenAPI document.

use crate::config::Config;
use crate::failure::Failure;
use crate::terminal::Screen;

/// Prints the document that a server returns at `/api/openapi.json`, without opening the data
/// folder.
///
/// Errors: the output is closed or full.
pub fn run(config: &Config) -> Result<(), Failure> {
    let mut screen = Screen::new(config.screen);
    screen.body(format!("{:#}", dormouse_server::openapi()).as_bytes());
    screen.flush().map_err(|e| Failure::failed(format!("cannot write the document: {e}")))
}
