//! Time that a request may take.

use std::time::Duration;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::trouble::Trouble;

/// Time for a whole answer, long searches included. Events come after it.
const ANSWER_WAIT: Duration = Duration::from_mins(2);

/// Limits the time of a request. Reading its body counts.
pub(super) async fn in_time(request: Request, next: Next) -> Response {
    let answer = tokio::time::timeout(ANSWER_WAIT, next.run(request)).await;
    answer.unwrap_or_else(|_| {
        let what = "the answer took too long; ask for fewer playouts";
        Trouble::new(StatusCode::SERVICE_UNAVAILABLE, what).into_response()
    })
}
