//! Intervals and likelihood of superiority of one match.

use dz_stats::{Elo, Pentanomial, Record, Score, los, wilson};
use dz_testkit::Lcg;

fn record(wins: u64, draws: u64, losses: u64) -> Record {
    Record { wins, draws, losses }
}

#[test]
fn three_of_four_is_190_85_elo() {
    let interval = record(300, 0, 100).interval();
    assert_eq!(interval.score, Score(0.75));
    assert_eq!(interval.games, 400);
    assert!((interval.elo().unwrap().0 - 190.848_5).abs() < 1e-4);
}

/// About 685 / sqrt(n) Elo at an even score without draws: 1.96 * 0.5 / (0.25 / 173.7).
#[test]
fn the_usual_width_at_an_even_score() {
    for n in [100_u64, 400, 1600] {
        let interval = record(n / 2, 0, n / 2).interval();
        let half = interval.elo_hi95().unwrap().0;
        let rule = 685.0 / (n as f64).sqrt();
        assert!((half - rule).abs() < 0.05 * rule, "{n}: {half} {rule}");
        assert!((half + interval.elo_lo95().unwrap().0).abs() < 1e-9);
    }
}

/// Without draws the dispersion is 1 but for the prior's half observations, so Wilson's bounds
/// return.
#[test]
fn without_draws_it_is_close_to_wilson() {
    let (ours, theirs) = (record(70, 0, 30).interval(), wilson(70, 100));
    assert!((ours.lo95.0 - theirs.lo95).abs() < 2e-3, "{ours:?} {theirs:?}");
    assert!((ours.hi95.0 - theirs.hi95).abs() < 2e-3, "{ours:?} {theirs:?}");
}

#[test]
fn draws_narrow_the_interval() {
    let (decided, drawn) = (record(50, 0, 50).interval(), record(20, 60, 20).interval());
    assert!(drawn.hi95 < decided.hi95 && drawn.lo95 > decided.lo95);
}

#[test]
fn extreme_scores_stay_finite_on_the_side_that_games_bound() {
    for n in [1, 10, 400] {
        let won = record(n, 0, 0).interval();
        assert_eq!(won.elo(), None);
        assert_eq!(won.elo_hi95(), None);
        let low = won.elo_lo95().unwrap().0;
        assert!(low.is_finite() && low > -500.0, "{n}: {low}");
        let lost = record(0, 0, n).interval();
        assert_eq!(lost.elo_lo95(), None);
        assert!((lost.elo_hi95().unwrap().0 + low).abs() < 1e-9, "not symmetric");
    }
    let drawn = record(0, 100, 0).interval();
    assert_eq!(drawn.elo(), Some(Elo(0.0)));
    assert!(drawn.lo95.0 < 0.499 && drawn.hi95.0 > 0.501);
    let nothing = Record::default().interval();
    assert_eq!((nothing.score, nothing.lo95, nothing.hi95), (Score(0.5), Score(0.0), Score(1.0)));
    assert_eq!((nothing.elo_lo95(), nothing.elo_hi95()), (None, None));
}

/// How often a 95 % interval holds the true score, over 4,000 simulated matches.
#[test]
fn intervals_hold_the_truth_about_95_times_in_100() {
    let cases = [
        (0.5, 0.0, 100),
        (0.2, 0.6, 100),
        (0.45, 0.1, 20),
        (0.8, 0.1, 100),
        (0.95, 0.03, 100),
        (0.3, 0.3, 400),
    ];
    for (case, (p_win, p_draw, games)) in cases.into_iter().enumerate() {
        let mut random = Lcg(case as u64 + 7);
        let truth = p_win + 0.5 * p_draw;
        let mut held = 0;
        for _ in 0..4000 {
            let mut result = Record::default();
            for _ in 0..games {
                let u = random.uniform();
                if u < p_win {
                    result.wins += 1;
                } else if u < p_win + p_draw {
                    result.draws += 1;
                } else {
                    result.losses += 1;
                }
            }
            let interval = result.interval();
            held += u32::from(interval.lo95.0 <= truth && truth <= interval.hi95.0);
        }
        let coverage = f64::from(held) / 4000.0;
        assert!((0.93..=0.985).contains(&coverage), "{p_win} {p_draw} {games}: {coverage}");
    }
}

/// Openings that decide the game for whoever moves first: both games of a pair cancel out.
#[test]
fn pairs_see_what_single_games_do_not() {
    let pairs = Pentanomial([0, 0, 200, 0, 0]);
    let singles = record(200, 0, 200).interval();
    assert_eq!(pairs.interval().score, singles.score);
    assert_eq!(pairs.interval().games, 400);
    assert!(pairs.interval().hi95.0 - 0.5 < 0.2 * (singles.hi95.0 - 0.5));
    // And openings where both games go to one side are half as many observations as games.
    let doubled = Pentanomial([100, 0, 0, 0, 100]).interval();
    let ratio = (doubled.hi95.0 - 0.5) / (singles.hi95.0 - 0.5);
    assert!((ratio - 2.0_f64.sqrt()).abs() < 0.02, "{ratio}");
}

/// Independent games without draws give pairs the same interval as single games.
#[test]
fn independent_pairs_agree_with_single_games() {
    let pairs = Pentanomial([100, 0, 200, 0, 100]).interval();
    let singles = record(400, 0, 400).interval();
    assert!((pairs.hi95.0 - singles.hi95.0).abs() < 1e-3, "{pairs:?} {singles:?}");
}

#[test]
fn superiority_known_answers() {
    // One win: Beta(2, 1) above 1/2 is 3/4. Five straight wins: 1 - 2^-6.
    assert!((los(1, 0) - 0.75).abs() < 1e-15);
    assert!((los(5, 0) - (1.0 - 0.5_f64.powi(6))).abs() < 1e-15);
    assert!((los(0, 5) - 0.5_f64.powi(6)).abs() < 1e-15);
    for n in [0, 1, 10, 1000, 100_000] {
        assert!((los(n, n) - 0.5).abs() < 1e-9, "{n}: {}", los(n, n));
    }
    // The normal approximation: Phi((w - l) / sqrt(w + l)).
    let approximate = dz_stats::normal_cdf(60.0 / 1000.0_f64.sqrt());
    assert!((los(530, 470) - approximate).abs() < 2e-3);
    assert!((record(530, 700, 470).los() - los(530, 470)).abs() < 1e-15);
    assert!(los(1_000_000, 0) > 1.0 - 1e-15);
}

#[test]
fn superiority_of_pairs() {
    assert_eq!(Pentanomial::default().los(), 0.5);
    assert!((Pentanomial([10, 20, 40, 20, 10]).los() - 0.5).abs() < 1e-12);
    let mut better = Pentanomial([5, 20, 40, 25, 10]);
    assert!(better.los() > 0.85);
    better.add(4);
    assert_eq!(better.0[4], 11);
    let mirrored = Pentanomial([11, 25, 40, 20, 5]);
    assert!((better.los() + mirrored.los() - 1.0).abs() < 1e-12);
}

#[test]
fn flipping_a_record_flips_its_score() {
    let one = record(7, 2, 4);
    assert!((one.score().0 + one.flip().score().0 - 1.0).abs() < 1e-15);
    assert!((one.score().flip().0 - one.flip().score().0).abs() < 1e-15);
}
