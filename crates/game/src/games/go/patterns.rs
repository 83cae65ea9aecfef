//! The 3x3 patterns of MoGo's rollouts (Gelly, Wang, Munos and Teytaud, Modification of UCT with
//! Patterns in Monte-Carlo Go, INRIA RR-6062, 2006, section 3.2, figures 3 to 5).

use std::sync::LazyLock;

use super::set::{Grid, Set};

/// A pattern around the point to play, which is the middle of the second row.
struct Pattern {
    rows: [&'static [u8; 3]; 3],
    moves: Moves,
}

/// Who may play the point. A pattern holds for both colours of `X`.
#[derive(Clone, Copy, PartialEq)]
enum Moves {
    Both,
    X,
    O,
}

const fn pattern(rows: [&'static [u8; 3]; 3], moves: Moves) -> Pattern {
    Pattern { rows, moves }
}

/// `X` and `O` are stones of two players, `x` is anything on the board but `O` and `o` anything but
/// `X`, `.` is empty, `?` anything on the board, `#` beyond the edge.
const PATTERNS: [Pattern; 11] = [
    // Hane.
    pattern([b"XOX", b"...", b"???"], Moves::Both),
    pattern([b"XO.", b"...", b"?.?"], Moves::Both),
    pattern([b"XO?", b"X..", b"?.?"], Moves::Both),
    pattern([b"XOO", b"...", b"?.?"], Moves::X),
    // A cut, see also `NO_CUTS`.
    pattern([b"XO?", b"O.?", b"???"], Moves::Both),
    pattern([b"?X?", b"O.O", b"xxx"], Moves::Both),
    // At the edge.
    pattern([b"X.?", b"O.?", b"###"], Moves::Both),
    pattern([b"?X?", b"o.O", b"###"], Moves::Both),
    pattern([b"?XO", b"?.?", b"###"], Moves::X),
    pattern([b"?XO", b"?.o", b"###"], Moves::O),
    pattern([b"?XO", b"O.X", b"###"], Moves::O),
];

/// Where the first pattern of a cut holds and yet nothing is cut.
const NO_CUTS: [Pattern; 2] = [
    pattern([b"XO?", b"O.O", b"?.?"], Moves::Both),
    pattern([b"XO?", b"O..", b"?O?"], Moves::Both),
];
/// The place of that pattern in [`PATTERNS`].
const CUT: usize = 4;

/// What is on a neighbour, as the mover sees it.
#[derive(Clone, Copy, PartialEq)]
enum Point {
    Empty,
    Own,
    Other,
    Beyond,
}

/// Neighbours in the order of the bits of an index: row by row from the top left.
type Ring = [Point; 8];

/// One bit for each ring of neighbours: whether some pattern holds.
static TABLE: LazyLock<Box<[u64]>> = LazyLock::new(|| {
    let mut table = vec![0_u64; (1 << 16) / 64].into_boxed_slice();
    for index in 0..1_usize << 16 {
        if holds(&ring_of(index)) {
            table[index / 64] |= 1 << (index % 64);
        }
    }
    table
});

/// The neighbours that an index stands for: the low byte has a bit for each point that is the
/// mover's, the high byte for each that is the opponent's; a point beyond the board has both.
fn ring_of(index: usize) -> Ring {
    std::array::from_fn(|i| match (index >> i & 1, index >> (8 + i) & 1) {
        (0, 0) => Point::Empty,
        (1, 0) => Point::Own,
        (0, _) => Point::Other,
        _ => Point::Beyond,
    })
}

/// True if some pattern holds in one of the eight ways to look at the board.
fn holds(ring: &Ring) -> bool {
    (0..8).any(|symmetry| {
        let ring = seen(ring, symmetry);
        [Point::Own, Point::Other].into_iter().any(|x| {
            let fits = |pattern: &Pattern| fits(pattern, &ring, x);
            let is_cut = fits(&PATTERNS[CUT]) && !NO_CUTS.iter().any(fits);
            let rest = PATTERNS.iter().enumerate().filter(|&(place, _)| place != CUT);
            is_cut || rest.into_iter().any(|(_, pattern)| fits(pattern))
        })
    })
}

/// The neighbours as one of the eight symmetries of the square shows them.
fn seen(ring: &Ring, symmetry: u8) -> Ring {
    std::array::from_fn(|i| {
        let square = if i < 4 { i } else { i + 1 };
        let mut row = square / 3;
        let mut column = square % 3;
        if symmetry & 1 != 0 {
            row = 2 - row;
        }
        if symmetry & 2 != 0 {
            column = 2 - column;
        }
        if symmetry & 4 != 0 {
            (row, column) = (column, row);
        }
        let square = 3 * row + column;
        ring[if square < 4 { square } else { square - 1 }]
    })
}

/// True if the pattern holds where `X` is the player of `x`.
fn fits(pattern: &Pattern, ring: &Ring, x: Point) -> bool {
    let o = if x == Point::Own { Point::Other } else { Point::Own };
    let may_play = match pattern.moves {
        Moves::Both => true,
        Moves::X => x == Point::Own,
        Moves::O => o == Point::Own,
    };
    let signs = pattern.rows.iter().flat_map(|row| row.iter());
    let around = signs.enumerate().filter(|&(square, _)| square != 4).map(|(_, sign)| sign);
    may_play
        && around.zip(ring).all(|(sign, &point)| match sign {
            b'X' => point == x,
            b'O' => point == o,
            b'x' => point == x || point == Point::Empty,
            b'o' => point == o || point == Point::Empty,
            b'.' => point == Point::Empty,
            b'?' => point != Point::Beyond,
            _ => point == Point::Beyond,
        })
}

/// True if one of the patterns holds around the empty point `point`. `own` are the mover's stones.
#[inline]
pub(super) fn matches<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    own: Set<N>,
    other: Set<N>,
    point: u16,
) -> bool {
    let beyond = grid.beyond(point);
    let own = grid.ring(own, point) | beyond;
    let other = grid.ring(other, point) | beyond;
    let index = usize::from(own) | usize::from(other) << 8;
    TABLE[index / 64] >> (index % 64) & 1 == 1
}
