//! Games that begin as forks of games of the cycle before.

use anyhow::Context;
use dz_game::{Komi, Move, hash_below, hash_unit};
use dz_shard::{GameRecord, ParentGame};
use dz_store::{Run, RunState};

use crate::published::each_game;
use crate::seeds::word;

/// Games that may be forked, and how many games begin so.
#[derive(Clone, Debug, PartialEq)]
pub struct Forks {
    /// Share of games that are forks.
    share: f64,
    parents: Vec<Parent>,
}

/// A game that may be forked.
#[derive(Clone, Debug, PartialEq)]
struct Parent {
    number: u64,
    /// Where it has one of its own.
    komi: Option<Komi>,
    /// Openings included.
    moves: Vec<Move>,
}

impl Parent {
    fn of(game: &GameRecord) -> Self {
        Self { number: game.number, komi: game.komi, moves: game.moves().collect() }
    }
}

/// Where one game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub(crate) parent: ParentGame,
    /// The parent's, whose positions these are.
    pub(crate) komi: Option<Komi>,
    /// The parent's moves up to there.
    pub(crate) moves: Vec<Move>,
    /// What the parent did next.
    pub(crate) next: Move,
}

/// Salt of the words that say whether and where a game is a fork.
const FORK: u64 = 0x0066_6f72_6b73_2121;

impl Forks {
    /// Forks of these games.
    pub fn of<'a>(games: impl IntoIterator<Item = &'a GameRecord>, share: f64) -> Self {
        Self::of_parents(games.into_iter().map(Parent::of).collect(), share)
    }

    fn of_parents(mut parents: Vec<Parent>, share: f64) -> Self {
        parents.retain(|parent| !parent.moves.is_empty());
        Self { share, parents }
    }

    /// Forks of games with these numbers, komi of their own and moves.
    pub(crate) fn of_moves(
        parents: impl IntoIterator<Item = (u64, Option<Komi>, Vec<Move>)>,
        share: f64,
    ) -> Self {
        let parent = |(number, komi, moves)| Parent { number, komi, moves };
        Self::of_parents(parents.into_iter().map(parent).collect(), share)
    }

    /// Share of games that are forks.
    pub(crate) const fn share(&self) -> f64 {
        self.share
    }

    /// The games that may be forked, as [`Self::of_moves`] takes them.
    pub(crate) fn parents(&self) -> impl Iterator<Item = (u64, Option<Komi>, &[Move])> {
        self.parents.iter().map(|parent| (parent.number, parent.komi, &parent.moves[..]))
    }

    /// Forks of the games of the cycle before on one board (see [`dz_store::ShardState::board`]),
    /// as far as they are there. The ledger's shards of that cycle do not change any more, so the
    /// forks are the same after every kill.
    ///
    /// # Errors
    /// What reading a shard reports.
    pub fn of_cycle_before(
        run: &Run,
        state: &RunState,
        cycle: u32,
        board: Option<&str>,
        share: f64,
    ) -> anyhow::Result<Self> {
        let before = state.cycle_state(cycle.saturating_sub(1));
        let shards = before.iter().flat_map(|cycle| cycle.shards.values());
        let shards = shards.filter(|shard| shard.board.as_deref() == board);
        let kept = shards.filter(|shard| !run.is_given_up(state, &shard.object));
        let mut games = Vec::new();
        each_game(run, kept, |_, record| {
            // The moves of a reanalyzed game are those of an earlier champion.
            games.extend(record.reanalyzed().is_none().then(|| Parent::of(&record)));
            Ok(())
        })
        .context("no forks can be taken of the cycle before")?;
        Ok(Self::of_parents(games, share))
    }

    /// Where the game with this seed begins, if it is a fork. Its random words come from a separate
    /// stream of the seed, so other games are unchanged.
    pub(crate) fn fork(&self, game_seed: u64) -> Option<Fork> {
        let word = |place: u64| word(game_seed, FORK + place);
        if hash_unit(word(0)) >= self.share || self.parents.is_empty() {
            return None;
        }
        let below = |word: u64, len: usize| hash_below(word, len as u64) as usize;
        let Parent { number, komi, moves } = &self.parents[below(word(1), self.parents.len())];
        let ply = below(word(2), moves.len().min(u16::MAX.into()));
        let parent = ParentGame { game: *number, ply: ply as u16 };
        Some(Fork { parent, komi: *komi, moves: moves[..ply].to_vec(), next: moves[ply] })
    }
}
