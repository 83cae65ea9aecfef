//! From visits to moves: known answers and statistics.

use dz_game::{Move, Wdl};
use dz_search::{
    MoveChoice, PolicyTarget, RootMove, SearchCounts, Summary, choose_move, policy_target,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Moves 0, 1, 2... with these visits, values and priors.
fn summary(moves: &[(u32, f32, f32)]) -> Summary {
    let root_move = |(i, &(visits, value, prior)): (usize, &(u32, f32, f32))| RootMove {
        mv: Move(i as u16),
        visits,
        visits_here: visits,
        weight: visits.into(),
        prior: prior.into(),
        noisy_prior: f64::from(prior),
        q: (visits > 0).then_some(f64::from(value)),
        lead: None,
        score_utility: 0.0,
        q_square: None,
        proven: None,
        amaf: None,
        gumbel: 0.0,
        wdl: (visits > 0).then_some(Wdl {
            win: 0.5 * (1.0 + value),
            draw: 0.0,
            loss: 0.5 * (1.0 - value),
        }),
    };
    let visits = 1 + moves.iter().map(|m| m.0).sum::<u32>();
    let moves = moves.iter().enumerate().map(root_move).collect();
    Summary {
        wdl: Wdl::DRAW,
        value: 0.0,
        own_value: 0.0,
        lead: None,
        visits,
        proven: false,
        exploration_scale: f64::from(visits).sqrt(),
        moves,
        counts: SearchCounts::default(),
    }
}

fn most_visited(moves: &[(u32, f32, f32)]) -> Move {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    choose_move(&summary(moves), MoveChoice::MostVisits, &mut random)
}

/// How often each move comes in 100,000 choices.
fn frequencies(moves: &[(u32, f32, f32)], temperature: f64) -> Vec<f64> {
    const SAMPLES: u32 = 100_000;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut counts = vec![0u32; moves.len()];
    let summary = summary(moves);
    for _ in 0..SAMPLES {
        let choice = MoveChoice::Temperature(temperature);
        counts[usize::from(choose_move(&summary, choice, &mut random).0)] += 1;
    }
    counts.iter().map(|&count| f64::from(count) / f64::from(SAMPLES)).collect()
}

#[track_caller]
fn assert_near(frequencies: &[f64], expected: &[f64]) {
    for (f, e) in frequencies.iter().zip(expected) {
        // Four standard deviations of a share in 100,000 samples are below 0.0064.
        assert!((f - e).abs() < 0.0065, "{frequencies:?}, expected {expected:?}");
    }
}

#[test]
fn the_most_visited_move_is_played() {
    assert_eq!(most_visited(&[(3, 0.9, 0.9), (5, -0.5, 0.1)]), Move(1));
    assert_eq!(most_visited(&[(5, 0.1, 0.9), (5, 0.2, 0.1)]), Move(1), "then by value");
    assert_eq!(most_visited(&[(5, 0.1, 0.1), (5, 0.1, 0.9)]), Move(1), "then by prior");
    assert_eq!(most_visited(&[(5, 0.1, 0.5), (5, 0.1, 0.5)]), Move(0), "then the lowest");
    assert_eq!(most_visited(&[(0, 0.0, 0.2), (0, 0.0, 0.8)]), Move(1), "the raw policy");
}

#[test]
fn temperature_shapes_the_visits() {
    let moves = [(10, 0.0, 0.1), (30, 0.0, 0.2), (60, 0.0, 0.7), (0, 0.0, 0.0)];
    assert_near(&frequencies(&moves, 1.0), &[0.1, 0.3, 0.6, 0.0]);
    // Squares 1, 9 and 36 of 46.
    assert_near(&frequencies(&moves, 0.5), &[1.0 / 46.0, 9.0 / 46.0, 36.0 / 46.0, 0.0]);
    let roots = [10f64, 30.0, 60.0].map(f64::sqrt);
    let sum: f64 = roots.iter().sum();
    assert_near(&frequencies(&moves, 2.0), &roots.map(|root| root / sum));
    assert_eq!(frequencies(&moves, 0.01), [0.0, 0.0, 1.0, 0.0], "no overflow near 0");
    assert_eq!(frequencies(&moves, 1.0)[3], 0.0, "what was not visited is not played");
}

#[test]
fn without_visits_priors_decide() {
    assert_near(&frequencies(&[(0, 0.0, 0.25), (0, 0.0, 0.75)], 1.0), &[0.25, 0.75]);
}

#[test]
fn what_is_proven_decides_choice_and_target() {
    let moves = [(5, 0.5, 0.7), (1, 1.0, 0.1), (2, -0.2, 0.2)];
    let with = |proven: [Option<f64>; 3]| {
        let mut summary = summary(&moves);
        for (m, proven) in summary.moves.iter_mut().zip(proven) {
            m.proven = proven;
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let choice = choose_move(&summary, MoveChoice::MostVisits, &mut random);
        (policy_target(&summary, PolicyTarget::Visits), choice)
    };
    assert_eq!(with([None; 3]), (vec![0.625, 0.125, 0.25], Move(0)));
    // The search ended with the win, so others have more visits.
    assert_eq!(with([None, Some(1.0), None]), (vec![0.0, 1.0, 0.0], Move(1)));
    let (target, choice) = with([Some(-1.0), None, None]);
    assert!(
        (target[1] - 1.0 / 3.0).abs() < 1e-12 && (target[2] - 2.0 / 3.0).abs() < 1e-12,
        "{target:?}"
    );
    assert_eq!((target[0], choice), (0.0, Move(2)));
    // The best move if all are certain. A proven draw decides nothing against an open move.
    assert_eq!(with([Some(-1.0), Some(0.0), Some(-1.0)]), (vec![0.0, 1.0, 0.0], Move(1)));
    assert_eq!(with([Some(0.0), None, None]), (vec![0.625, 0.125, 0.25], Move(0)));
    assert_eq!(
        with([Some(-1.0); 3]),
        (vec![0.625, 0.125, 0.25], Move(0)),
        "all lose: as they were"
    );
}

#[test]
fn a_proven_move_without_a_share_gets_one() {
    let mut summary = summary(&[(5, 0.0, 0.5), (0, 0.0, 0.25), (0, 0.0, 0.25)]);
    summary.moves[1].proven = Some(1.0);
    summary.moves[2].proven = Some(1.0);
    assert_eq!(policy_target(&summary, PolicyTarget::Visits), [0.0, 0.5, 0.5]);
}

#[test]
fn shares_sum_to_one() {
    let shares = |moves: &[(u32, f32, f32)]| policy_target(&summary(moves), PolicyTarget::Visits);
    assert_eq!(shares(&[(1, 0.0, 0.0), (3, 0.0, 0.0), (0, 0.0, 0.0)]), [0.25, 0.75, 0.0]);
    assert_eq!(shares(&[(0, 0.0, 1.0)]), [1.0], "without visits the priors are all there is");
}
