//! Searches laid open.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use dz_game::{AnyGame, Game, GameSpec};
use serde::Deserialize;
use serde_json::Value;

use super::asked::{page_of, rules_of, with_card};
use crate::app::{App, blocking};
use crate::pages::{self, Tab};
use crate::position::{self, PositionView};
use crate::rules::RulesText;
use crate::runs::FoundRun;
use crate::search::{PLAYOUTS_MAX, SearchAsk};
use crate::trouble::{ApiTrouble, Trouble};
use crate::{Rules, SearchRequest};

pub(super) async fn page(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let (run, card) = with_card(&app, id).await?;
    let of = page_of(&app, &run, Tab::Search, card.generation);
    Ok(pages::html(pages::search(&of, &card.all_boards(), PLAYOUTS_MAX)))
}

pub(super) async fn search(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(ask): Json<SearchAsk>,
) -> Result<Response, ApiTrouble> {
    let (run, card) = with_card(&app, id).await?;
    if ask.playouts == 0 || ask.playouts > PLAYOUTS_MAX {
        return Err(Trouble::bad(format!("playouts go from 1 to {PLAYOUTS_MAX}")).into());
    }
    let rules = rules_of(&card, ask.rules)?;
    let position = position_of(rules.clone(), ask.moves.clone()).await?;
    // The search stops when the page goes, or when the page asks for another one.
    let turn = app.searches.turns.begin(&ask.client);
    let Some(place) = app.searches.turns.place().await else {
        return Err(Trouble::busy("other searches are running; try again in a moment").into());
    };
    let settings = ask.settings.split([';', '\n']).map(str::trim).filter(|line| !line.is_empty());
    let generation = ask.generation.unwrap_or(card.generation);
    let request = SearchRequest {
        run: run.path.clone(),
        rules,
        generation: ask.generation,
        moves: ask.moves,
        playouts: ask.playouts,
        settings: settings.map(str::to_owned).collect(),
    };
    let stop = turn.stop();
    let backend = app.backend();
    let shared = Arc::clone(&app);
    let found = blocking(move || {
        let _place = place;
        let found = backend.search(&request, &|| stop.load(Ordering::Relaxed))?;
        if stop.load(Ordering::Relaxed) {
            return Err("a newer search of this page took the place of this one".to_owned());
        }
        check_game(&found.report, &request.rules)?;
        let evaluator = evaluator_name(&run, generation, &found.report);
        shared.searches.keep(found, position.moves, evaluator)
    });
    Ok(Json(found.await?.map_err(Trouble::bad)?).into_response())
}

/// Refuses a search of another game than the one that was asked for.
fn check_game(report: &Value, rules: &Rules) -> Result<(), String> {
    let words = |error: dz_game::GameError| dz_text::line(&error.to_string()).into_owned();
    let searched: GameSpec = report["game"].as_str().unwrap_or_default().parse().map_err(words)?;
    let searched = AnyGame::of(&searched).map_err(words)?.spec();
    let wanted = rules.spec().map_err(words)?;
    if searched != wanted {
        return Err(format!("the champion searches {searched}, and this position is of {wanted}"));
    }
    Ok(())
}

/// What evaluated a search, for people.
fn evaluator_name(run: &FoundRun, generation: u32, report: &Value) -> String {
    if generation == 0 {
        let stand_in = report["evaluator"].as_str().unwrap_or("the rules");
        return format!("no network: {}", dz_text::line(stand_in));
    }
    format!("network of generation {generation} of {}", run.name)
}

/// Moves from the start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    moves: Vec<String>,
    /// The rules of the position; those of the run, where there are none.
    rules: Option<RulesText>,
}

/// The board after some moves.
pub(super) async fn board(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(Line { moves, rules }): Json<Line>,
) -> Result<Json<PositionView>, ApiTrouble> {
    let (_, card) = with_card(&app, id).await?;
    Ok(Json(position_of(rules_of(&card, rules)?, moves.join(" ")).await?))
}

async fn position_of(rules: Rules, moves: String) -> Result<PositionView, Trouble> {
    blocking(move || position::after(&rules, &moves)).await?.map_err(Trouble::bad)
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
