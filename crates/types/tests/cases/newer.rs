//! A change from a newer version is known to have happened.

use dormouse_types::change::What;
use dormouse_types::{By, Origin};

#[test]
fn a_change_of_a_newer_version_stops_no_reader() {
    let what: Vec<What> =
        serde_json::from_str(r#"[{"what":"taskMoved","to":"elsewhere"},{"what":"taskDeleted"}]"#)
            .expect("a list of changes");
    assert_eq!(what, [What::Unknown, What::TaskDeleted]);
}

#[test]
fn an_origin_of_a_newer_version_counts_as_a_persons() {
    let origin: Origin =
        serde_json::from_str(r#"{"kind":"calendar","uid":"7"}"#).expect("an origin");
    assert_eq!(origin, Origin::Unknown);
    assert_eq!((origin.by(), origin.via()), (By::User, None));
}
