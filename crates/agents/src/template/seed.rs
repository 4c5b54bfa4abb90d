//! What a start adds to templates: those that come with the program, and the two directives of versions
//! that were written before there were two.

use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::template::{self, SPLIT, SYSTEM, Template, TemplateVersion};
use dormouse_store::{Commit, Db, Policy, Refusal, retry};
use dormouse_types::closed_list::Listed;
use dormouse_types::template::{TemplateKind, TemplateVersionStatus};
use dormouse_types::{Id as _, Timestamp, WorkspaceId, limits};

use super::stock::{self, Stock};
use crate::{AgentError, Agents};

/// How often a start decides again while another node does the same.
const ATTEMPTS: Policy = Policy::Attempts(5);

/// What a text of the older shape says about reports and tools rather than about the character.
const NOT_PERSONA: &[&str] =
    &["report", "tldr", "markdown", "section", "- [ ]", "checkbox", "update_", "heading", "tool"];

impl Agents {
    /// Writes the stock templates that were never there, and fills the directives of versions of the
    /// older shape. A start that finds everything in place writes nothing; one that another node
    /// overtakes finds its rows.
    pub async fn seed_templates(&self, ws: WorkspaceId) -> Result<(), AgentError> {
        // Refused, another node was first, with the same rows.
        retry(ATTEMPTS, &[Refusal::Exists], || self.seed_stock(ws)).await?;
        retry(ATTEMPTS, &[Refusal::Stale], || self.fill(ws)).await
    }

    async fn seed_stock(&self, ws: WorkspaceId) -> Result<(), AgentError> {
        let ids: Vec<_> = stock::ALL.iter().map(Stock::id).collect();
        // Deleted ones are found, too: they stay deleted. So are damaged ones.
        let there = self.store.all(entity::lines(entity::some::<Template>(ws, &ids))).await?;
        let is_missing = |stock: &&Stock| !there.iter().any(|it| it.id == stock.id().as_str());
        let missing: Vec<&Stock> = stock::ALL.iter().filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let ops = missing.into_iter().flat_map(|stock| {
            let (template, version) = rows(stock, now);
            [entity::insert(ws, &template), entity::insert(ws, &version)]
        });
        self.store.commit(Commit::new("template.seed", Db::Agent, ws).ops(ops)).await?;
        Ok(())
    }

    async fn fill(&self, ws: WorkspaceId) -> Result<(), AgentError> {
        let versions = self.store.each(template::of_older_shape(ws)).await?;
        // A damaged row is reported where versions are listed; it hides no other.
        let empty: Vec<Stored<TemplateVersion>> =
            versions.into_iter().flatten().filter(|it| needs_filling(&it.doc.value)).collect();
        if empty.is_empty() {
            return Ok(());
        }
        let templates = self.store.each(entity::of_kind::<Template>(ws)).await?;
        let templates: Vec<Template> =
            templates.into_iter().flatten().map(|it| it.doc.value).collect();
        for mut stored in empty {
            let of = |template: &&Template| template.id == stored.doc.value.agent_id;
            let kind = templates.iter().find(of).and_then(|template| template.kind.known());
            fill(&mut stored.doc.value, kind.unwrap_or(TemplateKind::TaskAgent));
            let commit =
                Commit::new("template.fill", Db::Agent, ws).op(entity::replace(ws, &stored));
            self.store.commit(commit).await?;
        }
        Ok(())
    }
}

/// Whether a version is of the older shape, with both directives empty.
fn needs_filling(version: &TemplateVersion) -> bool {
    version.schema_version < SPLIT
        && version.general_directive.trim().is_empty()
        && version.report_directive.trim().is_empty()
}

/// Fills both directives by the kind of template. What a person wrote keeps its character; who wrote it is
/// on record, so texts need not be compared.
fn fill(version: &mut TemplateVersion, kind: TemplateKind) {
    let stock = stock::of_kind(kind);
    version.general_directive = if version.authored_by == SYSTEM {
        stock.general.to_owned()
    } else {
        with_persona(stock.general, &version.directives)
    };
    stock.report.clone_into(&mut version.report_directive);
    version.schema_version = SPLIT;
}

/// The stock rules, followed by the paragraphs of an older text that are about character.
fn with_persona(rules: &str, directives: &str) -> String {
    let mut text = rules.to_owned();
    let is_persona = |paragraph: &&str| {
        let lower = paragraph.to_lowercase();
        !paragraph.is_empty() && !NOT_PERSONA.iter().any(|word| lower.contains(word))
    };
    let mut heading = "\n\nPersonality:";
    for paragraph in directives.split("\n\n").map(str::trim).filter(is_persona) {
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let grown = format!("{heading}\n- {line}");
        if text.len() + grown.len() > limits::DIRECTIVE.max {
            break;
        }
        text.push_str(&grown);
        heading = "";
    }
    text
}

fn rows(stock: &Stock, now: Timestamp) -> (Template, TemplateVersion) {
    let id = stock.id();
    let template = Template {
        id: id.clone(),
        agent_id: id.clone(),
        kind: Listed::Known(stock.kind),
        display_name: stock.name.to_owned(),
        category_ids: Vec::new(),
        newest_version: 1,
        revision: 1,
        created_at: now,
        updated_at: now,
        archived_at: None,
        deleted_at: None,
    };
    let version = TemplateVersion {
        id: stock.numbered("av").parse().expect("a word of letters makes an id"),
        agent_id: id,
        version: 1,
        status: Listed::Known(TemplateVersionStatus::Active),
        directives: format!("{}\n\n## Report Format\n\n{}", stock.general, stock.report),
        general_directive: stock.general.to_owned(),
        report_directive: stock.report.to_owned(),
        authored_by: SYSTEM.to_owned(),
        created_at: now,
        model_id: None,
        profile_id: None,
        schema_version: SPLIT,
        deleted_at: None,
    };
    (template, version)
}

#[cfg(test)]
#[path = "seed_tests.rs"]
mod tests;
