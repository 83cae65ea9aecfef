//! From what a machine does in a second to what a run takes: plain arithmetic.

use dz_config::{AnchorKind, ReinforcePhase, RunConfig};
use dz_gatekeeper::{ROLLOUTS_A_PLAYOUT, selfplay_ply_cost};
use dz_shuffler::{RowCounts, WindowLaw};
use serde::Serialize;

/// What the calibration found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Measured {
    /// Plies of a game, opening included.
    pub(super) plies: f64,
    /// Positions of it that are recorded.
    pub(super) positions: f64,
    /// Seconds a self-play game takes of the machine, without a network and with one.
    pub(super) bootstrap_game_s: f64,
    pub(super) game_s: f64,
    /// Playouts a second with a network, and with a rollout a leaf.
    pub(super) playouts_s: f64,
    pub(super) rollouts_s: f64,
    /// The latter for each second of processor time; 0 if the system does not report that.
    pub(super) rollouts_core_s: f64,
    /// Seconds of the trainer for each row, of the shuffler for each sampled row, and of each cycle
    /// beside.
    pub(super) train_row_s: f64,
    pub(super) shuffle_row_s: f64,
    pub(super) cycle_s: f64,
    /// Bytes on disk.
    pub(super) position_bytes: f64,
    pub(super) row_bytes: f64,
    pub(super) network_bytes: u64,
    pub(super) checkpoint_bytes: u64,
    /// The most memory that the calibration held, all stages in one process.
    pub(super) peak_bytes: u64,
}

/// One cycle, in seconds and counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct CycleForecast {
    pub(super) cycle: u32,
    pub(super) games: u64,
    /// Recorded positions that the network learns.
    pub(super) positions: u64,
    pub(super) new_rows: u64,
    pub(super) window_rows: u64,
    pub(super) train_rows: u64,
    pub(super) selfplay_s: f64,
    pub(super) shuffle_s: f64,
    pub(super) train_s: f64,
    pub(super) matches_s: f64,
    /// Of the cycle: their sum, or less where stages work side by side.
    pub(super) wall_s: f64,
}

/// What a run of some cycles takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Forecast {
    pub(super) cycles: u32,
    pub(super) wall_s: f64,
    pub(super) selfplay_s: f64,
    pub(super) shuffle_s: f64,
    pub(super) train_s: f64,
    pub(super) matches_s: f64,
    /// Of the final match, once after all cycles.
    pub(super) final_s: f64,
    /// The part that takes the most.
    pub(super) dominates: &'static str,
    pub(super) games: u64,
    pub(super) positions: u64,
    pub(super) rows_trained: u64,
    pub(super) steps: u64,
    /// On disk when all cycles are done, with what retention keeps.
    pub(super) disk_bytes: u64,
    /// The most memory of all stages together.
    pub(super) memory_bytes: u64,
    pub(super) by_cycle: Vec<CycleForecast>,
}

/// Bytes of a step's line in the metrics, and of a ply in a match file: of this repository's runs.
const STEP_BYTES: f64 = 260.0;
const PLY_BYTES: f64 = 5.0;
/// Bytes of a cached evaluation beside its priors, and of a row in the shuffler's memory beside its
/// packed form.
const CACHED_BYTES: u64 = 160;

impl Forecast {
    /// A run of `config`, of so many cycles.
    pub(super) fn of(config: &RunConfig, measured: &Measured, cycles: u32) -> Self {
        let mut sum = Self { cycles, ..Self::default() };
        // What changes over a run is laid out over these cycles.
        let mut config = config.clone();
        config.run.cycles = cycles;
        let config = &config;
        for cycle in 1..=cycles {
            let now = sum.next_cycle(config, measured, cycle);
            sum.add(now);
        }
        sum.final_s = final_match(config, measured);
        sum.wall_s += sum.final_s;
        sum.steps = sum.rows_trained / u64::from(config.training.batch);
        let parts = [
            ("self-play", sum.selfplay_s),
            ("training", sum.train_s),
            ("gate and rating matches", sum.matches_s),
            ("shuffling", sum.shuffle_s),
            ("the final match", sum.final_s),
        ];
        sum.dominates = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |p| p.0);
        sum.disk_bytes = sum.disk(config, measured);
        sum.memory_bytes = memory(config, measured);
        sum
    }

    /// How many cycles fit into so many seconds, up to `most`.
    pub(super) fn cycles_within(
        config: &RunConfig,
        measured: &Measured,
        seconds: f64,
        most: u32,
    ) -> u32 {
        // Cycles cost more or less by how many there are, as what changes over a run is laid out
        // over them.
        let fits = |cycles| Self::of(config, measured, cycles).wall_s <= seconds;
        let mut fit = 0;
        let mut over = 1;
        while over <= most && fits(over) {
            (fit, over) = (over, 2 * over);
        }
        over = over.min(most + 1);
        while over - fit > 1 {
            let middle = fit.midpoint(over);
            if fits(middle) { fit = middle } else { over = middle }
        }
        fit
    }

    /// What the cycle after those summed up takes. The first one has no network to play with.
    fn next_cycle(&self, config: &RunConfig, measured: &Measured, cycle: u32) -> CycleForecast {
        // Games with a network were measured with the playouts of the last cycle.
        let ply = |generation| selfplay_ply_cost(config, generation);
        // A policy takes one evaluation a move. Policy gradient learns the learner's moves in games
        // that it wins: half of the moves in half of the games.
        let policy_game_s = measured.game_s / ply(u32::MAX);
        let (games, game_s, recorded) = match (cycle, config.reinforce_phase(cycle)) {
            (1, _) => (config.bootstrap.games, measured.bootstrap_game_s, measured.positions),
            (_, Some(ReinforcePhase::Policy)) => {
                (config.reinforce.games, policy_game_s, measured.plies / 4.0)
            }
            (_, Some(ReinforcePhase::Value)) => (config.reinforce.value_games, policy_game_s, 1.0),
            (_, None) => {
                let game_s = measured.game_s * ply(cycle - 1) / ply(u32::MAX);
                (config.selfplay.games, game_s, measured.positions)
            }
        };
        let positions = (f64::from(games) * recorded) as u64;
        let rows =
            |positions: u64| (positions as f64 * (1.0 - config.window.validation_share)) as u64;
        let new_rows = rows(positions);
        let played = rows(self.positions + positions);
        let window_rows = WindowLaw::of(config).rows(played);
        let train_rows = RowCounts::of(config).train_rows(new_rows, window_rows);
        let selfplay_s = f64::from(games) * game_s;
        let shuffle_s = (new_rows + train_rows) as f64 * measured.shuffle_row_s;
        let train_s = train_rows as f64 * measured.train_row_s;
        let matches_s = matches(config, measured, cycle, f64::from(games));
        let parts = [selfplay_s, shuffle_s, train_s, matches_s];
        // Side by side the longest part decides, or that no more than the lead and one cycle are
        // under way.
        let under_way = 1.0 + f64::from(config.lead_cycles());
        let longest = parts.into_iter().fold(0.0, f64::max);
        let wall_s = measured.cycle_s + longest.max(parts.iter().sum::<f64>() / under_way);
        let games = games.into();
        CycleForecast {
            cycle,
            games,
            positions,
            new_rows,
            window_rows,
            train_rows,
            selfplay_s,
            shuffle_s,
            train_s,
            matches_s,
            wall_s,
        }
    }

    fn add(&mut self, now: CycleForecast) {
        self.wall_s += now.wall_s;
        self.selfplay_s += now.selfplay_s;
        self.shuffle_s += now.shuffle_s;
        self.train_s += now.train_s;
        self.matches_s += now.matches_s;
        self.games += now.games;
        self.positions += now.positions;
        self.rows_trained += now.train_rows;
        self.by_cycle.push(now);
    }

    fn disk(&self, config: &RunConfig, measured: &Measured) -> u64 {
        let Some(last) = self.by_cycle.last() else { return 0 };
        let cycles = u64::from(self.cycles);
        let storage = &config.storage;
        let kept_rows: u64 = self
            .by_cycle
            .iter()
            .rev()
            .take(storage.rows_keep_cycles as usize)
            .map(|cycle| cycle.train_rows)
            .sum();
        let rating = &config.rating;
        let opponents = rating.anchors.len() as u64 + u64::from(rating.neighbours);
        let cycle_games = u64::from(config.gate.games) + opponents * u64::from(rating.games);
        let match_games = cycles * cycle_games + u64::from(config.r#final.games);
        let grows = self.positions as f64 * measured.position_bytes
            + self.steps as f64 * STEP_BYTES
            + match_games as f64 * measured.plies * PLY_BYTES;
        // The shuffler keeps the window's rows by itself, unshuffled.
        let rows = (kept_rows + last.window_rows) as f64 * measured.row_bytes;
        let checkpoints = cycles.min(storage.checkpoints_keep.into()) * measured.checkpoint_bytes;
        let bytes = (grows + rows) as u64 + cycles * measured.network_bytes + checkpoints;
        match storage.disk_budget_mb {
            0 => bytes,
            budget => bytes.min(budget * 1_000_000),
        }
    }
}

/// The calibration's peak, and what caches and buffers of full size hold beside.
fn memory(config: &RunConfig, measured: &Measured) -> u64 {
    let evaluations = config.selfplay.cache_entries.min(1 << 40);
    // Self-play and the gatekeeper have a cache each, the gatekeeper one for both sides.
    measured.peak_bytes
        + 3 * evaluations * CACHED_BYTES
        + (config.shuffle.bucket_rows as f64 * 2.0 * measured.row_bytes) as u64
}

/// What a ply of an anchor takes.
struct AnchorPly {
    /// Playouts, as the budget of rating games counts them.
    playouts: f64,
    seconds: f64,
}

impl AnchorPly {
    /// `own` are the playouts of the network that it meets.
    fn of(kind: &AnchorKind, measured: &Measured, own: f64) -> Self {
        match kind {
            AnchorKind::Random | AnchorKind::Solver { .. } => Self { playouts: 0.0, seconds: 0.0 },
            AnchorKind::Rollout(rollout) => {
                let playouts = f64::from(rollout.playouts);
                let seconds = playouts / measured.rollouts_s.max(1e-9);
                Self { playouts: playouts / ROLLOUTS_A_PLAYOUT, seconds }
            }
            AnchorKind::Engine(engine) => Self { playouts: own, seconds: engine.seconds },
        }
    }
}

/// Seconds of the final match. Which anchor it is against is only known at its end, so the slowest
/// one counts.
fn final_match(config: &RunConfig, measured: &Measured) -> f64 {
    let own = f64::from(config.final_playouts());
    let anchors = config.rating.anchors.iter();
    let slowest = anchors
        .map(|anchor| AnchorPly::of(&anchor.kind, measured, own).seconds)
        .max_by(f64::total_cmp);
    let Some(anchor_s) = slowest else { return 0.0 };
    let own_s = own / measured.playouts_s.max(1e-9);
    f64::from(config.r#final.games) * measured.plies * 0.5 * (own_s + anchor_s)
}

/// Seconds of gate and rating games of a cycle, the latter within `rating.time_share` of the
/// playouts.
fn matches(config: &RunConfig, measured: &Measured, cycle: u32, games: f64) -> f64 {
    let plies = measured.plies;
    let second = |playouts: f64| playouts / measured.playouts_s.max(1e-9);
    let gate = f64::from(config.gate.games) * plies * second(config.gate.playouts.into());
    let rating = &config.rating;
    let own = f64::from(rating.playouts);
    // Playouts as the budget counts them, and seconds, of a ply of each kind of match.
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for anchor in &rating.anchors {
        let ply = AnchorPly::of(&anchor.kind, measured, own);
        let cost = ply.playouts;
        let seconds = ply.seconds;
        pairs.push((0.5 * (own + cost), 0.5 * (second(own) + seconds)));
        if rating.policy {
            pairs.push((0.5 * (1.0 + cost), 0.5 * (second(1.0) + seconds)));
        }
    }
    for _ in 0..rating.neighbours.min(cycle.saturating_sub(1)) {
        pairs.push((own, second(own)));
    }
    let all: f64 = f64::from(rating.games) * plies * pairs.iter().map(|pair| pair.0).sum::<f64>();
    let seconds: f64 =
        f64::from(rating.games) * plies * pairs.iter().map(|pair| pair.1).sum::<f64>();
    let ply = selfplay_ply_cost(config, cycle - 1);
    let share = rating.time_share.min(0.999);
    let allowed = games * measured.positions * ply * share / (1.0 - share);
    let cut = if rating.time_share >= 1.0 || all <= allowed { 1.0 } else { allowed / all };
    gate + seconds * cut
}
