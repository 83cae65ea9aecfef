//! Which rows of stones win.

/// Which rows of stones win, for both players alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GomokuRule {
    /// Five or more.
    Freestyle,
    /// Five and no more: a row of six or more neither wins nor ends the game.
    Exact,
}

impl GomokuRule {
    pub(super) const ALL: [Self; 2] = [Self::Freestyle, Self::Exact];

    /// "freestyle" or "exact".
    pub fn name(self) -> &'static str {
        match self {
            Self::Freestyle => "freestyle",
            Self::Exact => "exact",
        }
    }

    /// One line for `dagzero rules`.
    pub(super) fn summary(self) -> &'static str {
        match self {
            Self::Freestyle => {
                "five or more in line win, for both players; no point is forbidden, unlike in Renju"
            }
            Self::Exact => {
                "exactly five in line win, for both players; a longer row is legal and counts for \
                 nothing; no point is forbidden, unlike in Renju"
            }
        }
    }

    /// True if one of these lengths of rows wins.
    #[inline]
    pub(super) fn wins(self, rows: [u16; 4]) -> bool {
        match self {
            Self::Freestyle => rows.iter().any(|&length| length >= 5),
            Self::Exact => rows.contains(&5),
        }
    }
}
