//! What a fleet of workers does a day: plain arithmetic from the same figures.

use std::io::Write;
use std::time::Duration;

use dz_config::{AnchorKind, RunConfig};
use dz_fleet::segment_games;
use dz_stage::{count_text, duration_text};
use serde::Serialize;

use super::forecast::{CycleForecast, Forecast, Measured};

const DAY_S: f64 = 86_400.0;
/// How much longer than the ideal a cycle takes, times its units a worker: at the end of a cycle
/// idle workers play units again that others play. A simulation with machines of 0.5 to 2 times the
/// mean speed and two kills in ten hours gave 1.17 with 10 units a worker and 1.05 with 40.
const TAIL_UNITS: f64 = 1.8;
/// The most that this costs: a unit is played twice at once at most.
const TAIL_MAX: f64 = 2.0;
/// What a worker does to the mailbox for a unit: claims, some of them refused, the unit and its
/// note; the board before and after.
const UNIT_WRITES: f64 = 3.1;
const UNIT_READS: f64 = 3.0;
/// What the home reads of a unit: the unit and its note.
const HOME_UNIT_READS: f64 = 2.0;
/// What the home asks of a bucket every second in any case. It shows a board every 5 s, and the
/// mirror has a part and a head every 4 s at most.
const HOME_WRITES_S: f64 = 1.0 / 5.0 + 2.0 / 4.0;
/// It lists units and claims every 2 s, and looks for other homes every 4 and every 5 s.
const HOME_LISTS_S: f64 = 1.0 + 1.0 / 4.0 + 1.0 / 5.0;

/// What a run of some workers does, in its later cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Fleet {
    /// Workers like this machine.
    workers: u32,
    /// Games of a unit, and what one takes a worker.
    unit_games: u32,
    unit_s: f64,
    /// Units of a cycle.
    units: u64,
    /// Segments of its gate and rating matches at most.
    segments: u64,
    /// A cycle with the workers, and alone.
    cycle_s: f64,
    alone_s: f64,
    /// What takes the most of the cycle, or all of it side by side.
    bound: &'static str,
    /// From so many workers on, twice as many shorten a cycle by less than 10 %.
    workers_useful: u32,
    cycles_day: f64,
    games_day: f64,
    positions_day: f64,
    /// Requests to a bucket.
    writes_day: f64,
    reads_day: f64,
    lists_day: f64,
    /// Units that come in, networks that go out.
    in_bytes_day: f64,
    out_bytes_day: f64,
}

/// Parts of a cycle beside self-play, and the place of matches among them.
const OTHERS: usize = 3;
const MATCHES: usize = 2;

/// The parts of a cycle, in seconds.
#[derive(Clone, Copy)]
struct Parts {
    selfplay_s: f64,
    home_s: f64,
    others: [(&'static str, f64); OTHERS],
    /// Of a cycle beside, and how many cycles may be under way at once.
    cycle_s: f64,
    under_way: f64,
}

impl Fleet {
    /// So many workers, each of them a machine like this one, on a run of `config`.
    pub(super) fn of(
        config: &RunConfig,
        measured: &Measured,
        forecast: &Forecast,
        workers: u32,
    ) -> Option<Self> {
        let last = forecast.by_cycle.last()?;
        let unit_games = config.unit_games();
        let units = last.games.div_ceil(unit_games.into());
        let unit_s = last.selfplay_s / last.games.max(1) as f64 * f64::from(unit_games);
        // The home checks every game by the rules, as the shuffler does that makes rows of them.
        let home_s = last.positions as f64 * measured.shuffle_row_s
            + config.workers.audit_share * last.selfplay_s;
        let parts = Parts {
            selfplay_s: 0.0,
            home_s,
            others: others(last),
            cycle_s: measured.cycle_s,
            under_way: 1.0 + f64::from(config.lead_cycles()),
        };
        let segments = segments(config, last.cycle);
        let segment_s = last.matches_s / segments.max(1) as f64;
        // Side by side, workers have self-play games to play while the home plays its matches.
        let shares_matches = config.lead_cycles() == 0;
        let with = |workers: f64| {
            let selfplay_s = shared_s(last.selfplay_s, unit_s, units as f64, workers);
            let mut others = parts.others;
            if shares_matches {
                others[MATCHES].1 = shared_s(last.matches_s, segment_s, segments as f64, workers);
            }
            Parts { selfplay_s, others, ..parts }
        };
        // In turns the home plays, too, while it waits for its workers.
        let helps = config.workers.home_plays && config.lead_cycles() == 0;
        let players = f64::from(workers) + f64::from(u8::from(helps));
        let now = with(players);
        let cycle_s = now.wall_s();
        let cycles_day = DAY_S / cycle_s;
        let shared = units + if shares_matches { segments } else { 0 };
        let units_day = shared as f64 * cycles_day;
        // Whoever plays nothing fetches nothing.
        let players_at_once = f64::from(workers).min(units as f64);
        let games_day = last.games as f64 * cycles_day;
        let positions_day = last.positions as f64 * cycles_day;
        Some(Self {
            workers,
            unit_games,
            unit_s,
            units,
            segments,
            cycle_s,
            alone_s: last.wall_s,
            bound: now.bound(),
            workers_useful: useful(&with, units),
            cycles_day,
            games_day,
            positions_day,
            writes_day: UNIT_WRITES * units_day + HOME_WRITES_S * DAY_S,
            reads_day: (UNIT_READS + HOME_UNIT_READS) * units_day,
            lists_day: HOME_LISTS_S * DAY_S,
            in_bytes_day: positions_day * measured.position_bytes,
            out_bytes_day: cycles_day * players_at_once * measured.network_bytes as f64,
        })
    }

    pub(super) fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let count = |value: f64| count_text(value.round() as u64);
        let bytes = |value: f64| dz_report::count::bytes(value as u64);
        let time = |seconds: f64| duration_text(Duration::from_secs_f64(seconds.max(0.0)));
        let workers = count_text(self.workers.into());
        writeln!(out, "\nWith {workers} workers like this machine, in the later cycles:")?;
        let (cycle, alone) = (time(self.cycle_s), time(self.alone_s));
        writeln!(out, "cycle       {cycle}, most of it {}; {alone} without workers", self.bound)?;
        let games = count(self.games_day);
        let positions = count(self.positions_day);
        writeln!(out, "a day       {} cycles, {games} games", count(self.cycles_day))?;
        writeln!(out, "            ({positions} positions recorded)")?;
        let units = count_text(self.units);
        let unit = time(self.unit_s);
        writeln!(out, "units       {units} a cycle of {} games, {unit} each", self.unit_games)?;
        let segments = count_text(self.segments);
        writeln!(out, "segments    up to {segments} of gate and rating matches a cycle")?;
        let (writes, reads) = (count(self.writes_day), count(self.reads_day));
        let lists = count(self.lists_day);
        writeln!(out, "requests    {writes} writes, {reads} reads, {lists} lists a day")?;
        let (come, go) = (bytes(self.in_bytes_day), bytes(self.out_bytes_day));
        writeln!(out, "traffic     {come} of games in, {go} of networks out a day")?;
        let useful = count_text(self.workers_useful.into());
        writeln!(
            out,
            "limit       from about {useful} workers on, twice as many gain less than 10 %"
        )?;
        if u64::from(self.workers) > self.units {
            writeln!(
                out,
                "\nA cycle has fewer units than there are workers. Smaller units (workers.unit_games) or \
                 more\ngames a cycle (selfplay.games) give all of them something to play."
            )?;
        }
        Ok(())
    }
}

impl Parts {
    fn all(&self) -> [(&'static str, f64); 5] {
        let [a, b, c] = self.others;
        [("self-play", self.selfplay_s), ("checking units at home", self.home_s), a, b, c]
    }

    /// As [`CycleForecast::wall_s`]. Units are checked while others are played.
    fn wall_s(&self) -> f64 {
        let played_s = self.selfplay_s.max(self.home_s);
        let others_s: f64 = self.others.iter().map(|part| part.1).sum();
        let longest = self.all().into_iter().map(|part| part.1).fold(0.0, f64::max);
        self.cycle_s + longest.max((played_s + others_s) / self.under_way)
    }

    fn bound(&self) -> &'static str {
        self.all().into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |part| part.0)
    }
}

/// Segments of a cycle's gate and rating matches. Matches may end early or be cut, and those with
/// other programs are played at home.
fn segments(config: &RunConfig, cycle: u32) -> u64 {
    let unit_games = config.unit_games().into();
    let of = |games: u32| {
        let games = u64::from(games);
        games.div_ceil(segment_games(games, unit_games))
    };
    let rating = &config.rating;
    let is_shared = |kind: &AnchorKind| !matches!(kind, AnchorKind::Engine(_));
    let anchors = rating.anchors.iter().filter(|anchor| is_shared(&anchor.kind)).count() as u64;
    let anchors = anchors * (1 + u64::from(rating.policy));
    let neighbours = u64::from(rating.neighbours.min(cycle.saturating_sub(1)));
    of(config.gate.games) + (anchors + neighbours) * of(rating.games)
}

fn others(cycle: &CycleForecast) -> [(&'static str, f64); OTHERS] {
    [
        ("training", cycle.train_s),
        ("shuffling", cycle.shuffle_s),
        ("gate and rating matches", cycle.matches_s),
    ]
}

/// Returns the time of `units` units on `workers` machines, if one machine takes `alone_s` for all.
fn shared_s(alone_s: f64, unit_s: f64, units: f64, workers: f64) -> f64 {
    let ideal_s = alone_s / workers;
    let tail = (1.0 + TAIL_UNITS * workers / units.max(1.0)).min(TAIL_MAX);
    (ideal_s * tail).max(unit_s)
}

/// The fewest workers that twice as many make a cycle shorter by less than a tenth.
fn useful(with: &impl Fn(f64) -> Parts, units: u64) -> u32 {
    let wall_s = |workers: u32| with(f64::from(workers)).wall_s();
    let most = u32::try_from(units).unwrap_or(u32::MAX / 2).max(1);
    let mut workers = 1;
    while workers < most && wall_s(2 * workers) < 0.9 * wall_s(workers) {
        workers += workers.div_ceil(8);
    }
    workers.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(selfplay_s: f64, under_way: f64) -> Parts {
        let others = [("training", 60.0), ("shuffling", 10.0), ("gate and rating matches", 30.0)];
        Parts { selfplay_s, home_s: 5.0, others, cycle_s: 0.0, under_way }
    }

    #[test]
    fn self_play_is_shared_until_something_else_takes_longer() {
        // 1,000 units of 10 s.
        let with =
            |workers: f64, under_way| parts(shared_s(10_000.0, 10.0, 1_000.0, workers), under_way);
        assert_eq!(with(1.0, 2.0).bound(), "self-play");
        assert_eq!(with(1_000.0, 2.0).bound(), "training");
        // In turns the parts add up.
        assert!((with(10.0, 1.0).wall_s() - (1_000.0 * 1.018 + 100.0)).abs() < 1e-9);
        // No cycle is shorter than a unit, or than what the home has to do.
        assert_eq!(shared_s(10_000.0, 10.0, 1_000.0, 1e9), 10.0);
        assert_eq!(with(1e6, 2.0).wall_s(), 60.0);
        let useful = useful(&|workers| with(workers, 2.0), 1_000);
        let gain = |workers: u32| {
            let wall_s = |workers: u32| with(f64::from(workers), 2.0).wall_s();
            wall_s(2 * workers) / wall_s(workers)
        };
        assert!(gain(useful) >= 0.9 && gain(useful * 3 / 4) < 0.9, "{useful}");
    }
}
