//! Transcripts as JSON lines: the logs of agent work, and conversations.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use dormouse::TranscriptFile;
use futures_util::stream;

use crate::Problem;

/// The media type of JSON lines.
const JSONL: &str = "application/jsonl";

/// Answers with a file while it is read; `link` is the header that names its next part.
pub(super) async fn as_file(
    mut file: TranscriptFile,
    link: Option<String>,
) -> Result<Response, Problem> {
    // A failure of the first line is still an answer of its own.
    let first = file.next().await?;
    let rest = stream::try_unfold((first, file), |(line, mut file)| async move {
        let Some(line) = line else { return Ok::<_, dormouse::Error>(None) };
        let next = file.next().await?;
        Ok(Some((Bytes::from(line), (next, file))))
    });
    let kind = [(header::CONTENT_TYPE, JSONL)];
    let link = link.map(|link| [(header::LINK, link)]);
    Ok((kind, link, Body::from_stream(rest)).into_response())
}

/// Whether a client asks for JSON lines.
pub(super) fn wants_lines(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|it| it.to_str().ok());
    accepted.flat_map(|it| it.split(',')).any(|it| {
        let essence = it.split(';').next().unwrap_or_default().trim();
        [JSONL, "application/x-ndjson"].iter().any(|jsonl| essence.eq_ignore_ascii_case(jsonl))
    })
}
