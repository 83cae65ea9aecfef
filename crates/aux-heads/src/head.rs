//! The heads, and the table that says what each of them is.

use std::fmt;

use serde::{Deserialize, Serialize};

use HeadOutput::{Number, Points, Policy, SquaredError, Values};

use crate::HeadsSection;

/// How many horizons the head of short-term values has.
pub const HORIZONS: usize = 3;

/// A head beside policy and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Head {
    /// The opponent's reply: the next ply's policy target.
    Reply,
    /// The policy target to the power 1/4.
    SoftPolicy,
    /// Root values soon after, averaged over [`HORIZONS`] horizons.
    ShortTerm,
    /// Plies until the rules end the game.
    PliesLeft,
    /// The final margin of the player to move, in points.
    Margin,
    /// Whose each point is in the end.
    Ownership,
    /// How far the value of the shortest horizon is from what comes.
    ShortTermError,
    /// The policy target of rows after which the player did better than expected.
    OptimisticPolicy,
}

/// What a head gives. This decides which layer it reads and how its loss is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadOutput {
    /// Logits of a policy `[A]`, from the policy head's convolution. The loss is a cross-entropy.
    Policy,
    /// Logits of win, draw and loss for each of so many horizons `[horizons * 3]`, from the value
    /// head's hidden layer. The loss is the mean of their cross-entropies.
    Values(usize),
    /// One number in this unit, from the value head's hidden layer. The loss is Huber's.
    Number(Unit),
    /// A logit x of the squared error 4 / (1 + e^-x), from the value head's hidden layer. The loss
    /// is Huber's, against the squared error of the head of short-term values.
    SquaredError,
    /// Logits of mine, nobody's and theirs for each point `[H W, 3]`, from the tower's outputs. The
    /// loss is the mean of their cross-entropies.
    Points,
}

/// In what a head counts a number, so that boards of any size give numbers of one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// H W plies.
    Area,
    /// sqrt(H W) points.
    Side,
}

/// A row of the table.
struct Row {
    name: &'static str,
    /// The name of its one layer in networks and checkpoints.
    layer: &'static str,
    output: HeadOutput,
    /// Whether rows have a column with its target. Those of the soft and the optimistic policy are
    /// made of the policy's, that of the short-term error of the short-term value's.
    in_rows: bool,
    /// Whether network files have it, because somebody who plays reads it.
    in_files: bool,
    weight: fn(&HeadsSection) -> f64,
}

const fn row(
    name: &'static str,
    layer: &'static str,
    output: HeadOutput,
    in_rows: bool,
    in_files: bool,
    weight: fn(&HeadsSection) -> f64,
) -> Row {
    Row { name, layer, output, in_rows, in_files, weight }
}

/// The heads, in the order of the variants.
#[rustfmt::skip]
const TABLE: [Row; Head::COUNT] = [
    // name, layer, output, in rows, in network files, weight
    row("reply", "reply.linear", Policy, true, false, |w| w.reply_weight),
    row("soft_policy", "soft_policy.linear", Policy, false, false, |w| w.soft_policy_weight),
    row("short_term", "short_term.output", Values(HORIZONS), true, false, |w| w.short_term_weight),
    row("plies_left", "plies_left.output", Number(Unit::Area), true, false, |w| w.plies_left_weight),
    row("margin", "margin.output", Number(Unit::Side), true, true, |w| w.margin_weight),
    row("ownership", "ownership.points", Points, true, true, |w| w.ownership_weight),
    row("short_term_error", "short_term_error.output", SquaredError, false, true, |w| w.short_term_error_weight),
    row("optimistic_policy", "optimistic_policy.linear", Policy, false, true, |w| w.optimistic_policy_weight),
];

impl Head {
    /// How many there are.
    pub const COUNT: usize = 8;

    /// All of them, in order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Reply,
        Self::SoftPolicy,
        Self::ShortTerm,
        Self::PliesLeft,
        Self::Margin,
        Self::Ownership,
        Self::ShortTermError,
        Self::OptimisticPolicy,
    ];

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Its name in row files, networks, checkpoints and measures.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name of its one layer.
    pub fn layer(self) -> &'static str {
        self.row().layer
    }

    /// What it gives.
    pub fn output(self) -> HeadOutput {
        self.row().output
    }

    /// Whether rows have a column with its target.
    pub fn is_in_rows(self) -> bool {
        self.row().in_rows
    }

    /// Whether network files have it. The others serve training alone.
    pub fn is_exported(self) -> bool {
        self.row().in_files
    }

    /// Whether engines compute it beside win, draw and loss: one number from the value head's
    /// hidden layer that network files have.
    pub fn is_value_column(self) -> bool {
        let is_number = matches!(self.output(), Number(_) | SquaredError);
        is_number && self.is_exported()
    }

    /// What its loss counts, 0 or more.
    pub fn weight(self, section: &HeadsSection) -> f64 {
        (self.row().weight)(section)
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are those of files, and each weight is that of the key with the head's name.
    #[test]
    fn rows_of_the_table_are_in_order() {
        let keys = HeadsSection {
            reply_weight: 0.0,
            soft_policy_weight: 1.0,
            short_term_weight: 2.0,
            plies_left_weight: 3.0,
            margin_weight: 4.0,
            ownership_weight: 5.0,
            short_term_error_weight: 6.0,
            optimistic_policy_weight: 7.0,
        };
        for (i, head) in Head::ALL.into_iter().enumerate() {
            assert_eq!(head as usize, i);
            assert_eq!(serde_json::to_string(&head).expect("JSON"), format!("\"{head}\""));
            assert_eq!(head.layer().split('.').next(), Some(head.name()));
            assert_eq!(head.weight(&keys), i as f64);
        }
        assert_eq!(keys.heads(), Head::ALL.into_iter().skip(1).collect());
    }
}
