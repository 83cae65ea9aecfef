//! The traits of a game and of its encoding.

use std::fmt::Debug;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::{
    Display, GameError, GameSpec, Key, Komi, Outcome, PlaneShape, PlaneWriter, Player,
    RecordFormat, Status, Symmetry, Targets,
};

/// A move as the game numbers it. Ascending order is the order of `legal_moves`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Move(pub u16);

/// The rules of one game with its parameters. A value is cheap to clone, because everything that
/// changes during play is in `State` and `History`.
///
/// Methods are total over reachable states. Playing an illegal move is a bug of the caller and may
/// panic in debug builds. Text is checked where it enters: [`Game::parse_move`], [`play_text`].
///
/// ```
/// use dz_game::{Game, Player, games::TicTacToe};
///
/// let game = TicTacToe;
/// let mut state = game.start();
/// for name in ["1", "5", "2", "4", "3"] {
///     game.play_text(&mut state, &mut (), name)?;
/// }
/// let outcome = game.outcome(&state, &()).expect("three in a row end the game");
/// assert_eq!(outcome.winner, Some(Player::First));
/// # Ok::<(), dz_game::GameError>(())
/// ```
///
/// [`play_text`]: Game::play_text
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// The position. No heap, at most 256 bytes where the game allows.
    type State: Clone + Eq + Debug + Send + Sync;
    /// What the rules need of the past: keys and the last positions. `()` for acyclic games.
    type History: Clone + Default + Debug + Send + Sync;
    /// The network's view of this game.
    type Encoding: Encoding<Game = Self>;

    /// Name and every parameter, canonical: `connect4:width=7,height=6,connect=4`.
    fn spec(&self) -> GameSpec;
    /// The current encoding.
    fn encoding(&self) -> Self::Encoding;
    /// The points that the second player is given, in games where komi is a parameter.
    fn komi(&self) -> Option<Komi> {
        None
    }
    /// The komi that a position is played with: a variant's games keep theirs from their start.
    fn komi_at(&self, _state: &Self::State) -> Option<Komi> {
        self.komi()
    }
    /// The same game with another komi, clamped to what makes sense on the board. `None` in games
    /// without komi.
    ///
    /// The komi is part of the returned game's positions and of both their keys. The rules and the
    /// encoding of `self` serve these positions too, so games of different komi share one evaluator
    /// and its cache.
    fn with_komi(&self, _komi: Komi) -> Option<Self> {
        None
    }
    /// The position before the first move.
    fn start(&self) -> Self::State;
    /// Whether the game is over, and if not who moves.
    fn status(&self, state: &Self::State, history: &Self::History) -> Status;
    /// Clears `out` and fills it with the legal moves, ascending; empty if and only if over.
    fn legal_moves(&self, state: &Self::State, history: &Self::History, out: &mut Vec<Move>);
    /// Applies a legal move to the position alone.
    fn play(&self, state: &mut Self::State, mv: Move);
    /// Records `state` as past before `mv` is played from it. Acyclic games keep the default.
    fn push_history(&self, _history: &mut Self::History, _state: &Self::State, _mv: Move) {}
    /// Takes back the last `push_history`.
    fn pop_history(&self, _history: &mut Self::History) {}
    /// As [`Game::advance`] from a position whose `node_key` is known. Games whose history holds
    /// keys need not compute it again.
    fn advance_keyed(
        &self,
        state: &mut Self::State,
        history: &mut Self::History,
        mv: Move,
        _node_key: Key,
    ) {
        self.advance(state, history, mv);
    }
    /// As [`Game::advance`], for rollouts: afterwards no key is computed and no move is taken back.
    fn advance_unkeyed(&self, state: &mut Self::State, history: &mut Self::History, mv: Move) {
        self.advance(state, history, mv);
    }
    /// Samples one of the legal moves uniformly; `None` if the game is over. `scratch` is working
    /// memory, and its content afterwards is unspecified.
    fn random_move(
        &self,
        state: &Self::State,
        history: &Self::History,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        self.legal_moves(state, history, scratch);
        (!scratch.is_empty()).then(|| scratch[random.random_range(0..scratch.len())])
    }
    /// Samples a legal move as a policy does that was made by hand for rollouts: MoGo's in Go, wins
    /// and what stops the opponent's in games of rows, saved bridges in Hex. `None` if the game is
    /// over. `last` is the move that led to `state`, if there was one. Games without such a policy
    /// move at random.
    fn informed_move(
        &self,
        state: &Self::State,
        history: &Self::History,
        _last: Option<Move>,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        self.random_move(state, history, random, scratch)
    }
    /// Returns a word for what surrounds a legal move before it is played, as the mover sees it.
    /// Equal surroundings have equal words. Searches pool the errors of evaluations over similar
    /// moves by it (`search.value_bias_lambda`). Games without local patterns return one word for
    /// all moves. `None` is for moves that have no place on the board, such as passes.
    fn surroundings(&self, _state: &Self::State, _mv: Move) -> Option<u64> {
        Some(0)
    }
    /// The moves of a position that these rules call a draw, where other programs play on until a
    /// player claims the draw. Clears `out`, fills it with these moves, ascending, and returns who
    /// moves. Returns `None` with `out` empty while the game goes on, and where no rules allow a
    /// move.
    fn moves_after_draw(
        &self,
        _state: &Self::State,
        _history: &Self::History,
        out: &mut Vec<Move>,
    ) -> Option<Player> {
        out.clear();
        None
    }
    /// Gives the turn to the other player without a move, in games whose front ends let one player
    /// move twice in a row. Unlike passes, skipped turns never end the game. Returns false and
    /// changes nothing if the game does not allow it or is over.
    fn skip_turn(&self, _state: &mut Self::State, _history: &mut Self::History) -> bool {
        false
    }
    /// Returns the key of the network's input: equal keys have equal planes, legal moves and mover.
    fn eval_key(&self, state: &Self::State, history: &Self::History) -> Key;
    /// Returns the key of everything that the future depends on: equal keys have equal subtrees and
    /// equal `eval_key`.
    fn node_key(&self, state: &Self::State, history: &Self::History) -> Key {
        self.eval_key(state, history)
    }
    /// True if neither a state nor a `node_key` can occur twice in a game.
    fn acyclic(&self) -> bool {
        true
    }
    /// An upper bound of plies in a game, if the rules have one.
    fn plies_max(&self) -> Option<u32>;
    /// The most bytes that `State` may have. A game that needs more than 256 overrides this and
    /// documents the reason.
    fn state_bytes_max(&self) -> usize {
        256
    }
    /// The most legal moves that a position can have.
    fn moves_max(&self) -> usize;
    /// The symmetries, identity first. Symmetry `i` of this list is `Symmetry(i)`.
    fn symmetry_count(&self) -> u8 {
        1
    }
    /// The position seen through `symmetry`; commutes with `play`.
    fn map_state(&self, _symmetry: Symmetry, state: &Self::State) -> Self::State {
        state.clone()
    }
    /// The move seen through `symmetry`.
    fn map_move(&self, _symmetry: Symmetry, mv: Move) -> Move {
        mv
    }
    /// The move in the notation of the game's community, lower case unless it has a custom.
    fn format_move(&self, mv: Move) -> String;
    /// The move that `text` names in `state`, without regard to case; not checked for legality.
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Move, GameError>;
    /// Splits a list of moves into words. Games whose moves are single digits may split letters.
    fn split_moves<'a>(&self, list: &'a str) -> Vec<&'a str> {
        list.split_whitespace().collect()
    }
    /// A position from text (FEN for chess). Most games have none.
    fn parse_position(&self, text: &str) -> Result<Self::State, GameError> {
        Err(GameError::NoPositionText {
            game: self.spec().name().to_owned(),
            text: text.to_owned(),
        })
    }
    /// The position as [`Game::parse_position`] reads it, where the game has such a notation.
    fn position_text(&self, _state: &Self::State) -> Option<String> {
        None
    }
    /// The position with these stones and this player to move, as [`Game::parse_position`] reads
    /// it, in games whose records set up stones as they like. `stones` is in the order of
    /// [`Game::stones`].
    fn position_of(&self, _stones: &[Option<Player>], _mover: Player) -> Option<String> {
        None
    }
    /// Whose stone lies on each point, row by row from the top left, in games of stones on the
    /// points of a square board; point `i` is what move `i` takes.
    fn stones(&self, _state: &Self::State) -> Option<Vec<Option<Player>>> {
        None
    }
    /// Leaf nodes at depths `0..=depth`; a position already over has no successors. A game whose
    /// published counts follow another convention keeps to that: no draw ends a line of chess.
    fn perft(&self, state: &Self::State, history: &Self::History, depth: u32) -> Vec<u64> {
        count_leaves(self, state, history, depth)
    }
    /// The board as text, a line a row, for people.
    fn render(&self, state: &Self::State) -> String;
    /// How front ends and reports show the game.
    fn display(&self) -> Display {
        Display::default()
    }
    /// One line on the notation of moves, for `dagzero rules`.
    fn notation(&self) -> &'static str;
    /// How records of the game are kept.
    fn record_format(&self) -> RecordFormat {
        RecordFormat::Plain
    }
    /// The legal move as that format writes it, `None` where records leave it out because nothing
    /// else can be played.
    fn record_move(&self, _state: &Self::State, mv: Move) -> Option<String> {
        Some(self.format_move(mv))
    }
    /// The move that `text` names in a record; whether it is legal may or may not be checked.
    fn parse_record_move(&self, state: &Self::State, text: &str) -> Result<Move, GameError> {
        self.parse_move(state, text)
    }
    /// The legal move as programs of other authors write it in GTP or UCI. Most games' own names
    /// are these: Go's are GTP's vertices and chess has UCI's moves.
    fn protocol_move(&self, _state: &Self::State, mv: Move) -> String {
        self.format_move(mv)
    }
    /// The move that `text` names in GTP or UCI; not checked for legality.
    fn parse_protocol_move(&self, state: &Self::State, text: &str) -> Result<Move, GameError> {
        self.parse_move(state, text)
    }
    /// Parameters that [`Game::spec`] leaves out because they have their defaults, so that games
    /// recorded before the parameter existed keep their name.
    fn unnamed_parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// One line on what the parameters make of the rules, where their names leave doubts.
    fn summary(&self) -> Option<&'static str> {
        None
    }

    /// `play` and `push_history` together.
    fn advance(&self, state: &mut Self::State, history: &mut Self::History, mv: Move) {
        self.push_history(history, state, mv);
        self.play(state, mv);
    }

    /// The mover, or `None` if the game is over.
    fn to_move(&self, state: &Self::State, history: &Self::History) -> Option<Player> {
        match self.status(state, history) {
            Status::ToMove(player) => Some(player),
            Status::Over(_) => None,
        }
    }

    /// The outcome, or `None` while the game goes on.
    fn outcome(&self, state: &Self::State, history: &Self::History) -> Option<Outcome> {
        match self.status(state, history) {
            Status::ToMove(_) => None,
            Status::Over(outcome) => Some(outcome),
        }
    }

    /// Plays a move given as text, checking that it is legal.
    ///
    /// # Errors
    /// [`GameError::IllegalMove`] or [`GameError::BadMove`]; the position is then unchanged.
    fn play_text(
        &self,
        state: &mut Self::State,
        history: &mut Self::History,
        text: &str,
    ) -> Result<Move, GameError> {
        let mv = self.parse_move(state, text)?;
        let mut legal = Vec::new();
        self.legal_moves(state, history, &mut legal);
        if legal.binary_search(&mv).is_err() {
            let legal = legal.iter().map(|&m| self.format_move(m)).collect::<Vec<_>>().join(" ");
            return Err(GameError::IllegalMove { text: text.to_owned(), legal });
        }
        self.advance(state, history, mv);
        Ok(mv)
    }
}

/// A versioned view of a game for networks. Its id goes into every shard and network file.
pub trait Encoding: Clone + Debug + Send + Sync + 'static {
    /// The game that is encoded.
    type Game: Game;

    /// Name and version, with what the shape depends on: `connect4-v1:6x7`.
    fn id(&self) -> String;
    /// Shape of the planes.
    fn planes(&self) -> PlaneShape;
    /// A name for each plane, in order.
    fn plane_names(&self) -> Vec<String>;
    /// A name for each global, in order.
    fn global_names(&self) -> Vec<String> {
        Vec::new()
    }
    /// Policy length, A.
    fn policy_len(&self) -> usize;
    /// Planes of the policy, where an index is `(plane * H + row) * W + column` and the point is
    /// one that the move is about, such as where a piece comes from; `None` where indices are laid
    /// out otherwise. A network can then judge moves at each point with the same weights.
    fn policy_planes(&self) -> Option<usize> {
        None
    }
    /// One line on what a policy index means, for `dagzero rules`.
    fn policy_layout(&self) -> String;
    /// Index in `0..A` of a legal move, as seen through `symmetry`; injective over legal moves.
    fn policy_index(
        &self,
        state: &<Self::Game as Game>::State,
        mv: Move,
        symmetry: Symmetry,
    ) -> usize;
    /// Clears `out` and fills in the policy index of each of these legal moves.
    fn policy_indices(
        &self,
        state: &<Self::Game as Game>::State,
        moves: &[Move],
        symmetry: Symmetry,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        out.extend(moves.iter().map(|&mv| self.policy_index(state, mv, symmetry) as u32));
    }
    /// Writes the planes and globals of the position, as the mover sees it through `symmetry`.
    fn encode(
        &self,
        state: &<Self::Game as Game>::State,
        history: &<Self::Game as Game>::History,
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    );
    /// Returns which auxiliary targets a finished game has.
    fn targets(&self) -> Targets {
        Targets::default()
    }
    /// Clears `out` and, if the game offers ownership, fills in whose each point is at the `end` of
    /// a game, `None` for points of neither: `[H, W]` as seen through `symmetry`.
    fn ownership(
        &self,
        _end: &<Self::Game as Game>::State,
        _symmetry: Symmetry,
        out: &mut Vec<Option<Player>>,
    ) {
        out.clear();
    }
}

/// Counts leaf nodes as [`Game::perft`] does where a game has no other convention: lines end where
/// games do.
fn count_leaves<G: Game>(game: &G, state: &G::State, history: &G::History, depth: u32) -> Vec<u64> {
    let mut counts = vec![0; depth as usize + 1];
    let mut history = history.clone();
    count(game, state, &mut history, &mut counts);
    counts
}

fn count<G: Game>(game: &G, state: &G::State, history: &mut G::History, counts: &mut [u64]) {
    let Some((here, deeper)) = counts.split_first_mut() else { return };
    *here += 1;
    if deeper.is_empty() {
        return;
    }
    // None if the game is over.
    let mut legal = Vec::new();
    game.legal_moves(state, history, &mut legal);
    if deeper.len() == 1 {
        // Children at the last depth are counted, not visited.
        deeper[0] += legal.len() as u64;
        return;
    }
    for mv in legal {
        let mut child = state.clone();
        game.push_history(history, state, mv);
        game.play(&mut child, mv);
        count(game, &child, history, deeper);
        game.pop_history(history);
    }
}
