//! The page: the built web app, which is part of the binary, and the pages of problems.
//!
//! The app does its own routing: a request for a path that is not a file gets the app, which shows
//! the matching screen. Everything here is the same for everyone and needs no token.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use pulldown_cmark::{Parser, html};

use crate::Problem;

/// A file of the web app.
struct File {
    /// Its path, without a leading slash.
    path: &'static str,
    /// Its content type.
    kind: &'static str,
    /// Its entity tag.
    etag: &'static str,
    plain: &'static [u8],
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The page to serve if the program was built without the app.
static NOT_BUILT: File = File {
    path: "index.html",
    kind: "text/html; charset=utf-8",
    etag: "W/\"not-built\"",
    plain: include_bytes!("not_built.html"),
    gzip: None,
};

/// Files below this are named after their content and never change.
const NAMED_BY_CONTENT: &str = "assets/";

/// Whether a path belongs to the page. All others need authentication.
pub(crate) fn has(path: &str) -> bool {
    !matches!(path, "/api" | "/healthz" | "/readyz") && !path.starts_with("/api/")
}

/// Responds to a request for a path of the page.
pub(crate) fn answer(method: &Method, path: &str, headers: &HeaderMap) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let detail = format!("this address does not support {method}: pages are read-only");
        let mut response = Problem::method_not_allowed(detail).into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    if let Some(slug) = path.strip_prefix("/problems/") {
        return problem(slug);
    }
    let name = path.trim_start_matches('/');
    let accepts_html = in_list(headers, header::ACCEPT, "text/html");
    match find(FILES, name, accepts_html) {
        Some(file) => send(file, headers),
        None => {
            let detail = format!(
                "there is no {path}: API routes begin with /api, and other paths are served only to browsers"
            );
            Problem::not_found(detail).into_response()
        }
    }
}

/// The file for a path. A client that accepts HTML gets the app for every path that is not a file,
/// except where files of another version may have been.
fn find(files: &'static [File], name: &str, accepts_html: bool) -> Option<&'static File> {
    let file = |name: &str| files.iter().find(|file| file.path == name);
    if let Some(file) = file(name) {
        return Some(file);
    }
    let is_app = name.is_empty() || (accepts_html && !name.starts_with(NAMED_BY_CONTENT));
    is_app.then(|| file(NOT_BUILT.path).unwrap_or(&NOT_BUILT))
}

fn send(file: &'static File, headers: &HeaderMap) -> Response {
    let is_known = headers.get_all(header::IF_NONE_MATCH).iter().any(|value| {
        let known = value.to_str().unwrap_or_default();
        known.split(',').map(str::trim).any(|known| known == "*" || known == file.etag)
    });
    let gzip = file.gzip.filter(|_| in_list(headers, header::ACCEPT_ENCODING, "gzip"));
    let mut response = Response::new(match (is_known, gzip) {
        (true, _) => Body::empty(),
        (false, Some(packed)) => Body::from(packed),
        (false, None) => Body::from(file.plain),
    });
    let named_by_content = file.path.starts_with(NAMED_BY_CONTENT);
    let keep = if named_by_content { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::ETAG, HeaderValue::from_static(file.etag));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else if gzip.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// The page that the `type` of a problem links to.
fn problem(slug: &str) -> Response {
    let Some((_, text)) = PROBLEMS.iter().find(|(known, _)| *known == slug) else {
        return Problem::not_found("there is no problem of this type".to_owned()).into_response();
    };
    let mut body = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{slug}</title>\
         </head>\n<body><main>\n"
    );
    html::push_html(&mut body, Parser::new(text));
    body.push_str("</main></body>\n</html>\n");
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (headers, body).into_response()
}

/// Whether a header list contains a value without `q=0`.
fn in_list(headers: &HeaderMap, name: header::HeaderName, wanted: &str) -> bool {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        value.split(',').any(|part| {
            let mut parts = part.split(';').map(str::trim);
            let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            is_named && weight.is_none_or(|q| q.parse::<f32>().is_ok_and(|q| q > 0.0))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static APP: &[File] = &[
        File {
            path: "assets/app-1a2b.js",
            kind: "text/javascript; charset=utf-8",
            etag: "W/\"1\"",
            plain: b"plain script",
            gzip: Some(b"packed"),
        },
        File {
            path: "index.html",
            kind: "text/html; charset=utf-8",
            etag: "W/\"2\"",
            plain: b"<!doctype html>",
            gzip: None,
        },
    ];

    fn found(name: &str, accepts_html: bool) -> Option<&'static str> {
        find(APP, name, accepts_html).map(|file| file.path)
    }

    #[test]
    fn an_address_that_is_no_file_is_the_apps_when_a_browser_asks() {
        for name in ["", "index.html"] {
            assert_eq!(found(name, false), Some("index.html"));
        }
        assert_eq!(found("tasks/jt-1", true), Some("index.html"));
        assert_eq!(found("tasks/jt-1", false), None);
        assert_eq!(found("assets/app-1a2b.js", false), Some("assets/app-1a2b.js"));
        assert_eq!(found("assets/app-old.js", true), None, "a file of another version is gone");
        assert_eq!(found("../Cargo.toml", false), None);
    }

    #[test]
    fn a_program_without_the_app_says_how_to_build_it() {
        let page = find(&[], "", false).map(|file| file.plain);
        let page = page.and_then(|page| std::str::from_utf8(page).ok()).unwrap_or_default();
        assert!(page.contains("npm --prefix web run build"), "{page}");
        for none in ["<script", "<style", "http:", "https:", " src=", " style="] {
            assert!(!page.contains(none), "it needs nothing else: {none}");
        }
    }

    fn sent(file: &'static File, headers: &[(header::HeaderName, &'static str)]) -> Response {
        let headers = headers.iter().map(|(n, v)| (n.clone(), HeaderValue::from_static(v)));
        send(file, &headers.collect())
    }

    fn header_of(response: &Response, name: header::HeaderName) -> &str {
        response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    #[test]
    fn a_file_is_compressed_for_clients_that_accept_it() {
        for (accepted, encoding) in [
            ("gzip, br", "gzip"),
            ("br;q=1.0, GZIP;q=0.5", "gzip"),
            ("br", ""),
            ("gzip;q=0", ""),
            ("gzipped", ""),
        ] {
            let response = sent(&APP[0], &[(header::ACCEPT_ENCODING, accepted)]);
            assert_eq!(header_of(&response, header::CONTENT_ENCODING), encoding, "{accepted}");
            assert_eq!(header_of(&response, header::VARY), "accept-encoding");
        }
        let response = sent(&APP[1], &[(header::ACCEPT_ENCODING, "gzip")]);
        assert_eq!(header_of(&response, header::CONTENT_ENCODING), "", "it was not made smaller");
    }

    #[test]
    fn what_is_named_by_its_content_is_cached_and_the_rest_is_revalidated() {
        let (script, page) = (sent(&APP[0], &[]), sent(&APP[1], &[]));
        let keep = header_of(&script, header::CACHE_CONTROL);
        assert_eq!(keep, "public, max-age=31536000, immutable");
        assert_eq!(header_of(&page, header::CACHE_CONTROL), "no-cache");
        for (known, status) in
            [("W/\"2\"", 304), ("W/\"1\", W/\"2\"", 304), ("*", 304), ("W/\"1\"", 200), ("", 200)]
        {
            let response = sent(&APP[1], &[(header::IF_NONE_MATCH, known)]);
            assert_eq!(response.status().as_u16(), status, "{known}");
            assert_eq!(header_of(&response, header::ETAG), "W/\"2\"");
        }
    }

    #[test]
    fn only_what_needs_a_token_is_not_the_pages() {
        for path in ["/", "/tasks", "/assets/x.js", "/problems/conflict", "/apis", "/healthzy"] {
            assert!(has(path), "{path}");
        }
        for path in ["/api", "/api/", "/api/overview", "/api/../x", "/healthz", "/readyz"] {
            assert!(!has(path), "{path}");
        }
    }
}
