//! Errors as answers.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::pages;

/// Why a request has no answer: a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    status: StatusCode,
    message: String,
}

/// The same as JSON, for scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiTrouble(Trouble);

impl Trouble {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// 403.
    pub(crate) fn refused(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// 404.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// 400.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 503: try again later.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// 500: files of the run, or the system.
    pub(crate) fn failed(error: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<Trouble> for ApiTrouble {
    fn from(trouble: Trouble) -> Self {
        Self(trouble)
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let page = pages::trouble(self.status, &self.message);
        (self.status, pages::html(page)).into_response()
    }
}

impl IntoResponse for ApiTrouble {
    fn into_response(self) -> Response {
        let Self(Trouble { status, message }) = self;
        (status, Json(json!({ "error": dz_text::lines(&message) }))).into_response()
    }
}
