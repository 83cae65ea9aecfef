//! One game of a match, as a walker.

use dz_game::{Game, Move, Outcome, Player, Status, mix64};
use dz_infer::{Evaluation, Readers, Request, Walker};
use dz_search::{Budget, MoveChoice, RootSetup, choose_move};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::{Opening, PlayerKind, PlayerSetup, Seat, Thinker, Thought};

/// A game that was played, from its opening to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Number in the match; games 2k and 2k + 1 are a pair.
    pub number: u64,
    /// Who made the first move.
    pub first: Seat,
    /// How many of the moves are the opening.
    pub opening_plies: u32,
    /// All moves.
    pub moves: Vec<Move>,
    /// How it ended; a draw at the ply limit.
    pub outcome: Outcome,
    /// True if the ply limit ended it.
    pub adjudicated: bool,
}

/// A game in progress between two players.
#[derive(Debug)]
pub struct MatchGame<G: Game> {
    game: G,
    state: G::State,
    history: G::History,
    /// By [`Player::index`].
    minds: [Mind<G>; 2],
    plies_max: u32,
    thinking: bool,
    record: PlayedGame,
    random: Xoshiro256PlusPlus,
}

#[derive(Debug)]
enum Mind<G: Game> {
    Random,
    Search { thinker: Box<Thinker<G>>, budget: Budget, root: RootSetup, choice: MoveChoice },
}

impl<G: Game> MatchGame<G> {
    /// Game `number` of a match between `a` and `b`: `a` moves first in even games. `seed` is the
    /// match's.
    pub fn new(
        game: &G,
        players: [&PlayerSetup; 2],
        opening: &Opening,
        number: u64,
        seed: u64,
        plies_max: u32,
    ) -> Self {
        let first = if number.is_multiple_of(2) { Seat::A } else { Seat::B };
        let order = match first {
            Seat::A => [players[0], players[1]],
            Seat::B => [players[1], players[0]],
        };
        let mind = |index: usize| match &order[index].kind {
            PlayerKind::Random => Mind::Random,
            PlayerKind::Search { params, root, choice, budget, reuse, source } => {
                // Each side gets random words of its own, also where a player meets itself.
                let seeds = (seed, 2 * number + index as u64);
                let thinker = Thinker::new(game, *params, *reuse, *source, seeds);
                let thinker = Box::new(thinker);
                Mind::Search { thinker, budget: *budget, root: *root, choice: *choice }
            }
        };
        let record = PlayedGame {
            number,
            first,
            opening_plies: opening.moves.len() as u32,
            moves: Vec::new(),
            outcome: Outcome::DRAW,
            adjudicated: false,
        };
        let mut this = Self {
            game: game.clone(),
            state: game.start(),
            history: G::History::default(),
            minds: [mind(0), mind(1)],
            plies_max,
            thinking: false,
            record,
            random: Xoshiro256PlusPlus::seed_from_u64(mix64(seed ^ mix64(number))),
        };
        for &mv in &opening.moves {
            this.play(mv);
        }
        this
    }

    /// The game, once it is over.
    pub fn into_record(self) -> PlayedGame {
        self.record
    }

    fn play(&mut self, mv: Move) {
        self.game.advance(&mut self.state, &mut self.history, mv);
        self.record.moves.push(mv);
        for mind in &mut self.minds {
            if let Mind::Search { thinker, .. } = mind {
                thinker.advance(mv);
            }
        }
    }

    /// The mover, or `None` once the game has ended and its outcome is recorded.
    fn mover(&mut self) -> Option<Player> {
        match self.game.status(&self.state, &self.history) {
            Status::Over(outcome) => {
                self.record.outcome = outcome;
                None
            }
            Status::ToMove(_) if self.record.moves.len() >= self.plies_max as usize => {
                self.record.adjudicated = true;
                None
            }
            Status::ToMove(player) => Some(player),
        }
    }
}

impl<G: Game> Walker<G> for MatchGame<G> {
    fn walk(&mut self, readers: &Readers<G>) -> Option<Request<G>> {
        while let Some(mover) = self.mover() {
            let mv = match &mut self.minds[mover.index()] {
                Mind::Random => {
                    let mut legal = Vec::new();
                    self.game.legal_moves(&self.state, &self.history, &mut legal);
                    legal[self.random.random_range(0..legal.len())]
                }
                Mind::Search { thinker, budget, root, choice } => {
                    if !self.thinking {
                        thinker.begin(*budget, *root);
                        self.thinking = true;
                    }
                    if let Thought::Need(request) = thinker.think(readers) {
                        return Some(request);
                    }
                    self.thinking = false;
                    choose_move(&thinker.summary(), *choice, &mut self.random)
                }
            };
            self.play(mv);
        }
        None
    }

    fn apply(&mut self, evaluation: Evaluation) {
        if let Some(player) = self.game.to_move(&self.state, &self.history)
            && let Mind::Search { thinker, .. } = &mut self.minds[player.index()]
        {
            thinker.apply(&evaluation);
        }
    }
}
