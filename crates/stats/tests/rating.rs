//! Ratings with known answers, symmetries and simulated recovery.

use dz_stats::{
    Draws, ELO_PER_NAT, Elo, PairResult, RatingOptions, Ratings, StatsError, Z95, rate,
};
use dz_testkit::Lcg;

fn game(first: usize, second: usize, wdl: [u64; 3]) -> PairResult {
    let [wins_first, draws, wins_second] = wdl;
    PairResult { first, second, wins_first, draws, wins_second }
}

/// Maximum likelihood: no prior, no first-mover term, half points.
fn plain() -> RatingOptions {
    RatingOptions {
        draws: Draws::HalfPoints,
        first_mover: false,
        anchor: Some(0),
        prior_draws: 0.0,
        ..RatingOptions::default()
    }
}

fn close(got: f64, want: f64, within: f64) {
    assert!((got - want).abs() < within, "{got} instead of {want}");
}

/// A. Agresti, *Categorical Data Analysis*, table 10.10: American League 1987, wins at home and
/// away of the row's team against the column's. Baltimore, Boston, Cleveland, Detroit, Milwaukee,
/// New York, Toronto are 0 to 6; the tuple is (home, away, home wins, away wins).
const BASEBALL: [(usize, usize, u64, u64); 42] = [
    (4, 3, 4, 3),
    (4, 6, 4, 2),
    (4, 5, 4, 3),
    (4, 1, 6, 1),
    (4, 2, 4, 2),
    (4, 0, 6, 0),
    (3, 4, 3, 3),
    (3, 6, 4, 2),
    (3, 5, 4, 3),
    (3, 1, 6, 0),
    (3, 2, 6, 1),
    (3, 0, 4, 3),
    (6, 4, 2, 5),
    (6, 3, 4, 3),
    (6, 5, 2, 4),
    (6, 1, 4, 3),
    (6, 2, 4, 2),
    (6, 0, 6, 0),
    (5, 4, 3, 3),
    (5, 3, 5, 1),
    (5, 6, 2, 5),
    (5, 1, 4, 3),
    (5, 2, 4, 2),
    (5, 0, 6, 1),
    (1, 4, 5, 1),
    (1, 3, 2, 5),
    (1, 6, 3, 3),
    (1, 5, 4, 2),
    (1, 2, 5, 2),
    (1, 0, 6, 0),
    (2, 4, 2, 5),
    (2, 3, 3, 3),
    (2, 6, 3, 4),
    (2, 5, 4, 3),
    (2, 1, 4, 2),
    (2, 0, 2, 4),
    (0, 4, 2, 5),
    (0, 3, 1, 5),
    (0, 6, 1, 6),
    (0, 5, 2, 4),
    (0, 1, 1, 6),
    (0, 2, 3, 4),
];

fn baseball(first_mover: bool) -> Ratings {
    let games: Vec<PairResult> =
        BASEBALL.iter().map(|&(home, away, won, lost)| game(home, away, [won, 0, lost])).collect();
    rate(7, &games, &RatingOptions { first_mover, ..plain() }).expect("every team beat every other")
}

/// Estimates and standard errors as H. Turner and D. Firth print them (*Bradley-Terry Models in R*,
/// J. Stat. Software 48(9), 2012, section 2), without and with the home advantage; Baltimore is 0.
#[test]
fn the_1987_american_league() {
    let without = [
        (1.1077, 0.3339),
        (0.6839, 0.3319),
        (1.4364, 0.3396),
        (1.5814, 0.3433),
        (1.2476, 0.3359),
        (1.2945, 0.3367),
    ];
    let with = [
        (1.1438, 0.3378),
        (0.7047, 0.3350),
        (1.4754, 0.3446),
        (1.6196, 0.3474),
        (1.2813, 0.3404),
        (1.3271, 0.3403),
    ];
    for (home, published) in [(false, without), (true, with)] {
        let ratings = baseball(home);
        assert_eq!((ratings.players[0].elo, ratings.players[0].error95), (Elo(0.0), Elo(0.0)));
        for (team, (ability, error)) in published.into_iter().enumerate() {
            let rating = ratings.players[team + 1];
            close(rating.elo.nats(), ability, 6e-5);
            close(rating.error95.nats() / Z95, error, 6e-5);
        }
    }
    let ratings = baseball(true);
    close(ratings.first_mover.nats(), 0.3023, 6e-5);
    close(ratings.first_mover_error95.nats() / Z95, 0.1309, 6e-5);
}

/// Two players have a closed form: 400 log10 of the odds, variance 1 / (n p q).
#[test]
fn two_players_at_three_to_one() {
    let ratings = rate(2, &[game(1, 0, [150, 0, 50]), game(0, 1, [50, 0, 150])], &plain()).unwrap();
    close(ratings.players[1].elo.0, 190.848_501_888, 1e-6);
    let sd = ELO_PER_NAT / (400.0_f64 * 0.75 * 0.25).sqrt();
    close(ratings.players[1].error95.0, Z95 * sd, 1e-6);
    close(ratings.difference(1, 0).error95.0, Z95 * sd, 1e-6);
    close(ratings.players[1].record.score().0, 0.75, 1e-15);
    assert_eq!(ratings.players[1].record.games(), 400);
}

/// A chain has no redundancy: each link is its own two-player match.
#[test]
fn a_chain_adds_links_and_variances() {
    let games = [game(0, 1, [25, 0, 75]), game(1, 2, [40, 0, 60])];
    let ratings = rate(3, &games, &plain()).unwrap();
    let (one, two) = (3.0_f64.ln(), 1.5_f64.ln());
    close(ratings.players[1].elo.nats(), one, 1e-9);
    close(ratings.players[2].elo.nats(), one + two, 1e-9);
    let variance = |n: f64, p: f64| 1.0 / (n * p * (1.0 - p));
    let sum = variance(100.0, 0.25) + variance(100.0, 0.4);
    close(ratings.players[2].error95.nats(), Z95 * sum.sqrt(), 1e-9);
    close(ratings.difference(2, 1).error95.nats(), Z95 * variance(100.0, 0.4).sqrt(), 1e-9);
}

/// Davidson with two players: the rating is ln(wins / losses), the draw parameter draws / sqrt(wins
/// losses); wins and losses of 90 and 40 with 60 draws give nu = 1.
#[test]
fn davidson_with_two_players() {
    let options = RatingOptions { draws: Draws::Davidson, ..plain() };
    let ratings = rate(2, &[game(1, 0, [90, 60, 40])], &options).unwrap();
    close(ratings.players[1].elo.nats(), (90.0_f64 / 40.0).ln(), 1e-9);
    close(ratings.draw_rate, 1.0 / 3.0, 1e-9);
}

/// With as many games in each order and no draws, wins by order give both terms in closed form.
#[test]
fn first_mover_closed_form() {
    // Odds for the first mover: 3 when player 1 moves first, 4/6 when player 0 does.
    let games = [game(1, 0, [75, 0, 25]), game(0, 1, [40, 0, 60])];
    let ratings = rate(2, &games, &RatingOptions { first_mover: true, ..plain() }).unwrap();
    let (up, down) = (3.0_f64.ln(), (40.0_f64 / 60.0).ln());
    close(ratings.players[1].elo.nats(), 0.5 * (up - down), 1e-9);
    close(ratings.first_mover.nats(), 0.5 * (up + down), 1e-9);
}

#[test]
fn without_draws_davidson_is_the_plain_model() {
    let games = [game(0, 1, [5, 0, 9]), game(1, 2, [6, 0, 8]), game(2, 0, [7, 0, 3])];
    let half = rate(3, &games, &plain()).unwrap();
    let davidson = rate(3, &games, &RatingOptions { draws: Draws::Davidson, ..plain() }).unwrap();
    assert_eq!(half.players, davidson.players);
    assert_eq!(davidson.draw_rate, 0.0);
}

fn tournament() -> Vec<PairResult> {
    vec![
        game(0, 1, [12, 5, 3]),
        game(1, 0, [6, 7, 9]),
        game(1, 2, [20, 1, 4]),
        game(2, 1, [5, 2, 11]),
        game(0, 3, [30, 4, 1]),
        game(3, 2, [2, 3, 9]),
    ]
}

#[test]
fn order_of_games_and_numbers_of_players_do_not_matter() {
    for draws in [Draws::HalfPoints, Draws::Davidson] {
        let options = RatingOptions { draws, anchor: None, ..RatingOptions::default() };
        let ratings = rate(4, &tournament(), &options).unwrap();
        let mut reversed = tournament();
        reversed.reverse();
        assert_eq!(rate(4, &reversed, &options).unwrap().players, ratings.players);

        let renumber = [2, 0, 3, 1];
        let renumbered: Vec<PairResult> = tournament()
            .iter()
            .map(|g| PairResult { first: renumber[g.first], second: renumber[g.second], ..*g })
            .collect();
        let other = rate(4, &renumbered, &options).unwrap();
        for (player, &renumbered) in renumber.iter().enumerate() {
            let (one, two) = (ratings.players[player], other.players[renumbered]);
            close(one.elo.0, two.elo.0, 1e-7);
            close(one.error95.0, two.error95.0, 1e-7);
            assert_eq!(one.record, two.record);
        }
        close(ratings.draw_rate, other.draw_rate, 1e-10);
    }
}

#[test]
fn the_anchor_moves_the_zero_and_nothing_else() {
    let with = |anchor| {
        rate(4, &tournament(), &RatingOptions { anchor, ..RatingOptions::default() }).unwrap()
    };
    let (mean, pinned) = (with(None), with(Some(2)));
    close(mean.players.iter().map(|p| p.elo.0).sum(), 0.0, 1e-9);
    assert_eq!((pinned.players[2].elo, pinned.players[2].error95), (Elo(0.0), Elo(0.0)));
    for (one, other) in [(0, 1), (1, 3), (2, 0)] {
        let (a, b) = (mean.difference(one, other), pinned.difference(one, other));
        close(a.elo.0, b.elo.0, 1e-9);
        close(a.error95.0, b.error95.0, 1e-9);
        close(a.los, b.los, 1e-12);
    }
    // The error against the anchor is that of the difference.
    close(pinned.players[0].error95.0, pinned.difference(0, 2).error95.0, 1e-9);
    close(pinned.covariance(0, 1), pinned.covariance(1, 0), 1e-9);
}

#[test]
fn a_joint_covariance_beats_two_separate_errors() {
    // Both measured against one anchor only, so both share the anchor's error in the mean-0 scale.
    let games = [game(0, 1, [50, 0, 50]), game(0, 2, [50, 0, 50]), game(1, 2, [500, 0, 500])];
    let ratings = rate(3, &games, &plain()).unwrap();
    let separate = ratings.players[1].error95.0.hypot(ratings.players[2].error95.0);
    assert!(ratings.difference(1, 2).error95.0 < 0.5 * separate);
    close(ratings.difference(1, 2).los, 0.5, 1e-9);
}

/// Three that know each other well and the anchor hardly. They are alike, so the variance of a
/// distance from their mean is a third of that of a difference.
#[test]
fn places_within_a_group_are_known_better_than_the_group() {
    let pairs = [(1, 2), (2, 3), (3, 1)];
    let mut games: Vec<PairResult> = pairs.map(|(a, b)| game(a, b, [200, 0, 200])).to_vec();
    games.extend((1..=3).map(|network| game(network, 0, [9, 0, 1])));
    let ratings = rate(4, &games, &plain()).unwrap();
    let (errors, shared) = ratings.within(&[1, 2, 3]);
    let difference = ratings.difference(1, 2).error95.0;
    for error in &errors {
        close(error.0, difference / 3.0_f64.sqrt(), 1e-9);
    }
    // The mean is 27 wins of 30 above the anchor.
    close(shared.0, Z95 * ELO_PER_NAT / (30.0_f64 * 0.9 * 0.1).sqrt(), 1e-6);
    assert!(errors[0].0 < 0.2 * ratings.players[1].error95.0);
    assert_eq!(ratings.within(&[0]), (vec![Elo(0.0)], Elo(0.0)));
}

#[test]
fn without_a_prior_unbounded_ratings_are_an_error() {
    let swept = [game(0, 1, [0, 0, 10])];
    assert_eq!(rate(2, &swept, &plain()).unwrap_err(), StatsError::NotFinite);
    let apart = [game(0, 1, [5, 0, 5]), game(2, 3, [5, 0, 5])];
    assert_eq!(rate(4, &apart, &plain()).unwrap_err(), StatsError::NotFinite);
}

/// However far apart: the highest of twenty, each of whom won all games against the next, stands
/// where its games and its virtual draw agree.
#[test]
fn a_prior_keeps_a_long_chain_finite() {
    let options = RatingOptions { prior_draws: 1.0, ..plain() };
    let games: Vec<PairResult> =
        (1..20).flat_map(|i| [game(i, i - 1, [50, 0, 0]), game(i - 1, i, [0, 0, 50])]).collect();
    let ratings = rate(20, &games, &options).unwrap();
    let elo: Vec<f64> = ratings.players.iter().map(|player| player.elo.0).collect();
    assert!(elo.is_sorted() && elo[19] - elo[0] > 2.0 * 5_200.0, "{elo:?}");
    let expected = ELO_PER_NAT * (2.0 * 100.0 / 1.0_f64 - 1.0).ln();
    close(elo[19] - elo[18], expected, 1.0);
}

#[test]
fn a_prior_keeps_them_finite_and_says_what_is_apart() {
    let options = RatingOptions { prior_draws: 1.0, ..plain() };
    let swept = rate(2, &[game(0, 1, [0, 0, 100])], &options).unwrap();
    let best = swept.players[1];
    assert!(best.elo.0 > 400.0 && best.elo.0 < 2000.0 && best.error95.0 > 100.0, "{best:?}");
    assert!(swept.is_connected());

    let apart = [game(0, 1, [5, 0, 5]), game(2, 3, [8, 0, 2])];
    let ratings = rate(5, &apart, &options).unwrap();
    assert_eq!(ratings.components, [0, 0, 2, 2, 4]);
    assert!(!ratings.is_connected());
    assert!(ratings.difference(1, 2).error95.0 > ratings.difference(0, 1).error95.0);
    assert_eq!(ratings.players[4].record.games(), 0);
}

#[test]
fn a_larger_prior_pulls_closer_together() {
    let games = [game(0, 1, [10, 0, 30])];
    let gap = |prior_draws| {
        rate(2, &games, &RatingOptions { prior_draws, ..plain() }).unwrap().players[1].elo.0
    };
    assert!(gap(0.0) > gap(0.5) && gap(0.5) > gap(2.0) && gap(2.0) > gap(20.0));
    close(gap(0.0), 190.8485, 1e-3);
    assert!(gap(1.0) > 180.0, "{}", gap(1.0));
}

#[test]
fn bad_input_is_named() {
    let unknown = StatsError::UnknownPlayer { index: 2, players: 2 };
    assert_eq!(rate(2, &[game(0, 2, [1, 0, 1])], &plain()).unwrap_err(), unknown);
    let anchor = RatingOptions { anchor: Some(2), ..plain() };
    assert_eq!(rate(2, &[], &anchor).unwrap_err(), unknown);
    let itself = StatsError::SelfPlay { index: 1 };
    assert_eq!(rate(2, &[game(1, 1, [1, 0, 1])], &plain()).unwrap_err(), itself);
    let negative = RatingOptions { prior_draws: -1.0, ..plain() };
    assert_eq!(rate(2, &[], &negative).unwrap_err(), StatsError::BadPrior { virtual_draws: -1.0 });
}

#[test]
fn nobody_and_no_games() {
    let options = RatingOptions { anchor: None, ..RatingOptions::default() };
    assert!(rate(0, &[], &options).unwrap().players.is_empty());
    let idle = rate(3, &[], &options).unwrap();
    assert!(idle.players.iter().all(|p| p.elo == Elo(0.0) && p.error95.0 > 100.0));
}

/// Plays `games` games in each order between neighbours up to two apart, by Davidson's model.
fn simulate(
    random: &mut Lcg,
    truth: &[f64],
    first_mover: f64,
    nu: f64,
    games: u64,
) -> Vec<PairResult> {
    let mut results = Vec::new();
    for a in 0..truth.len() {
        for b in 0..truth.len() {
            if a == b || a.abs_diff(b) > 2 {
                continue;
            }
            let d = truth[a] - truth[b] + first_mover;
            let (win, loss) = ((0.5 * d).exp(), (-0.5 * d).exp());
            let total = win + nu + loss;
            let mut wdl = [0; 3];
            for _ in 0..games {
                let u = random.uniform() * total;
                wdl[if u < win {
                    0
                } else if u < win + nu {
                    1
                } else {
                    2
                }] += 1;
            }
            results.push(game(a, b, wdl));
        }
    }
    results
}

/// Simulated tournaments: the stated 95 % intervals of ratings, of differences and of the
/// first-mover term hold the truth 92 to 98 times in 100.
#[test]
fn intervals_hold_the_truth() {
    let truth = [0.0, 0.7, 1.1, 1.9, 2.2, 2.6];
    let cases = [(Draws::HalfPoints, 0.0), (Draws::Davidson, 0.8)];
    for (case, (draws, nu)) in cases.into_iter().enumerate() {
        let mut random = Lcg(case as u64 + 11);
        let options =
            RatingOptions { draws, anchor: Some(0), prior_draws: 0.1, ..RatingOptions::default() };
        let (mut ratings_held, mut differences_held, mut first_held) = (0, 0, 0);
        let rounds = 600;
        for _ in 0..rounds {
            let games = simulate(&mut random, &truth, 0.3, nu, 30);
            let ratings = rate(6, &games, &options).unwrap();
            for player in 1..6 {
                let rating = ratings.players[player];
                let off = (rating.elo.nats() - truth[player]).abs();
                ratings_held += u32::from(off <= rating.error95.nats());
                let step = ratings.difference(player, player - 1);
                let off = (step.elo.nats() - (truth[player] - truth[player - 1])).abs();
                differences_held += u32::from(off <= step.error95.nats());
            }
            let off = (ratings.first_mover.nats() - 0.3).abs();
            first_held += u32::from(off <= ratings.first_mover_error95.nats());
        }
        for (held, of) in [(ratings_held, 5), (differences_held, 5), (first_held, 1)] {
            let coverage = f64::from(held) / f64::from(of * rounds);
            assert!((0.92..=0.98).contains(&coverage), "{draws:?}: {coverage}");
        }
    }
}

/// Two players with one virtual draw in all, and k games won by the one: the maximum has the closed
/// form of (k + 1/2) against 1/2 points.
#[test]
fn a_lineage_is_virtual_draws_between_two_players() {
    let options = RatingOptions { lineage: vec![(1, 0)], lineage_draws: 1.0, ..plain() };
    let games = [game(1, 0, [3, 0, 0]), game(0, 1, [0, 0, 1])];
    // All games won: only the lineage keeps it finite, and the check for that looks at games alone.
    assert!(matches!(rate(2, &games, &options), Err(StatsError::NotFinite)));
    let games = [game(1, 0, [3, 0, 0]), game(0, 1, [1, 0, 0])];
    let ratings = rate(2, &games, &options).unwrap();
    close(ratings.players[1].elo.0, ELO_PER_NAT * (3.5_f64 / 1.5).ln(), 1e-6);
    // A heavier expectation draws them closer; players without it stay where they were.
    let heavy = RatingOptions { lineage_draws: 20.0, ..options };
    let closer = rate(2, &games, &heavy).unwrap();
    assert!(closer.players[1].elo.0 < 0.4 * ratings.players[1].elo.0);
    for lineage in [vec![(0, 7)], vec![(1, 1)]] {
        assert!(rate(2, &games, &RatingOptions { lineage, ..plain() }).is_err());
    }
    let ring = vec![(1, 0), (0, 1)];
    let ring = RatingOptions { lineage: ring, ..RatingOptions::default() };
    assert_eq!(rate(2, &games, &ring).unwrap_err(), StatsError::Ring { index: 0 });
}

/// Whoever has a predecessor draws with it alone, so each step of a line is a match of two, with
/// their virtual draws, however long the line is: nothing pulls its end down.
#[test]
fn a_long_line_is_not_squeezed() {
    for players in [5, 300] {
        let lineage = (1..players).map(|i| (i, i - 1)).collect();
        let options =
            RatingOptions { first_mover: false, ..RatingOptions::of_run(Some(0), lineage) };
        let games: Vec<PairResult> = (1..players).map(|i| game(i, i - 1, [26, 0, 24])).collect();
        let ratings = rate(players, &games, &options).unwrap();
        let step = ELO_PER_NAT * (27.0_f64 / 25.0).ln();
        close(ratings.players[players - 1].elo.0, (players - 1) as f64 * step, 1e-3);
        close(ratings.difference(players - 1, players - 2).elo.0, step, 1e-5);
    }
}

#[test]
fn expected_scores_are_the_models() {
    let games = [game(0, 1, [6, 8, 2]), game(1, 0, [4, 8, 4])];
    for draws in [Draws::HalfPoints, Draws::Davidson] {
        let options = RatingOptions { draws, first_mover: true, ..plain() };
        let ratings = rate(2, &games, &options).unwrap();
        let [first, second] = ratings.expected(0, 1);
        let [other_first, other_second] = ratings.expected(1, 0);
        close(first + other_second, 1.0, 1e-12);
        close(second + other_first, 1.0, 1e-12);
        // The maximum of the likelihood agrees with the observed points, moving first and second.
        close(16.0 * first, 10.0, 1e-5);
        close(16.0 * second, 8.0, 1e-5);
    }
}
