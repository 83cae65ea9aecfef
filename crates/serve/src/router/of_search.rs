//! Searches laid open.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::asked::{run_of, with_generation};
use crate::SearchRequest;
use crate::app::{App, blocking};
use crate::pages::{self, PageOfRun, Tab};
use crate::position::{self, PositionView};
use crate::runs::FoundRun;
use crate::search::{PLAYOUTS_MAX, SearchAsk};
use crate::trouble::{ApiTrouble, Trouble};

pub(super) async fn page(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let (run, generation) = with_generation(&app, id).await?;
    let of = PageOfRun { run: &run, tab: Tab::Search, post_token: app.post_token(), generation };
    Ok(pages::html(pages::search(&of, PLAYOUTS_MAX)))
}

/// Ends the search when the page that waits for it goes.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) async fn search(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(ask): Json<SearchAsk>,
) -> Result<Response, ApiTrouble> {
    let run = run_of(&app, id).await?;
    let Some(_place) = app.searches.start() else {
        return Err(Trouble::busy("other searches are running; try again in a moment").into());
    };
    if ask.playouts == 0 || ask.playouts > PLAYOUTS_MAX {
        return Err(Trouble::bad(format!("playouts go from 1 to {PLAYOUTS_MAX}")).into());
    }
    let settings = ask.settings.split([';', '\n']).map(str::trim).filter(|line| !line.is_empty());
    let position = position_of(&app, &run, ask.moves.clone()).await?;
    let request = SearchRequest {
        run: run.path,
        generation: ask.generation,
        moves: ask.moves,
        playouts: ask.playouts,
        settings: settings.map(str::to_owned).collect(),
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(Arc::clone(&stopped));
    let backend = app.backend();
    let shared = Arc::clone(&app);
    let found = blocking(move || {
        let found = backend.search(&request, &|| stopped.load(Ordering::Relaxed))?;
        shared.searches.keep(found, position.moves)
    });
    Ok(Json(found.await?.map_err(Trouble::bad)?).into_response())
}

/// Moves from the start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    moves: Vec<String>,
}

/// The board after some moves.
pub(super) async fn board(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(Line { moves }): Json<Line>,
) -> Result<Json<PositionView>, ApiTrouble> {
    let run = run_of(&app, id).await?;
    Ok(Json(position_of(&app, &run, moves.join(" ")).await?))
}

async fn position_of(
    app: &Arc<App>,
    run: &FoundRun,
    moves: String,
) -> Result<PositionView, Trouble> {
    let app = Arc::clone(app);
    let run = run.clone();
    let found = blocking(move || position::after(&app.cards.card(&run).game, &moves));
    found.await?.map_err(Trouble::bad)
}

/// A playout with the scores of each choice.
pub(super) async fn playout(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, usize)>,
) -> Result<Response, ApiTrouble> {
    let found = app.searches.playout(&id, number);
    let found =
        found.ok_or_else(|| Trouble::missing("this playout is not kept any more; search again"))?;
    Ok(([(CONTENT_TYPE, "application/json")], found).into_response())
}
