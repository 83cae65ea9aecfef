//! Resigning in self-play: when players give up, and how often that is wrong (Silver et al. 2017,
//! Methods, "Self-play": a threshold that keeps wrong resignations below 5 %, measured on the tenth
//! of games that is played to its end).

use anyhow::Context;
use dz_config::{Resign, SelfplaySection};
use dz_game::Game;
use dz_search::{Summary, formula};
use dz_shard::{
    GameEnd, GameRecord, PlyRecord, ResignThresholds, ShardError, TurnsBelow, WdlShares,
    replay_with,
};
use dz_stats::wilson;
use dz_store::{ResignSummary, Run, RunState};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::published::each_game;
use crate::seeds::word;

/// When the players of a cycle resign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResignPlan {
    /// Threshold of values, in [-1, 1]; see [`ResignThresholds`].
    pub value_min: f32,
    /// Own turns in a row that must be below it; 0 resigns at once, by the best move's value alone.
    pub turns: u8,
    /// Share of games that are played to their ends, in [0, 1].
    pub play_on_share: f64,
}

/// Salt of the stream that decides which games are played on.
const PLAY_ON: u64 = 0x0072_6573_6967_6e21;

impl ResignPlan {
    /// Returns the rule of resignation for the game with this seed. Its word is from a separate
    /// random stream, so a game that is played on has the same plies as without resignation.
    pub fn thresholds(&self, game_seed: u64) -> ResignThresholds {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(word(game_seed, PLAY_ON));
        let enforced = random.random::<f64>() >= self.play_on_share;
        ResignThresholds { value_min: self.value_min, turns: self.turns, enforced }
    }
}

/// Flags of the ply that a search chose: whether it counts towards its mover's resignation. The
/// root's value is compared as it is stored, so that the record shows what was decided.
pub(crate) fn ply_flags(resign: Option<&ResignThresholds>, summary: &Summary) -> u8 {
    let (Some(resign), Some(root)) = (resign, WdlShares::new(summary.wdl)) else { return 0 };
    let best = summary.moves.iter().filter_map(|m| m.q).max_by(f64::total_cmp);
    let threshold = f64::from(resign.value_min);
    let below = best.is_some_and(|best| {
        if resign.is_at_once() {
            formula::resigns_at_once(best, threshold)
        } else {
            formula::resigns(root.value(), best, threshold)
        }
    });
    if below { PlyRecord::BELOW } else { 0 }
}

/// A cycle's plan, and how it came about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CycleResign {
    /// None where nobody resigns.
    pub plan: Option<ResignPlan>,
    /// Games that an adaptive threshold was measured on, or too few for one. None where there is
    /// nothing to adapt.
    pub measured: Option<u64>,
}

/// When the players of `cycle` resign. Without a champion nobody does: the bootstrap evaluator's
/// values are not a network's. An adaptive threshold is a function of the shards of earlier cycles.
///
/// # Errors
/// What reading those shards reports.
pub fn cycle_resign(
    section: &SelfplaySection,
    run: &Run,
    state: &RunState,
    cycle: u32,
) -> anyhow::Result<CycleResign> {
    let turns = section.resign_turns.clamp(1, u8::MAX.into()) as u8;
    let play_on_share = section.resign_play_on_share;
    let plan = |value_min| Some(ResignPlan { value_min, turns, play_on_share });
    let highest = match section.resign {
        _ if state.champion.is_none() => return Ok(CycleResign::default()),
        Resign::Off => return Ok(CycleResign::default()),
        Resign::Fixed(value) => {
            return Ok(CycleResign { plan: plan(value as f32), measured: None });
        }
        Resign::BestMove(value) => {
            let plan = ResignPlan { value_min: value as f32, turns: 0, play_on_share };
            return Ok(CycleResign { plan: Some(plan), measured: None });
        }
        Resign::Adaptive(highest) => highest,
    };
    let games_min = u64::from(section.resign_games_min);
    let minima = newest_minima(run, state, cycle, turns, games_min)?;
    let measured = Some(minima.len() as u64);
    let found = formula::resign_threshold(&minima, section.resign_false_positives_max);
    let enough = minima.len() as u64 >= games_min;
    let found = found.filter(|_| enough).map(|found| below_or_at(found.threshold.min(highest)));
    Ok(CycleResign { plan: found.and_then(plan), measured })
}

/// The largest 32-bit number that is not above `value`, so that rounding makes nobody resign.
fn below_or_at(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}

/// [`unbeaten_minimum`] of the newest games without resignation that networks played before
/// `cycle`: whole cycles, until there are `games_min`, or all there are.
fn newest_minima(
    run: &Run,
    state: &RunState,
    cycle: u32,
    turns: u8,
    games_min: u64,
) -> anyhow::Result<Vec<f64>> {
    let mut minima = Vec::new();
    for (_, earlier) in state.cycles.range(..cycle).rev() {
        if minima.len() as u64 >= games_min {
            break;
        }
        let shards = earlier.shards.values().filter(|shard| shard.generation > 0);
        let kept = shards.filter(|shard| !run.is_given_up(state, &shard.object));
        each_game(run, kept, |game, record| {
            minima.extend(unbeaten_minimum(game, &record, turns)?);
            Ok(())
        })
        .context("no resign threshold can be measured")?;
    }
    Ok(minima)
}

/// The smallest number that is not a wrong threshold for a game: below or at it, nobody who did not
/// lose would have resigned. 1 where no threshold is wrong; `None` where the game is no evidence,
/// because resignation could end it, or its moves are those of another game.
///
/// The root's values alone are looked at, since records have no more. The rule asks for the best
/// move's to be below as well, so it is wrong in no more games than this says.
///
/// # Errors
/// [`ShardError::Replay`] if the record breaks the rules.
pub fn unbeaten_minimum<G: Game>(
    game: &G,
    record: &GameRecord,
    turns: u8,
) -> Result<Option<f64>, ShardError> {
    let enforced = record.resign.is_some_and(|resign| resign.enforced);
    if enforced || record.end == GameEnd::Resigned || record.reanalyzed().is_some() {
        return Ok(None);
    }
    let turns = usize::from(turns.max(1));
    let mut minimum: f64 = 1.0;
    let mut values: [Vec<f64>; 2] = Default::default();
    replay_with(game, record, |position, ply| {
        let mover = position.mover;
        let own = &mut values[mover.index()];
        let lost = record.outcome.winner == Some(mover.opponent());
        if !lost && own.len() >= turns {
            // A threshold above all of them would have made the mover resign here.
            let highest = own[own.len() - turns..].iter().copied().fold(-1.0, f64::max);
            minimum = minimum.min(highest);
        }
        own.push(WdlShares::new(ply.root_value).map_or(1.0, WdlShares::value));
        Ok(())
    })?;
    Ok(Some(minimum))
}

/// What a cycle's games show of resigning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResignTally {
    /// Games that ended by resignation.
    pub resigned: u64,
    /// Games that were played to their ends to measure.
    pub played_on: u64,
    /// Games of those in which somebody would have resigned.
    pub would_resign: u64,
    /// Games of those in which the first who would have resigned did not lose.
    pub wrong: u64,
}

impl ResignTally {
    /// Counts one finished game.
    ///
    /// # Errors
    /// [`ShardError::Replay`] if the record breaks the rules.
    pub fn add<G: Game>(&mut self, game: &G, record: &GameRecord) -> Result<(), ShardError> {
        if record.reanalyzed().is_some() {
            return Ok(());
        }
        self.resigned += u64::from(record.end == GameEnd::Resigned);
        let Some(resign) = record.resign.filter(|resign| !resign.enforced) else {
            return Ok(());
        };
        let mut below = TurnsBelow::default();
        let mut first = None;
        replay_with(game, record, |position, ply| {
            first = first.or_else(|| below.resigner(position.mover, &resign));
            below.add(position.mover, ply);
            Ok(())
        })?;
        self.played_on += 1;
        self.would_resign += u64::from(first.is_some());
        let wrong = first.is_some_and(|first| record.outcome.winner != Some(first.opponent()));
        self.wrong += u64::from(wrong);
        Ok(())
    }

    /// For the ledger; none where resignation is off.
    pub fn summary(&self, resign: &CycleResign) -> Option<ResignSummary> {
        let on = resign.plan.is_some() || resign.measured.is_some();
        let rate = wilson(self.wrong, self.played_on);
        on.then_some(ResignSummary {
            value_min: resign.plan.map(|plan| plan.value_min.into()),
            measured: resign.measured,
            resigned: self.resigned,
            played_on: self.played_on,
            would_resign: self.would_resign,
            wrong: self.wrong,
            wrong_share: rate.share,
            wrong_lo95: rate.lo95,
            wrong_hi95: rate.hi95,
        })
    }
}

/// What a summary says to people, as the end of a sentence.
pub(crate) fn line(summary: &ResignSummary) -> String {
    let Some(value_min) = summary.value_min else {
        let measured = summary.measured.unwrap_or_default();
        return format!(
            "; nobody resigns yet: {measured} games are too few to measure a threshold"
        );
    };
    let ResignSummary { resigned, played_on, would_resign, wrong, .. } = summary;
    let rate = if *played_on == 0 {
        String::new()
    } else {
        let [share, lo, hi] = [summary.wrong_share, summary.wrong_lo95, summary.wrong_hi95]
            .map(|share| 100.0 * share);
        format!(" ({share:.1} % of games, {lo:.1} to {hi:.1})")
    };
    format!(
        "; {resigned} resigned below {value_min:.2}; of {played_on} played on, {would_resign} would \
         have been resigned, {wrong} of them wrongly{rate}"
    )
}
