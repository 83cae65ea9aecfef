//! How rows of channels are shared out among a card's threads.

use crate::cuda::tiles::{GROUPS, RUN};

/// Channels of rows `[rows, C]`. A thread takes eight of them, of every so many rows. Known when a
/// kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::cuda) struct RowsPlan {
    /// C
    channels: usize,
}

/// Of a group.
pub(in crate::cuda) const THREADS: usize = 256;

/// Groups that add up rows. Four of them on a multiprocessor keep enough reads in flight.
pub(in crate::cuda) const GROUPS_SUM: usize = 2 * GROUPS;

/// Groups that change rows: more than those that add up, since nothing is left to add up
/// afterwards.
pub(in crate::cuda) const GROUPS_CHANGE: usize = 4 * GROUPS;

impl RowsPlan {
    /// `channels` are a multiple of [`RUN`], and so few that a group has a thread for each eight of
    /// them.
    pub(in crate::cuda) fn new(channels: usize) -> Self {
        assert!(channels.is_multiple_of(RUN) && channels / RUN <= THREADS, "{channels} channels");
        Self { channels }
    }

    /// Runs of [`RUN`] channels of a row.
    pub(in crate::cuda) const fn runs(self) -> usize {
        self.channels / RUN
    }

    /// Rows that a group has at a time; the threads that are left over have none.
    pub(in crate::cuda) const fn rows_at_once(self) -> usize {
        THREADS / self.runs()
    }

    /// Groups, so many at most, and how many rows a thread of them takes, one after another.
    pub(in crate::cuda) const fn groups(self, rows: usize, groups_max: usize) -> [usize; 2] {
        let pieces = rows.div_ceil(self.rows_at_once());
        let turns = pieces.div_ceil(groups_max);
        [pieces.div_ceil(turns), turns]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_thread_and_every_group_a_row() {
        for channels in [16, 32, 96, 160, 288] {
            let plan = RowsPlan::new(channels);
            for rows in [1, 42, 64 * 42, 1024 * 81] {
                let [groups, turns] = plan.groups(rows, GROUPS_SUM);
                let rows_of_group = turns * plan.rows_at_once();
                assert!(groups * rows_of_group >= rows && groups <= GROUPS_SUM);
                assert!((groups - 1) * rows_of_group < rows, "a group without rows, {plan:?}");
            }
        }
    }
}
