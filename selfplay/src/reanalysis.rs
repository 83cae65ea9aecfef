//! Reanalyze: the current champion searches positions of games that earlier cycles played
//! (Schrittwieser et al. 2020, "Mastering Atari, Go, chess and shogi by planning with a learned
//! model", appendix H; there 80 % of the training data). Moves and outcome stay; policy targets and
//! root values are new.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context, ensure};
use dz_config::RunConfig;
use dz_game::{hash_below, hash_unit};
use dz_shard::{GAMES_PER_FRAME, GameRecord, ShardReader};
use dz_store::{CycleState, Run, RunState, ShardState};

use crate::seeds::{game_seed, word};

/// Games of a cycle that are reanalyzed instead of played: each one's number, and the game whose
/// moves it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reanalyses {
    originals: BTreeMap<u64, Arc<GameRecord>>,
}

/// Salt of the words that say whether a game is reanalyzed, and which original it has.
const REANALYSIS: u64 = 0x7265_616e_616c_7973;
/// Words that may name a game that was itself reanalyzed. After so many, the game is played after
/// all.
const SAMPLES_MAX: u64 = 16;

impl Reanalyses {
    /// Of these originals, each under the number of the game that reanalyses it.
    pub fn of(games: impl IntoIterator<Item = (u64, GameRecord)>) -> Self {
        let games = games.into_iter().filter(|(_, game)| is_original(game));
        let originals = games.map(|(number, game)| (number, Arc::new(without_searches(game))));
        Self { originals: originals.collect() }
    }

    /// Those of a cycle that is about to begin, sampled from the games on one board (see
    /// [`ShardState::board`]) that training last sampled from. None before there was a window.
    /// Earlier cycles do not change any more, so they are the same after every kill.
    ///
    /// # Errors
    /// What reading a shard reports.
    pub fn of_window(
        run: &Run,
        state: &RunState,
        config: &RunConfig,
        cycle: u32,
        board: Option<&str>,
    ) -> anyhow::Result<Self> {
        let pool = Pool::new(run, state, config, cycle, board);
        let games_per_shard = u64::from(config.selfplay.games_per_shard);
        let first = crate::first_shard(state, cycle) * games_per_shard;
        let count = config.selfplay.games.max(config.bootstrap.games);
        // By shard and frame, so that each frame is read once.
        let mut wanted: BTreeMap<(usize, usize), Vec<(usize, u64)>> = BTreeMap::new();
        for number in first..first + u64::from(count) {
            if let Some((shard, place)) = pool.sample(game_seed(config.run.seed, number)) {
                let frame = (shard, place / GAMES_PER_FRAME);
                wanted.entry(frame).or_default().push((place % GAMES_PER_FRAME, number));
            }
        }
        let mut games = Vec::new();
        for ((shard, frame), places) in wanted {
            let object = &pool.shards[shard].shard.object;
            let read = || -> anyhow::Result<Vec<GameRecord>> {
                let mut reader = ShardReader::open(&run.local_path(object))?;
                ensure!(
                    frame < reader.footer().frames.len(),
                    "it has fewer games than the ledger states"
                );
                Ok(reader.frame(frame)?)
            };
            let found =
                read().with_context(|| format!("cannot search games of {} anew", object.path))?;
            for (place, number) in places {
                games.extend(found.get(place).map(|game| (number, game.clone())));
            }
        }
        Ok(Self::of(games))
    }

    /// All originals, each after the number of the game that reanalyses it.
    pub(crate) fn originals(&self) -> impl Iterator<Item = (u64, &GameRecord)> {
        self.originals.iter().map(|(&number, game)| (number, &**game))
    }

    /// The game whose moves the game of this number has, if it is one of them.
    pub(crate) fn original(&self, number: u64) -> Option<&Arc<GameRecord>> {
        self.originals.get(&number)
    }
}

/// Whether a game was played, and has positions to search.
fn is_original(game: &GameRecord) -> bool {
    game.reanalyzed().is_none() && !game.plies.is_empty()
}

/// A game without what its searches found beside values.
fn without_searches(mut game: GameRecord) -> GameRecord {
    for ply in &mut game.plies {
        ply.visits = Vec::new();
        ply.target = None;
    }
    game
}

/// Games that may be sampled.
struct Pool<'a> {
    share: f64,
    run_seed: u64,
    /// The newest first.
    shards: Vec<PoolShard<'a>>,
}

/// A shard of games that may be sampled.
struct PoolShard<'a> {
    shard: &'a ShardState,
    /// Number of its first game.
    first: u64,
    /// Games of shards before it in the list.
    before: u64,
}

impl<'a> Pool<'a> {
    /// The shards of one board in the window that the newest cycle before this one closed with.
    fn new(
        run: &Run,
        state: &'a RunState,
        config: &RunConfig,
        cycle: u32,
        board: Option<&str>,
    ) -> Self {
        let share = config.selfplay.reanalyse_share;
        let mut pool = Self { share, run_seed: config.run.seed, shards: Vec::new() };
        let closed = |(&of, found): (&u32, &CycleState)| {
            Some((of, found.rows.as_ref()?.summary.window_games))
        };
        let Some((last, games)) = state.cycles.range(..cycle).rev().find_map(closed) else {
            return pool;
        };
        let games_per_shard = u64::from(config.selfplay.games_per_shard);
        let shards: Vec<_> = state.shards().take_while(|&(of, _)| of <= last).collect();
        let mut before = 0;
        let mut in_window = 0;
        for (place, (_, shard)) in shards.into_iter().enumerate().rev() {
            if in_window >= games {
                break;
            }
            if run.is_given_up(state, &shard.object) {
                continue;
            }
            in_window += shard.games;
            if shard.board.as_deref() == board {
                let first = place as u64 * games_per_shard;
                pool.shards.push(PoolShard { shard, first, before });
                before += shard.games;
            }
        }
        pool
    }

    /// Shard and place in it of the original of the game with this seed, if that is reanalyzed.
    /// Words come from the seed alone, so games that are played keep their random streams.
    /// Reanalyzed games are passed over, else old moves would never leave the window.
    fn sample(&self, seed: u64) -> Option<(usize, usize)> {
        let total = self.shards.last().map(|last| last.before + last.shard.games)?;
        if !self.is_reanalyzed(seed) {
            return None;
        }
        let places =
            (1..=SAMPLES_MAX).map(|place| hash_below(word(seed, REANALYSIS + place), total));
        let found = places.map(|place| {
            let index = self.shards.partition_point(|shard| shard.before <= place) - 1;
            (index, place - self.shards[index].before)
        });
        let mut played = found.filter(|&(index, place)| {
            let PoolShard { shard, first, .. } = &self.shards[index];
            shard.generation == 0 || !self.is_reanalyzed(game_seed(self.run_seed, first + place))
        });
        played.next().map(|(index, place)| (index, place as usize))
    }

    /// Whether the game with this seed is reanalyzed, where there is an original for it.
    fn is_reanalyzed(&self, seed: u64) -> bool {
        hash_unit(word(seed, REANALYSIS)) < self.share
    }
}
