//! Closed lists: enums with one name per value, the same in rows, in JSON and in the API's schema.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value that is not on a closed list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{given}`; one of: {allowed}")]
pub struct NotListed {
    /// What the list contains.
    pub what: &'static str,
    /// The value as given.
    pub given: String,
    /// The list, joined by commas.
    pub allowed: String,
}

/// An enum made by [`closed_list!`](crate::closed_list).
pub trait ClosedList: Copy + Eq + 'static {
    /// What the list contains, for error messages.
    const WHAT: &'static str;

    /// Every value, in the order of the list.
    const ALL: &'static [Self];

    /// The name of the value in rows and on the wire.
    fn name(self) -> &'static str;

    /// Finds a value by its exact name.
    fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name)
    }

    /// Finds a value by its exact name; the error lists the names there are.
    fn parse(given: &str) -> Result<Self, NotListed> {
        Self::of_name(given).ok_or_else(|| NotListed {
            what: Self::WHAT,
            given: given.chars().take(60).collect(),
            allowed: Self::ALL.iter().map(|value| value.name()).collect::<Vec<_>>().join(", "),
        })
    }
}

/// Defines an enum whose values have fixed names: `closed_list! { /// Doc. pub enum Name, "what it
/// lists" { /// Doc. Value = "name", } }`.
///
/// A crate that uses it needs `serde`, and `utoipa` behind a feature `openapi`.
#[macro_export]
macro_rules! closed_list {
    (
        $(#[$meta:meta])*
        $vis:vis enum $list:ident, $what:literal {
            $($(#[$value_meta:meta])* $value:ident = $name:tt,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            ::serde::Serialize, ::serde::Deserialize,
        )]
        #[cfg_attr(feature = "openapi", derive(::utoipa::ToSchema))]
        $vis enum $list {
            $($(#[$value_meta])* #[serde(rename = $name)] $value,)+
        }

        impl $list {
            /// Every value, in the order of the list.
            $vis const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The name in rows and on the wire.
            $vis fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }

        impl $crate::closed_list::ClosedList for $list {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = Self::ALL;
            fn name(self) -> &'static str {
                Self::name(self)
            }
        }

        impl ::std::fmt::Display for $list {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $list {
            type Err = $crate::closed_list::NotListed;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                <Self as $crate::closed_list::ClosedList>::parse(text)
            }
        }
    };
}

/// A value of a closed list, or the name that a newer version of the program wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Listed<T> {
    /// A value of the list.
    Known(T),
    /// A name that is not on the list of this version; kept as it is.
    Other(String),
}

// Written out because the derived schema says `oneOf`, and a listed name fits both of its parts.
#[cfg(feature = "openapi")]
mod listed_schema {
    use utoipa::openapi::schema::{AnyOfBuilder, Type};
    use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

    use super::Listed;

    impl<T: utoipa::PartialSchema> utoipa::__dev::ComposeSchema for Listed<T> {
        fn compose(known: Vec<RefOr<Schema>>) -> RefOr<Schema> {
            let known = known.into_iter().next().unwrap_or_else(T::schema);
            let other = ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some("A name that is not on the list of this version."));
            let what = "A value of a list, or the name that a newer version wrote.";
            AnyOfBuilder::new().description(Some(what)).item(known).item(other).into()
        }
    }

    impl<T: utoipa::ToSchema> utoipa::ToSchema for Listed<T> {
        fn name() -> std::borrow::Cow<'static, str> {
            "Listed".into()
        }
    }
}

impl<T: ClosedList> Listed<T> {
    /// Reads a stored name.
    pub fn named(name: &str) -> Self {
        T::of_name(name).map_or_else(|| Self::Other(name.to_owned()), Self::Known)
    }

    /// The name in rows and on the wire.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(value) => value.name(),
            Self::Other(name) => name,
        }
    }

    /// The value, if this version knows it.
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Other(_) => None,
        }
    }
}

impl<T> From<T> for Listed<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: PartialEq> PartialEq<T> for Listed<T> {
    fn eq(&self, other: &T) -> bool {
        matches!(self, Self::Known(value) if value == other)
    }
}

impl<T: ClosedList> fmt::Display for Listed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    closed_list! {
        /// A list of this test.
        enum Tense, "tense" {
            /// Before.
            Past = "past",
            /// Afterwards.
            Future = "futureSimple",
        }
    }

    #[test]
    fn a_value_has_one_name_in_rows_and_in_json() {
        for value in Tense::ALL {
            assert_eq!(serde_json::to_value(value).unwrap(), value.name());
            assert_eq!(value.name().parse(), Ok(*value));
        }
        let unknown = "never".parse::<Tense>().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown tense `never`; one of: past, futureSimple");
    }

    #[test]
    fn a_name_of_a_newer_version_survives_reading_and_writing() {
        let read = |json: &str| serde_json::from_str::<Listed<Tense>>(json).unwrap();
        assert_eq!(read("\"past\""), Tense::Past);
        let newer = read("\"pastPerfect\"");
        assert_eq!((newer.known(), newer.name()), (None, "pastPerfect"));
        assert_eq!(serde_json::to_string(&newer).unwrap(), "\"pastPerfect\"");
        assert_eq!(Listed::<Tense>::named("pastPerfect"), newer);
    }
}
