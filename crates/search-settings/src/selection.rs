//! The formulas that pick moves. N(a) are edge visits, s their sum, N the node's visits, Q the
//! mover's value, P priors.

use dz_config_keys::{
    Fault, Field, Limits, Table, Value, choice, choice_or_number, out_of_range, real,
    schema::array, whole, wrong_type,
};
use serde::{Deserialize, Serialize};

use crate::choice::choice_with_data;
use crate::gumbel::{Gumbel, GumbelInner};
use crate::puct::Puct;

choice_with_data! {
    /// The formula that picks moves inside the graph.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Selection, SelectionWord {
        /// Q + c P sqrt(s + offset) / (1 + N(a)).
        Puct(puct: Puct) = "puct",
        /// Q + sqrt(2 ln s / N(a)), unvisited moves first (Auer, Cesa-Bianchi and Fischer 2002).
        /// Their bound is for values in [0, 1]; for values in [-1, 1] the same exploration is UCT
        /// with c = sqrt 8.
        Ucb1 = "ucb1",
        /// Q + c sqrt(ln s / N(a)), unvisited moves first (Kocsis and Szepesvari 2006).
        Uct {
            /// Weight of the exploration term, above 0.
            c: f64,
        } = "uct",
        /// UCT mixed with all-moves-as-first values.
        Rave(rave: Rave) = "rave",
        /// Sequential halving over Gumbel scores at the root (Danihelka et al. 2022).
        Gumbel(gumbel: Gumbel) = "gumbel",
        /// Moves sampled from the exact solution of the regularised policy problem (Grill et al.
        /// 2020).
        Regularized(regularized: Regularized) = "regularized",
    }
}

impl Selection {
    /// True if the root's visits follow a plan of sequential halving.
    pub fn halves(&self) -> bool {
        matches!(self, Self::Gumbel(_))
    }

    /// The same with another offset under the root of PUCT, where it is PUCT.
    #[must_use]
    pub fn with_puct_offset(self, offset: f64) -> Self {
        match self {
            Self::Puct(puct) => Self::Puct(Puct { offset, ..puct }),
            Self::Gumbel(Gumbel { inner: GumbelInner::Puct(puct), considered, scale, sigma }) => {
                let inner = GumbelInner::Puct(Puct { offset, ..puct });
                Self::Gumbel(Gumbel { considered, scale, sigma, inner })
            }
            other => other,
        }
    }

    /// The first number outside its range: its key, and what it may be.
    pub(crate) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let check = |fine: bool, key, allowed| (!fine).then_some((key, allowed));
        match self {
            Self::Puct(puct) => puct.fault(),
            Self::Uct { c } => check(*c >= 0.0, "c_uct", "at least 0"),
            Self::Rave(Rave { schedule: RaveSchedule::Equivalence { k }, .. }) => {
                check(*k > 0.0, "rave_k", "above 0")
            }
            Self::Ucb1 | Self::Rave(_) => None,
            Self::Gumbel(gumbel) => check(gumbel.considered > 0, "gumbel_considered", "at least 1")
                .or(match &gumbel.inner {
                    GumbelInner::Improved => None,
                    GumbelInner::Puct(puct) => puct.fault(),
                }),
            Self::Regularized(regularized) => check(regularized.c > 0.0, "c_puct", "above 0"),
        }
    }
}

/// UCT and its like over all-moves-as-first counts, mixed by a weight that falls with visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rave {
    /// Exploration in both terms, at least 0.
    pub c: f64,
    /// How the weight falls, which also fixes the form: `formula::uct_rave` or
    /// `formula::boon_rave`.
    pub schedule: RaveSchedule,
}

choice_with_data! {
    /// How RAVE's weight falls as a node's visits grow.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RaveSchedule, RaveScheduleWord {
        /// sqrt(k / (3 s + k)) (Gelly and Silver 2007, "Rapid action value estimation"; 2011): 1
        /// without visits, 1/2 at s = k. They used k = 1000 and counted s at the node; the 2011
        /// text also counts the move's n.
        Equivalence {
            /// Visits at which both estimates weigh the same, above 0.
            k: f64,
        } = "equivalence",
        /// 1 - ln(s) / 20, held in [0, 1] (M. Boon, computer-go list, 2 December 2008); 0 from e^20
        /// visits.
        Logarithm = "logarithm",
    }
}

/// The policy y that maximises q y - lambda KL(P || y), lambda = c sqrt(s) / (A + s), exactly
/// (Grill et al. 2020, "SEARCH").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regularized {
    /// c, above 0.
    pub c: f64,
    /// Samples moves from the policy, by the search's seed; else takes the move whose share of
    /// visits is furthest below it.
    pub sample: bool,
}

choice! {
    /// Form of the exploration term in UCT, RAVE and PUCT. s is the node's visits.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ExplorationTerm {
        /// sqrt(ln s / N(a)) (Kocsis and Szepesvari 2006); in PUCT sqrt(s) / (1 + N(a)).
        #[default]
        Log = "log",
        /// s in place of ln s, and in PUCT in place of sqrt(s): misprints of some texts. The
        /// regret bound of UCB1 does not hold for it.
        Printed = "printed",
    }
}

impl ExplorationTerm {
    /// Returns true for the default, which files of matches leave out.
    pub(crate) fn is_log(&self) -> bool {
        *self == Self::Log
    }
}

choice! {
    /// Order of moves with equal priors.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TieBreak {
        /// The lowest move first.
        LowestMove = "lowest",
        /// A random order for each node, by the search's seed: for searches without priors, which
        /// would else lean to the first columns.
        Random = "random",
    }
}

/// The limits of how many visits a choice may hold for.
const HELD: Limits = whole(1, 1_000_000);

/// A range of visits, both ends included. Configurations write it as an array of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitRange {
    /// At least 1.
    pub least: u32,
    /// At least `least`.
    pub most: u32,
}

impl Field for VisitRange {
    fn allowed(limits: &Limits) -> String {
        format!("[a, b], a to b at random: {limits}, a at most b")
    }

    fn stand_in(_: &Limits) -> Self {
        Self { least: 1, most: 1 }
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let allowed = Self::allowed(limits);
        let Value::Array(pair) = value else {
            faults.push(wrong_type(key, value, &allowed));
            return None;
        };
        let [least, most] = pair.as_slice() else {
            faults.push(out_of_range(key, value, &allowed));
            return None;
        };
        let least = u32::read(&format!("{key}[0]"), least, limits, faults);
        let most = u32::read(&format!("{key}[1]"), most, limits, faults);
        let range = Self { least: least?, most: most? };
        if range.least > range.most {
            faults.push(out_of_range(key, value, &allowed));
            return None;
        }
        Some(range)
    }

    fn write(&self) -> Value {
        Value::Array([self.least, self.most].iter().map(Field::write).collect())
    }

    fn schema(limits: &Limits) -> Table {
        array(u32::schema(limits))
    }
}

choice_or_number! {
    /// How often a node keeps to its chosen move before it chooses again: Lew's epsilon trick
    /// (computer-go list, 14 January 2007). He guessed epsilon = 1/64.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum EpsilonSchedule {
        words {
            /// Once: it chooses at each visit. Files of matches hold it as null.
            #[serde(untagged)]
            Off = "off",
        }
        numbers {
            /// ceil(epsilon N).
            Linear {
                /// Epsilon, at least 0.
                epsilon: f64
            } = "share" within real(0.0, 1.0),
            /// ceil(epsilon sqrt N).
            Root {
                /// Epsilon, at least 0.
                epsilon: f64
            } = "root" within real(0.0, 1_000.0),
            /// A fixed number of visits (Lew's mail: 5 to 10).
            Fixed {
                /// Visits, at least 1.
                visits: u32
            } = "visits" within HELD,
            /// A number sampled for each choice.
            Random {
                /// Between these, both included.
                visits: VisitRange
            } = "visits_random" within HELD,
        }
    }
}
