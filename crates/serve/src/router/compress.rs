//! Pages and data in gzip, for clients that take it.

use std::io::{self, Write as _};

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::{Compression, write::GzEncoder};

use crate::app::blocking;
use crate::trouble::Trouble;

/// Shorter answers are sent as they are: they fit in one packet.
const BYTES_MIN: u64 = 1_400;

/// Compresses answers of known length. Events are sent as they come.
pub(super) async fn compress(request: Request, next: Next) -> Response {
    let is_taken = takes_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_text(response.headers()) {
        return response;
    }
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    let length = response.body().size_hint().exact();
    if !is_taken || length.is_none_or(|length| length < BYTES_MIN) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Trouble::failed("the answer broke off").into_response();
    };
    let packed = match blocking(move || gzip(&bytes)).await {
        Ok(Ok(packed)) => packed,
        Ok(Err(error)) => return Trouble::failed(error).into_response(),
        Err(trouble) => return trouble.into_response(),
    };
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(packed))
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Whether a client takes gzip: it is named, and not with the weight 0.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        is_gzip && weight.is_none_or(|weight| weight > 0.0)
    })
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_ours = kind.starts_with("text/") || kind.starts_with("application/json");
    is_ours && !kind.starts_with("text/event-stream") && !headers.contains_key(CONTENT_ENCODING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_taken_where_it_is_named() {
        let takes = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
            takes_gzip(&headers)
        };
        assert!(takes("gzip") && takes("br, GZIP;q=0.5") && takes("deflate, gzip, br, zstd"));
        assert!(!takes("br") && !takes("gzip;q=0") && !takes("") && !takes("xgzip"));
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
