//! Go on boards of 2 to 19 rows by the rules of J. Tromp and B. Taylor (The Logical Rules of Go):
//! area scoring, superko, and two passes end the game. Suicide and other rules of repetition are
//! options.
//!
//! A board is two sets of points and those of their stones whose chains are in atari, which is all
//! that legality and capture ask; what a stone changes is found by floods. Chains with ids and
//! liberty counts took 104 ns a ply where this takes 78 on 9x9, and 110 instead of 228 on 19x19,
//! but states of 7 KB instead of 216 bytes, which searches copy all the time (benchmarks/games.md).

mod board;
mod encoding;
mod history;
mod moves;
mod position;
mod record;
mod rules;
mod select;
mod set;
mod zobrist;

use rand::Rng;

use crate::{
    Game, GameError, GameSpec, Key, Komi, Move, Outcome, Player, RecordFormat, Status, Symmetry,
    mix64,
};

use board::{Board, on_grid};
pub use encoding::GoEncoding;
pub use history::GoHistory;
use rules::Rules;
pub use rules::Superko;
use set::{Set, WORDS_MAX, Words};

/// No point is forbidden by simple ko.
const NO_KO: u16 = u16::MAX;
/// Points that a variant's komi may have beyond those of the board (`KataGo`, `KOMI_CLIP_RADIUS`).
const KOMI_BEYOND: i16 = 20;

/// The rules with their parameters.
#[derive(Clone, Debug)]
pub struct Go {
    board: Board,
    rules: Rules,
    /// Half points of komi beyond those of `rules`: 0 but in variants.
    komi_shift: i16,
}

/// A position. What superko remembers is in [`GoHistory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoState {
    /// Stones of the first (black) and of the second player.
    stones: [Words; 2],
    /// Those whose chain has one liberty: all that legality and capture ask of chains.
    atari: [Words; 2],
    /// Key of the stones.
    hash: Key,
    /// The stone that was just taken by a single one in atari, or [`NO_KO`].
    ko: u16,
    /// Half points of komi beyond those of the rules, which a variant's games keep from their
    /// start.
    komi_shift: i16,
    mover: Player,
    /// Passes in a row; two end the game.
    passes: u8,
}

impl GoState {
    #[inline]
    fn is_over(&self) -> bool {
        self.passes == 2
    }
}

impl Go {
    /// Reads `size` (9, from 2 to 19), `komi` (7, whole or half points), `suicide` (false),
    /// `superko` (`positional`, `situational` or `simple`), `repetition_bound` (11, see `node_key`)
    /// and `history_planes` (0, how many past positions the network sees, up to 7).
    ///
    /// # Errors
    /// [`GameError`] for parameters that are unknown or impossible.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let rules = Rules::from_spec(spec)?;
        Ok(Self { board: Board::new(rules.size), rules, komi_shift: 0 })
    }

    /// Rows, which are as many as columns.
    pub fn size(&self) -> u16 {
        self.board.size()
    }

    /// Komi where `shift` half points come to that of the rules.
    fn komi_with(&self, shift: i16) -> Komi {
        Komi { halves: self.rules.komi.halves + shift }
    }

    /// Which repetitions are illegal.
    pub fn superko(&self) -> Superko {
        self.rules.superko
    }

    /// Whose stone lies on `point`, which is `row * size + column` from the top left, the number of
    /// its move.
    pub fn stone_at(&self, state: &GoState, point: u16) -> Option<Player> {
        let has =
            |player: &Player| Set::<WORDS_MAX>::load(&state.stones[player.index()]).has(point);
        [Player::First, Player::Second].into_iter().find(has)
    }

    /// Whose area `point` belongs to as the stones lie, none of them taken for dead.
    pub fn owner_at(&self, state: &GoState, point: u16) -> Option<Player> {
        let areas = on_grid!(self.board, grid => grid.areas(&state.stones).map(|a| a.has(point)));
        [Player::First, Player::Second].into_iter().find(|player| areas[player.index()])
    }

    /// Area of the first player minus that of the second, in points, without komi.
    pub fn margin(&self, state: &GoState) -> i16 {
        let areas = on_grid!(self.board, grid => grid.areas(&state.stones).map(|a| a.len() as i16));
        areas[0] - areas[1]
    }

    fn result(&self, state: &GoState) -> Outcome {
        let margin = self.margin(state);
        let winner = match (2 * margin).cmp(&self.komi_with(state.komi_shift).halves) {
            std::cmp::Ordering::Greater => Some(Player::First),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Player::Second),
        };
        Outcome { winner, margin: Some(margin) }
    }

    /// Points that only ko or superko forbids.
    fn banned(&self, state: &GoState, history: &GoHistory) -> Words {
        let mut words = [0; WORDS_MAX];
        if !state.is_over() {
            on_grid!(self.board, grid => {
                moves::legality(grid, &self.rules, state, history).banned.store(&mut words);
            });
        }
        words
    }

    /// The position alone: stones, mover, passes, simple ko, a variant's komi.
    #[inline]
    fn position_key(&self, state: &GoState) -> Key {
        let ko = if self.rules.superko == Superko::Simple { state.ko } else { NO_KO };
        let komi = u64::from(state.komi_shift.cast_unsigned());
        let turn = u64::from(state.passes) << 1 | state.mover.index() as u64;
        let rest = komi << 32 | u64::from(ko) << 16 | turn;
        zobrist::xor(state.hash, Key { high: mix64(rest), low: mix64(!rest) })
    }
}

impl Game for Go {
    type State = GoState;
    type History = GoHistory;
    type Encoding = GoEncoding;

    fn spec(&self) -> GameSpec {
        Rules { komi: self.komi_with(self.komi_shift), ..self.rules }.spec()
    }

    fn unnamed_parameters(&self) -> Vec<(&'static str, String)> {
        self.rules.unnamed()
    }

    fn encoding(&self) -> GoEncoding {
        GoEncoding { game: self.clone() }
    }

    fn komi(&self) -> Option<Komi> {
        Some(self.komi_with(self.komi_shift))
    }

    fn with_komi(&self, komi: Komi) -> Option<Self> {
        let own = self.rules.komi.halves;
        let most = (2 * (self.board.area() as i16 + KOMI_BEYOND)).max(own.abs());
        Some(Self { komi_shift: komi.halves.clamp(-most, most) - own, ..self.clone() })
    }

    fn start(&self) -> GoState {
        GoState {
            stones: [[0; WORDS_MAX]; 2],
            atari: [[0; WORDS_MAX]; 2],
            hash: Key::default(),
            ko: NO_KO,
            komi_shift: self.komi_shift,
            mover: Player::First,
            passes: 0,
        }
    }

    #[inline]
    fn status(&self, state: &GoState, _history: &GoHistory) -> Status {
        if state.is_over() { Status::Over(self.result(state)) } else { Status::ToMove(state.mover) }
    }

    #[inline]
    fn legal_moves(&self, state: &GoState, history: &GoHistory, out: &mut Vec<Move>) {
        out.clear();
        if state.is_over() {
            return;
        }
        on_grid!(self.board, grid => {
            let legal = moves::legality(grid, &self.rules, state, history).legal;
            legal.iter().for_each(|point| out.push(Move(point)));
        });
        out.push(self.board.pass());
    }

    #[inline]
    fn play(&self, state: &mut GoState, mv: Move) {
        debug_assert!(!state.is_over() && mv.0 <= self.board.area());
        if mv == self.board.pass() {
            state.passes += 1;
            state.ko = NO_KO;
        } else {
            debug_assert!(self.stone_at(state, mv.0).is_none(), "the point is occupied");
            state.passes = 0;
            on_grid!(self.board, grid => moves::put(grid, state, mv.0));
        }
        state.mover = state.mover.opponent();
    }

    /// Superko remembers the position as if the mover had passed.
    fn leave_turn(&self, state: &mut GoState, history: &mut GoHistory) -> bool {
        if state.is_over() {
            return false;
        }
        self.push_history(history, state, self.board.pass());
        (state.ko, state.passes) = (NO_KO, 0);
        state.mover = state.mover.opponent();
        true
    }

    #[inline]
    fn push_history(&self, history: &mut GoHistory, state: &GoState, mv: Move) {
        self.remember(history, state, mv, |history| self.node_key(state, history));
    }

    fn pop_history(&self, history: &mut GoHistory) {
        history.pop();
    }

    /// A node key takes a walk over the last chain's surroundings, which this spares.
    #[inline]
    fn advance_unkeyed(&self, state: &mut GoState, history: &mut GoHistory, mv: Move) {
        self.remember(history, state, mv, |_| Key::default());
        self.play(state, mv);
    }

    #[inline]
    fn random_move(
        &self,
        state: &GoState,
        history: &GoHistory,
        random: &mut impl Rng,
        _scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        if state.is_over() {
            return None;
        }
        let point = on_grid!(self.board, grid => {
            moves::random_point(grid, &self.rules, state, history, random)
        });
        Some(point.map_or(self.board.pass(), Move))
    }

    /// The position, which points superko forbids, and the past positions that the network sees.
    #[inline]
    fn eval_key(&self, state: &GoState, history: &GoHistory) -> Key {
        let mut key = self.position_key(state);
        if self.rules.superko != Superko::Simple {
            let banned = self.banned(state, history);
            if banned != [0; WORDS_MAX] {
                key = banned.into_iter().fold(key, Key::mix);
            }
        }
        let seen = history.boards().take(self.rules.history_planes.into());
        seen.fold(key, |key, past| key.mix(past.hash.high).mix(past.hash.low))
    }

    /// The position, and under superko the past that may matter: all of it since the last move
    /// whose chain of S stones, with E empty points in all empty regions that border it, has
    /// S + E - 1 > `repetition_bound`. Before that chain is gone, which takes S + E - 1 plies or
    /// more, no position from before it comes back (D. Wu, `KataGo`, docs/GraphSearch.md, on
    /// cycles). So on boards with at most `repetition_bound` + 1 points equal keys have equal
    /// futures, and on larger ones futures that are equal for that many plies.
    ///
    /// Past positions that only the network sees are no part of it: where the past is forgotten, a
    /// node keeps the evaluation of the path that made it.
    #[inline]
    fn node_key(&self, state: &GoState, history: &GoHistory) -> Key {
        let key = self.position_key(state);
        match history.last() {
            Some(past) if !self.forgets(state, past.mv) => {
                key.mix(past.node_key.high).mix(past.node_key.low)
            }
            _ => key,
        }
    }

    /// Under positional superko a board stays for one or two passes and then never comes back,
    /// under situational superko the same holds for a board with its mover, so a position (board,
    /// mover, passes) never occurs twice in a game, and keys tell positions apart. Simple ko allows
    /// cycles.
    fn acyclic(&self) -> bool {
        self.rules.superko != Superko::Simple
    }

    /// Superko bounds games by the number of positions, which is no use as a number.
    fn plies_max(&self) -> Option<u32> {
        None
    }

    fn moves_max(&self) -> usize {
        usize::from(self.board.area()) + 1
    }

    fn symmetry_count(&self) -> u8 {
        8
    }

    fn map_state(&self, symmetry: Symmetry, state: &GoState) -> GoState {
        let map = |sets: &[Words; 2]| sets.map(|set| self.board.map_words(symmetry, &set));
        let stones = map(&state.stones);
        let mut hash = Key::default();
        for player in [Player::First, Player::Second] {
            for point in Set::<WORDS_MAX>::load(&stones[player.index()]).iter() {
                hash = zobrist::toggled(hash, point, player);
            }
        }
        let ko =
            if state.ko == NO_KO { NO_KO } else { self.board.square.map_point(symmetry, state.ko) };
        GoState { stones, atari: map(&state.atari), hash, ko, ..*state }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        if mv == self.board.pass() { mv } else { Move(self.board.square.map_point(symmetry, mv.0)) }
    }

    fn format_move(&self, mv: Move) -> String {
        self.board.format(mv)
    }

    fn parse_move(&self, _state: &GoState, text: &str) -> Result<Move, GameError> {
        self.board.parse(text)
    }

    fn parse_position(&self, text: &str) -> Result<GoState, GameError> {
        self.parse_stones(text)
    }

    fn position_of(&self, stones: &[Option<Player>], mover: Player) -> Option<String> {
        self.position_of_stones(stones, mover)
    }

    fn render(&self, state: &GoState) -> String {
        self.board.render(|point| match self.stone_at(state, point) {
            Some(Player::First) => 'X',
            Some(Player::Second) => 'O',
            None => '.',
        })
    }

    fn stones(&self, state: &GoState) -> Option<Vec<Option<Player>>> {
        Some((0..self.size() * self.size()).map(|point| self.stone_at(state, point)).collect())
    }

    fn notation(&self) -> &'static str {
        "GTP vertices: A1 bottom left, columns without I; or pass"
    }

    fn record_format(&self) -> RecordFormat {
        self.sgf()
    }

    fn record_move(&self, _state: &GoState, mv: Move) -> Option<String> {
        Some(self.format_sgf(mv))
    }

    fn parse_record_move(&self, _state: &GoState, text: &str) -> Result<Move, GameError> {
        self.parse_sgf(text)
    }
}
