//! Pass 2, first half: which buckets of the window a cycle trains on.

use dz_shard::RowSet;

use crate::{
    hash::{Purpose, hash},
    segments::SegmentFile,
};

/// Rows that one cycle takes from the window, in the order in which buckets were sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Training or validation.
    pub set: RowSet,
    /// The cycle; part of every hash.
    pub cycle: u64,
    /// Which pass over the window it is, from 0; part of the hashes from 1 on.
    pub pass: u32,
    /// The rows taken from each sampled bucket. Only the last bucket may be taken in part.
    pub picks: Vec<Pick>,
    /// Rows in all.
    pub rows: u64,
}

/// The rows taken from one bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Index of the shard in the window.
    pub file: u32,
    /// The bucket.
    pub bucket: u32,
    /// Rank of the first row taken, in an order that only serves to take parts.
    pub from: u32,
    /// Rank after the last row taken.
    pub to: u32,
}

impl Sample {
    /// Samples `rows` rows of `window` without replacement, or all if there are fewer.
    ///
    /// Buckets are sampled in the order of a hash of seed, cycle, shard and bucket. Because a
    /// bucket is itself a random part of its shard, every row of the window is equally likely.
    pub fn new(seed: u64, cycle: u64, set: RowSet, window: &[SegmentFile], rows: u64) -> Self {
        Self::of_pass(seed, cycle, 0, set, window, rows)
    }

    /// Samples `rows` rows in passes over the window. Each pass has every row once, in an order of
    /// its own; the last one may have fewer.
    pub fn passes(
        seed: u64,
        cycle: u64,
        set: RowSet,
        window: &[SegmentFile],
        rows: u64,
    ) -> Vec<Self> {
        let mut samples = Vec::new();
        let mut left = rows;
        for pass in 0.. {
            let sample = Self::of_pass(seed, cycle, pass, set, window, left);
            left -= sample.rows;
            let is_last = left == 0 || sample.rows == 0;
            samples.push(sample);
            if is_last {
                break;
            }
        }
        samples
    }

    /// Returns the words of a hash with the pass behind them. Pass 0 adds nothing, so a sample of
    /// one pass keeps its hashes.
    pub(crate) fn words<'a>(&self, words: &'a [u64; 4], longer: &'a mut [u64; 5]) -> &'a [u64] {
        if self.pass == 0 {
            return words;
        }
        longer[..4].copy_from_slice(words);
        longer[4] = u64::from(self.pass);
        longer
    }

    fn of_pass(
        seed: u64,
        cycle: u64,
        pass: u32,
        set: RowSet,
        window: &[SegmentFile],
        rows: u64,
    ) -> Self {
        let mut order = Vec::new();
        for (file, segments) in window.iter().enumerate() {
            for (bucket, &rows) in segments.buckets(set).rows.iter().enumerate() {
                let words = [cycle, segments.id, bucket as u64, u64::from(pass)];
                let counted = if pass == 0 { 3 } else { 4 };
                let key = hash(seed, Purpose::Sample, &words[..counted]);
                order.push((
                    key,
                    Pick { file: file as u32, bucket: bucket as u32, from: 0, to: rows },
                ));
            }
        }
        order.sort_unstable_by_key(|&(key, pick)| (key, pick.file, pick.bucket));
        let mut sampled = Self { set, cycle, pass, picks: Vec::new(), rows: 0 };
        for (_, mut pick) in order {
            let left = rows - sampled.rows;
            if left == 0 {
                break;
            }
            pick.to = pick.to.min(left.min(u64::from(u32::MAX)) as u32);
            sampled.rows += u64::from(pick.to);
            sampled.picks.push(pick);
        }
        sampled
    }

    /// Returns the part of the sample that lies in the files for which `is_one` returns true.
    #[must_use]
    pub fn of_files(&self, is_one: impl Fn(u32) -> bool) -> Self {
        let picks: Vec<Pick> =
            self.picks.iter().copied().filter(|pick| is_one(pick.file)).collect();
        let rows = picks.iter().map(|pick| u64::from(pick.to - pick.from)).sum();
        Self { picks, rows, ..self.clone() }
    }

    /// The picks cut into groups of `rows` rows each, the last one shorter.
    pub fn groups(&self, rows: u64) -> Vec<Vec<Pick>> {
        let mut groups = Vec::new();
        let mut group = Vec::new();
        let mut left = rows.max(1);
        for &pick in &self.picks {
            let mut rest = pick;
            while u64::from(rest.to - rest.from) >= left {
                let cut = rest.from + left as u32;
                group.push(Pick { to: cut, ..rest });
                groups.push(std::mem::take(&mut group));
                rest.from = cut;
                left = rows.max(1);
            }
            if rest.from < rest.to {
                left -= u64::from(rest.to - rest.from);
                group.push(rest);
            }
        }
        if !group.is_empty() {
            groups.push(group);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::PathBuf};

    use super::*;
    use crate::segments::Buckets;

    fn window() -> Vec<SegmentFile> {
        let buckets = |rows: &[u32]| Buckets { path: PathBuf::new(), rows: rows.to_vec() };
        (0..20)
            .map(|id| SegmentFile {
                id,
                games: 1,
                train: buckets(&[10, 0, 7, 13]),
                validation: buckets(&[5]),
            })
            .collect()
    }

    fn names(picks: &[Pick]) -> Vec<(u32, u32, u32)> {
        let names = |pick: &Pick| {
            let (file, bucket) = (pick.file, pick.bucket);
            (pick.from..pick.to).map(move |rank| (file, bucket, rank))
        };
        picks.iter().flat_map(names).collect()
    }

    #[test]
    fn rows_are_sampled_without_replacement_and_exactly_as_many_as_asked() {
        for rows in [0, 1, 10, 299, 600, 1000] {
            let sample = Sample::new(1, 3, RowSet::Train, &window(), rows);
            let names = names(&sample.picks);
            assert_eq!(names.len() as u64, rows.min(600));
            assert_eq!(sample.rows, rows.min(600));
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        }
    }

    #[test]
    fn each_pass_has_every_row_once_in_an_order_of_its_own() {
        let samples = Sample::passes(1, 3, RowSet::Train, &window(), 1500);
        let rows: Vec<u64> = samples.iter().map(|sample| sample.rows).collect();
        assert_eq!(rows, [600, 600, 300]);
        assert_eq!(samples[0], Sample::new(1, 3, RowSet::Train, &window(), 1500));
        assert_ne!(samples[0].picks, samples[1].picks);
        let sorted = |sample: &Sample| names(&sample.picks).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(sorted(&samples[0]), sorted(&samples[1]));
        assert_eq!(Sample::passes(1, 3, RowSet::Train, &[], 9).len(), 1, "nothing to sample from");
    }

    #[test]
    fn parts_of_a_sample_have_each_row_once() {
        let sample = Sample::new(1, 3, RowSet::Train, &window(), 455);
        let parts = [0, 1].map(|part| sample.of_files(|file| file % 2 == part));
        assert_eq!(parts[0].rows + parts[1].rows, 455);
        let sorted = |picks: &[Pick]| names(picks).into_iter().collect::<BTreeSet<_>>();
        let together = sorted(&[parts[0].picks.clone(), parts[1].picks.clone()].concat());
        assert_eq!(together, sorted(&sample.picks));
        assert_eq!(sample.of_files(|_| true), sample);
    }

    #[test]
    fn groups_have_their_size_and_lose_nothing() {
        let sample = Sample::new(1, 3, RowSet::Train, &window(), 555);
        for size in [1, 3, 64, 555, 556] {
            let groups = sample.groups(size);
            let lengths: Vec<usize> = groups.iter().map(|group| names(group).len()).collect();
            assert_eq!(lengths.len() as u64, 555_u64.div_ceil(size));
            assert!(lengths[..lengths.len() - 1].iter().all(|&length| length as u64 == size));
            let together: Vec<_> = groups.iter().flat_map(|group| names(group)).collect();
            assert_eq!(together, names(&sample.picks));
        }
        assert!(Sample::new(1, 3, RowSet::Train, &window(), 0).groups(5).is_empty());
    }

    #[test]
    fn cycles_sample_differently_and_all_rows_alike() {
        let mut counts = [0_u32; 20];
        for cycle in 0..2000 {
            let sample = Sample::new(9, cycle, RowSet::Train, &window(), 150);
            for (file, _, _) in names(&sample.picks) {
                counts[file as usize] += 1;
            }
        }
        // 15,000 rows a shard are expected; whole buckets make the spread about 230.
        assert!(counts.iter().all(|count| (13_800..16_200).contains(count)), "{counts:?}");
        assert_eq!(
            Sample::new(9, 1, RowSet::Train, &window(), 150),
            Sample::new(9, 1, RowSet::Train, &window(), 150)
        );
    }
}
