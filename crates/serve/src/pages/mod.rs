//! The pages, as functions of their data. All text is escaped by construction.

mod compare;
mod games;
mod index;
mod layout;
mod play;
mod report;
mod search;
mod spark;

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html as markup};

pub(crate) use compare::{Compared, compare};
pub(crate) use games::games;
pub(crate) use index::index;
pub(crate) use layout::{PageOfRun, Tab};
pub(crate) use play::play;
pub(crate) use report::report;
pub(crate) use search::search;

/// A page as an answer.
pub(crate) fn html(page: Markup) -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], page.into_string()).into_response()
}

/// Text for people, which may be broken after commas: names of games are long.
fn soft(text: &str) -> Markup {
    markup! {
        @for (at, part) in dz_text::line(text).split(',').enumerate() {
            @if at > 0 { "," wbr; }
            (part)
        }
    }
}

/// A page that says why there is no other.
pub(crate) fn trouble(status: StatusCode, message: &str) -> Markup {
    let title = status.canonical_reason().unwrap_or("Error");
    let body = markup! {
        h1 { (title) }
        p.verdict { (dz_text::lines(message)) }
        p { a href="/" { "All runs" } }
    };
    layout::layout(title, None, &[], "", &body)
}
