//! From the run configuration to settings of searches and players.

use std::{sync::Arc, time::Duration};

use dz_config::{
    Anchor, AnchorKind, BackupWord, CatchUp as ConfigCatchUp, EngineAnchor, EngineProtocol,
    Epsilon, Expansion as ConfigExpansion, Fault, Fpu, GumbelInnerWord, InFlight as ConfigInFlight,
    LeafValue as ConfigLeafValue, MoveChoiceWord, NoiseShapeWord, RaveScheduleWord, RevisitWord,
    SameOr, SearchSection, SelectionWord, StalenessWord, TargetWord, TerminalsWord, TieBreakWord,
};
use dz_external_engines::{EngineError, EngineSpec, ProtocolKind, Stable};
use dz_search::formula::KataGoFirstPlay;
use dz_search::{
    Backup, CatchUp, DynamicVariance, EpsilonSchedule, Expansion, Exploration, FirstPlay, Gumbel,
    GumbelInner, InFlight, LeafValue, MoveChoice, NoiseShape, ParamsError, PolicyTarget, Puct,
    Rave, RaveSchedule, Regularized, Revisit, RootNoise, RootSetup, SearchParams, Selection, Sigma,
    Staleness, Terminals, TieBreak,
};

use crate::{PlayerKind, PlayerSetup, knowing_player, rollout_anchor};

/// A `[search]` section in the search's own types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// How a search walks.
    pub params: SearchParams,
    /// How its root differs, without noise.
    pub root: RootSetup,
    /// What the policy learns of it.
    pub target: PolicyTarget,
    /// The move that is played.
    pub choice: MoveChoice,
    /// Whether it goes on from move to move.
    pub reuse: bool,
}

impl SearchSettings {
    /// The searches of self-play and of `dagzero search`.
    pub fn of(section: &SearchSection) -> Self {
        Self {
            params: params(section),
            root: RootSetup {
                noise: None,
                prior_temperature: section.root_prior_temperature,
                forced_playouts: section.forced_playouts,
                fpu: match section.root_fpu {
                    SameOr::Same => None,
                    SameOr::Own(fpu) => Some(first_play(fpu)),
                },
            },
            target: match section.target {
                TargetWord::Visits => PolicyTarget::Visits,
                TargetWord::Pruned => PolicyTarget::PrunedVisits,
                TargetWord::Regularized => PolicyTarget::Regularized { c: section.regularized_c },
                TargetWord::CompletedQ => PolicyTarget::CompletedQ(sigma(section)),
            },
            choice: choice(section),
            reuse: section.reuse,
        }
    }

    /// The searches of matches: the same without what is there to explore, that is forced playouts,
    /// a temperature of the root's priors, and Gumbel noise.
    pub fn for_matches(section: &SearchSection) -> Self {
        let mut settings = Self::of(section);
        settings.root = settings.quiet_root();
        if let Selection::Gumbel(gumbel) = &mut settings.params.selection {
            gumbel.scale = 0.0;
        }
        settings
    }

    /// The root of a search that explores no more than elsewhere.
    pub fn quiet_root(&self) -> RootSetup {
        RootSetup { fpu: self.root.fpu, ..RootSetup::default() }
    }
}

/// Dirichlet noise on a root's priors; none where its share is 0.
pub fn root_noise(section: &SearchSection, alpha: f64, share: f64) -> Option<RootNoise> {
    let shape = match section.noise_shape {
        NoiseShapeWord::Each => NoiseShape::Plain { alpha },
        NoiseShapeWord::Total => NoiseShape::Total { total: alpha },
        NoiseShapeWord::Shaped => NoiseShape::Shaped { total: alpha },
    };
    (share > 0.0).then_some(RootNoise { shape, share })
}

/// What contradicts itself in a `[search]` section, for [`dz_config::RunConfig::load`].
pub fn search_faults(section: &SearchSection) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Err(error) = params(section).validate() {
        let text = error.to_string();
        let (key, problem) = match &error {
            // These name the key themselves.
            ParamsError::Range { key, allowed } => {
                (format!("search.{key}"), format!("must be {allowed}"))
            }
            _ => text.split_once(' ').map_or((text.clone(), text.clone()), |(key, rest)| {
                (key.to_owned(), rest.to_owned())
            }),
        };
        faults.push(Fault::new(key, problem));
    }
    if section.move_choice == MoveChoiceWord::Amaf && section.selection != SelectionWord::Rave {
        let problem = "all-moves-as-first values are kept by selection = \"rave\" alone";
        let fault = Fault::new("search.move_choice", problem).value("\"amaf\"");
        faults.push(fault.allowed("another choice, or search.selection = \"rave\""));
    }
    faults
}

/// Programs of anchors that cannot be started here, for [`dz_config::RunConfig::load`]: a run would
/// only find out when it has played its first cycle.
pub fn anchor_faults(anchors: &[Anchor]) -> Vec<Fault> {
    let fault = |(at, anchor): (usize, &Anchor)| {
        let AnchorKind::Engine(engine) = &anchor.kind else { return None };
        let problem = match engine_spec(engine) {
            Ok(spec) if spec.is_found() => return None,
            Ok(spec) => format!("there is no program {:?} here", spec.command[0]),
            Err(error) => error.to_string(),
        };
        let allowed = "the command line of a program that is installed";
        let fault = Fault::new(format!("rating.anchors[{at}]"), problem);
        Some(fault.value(format_args!("{:?}", engine.command)).allowed(allowed))
    };
    anchors.iter().enumerate().filter_map(fault).collect()
}

/// A fixed opponent; `source` is the index of what its moves come from, where they come from one:
/// rollouts, or a solver's answers.
///
/// # Errors
/// [`EngineError::Command`] for a command line of another program that cannot be read.
pub fn anchor_player(anchor: &Anchor, source: usize) -> Result<PlayerSetup, EngineError> {
    let kind = match &anchor.kind {
        AnchorKind::Random => PlayerKind::Random,
        AnchorKind::Rollout { playouts } => {
            return Ok(rollout_anchor(&anchor.name, *playouts, source));
        }
        AnchorKind::Solver { .. } => return Ok(knowing_player(&anchor.name, source)),
        AnchorKind::Engine(engine) => {
            PlayerKind::External(Arc::new(Stable::new(engine_spec(engine)?)))
        }
    };
    Ok(PlayerSetup { name: anchor.name.clone(), kind })
}

/// How the program of an anchor is started and asked.
fn engine_spec(engine: &EngineAnchor) -> Result<EngineSpec, EngineError> {
    let protocol = match engine.protocol {
        EngineProtocol::Gtp => ProtocolKind::Gtp,
        EngineProtocol::Uci => ProtocolKind::Uci,
    };
    let spec = EngineSpec::new(protocol, &engine.command, engine.setup.clone())?;
    Ok(EngineSpec { move_time: Duration::from_secs_f64(engine.seconds), ..spec })
}

fn params(section: &SearchSection) -> SearchParams {
    SearchParams {
        graph: section.graph,
        selection: selection(section),
        fpu: first_play(section.fpu),
        tie_break: match section.tie_break {
            TieBreakWord::Lowest => TieBreak::LowestMove,
            TieBreakWord::Random => TieBreak::Random,
        },
        epsilon: match section.epsilon {
            Epsilon::Off => None,
            Epsilon::Share(epsilon) => Some(EpsilonSchedule::Linear { epsilon }),
            Epsilon::Root(epsilon) => Some(EpsilonSchedule::Root { epsilon }),
        },
        equivalent_visits: section.equivalent_visits,
        backup: match section.backup {
            BackupWord::Idempotent => Backup::Idempotent,
            BackupWord::Incremental => Backup::Incremental,
            BackupWord::Delta => {
                Backup::Delta { tolerance: section.delta_tolerance, clamp: section.delta_clamp }
            }
        },
        staleness: match section.staleness {
            StalenessWord::Path => Staleness::Path,
            StalenessWord::Parents => Staleness::Parents,
            StalenessWord::Ancestors => Staleness::Ancestors,
            StalenessWord::Refresher => {
                Staleness::Refresher { nodes_per_playout: section.refresher_nodes }
            }
        },
        catch_up: match section.catch_up {
            ConfigCatchUp::Continue => CatchUp::Continue,
            ConfigCatchUp::Stop => CatchUp::Stop,
            ConfigCatchUp::Leak(p) => CatchUp::Leak(p),
            ConfigCatchUp::Margin(margin) => CatchUp::Margin(margin),
        },
        terminals: match section.terminals {
            TerminalsWord::Fixed => Terminals::Fixed,
            TerminalsWord::Counted => Terminals::Counted,
        },
        revisit: match section.revisit {
            RevisitWord::Count => Revisit::Count,
            RevisitWord::Draw => Revisit::Draw,
        },
        prove: section.prove,
        leaf_value: match section.leaf_value {
            ConfigLeafValue::Network => LeafValue::Network,
            ConfigLeafValue::Rollout => LeafValue::Rollout,
            ConfigLeafValue::Mix(rollout_share) => LeafValue::Mix { rollout_share },
        },
        expansion: match section.expansion {
            ConfigExpansion::After(0) => Expansion::FirstVisit,
            ConfigExpansion::After(visits) => Expansion::Threshold(visits),
            ConfigExpansion::Dynamic { start, waiting_max } => {
                Expansion::Dynamic { start, waiting_max }
            }
        },
        leaves_max: section.leaves_max,
        collisions_max: section.collisions_max,
        in_flight: match section.in_flight {
            ConfigInFlight::Visits => InFlight::Visits,
            ConfigInFlight::Losses(losses) => InFlight::Losses(losses),
        },
        prior_exponent: section.prior_exponent,
        moments: section.move_choice == MoveChoiceWord::Lcb,
        check_states: section.check_states,
        nodes_max: section.nodes_max,
    }
}

fn selection(section: &SearchSection) -> Selection {
    let puct = Puct {
        exploration: Exploration {
            c: section.c_puct,
            c_log: section.c_puct_log,
            c_base: section.c_puct_base,
        },
        variance: (section.variance_scale > 0.0).then_some(DynamicVariance {
            prior: section.variance_prior,
            prior_weight: section.variance_prior_weight,
            scale: section.variance_scale,
        }),
    };
    match section.selection {
        SelectionWord::Puct => Selection::Puct(puct),
        SelectionWord::Ucb1 => Selection::Ucb1,
        SelectionWord::Uct => Selection::Uct { c: section.c_uct },
        SelectionWord::Rave => Selection::Rave(Rave {
            c: section.rave_c,
            schedule: match section.rave_schedule {
                RaveScheduleWord::Equivalence => RaveSchedule::Equivalence { k: section.rave_k },
                RaveScheduleWord::Logarithm => RaveSchedule::Logarithm,
            },
        }),
        SelectionWord::Gumbel => Selection::Gumbel(Gumbel {
            considered: section.gumbel_considered,
            scale: section.gumbel_scale,
            sigma: sigma(section),
            inner: match section.gumbel_inner {
                GumbelInnerWord::Improved => GumbelInner::Improved,
                GumbelInnerWord::Puct => GumbelInner::Puct(puct),
            },
        }),
        SelectionWord::Regularized => Selection::Regularized(Regularized {
            c: section.regularized_c,
            sample: section.regularized_sample,
        }),
    }
}

fn first_play(fpu: Fpu) -> FirstPlay {
    match fpu {
        Fpu::Absolute(value) => FirstPlay::Absolute(value),
        Fpu::Parent => FirstPlay::Parent,
        Fpu::Reduction(reduction) => FirstPlay::Reduction(reduction),
        Fpu::KataGo { mix_power, reduction, loss_share } => {
            FirstPlay::KataGo(KataGoFirstPlay { mix_power, reduction, loss_share })
        }
    }
}

fn sigma(section: &SearchSection) -> Sigma {
    Sigma {
        c_visit: section.gumbel_c_visit,
        c_scale: section.gumbel_c_scale,
        rescale: section.gumbel_rescale,
    }
}

fn choice(section: &SearchSection) -> MoveChoice {
    match section.move_choice {
        MoveChoiceWord::Visits => MoveChoice::MostVisits,
        MoveChoiceWord::Value => MoveChoice::BestValue,
        MoveChoiceWord::Amaf => MoveChoice::BestAmaf,
        MoveChoiceWord::Lcb => MoveChoice::LowerBound {
            deviations: section.lcb_deviations,
            visits_share: section.lcb_visits_share,
        },
        MoveChoiceWord::Regularized => MoveChoice::Regularized { c: section.regularized_c },
        MoveChoiceWord::Gumbel => MoveChoice::Gumbel(sigma(section)),
    }
}
