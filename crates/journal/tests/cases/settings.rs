use dormouse_journal::JournalError;
use dormouse_types::Actor;
use jiff::tz::TimeZone;

use crate::world::{WS, World, now};

#[test]
fn the_time_zone_is_the_callers_until_one_is_set() {
    let world = World::new();
    let zone = || now(world.journal.zone(WS, &TimeZone::UTC)).unwrap();
    assert_eq!(zone(), TimeZone::UTC);
    let error = now(world.journal.set_zone(WS, "Mars/Olympus", &Actor::Owner)).unwrap_err();
    assert!(matches!(&error, JournalError::Zone { given } if given == "Mars/Olympus"), "{error}");
    assert_eq!(zone(), TimeZone::UTC);
    now(world.journal.set_zone(WS, "Asia/Tokyo", &Actor::Owner)).unwrap();
    assert_eq!(zone().iana_name(), Some("Asia/Tokyo"));
}
