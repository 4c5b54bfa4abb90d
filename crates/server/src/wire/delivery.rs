//! Request bodies about notices to the person.

use dormouse_types::delivery::DeliveryMark;
use serde::Deserialize;
use utoipa::ToSchema;

use super::Reading;
use crate::Problem;

/// The outcome of a delivery.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DeliveryMarkParams {
    /// Whether it was shown, or read.
    #[schema(value_type = DeliveryMark)]
    state: String,
}

impl DeliveryMarkParams {
    pub(crate) fn read(self) -> Result<DeliveryMark, Problem> {
        let mut reading = Reading::default();
        let mark = reading.parse("/state", Some(self.state)).unwrap_or(DeliveryMark::Delivered);
        reading.finish(mark)
    }
}
