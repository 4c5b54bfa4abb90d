//! An id together with its name.

use serde::{Deserialize, Serialize};

/// An id with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Named<I> {
    /// The id.
    pub id: I,
    /// The name.
    pub name: String,
}
