//! From rows to batches: symmetries, dense targets, weights.

use dz_burn_net::{EncodedBatch, HeadRows, TrainBatch};
use dz_game::{Key, hash_below};
use dz_network_file::PerHead;
use dz_shard::{Row, RowFileHeader, RowShape, SymmetryTables};
use rayon::prelude::*;

use crate::CycleRows;
use crate::heads::head_rows;

/// Rows that one thread turns at a time.
const ROWS_MIN: usize = 64;
/// Keeps the symmetries' random stream apart from others of the same seed.
const SYMMETRY_STREAM: u64 = 0x7379_6d6d;

/// Makes batches of the rows of one cycle.
#[derive(Clone, Debug)]
pub struct BatchMaker {
    /// Shape of the rows.
    shape: RowShape,
    /// The game's symmetries, the identity first.
    symmetries: Vec<SymmetryTables>,
    seed: u64,
    cycle: u32,
    value_mix: f32,
}

impl BatchMaker {
    /// For training: each row is turned by a symmetry sampled from (run seed, cycle, index of the
    /// row).
    ///
    /// `value_mix` is the share of the root value in the value target, 0 to 1. The outcome has the
    /// rest.
    pub fn new(header: &RowFileHeader, run_seed: u64, cycle: u32, value_mix: f64) -> Self {
        Self {
            shape: header.shape,
            symmetries: header.symmetries.clone(),
            seed: run_seed,
            cycle,
            value_mix: value_mix as f32,
        }
    }

    /// One for each board of rows, see [`BatchMaker::new`].
    pub fn of_boards(rows: &CycleRows, run_seed: u64, cycle: u32, value_mix: f64) -> Vec<Self> {
        let headers = rows.boards.iter().map(|board| &board.header);
        headers.map(|header| Self::new(header, run_seed, cycle, value_mix)).collect()
    }

    /// The same without symmetries, for validation.
    #[must_use]
    pub fn upright(mut self) -> Self {
        self.symmetries.truncate(1);
        self
    }

    /// Which symmetry the row of this index in its cycle is turned by.
    pub fn symmetry_of(&self, row_index: u64) -> usize {
        let key = Key::of_words(&[SYMMETRY_STREAM, self.seed, u64::from(self.cycle), row_index]);
        hash_below(key.low, self.symmetries.len() as u64) as usize
    }

    /// The batch of `rows`, the first of which has index `first` in its cycle.
    pub fn make(&self, rows: &[Row<'_>], first: u64) -> TrainBatch {
        let bytes = self.shape.planes.packed_bytes();
        let policy_len = self.shape.policy_len;
        let mut batch = TrainBatch {
            planes: EncodedBatch::zeroed(self.shape.planes, rows.len()),
            policy: vec![0.0; rows.len() * policy_len],
            wdl: vec![0.0; rows.len() * 3],
            policy_weights: rows.iter().map(|row| row.policy_weight.get()).collect(),
            value_weights: rows.iter().map(|row| row.value_weight.get()).collect(),
            heads: self.head_rows(rows, first),
        };
        batch.planes.globals.clear();
        batch.planes.globals.extend(rows.iter().flat_map(|row| row.globals));
        let planes = batch.planes.bits.par_chunks_exact_mut(bytes);
        let policy = batch.policy.par_chunks_exact_mut(policy_len);
        let wdl = batch.wdl.par_chunks_exact_mut(3);
        let outputs = planes.zip(policy).zip(wdl).with_min_len(ROWS_MIN);
        rows.par_iter().enumerate().zip(outputs).for_each(|((i, row), ((bits, policy), wdl))| {
            let symmetry = self.symmetry_of(first + i as u64);
            self.turn(row, symmetry, bits, policy);
            wdl.copy_from_slice(&self.value_target(row));
        });
        batch
    }

    /// Targets of the auxiliary heads, each row turned by its symmetry.
    fn head_rows(&self, rows: &[Row<'_>], first: u64) -> PerHead<HeadRows> {
        let symmetry = |i: usize| Some(self.symmetry_of(first + i as u64)).filter(|&s| s > 0);
        head_rows(self.shape, rows, symmetry, &self.symmetries)
    }

    /// Writes a row's planes and dense policy target as seen through a symmetry.
    fn turn(&self, row: &Row<'_>, symmetry: usize, bits: &mut [u8], policy: &mut [f32]) {
        let tables = &self.symmetries[symmetry];
        if symmetry == 0 {
            bits.copy_from_slice(row.bits);
        } else {
            tables.map_bits(self.shape.planes, row.bits, bits);
        }
        for (&index, &share) in row.policy_index.iter().zip(row.policy_share) {
            let to = usize::from(tables.policy[usize::from(index)]);
            policy[to] += f32::from(share) / f32::from(u16::MAX);
        }
    }

    /// Win, draw and loss: the outcome mixed with the root value.
    fn value_target(&self, row: &Row<'_>) -> [f32; 3] {
        let outcome = row.outcome.wdl().to_array();
        let root = row.root_value.wdl().to_array();
        std::array::from_fn(|i| (1.0 - self.value_mix) * outcome[i] + self.value_mix * root[i])
    }
}
