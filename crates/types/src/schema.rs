//! Descriptions of formatted string types for the REST API's schema.

/// Describes a string type by its pattern and the lines of its doc comment.
macro_rules! text {
    ($name:ident, $pattern:expr, [$($doc:literal),*]) => {
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some($pattern))
                    .description(Some(concat!($($doc),*).trim()))
                    .build()
                    .into()
            }
        }
        impl utoipa::ToSchema for $name {}
    };
}

pub(crate) use text;
