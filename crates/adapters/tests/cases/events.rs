//! Event streams, in pieces of any size.

use bytes::Bytes;
use dormouse_adapters::sse::{SseError, SseReader};
use dormouse_types::limits;
use proptest::prelude::*;

fn read(pieces: &[&[u8]]) -> Result<Vec<String>, SseError> {
    let mut reader = SseReader::default();
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(reader.feed(Bytes::copy_from_slice(piece))?);
    }
    events.extend(reader.end()?);
    Ok(events)
}

const STREAM: &str = "\u{feff}: a comment\ndata: one\n\nevent: named\rdata: zwei é\r\rdata:three\r\n\
                      data: lines\r\ndata\r\n\r\nid: 7\nretry: 10\n\n:\n\ndata: [DONE]\n\ndata: last";

#[test]
fn every_ending_of_a_line_and_every_field_is_read() {
    let expected = ["one", "zwei é", "three\nlines\n", "[DONE]", "last"];
    assert_eq!(read(&[STREAM.as_bytes()]).unwrap(), expected);
}

#[test]
fn every_cut_in_two_gives_the_same_events() {
    let bytes = STREAM.as_bytes();
    let expected = read(&[bytes]).unwrap();
    for at in 0..=bytes.len() {
        assert_eq!(read(&[&bytes[..at], &bytes[at..]]).unwrap(), expected, "cut at {at}");
    }
}

proptest! {
    #[test]
    fn any_pieces_give_the_same_events(
        text in "(data|event|id|retry|:|x|: |[a-zé\u{feff}]|\n|\r|\r\n|\n\n|data: \\{\\}){0,40}",
        size in 1_usize..8,
    ) {
        let whole = read(&[text.as_bytes()]).unwrap();
        let pieces: Vec<_> = text.as_bytes().chunks(size).collect();
        prop_assert_eq!(read(&pieces).unwrap(), whole);
    }
}

#[test]
fn an_event_and_a_stream_have_a_largest_size() {
    let piece = vec![b'a'; 64 * 1024];
    let mut reader = SseReader::default();
    reader.feed(Bytes::from_static(b"data: ")).unwrap();
    let refused = (0..=limits::ANSWER_EVENT_BYTES / piece.len())
        .find_map(|_| reader.feed(Bytes::from(piece.clone())).err());
    assert_eq!(refused, Some(SseError::EventTooLarge));

    let comment = Bytes::from([b":".as_slice(), &piece, b"\n\n"].concat());
    let mut reader = SseReader::default();
    let refused = (0..=limits::ANSWER_STREAM_BYTES / piece.len())
        .find_map(|_| reader.feed(comment.clone()).err());
    assert_eq!(refused, Some(SseError::StreamTooLarge));
}
