//! Sixteen numbers, and what vectors do with them.

/// Sixteen numbers on a cache line of their own: the same point's consecutive channels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Lane(pub(crate) [f32; LANE]);

/// Numbers in a [`Lane`].
pub(crate) const LANE: usize = 16;

/// Numbers in lanes, the last one filled up with 0.
pub(crate) fn lanes_of(numbers: impl IntoIterator<Item = f32>) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = Vec::new();
    for (i, x) in numbers.into_iter().enumerate() {
        if i % LANE == 0 {
            lanes.push(Lane::default());
        }
        lanes[i / LANE].0[i % LANE] = x;
    }
    lanes
}

/// The numbers of lanes, one after another.
#[inline(always)]
pub(crate) fn numbers_of(lanes: &[Lane]) -> &[f32] {
    // SAFETY: a lane is sixteen numbers and nothing else, and as large as they are.
    unsafe { std::slice::from_raw_parts(lanes.as_ptr().cast(), lanes.len() * LANE) }
}

/// Work that is compiled for every kind of vectors.
pub(crate) trait Task {
    /// Does it. Implementations are `#[inline(always)]`.
    fn go<S: Simd>(self, s: S);
}

/// Operations on the sixteen numbers of a [`Lane`], and how many of them fit the registers.
pub(crate) trait Simd: Copy {
    /// A lane in registers.
    type V: Copy;
    /// Most lanes of a row that a matrix product keeps in registers.
    const WIDTH_MAX: usize;
    /// Most rows of `width` lanes each that a matrix product keeps in registers.
    fn rows_max(width: usize) -> usize;
    /// Runs a task with these vectors' instructions.
    fn run<T: Task>(self, task: T);
    /// All sixteen equal.
    fn splat(self, x: f32) -> Self::V;
    /// Reads a lane.
    fn load(self, from: &Lane) -> Self::V;
    /// Writes a lane.
    fn store(self, x: Self::V, to: &mut Lane);
    /// a + b
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// a b + c
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The larger of each two.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// Each `x` whose `of` is above 0, and 0 elsewhere: what goes back through relu.
    fn gate(self, of: Self::V, x: Self::V) -> Self::V;
    /// The larger of each and 0.
    #[inline(always)]
    fn relu(self, x: Self::V) -> Self::V {
        // In this order NaN stays: the processor returns the second operand then.
        self.max(self.splat(0.0), x)
    }
}
