//! One game of a match, as a walker.

use dz_game::{Game, Move, Outcome, Player, Status, mix64};
use dz_infer::{Evaluation, Readers, Request, Walker};
use dz_search::{Budget, MoveChoice, RootSetup, choose_move};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::{
    Forfeit, Opening, PlayerKind, PlayerSetup, Seat, Thinker, Thought, external::External,
};

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
    /// Why it was lost otherwise than by the rules, where it was: `outcome` then has no margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<Forfeit>,
    /// What an external player says of the result where it says something else than the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<String>,
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
    External(External),
}

enum Choice<G: Game> {
    Move(Move),
    Need(Request<G>),
    Lost(Forfeit),
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
            PlayerKind::External(pool) => Mind::External(External::new(game, pool)),
        };
        let record = PlayedGame {
            number,
            first,
            opening_plies: opening.moves.len() as u32,
            moves: Vec::new(),
            outcome: Outcome::DRAW,
            adjudicated: false,
            forfeit: None,
            dispute: None,
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
            let mover = this.game.to_move(&this.state, &this.history);
            this.play(mover.unwrap_or(Player::First), mv);
        }
        this
    }

    /// The game, once it is over.
    pub fn into_record(self) -> PlayedGame {
        self.record
    }

    fn play(&mut self, mover: Player, mv: Move) {
        for mind in &mut self.minds {
            match mind {
                Mind::Random => {}
                Mind::Search { thinker, .. } => thinker.advance(mv),
                Mind::External(external) => external.note(&self.game, &self.state, mover, mv),
            }
        }
        self.game.advance(&mut self.state, &mut self.history, mv);
        self.record.moves.push(mv);
    }

    /// The move at hand, or what must be evaluated first.
    fn choose(&mut self, mover: Player, readers: &Readers<G>) -> Choice<G> {
        match &mut self.minds[mover.index()] {
            Mind::Random => {
                let legal = legal(&self.game, &self.state, &self.history);
                Choice::Move(legal[self.random.random_range(0..legal.len())])
            }
            Mind::Search { thinker, budget, root, choice } => {
                if !self.thinking {
                    thinker.begin(*budget, *root);
                    self.thinking = true;
                }
                if let Thought::Need(request) = thinker.think(readers) {
                    return Choice::Need(request);
                }
                self.thinking = false;
                Choice::Move(choose_move(&thinker.summary(), *choice, &mut self.random))
            }
            Mind::External(external) => {
                let legal = legal(&self.game, &self.state, &self.history);
                match external.choose(&self.game, &self.state, mover, &legal) {
                    Ok(mv) => Choice::Move(mv),
                    Err(forfeit) => Choice::Lost(forfeit),
                }
            }
        }
    }

    /// Lets external players count the game and go.
    fn close(&mut self) {
        let by_rules = self.record.forfeit.is_none() && !self.record.adjudicated;
        let outcome = by_rules.then_some(self.record.outcome);
        for (index, player) in Player::BOTH.into_iter().enumerate() {
            if let Mind::External(external) = &mut self.minds[index]
                && let Some(said) = external.end(outcome)
            {
                self.record.dispute.get_or_insert(format!("the {} player {said}", player.name()));
            }
        }
    }

    /// The mover, or `None` once the game has ended and its outcome is recorded.
    fn mover(&mut self) -> Option<Player> {
        if let Some(forfeit) = &self.record.forfeit {
            self.record.outcome = Outcome::win_of(forfeit.loser.opponent());
            return None;
        }
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
            match self.choose(mover, readers) {
                Choice::Move(mv) => self.play(mover, mv),
                Choice::Need(request) => return Some(request),
                Choice::Lost(forfeit) => self.record.forfeit = Some(forfeit),
            }
        }
        self.close();
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

fn legal<G: Game>(game: &G, state: &G::State, history: &G::History) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(state, history, &mut moves);
    moves
}
