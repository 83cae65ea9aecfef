//! A made-up ledger: twelve cycles of a run that learns, with two refused candidates.

use std::collections::BTreeMap;

use dz_stats::League;
use dz_store::{
    Entry, LoadSummary, Losses, MatchPurpose, MatchResult, ObjectRef, PlayerName, RatingRow,
    Record, RowsSummary, SelfplaySummary, Stage,
};
use dz_testkit::Lcg;

/// Builds records one after the other.
#[derive(Default)]
pub struct Ledger {
    /// The records so far.
    pub records: Vec<Record>,
}

impl Ledger {
    /// Appends an entry of a stage's first claim, or a claim.
    pub fn push(&mut self, stage: Stage, entry: Entry) -> &mut Self {
        let number = self.records.len() as u64 + 1;
        let is_claim = matches!(entry, Entry::Claim { .. });
        self.records.push(Record {
            number,
            epoch: if is_claim { number } else { 0 },
            stage,
            time_unix_ms: 1_795_261_461_000 + number * 9_000,
            nonce: format!("{number:032x}"),
            entry,
        });
        self
    }

    /// The entry that begins every run.
    pub fn start(&mut self) -> &mut Self {
        let entry = Entry::RunStarted {
            format: 1,
            config_hash: "c0ffee".repeat(10),
            seed: 7,
            game: "connect4:width=7,height=6,connect=4".to_owned(),
            encoding: "connect4/1 <planes & policy>".to_owned(),
            version: "0.0.0".to_owned(),
        };
        self.push(Stage::Driver, entry)
    }
}

/// Cycles whose candidate is refused.
pub const REFUSED: [u32; 2] = [5, 9];

/// A whole run.
pub fn run(cycles: u32) -> Ledger {
    run_of(cycles, 40)
}

/// A whole run with so many rating games against each opponent; an even number.
pub fn run_of(cycles: u32, rating_games: u64) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.start();
    let mut random = Lcg(3);
    let mut matches: Vec<(String, String, MatchResult)> = Vec::new();
    let mut champions: Vec<u32> = Vec::new();
    for cycle in 1..=cycles {
        let generation = champions.len() as u32;
        let games = if cycle == 1 { 2_000 } else { 1_200 };
        play(&mut ledger, cycle, generation, games);
        train(&mut ledger, cycle);
        let accepted = !REFUSED.contains(&cycle);
        gate(&mut ledger, cycle, champions.last().copied(), accepted, &mut random);
        if accepted {
            champions.push(cycle);
            let network = object("networks", cycle);
            let entry = Entry::Champion { generation: generation + 1, cycle, network };
            ledger.push(Stage::Gatekeeper, entry);
            let opponents = opponents(&champions);
            for (name, strength) in opponents {
                let player = PlayerName::network(cycle);
                let result = tally(&mut random, strength_of(cycle) - strength, rating_games);
                matches.push((player.to_string(), name.clone(), result.clone()));
                ledger.push(
                    Stage::Gatekeeper,
                    Entry::Match {
                        cycle,
                        purpose: MatchPurpose::Rating,
                        a: player,
                        b: PlayerName::new(name),
                        result,
                        games: object("matches", cycle),
                    },
                );
            }
        }
        // Fitting a long run anew each cycle would take the time that a test is about.
        if cycles <= 20 || cycle == cycles {
            ledger.push(Stage::Gatekeeper, ratings(cycle, &matches));
        }
        ledger.push(
            Stage::Driver,
            Entry::CycleDone { cycle, wall_ms: 41_000 + 900 * u64::from(cycle) },
        );
    }
    ledger
}

/// True strength, natural-log units above random play.
fn strength_of(cycle: u32) -> f64 {
    6.5 * (1.0 - (-0.22 * f64::from(cycle)).exp())
}

fn opponents(champions: &[u32]) -> Vec<(String, f64)> {
    let mut opponents = vec![("random".to_owned(), 0.0), ("rollout-1000".to_owned(), 3.6)];
    for &earlier in champions.iter().rev().skip(1).take(2) {
        opponents.push((PlayerName::network(earlier).to_string(), strength_of(earlier)));
    }
    opponents
}

fn tally(random: &mut Lcg, advantage: f64, games: u64) -> MatchResult {
    let mut result = MatchResult { games, ..MatchResult::default() };
    for _ in 0..games / 2 {
        let mut half_points = 0;
        for order in 0..2 {
            let d = if order == 0 { advantage + 0.4 } else { advantage - 0.4 };
            let (win, draw, loss) = ((0.5 * d).exp(), 0.1, (-0.5 * d).exp());
            let u = random.uniform() * (win + draw + loss);
            let (points, place) = if u < win {
                result.wins += 1;
                (2, 0)
            } else if u < win + draw {
                result.draws += 1;
                (1, 1)
            } else {
                result.losses += 1;
                (0, 2)
            };
            half_points += points;
            // The second row is in the view of B, who moves first there.
            result.by_first[order][if order == 0 { place } else { 2 - place }] += 1;
        }
        result.pairs[half_points] += 1;
    }
    result
}

fn ratings(cycle: u32, matches: &[(String, String, MatchResult)]) -> Entry {
    let mut league = League::default();
    for (a, b, result) in matches {
        league.add(a, b, result.by_first);
    }
    let fit = league.fit(Some("random"), |name| PlayerName::new(name).line());
    let fit = fit.expect("the prior keeps it finite");
    let row = |(name, rating): (&str, &dz_stats::Rating)| RatingRow {
        player: PlayerName::new(name),
        elo: rating.elo.0,
        error95: rating.error95.0,
        score: rating.record.score().0,
        games: rating.record.games(),
    };
    Entry::Ratings {
        cycle,
        players: fit.players().map(row).collect(),
        first_mover_elo: fit.ratings().first_mover.0,
        draw_rate: fit.ratings().draw_rate,
    }
}

fn play(ledger: &mut Ledger, cycle: u32, generation: u32, games: u64) {
    let age = f64::from(cycle);
    let positions = games * (20 + u64::from(cycle));
    let settled = age / (age + 10.0);
    let wins_first = (games as f64 * (0.55 + 0.2 * settled)) as u64;
    let draws = (games as f64 * 0.15 * settled) as u64;
    let summary = SelfplaySummary {
        games,
        positions,
        playouts: positions * 60,
        evaluations: positions * 38,
        cache_hits: positions * 9,
        transpositions: positions * 7,
        batches: positions * 38 / 250,
        batch_fill: 0.957,
        wins_first,
        draws,
        wins_second: games - wins_first - draws,
        plies_mean: 20.0 + 12.0 * settled,
        wall_ms: 21_000,
        evaluator: if cycle == 1 { "rollout" } else { "flex-f32-avx2" }.to_owned(),
        resign: None,
        load: (cycle > 1).then_some(LoadSummary {
            device_share: 0.71,
            waiting_share: 0.01,
            host_us: 7.25,
        }),
    };
    ledger.push(Stage::Selfplay, Entry::GamesDone { cycle, generation, summary });
}

fn train(ledger: &mut Ledger, cycle: u32) {
    let age = f64::from(cycle);
    let new_rows = 25_000 + 900 * u64::from(cycle);
    let summary = RowsSummary {
        new_rows,
        window_rows: 21_000 * u64::from(cycle),
        window_games: 1_200 * u64::from(cycle),
        train_rows: 3 * new_rows,
        validation_rows: 1_100,
        wall_ms: 600,
    };
    let (train, validation) = (vec![object("rows", cycle)], Vec::new());
    ledger.push(Stage::Shuffler, Entry::Rows { cycle, train, validation, summary });
    let policy = 1.05 + 0.9 * (-0.3 * age).exp();
    let value = 0.55 + 0.45 * (-0.2 * age).exp();
    let losses = Losses {
        policy,
        value,
        validation_policy: Some(policy + 0.04),
        validation_value: Some(value + 0.05),
        value_mse: Some(0.3 * value),
        validation_value_mse: Some(0.3 * value + 0.02),
        heads: BTreeMap::new(),
        policy_accuracy: Some(0.4 + 0.5 * age / (age + 10.0)),
        policy_top5_accuracy: Some(0.7 + 0.3 * age / (age + 10.0)),
        value_accuracy: Some(0.6 + 0.3 * age / (age + 10.0)),
        gradient_norm: Some(1.3),
        learning_rate: 2e-3,
        steps: 300,
        rows: 3 * new_rows,
        wall_ms: 12_500,
    };
    let network = object("networks", cycle);
    let step = 300 * u64::from(cycle);
    ledger.push(Stage::Trainer, Entry::Candidate { cycle, step, network, losses });
}

fn gate(ledger: &mut Ledger, cycle: u32, champion: Option<u32>, accepted: bool, random: &mut Lcg) {
    let Some(champion) = champion else {
        ledger.push(
            Stage::Gatekeeper,
            Entry::Verdict {
                cycle,
                rule: "score".to_owned(),
                accepted: true,
                reason: "There is no champion to play.".to_owned(),
                score: None,
                score_lo95: None,
                score_hi95: None,
                test: None,
            },
        );
        return;
    };
    let result = tally(random, if accepted { 0.9 } else { -0.1 }, 100);
    let interval = dz_stats::Pentanomial(result.pairs).interval();
    ledger.push(
        Stage::Gatekeeper,
        Entry::Match {
            cycle,
            purpose: MatchPurpose::Gate,
            a: PlayerName::network(cycle),
            b: PlayerName::network(champion),
            result,
            games: object("matches", cycle),
        },
    );
    ledger.push(
        Stage::Gatekeeper,
        Entry::Verdict {
            cycle,
            rule: "score".to_owned(),
            accepted,
            reason: format!("It scored {:.3}; the gate asks for 0.550.", interval.score.0),
            score: Some(interval.score.0),
            score_lo95: Some(interval.lo95.0),
            score_hi95: Some(interval.hi95.0),
            test: None,
        },
    );
}

fn object(folder: &str, cycle: u32) -> ObjectRef {
    ObjectRef::of(format!("{folder}/{cycle:06}"), format!("{folder} {cycle}").as_bytes())
}
