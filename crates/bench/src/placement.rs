//! A game for measuring: stones on points until all are full, with an evaluator that looks its
//! answers up. It transposes as much as a game can and costs next to nothing, so the search is
//! measured.

use dz_game::{Key, Move, Player, mix64};

use dz_search::{Domain, Status, ValuePov};

/// Players in turn place a stone on any point that has fewer than `layers`.
#[derive(Clone, Debug)]
pub struct Placement {
    points: u16,
    layers: u8,
}

/// The most points.
pub const PLACEMENT_POINTS_MAX: u16 = 384;

/// How many stones each point has, and whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacementState {
    /// Points that are full, a bit each.
    full: [u64; PLACEMENT_POINTS_MAX as usize / 64],
    /// Stones on each point of games with several layers; only the first points can have several.
    stones: [u8; 16],
    key: Key,
    ply: u16,
}

impl Placement {
    /// `points` points of `layers` layers; more than one layer needs 16 points or fewer.
    ///
    /// # Panics
    /// If there are no points, or more than [`PLACEMENT_POINTS_MAX`].
    pub fn new(points: u16, layers: u8) -> Self {
        assert!((1..=PLACEMENT_POINTS_MAX).contains(&points), "1 to 384 points");
        assert!(layers == 1 || (layers > 1 && points <= 16), "layers need 16 points or fewer");
        Self { points, layers }
    }

    /// The empty board.
    pub fn start(&self) -> PlacementState {
        PlacementState { full: [0; 6], stones: [0; 16], key: Key::default(), ply: 0 }
    }
}

impl Domain for Placement {
    type State = PlacementState;
    type History = ();

    #[inline]
    fn status(&self, state: &PlacementState, (): &()) -> Status {
        if u32::from(state.ply) < u32::from(self.points) * u32::from(self.layers) {
            return Status::ToMove([Player::First, Player::Second][usize::from(state.ply & 1)]);
        }
        Status::Over { value: if state.key.low & 1 == 0 { 1.0 } else { -1.0 }, draw: 0.0 }
    }
    #[inline]
    fn legal_moves(&self, state: &PlacementState, (): &(), out: &mut Vec<Move>) {
        out.clear();
        for (word, full) in
            state.full.iter().enumerate().take(usize::from(self.points).div_ceil(64))
        {
            let points = (usize::from(self.points) - 64 * word).min(64);
            let mut free = !full & (u64::MAX >> (64 - points));
            while free != 0 {
                out.push(Move((64 * word) as u16 + free.trailing_zeros() as u16));
                free &= free - 1;
            }
        }
    }
    #[inline]
    fn advance(&self, state: &mut PlacementState, (): &mut (), mv: Move) {
        let mut layer = 0;
        if self.layers > 1 {
            layer = state.stones[usize::from(mv.0)];
            state.stones[usize::from(mv.0)] += 1;
        }
        if layer + 1 == self.layers {
            state.full[usize::from(mv.0 / 64)] |= 1 << (mv.0 % 64);
        }
        let stone = u64::from(mv.0) << 16 | u64::from(layer) << 8 | u64::from(state.ply & 1);
        state.key.low ^= mix64(stone);
        state.key.high ^= mix64(!stone);
        state.ply += 1;
    }
    fn node_key(&self, state: &PlacementState, (): &()) -> Key {
        state.key
    }
    fn eval_key(&self, state: &PlacementState, (): &()) -> Key {
        state.key
    }
    fn acyclic(&self) -> bool {
        true
    }
}

/// Values and priors from tables, picked by a position's key.
#[derive(Clone, Debug)]
pub struct LookedUp {
    points: usize,
    /// A row of priors by move each.
    rows: Vec<f32>,
}

/// Rows of the table.
const ROWS: usize = 256;

impl LookedUp {
    /// Tables for a game of so many points; priors fall off like a network's: a few large, most
    /// small.
    pub fn new(points: u16) -> Self {
        let points = usize::from(points);
        let share = |i: usize| (mix64(i as u64) >> 40) as f32 / (1u64 << 24) as f32;
        let mut rows: Vec<f32> = (0..ROWS * points).map(|i| (8.0 * share(i)).exp()).collect();
        for row in rows.chunks_mut(points) {
            let sum: f32 = row.iter().sum();
            for prior in row {
                *prior /= sum;
            }
        }
        Self { points, rows }
    }

    /// Fills `priors` for the legal moves and answers what the mover expects.
    pub fn evaluate(&self, key: Key, legal: &[Move], priors: &mut Vec<f32>) -> ValuePov<f32> {
        let first = (key.high % ROWS as u64) as usize * self.points;
        let row = &self.rows[first..first + self.points];
        priors.clear();
        priors.extend(legal.iter().map(|mv| row[usize::from(mv.0)]));
        let value = (key.low >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        ValuePov { value, draw: 0.0 }
    }
}
