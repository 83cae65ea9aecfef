//! The settings of a search and of what is made of it, from the keys of `[search]`.

use dz_config_keys::Fault;

use crate::move_choice::{MoveChoice, MoveChoiceWord};
use crate::params::{ParamsError, SearchParams};
use crate::root::RootSetup;
use crate::section::SearchSection;
use crate::selection::{Selection, SelectionWord};
use crate::target::PolicyTarget;

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
            root: section.root(),
            target: section.target(),
            choice: section.move_choice(),
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
    if section.move_choice == MoveChoiceWord::Amaf && section.selection != SelectionWord::Rave {
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
        fpu: section.fpu,
        tie_break: section.tie_break,
        epsilon: section.epsilon,
        equivalent_visits: section.equivalent_visits,
        backup: section.backup(),
        staleness: section.staleness(),
        catch_up: section.catch_up,
        terminals: section.terminals,
        revisit: section.revisit,
        prove: section.prove,
        leaf_value: section.leaf_value,
        expansion: section.expansion,
        leaves_max: section.leaves_max,
        collisions_max: section.collisions_max,
        in_flight: section.in_flight,
        prior_exponent: section.prior_exponent,
        moments: section.move_choice == MoveChoiceWord::Lcb,
        check_states: section.check_states,
        nodes_max: section.nodes_max,
    }
}
