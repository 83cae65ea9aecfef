//! Keys of `[search]` that take one of several words.

use crate::field::choice;

choice! {
    /// Which formula picks moves.
    pub enum SelectionWord {
        /// Q + c P sqrt(s + 0.01) / (1 + N(a)).
        Puct = "puct",
        /// Q + sqrt(2 ln s / N(a)).
        Ucb1 = "ucb1",
        /// Q + c sqrt(ln s / N(a)).
        Uct = "uct",
        /// UCT mixed with all-moves-as-first values.
        Rave = "rave",
        /// Sequential halving over Gumbel scores at the root.
        Gumbel = "gumbel",
        /// The exact regularised policy.
        Regularized = "regularized",
    }
}

choice! {
    /// How RAVE's weight falls.
    pub enum RaveScheduleWord {
        /// sqrt(k / (3 s + k)).
        Equivalence = "equivalence",
        /// 1 - ln(s) / 20.
        Logarithm = "logarithm",
    }
}

choice! {
    /// How Gumbel search chooses below the root.
    pub enum GumbelInnerWord {
        /// By the improved policy.
        Improved = "improved",
        /// By PUCT.
        Puct = "puct",
    }
}

choice! {
    /// Which of several moves with equal scores comes first.
    pub enum TieBreakWord {
        /// The lowest.
        Lowest = "lowest",
        /// A random one.
        Random = "random",
    }
}

choice! {
    /// How a playout changes the nodes on its path.
    pub enum BackupWord {
        /// Recomputed from children.
        Idempotent = "idempotent",
        /// A running average.
        Incremental = "incremental",
        /// Edge values with catching up.
        Delta = "delta",
    }
}

choice! {
    /// Which nodes beside its path a playout brings up to date.
    pub enum StalenessWord {
        /// None.
        Path = "path",
        /// Immediate parents.
        Parents = "parents",
        /// All ancestors of the leaf.
        Ancestors = "ancestors",
        /// Those that a sweep between playouts comes by.
        Refresher = "refresher",
    }
}

choice! {
    /// What visits of a finished game count.
    pub enum TerminalsWord {
        /// N stays 1.
        Fixed = "fixed",
        /// N grows by 1 a visit.
        Counted = "counted",
    }
}

choice! {
    /// What a playout is worth that comes back to a position on its own path.
    pub enum RevisitWord {
        /// The position's value.
        Count = "count",
        /// A draw.
        Draw = "draw",
    }
}

choice! {
    /// How the Dirichlet noise's concentration is spread over the legal moves.
    pub enum NoiseShapeWord {
        /// The same for each move, whatever their number.
        Each = "each",
        /// A total in equal shares.
        Total = "total",
        /// A total, half of it shaped by the priors.
        Shaped = "shaped",
    }
}

choice! {
    /// What the policy learns of a search.
    pub enum TargetWord {
        /// Shares of edge visits.
        Visits = "visits",
        /// Shares without forced playouts.
        Pruned = "pruned",
        /// The exact regularised policy.
        Regularized = "regularized",
        /// The improved policy over completed values.
        CompletedQ = "completed_q",
    }
}

choice! {
    /// The move that is played after a search.
    pub enum MoveChoiceWord {
        /// Most visits.
        Visits = "visits",
        /// Best value.
        Value = "value",
        /// Best all-moves-as-first value.
        Amaf = "amaf",
        /// Best lower confidence bound.
        Lcb = "lcb",
        /// Drawn from the regularised policy.
        Regularized = "regularized",
        /// Best Gumbel score among the most visited.
        Gumbel = "gumbel",
    }
}
