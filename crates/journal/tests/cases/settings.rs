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

#[test]
fn a_zone_that_was_chosen_holds_beside_the_one_before_and_can_be_taken_back() {
    let world = World::new();
    let zone = |name: &str| TimeZone::get(name).unwrap();
    let stored = || {
        let stored = now(world.journal.stored_zone(WS)).unwrap()?;
        let name = |zone: &TimeZone| zone.iana_name().unwrap().to_owned();
        Some((name(&stored.zone), stored.chosen().map(name), name(stored.default())))
    };
    let choose = |chosen: Option<&str>| {
        let (chosen, system) = (chosen.map(zone), zone("Europe/Oslo"));
        now(world.journal.choose_zone(WS, chosen.as_ref(), &system, &Actor::Owner)).unwrap();
    };
    let of = |zone: &str, chosen: Option<&str>, default: &str| {
        Some((zone.to_owned(), chosen.map(ToOwned::to_owned), default.to_owned()))
    };
    assert_eq!(stored(), None);
    choose(Some("Asia/Tokyo"));
    assert_eq!(stored(), of("Asia/Tokyo", Some("Asia/Tokyo"), "Europe/Oslo"));
    choose(Some("America/Lima"));
    assert_eq!(stored(), of("America/Lima", Some("America/Lima"), "Europe/Oslo"));
    choose(None);
    assert_eq!(stored(), of("Europe/Oslo", None, "Europe/Oslo"));
    // What the program stored at its first start is what a choice goes back to.
    now(world.journal.set_zone(WS, "Africa/Cairo", &Actor::Program)).unwrap();
    choose(Some("UTC"));
    assert_eq!(stored(), of("UTC", Some("UTC"), "Africa/Cairo"));
}
