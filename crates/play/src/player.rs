//! Who plays a match.

use std::sync::Arc;

use dz_config::BootstrapEvaluator;
use dz_external_engines::EnginePool;
use dz_search::{Budget, MoveChoice, RootSetup, SearchParams, TieBreak};
use dz_search_settings::{
    EdgeValues, Expansion, Grow, LeafValue, MoveHeuristic, RolloutMoves, SearchSection,
    SearchSettings, SelectionWord,
};

/// A player: its name and everything that fixes how it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchPlayer {
    /// The name in records and ratings.
    pub name: String,
    /// How it finds its moves.
    pub kind: PlayerKind,
}

/// How a player finds its moves.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a run has a handful of players")]
pub enum PlayerKind {
    /// A uniformly random legal move.
    Random,
    /// A search.
    Search(SearchPlayer),
    /// Another program.
    Engine(Arc<EnginePool>),
}

/// A player that searches.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPlayer {
    /// What evaluates its leaves.
    pub evaluator: PlayerEvaluator,
    /// Settings of the search.
    pub params: SearchParams,
    /// How rollouts move, with the file of what was learned.
    pub rollouts: RolloutMoves,
    /// The source of values for moves before they are tried, in searches with rollouts.
    pub heuristic: MoveHeuristic,
    /// How the root differs from other nodes.
    pub root: RootSetup,
    /// How the move is chosen from the finished search.
    pub choice: MoveChoice,
    /// Whether the tree is kept from move to move.
    pub reuse: bool,
    /// Budget of a move.
    pub budget: Budget,
}

/// What evaluates the leaves of a player's search.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerEvaluator {
    /// A network.
    Network {
        /// Hash of the file or of its content. Equal hashes mean equal networks.
        hash: String,
        /// The network file.
        bytes: Arc<[u8]>,
    },
    /// Equal priors and an even value.
    Uniform,
    /// One game of random moves a leaf.
    Rollout,
    /// So many games of random moves, and all-moves-as-first values.
    Amaf(u32),
    /// Every line of so many plies.
    Lookahead(u32),
    /// The game's exact solver.
    Solver,
    /// An evaluator of the caller, by its index in [`crate::PlayerPool::sources`].
    Added(usize),
}

impl From<BootstrapEvaluator> for PlayerEvaluator {
    fn from(evaluator: BootstrapEvaluator) -> Self {
        match evaluator {
            BootstrapEvaluator::Uniform => Self::Uniform,
            BootstrapEvaluator::Rollout => Self::Rollout,
        }
    }
}

impl MatchPlayer {
    /// A player that searches.
    pub fn search(name: impl Into<String>, search: SearchPlayer) -> Self {
        Self { name: name.into(), kind: PlayerKind::Search(search) }
    }

    /// Whether it is another program, which needs a processor of its own.
    pub fn is_engine(&self) -> bool {
        matches!(self.kind, PlayerKind::Engine(_))
    }
}

impl SearchPlayer {
    /// The search of a run's matches with `playouts` a move.
    pub fn of_run(evaluator: PlayerEvaluator, section: &SearchSection, playouts: u32) -> Self {
        let mut settings = SearchSettings::for_matches(section);
        if !matches!(evaluator, PlayerEvaluator::Network { .. }) {
            // Equal priors give no reason to prefer the lowest move.
            settings.params.tie_break = TieBreak::Random;
            // No network predicts by how many points a game will be won, or how sure a value is.
            settings.params.score_utility = None;
            settings.params.uncertainty = None;
            settings.params.policy_optimism = 0.0;
        }
        Self {
            evaluator,
            params: settings.params,
            rollouts: section.rollout.clone(),
            heuristic: section.heuristic.clone(),
            root: settings.root,
            choice: settings.choice,
            reuse: settings.reuse,
            budget: Budget::Playouts(playouts),
        }
    }
}

/// The `[search]` section of the rollout anchor: tree UCT with c = sqrt 2 on values in [-1, 1], one
/// rollout a leaf, no reuse, most visits (Kocsis and Szepesvari 2006).
pub fn rollout_section() -> SearchSection {
    SearchSection {
        graph: false,
        selection: SelectionWord::Uct,
        c_uct: std::f64::consts::SQRT_2,
        tie_break: TieBreak::Random,
        ..SearchSection::plain()
    }
}

/// The rollout anchor: a search by [`rollout_section`] with so many playouts.
pub fn rollout_anchor(name: &str, playouts: u32) -> MatchPlayer {
    rollout_player(name, &rollout_section(), playouts)
}

/// The settings of a search whose leaves are worth the outcomes of rollouts.
///
/// Where the search has a use for the rollouts' moves, or plays several from a leaf, it asks for
/// them itself: its `leaf_value` is "rollout" then. Else the evaluator plays one for each leaf.
pub fn with_rollouts(section: SearchSection) -> SearchSection {
    let asks = section.selection == SelectionWord::Rave
        || section.leaf_rollouts > 1
        || section.grow == Grow::Episode
        || section.expansion != Expansion::FirstVisit
        || section.edge_values == EdgeValues::Split;
    let leaf_value = match section.leaf_value {
        LeafValue::Network if asks => LeafValue::Rollout,
        other => other,
    };
    SearchSection { leaf_value, ..section }
}

/// A search by `section` whose leaves are worth the outcomes of rollouts; see [`with_rollouts`].
pub fn rollout_player(name: &str, section: &SearchSection, playouts: u32) -> MatchPlayer {
    let section = with_rollouts(section.clone());
    MatchPlayer::search(name, SearchPlayer::of_run(PlayerEvaluator::Rollout, &section, playouts))
}

/// A player that evaluates the root once and plays one of the moves with the largest prior, each
/// equally likely. [`PlayerEvaluator::Solver`], [`PlayerEvaluator::Lookahead`] and
/// [`PlayerEvaluator::Amaf`] give such priors.
pub fn one_ply_player(name: &str, evaluator: PlayerEvaluator) -> MatchPlayer {
    let search = SearchPlayer {
        evaluator,
        params: SearchParams::default(),
        rollouts: RolloutMoves::Uniform,
        heuristic: MoveHeuristic::None,
        root: RootSetup::default(),
        // Without visits the move is sampled from the priors.
        choice: MoveChoice::Temperature(1.0),
        reuse: false,
        budget: Budget::Playouts(1),
    };
    MatchPlayer::search(name, search)
}

#[cfg(test)]
mod tests {
    use dz_search::Selection;

    use super::*;

    #[test]
    fn the_rollout_anchor_is_plain_uct() {
        let params = SearchParams {
            graph: false,
            selection: Selection::Uct { c: std::f64::consts::SQRT_2 },
            tie_break: TieBreak::Random,
            ..SearchParams::default()
        };
        let search = SearchPlayer {
            evaluator: PlayerEvaluator::Rollout,
            params,
            rollouts: RolloutMoves::Uniform,
            heuristic: MoveHeuristic::None,
            root: RootSetup::default(),
            choice: MoveChoice::MostVisits,
            reuse: false,
            budget: Budget::Playouts(30),
        };
        assert_eq!(rollout_anchor("anchor", 30), MatchPlayer::search("anchor", search));
    }
}
