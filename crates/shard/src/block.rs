//! Training rows in memory, as columns.

use crate::{AuxTargets, RowShape, ShardError, WdlShares, Weight, aux_columns::AuxColumns};

/// One training example, borrowed from a [`RowBlock`]; always in identity orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Bit-packed planes as the mover sees them: bit `c*H*W + y*W + x`, lowest bit first.
    pub bits: &'a [u8],
    /// Globals.
    pub globals: &'a [f32],
    /// Policy indices of the target.
    pub policy_index: &'a [u16],
    /// Shares of 65,535 in the target, one for each index; they sum to 65,535 or, without target,
    /// 0.
    pub policy_share: &'a [u16],
    /// What the game's outcome was worth to the mover.
    pub outcome: WdlShares,
    /// The root's value after the search, for the mover.
    pub root_value: WdlShares,
    /// The row's weight in the policy loss.
    pub policy_weight: Weight,
    /// The row's weight in the value loss.
    pub value_weight: Weight,
    /// The game's number.
    pub game: u64,
    /// Plies from the start of the game.
    pub ply: u16,
    /// What the shape names beside these.
    pub aux: AuxTargets<'a>,
}

/// Rows of one shape, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBlock {
    pub(crate) shape: RowShape,
    pub(crate) bits: Vec<u8>,
    pub(crate) globals: Vec<f32>,
    /// Where each row's policy entries end.
    pub(crate) policy_ends: Vec<u32>,
    pub(crate) policy_index: Vec<u16>,
    pub(crate) policy_share: Vec<u16>,
    pub(crate) outcome: Vec<WdlShares>,
    pub(crate) root_value: Vec<WdlShares>,
    pub(crate) policy_weight: Vec<Weight>,
    pub(crate) value_weight: Vec<Weight>,
    pub(crate) game: Vec<u64>,
    pub(crate) ply: Vec<u16>,
    pub(crate) aux: AuxColumns,
}

impl RowBlock {
    /// No rows.
    pub fn new(shape: RowShape) -> Self {
        Self {
            shape,
            bits: Vec::new(),
            globals: Vec::new(),
            policy_ends: Vec::new(),
            policy_index: Vec::new(),
            policy_share: Vec::new(),
            outcome: Vec::new(),
            root_value: Vec::new(),
            policy_weight: Vec::new(),
            value_weight: Vec::new(),
            game: Vec::new(),
            ply: Vec::new(),
            aux: AuxColumns::default(),
        }
    }

    /// The rows' shape.
    pub fn shape(&self) -> RowShape {
        self.shape
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.game.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.game.is_empty()
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        let bytes = self.shape.planes.packed_bytes();
        let globals = self.shape.planes.globals;
        let start = if i == 0 { 0 } else { self.policy_ends[i - 1] as usize };
        let policy = start..self.policy_ends[i] as usize;
        Row {
            bits: &self.bits[i * bytes..(i + 1) * bytes],
            globals: &self.globals[i * globals..(i + 1) * globals],
            policy_index: &self.policy_index[policy.clone()],
            policy_share: &self.policy_share[policy],
            outcome: self.outcome[i],
            root_value: self.root_value[i],
            policy_weight: self.policy_weight[i],
            value_weight: self.value_weight[i],
            game: self.game[i],
            ply: self.ply[i],
            aux: self.aux.get(self.shape, i),
        }
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|i| self.row(i))
    }

    /// Game number and ply of row `i`: what makes a row unique in a run.
    pub fn id(&self, i: usize) -> (u64, u16) {
        (self.game[i], self.ply[i])
    }

    /// Adds a row of this block's shape.
    pub fn push(&mut self, row: &Row<'_>) {
        self.push_without_aux(row);
        self.aux.push(self.shape, &row.aux);
    }

    /// Adds a row whose auxiliary targets are added apart, before anybody looks at it.
    pub(crate) fn push_without_aux(&mut self, row: &Row<'_>) {
        debug_assert_eq!(row.bits.len(), self.shape.planes.packed_bytes());
        debug_assert_eq!(row.globals.len(), self.shape.planes.globals);
        self.bits.extend_from_slice(row.bits);
        self.globals.extend_from_slice(row.globals);
        self.policy_index.extend_from_slice(row.policy_index);
        self.policy_share.extend_from_slice(row.policy_share);
        self.policy_ends.push(self.policy_index.len() as u32);
        self.outcome.push(row.outcome);
        self.root_value.push(row.root_value);
        self.policy_weight.push(row.policy_weight);
        self.value_weight.push(row.value_weight);
        self.game.push(row.game);
        self.ply.push(row.ply);
    }

    /// Adds all rows of another block.
    ///
    /// # Errors
    /// [`ShardError::Shape`] if its shape differs.
    pub fn append(&mut self, other: &Self) -> Result<(), ShardError> {
        if other.shape != self.shape {
            return Err(ShardError::Shape { what: format!("{:?}, {:?}", self.shape, other.shape) });
        }
        for row in other.rows() {
            self.push(&row);
        }
        Ok(())
    }

    /// Bytes that the rows take in memory.
    pub fn bytes(&self) -> usize {
        let entries = [self.policy_index.len(), self.aux.reply_entries()];
        self.bits.len() + Self::bytes_beside_planes(self.shape, self.len(), entries) as usize
    }

    /// Bytes that `rows` rows take in memory beside their planes, with so many entries of policies
    /// and of replies.
    pub(crate) fn bytes_beside_planes(
        shape: RowShape,
        rows: usize,
        [policy, reply]: [usize; 2],
    ) -> u64 {
        // A made-up shape may be of any size.
        let row = AuxColumns::row_bytes(shape).saturating_add(4 + 2 * 4 + 2 * 2 + 8 + 2);
        let row = row.saturating_add(shape.planes.globals.saturating_mul(4));
        let entries = policy.saturating_add(reply).saturating_mul(4);
        rows.saturating_mul(row).saturating_add(entries) as u64
    }
}
