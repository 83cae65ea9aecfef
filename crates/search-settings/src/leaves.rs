//! Leaves: their value, when they get children, and how many wait at once.

use dz_config_keys::{
    Fault, Field, Limits, Table, TableReader, Value, choice, choice_or_number, real,
    schema::{object, one_of},
    whole, wrong_type,
};
use serde::{Deserialize, Serialize};

choice_or_number! {
    /// The value of a leaf.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum LeafValue {
        words {
            /// The network's value.
            Network = "network",
            /// The outcome of a rollout; the network gives only priors.
            Rollout = "rollout",
        }
        numbers {
            /// (1 - share) v + share z of the network's value v and the rollout's outcome z
            /// (AlphaGo: lambda = 0.5; Silver et al. 2016).
            Mix {
                /// The share, in [0, 1].
                rollout_share: f64
            } = "mix" within real(0.0, 1.0),
        }
    }
}

choice! {
    /// How an edge keeps network values and rollout outcomes.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum EdgeValues {
        /// As one average: each visit of a leaf adds (1 - lambda) v + lambda z.
        #[default]
        Average = "average",
        /// As two (AlphaGo; Silver et al. 2016, Methods, "Search algorithm"): each edge has counts
        /// `N_v` and `N_r` and sums `W_v` and `W_r`, and `Q = (1 - lambda) W_v / N_v + lambda W_r /
        /// N_r`, where lambda is the rollout's share in `leaf_value`. A position's network value is
        /// requested at its first visit and counts once, even if many rollouts start there.
        Split = "split",
    }
}

choice! {
    /// Which move a walk takes at a node some of whose moves were never tried.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Untried {
        /// The one that the formula picks.
        #[default]
        Score = "score",
        /// One by the policy of rollouts, be it tried or not (UCT-RAVE of MoGo: line 7).
        Rollout = "rollout",
    }
}

choice! {
    /// What a rollout adds to the graph.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Grow {
        /// The leaf that it began at.
        #[default]
        Leaf = "leaf",
        /// Every position that it came through, as texts have it that update the whole episode.
        Episode = "episode",
    }
}

impl Untried {
    /// Returns true for the default, which files of matches leave out.
    pub(crate) fn is_score(&self) -> bool {
        *self == Self::Score
    }
}

impl Grow {
    /// Returns true for the default, which files of matches leave out.
    pub(crate) fn is_leaf(&self) -> bool {
        *self == Self::Leaf
    }
}

impl EdgeValues {
    /// Returns true for the default, which files of matches leave out.
    pub(crate) fn is_average(&self) -> bool {
        *self == Self::Average
    }
}

choice_or_number! {
    /// How a leaf that waits keeps other playouts off its path.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum InFlight {
        words {
            /// It counts as a visit in exploration terms and leaves Q alone (lc0; Liu et al. 2020,
            /// WU-UCT).
            Visits = "visits",
        }
        numbers {
            /// It counts as so many lost games until it is evaluated (AlphaGo: 3; Segal 2010).
            Losses(u32) = "losses" within whole(0, 1_000),
        }
    }
}

/// When a leaf gets children. Before that, each visit adds a rollout to its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expansion {
    /// At its first visit, which evaluates it; 0 in the file.
    FirstVisit,
    /// At the visit after this many (AlphaGo: `n_thr` = 40).
    Threshold(u32),
    /// A threshold that follows the evaluator, as in AlphaGo, by counts over 16 playouts each: it
    /// rises by 1 if more than `waiting_max` leaves waited for priors at once and no fewer were
    /// added than evaluated. It falls by 1 if fewer waited and no more were added than evaluated.
    /// With one leaf at a time it stays.
    Dynamic {
        /// Where it starts, and the least that it falls to is 1.
        start: u32,
        /// Leaves that may wait.
        waiting_max: u32,
    },
}

const VISITS: Limits = whole(0, 1_000_000);
const STARTS: Limits = whole(1, 1_000_000);
const WAITING: Limits = whole(1, 65_536);

impl Field for Expansion {
    fn allowed(_: &Limits) -> String {
        format!("{VISITS} or {{ start = {STARTS}, waiting_max = {WAITING} }}")
    }

    fn stand_in(_: &Limits) -> Self {
        Self::FirstVisit
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let allowed = Self::allowed(limits);
        match value {
            Value::Integer(_) => {
                u32::read(key, value, &VISITS, faults).map(|visits| match visits {
                    0 => Self::FirstVisit,
                    _ => Self::Threshold(visits),
                })
            }
            Value::Table(_) => {
                let mut table = TableReader::open(key, value, &allowed, faults)?;
                let start = table.take::<u32>("start", &STARTS);
                let waiting_max = table.take::<u32>("waiting_max", &WAITING);
                table.close();
                Some(Self::Dynamic { start: start?, waiting_max: waiting_max? })
            }
            _ => {
                faults.push(wrong_type(key, value, &allowed));
                None
            }
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::FirstVisit => 0_u32.write(),
            Self::Threshold(visits) => visits.write(),
            Self::Dynamic { start, waiting_max } => {
                let pairs = [("start", start.write()), ("waiting_max", waiting_max.write())];
                Value::Table(
                    pairs.map(|(key, value)| (key.to_owned(), value)).into_iter().collect(),
                )
            }
        }
    }

    fn schema(_: &Limits) -> Table {
        let keys = [("start", u32::schema(&STARTS)), ("waiting_max", u32::schema(&WAITING))];
        one_of([u32::schema(&VISITS), object(keys, &["start", "waiting_max"])])
    }
}
