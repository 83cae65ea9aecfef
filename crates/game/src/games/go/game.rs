//! The rules of Go, as every game gives them.

use rand::Rng;

use super::{
    Go, GoEncoding, GoHistory, GoState, KOMI_BEYOND, NO_KO, Rules, Set, Superko, WORDS_MAX, Words,
    mogo, moves, on_grid, zobrist,
};
use crate::{
    BoardKind, Display, Game, GameError, GameSpec, Key, Komi, Move, MovePlaces, Player,
    RecordFormat, Status, Symmetry,
};

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

    fn komi_at(&self, state: &GoState) -> Option<Komi> {
        Some(self.komi_with(state.komi_shift))
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
            out.resize(legal.len() as usize + 1, self.board.pass());
            let mut moves = out.iter_mut();
            legal.for_each(|point| {
                if let Some(mv) = moves.next() {
                    *mv = Move(point);
                }
            });
        });
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
    fn skip_turn(&self, state: &mut GoState, history: &mut GoHistory) -> bool {
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

    #[inline]
    fn advance_keyed(&self, state: &mut GoState, history: &mut GoHistory, mv: Move, node_key: Key) {
        self.remember(history, state, mv, |_| node_key);
        self.play(state, mv);
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

    #[inline]
    fn informed_move(
        &self,
        state: &GoState,
        history: &GoHistory,
        last: Option<Move>,
        random: &mut impl Rng,
        _scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        if state.is_over() {
            return None;
        }
        let last = last.filter(|&mv| mv != self.board.pass()).map(|mv| mv.0);
        let point = on_grid!(self.board, grid => {
            mogo::point(grid, &self.rules, state, history, last, random)
        });
        Some(point.map_or(self.board.pass(), Move))
    }

    fn surroundings(&self, state: &GoState, mv: Move) -> Option<u64> {
        self.surroundings_of(state, mv)
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
    /// mover, passes) never occurs twice in a game, and keys distinguish positions. Simple ko
    /// allows cycles.
    fn acyclic(&self) -> bool {
        self.rules.superko != Superko::Simple
    }

    /// Superko bounds games by the number of positions, which is too large to be useful.
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

    fn display(&self) -> Display {
        Display {
            sides: Display::BLACK_FIRST,
            board: BoardKind::Stones,
            places: MovePlaces::Vertices,
        }
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
