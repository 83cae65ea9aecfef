//! Go on boards of 2 to 19 rows by the rules of J. Tromp and B. Taylor (The Logical Rules of Go):
//! area scoring, superko, and two passes end the game. Suicide and other rules of repetition are
//! options.
//!
//! A board is two sets of stones, and the stones of each whose chains are in atari. Legality and
//! captures need nothing else. The changes that a stone makes are found by flood fills. Chains with
//! ids and liberty counts took 104 ns a ply instead of 78 on 9x9, and 110 instead of 228 on 19x19.
//! But their states take 7 KB instead of 216 bytes, and searches copy states all the time
//! (benchmarks/games.md).

mod board;
mod encoding;
mod game;
mod history;
mod mogo;
mod moves;
mod patterns;
mod position;
mod record;
mod repetition;
mod rules;
mod select;
mod set;
mod surroundings;
mod zobrist;

use crate::{GameError, GameSpec, Key, Komi, Outcome, Player, mix64};

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
