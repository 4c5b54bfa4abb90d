//! The clock that a series goes by, and what its times are on it.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::when::{named_zone, zone_names};

/// The clock that the times of a series are read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clock {
    /// Whole days. They are due at a time that the person chose, in the person's zone.
    Day,
    /// The person's clock, wherever that is when an occurrence is due.
    Floating,
    /// The clock of a zone in the IANA database.
    Zone(NamedZone),
}

/// A zone of the IANA database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedZone {
    name: String,
    zone: TimeZone,
}

impl NamedZone {
    /// The name in the database, such as `Europe/Berlin`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// There is no such zone in the IANA database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no time zone `{name}`; {}", instead_of(name))]
pub struct UnknownZone {
    /// What is written.
    pub name: String,
}

impl Clock {
    /// The clock of a zone by its IANA name; letter case does not matter.
    ///
    /// Errors: the database has no such zone. Nothing is guessed, not even UTC.
    pub fn named(name: &str) -> Result<Self, UnknownZone> {
        let zone = named_zone(name).ok_or_else(|| UnknownZone { name: name.to_owned() })?;
        let name = zone.iana_name().unwrap_or(name).to_owned();
        Ok(Self::Zone(NamedZone { name, zone }))
    }

    /// The clock of UTC.
    pub fn utc() -> Self {
        Self::Zone(NamedZone { name: "UTC".to_owned(), zone: TimeZone::UTC })
    }

    /// The zone this clock is in for a person.
    pub(super) fn zone<'a>(&'a self, person: &'a Person) -> &'a TimeZone {
        match self {
            Self::Day | Self::Floating => &person.zone,
            Self::Zone(named) => &named.zone,
        }
    }

    /// Whether it shows what the person's clock shows.
    pub(super) fn follows_the_person(&self) -> bool {
        matches!(self, Self::Day | Self::Floating)
    }
}

/// `date`, `floating`, or the name of the zone: the form it has in an identity.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Day => "date",
            Self::Floating => "floating",
            Self::Zone(named) => &named.name,
        })
    }
}

/// The continents and oceans under which the database files its cities.
const AREAS: [&str; 10] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

/// Where words name a zone: the first word of the name, how many words it has, and the name in the database, or
/// what is written in its place. `Europe/London`, `UTC`, `GMT`, `London time`, `New York time`.
pub(super) fn find(words: &[&str]) -> Option<(usize, usize, String)> {
    let bare = |word: &str| word.trim_matches(['(', ')', '[', ']', ',']).to_owned();
    let is_name = |word: &str| {
        let is_universal = word.eq_ignore_ascii_case("utc") || word.eq_ignore_ascii_case("gmt");
        is_universal || word.contains('/') && named_zone(word).is_some()
    };
    if let Some(place) = words.iter().position(|word| is_name(&bare(word))) {
        return Some((place, 1, bare(words[place])));
    }
    for place in (1..words.len()).filter(|place| words[*place].eq_ignore_ascii_case("time")) {
        for n_words in (1..=place.min(3)).rev() {
            let city = words[place - n_words..place].join("_");
            let zones = AREAS.iter().map(|area| format!("{area}/{city}"));
            if let Some(name) = zones.into_iter().find(|name| named_zone(name).is_some()) {
                return Some((place - n_words, n_words + 1, name));
            }
        }
    }
    // As a name looks, though it is none: the error says so.
    let looks = |word: &str| {
        let is_word =
            |part: &str| part.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-'));
        word.split_once('/').is_some_and(|(area, city)| {
            area.starts_with(char::is_uppercase)
                && city.split('/').all(|it| !it.is_empty() && is_word(it))
        })
    };
    let place = words.iter().position(|word| looks(&bare(word)))?;
    Some((place, 1, bare(words[place])))
}

/// What to write in place of a name that is none: the nearest one, if one is near.
fn instead_of(name: &str) -> String {
    // Calendars write their own name before that of the database: `/freeassociation.sourceforge.net/Europe/Berlin`.
    let known_ends = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
    let known = known_ends.into_iter().find(|end| end.contains('/') && named_zone(end).is_some());
    if let Some(known) = known {
        return format!("write the zone as {known}");
    }
    let city = |name: &str| name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let written = name.trim().to_lowercase().replace(' ', "_");
    // A name that long is not a slip of the pen.
    let is_short = written.len() <= 40;
    let distances = zone_names().filter(|_| is_short).map(|known| {
        let of_city = distance(&city(&known), &city(&written));
        (of_city, distance(&known.to_lowercase(), &written), known)
    });
    match distances
        .min()
        .filter(|(of_city, ..)| *of_city <= 2 && of_city * 2 < city(&written).len())
    {
        Some((.., near)) => format!("did you mean {near}?"),
        None => "write one like Europe/Berlin".to_owned(),
    }
}

/// How many letters have to be put in, taken out or replaced to make one text of another.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = n + 1;
        for (place, same) in other.iter().map(|it| *it == letter).enumerate() {
            let replaced = diagonal + usize::from(!same);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// The settings of the person that a series is for.
#[derive(Debug, Clone)]
pub struct Person {
    /// Where the person's clock hangs.
    pub zone: TimeZone,
    /// When something is due that has a day and no time.
    pub day_due_at: Time,
}

/// The instant of a civil time. One that a change of the clock skips is read with the distance from UTC
/// before the change; of one that comes twice the first is meant, or the second if `is_second`.
///
/// Errors: none; an instant outside of jiff's range is its nearest end.
pub(super) fn resolve(zone: &TimeZone, civil: DateTime, is_second: bool) -> Timestamp {
    let nearest = if civil.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let ambiguous = zone.to_ambiguous_timestamp(civil);
    let is_fold = matches!(ambiguous.offset(), AmbiguousOffset::Fold { .. });
    let at = if is_second && is_fold { ambiguous.later() } else { ambiguous.compatible() };
    at.unwrap_or(nearest)
}
