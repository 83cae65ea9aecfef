//! The settings of a search and of its results' use, from the keys of `[search]`.

use dz_config_keys::{Fault, Field, SameOr};

use crate::heuristic::MoveHeuristic;
use crate::move_choice::{MoveChoice, MoveChoiceWord};
use crate::params::{ParamsError, SearchParams};
use crate::puct::Puct;
use crate::root::RootSetup;
use crate::section::SearchSection;
use crate::selection::{Selection, SelectionWord};
use crate::target::PolicyTarget;

/// What the keys of `[search]` make together.
///
/// ```
/// use dz_search_settings::{SearchSection, SearchSettings, Selection};
///
/// let overrides = ["search.selection=uct".to_owned(), "search.c_uct=1.4".to_owned()];
/// let (section, seed) = SearchSection::plain().with_overrides(&overrides).unwrap();
/// let settings = SearchSettings::of(&section);
/// assert_eq!(settings.params.selection, Selection::Uct { c: 1.4 });
/// assert_eq!(seed, 0);
/// ```
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
                    SameOr::Own(fpu) => Some(fpu),
                },
            },
            target: section.target.with(section.regularized_c, section.sigma()),
            choice: section.move_choice.with(
                section.lcb_deviations,
                section.lcb_visits_share,
                section.regularized_c,
                section.sigma(),
            ),
            reuse: section.reuse,
        }
    }

    /// The searches of matches: the same without exploration for training, that is without forced
    /// playouts, a temperature of the root's priors, and Gumbel noise.
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

/// What contradicts itself in a `[search]` section, for `RunConfig::load`.
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
    if section.heuristic != MoveHeuristic::None && section.equivalent_visits == 0 {
        let problem = "heuristic values count as search.equivalent_visits, which is 0";
        let fault = Fault::new("search.heuristic", problem).value(section.heuristic.write());
        faults.push(fault.allowed("\"none\", or search.equivalent_visits above 0, such as 50"));
    }
    if section.move_choice == MoveChoiceWord::BestAmaf && section.selection != SelectionWord::Rave {
        let problem = "all-moves-as-first values are kept by selection = \"rave\" alone";
        let fault = Fault::new("search.move_choice", problem).value("\"amaf\"");
        faults.push(fault.allowed("another choice, or search.selection = \"rave\""));
    }
    faults
}

fn params(section: &SearchSection) -> SearchParams {
    SearchParams {
        graph: section.graph,
        selection: section.selection(),
        exploration: section.exploration,
        fpu: section.fpu,
        tie_break: section.tie_break,
        epsilon: section.epsilon,
        equivalent_visits: section.equivalent_visits,
        backup: section.backup.with(section.delta_tolerance, section.delta_clamp),
        staleness: section.staleness.with(section.refresher_nodes),
        catch_up: section.catch_up,
        terminals: section.terminals,
        revisit: section.revisit,
        prove: section.prove,
        value_bias: section.value_bias(),
        score_utility: section.score_utility(),
        uncertainty: section.uncertainty(),
        policy_optimism: section.policy_optimism,
        leaf_value: section.leaf_value,
        rollout: section.rollout.policy(),
        leaf_rollouts: section.leaf_rollouts,
        untried: section.untried,
        grow: section.grow,
        edge_values: section.edge_values,
        expansion: section.expansion,
        leaves_max: section.leaves_max,
        collisions_max: section.collisions_max,
        in_flight: section.in_flight,
        prior_exponent: section.prior_exponent,
        moments: section.move_choice == MoveChoiceWord::LowerBound,
        check_states: section.check_states,
        nodes_max: section.nodes_max,
    }
}

impl Default for SearchParams {
    /// The plain reference: graph search by PUCT with c = 1.5 and first-play value 0, path-only
    /// idempotent updates, playouts that always continue, and nothing else.
    fn default() -> Self {
        let selection = Selection::Puct(Puct::default());
        Self { selection, ..params(&SearchSection::plain()) }
    }
}
