//! Which address is answered by what.

mod asked;
mod compress;
mod in_time;
mod of_games;
mod of_play;
mod of_report;
mod of_search;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};

use crate::app::{App, blocking};
use crate::cards::Card;
use crate::runs::FoundRun;
use crate::trouble::Trouble;
use crate::{assets, guard, metrics, pages};

/// Bytes of a request's body.
const BODY_BYTES_MAX: usize = 64 << 10;

/// All addresses.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/compare", get(of_report::compare))
        .route("/metrics", get(all_metrics))
        .route("/cards.json", get(cards_json))
        .route("/assets/{name}", get(asset))
        .route("/run/{id}", get(of_report::page))
        .route("/run/{id}/report.json", get(of_report::json))
        .route("/run/{id}/live.json", get(of_report::live))
        .route("/run/{id}/events", get(of_report::events))
        .route("/run/{id}/games", get(of_games::page))
        .route("/run/{id}/games.json", get(of_games::list))
        .route("/run/{id}/game.json", get(of_games::game))
        .route("/run/{id}/ages.json", get(of_games::ages))
        .route("/run/{id}/record", get(of_games::record))
        .route("/run/{id}/policy", post(of_play::policy))
        .route("/run/{id}/play", get(of_play::page).post(of_play::begin))
        .route("/game/{name}", post(of_play::ask))
        .route("/run/{id}/search", get(of_search::page).post(of_search::search))
        .route("/run/{id}/board", post(of_search::board))
        .route("/search/{id}/{number}", get(of_search::playout))
        .fallback(nothing)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn(in_time::in_time))
        .layer(middleware::from_fn(compress::compress))
        .layer(middleware::from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}

async fn index(State(app): State<Arc<App>>) -> Result<Response, Trouble> {
    let cards = cards(&app).await?;
    let folder = app.folder().display().to_string();
    Ok(pages::html(pages::index(&folder, &cards, app.post_token())))
}

async fn all_metrics(State(app): State<Arc<App>>) -> Result<Response, Trouble> {
    let cards: Vec<Card> = cards(&app).await?.into_iter().map(|(_, card)| card).collect();
    Ok(([(CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::text(&cards)).into_response())
}

async fn cards_json(State(app): State<Arc<App>>) -> Result<Response, Trouble> {
    let cards: Vec<Card> = cards(&app).await?.into_iter().map(|(_, card)| card).collect();
    Ok(axum::Json(cards).into_response())
}

async fn asset(Path(name): Path<String>) -> Result<Response, Trouble> {
    assets::answer(&name).ok_or_else(|| Trouble::missing("there is no such file"))
}

async fn nothing() -> Trouble {
    Trouble::missing("there is no such page")
}

/// Every run with its card.
async fn cards(app: &Arc<App>) -> Result<Vec<(FoundRun, Card)>, Trouble> {
    let app = Arc::clone(app);
    blocking(move || app.cards.all(&app.runs())).await
}
