//! Recorded games.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::asked::{page_of, run_of, with_card};
use crate::GameFile;
use crate::app::{App, blocking};
use crate::games::{self, Filter};
use crate::pages::{self, Tab};
use crate::trouble::{ApiTrouble, Trouble};

/// One game.
#[derive(Debug, Deserialize)]
pub(super) struct Which {
    file: String,
    number: u64,
}

pub(super) async fn page(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let (run, card) = with_card(&app, id).await?;
    let path = run.path.clone();
    let contents = blocking(move || games::contents(&path)).await?.map_err(Trouble::failed)?;
    let mut cycles: Vec<u32> = contents.places.iter().map(|place| place.cycle).collect();
    cycles.dedup();
    let of = page_of(&app, &run, Tab::Games, card.generation);
    Ok(pages::html(pages::games(&of, &cycles)))
}

pub(super) async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(filter): Query<Filter>,
) -> Result<Response, ApiTrouble> {
    let run = run_of(&app, id).await?;
    let listed = blocking(move || games::list(&games::contents(&run.path)?, &filter));
    Ok(Json(listed.await?.map_err(Trouble::failed)?).into_response())
}

pub(super) async fn game(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(which): Query<Which>,
) -> Result<Response, ApiTrouble> {
    let run = run_of(&app, id).await?;
    let seen =
        blocking(move || games::view(&games::contents(&run.path)?, &which.file, which.number));
    Ok(Json(seen.await?.map_err(Trouble::missing)?).into_response())
}

pub(super) async fn ages(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiTrouble> {
    let run = run_of(&app, id).await?;
    let stages = blocking(move || Ok(games::ages(&games::contents(&run.path)?)));
    let stages = stages.await?.map_err(|error: String| Trouble::failed(error))?;
    Ok(Json(stages).into_response())
}

/// A game as a file in the format of its community.
pub(super) async fn record(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(which): Query<Which>,
) -> Result<Response, Trouble> {
    let run = run_of(&app, id).await?;
    let backend = app.backend();
    let written = blocking(move || {
        let contents = games::contents(&run.path)?;
        let place = contents.place(&which.file)?;
        let path = games::path_of(&contents.run, place);
        let file = GameFile { run: run.path.clone(), path, number: which.number };
        Ok((which.number, backend.record(&file)?))
    });
    let (number, record) = written.await?.map_err(|error: String| Trouble::missing(error))?;
    let name = format!("attachment; filename=\"game-{number}.{}\"", record.extension);
    let headers =
        [(CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()), (CONTENT_DISPOSITION, name)];
    Ok((headers, record.text).into_response())
}
