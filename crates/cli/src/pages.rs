//! Lists that are read to their end.

use dormouse::view::Page;
use serde::de::DeserializeOwned;

use crate::client::{Client, path};
use crate::failure::Failure;
use crate::terminal::{line, note};

/// The most items that a page of a list may have.
const MOST: &str = "200";

/// All items of a list. Rows that cannot be read are named.
///
/// Errors: the server does not respond, or refuses.
pub async fn all<T: DeserializeOwned>(
    client: &Client,
    list: &str,
    params: &[(&str, &str)],
) -> Result<Vec<T>, Failure> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut query = params.to_vec();
        query.push(("limit", MOST));
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let page: Page<T> = client.get(&path(list, &query)).await?.read()?;
        for damaged in &page.damaged {
            note(&format!("damaged: {}", line(damaged)));
        }
        all.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(all);
        }
    }
}
