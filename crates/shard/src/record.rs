//! One self-play game as it is recorded.

use dz_game::{Game, Komi, Move, Outcome, Wdl};
use serde::{Deserialize, Serialize};

use crate::{ShardError, WdlShares, Weight};

/// A whole game: how it started, every recorded ply, how it ended.
///
/// Self-play writes records into shards. Training reads them back and replays them into rows:
///
/// ```
/// use std::io::Cursor;
///
/// use dz_game::{Game, games::TicTacToe};
/// use dz_shard::{
///     RowBlock, RowShape, SHARD_LEVEL, ShardReader, ShardWriter, random_header, random_records,
///     rows_of_game,
/// };
///
/// let game = TicTacToe;
/// let header = random_header(&game, 0, 2);
/// let mut shard = ShardWriter::new(Vec::new(), header, SHARD_LEVEL)?;
/// // Two games of random moves, with searches of 25 visits.
/// for record in random_records(&game, 2, 25, 7) {
///     shard.push(record)?;
/// }
/// let (bytes, _) = shard.finish()?;
///
/// let mut shard = ShardReader::new(Cursor::new(bytes))?;
/// let mut rows = RowBlock::new(RowShape::of(&game.encoding()));
/// let mut plies = 0;
/// for record in shard.games() {
///     let record = record?;
///     rows_of_game(&game, &record, &mut rows)?;
///     plies += record.plies.len();
/// }
/// assert_eq!(rows.len(), plies);
/// # Ok::<(), dz_shard::ShardError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// The game's number in the run; shard `k` holds games `k*M .. (k+1)*M`.
    pub number: u64,
    /// The seed of the game's random stream.
    pub seed: u64,
    /// Moves from the start position that were played before recording began: a random opening,
    /// or, for a fork, the parent game up to the fork.
    pub start_moves: Vec<Move>,
    /// The game that this one was forked from, or whose moves it has, all of them
    /// ([`GameRecord::reanalyzed`]).
    pub parent: Option<ParentGame>,
    /// The komi of this game, where it is not that of the shard's game.
    pub komi: Option<Komi>,
    /// When a player resigns, if they may.
    pub resign: Option<ResignThresholds>,
    /// Which of the header's evaluators played.
    pub evaluator: u16,
    /// Who won.
    pub outcome: Outcome,
    /// Why the game ended.
    pub end: GameEnd,
    /// The recorded plies, in order.
    pub plies: Vec<PlyRecord>,
}

/// One recorded ply: the move that was played and what the search that chose it found.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyRecord {
    /// The move that was played.
    pub mv: Move,
    /// Which of the header's networks the search used.
    pub network: u16,
    /// Whether the search was meant as a policy target.
    pub kind: SearchKind,
    /// Playouts that the search was given.
    pub budget: u32,
    /// Edge visits of the root, ascending by move, only those above 0.
    pub visits: Vec<(Move, u32)>,
    /// The root's value after the search, for the mover; stored in units of 1/65,535.
    pub root_value: Wdl,
    /// Bits: [`PlyRecord::BELOW`] and [`PlyRecord::POLICY_ONLY`]; the others are 0.
    pub flags: u8,
    /// The row's weight in training; stored in units of 1/1,024, at most 63.99.
    pub weight: f32,
    /// The policy target where it is not the visits: shares of 65,535, ascending by move.
    pub target: Option<Vec<(Move, u16)>>,
}

/// Full searches make policy targets; fast ones only move the game on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// All playouts and root noise: value and policy target.
    Full,
    /// Few playouts: no policy target.
    Fast,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnd {
    /// The rules ended it.
    Rules,
    /// The player to move at the end resigned or, by thresholds of 0 turns, who made the last move.
    Resigned,
    /// It reached self-play's ply limit, and `outcome` is what self-play adjudged.
    PlyLimit,
}

/// Where a game came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentGame {
    /// The parent's number.
    pub game: u64,
    /// Plies of the parent that are kept.
    pub ply: u16,
}

/// When a player resigns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResignThresholds {
    /// A turn counts towards resignation if the root's value and that of its best move (win minus
    /// loss, the mover's) are both below this.
    pub value_min: f32,
    /// How many of the mover's turns in a row must be below; the next one then resigns without a
    /// search. 0 resigns at once (AlphaGo): the best move's value alone is compared, and the turn
    /// that is below is the game's last.
    pub turns: u8,
    /// False where the game is played on to measure wrong resignations.
    pub enforced: bool,
}

impl PlyRecord {
    /// Bit of `flags`: only the policy learns from the ply. Its weight depends on the outcome, so
    /// its row would teach the value and the auxiliary heads a biased outcome.
    pub const POLICY_ONLY: u8 = 2;
}

impl GameRecord {
    /// Returns a game from the start position without plies: no parent, no komi of its own, nobody
    /// resigns, a draw by the rules.
    pub fn started(number: u64, seed: u64) -> Self {
        Self {
            number,
            seed,
            start_moves: Vec::new(),
            parent: None,
            komi: None,
            resign: None,
            evaluator: 0,
            outcome: Outcome::DRAW,
            end: GameEnd::Rules,
            plies: Vec::new(),
        }
    }

    /// All moves from the start position: opening and recorded ones.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.start_moves.iter().copied().chain(self.plies.iter().map(|ply| ply.mv))
    }

    /// Plies from the start position: opening and recorded ones.
    pub fn plies_total(&self) -> usize {
        self.start_moves.len() + self.plies.len()
    }

    /// The game whose moves these are, if this game was not played but reanalyzed by a later
    /// champion (`MuZero`'s Reanalyze). It has all moves and the outcome of that game. Plies
    /// without a full search were not searched again: they have no visits and no weight.
    pub fn reanalyzed(&self) -> Option<u64> {
        let keeps_all = |parent: &ParentGame| usize::from(parent.ply) == self.plies_total();
        self.parent.filter(keeps_all).filter(|_| !self.plies.is_empty()).map(|parent| parent.game)
    }

    /// The rules that it was played by: those of its shard's game, with its own komi if it has one.
    ///
    /// # Errors
    /// [`ShardError::Replay`] if the game cannot have that komi.
    pub fn rules<G: Game>(&self, game: &G) -> Result<G, ShardError> {
        let Some(komi) = self.komi else { return Ok(game.clone()) };
        let variant = game.with_komi(komi).filter(|variant| variant.komi() == Some(komi));
        variant.ok_or_else(|| {
            let what = format!("{} cannot have a komi of {komi}", game.spec());
            ShardError::Replay { game: self.number, ply: 0, what }
        })
    }

    /// The record as it comes back from a shard: values and weights in their stored units.
    ///
    /// # Errors
    /// [`ShardError::BadRecord`] as [`GameRecord::check`].
    pub fn quantised(&self) -> Result<Self, ShardError> {
        self.check()?;
        let mut record = self.clone();
        for ply in &mut record.plies {
            let shares = WdlShares::new(ply.root_value);
            let weight = Weight::new(ply.weight);
            if let (Some(shares), Some(weight)) = (shares, weight) {
                ply.root_value = shares.wdl();
                ply.weight = weight.get();
            }
        }
        Ok(record)
    }

    /// Checks what can be checked without the rules: ascending moves, counts above 0, ranges.
    ///
    /// # Errors
    /// [`ShardError::BadRecord`] with the first fault.
    pub fn check(&self) -> Result<(), ShardError> {
        let bad = |ply: usize, what: &str| ShardError::BadRecord {
            game: self.number,
            what: format!("recorded ply {ply}: {what}"),
        };
        if self.plies_total() > usize::from(u16::MAX) {
            return Err(bad(self.plies.len(), "more than 65,535 plies"));
        }
        if self.resign.is_some_and(|resign| !resign.value_min.is_finite()) {
            return Err(bad(0, "the resign threshold is not a number"));
        }
        for (i, ply) in self.plies.iter().enumerate() {
            if !ply.visits.is_sorted_by(|a, b| a.0 < b.0) {
                return Err(bad(i, "visits are not ascending by move"));
            }
            if ply.visits.iter().any(|&(_, count)| count == 0) {
                return Err(bad(i, "a visit count is 0; leave the move out"));
            }
            if let Some(target) = &ply.target {
                if !target.is_sorted_by(|a, b| a.0 < b.0) {
                    return Err(bad(i, "the target is not ascending by move"));
                }
                let total: u32 = target.iter().map(|&(_, share)| u32::from(share)).sum();
                if total == 0 || total > u32::from(u16::MAX) {
                    return Err(bad(i, "the target's shares do not sum to 1..=65,535"));
                }
            }
            if WdlShares::new(ply.root_value).is_none() {
                return Err(bad(i, "the root value is not a distribution of win, draw and loss"));
            }
            if Weight::new(ply.weight).is_none() {
                return Err(bad(i, "the weight is not in 0..=63.99"));
            }
        }
        Ok(())
    }
}
