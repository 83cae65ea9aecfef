//! How sums over the rows of a batch are taken.

/// How rows are added up: each of `boards` first, then these in `groups` of one size, then the
/// groups. On a card, Burn gives a sum over rows to one thread for every four columns, which adds
/// up all rows sequentially.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batches {
    pub(crate) boards: usize,
    pub(crate) groups: usize,
}

/// Most boards that are one group: more cost a launch more for each sum, and save the time in which
/// a thread of a card adds up so many numbers. An estimate, not measured on a card.
const UNGROUPED_BOARDS_MAX: usize = 256;

impl Batches {
    /// About as many groups as there are boards in each, or one if they are few.
    pub(crate) fn of(boards: usize) -> Self {
        let is_few = boards <= UNGROUPED_BOARDS_MAX;
        let divides = |groups: &usize| boards.is_multiple_of(*groups);
        let groups = (boards.isqrt()..boards).find(divides).filter(|_| !is_few);
        Self { boards, groups: groups.unwrap_or(1) }
    }

    /// Parts of one size that other sums are taken of first: groups, or boards if these are few.
    pub(crate) fn parts(self) -> usize {
        if self.groups > 1 { self.groups } else { self.boards }
    }
}
