//! `dagzero rules`: what a game is made of.

use std::{collections::BTreeMap, io::Write};

use dz_game::{AnyGame, Encoding, Game, PlaneShape, Targets};
use serde::Serialize;
use serde_json::Value;

use super::GameArgs;
use crate::Exit;

/// Show a game's parameters, planes, policy layout, symmetries and notation, as JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero rules --game connect4:width=9")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
}

/// What is printed about a game. Outside programs rely on the names.
#[derive(Serialize)]
struct Rules {
    game: String,
    /// Every parameter, those left out with their defaults.
    parameters: BTreeMap<String, Value>,
    notation: &'static str,
    /// What the parameters make of the rules, null where their names say it.
    summary: Option<&'static str>,
    /// Most plies of a game, null where the rules have no bound.
    plies_max: Option<u32>,
    moves_max: usize,
    /// False if a position can come again.
    acyclic: bool,
    symmetries: u8,
    encoding: String,
    shape: PlaneShape,
    /// Names of the binary planes, in order.
    planes: Vec<String>,
    /// Names of the real-valued inputs beside them.
    globals: Vec<String>,
    policy: Policy,
    /// What training can learn from a finished game beside the winner and the plies left.
    targets: Targets,
}

#[derive(Serialize)]
struct Policy {
    length: usize,
    layout: String,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let rules = rules(&AnyGame::of(&args.game.spec)?);
    serde_json::to_writer_pretty(&mut *out, &rules)?;
    out.write_all(b"\n")?;
    Ok(Exit::Done)
}

fn rules<G: Game>(game: &G) -> Rules {
    let spec = game.spec();
    let encoding = game.encoding();
    let named = spec.parameters().iter().map(|(key, text)| (key.clone(), typed(text)));
    let unnamed = game.unnamed_parameters().into_iter();
    let unnamed = unnamed.map(|(key, text)| (key.to_owned(), typed(&text)));
    Rules {
        game: spec.to_string(),
        parameters: named.chain(unnamed).collect(),
        notation: game.notation(),
        summary: game.summary(),
        plies_max: game.plies_max(),
        moves_max: game.moves_max(),
        acyclic: game.acyclic(),
        symmetries: game.symmetry_count(),
        encoding: encoding.id(),
        shape: encoding.planes(),
        planes: encoding.plane_names(),
        globals: encoding.global_names(),
        policy: Policy { length: encoding.policy_len(), layout: encoding.policy_layout() },
        targets: encoding.targets(),
    }
}

/// Numbers and booleans as JSON has them, everything else as a string.
fn typed(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
        _ => Value::String(text.to_owned()),
    }
}
