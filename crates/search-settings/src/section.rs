//! `[search]`: every key of a search, and the types that the keys make together.

use dz_config_keys::{Limits, SameOr, above, real, section, whole};

use crate::fpu::FirstPlay;
use crate::graph::{BackupWord, CatchUp, Revisit, StalenessWord, Terminals};
use crate::gumbel::{Gumbel, GumbelInnerWord, Sigma};
use crate::heuristic::MoveHeuristic;
use crate::leaves::{EdgeValues, Expansion, Grow, InFlight, LeafValue, Untried};
use crate::move_choice::MoveChoiceWord;
use crate::puct::{DynamicVariance, Exploration, Puct};
use crate::rollout::RolloutMoves;
use crate::root::{NoiseShape, NoiseShapeWord, RootNoise};
use crate::score_utility::ScoreUtility;
use crate::selection::{
    EpsilonSchedule, ExplorationTerm, Rave, RaveScheduleWord, Regularized, Selection,
    SelectionWord, TieBreak,
};
use crate::target::TargetWord;
use crate::uncertainty::UncertaintyWeights;
use crate::value_bias::ValueBias;

section! {
    /// `[search]`: how the searches of self-play, gate and rating walk. N(a) are edge visits, s
    /// their sum, N a node's visits, Q values for the player to move in [-1, 1], P priors.
    pub struct SearchSection = "search" {
        /// Whether positions that are reached on several paths are one node (graph) or several
        /// (tree). Wu's "Monte-Carlo Graph Search from First Principles" is the source of the
        /// graph.
        [Results, Limits::Any] graph: bool = true;
        /// Formula that picks moves: `puct` Q + c P sqrt(s + o) / (1 + N(a)) (Silver 2017; o is
        /// `puct_offset`); `ucb1` Q + sqrt(2 ln s / N(a)) (Auer 2002); `uct` Q + c_uct sqrt(ln s /
        /// N(a)) (Kocsis 2006); `rave` UCT mixed with all-moves-as-first values (Gelly 2007);
        /// `gumbel` sequential halving at the root (Danihelka 2022); `regularized` the policy that
        /// maximises Q less a KL distance to P (Grill 2020).
        [Results, Limits::Any] selection: SelectionWord = SelectionWord::Puct;
        /// c of `puct` before growth, for values in [-1, 1] (AlphaZero: 1.25; KataGo: 1.05; lc0:
        /// 1.745).
        [Results, real(0.0, 100.0)] c_puct: f64 = 1.5;
        /// Growth of c with visits: c = c_puct + c_puct_log ln((s + c_puct_base) / c_puct_base); 0
        /// is none (AlphaZero: 1; KataGo: 0.28; lc0: 3.894).
        [Results, real(0.0, 100.0)] c_puct_log: f64 = 0.0;
        /// Visits after which that logarithm is ln 2 (AlphaZero: 19652; KataGo: 500; lc0: 38739).
        [Results, above(0.0, 1e9)] c_puct_base: f64 = 500.0;
        /// What `puct` adds to s under the root (KataGo: 0.01; AlphaGo Zero: 0; AlphaZero's
        /// pseudo-code: 1). Nothing is added with `edge_values = "split"`.
        [Results, real(0.0, 1000.0)] puct_offset: f64 = Puct::OFFSET;
        /// Share to which c follows how much the values below a node vary, c (1 + scale (stdev /
        /// prior - 1)); 0 is off (KataGo's cpuctUtilityStdevScale: 0.85).
        [Results, real(0.0, 1.0)] variance_scale: f64 = 0.0;
        /// Standard deviation that is assumed before evidence (KataGo: 0.40).
        [Results, above(0.0, 2.0)] variance_prior: f64 = 0.4;
        /// What that assumption weighs, in visits (KataGo: 2).
        [Results, real(0.0, 1e6)] variance_prior_weight: f64 = 2.0;
        /// c of `uct`; sqrt 8 is what the bound of `ucb1` asks for with values in [-1, 1]
        /// (OpenSpiel: 2).
        [Results, real(0.0, 100.0)] c_uct: f64 = 2.0;
        /// Form of the exploration term. `log` is the published one: sqrt(ln s / N(a)) in `uct` and
        /// `rave` (Kocsis 2006), sqrt(s + o) / (1 + N(a)) in `puct` (Silver 2017). `printed` has
        /// the misprints of some texts: sqrt(s / N(a)) and (s + o) / (1 + N(a)). The regret bound
        /// of UCB1 does not hold for it.
        [Results, Limits::Any] exploration: ExplorationTerm = ExplorationTerm::Log;
        /// c in both terms of `rave` (Gelly 2011 found 0 best for a strong program).
        [Results, real(0.0, 100.0)] rave_c: f64 = 0.5;
        /// Weight of all-moves-as-first values: `equivalence` sqrt(k / (3 s + k)) (Gelly 2007),
        /// `logarithm` 1 - ln(s) / 20 (Boon, computer-go list, 2 December 2008).
        [Results, Limits::Any] rave_schedule: RaveScheduleWord = RaveScheduleWord::Equivalence;
        /// k of `equivalence`: at s = k both values weigh the same (Gelly 2007: 1000).
        [Results, above(0.0, 1e9)] rave_k: f64 = 1000.0;
        /// Root moves that `gumbel` considers at most (Danihelka 2022: 16).
        [Results, whole(1, 65_535)] gumbel_considered: u32 = 16;
        /// Scale of the Gumbel noise in self-play and in `dagzero search`; 0 is none, as in
        /// matches.
        [Results, real(0.0, 100.0)] gumbel_scale: f64 = 1.0;
        /// c_visit of sigma(q) = (c_visit + max N(a)) c_scale q (Danihelka 2022: 50); also for the
        /// target `completed_q`.
        [Results, real(0.0, 1e6)] gumbel_c_visit: f64 = 50.0;
        /// c_scale of sigma (Danihelka 2022: 1 in Go and chess; mctx: 0.1 with rescaled values).
        [Results, above(0.0, 1000.0)] gumbel_c_scale: f64 = 1.0;
        /// Whether values are brought to [0, 1] over a node's moves before sigma (mctx: true).
        [Results, Limits::Any] gumbel_rescale: bool = false;
        /// How `gumbel` chooses below the root: `improved` follows the improved policy (Danihelka
        /// 2022, section 5), `puct` the formula of that name (MiniZero).
        [Results, Limits::Any] gumbel_inner: GumbelInnerWord = GumbelInnerWord::Improved;
        /// c of lambda = c sqrt(s) / (A + s) over A legal moves: of the selection, the target and
        /// the move choice `regularized` (Grill 2020 and MuZero: 1.25).
        [Results, above(0.0, 100.0)] regularized_c: f64 = 1.25;
        /// Whether `regularized` samples moves from its policy (Grill 2020), or takes the move
        /// whose share of visits is furthest below it.
        [Results, Limits::Any] regularized_sample: bool = true;
        /// Value of a move that was never tried: `absolute` takes `value` as it is, for the player
        /// to move; `parent` the node's value; `reduction` the node's value less `value` times the
        /// square root m of the tried moves' prior (KataGo's fpuReductionMax: 0.2; lc0: 0.33);
        /// `katago` mixes the node's value with its own evaluation by m to the power of `mix_power`
        /// (2), takes off `reduction` times the root of m (0.2), and blends in `loss_share` of a
        /// loss (0).
        [Results, Limits::Any] fpu: FirstPlay = FirstPlay::Reduction(0.2);
        /// The same at the root, or `same` (KataGo: no reduction in self-play, 0.1 in matches).
        [Results, Limits::Any] root_fpu: SameOr<FirstPlay> = SameOr::Same;
        /// Which of several moves with equal scores comes first: the `lowest`, or one at `random`,
        /// as in generation 0, where all priors are equal.
        [Results, Limits::Any] tie_break: TieBreak = TieBreak::LowestMove;
        /// For how many visits a choice holds at a node of N visits: `{ share = e }` ceil(e N), `{
        /// root = e }` ceil(e sqrt N), `{ visits = n }` n, `{ visits_random = [a, b] }` a number
        /// from a to b, sampled for each choice; `off` chooses at each visit (Lew, computer-go
        /// list, January 2007: e = 1/64, or 5 to 10 visits).
        [Results, Limits::Any] epsilon: EpsilonSchedule = EpsilonSchedule::Off;
        /// Visits that each move starts with at its heuristic value, or at the value of a move
        /// never tried; 0 is off (Gelly 2007: 50). All-moves-as-first counts of `rave` start with
        /// as many, at the same value.
        [Results, whole(0, 1_000_000)] equivalent_visits: u32 = 0;
        /// The heuristic value of a move for `equivalent_visits`: `none`, or `linear:FILE`, that of
        /// a function that `dagzero learn value` has learned, 2 sigma - 1 (Gelly and Silver 2007:
        /// `Q_RLGO`). For players with rollouts and for `dagzero search`; the searches of a run ask
        /// a network.
        [Results, Limits::Any] heuristic: MoveHeuristic = MoveHeuristic::None;
        /// Power that priors are raised to (AlphaGo: 0.67); 1 leaves them.
        [Results, above(0.0, 100.0)] prior_exponent: f64 = 1.0;
        /// How a playout changes its path: `idempotent` recomputes each value from its children
        /// (Wu), `incremental` averages the playout's value in (tree search), `delta` keeps values
        /// on edges and catches up (Czech, Korus and Kersting 2021, section 4).
        [Results, Limits::Any] backup: BackupWord = BackupWord::Idempotent;
        /// Distance between an edge's and its child's value that `delta` lets be (Czech 2021:
        /// 0.01).
        [Results, real(0.0, 2.0)] delta_tolerance: f64 = 0.01;
        /// Whether `delta` keeps what goes up within [-1, 1] (Czech 2021: true).
        [Results, Limits::Any] delta_clamp: bool = true;
        /// Which other nodes a playout brings up to date: none but its `path`; the `parents` of
        /// nodes on it; all `ancestors` of the leaf; or those that a background `refresher` comes
        /// by. `incremental` allows only `path`.
        [Results, Limits::Any] staleness: StalenessWord = StalenessWord::Path;
        /// Nodes that the refresher recomputes a playout.
        [Results, whole(1, 1_000_000)] refresher_nodes: u32 = 8;
        /// At a child with more visits than the edge to it: `continue` into it; `stop` there and
        /// count the edge (KataGo); `{ leak = p }` stop but with probability p; `{ margin = m }`
        /// stop if the child is ahead by more than m.
        [Results, Limits::Any] catch_up: CatchUp = CatchUp::Continue;
        /// What visits of a finished game count: `fixed` N stays 1; `counted` N grows, and each
        /// visit asks the rules for the outcome again and averages it, for outcomes that are
        /// samples.
        [Results, Limits::Any] terminals: Terminals = Terminals::Fixed;
        /// Value of a playout that comes back to a position on its own path: `count` takes the
        /// position's value (KataGo), `draw` takes 0 (lc0's twofold repetition).
        [Results, Limits::Any] revisit: Revisit = Revisit::Count;
        /// Whether outcomes that are certain are propagated and not searched again (Winands 2008).
        [Results, Limits::Any] prove: bool = false;
        /// Share lambda of the network's observed error that is taken off its value, U - lambda b;
        /// 0 is off. b is the mean error against deeper search after the same move with the same
        /// move before it and the same surroundings (KataGo, "Subtree value bias correction": 0.35;
        /// its self-play: 0.30). It needs `leaf_value = "network"` and `backup = "idempotent"`.
        [Results, real(0.0, 1.0)] value_bias_lambda: f64 = 0.0;
        /// Power alpha of a node's child visits that its error weighs, s^alpha (KataGo: 0.8).
        [Results, real(0.0, 1.0)] value_bias_alpha: f64 = 0.8;
        /// Share of a node's error that is forgotten when the node is freed between moves; the rest
        /// counts as long as other nodes have the same bucket (KataGo's subtreeValueBiasFreeProp:
        /// 0.8).
        [Results, real(0.0, 1.0)] value_bias_freed: f64 = 0.8;
        /// Value of the lead x in points, beside winning: this times 2 / pi atan(x / (2 sqrt(H
        /// W))); 0 is off (KataGo's staticScoreUtilityFactor: 0.1 in matches, 0 in self-play). It
        /// needs a game with points, a network with `heads.margin_weight` above 0, `selection =
        /// "puct"`, `leaf_value = "network"` and `backup = "idempotent"`.
        [Results, real(0.0, 10.0)] score_utility_static: f64 = 0.0;
        /// Value of the lead relative to x0, the lead that the root expects: this times 2 / pi
        /// atan((x - x0) / (r sqrt(H W))), where r is `score_center_scale`; 0 is off (KataGo's
        /// dynamicScoreUtilityFactor: 0.3 in matches, 0.4 in self-play). It has the requirements of
        /// `score_utility_static`.
        [Results, real(0.0, 10.0)] score_utility_dynamic: f64 = 0.0;
        /// Share by which x0 is moved from the root's lead towards 0 (KataGo's
        /// dynamicScoreCenterZeroWeight: 0.2 in matches, 0.25 in self-play).
        [Results, real(0.0, 1.0)] score_center_zero_weight: f64 = 0.2;
        /// r, the width of the dynamic part (KataGo's dynamicScoreCenterScale: 0.75 in matches, 0.5
        /// in self-play). Where x0 is moved towards 0, it stays within r sqrt(H W) of the root's
        /// lead.
        [Results, above(0.0, 100.0)] score_center_scale: f64 = 0.75;
        /// Positions weigh more in averages and selection the surer the network is of their values:
        /// w = c / (e^p + c / m), where this is c, e the error that the network expects, p
        /// `uncertainty_exponent` and m `uncertainty_weight_max`; 0 is off, and all weigh 1
        /// (KataGo's uncertaintyCoeff: 0.25). It needs a network with
        /// `heads.short_term_error_weight` above 0, `selection = "puct"`, `leaf_value = "network"`
        /// and `backup = "idempotent"`.
        [Results, real(0.0, 10.0)] uncertainty_coeff: f64 = 0.0;
        /// p, the power of the error (KataGo's uncertaintyExponent: 1).
        [Results, real(0.0, 4.0)] uncertainty_exponent: f64 = 1.0;
        /// m, the most that a position weighs, and what finished games weigh (KataGo's
        /// uncertaintyMaxWeight: 8).
        [Results, real(1.0, 1000.0)] uncertainty_weight_max: f64 = 8.0;
        /// Share of the optimistic policy in the priors of network searches: logits are
        /// (1 - o) p + o q, where this is o, p the policy's and q the optimistic policy's. Moves
        /// that may turn out better than expected are then tried earlier (KataGo's policyOptimism:
        /// 1 in play and 0.2 at roots, 0 in self-play; here roots take no other share). It needs a
        /// network with `heads.optimistic_policy_weight` above 0.
        [Results, real(0.0, 1.0)] policy_optimism: f64 = 0.0;
        /// Value of a leaf: the `network`'s value, a `rollout`'s outcome z, or `{ mix = l }` (1 -
        /// l) v + l z (AlphaGo: 0.5).
        [Results, Limits::Any] leaf_value: LeafValue = LeafValue::Network;
        /// How rollouts move, those of leaves and of generation 0: `uniform`, or `mogo` (in Go the
        /// policy of Gelly, Wang, Munos and Teytaud 2006, INRIA RR-6062: saves from atari, 3x3
        /// patterns, captures, no own eye filled; in Connect Four and Gomoku a winning move or one
        /// that blocks a win; in Hex one that saves a bridge, as in Arneson, Hayward and Henderson
        /// 2010; else uniform), or `policy:FILE`, a policy from `dagzero learn policy` (AlphaGo's
        /// p_pi), of which a run keeps a copy.
        [Results, Limits::Any] rollout: RolloutMoves = RolloutMoves::Uniform;
        /// Rollouts from each leaf (computer-go list, January 2007, "N playouts"): it is worth the
        /// mean of their outcomes, and each of them counts a visit on the path. A budget of
        /// playouts counts the leaf once.
        [Results, whole(1, 65_535)] leaf_rollouts: u32 = 1;
        /// The move at a node some of whose moves were never tried: `score` the one that the
        /// formula picks, `rollout` one by the policy of rollouts, tried or not (UCT-RAVE of MoGo:
        /// "by pi_MoGo while there is a move that was not tried").
        [Results, Limits::Any] untried: Untried = Untried::Score;
        /// What a rollout adds to the graph: `leaf` the position that it began at (Coulom 2006),
        /// `episode` all that it came through, as long as nodes_max allows; that needs `leaf_value
        /// = "rollout"`.
        [Results, Limits::Any] grow: Grow = Grow::Leaf;
        /// How an edge keeps network values v and rollout outcomes z: `average` adds (1 - l) v + l
        /// z at each visit; `split` (AlphaGo; Silver 2016, Methods) keeps counts and sums of both,
        /// Q = (1 - l) W_v / N_v + l W_r / N_r and u = c P sqrt(sum N_r) / (1 + N_r), asks for v at
        /// a leaf's first visit, and counts `{ losses = n }` of `in_flight` in N_r and W_r alone.
        /// It needs rollouts, `backup = "idempotent"` and `revisit = "count"`.
        [Results, Limits::Any] edge_values: EdgeValues = EdgeValues::Average;
        /// Visits of a leaf, each with a rollout, before it gets children (AlphaGo: 40); 0 expands
        /// at the first visit. `{ start = n, waiting_max = w }` begins with n and follows the
        /// evaluator: over each 16 playouts it goes up by one if more than w leaves waited for
        /// priors at once and no fewer were added than evaluated, and down by one if fewer waited
        /// and no more were added; w belongs below `leaves_max`. Above 0 it needs rollouts.
        [Results, Limits::Any] expansion: Expansion = Expansion::FirstVisit;
        /// Leaves of one search that may wait for evaluation at once (AlphaGo Zero: 8).
        [Results, whole(1, 65_536)] leaves_max: u32 = 1;
        /// How a waiting leaf steers other playouts away from its path: as `visits` that leave Q
        /// alone (lc0; WU-UCT, Liu 2020), or as `{ losses = n }` lost games (AlphaGo: 3).
        [Results, Limits::Any] in_flight: InFlight = InFlight::Visits;
        /// Walks that may stand before leaves that wait, each with what `in_flight` counts until
        /// that leaf is answered, so that the next walk goes around it (lc0 allows such collisions,
        /// too); 0 waits at the first. `dagzero engine` takes 32 if it is 0.
        [Results, whole(0, 65_536)] collisions_max: u32 = 0;
        /// Softmax temperature of the root's priors, before noise, in full searches of self-play
        /// (KataGo: 1.5 falling to 1.1).
        [Results, above(0.0, 100.0)] root_prior_temperature: f64 = 1.0;
        /// k of forced playouts, in full searches of self-play: a visited root move with fewer than
        /// sqrt(k P s) visits is taken at once (Wu 2019, section 3.2: 2); 0 is off.
        [Results, real(0.0, 1000.0)] forced_playouts: f64 = 0.0;
        /// Meaning of selfplay.dirichlet_alpha: the concentration of `each` move (AlphaZero), the
        /// `total` over the legal moves (KataGo: 10.83), or that total `shaped`, more of it for
        /// moves of small but not negligible prior (KataGo).
        [Results, Limits::Any] noise_shape: NoiseShapeWord = NoiseShapeWord::Each;
        /// What the policy learns of a full search: shares of `visits` (AlphaZero); `pruned`
        /// visits, without those that noise and forced playouts brought (Wu 2019, section 3.2); the
        /// `regularized` policy (Grill 2020); or `completed_q`, the improved policy (Danihelka
        /// 2022).
        [Results, Limits::Any] target: TargetWord = TargetWord::Visits;
        /// The move that is played: of most `visits`, best `value`, best all-moves-as-first value
        /// `amaf` (with the selection `rave`), best lower confidence bound `lcb`; sampled from the
        /// policy `regularized`; or best by score among the most visited, `gumbel`. In self-play
        /// the first four hold where the temperature has come down to 0.
        [Results, Limits::Any] move_choice: MoveChoiceWord = MoveChoiceWord::MostVisits;
        /// Width of `lcb` in standard deviations (KataGo: 5).
        [Results, real(0.0, 100.0)] lcb_deviations: f64 = 5.0;
        /// Least visits of a move that `lcb` may choose, as a share of the most (KataGo: 0.05 to
        /// 0.20).
        [Results, real(0.0, 1.0)] lcb_visits_share: f64 = 0.15;
        /// Nodes that one search may hold; it bounds memory and must exceed every section's
        /// playouts.
        [Results, whole(2, u32::MAX as u64)] nodes_max: u32 = 65_536;
        /// Whether a search continues with the part of the graph that is still reachable after the
        /// move.
        [Results, Limits::Any] reuse: bool = true;
        /// Whether every node keeps its position, so that two with one key end the program: for
        /// looking for faults, at a cost in memory.
        [Speed, Limits::Any] check_states: bool = false;
    }
}

impl SearchSection {
    /// The formula that picks moves, with its numbers.
    pub(crate) fn selection(&self) -> Selection {
        let exploration =
            Exploration { c: self.c_puct, c_log: self.c_puct_log, c_base: self.c_puct_base };
        let variance = (self.variance_scale > 0.0).then_some(DynamicVariance {
            prior: self.variance_prior,
            prior_weight: self.variance_prior_weight,
            scale: self.variance_scale,
        });
        let puct = Puct { exploration, variance, offset: self.puct_offset };
        let rave = Rave { c: self.rave_c, schedule: self.rave_schedule.with(self.rave_k) };
        let gumbel = Gumbel {
            considered: self.gumbel_considered,
            scale: self.gumbel_scale,
            sigma: self.sigma(),
            inner: self.gumbel_inner.with(puct),
        };
        let regularized = Regularized { c: self.regularized_c, sample: self.regularized_sample };
        self.selection.with(puct, self.c_uct, rave, gumbel, regularized)
    }

    /// How network values are corrected; none where nothing would be taken off.
    pub(crate) fn value_bias(&self) -> Option<ValueBias> {
        (self.value_bias_lambda > 0.0).then_some(ValueBias {
            lambda: self.value_bias_lambda,
            alpha: self.value_bias_alpha,
            freed: self.value_bias_freed,
        })
    }

    /// What points are worth; none where they are worth nothing.
    pub(crate) fn score_utility(&self) -> Option<ScoreUtility> {
        let counts = self.score_utility_static > 0.0 || self.score_utility_dynamic > 0.0;
        counts.then_some(ScoreUtility {
            static_weight: self.score_utility_static,
            dynamic_weight: self.score_utility_dynamic,
            center_zero_weight: self.score_center_zero_weight,
            center_scale: self.score_center_scale,
        })
    }

    /// How much positions weigh by the errors of their values; none where all weigh the same.
    pub(crate) fn uncertainty(&self) -> Option<UncertaintyWeights> {
        (self.uncertainty_coeff > 0.0).then_some(UncertaintyWeights {
            coeff: self.uncertainty_coeff,
            exponent: self.uncertainty_exponent,
            weight_max: self.uncertainty_weight_max,
        })
    }

    /// How values become logits.
    pub(crate) fn sigma(&self) -> Sigma {
        Sigma {
            c_visit: self.gumbel_c_visit,
            c_scale: self.gumbel_c_scale,
            rescale: self.gumbel_rescale,
        }
    }

    /// Dirichlet noise on a root's priors: `alpha` as `noise_shape` spreads it, with this share of
    /// the priors; none where the share is 0.
    pub fn root_noise(&self, alpha: f64, share: f64) -> Option<RootNoise> {
        let shape = match self.noise_shape {
            NoiseShapeWord::Each => NoiseShape::Plain { alpha },
            NoiseShapeWord::Total => NoiseShape::Total { total: alpha },
            NoiseShapeWord::Shaped => NoiseShape::Shaped { total: alpha },
        };
        (share > 0.0).then_some(RootNoise { shape, share })
    }
}
