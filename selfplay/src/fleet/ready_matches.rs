//! The matches of a plan with their players, on a worker.

use dz_game::Game;
use dz_infer::Lockstep;
use dz_play::{Match, PlayerPool};

/// The players of a plan of matches, ready to play.
pub(super) struct ReadyMatches<G: Game> {
    /// The plan's number.
    pub(super) number: u64,
    pub(super) matches: Vec<Match>,
    /// The evaluators of each match's players.
    pub(super) evaluators: Vec<[String; 2]>,
    pub(super) pool: PlayerPool<G>,
    pub(super) lockstep: Lockstep,
}
