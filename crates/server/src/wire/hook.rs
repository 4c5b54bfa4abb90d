//! Request bodies about hooks of agent work.

use dormouse::work_hooks::{NewHook, OldSecrets};
use dormouse_types::work_hook::HookForm;
use serde::Deserialize;
use utoipa::ToSchema;

use super::read::Reading;
use crate::Problem;

/// A hook to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct HookParams {
    /// What the person calls it.
    name: String,
    /// How its calls are signed; `standard` if left out.
    #[schema(value_type = Option<HookForm>)]
    form: Option<String>,
    /// The secret, if the sender made it: `whsec_` and base64 in the form `standard`, else 16 to 200
    /// bytes. If left out, one is made.
    secret: Option<String>,
}

impl HookParams {
    pub(crate) fn read(self) -> Result<NewHook, Problem> {
        let mut reading = Reading::default();
        let form = reading.parse("/form", self.form).unwrap_or_default();
        reading.finish(NewHook { name: self.name, form, secret: self.secret })
    }
}

/// A new secret of a hook.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct HookRotationParams {
    /// The secret, if the sender made it. If left out, one is made.
    pub(crate) secret: Option<String>,
    /// Whether the older secrets end now; otherwise they are accepted for another day.
    #[serde(default)]
    end_old: bool,
}

impl HookRotationParams {
    pub(crate) fn old(&self) -> OldSecrets {
        if self.end_old { OldSecrets::EndNow } else { OldSecrets::LastADay }
    }
}
