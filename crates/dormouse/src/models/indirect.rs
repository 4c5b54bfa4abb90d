//! The model that somebody would ask after a change that may not name it.

use dormouse_types::{Caller, Scope, TemplateId};

use super::{BUILT_IN, ModelQuestion, QuestionScope};
use crate::request::require;
use crate::{Dormouse, Error};

/// What is about to change about an agent, a template or agent work, so that another model may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// It gets a model of its own: `builtin`, or `provider/model`.
    Own(String),
    /// This version of a template becomes the active one.
    Version(i64),
    /// An agent or agent work follows a template, the same as now or another one.
    Follows {
        /// Whether a model of its own stays.
        own: OwnModel,
        /// Another template; the inner `None` is the default one for an agent, and none for agent work.
        template: Option<Option<TemplateId>>,
    },
}

/// Whether a model of its own stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnModel {
    /// It stays, if there is one.
    Stays,
    /// There is none any more.
    Goes,
}

/// What an agent or agent work has now: a model of its own, and a template.
type Now = (Option<String>, Option<TemplateId>);

impl Dormouse {
    /// What a person should know before a change gives an agent, a template or agent work another model. The
    /// answer names the model.
    ///
    /// Errors: no such agent, template, version or work; `scope` has no such choice; the model cannot be built.
    pub async fn question_of_change(
        &self,
        caller: &Caller,
        scope: &QuestionScope,
        choice: &ModelChoice,
    ) -> Result<ModelQuestion, Error> {
        require(caller, Scope::Read)?;
        let named = match choice {
            ModelChoice::Own(id) => Some(id.clone()),
            ModelChoice::Version(number) => {
                let QuestionScope::Template(template) = scope else { return Err(no_choice()) };
                self.queries.template_version(caller.workspace, template, *number).await?.model_id
            }
            ModelChoice::Follows { own, template } => {
                let (has, follows) = self.has_now(caller, scope).await?;
                match has.filter(|_| *own == OwnModel::Stays) {
                    Some(own) => Some(own),
                    None => {
                        let template = template.clone().unwrap_or(follows);
                        self.model_of_followed(caller, scope, template).await?
                    }
                }
            }
        };
        let id = match named {
            Some(named) => named,
            None => self.chosen(&self.model_settings(caller).await?).0,
        };
        self.own_model_question(caller, &id, scope).await
    }

    async fn has_now(&self, caller: &Caller, scope: &QuestionScope) -> Result<Now, Error> {
        match scope {
            QuestionScope::Agent(id) => {
                let mut agents = self.live_agents(caller).await?.into_iter();
                let agent = agents.find(|agent| agent.id == *id);
                let missing = || Error::NotFound { what: "agent", id: id.to_string() };
                let config = agent.ok_or_else(missing)?.config;
                Ok((config.model, config.template_id))
            }
            QuestionScope::Work(id) => {
                let work = self.work.definition(caller.workspace, id).await?;
                Ok((work.model, work.template))
            }
            QuestionScope::NewAgent | QuestionScope::NewWork => Ok((None, None)),
            QuestionScope::Workspace
            | QuestionScope::Template(_)
            | QuestionScope::NewTemplate(_) => Err(no_choice()),
        }
    }

    /// The model of the active version of a template; an agent without a template follows the default one.
    async fn model_of_followed(
        &self,
        caller: &Caller,
        scope: &QuestionScope,
        template: Option<TemplateId>,
    ) -> Result<Option<String>, Error> {
        let Some(template) = template else {
            let is_agent = matches!(scope, QuestionScope::Agent(_) | QuestionScope::NewAgent);
            let of_default = self.models.name_for(None, None).filter(|_| is_agent);
            let public = |name: String| match name == self.source.built_in.name() {
                true => BUILT_IN.to_owned(),
                false => name,
            };
            return Ok(of_default.map(public));
        };
        let detail = self.queries.template(caller.workspace, &template).await?;
        Ok(detail.version.and_then(|version| version.model_id))
    }
}

fn no_choice() -> Error {
    let message = "an agent or agent work follows a template, and a template has versions: name \
                   the model, or give what fits";
    Error::Invalid { field: "model", message: message.to_owned() }
}
