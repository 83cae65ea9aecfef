//! Laws of the two keys: their meaning, and one step of bisimulation.

use std::collections::BTreeMap;

use super::{LawBroken, Position, encoding::Encoded, keys_of};
use crate::{Game, Key, Move, Player, Status, Symmetry};

/// What an `eval_key` stands for.
struct Observation {
    to_move: Option<Player>,
    legal: Vec<Move>,
    encoded: Encoded,
}

/// What a `node_key` stands for: itself, and by move the key and status of each successor.
struct Node {
    eval_key: Key,
    status: Status,
    successors: Vec<(Move, Key, Status)>,
}

/// All keys met so far, over all games.
#[derive(Default)]
pub(super) struct KeyBook {
    observations: BTreeMap<Key, Observation>,
    nodes: BTreeMap<Key, Node>,
}

impl KeyBook {
    pub fn check<G: Game>(&mut self, here: &Position<'_, G>) -> Result<(), LawBroken> {
        let (eval_key, node_key) = keys_of(here.game, here.state, here.history);
        self.check_eval_key(here, eval_key)?;
        self.check_node_key(here, eval_key, node_key)
    }

    fn check_eval_key<G: Game>(
        &mut self,
        here: &Position<'_, G>,
        key: Key,
    ) -> Result<(), LawBroken> {
        let observation = Observation {
            to_move: here.game.to_move(here.state, here.history),
            legal: here.legal.to_vec(),
            encoded: Encoded::of(here.game, here.state, here.history, Symmetry::IDENTITY),
        };
        let Some(known) = self.observations.get(&key) else {
            self.observations.insert(key, observation);
            return Ok(());
        };
        let differences = [
            (known.to_move != observation.to_move, "mover"),
            (known.legal != observation.legal, "legal moves"),
            (known.encoded != observation.encoded, "planes or globals"),
        ];
        let other: Vec<&str> = differences.iter().filter(|d| d.0).map(|d| d.1).collect();
        here.law("equal eval_key, equal sight", other.is_empty(), || {
            format!("eval_key {key} has stood for a position with other {}", other.join(", "))
        })
    }

    fn check_node_key<G: Game>(
        &mut self,
        here: &Position<'_, G>,
        eval_key: Key,
        key: Key,
    ) -> Result<(), LawBroken> {
        let successors = here.legal.iter().map(|&mv| {
            let (state, history) = here.after(mv);
            let status = here.game.status(&state, &history);
            (mv, here.game.node_key(&state, &history), status)
        });
        let status = here.game.status(here.state, here.history);
        let node = Node { eval_key, status, successors: successors.collect() };
        let Some(known) = self.nodes.get(&key) else {
            self.nodes.insert(key, node);
            return Ok(());
        };
        let differences = [
            (known.eval_key != node.eval_key, "eval_key"),
            (known.status != node.status, "status"),
            (known.successors != node.successors, "successors"),
        ];
        let other: Vec<&str> = differences.iter().filter(|d| d.0).map(|d| d.1).collect();
        here.law("equal node_key, equal future", other.is_empty(), || {
            format!("node_key {key} has stood for a position with other {}", other.join(", "))
        })
    }
}
