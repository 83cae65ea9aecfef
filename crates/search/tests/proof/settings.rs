//! Random settings: every value of every setting comes up.

use dz_search::{
    Backup, CatchUp, DynamicVariance, EdgeValues, EpsilonSchedule, Expansion, Exploration,
    ExplorationTerm, FirstPlay, Grow, Gumbel, GumbelInner, InFlight, KataGoFirstPlay, LeafValue,
    NoiseShape, Puct, Rave, RaveSchedule, Regularized, Revisit, RolloutPolicy, RootNoise,
    RootSetup, ScoreUtility, SearchParams, Selection, Sigma, Staleness, Terminals, TieBreak,
    UncertaintyWeights, Untried, ValueBias, VisitRange,
};

use super::{Dice, Round};

/// Settings that do not contradict each other.
pub fn random_params(dice: &mut Dice) -> SearchParams {
    loop {
        let params = any_params(dice);
        if params.validate().is_ok() {
            return params;
        }
    }
}

/// Random settings of PUCT over network values, which numbers of the network beside its value need,
/// and for which `is_wanted` holds.
pub fn random_network_params(
    dice: &mut Dice,
    is_wanted: impl Fn(&SearchParams) -> bool,
) -> SearchParams {
    loop {
        let drawn = random_params(dice);
        let selection = match drawn.selection {
            Selection::Puct(_) => drawn.selection,
            _ => Selection::Puct(Puct::constant(dice.pick(&[0.5, 1.5]))),
        };
        let params = SearchParams {
            backup: Backup::Idempotent,
            leaf_value: LeafValue::Network,
            selection,
            ..drawn
        };
        if is_wanted(&params) && params.validate().is_ok() {
            return params;
        }
    }
}

/// One to three moves' searches.
pub fn random_rounds(dice: &mut Dice, playouts_max: usize) -> Vec<Round> {
    let round = |dice: &mut Dice| Round {
        playouts: (1 + dice.below(playouts_max)) as u32,
        seed: dice.word(),
        setup: random_setup(dice),
        keep: dice.pick(&[None, Some(true), Some(true), Some(false)]),
    };
    (0..dice.pick(&[1, 1, 2, 3])).map(|_| round(dice)).collect()
}

fn any_params(dice: &mut Dice) -> SearchParams {
    let strong = ValueBias { lambda: 0.9, alpha: dice.pick(&[0.0, 0.5, 1.0]), freed: 0.3 };
    let greedy = ScoreUtility {
        static_weight: 0.7,
        dynamic_weight: dice.pick(&[0.0, 1.5]),
        center_zero_weight: 0.5,
        center_scale: 0.3,
    };
    let exponent = dice.pick(&[0.5, 2.0]);
    let steep = UncertaintyWeights { coeff: 0.1, exponent, weight_max: 30.0 };
    SearchParams {
        graph: dice.chance(0.75),
        selection: selection(dice),
        exploration: dice.pick(&[ExplorationTerm::Log, ExplorationTerm::Printed]),
        fpu: first_play(dice),
        tie_break: dice.pick(&[TieBreak::LowestMove, TieBreak::LowestMove, TieBreak::Random]),
        epsilon: dice.pick(&[
            EpsilonSchedule::Off,
            EpsilonSchedule::Off,
            EpsilonSchedule::Off,
            EpsilonSchedule::Linear { epsilon: 0.05 },
            EpsilonSchedule::Root { epsilon: 0.3 },
            EpsilonSchedule::Fixed { visits: 5 },
            EpsilonSchedule::Random { visits: VisitRange { least: 2, most: 7 } },
        ]),
        equivalent_visits: dice.pick(&[0, 0, 0, 0, 1, 50]),
        backup: backup(dice),
        staleness: dice.pick(&[
            Staleness::Path,
            Staleness::Parents,
            Staleness::Ancestors,
            Staleness::Refresher { nodes_per_playout: 1 },
            Staleness::Refresher { nodes_per_playout: 7 },
        ]),
        catch_up: catch_up(dice),
        terminals: dice.pick(&[Terminals::Fixed, Terminals::Counted]),
        revisit: dice.pick(&[Revisit::Count, Revisit::Draw]),
        prove: dice.chance(0.4),
        value_bias: dice.pick(&[None, None, Some(ValueBias::default()), Some(strong)]),
        score_utility: dice.pick(&[None, None, Some(ScoreUtility::default()), Some(greedy)]),
        uncertainty: dice.pick(&[None, None, Some(UncertaintyWeights::default()), Some(steep)]),
        policy_optimism: 0.0,
        rollout: RolloutPolicy::Uniform,
        leaf_value: dice.pick(&[
            LeafValue::Network,
            LeafValue::Network,
            LeafValue::Rollout,
            LeafValue::Mix { rollout_share: 0.5 },
            LeafValue::Mix { rollout_share: 0.3 },
        ]),
        leaf_rollouts: dice.pick(&[1, 1, 1, 2, 5]),
        untried: dice.pick(&[Untried::Score, Untried::Score, Untried::Rollout]),
        grow: Grow::Leaf,
        edge_values: EdgeValues::Average,
        expansion: dice.pick(&[
            Expansion::FirstVisit,
            Expansion::FirstVisit,
            Expansion::Threshold(0),
            Expansion::Threshold(3),
            Expansion::Dynamic { start: 2, waiting_max: 1 },
            Expansion::Dynamic { start: 2, waiting_max: 0 },
        ]),
        leaves_max: 1,
        in_flight: dice.pick(&[InFlight::Visits, InFlight::Losses(3)]),
        collisions_max: 0,
        prior_exponent: dice.pick(&[1.0, 1.0, 0.67]),
        moments: dice.chance(0.3),
        check_states: dice.chance(0.5),
        nodes_max: u32::MAX,
    }
}

pub fn random_setup(dice: &mut Dice) -> RootSetup {
    let shape = dice.pick(&[
        NoiseShape::Plain { alpha: 0.3 },
        NoiseShape::Total { total: 10.83 },
        NoiseShape::Shaped { total: 10.83 },
    ]);
    RootSetup {
        noise: dice.chance(0.3).then_some(RootNoise { shape, share: 0.25 }),
        prior_temperature: dice.pick(&[1.0, 1.0, 1.5]),
        forced_playouts: dice.pick(&[0.0, 0.0, 2.0]),
        fpu: dice.chance(0.3).then(|| first_play(dice)),
    }
}

fn puct(dice: &mut Dice) -> Puct {
    let exploration = dice.pick(&[
        Exploration::constant(1.5),
        Exploration::constant(0.3),
        Exploration { c: 1.05, c_log: 0.28, c_base: 50.0 },
    ]);
    let variance = DynamicVariance { prior: 0.4, prior_weight: 2.0, scale: 0.85 };
    let variance = dice.chance(0.25).then_some(variance);
    Puct { exploration, variance, offset: dice.pick(&[0.01, 0.01, 0.0, 1.0]) }
}

fn selection(dice: &mut Dice) -> Selection {
    match dice.below(12) {
        0 => Selection::Ucb1,
        1 => Selection::Uct { c: 1.2 },
        2 => Selection::Rave(Rave { c: 0.5, schedule: RaveSchedule::Equivalence { k: 40.0 } }),
        3 => Selection::Rave(Rave { c: 0.4, schedule: RaveSchedule::Logarithm }),
        4 | 5 => Selection::Gumbel(Gumbel {
            considered: dice.pick(&[2, 4, 16]),
            scale: dice.pick(&[0.0, 1.0]),
            sigma: dice.pick(&[Sigma::BOARD_GAMES, Sigma::MCTX]),
            inner: if dice.chance(0.5) {
                GumbelInner::Improved
            } else {
                GumbelInner::Puct(puct(dice))
            },
        }),
        6 | 7 => Selection::Regularized(Regularized { c: 1.25, sample: dice.chance(0.5) }),
        _ => Selection::Puct(puct(dice)),
    }
}

fn first_play(dice: &mut Dice) -> FirstPlay {
    let whole = KataGoFirstPlay { mix_power: Some(2.0), reduction: 0.2, loss_share: 0.1 };
    dice.pick(&[
        FirstPlay::Absolute(0.0),
        FirstPlay::Absolute(-1.0),
        FirstPlay::Parent,
        FirstPlay::Reduction(0.2),
        FirstPlay::KataGo(whole),
    ])
}

fn backup(dice: &mut Dice) -> Backup {
    dice.pick(&[
        Backup::Idempotent,
        Backup::Idempotent,
        Backup::Incremental,
        Backup::Delta { tolerance: 0.01, clamp: true },
        Backup::Delta { tolerance: 0.0, clamp: false },
        Backup::Delta { tolerance: 0.1, clamp: false },
    ])
}

fn catch_up(dice: &mut Dice) -> CatchUp {
    dice.pick(&[
        CatchUp::Continue,
        CatchUp::Stop,
        CatchUp::Leak(0.3),
        CatchUp::Leak(1.0),
        CatchUp::Margin(5),
    ])
}
