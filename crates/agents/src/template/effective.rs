//! What a version of a template means for a prompt.

use dormouse_store::agent::template::TemplateVersion;
use dormouse_types::TemplateVersionId;
use dormouse_types::model::Directives;
use dormouse_types::template::TemplateKind;

use super::stock;

/// The directives that a wake follows, with the version they are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// Both texts; neither is empty.
    pub directives: Directives,
    /// Whether the general one is a text of an older shape, which may speak of reports as well.
    pub is_legacy: bool,
    /// The version; `None` if there is no row and the texts are those of the program.
    pub version: Option<TemplateVersionId>,
}

impl Effective {
    /// The stock directives of a kind.
    pub fn stock(kind: TemplateKind) -> Self {
        let stock = stock::of_kind(kind);
        let directives =
            Directives { general: stock.general.to_owned(), report: stock.report.to_owned() };
        Self { directives, is_legacy: false, version: None }
    }

    /// The directives of a version. An empty one means the default of its kind; a version of the older
    /// shape that nobody has filled follows its one text.
    pub fn of(version: &TemplateVersion, kind: TemplateKind) -> Self {
        let mut effective = Self::stock(kind);
        effective.version = Some(version.id.clone());
        let filled = |text: &str| !text.trim().is_empty();
        if version.is_legacy() && filled(&version.directives) {
            effective.directives.general.clone_from(&version.directives);
            effective.is_legacy = true;
            return effective;
        }
        if filled(&version.general_directive) {
            effective.directives.general.clone_from(&version.general_directive);
        }
        if filled(&version.report_directive) {
            effective.directives.report.clone_from(&version.report_directive);
        }
        effective
    }

    /// Both texts in one, as a reader of the older shape needs them.
    pub fn joined(&self) -> String {
        format!("{}\n\n## Report Format\n\n{}", self.directives.general, self.directives.report)
    }
}
