//! Games against champions.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::asked::{page_of, rules_of, with_card};
use crate::app::App;
use crate::pages::{self, Tab};
use crate::play::{Command, Position, Setup, SideChoice, TableError};
use crate::rules::RulesText;
use crate::trouble::{ApiTrouble, Trouble};

/// A new game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begin {
    generation: Option<u32>,
    #[serde(default)]
    side: SideChoice,
    playouts: u32,
    #[serde(default)]
    seed: u64,
    /// The board; that of the run, where there is none.
    rules: Option<RulesText>,
}

/// A position of a recorded game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ask {
    generation: Option<u32>,
    moves: Vec<String>,
    /// The rules of the game; those of the run, where there are none.
    rules: Option<RulesText>,
}

pub(super) async fn page(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let (run, card) = with_card(&app, id).await?;
    let of = page_of(&app, &run, Tab::Play, card.generation);
    Ok(pages::html(pages::play(&of, &card.all_boards())))
}

pub(super) async fn begin(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(begin): Json<Begin>,
) -> Result<Response, ApiTrouble> {
    let (run, card) = with_card(&app, id).await?;
    let Begin { generation, side, playouts, seed, rules } = begin;
    let rules = rules.map(|asked| rules_of(&card, Some(asked))).transpose()?;
    let setup = Setup { run: run.path, rules, generation, seed, side, playouts };
    let name = app.tables.open(app.backend(), setup).map_err(trouble)?;
    let position = app.tables.ask(&name, Command::Look).await.map_err(trouble)?;
    Ok(Json(json!({ "name": name, "position": position })).into_response())
}

pub(super) async fn ask(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Json(command): Json<Command>,
) -> Result<Json<Position>, ApiTrouble> {
    Ok(Json(app.tables.ask(&name, command).await.map_err(trouble)?))
}

/// What a network says of a position, by the rules of its game. Its session is kept for the next
/// one.
pub(super) async fn policy(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(Ask { generation, moves, rules }): Json<Ask>,
) -> Result<Json<Position>, ApiTrouble> {
    let (run, card) = with_card(&app, id).await?;
    let rules = rules_of(&card, rules)?;
    // Names of games are hexadecimal, so no game has this name.
    let name = format!("policy of {generation:?} of {} by {rules:?}", run.id);
    let side = SideChoice::Both;
    let rules = Some(rules);
    let setup = Setup { run: run.path, rules, generation, seed: 0, side, playouts: 1 };
    app.tables.open_as(&name, app.backend(), setup).map_err(trouble)?;
    Ok(Json(app.tables.ask(&name, Command::Policy { moves }).await.map_err(trouble)?))
}

fn trouble(error: TableError) -> Trouble {
    match error {
        TableError::Gone => Trouble::missing("this game is over and gone; begin a new one"),
        TableError::Refused(why) => Trouble::bad(why),
    }
}
