//! How texts with a shape of their own stand in the description of the REST API.

/// Describes a type that is a text of one shape: its pattern and the lines of its doc comment.
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
