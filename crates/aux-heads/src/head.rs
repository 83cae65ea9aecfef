//! The heads, and the table that says what each of them is.

use std::fmt;

use serde::{Deserialize, Serialize};

use HeadOutput::{Number, Points, Policy, SquaredError, Values};
use TargetColumn as Column;
use TargetSource::{InRows, OfPolicy, OfShortTerm};

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

/// What a head's target is made of. This also decides how much a row counts in the head's loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetSource {
    /// A column of its own in rows. A row counts where the column knows the target.
    InRows(TargetColumn),
    /// The policy's target. A row counts as much as it does for the policy.
    OfPolicy,
    /// The target of [`Head::ShortTerm`]. A row counts as much as it does for that head.
    OfShortTerm,
}

/// A target that rows have a column for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetColumn {
    /// See [`Head::Reply`].
    Reply,
    /// See [`Head::ShortTerm`].
    ShortTerm,
    /// See [`Head::PliesLeft`].
    PliesLeft,
    /// See [`Head::Margin`].
    Margin,
    /// See [`Head::Ownership`].
    Ownership,
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
    target: TargetSource,
    /// The head that its loss reads beside its own target.
    needs: Option<Head>,
    /// Whether network files have it, because somebody who plays reads it.
    in_files: bool,
    weight: fn(&HeadsSection) -> f64,
}

const fn row(
    name: &'static str,
    layer: &'static str,
    output: HeadOutput,
    target: TargetSource,
    needs: Option<Head>,
    in_files: bool,
    weight: fn(&HeadsSection) -> f64,
) -> Row {
    Row { name, layer, output, target, needs, in_files, weight }
}

/// The heads, in the order of the variants.
#[rustfmt::skip]
const TABLE: [Row; Head::COUNT] = [
    // name, layer, output, target, needs, in network files, weight
    row("reply", "reply.linear", Policy, InRows(Column::Reply), None, false, |w| w.reply_weight),
    row("soft_policy", "soft_policy.linear", Policy, OfPolicy, None, false, |w| w.soft_policy_weight),
    row("short_term", "short_term.output", Values(HORIZONS), InRows(Column::ShortTerm), None, false, |w| w.short_term_weight),
    row("plies_left", "plies_left.output", Number(Unit::Area), InRows(Column::PliesLeft), None, false, |w| w.plies_left_weight),
    row("margin", "margin.output", Number(Unit::Side), InRows(Column::Margin), None, true, |w| w.margin_weight),
    row("ownership", "ownership.points", Points, InRows(Column::Ownership), None, true, |w| w.ownership_weight),
    row("short_term_error", "short_term_error.output", SquaredError, OfShortTerm, Some(Head::ShortTerm), true, |w| w.short_term_error_weight),
    row("optimistic_policy", "optimistic_policy.linear", Policy, OfPolicy, Some(Head::ShortTermError), true, |w| w.optimistic_policy_weight),
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

    /// What its target is made of.
    pub fn target(self) -> TargetSource {
        self.row().target
    }

    /// The column of rows with its target. `None` where the target is made of others.
    pub fn column(self) -> Option<TargetColumn> {
        match self.target() {
            InRows(column) => Some(column),
            OfPolicy | OfShortTerm => None,
        }
    }

    /// Whether rows have a column with its target.
    pub fn is_in_rows(self) -> bool {
        self.column().is_some()
    }

    /// The head that a network must have too, because this head's loss reads it.
    pub fn needs(self) -> Option<Self> {
        self.row().needs
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
            // A column has the name of the head whose target it is.
            let column = head.column().map(|column| format!("{column:?}"));
            assert!(column.is_none_or(|column| column == format!("{head:?}")));
        }
        assert_eq!(keys.heads(), Head::ALL.into_iter().skip(1).collect());
    }
}
