//! Which change a person is asked about before it gives somebody another model.

use dormouse::models::{ModelChoice, OwnModel, Purpose, QuestionScope};
use dormouse_types::template::TemplateKind;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::Problem;
use crate::extract::id;
use crate::wire::Reading;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestionParams {
    /// `builtin` or `provider/model`; `none` if an agent or agent work has none of its own any more. Left out if
    /// an agent or agent work gets another template, or a template another version.
    pub(super) model: Option<String>,
    /// What for; `thinking` by default.
    #[serde(rename = "for")]
    #[param(value_type = Option<Purpose>)]
    pub(super) purpose: Option<String>,
    /// The agent that gets it, or `new` for one that is being made; by default it is for the workspace.
    agent: Option<String>,
    /// The agent work that gets it, or `new` for one that is being made.
    work: Option<String>,
    /// The template whose agents get it, or `new` for one that is being made. With an agent or agent work, the
    /// template that it is to follow; `none` is the default one of agents, and none of agent work.
    template: Option<String>,
    /// With `template=new`: what it is for; `taskAgent` by default.
    #[param(value_type = Option<TemplateKind>)]
    kind: Option<String>,
    /// The number of the version of the template that is to become active.
    version: Option<i64>,
}

impl QuestionParams {
    /// Who gets a model in what way; `None` is the workspace, by its name.
    pub(super) fn change(
        &self,
        purpose: Purpose,
    ) -> Result<Option<(QuestionScope, ModelChoice)>, Problem> {
        let Some(scope) = self.scope()? else { return Ok(None) };
        if purpose == Purpose::Summarising {
            let message = "an agent, a template or agent work has one model: leave `for` out";
            return Err(Problem::invalid("?for", message));
        }
        let follows = match (&scope, self.template.as_deref()) {
            (QuestionScope::Template(_) | QuestionScope::NewTemplate(_), _) | (_, None) => None,
            (_, Some("none")) => Some(None),
            (_, Some(template)) => Some(Some(id(template)?)),
        };
        let choice = match (self.model.as_deref(), self.version) {
            (None, Some(version)) => ModelChoice::Version(version),
            (Some(_), Some(_)) => {
                let message = "a version names its model: leave `model` out";
                return Err(Problem::invalid("?version", message));
            }
            (Some("none"), None) => ModelChoice::Follows { own: OwnModel::Goes, template: follows },
            (Some(model), None) => ModelChoice::Own(model.to_owned()),
            (None, None) if follows.is_some() => {
                ModelChoice::Follows { own: OwnModel::Stays, template: follows }
            }
            (None, None) => return Err(no_model()),
        };
        Ok(Some((scope, choice)))
    }

    /// Who gets the model, if not the workspace.
    fn scope(&self) -> Result<Option<QuestionScope>, Problem> {
        let who = (self.agent.as_deref(), self.work.as_deref(), self.template.as_deref());
        Ok(Some(match who {
            (Some(_), Some(_), _) => {
                let message = "give an agent or agent work, not both";
                return Err(Problem::invalid("?work", message));
            }
            (Some("new"), None, _) => QuestionScope::NewAgent,
            (Some(agent), None, _) => QuestionScope::Agent(id(agent)?),
            (None, Some("new"), _) => QuestionScope::NewWork,
            (None, Some(work), _) => QuestionScope::Work(id(work)?),
            (None, None, Some("new")) => QuestionScope::NewTemplate(self.kind()?),
            (None, None, Some(template)) => QuestionScope::Template(id(template)?),
            (None, None, None) => return Ok(None),
        }))
    }
}

impl QuestionParams {
    /// What a template is for that is being made.
    fn kind(&self) -> Result<TemplateKind, Problem> {
        let mut reading = Reading::default();
        let kind = reading.parse::<TemplateKind>("?kind", self.kind.clone());
        Ok(reading.finish(kind)?.unwrap_or(TemplateKind::TaskAgent))
    }
}

pub(super) fn no_model() -> Problem {
    Problem::invalid("?model", "model is missing: give `provider/model`")
}

/// Reads what a model is for.
///
/// Errors: it is for nothing of that name.
pub(super) fn purpose(field: &'static str, given: Option<String>) -> Result<Purpose, Problem> {
    let mut reading = Reading::default();
    let purpose = reading.parse::<Purpose>(field, given);
    Ok(reading.finish(purpose)?.unwrap_or(Purpose::Thinking))
}
