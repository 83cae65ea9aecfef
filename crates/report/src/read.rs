//! Reads a run's directory into a report. The report names what cannot be read and shows the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dz_config::RunConfig;
use dz_play::{MatchTimes, SampleLine, TruthLine};
use dz_store::{Ledger, Record, Run, Stage, layout};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ReportError;
use crate::alarms::Rules;
use crate::configuration::configuration;
use crate::fold::gate_match;
use crate::health::read_shards;
use crate::health_cache::{HealthLine, keep_health, known_health};
use crate::measures::{RatingShare, Sample, SampleView, TurnFacts};
use crate::report::{Report, RunContext};
use crate::steps::{StepLine, thinned};
use crate::trace::trace;

/// Gates that are traced pair by pair: the newest ones.
const TRACES_MAX: usize = 6;
/// Bytes of the trainer's metrics that are looked at whole: some 40,000 steps.
const STEP_BYTES_MAX: usize = 10_000_000;
/// What the shards of finished cycles show, so that each is read once.
const HEALTH_CACHE: &str = "health.jsonl";

impl Report {
    /// Reads a run's directory. The run may be finished, under way or damaged. What the shards of
    /// finished cycles show is cached in the run, so that each shard is read once.
    ///
    /// # Errors
    /// If the folder of the ledger cannot be listed.
    pub fn read(run: &Run) -> Result<Self, ReportError> {
        let cache = run.work_dir(Stage::Driver).ok().map(|folder| folder.join(HEALTH_CACHE));
        Self::read_with(run, cache.as_deref(), true)
    }

    /// As [`Report::read`], for programs that only look: nothing in the run is made or changed.
    /// Shards that no report has cached yet are read each time.
    ///
    /// # Errors
    /// If the folder of the ledger cannot be listed.
    pub fn read_only(run: &Run) -> Result<Self, ReportError> {
        let cache = run.root().join(layout::work_path(Stage::Driver)).join(HEALTH_CACHE);
        Self::read_with(run, Some(&cache), false)
    }

    /// Reads everything; `keeps` says whether what shards show is added to the cache.
    fn read_with(run: &Run, cache: Option<&Path>, keeps: bool) -> Result<Self, ReportError> {
        let (mut report, config) = Self::of_ledger(run)?;
        report.add_health(run, cache, keeps);
        report.add_stage_games(run);
        report.add_traces(run);
        report.add_steps(run);
        report.add_gatekeepers_lines(run, config.as_ref());
        let used = run.usage().unwrap_or_default().into_iter();
        report.measures.disk = used
            .filter(|&(_, bytes)| bytes > 0)
            .map(|(folder, bytes)| (folder.to_owned(), bytes))
            .collect();
        report.findings = report.judge(&Rules::of(config.as_ref()));
        Ok(report)
    }

    /// Reads ratings, curve, cycles and verdict from the ledger alone, without
    /// [`Measures`](crate::Measures), and writes nothing.
    ///
    /// # Errors
    /// If the folder of the ledger cannot be listed.
    pub fn read_ledger(run: &Run) -> Result<Self, ReportError> {
        Ok(Self::of_ledger(run)?.0)
    }

    /// Returns the report of [`Report::read_ledger`] and the configuration in force, for a ledger
    /// that is open. Reads no record again.
    pub fn of_open_ledger(run: &Run, ledger: &Ledger) -> (Self, Option<RunConfig>) {
        Self::made(run, Some(ledger), |context, _| Self::of_state(ledger.state().clone(), context))
    }

    fn of_ledger(run: &Run) -> Result<(Self, Option<RunConfig>), ReportError> {
        let mut paths = run.list(layout::LOG)?;
        paths.sort();
        Ok(Self::made(run, Ledger::open(run).ok().as_ref(), |context, missing| {
            let mut next = 1;
            // Records are read one by one: those of a long run take more memory than its report.
            let records = paths.iter().filter_map(|path| record(run, path, &mut next, missing));
            Self::from_ledger(records, context)
        }))
    }

    /// Returns the report that `make` builds from records. Adds the configuration and the expected
    /// curve, which are not in the records.
    fn made(
        run: &Run,
        ledger: Option<&Ledger>,
        make: impl FnOnce(RunContext<'_>, &mut Vec<String>) -> Self,
    ) -> (Self, Option<RunConfig>) {
        let mut missing = Vec::new();
        let config_toml = run.config_toml().ok();
        let config = configuration(run, ledger, &mut missing);
        let name = run.name();
        let context = RunContext {
            name: &name,
            config_toml: config_toml.as_deref(),
            config: config.as_ref(),
        };
        let mut report = make(context, &mut missing);
        report.missing.splice(0..0, missing);
        report.add_expected(run);
        (report, config)
    }

    /// Self-play as the shards show it, from the cache where they were read before.
    fn add_health(&mut self, run: &Run, cache: Option<&Path>, keeps: bool) {
        let mut known = cache.map(known_health).unwrap_or_default();
        let mut unread = Vec::new();
        let mut expired = Vec::new();
        for facts in &mut self.cycles {
            let cycle = facts.cycle;
            let state = self.state.cycle_state(cycle);
            let shards: Vec<_> =
                state.iter().flat_map(|s| s.shards.values()).map(|shard| &shard.object).collect();
            // Before its games are done a cycle has only some of them.
            if facts.selfplay.is_none() || shards.is_empty() {
                continue;
            }
            let last = shards.last().map_or("", |shard| shard.blake3.as_str());
            let key = format!("{}-{last}", shards.len());
            let found = if let Some(line) = known.remove(&cycle).filter(|line| line.key == key) {
                line.facts
            } else if shards.iter().any(|shard| self.state.expired.contains(&shard.path)) {
                expired.push(cycle.to_string());
                continue;
            } else {
                let paths: Vec<_> = shards.iter().map(|shard| run.local_path(shard)).collect();
                match read_shards(&self.run.game, &paths) {
                    Ok(Ok(found)) => {
                        let line = HealthLine { cycle, key, facts: found };
                        if let Some(path) = cache.filter(|_| keeps) {
                            keep_health(path, &line);
                        }
                        line.facts
                    }
                    Ok(Err(error)) => {
                        unread.push(format!("cycle {cycle} ({error})"));
                        continue;
                    }
                    Err(error) => {
                        unread.push(format!("all cycles ({error})"));
                        break;
                    }
                }
            };
            facts.health = Some(found.health);
            self.measures.openings = Some(found.openings);
        }
        if !unread.is_empty() {
            let cycles = unread.join(", ");
            self.missing.push(format!("Shards that cannot be read: {cycles}."));
        }
        if !expired.is_empty() {
            let cycles = expired.join(", ");
            let why = "were given up for storage.disk_budget_mb before this report looked at them";
            self.missing.push(format!("Shards of cycle {cycles} {why}."));
        }
    }

    fn add_traces(&mut self, run: &Run) {
        let cycles = self.state.cycles.iter().rev();
        let gates = cycles.filter_map(|(&cycle, state)| Some((cycle, gate_match(cycle, state)?)));
        let mut traces = Vec::new();
        for (cycle, (played, candidate_is_b)) in gates.take(TRACES_MAX) {
            let path = &played.games.path;
            let bytes = run.read(path).map_err(|error| error.to_string());
            let traced = bytes.and_then(|bytes| {
                let text = String::from_utf8_lossy(&bytes);
                let verdict = self.cycle(cycle).and_then(|facts| facts.verdict.as_ref());
                let test = verdict.and_then(|verdict| verdict.test.as_ref());
                trace(cycle, path, &text, candidate_is_b, test)
            });
            match traced {
                Ok(trace) => traces.push(trace),
                Err(why) => {
                    self.missing.push(format!("The gate match {path} is not shown: {why}"));
                }
            }
        }
        traces.reverse();
        self.measures.traces = traces;
    }

    fn add_steps(&mut self, run: &Run) {
        let mut steps = BTreeMap::new();
        for line in self.lines(run, Stage::Trainer) {
            match line {
                TrainerLine::Step(line) => {
                    // A trainer that goes back to a checkpoint does later steps again.
                    steps.split_off(&line.step);
                    steps.insert(line.step, line);
                }
                TrainerLine::Turn(turn) => self.add_turn(Stage::Trainer, turn),
            }
        }
        self.measures.steps = thinned(&steps.into_values().collect::<Vec<_>>());
        if self.measures.steps.is_empty() && self.cycles.iter().any(|c| c.losses.is_some()) {
            self.missing.push("The trainer left no metrics of its steps.".to_owned());
        }
        for stage in [Stage::Selfplay, Stage::Shuffler] {
            for turn in self.lines::<TurnFacts>(run, stage) {
                self.add_turn(stage, turn);
            }
        }
    }

    /// A stage's metrics; damaged lines are left out, which is said. Of the trainer's steps in a
    /// long run a sample is read, since a report is written after every cycle.
    fn lines<T: DeserializeOwned>(&mut self, run: &Run, stage: Stage) -> Vec<T> {
        let bytes_max = if stage == Stage::Trainer { STEP_BYTES_MAX } else { usize::MAX };
        let path = layout::metrics_path(stage);
        match run.sampled_metrics(stage, bytes_max, "\"turn_ms\"") {
            Ok((lines, damaged)) => {
                if damaged > 0 {
                    self.missing.push(format!("{damaged} damaged lines of {path} were left out."));
                }
                lines
            }
            Err(error) => {
                self.missing.push(format!("{path} was left out: {error}."));
                Vec::new()
            }
        }
    }

    fn add_turn(&mut self, stage: Stage, mut turn: TurnFacts) {
        stage.name().clone_into(&mut turn.stage);
        self.measures.turns.push(turn);
    }

    /// What the gatekeeper wrote down: solved and sample positions, and the time that matches took.
    fn add_gatekeepers_lines(&mut self, run: &Run, config: Option<&RunConfig>) {
        let mut truth = BTreeMap::new();
        let mut samples = BTreeMap::new();
        let mut times = Vec::new();
        for line in self.lines(run, Stage::Gatekeeper) {
            match line {
                GatekeeperLine::Sample(line) => {
                    samples.insert(line.cycle, line);
                }
                GatekeeperLine::Truth(line) => {
                    truth.insert((line.cycle, line.truth_playouts), line);
                }
                GatekeeperLine::Times(line) => times.push(line),
                GatekeeperLine::Turn(turn) => self.add_turn(Stage::Gatekeeper, turn),
            }
        }
        self.measures.truth = truth.into_values().collect();
        self.measures.rating_share = self.rating_share(&times, config);
        let mut timed: BTreeMap<u32, u64> = BTreeMap::new();
        for line in &times {
            *timed.entry(line.cycle).or_default() += line.gate_ms + line.rating_ms;
        }
        // Those of stages that take turns are known.
        for facts in self.cycles.iter_mut().filter(|facts| facts.wall_ms.is_some()) {
            let timed_ms = timed.get(&facts.cycle).copied().unwrap_or(0);
            facts.matches_ms.get_or_insert(timed_ms);
        }
        let champions: Vec<&SampleLine> = self
            .cycles
            .iter()
            .filter(|facts| facts.promoted.is_some())
            .filter_map(|facts| samples.get(&facts.cycle))
            .collect();
        self.measures.samples = seen(&champions);
        if champions.is_empty() && self.generation() > 0 {
            let what = "No champion was asked about sample positions (metrics/gatekeeper.jsonl).";
            self.missing.push(what.to_owned());
        }
    }

    /// Time of gate and rating games; `None` where they were not timed.
    fn rating_share(
        &self,
        times: &[MatchTimes],
        config: Option<&RunConfig>,
    ) -> Option<RatingShare> {
        let over = |cycle| self.cycle(cycle).and_then(|facts| facts.wall_ms);
        let times: Vec<&MatchTimes> = times.iter().filter(|t| over(t.cycle).is_some()).collect();
        let timed: BTreeSet<u32> = times.iter().map(|line| line.cycle).collect();
        let whole = timed.into_iter().filter_map(over).sum::<u64>() as f64;
        let share = |of: fn(&MatchTimes) -> u64| {
            times.iter().map(|line| of(line)).sum::<u64>() as f64 / whole
        };
        (whole > 0.0).then(|| RatingShare {
            stated: config.map(|config| config.rating.time_share),
            rating: share(|line| line.rating_ms),
            gate: share(|line| line.gate_ms),
        })
    }
}

/// A line of the trainer's metrics.
#[derive(Deserialize)]
#[serde(untagged)]
enum TrainerLine {
    Step(StepLine),
    Turn(TurnFacts),
}

/// A line of the gatekeeper's metrics.
#[derive(Deserialize)]
#[serde(untagged)]
enum GatekeeperLine {
    Sample(SampleLine),
    Truth(TruthLine),
    Times(MatchTimes),
    Turn(TurnFacts),
}

/// The ledger's record at `path`, where it is one. A gap before it, or a record that cannot be
/// read, is reported. Its content is unknown, and all other records count. `next` is the number
/// that follows the last one's.
fn record(run: &Run, path: &str, next: &mut u64, missing: &mut Vec<String>) -> Option<Record> {
    let number: u64 = path.rsplit('/').next()?.strip_suffix(".json")?.parse().ok()?;
    if number > *next {
        missing.push(match number - *next {
            1 => format!("Record {next} of the ledger is missing."),
            _ => format!("Records {next} to {} of the ledger are missing.", number - 1),
        });
    }
    *next = number.saturating_add(1);
    let read = run.read(path).map_err(|error| error.to_string());
    let why = match read.and_then(|bytes| Record::from_bytes(&bytes)) {
        Ok((record, _)) if record.number == number => return Some(record),
        Ok((record, _)) => format!("{path} has the number of record {}; left out.", record.number),
        Err(why) => format!("{path} was left out: {why}."),
    };
    missing.push(why);
    None
}

/// The newest champion's positions, beside what the first one said of them.
fn seen(champions: &[&SampleLine]) -> Vec<Sample> {
    let Some((newest, earlier)) = champions.split_last() else { return Vec::new() };
    let first = earlier.first();
    let sample = newest.samples.iter().map(|position| {
        let old = first.and_then(|line| {
            let position = line.samples.iter().find(|old| old.moves == position.moves)?;
            Some(SampleView { cycle: line.cycle, position: position.clone() })
        });
        let new = SampleView { cycle: newest.cycle, position: position.clone() };
        Sample { moves: position.moves.clone(), views: old.into_iter().chain([new]).collect() }
    });
    sample.collect()
}
