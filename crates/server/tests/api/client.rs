//! The document from which the client of the web app is made is the one that is served.

use serde_json::Value;

const KEPT: &str = include_str!("../../../../web/openapi.json");

#[test]
fn the_client_of_the_app_is_made_from_what_is_served() {
    let kept: Value = serde_json::from_str(KEPT).expect("web/openapi.json is JSON");
    let served = dormouse_server::openapi();
    let names = |document: &Value, key: &str| -> Vec<String> {
        let all = document[key].as_object();
        all.into_iter().flatten().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&kept, "paths"), names(&served, "paths"));
    assert!(
        kept == served,
        "web/openapi.json is not what the server describes: renew it with \
         `cargo run --package dormouse-cli -- openapi > web/openapi.json`"
    );
}
