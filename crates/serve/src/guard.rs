//! Who may ask: checks of every request, and headers of every answer.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::secret;
use crate::trouble::Trouble;

/// The header that carries a page's token in its requests.
pub(crate) const TOKEN_HEADER: &str = "x-dagzero-token";
/// The cookie that carries the token of a server that is not on loopback alone.
const COOKIE_NAME: &str = "dagzero-token";

/// Scripts, styles and data come from this server alone. Tables of reports carry the labels of
/// their columns in `style` attributes.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// Checks a request, and adds the headers of every answer.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&app, request.method(), request.uri(), request.headers()) {
        Ok(None) => next.run(request).await,
        Ok(Some(redirect)) => redirect,
        Err(trouble) => trouble.into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(X_FRAME_OPTIONS, "DENY");
    set(REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether a request is answered; a redirect where it brings the token of the server.
fn admit(
    app: &App,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Option<Response>, Trouble> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST).ok_or_else(|| Trouble::refused("the request names no host"))?;
    if !is_ours(host, app.access().is_some()) {
        return Err(Trouble::refused("this host name is not one of the server's"));
    }
    if let Some(origin) = text(ORIGIN) {
        // A page of another server, or one without an origin.
        if origin.strip_prefix("http://") != Some(host) {
            return Err(Trouble::refused("requests from pages of other origins are refused"));
        }
    }
    if let Some(access) = app.access() {
        let query = uri.query().unwrap_or_default();
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        if let Some(given) = given.filter(|_| method == Method::GET) {
            return if secret::same(given, access) {
                Ok(Some(with_cookie(uri.path(), access)))
            } else {
                Err(Trouble::refused("the token is wrong"))
            };
        }
        let cookies = text(COOKIE).unwrap_or_default().split(';');
        let mut pairs = cookies.filter_map(|pair| pair.trim().split_once('='));
        let known = pairs.any(|(name, value)| name == COOKIE_NAME && secret::same(value, access));
        if !known {
            let what = "this server asks for the token in the address that `dagzero serve` printed";
            return Err(Trouble::refused(what));
        }
    }
    match *method {
        Method::GET | Method::HEAD => Ok(None),
        Method::POST => {
            let header = HeaderName::from_static(TOKEN_HEADER);
            let given = text(header).unwrap_or_default();
            if secret::same(given, app.post_token()) {
                return Ok(None);
            }
            Err(Trouble::refused("the page is older than the server: load it again"))
        }
        _ => Err(Trouble::new(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are answered")),
    }
}

/// Loopback by any port, since it may be forwarded. A server that is not on loopback alone may have
/// any address, but no name: another site's name can be made to point to it.
fn is_ours(host: &str, any_address: bool) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    match name.parse::<IpAddr>() {
        Ok(address) => any_address || address.is_loopback(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

/// Keeps the token in a cookie, so that it does not stay in the address.
fn with_cookie(path: &str, access: &str) -> Response {
    // Browsers read two slashes or backslashes at the beginning as the name of another server.
    let path = format!("/{}", path.trim_start_matches(['/', '\\']));
    let cookie = format!("{COOKIE_NAME}={access}; HttpOnly; SameSite=Strict; Path=/");
    (StatusCode::SEE_OTHER, [(LOCATION, path), (SET_COOKIE, cookie)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn hosts_of_others_are_not_ours() {
        for host in ["127.0.0.1:80", "localhost", "LOCALHOST:9", "[::1]:8", "127.9.9.9"] {
            assert!(is_ours(host, false), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example:80", "10.0.0.1", "", "[::2]:1"] {
            assert!(!is_ours(host, false), "{host}");
        }
        assert!(is_ours("10.0.0.1:80", true) && !is_ours("evil.example", true));
    }
}
