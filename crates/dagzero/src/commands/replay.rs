//! `dagzero replay`: plays a recorded game again and compares it with its record.

use std::{io::Write, path::PathBuf, sync::Arc};

use anyhow::Context;
use dz_config::RunConfig;
use dz_game::{AnyGame, Game, GameSpec};
use dz_infer::{Lockstep, Sources};
use dz_play::Guide;
use dz_selfplay::{
    CyclePlan, Forks, IMPORTED, Past, Reanalyses, ResignPlan, ShardSink, champion_sources,
    cycle_plan, guide_of, play_cycle,
};
use dz_shard::{GameRecord, PlyRecord, ShardHeader, ShardReader};
use dz_store::{ChampionState, Ledger, RECORDS, Run, RunState};
use serde::Serialize;

use super::write_line;
use crate::{Exit, drive, exit::UsageError};

/// Play a recorded game of a run again, and compare every visit count
///
/// The game is played from its number and seed with the network of its cycle. With the evaluator
/// that recorded it (same backend, instruction set and precision) every count must be the same.
/// With another one, rules and outcome are checked, and the share of equal counts is reported up to
/// the first move that differs. Of a game that `dagzero fork` took from another run rules and
/// outcome are checked alone: its seed and network are that run's. Exits with 1 on a difference
/// that should not be.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero replay data/connect4-quick --game 17\n  \
    dagzero replay data/connect4-quick --game 17 --json")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Number of the game in the run
    #[arg(long, value_name = "ID")]
    game: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How a replay went.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "independent findings")]
struct Outcome {
    game: u64,
    shard: String,
    generation: u32,
    /// The evaluator that recorded the game, and the one here.
    evaluator_recorded: String,
    evaluator_here: String,
    /// Whether it was played in another run, so that only rules and outcome can be checked.
    imported: bool,
    /// Whether its moves were sampled from policies, so that only rules and outcome can be checked.
    drawn: bool,
    /// Whether the configuration that decides results is still the record's.
    same_configuration: bool,
    /// Whether every count has to be equal.
    exact: bool,
    /// Recorded plies, and those compared: up to the first move that differs.
    plies: usize,
    plies_compared: usize,
    /// Visit counts of moves, and equal ones.
    counts: usize,
    counts_equal: usize,
    /// `counts_equal` as a share of `counts`, 0 to 1; 1 where there are none.
    share_equal: f64,
    /// Compared plies whose visits have the same sum.
    sums_equal: usize,
    /// What is wrong; empty where nothing is.
    differences: Vec<String>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    let ledger = Ledger::open(&run)?;
    let config = drive::config_of(&run, ledger.state())?;
    let found = RecordedGame::find(&run, ledger.state(), args.game)?;
    let spec: GameSpec = found.header.game.parse()?;
    let outcome = replay(&AnyGame::of(&spec)?, &run, &config, ledger.state(), found)?;
    if args.json {
        write_line(out, &outcome)?;
    } else {
        outcome.write_text(out)?;
    }
    Ok(if outcome.differences.is_empty() { Exit::Done } else { Exit::Wrong })
}

/// A game from its shard.
struct RecordedGame {
    shard: String,
    cycle: u32,
    header: ShardHeader,
    record: GameRecord,
    champion: Option<ChampionState>,
    imported: bool,
}

impl RecordedGame {
    fn find(run: &Run, state: &RunState, number: u64) -> anyhow::Result<Self> {
        for (cycle, shard) in run.shards_kept(state) {
            let mut reader = ShardReader::open(&run.local_path(&shard.object))?;
            let first = reader.header().first_game();
            if !(first..first + shard.games).contains(&number) {
                continue;
            }
            let header = reader.header().clone();
            let mut games = reader.games();
            let record = games.nth((number - first) as usize);
            let record = record.context("the shard has fewer games than the ledger states")??;
            let champions = state.cycles.values().filter_map(|cycle| cycle.champion.as_ref());
            let champion = champions.clone().find(|c| c.generation == shard.generation).cloned();
            let shard = shard.object.path.clone();
            let done = state.cycle_state(cycle).and_then(|state| state.games_done.as_ref());
            let imported = done.is_some_and(|done| {
                done.summary.evaluator == IMPORTED || done.summary.is_of_records()
            });
            return Ok(Self { shard, cycle, header, record, champion, imported });
        }
        let what = format!(
            "{} has no game {number}; numbers have gaps, `dagzero export RUN --format json` shows them",
            run.root().display()
        );
        Err(UsageError(what).into())
    }
}

fn replay<G: Game>(
    game: &G,
    run: &Run,
    config: &RunConfig,
    state: &RunState,
    found: RecordedGame,
) -> anyhow::Result<Outcome> {
    let RecordedGame { shard, cycle, header, record, champion, imported } = found;
    let past = match record.parent {
        None => Past::default(),
        Some(parent) => {
            let found = RecordedGame::find(run, state, parent.game);
            let found = found.context("the game came of one that is not there")?.record;
            past_of(&record, found)
        }
    };
    let (mut sources, _) = champion_sources(game, run, config, champion.as_ref())?;
    let evaluator_recorded = header.evaluators[usize::from(record.evaluator)].clone();
    let evaluator_here = sources.ids()[0].clone();
    let same_configuration = header.config_hash == config.results_hash();
    let mut config = config.clone();
    config.run.cycles = config.cycles_for(cycle, state.walls_ms());
    let drawn = config.reinforce_phase(cycle).is_some();
    let exact = !imported && !drawn && same_configuration && evaluator_here == evaluator_recorded;
    let mut outcome = Outcome {
        game: record.number,
        shard,
        generation: header.generation,
        evaluator_recorded,
        evaluator_here,
        imported,
        drawn,
        same_configuration,
        exact,
        plies: record.plies.len(),
        plies_compared: 0,
        counts: 0,
        counts_equal: 0,
        share_equal: 1.0,
        sums_equal: 0,
        differences: Vec::new(),
    };
    // Legality of every move and visited move, resignation, outcome.
    if let Err(error) = dz_shard::replay(game, &record) {
        outcome.differences.push(error.to_string());
    }
    if !imported && !drawn {
        let guide = guide_of(game, &config, run.root())?;
        let again = play(game, &config, &guide, &header, &record, past, &mut sources)?;
        outcome.compare(game, &record, &again);
    }
    Ok(outcome)
}

/// Returns the parent as the past from which a fork or a reanalyzed game is made again.
fn past_of(record: &GameRecord, parent: GameRecord) -> Past {
    if record.reanalyzed().is_some() {
        return Past { reanalyses: Some(Reanalyses::of([(record.number, parent)])), forks: None };
    }
    Past { forks: Some(Forks::of([&parent], 1.0)), reanalyses: None }
}

/// Plays the game of the record's number and seed with this program.
fn play<G: Game>(
    game: &G,
    config: &RunConfig,
    guide: &Arc<Guide>,
    header: &ShardHeader,
    record: &GameRecord,
    past: Past,
    sources: &mut Sources<G>,
) -> anyhow::Result<GameRecord> {
    let play_on_share = config.selfplay.resign_play_on_share;
    let resign = record.resign.map(|resign| ResignPlan {
        value_min: resign.value_min,
        turns: resign.turns,
        play_on_share,
    });
    let plan = CyclePlan {
        // A plan of one game: the shard of one game that has the game's number.
        count: 1,
        games_per_shard: 1,
        lockstep: Lockstep { parallel_games: 1, groups: 1 },
        ..cycle_plan(config, header.generation, record.number, resign, past)
    };
    let plan = plan.guided(Arc::clone(guide));
    let mut one = SingleGame(None);
    play_cycle(game, &plan, &[0], sources, &mut one)?;
    let again = one.0.context("the game was not played; please report this")?;
    // Values as shards keep them.
    Ok(again.quantised()?)
}

/// Keeps the only game of the plan.
struct SingleGame(Option<GameRecord>);

impl ShardSink for SingleGame {
    fn shard(&mut self, _index: u64, mut games: Vec<GameRecord>) -> anyhow::Result<()> {
        self.0 = games.pop();
        Ok(())
    }
}

impl Outcome {
    fn compare<G: Game>(&mut self, game: &G, record: &GameRecord, again: &GameRecord) {
        let start = |game: &GameRecord| (game.seed, game.komi, game.start_moves.clone());
        if start(record) != start(again) {
            let what = "the game's seed, komi or opening is not what its number gives";
            return self.differences.push(what.to_owned());
        }
        for (place, (old, new)) in record.plies.iter().zip(&again.plies).enumerate() {
            self.compare_ply(record.start_moves.len() + place, old, new, game);
            if old.mv != new.mv {
                break;
            }
        }
        if self.counts > 0 {
            self.share_equal = self.counts_equal as f64 / self.counts as f64;
        }
        if self.exact && self.differences.is_empty() && record != &again_numbered(again, record) {
            self.differences.push("values, flags, targets or the end differ".to_owned());
        }
    }

    fn compare_ply<G: Game>(&mut self, ply: usize, old: &PlyRecord, new: &PlyRecord, game: &G) {
        self.plies_compared += 1;
        let count = |ply: &PlyRecord, mv| {
            ply.visits.binary_search_by_key(&mv, |&(mv, _)| mv).map_or(0, |at| ply.visits[at].1)
        };
        let mut moves: Vec<_> = old.visits.iter().chain(&new.visits).map(|&(mv, _)| mv).collect();
        moves.sort_unstable();
        moves.dedup();
        for mv in moves {
            let before = count(old, mv);
            let now = count(new, mv);
            self.counts += 1;
            self.counts_equal += usize::from(before == now);
            if self.exact && before != now {
                let mv = game.format_move(mv);
                let what = format!("ply {ply}: {mv} has {now} visits, the record {before}");
                self.differences.push(what);
            }
        }
        let sum =
            |ply: &PlyRecord| ply.visits.iter().map(|&(_, count)| u64::from(count)).sum::<u64>();
        self.sums_equal += usize::from(sum(old) == sum(new));
        if self.exact && old.mv != new.mv {
            let [before, now] = [old.mv, new.mv].map(|mv| game.format_move(mv));
            self.differences.push(format!("ply {ply}: {now} was played, the record has {before}"));
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(
            out,
            "game        {} of generation {}, in {}",
            self.game, self.generation, self.shard
        )?;
        writeln!(out, "evaluator   {} recorded it", self.evaluator_recorded)?;
        if self.imported || self.drawn {
            let origin = if self.drawn {
                "policies of the champion and earlier networks (reinforce): no search chose its moves"
            } else if self.evaluator_recorded == RECORDS {
                "a record of others (dagzero import): no search of ours chose its moves"
            } else {
                "another run, whose seed and network are not here: its searches cannot be repeated"
            };
            writeln!(out, "origin      {origin}")?;
            return self.write_result(out);
        }
        if self.evaluator_here != self.evaluator_recorded {
            writeln!(out, "            {} is what there is here", self.evaluator_here)?;
        }
        if !self.same_configuration {
            writeln!(
                out,
                "settings    the run's configuration has changed since: counts may differ"
            )?;
        }
        let Self { plies, plies_compared, counts, counts_equal, sums_equal, .. } = self;
        writeln!(
            out,
            "plies       {plies_compared} of {plies} compared; {sums_equal} with equal sums of visits"
        )?;
        let share = 100.0 * self.share_equal;
        writeln!(out, "visits      {counts_equal} of {counts} counts are equal ({share:.1} %)")?;
        self.write_result(out)
    }

    fn write_result(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        match self.differences.as_slice() {
            [] if self.exact => writeln!(out, "result      the same game, every count")?,
            [] if self.imported || self.drawn => {
                writeln!(out, "result      the rules bear the record out")?;
            }
            [] => writeln!(
                out,
                "result      the rules bear the record out; equal counts are not promised here"
            )?,
            differences => {
                writeln!(out, "result      {} differences", differences.len())?;
                for what in differences {
                    writeln!(out, "  {what}")?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the replayed game with the record's indices into its shard's lists.
fn again_numbered(again: &GameRecord, record: &GameRecord) -> GameRecord {
    let mut again = again.clone();
    again.evaluator = record.evaluator;
    for (new, old) in again.plies.iter_mut().zip(&record.plies) {
        new.network = old.network;
    }
    again
}
