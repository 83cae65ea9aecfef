//! One game of a match.

use dz_game::{Game, Move, Outcome, Player, Status, mix64};
use dz_infer::{Evaluation, GameTask, Readers, Request};
use dz_search::choose_move;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    Forfeit, GameSeed, MatchPlayer, MoveSearch, Opening, PlayedGame, PlayerKind, Ready,
    SearchPlayer, SearchStep, Seat, external::EngineInGame,
};

/// A game in progress between two players.
#[derive(Debug)]
pub struct MatchGame<G: Game> {
    game: G,
    state: G::State,
    history: G::History,
    /// By [`Player::index`].
    deciders: [Decider<G>; 2],
    plies_max: u32,
    /// Whether the mover's search has begun.
    is_searching: bool,
    record: PlayedGame,
    random: Xoshiro256PlusPlus,
}

/// What finds one side's moves in one game.
#[derive(Debug)]
enum Decider<G: Game> {
    Random,
    Search { search: Box<MoveSearch<G>>, player: Box<SearchPlayer> },
    Engine(Box<EngineInGame>),
}

enum Decision {
    Move(Move),
    Asks,
    Lost(Forfeit),
}

/// What fixes one game of a match, beside the rules.
#[derive(Clone, Debug)]
pub struct GameSetup<'a> {
    /// Players A and B. A moves first in even games.
    pub players: [&'a MatchPlayer; 2],
    /// What they play with, from [`crate::PlayerPool::prepare`].
    pub ready: [&'a Ready; 2],
    /// Moves that the game begins with.
    pub opening: &'a Opening,
    /// Number in the match.
    pub number: u64,
    /// Seed of the match.
    pub seed: u64,
    /// Plies after which the game is a draw.
    pub plies_max: u32,
}

impl<G: Game> MatchGame<G> {
    /// The game of `plan` after its opening.
    pub fn new(game: &G, plan: &GameSetup<'_>) -> Self {
        let number = plan.number;
        let first = if number.is_multiple_of(2) { Seat::A } else { Seat::B };
        let seats = match first {
            Seat::A => [0, 1],
            Seat::B => [1, 0],
        };
        let decider = |index: usize| match &plan.players[seats[index]].kind {
            PlayerKind::Random => Decider::Random,
            PlayerKind::Search(player) => {
                // Each side has its own random stream, also where a player meets itself.
                let seed = GameSeed { run_seed: plan.seed, game_number: 2 * number + index as u64 };
                let Ready { source, guide } = plan.ready[seats[index]];
                let search = MoveSearch::new(game, player.params, player.reuse, *source, seed)
                    .guided(guide.clone());
                Decider::Search { search: Box::new(search), player: Box::new(player.clone()) }
            }
            PlayerKind::Engine(pool) => Decider::Engine(Box::new(EngineInGame::new(game, pool))),
        };
        let record = PlayedGame {
            number,
            first,
            opening_plies: plan.opening.moves.len() as u32,
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
            deciders: [decider(0), decider(1)],
            plies_max: plan.plies_max,
            is_searching: false,
            record,
            random: Xoshiro256PlusPlus::seed_from_u64(mix64(plan.seed ^ mix64(number))),
        };
        for &mv in &plan.opening.moves {
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
        for decider in &mut self.deciders {
            match decider {
                Decider::Random => {}
                Decider::Search { search, .. } => search.advance(mv),
                Decider::Engine(engine) => {
                    engine.note(&self.game, &self.state, &self.history, mover, mv);
                }
            }
        }
        self.game.advance(&mut self.state, &mut self.history, mv);
        self.record.moves.push(mv);
    }

    /// The mover's move, or what must be evaluated first.
    fn decide(&mut self, mover: Player, readers: &Readers<G>, request: &mut Request) -> Decision {
        match &mut self.deciders[mover.index()] {
            Decider::Random => {
                let legal = legal(&self.game, &self.state, &self.history);
                Decision::Move(legal[self.random.random_range(0..legal.len())])
            }
            Decider::Search { search, player } => {
                if !self.is_searching {
                    search.begin(player.budget, player.root);
                    self.is_searching = true;
                }
                if search.step(readers, request) == SearchStep::Asks {
                    return Decision::Asks;
                }
                self.is_searching = false;
                Decision::Move(choose_move(&search.summary(), player.choice, &mut self.random))
            }
            Decider::Engine(engine) => {
                let legal = legal(&self.game, &self.state, &self.history);
                match engine.choose(&self.game, &self.state, mover, &legal) {
                    Ok(mv) => Decision::Move(mv),
                    Err(forfeit) => Decision::Lost(forfeit),
                }
            }
        }
    }

    /// Asks engines for their count of a finished game and returns them to their pools.
    fn close(&mut self) {
        let by_rules = self.record.forfeit.is_none() && !self.record.adjudicated;
        let outcome = by_rules.then_some(self.record.outcome);
        for (index, player) in Player::BOTH.into_iter().enumerate() {
            if let Decider::Engine(engine) = &mut self.deciders[index]
                && let Some(dispute) = engine.end(outcome)
            {
                let text = format!("the {} player {dispute}", player.name());
                self.record.dispute.get_or_insert(text);
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

impl<G: Game> GameTask<G> for MatchGame<G> {
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool {
        while let Some(mover) = self.mover() {
            match self.decide(mover, readers, request) {
                Decision::Move(mv) => self.play(mover, mv),
                Decision::Asks => return true,
                Decision::Lost(forfeit) => self.record.forfeit = Some(forfeit),
            }
        }
        self.close();
        false
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        if let Some(player) = self.game.to_move(&self.state, &self.history)
            && let Decider::Search { search, .. } = &mut self.deciders[player.index()]
        {
            search.apply(evaluation);
        }
    }
}

fn legal<G: Game>(game: &G, state: &G::State, history: &G::History) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(state, history, &mut moves);
    moves
}
