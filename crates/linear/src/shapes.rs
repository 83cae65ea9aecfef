//! Local shapes as binary features (Silver, Sutton and Mueller, Reinforcement Learning of Local
//! Shape in the Game of Go, IJCAI 2007, section 3): every configuration of stones in every square
//! window of a board.
//!
//! A window of m x m points has 3^(m^2) configurations. Each is a feature twice: at its place
//! (location dependent), and anywhere (location independent). Features that a symmetry of the game
//! turns into each other share a weight. So do the colours: a position is looked at by the player
//! who has just moved, whose stones are `own`.

use std::collections::BTreeMap;

use dz_game::{Game, Move, Player, Symmetry};

/// What is on a point, as a digit of a configuration: nothing, a stone of the player who looks, or
/// one of the opponent.
pub(crate) const EMPTY: u8 = 0;
pub(crate) const OWN: u8 = 1;
pub(crate) const OTHER: u8 = 2;

/// Largest side of a window: 3^9 configurations.
pub const SIDE_MAX: u8 = 3;

/// The features of one game: which weights a position adds up.
#[derive(Clone, Debug)]
pub struct Shapes {
    /// Points of the board.
    pub(crate) points: usize,
    windows: Vec<Window>,
    /// Windows that have a point.
    covering: Vec<Vec<u32>>,
    /// Configurations as they share weights, a table for each kind of window.
    tables: Vec<Table>,
    weights: usize,
}

#[derive(Clone, Debug)]
struct Window {
    /// Its points, row by row.
    points: Vec<u16>,
    table: usize,
    /// Where the weights of its place begin.
    at_place: u32,
    /// Where the weights of its size begin.
    anywhere: u32,
}

/// For each configuration, the one whose weight it shares: at its place and anywhere.
#[derive(Clone, Debug)]
struct Table {
    at_place: Vec<u16>,
    anywhere: Vec<u16>,
}

/// A permutation of a window's cells: cell `i` of the window goes to cell `self[i]`.
type Cells = Vec<usize>;

impl Shapes {
    /// The features of windows with these sides. `None` for games without stones on the points of a
    /// square board.
    pub fn of<G: Game>(game: &G, sides: &[u8]) -> Option<Self> {
        let points = game.stones(&game.start())?.len();
        let size = points.isqrt();
        let maps: Vec<Vec<u16>> = (0..game.symmetry_count())
            .map(|symmetry| {
                let map = |point| game.map_move(Symmetry(symmetry), Move(point)).0;
                (0..points as u16).map(map).collect()
            })
            .collect();
        let mut shapes = Self {
            points,
            windows: Vec::new(),
            covering: vec![Vec::new(); points],
            tables: Vec::new(),
            weights: 1,
        };
        for &side in sides.iter().filter(|&&side| usize::from(side) <= size) {
            shapes.add_size(size, side.into(), &maps);
        }
        for (index, window) in shapes.windows.iter().enumerate() {
            for &point in &window.points {
                shapes.covering[usize::from(point)].push(index as u32);
            }
        }
        Some(shapes)
    }

    /// Weights that the features have, the constant one included, which is the first.
    pub fn weights(&self) -> usize {
        self.weights
    }

    /// Windows with a feature at their place and one anywhere.
    pub fn windows(&self) -> usize {
        self.windows.len()
    }

    /// Adds the windows of one size.
    fn add_size(&mut self, size: usize, side: usize, maps: &[Vec<u16>]) {
        let per_side = size - side + 1;
        let all: Vec<Vec<u16>> = (0..per_side * per_side)
            .map(|place| {
                let top = place / per_side;
                let left = place % per_side;
                let cells =
                    (0..side * side).map(|cell| (top + cell / side) * size + left + cell % side);
                cells.map(|point| point as u16).collect()
            })
            .collect();
        let index: BTreeMap<Vec<u16>, usize> =
            all.iter().enumerate().map(|(place, window)| (sorted(window), place)).collect();
        let configurations = 3_usize.pow((side * side) as u32);
        let anywhere = self.weights;
        self.weights += configurations;
        // How each symmetry turns a window of this size, whichever it is.
        let turns: Vec<Cells> = maps.iter().map(|map| turn(&all, &index, map, 0).1).collect();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut kinds: BTreeMap<(Cells, Vec<Cells>), usize> = BTreeMap::new();
        for place in 0..all.len() {
            let images: Vec<(usize, Cells)> =
                maps.iter().map(|map| turn(&all, &index, map, place)).collect();
            let Some(first) = images.iter().min_by_key(|(image, _)| *image).cloned() else {
                continue;
            };
            let (chief, to_chief) = first;
            let at_place = *places.entry(chief).or_insert_with(|| {
                self.weights += configurations;
                self.weights - configurations
            });
            // Symmetries that leave the chief window where it is.
            let mut still: Vec<Cells> = maps
                .iter()
                .map(|map| turn(&all, &index, map, chief))
                .filter(|(image, _)| *image == chief)
                .map(|(_, cells)| cells)
                .collect();
            still.sort();
            let table = *kinds.entry((to_chief.clone(), still.clone())).or_insert_with(|| {
                self.tables.push(Table::new(configurations, &to_chief, &still, &turns));
                self.tables.len() - 1
            });
            self.windows.push(Window {
                points: all[place].clone(),
                table,
                at_place: at_place as u32,
                anywhere: anywhere as u32,
            });
        }
    }

    /// The configuration of a window.
    #[inline]
    fn code(&self, window: u32, stones: &[u8]) -> usize {
        let points = &self.windows[window as usize].points;
        points.iter().fold(0, |code, &point| 3 * code + usize::from(stones[usize::from(point)]))
    }

    /// The two weights of a window as it stands.
    #[inline]
    fn features(&self, window: u32, stones: &[u8]) -> [usize; 2] {
        self.features_of(window, self.code(window, stones))
    }

    /// The two weights of a window's configuration.
    #[inline]
    pub(crate) fn features_of(&self, window: u32, code: usize) -> [usize; 2] {
        let window = &self.windows[window as usize];
        let table = &self.tables[window.table];
        [
            window.at_place as usize + usize::from(table.at_place[code]),
            window.anywhere as usize + usize::from(table.anywhere[code]),
        ]
    }

    /// The configurations that a window can have.
    pub(crate) fn configurations(&self, window: u32) -> usize {
        3_usize.pow(self.windows[window as usize].points.len() as u32)
    }

    /// Clears `out` and fills in the configuration of each window.
    pub(crate) fn codes(&self, stones: &[u8], out: &mut Vec<usize>) {
        out.clear();
        out.extend((0..self.windows.len() as u32).map(|window| self.code(window, stones)));
    }

    /// The windows that cover a point, each with what an own stone there adds to its configuration
    /// while the point is empty.
    pub(crate) fn own_stone(&self, point: usize) -> Vec<(u32, usize)> {
        let added = |&window: &u32| {
            let points = &self.windows[window as usize].points;
            let cell = points.iter().position(|&other| usize::from(other) == point).unwrap_or(0);
            (window, usize::from(OWN) * 3_usize.pow((points.len() - 1 - cell) as u32))
        };
        self.covering[point].iter().map(added).collect()
    }

    /// Clears `out` and fills in the weights of a position, one entry for each feature that holds.
    pub(crate) fn active(&self, stones: &[u8], out: &mut Vec<usize>) {
        out.clear();
        out.push(0);
        for window in 0..self.windows.len() as u32 {
            out.extend(self.features(window, stones));
        }
    }

    /// What a position's weights add up to.
    pub(crate) fn sum(&self, stones: &[u8], weights: &[f32]) -> f64 {
        let windows = 0..self.windows.len() as u32;
        let each = windows.map(|window| self.sum_of(window, stones, weights));
        f64::from(weights[0]) + each.sum::<f64>()
    }

    #[inline]
    fn sum_of(&self, window: u32, stones: &[u8], weights: &[f32]) -> f64 {
        self.features(window, stones).into_iter().map(|index| f64::from(weights[index])).sum()
    }

    /// How the sum changes from `before` to `after`, which differ on the points `changed`.
    pub(crate) fn change(
        &self,
        before: &[u8],
        after: &[u8],
        changed: &[u16],
        weights: &[f32],
        seen: &mut Vec<u32>,
    ) -> f64 {
        seen.clear();
        for &point in changed {
            seen.extend(&self.covering[usize::from(point)]);
        }
        seen.sort_unstable();
        seen.dedup();
        let each = seen.iter().map(|&window| {
            self.sum_of(window, after, weights) - self.sum_of(window, before, weights)
        });
        each.sum()
    }
}

/// Where a symmetry takes the window at `place`, and each of its cells.
fn turn(
    all: &[Vec<u16>],
    index: &BTreeMap<Vec<u16>, usize>,
    map: &[u16],
    place: usize,
) -> (usize, Cells) {
    let image: Vec<u16> = all[place].iter().map(|&point| map[usize::from(point)]).collect();
    // Symmetries of a square board take squares to squares.
    let target = index.get(&sorted(&image)).copied().unwrap_or(place);
    let cell = |point: &u16| all[target].iter().position(|other| other == point).unwrap_or(0);
    (target, image.iter().map(cell).collect())
}

fn sorted(window: &[u16]) -> Vec<u16> {
    let mut points = window.to_vec();
    points.sort_unstable();
    points
}

/// The configuration with its cells moved.
fn moved(code: usize, cells: &Cells) -> usize {
    let mut digits = [0; (SIDE_MAX * SIDE_MAX) as usize];
    let mut rest = code;
    for from in (0..cells.len()).rev() {
        digits[cells[from]] = rest % 3;
        rest /= 3;
    }
    digits[..cells.len()].iter().fold(0, |code, digit| 3 * code + digit)
}

impl Table {
    fn new(configurations: usize, to_chief: &Cells, still: &[Cells], turns: &[Cells]) -> Self {
        let least = |code: usize, ways: &[Cells]| {
            let codes = ways.iter().map(|cells| moved(code, cells));
            codes.min().unwrap_or(code) as u16
        };
        let at_place = (0..configurations).map(|code| least(moved(code, to_chief), still));
        let anywhere = (0..configurations).map(|code| least(code, turns));
        Self { at_place: at_place.collect(), anywhere: anywhere.collect() }
    }
}

/// Clears `out` and fills in what is on each point for `player`.
pub(crate) fn look(stones: &[Option<Player>], player: Player, out: &mut Vec<u8>) {
    out.clear();
    out.extend(stones.iter().map(|stone| match stone {
        None => EMPTY,
        Some(owner) if *owner == player => OWN,
        Some(_) => OTHER,
    }));
}
