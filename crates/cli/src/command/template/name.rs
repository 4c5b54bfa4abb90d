//! How a template is named in answers.

use dormouse::view::Template;
use dormouse_types::Id as _;

use crate::terminal::line;

/// The name of a template with the end of its id.
pub(super) fn named(template: &Template) -> String {
    format!("{} ({})", line(&template.display_name), template.id.short())
}
