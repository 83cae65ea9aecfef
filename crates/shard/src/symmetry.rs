//! A game's symmetries as permutation tables, for readers that do not know its rules.

use std::ops::Range;

use dz_game::{Encoding, Game, Key, Move, PlaneShape, PlaneWriter, Symmetry};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::{RowShape, ShardError};

/// Random games that the tables are found from, and as many again that they are checked on. More
/// are sampled where some policy index was not legal in any of them.
const GAMES: [u64; 3] = [64, 256, 1024];
/// What fails where an index is legal too rarely.
const UNSEEN: &str = "a policy index is legal in no random game";
/// Plies after which a random game of a game without end is left.
const PLIES_MAX: usize = 1024;

/// One symmetry: where each point and each policy index goes.
///
/// A row seen through it has bit `c*H*W + point[p]` wherever the row has bit `c*H*W + p`, and share
/// `s` at policy index `policy[a]` wherever the row has share `s` at `a`. Globals stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymmetryTables {
    /// For each point `y*W + x`, the point that it becomes; `H*W` entries.
    pub point: Vec<u16>,
    /// For each policy index, the index that it becomes; `A` entries.
    pub policy: Vec<u16>,
}

impl SymmetryTables {
    /// The tables that change nothing.
    pub fn identity(shape: RowShape) -> Self {
        let point = (0..shape.planes.area()).map(|p| p as u16).collect();
        Self { point, policy: (0..shape.policy_len).map(|a| a as u16).collect() }
    }

    /// Turns one row's packed planes into `out`, which has as many bytes.
    pub fn map_bits(&self, shape: PlaneShape, bits: &[u8], out: &mut [u8]) {
        let area = shape.area();
        out.fill(0);
        for (byte, &set) in bits.iter().enumerate() {
            let mut set = set;
            while set != 0 {
                let bit = byte * 8 + set.trailing_zeros() as usize;
                set &= set - 1;
                let to = bit / area * area + usize::from(self.point[bit % area]);
                out[to / 8] |= 1 << (to % 8);
            }
        }
    }

    /// Whether both tables are permutations of this shape.
    pub(crate) fn fits(&self, shape: RowShape) -> bool {
        is_permutation(&self.point, shape.planes.area())
            && is_permutation(&self.policy, shape.policy_len)
    }
}

fn is_permutation(table: &[u16], length: usize) -> bool {
    // Lengths first: that of a file's header may be anything.
    if table.len() != length {
        return false;
    }
    let mut seen = vec![false; length];
    let fresh =
        |&to: &u16| seen.get_mut(usize::from(to)).is_some_and(|s| !std::mem::replace(s, true));
    table.iter().all(fresh)
}

/// The tables of all of a game's symmetries, found by encoding random games.
///
/// Two points go to each other where, over all sampled positions, they look the same in every
/// plane. The tables are then checked on other random games, so an encoding whose symmetries do
/// more than permute points (swap planes, say) is refused rather than trained on wrongly.
///
/// # Errors
/// [`ShardError::Symmetry`].
pub fn symmetry_tables<G: Game>(game: &G) -> Result<Vec<SymmetryTables>, ShardError> {
    let [few, more @ ..] = GAMES;
    more.into_iter().fold(tables_of(game, few), |found, games| match found {
        Err(ShardError::Symmetry { what, .. }) if what == UNSEEN => tables_of(game, games),
        found => found,
    })
}

/// As [`symmetry_tables`], from so many random games.
fn tables_of<G: Game>(game: &G, games: u64) -> Result<Vec<SymmetryTables>, ShardError> {
    let shape = RowShape::of(&game.encoding());
    let mut all = vec![SymmetryTables::identity(shape)];
    if game.symmetry_count() == 1 {
        return Ok(all);
    }
    let learn = Sample::of_games(game, 0..games);
    let check = Sample::of_games(game, games..2 * games);
    for number in 1..game.symmetry_count() {
        let failed = |what: &str| ShardError::Symmetry {
            encoding: game.encoding().id(),
            symmetry: number,
            what: what.to_owned(),
        };
        let symmetry = Symmetry(number);
        let point = find_points(game, &learn, symmetry)
            .ok_or_else(|| failed("no point of the mapped planes looks the same"))?;
        let policy = find_policy(game, &learn, symmetry, &point).map_err(failed)?;
        let tables = SymmetryTables { point, policy };
        if !tables.fits(shape) {
            return Err(failed("two go to the same place"));
        }
        for sample in [&learn, &check] {
            if !sample.agrees(game, symmetry, &tables) {
                return Err(failed("planes, globals or policy of a random game differ"));
            }
        }
        all.push(tables);
    }
    Ok(all)
}

/// Positions of random games with their legal moves.
struct Sample<G: Game> {
    positions: Vec<(G::State, G::History, Vec<Move>)>,
}

/// One position's planes and globals.
struct Encoded {
    bits: Vec<u8>,
    globals: Vec<f32>,
}

impl<G: Game> Sample<G> {
    fn of_games(game: &G, seeds: Range<u64>) -> Self {
        let mut positions = Vec::new();
        for number in seeds {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(number);
            let mut state = game.start();
            let mut history = G::History::default();
            let mut legal = Vec::new();
            for _ in 0..PLIES_MAX {
                game.legal_moves(&state, &history, &mut legal);
                positions.push((state.clone(), history.clone(), legal.clone()));
                if legal.is_empty() {
                    break;
                }
                let mv = legal[random.random_range(0..legal.len())];
                game.advance(&mut state, &mut history, mv);
            }
        }
        Self { positions }
    }

    fn encoded<'a>(
        &'a self,
        game: &'a G,
        symmetry: Symmetry,
    ) -> impl Iterator<Item = Encoded> + 'a {
        let encoding = game.encoding();
        let shape = encoding.planes();
        self.positions.iter().map(move |(state, history, _)| {
            let mut encoded =
                Encoded { bits: vec![0; shape.packed_bytes()], globals: vec![0.0; shape.globals] };
            let mut writer = PlaneWriter::new(shape, &mut encoded.bits, &mut encoded.globals);
            encoding.encode(state, history, symmetry, &mut writer);
            encoded
        })
    }

    fn agrees(&self, game: &G, symmetry: Symmetry, tables: &SymmetryTables) -> bool {
        let encoding = game.encoding();
        let shape = encoding.planes();
        let mut mapped = vec![0; shape.packed_bytes()];
        let pairs = self.encoded(game, Symmetry::IDENTITY).zip(self.encoded(game, symmetry));
        let planes_agree = pairs.into_iter().all(|(plain, turned)| {
            tables.map_bits(shape, &plain.bits, &mut mapped);
            mapped == turned.bits && plain.globals == turned.globals
        });
        planes_agree
            && self.positions.iter().all(|(state, _, legal)| {
                legal.iter().all(|&mv| {
                    let plain = encoding.policy_index(state, mv, Symmetry::IDENTITY);
                    let turned = encoding.policy_index(state, mv, symmetry);
                    tables.policy.get(plain).is_some_and(|&to| usize::from(to) == turned)
                })
            })
    }
}

/// A hash of what each point shows in every plane of every position.
fn signatures<G: Game>(game: &G, sample: &Sample<G>, symmetry: Symmetry) -> Vec<Key> {
    let shape = game.encoding().planes();
    let mut keys = vec![Key::default(); shape.area()];
    for encoded in sample.encoded(game, symmetry) {
        for (point, key) in keys.iter_mut().enumerate() {
            let bit = |channel: usize| channel * shape.area() + point;
            let is_set = |bit: usize| u64::from(encoded.bits[bit / 8] >> (bit % 8) & 1);
            let mut channels = (0..shape.channels).map(bit).map(is_set).peekable();
            // 64 planes a word.
            while channels.peek().is_some() {
                let word = channels.by_ref().take(64).fold(0, |word, bit| word << 1 | bit);
                *key = key.mix(word);
            }
        }
    }
    keys
}

/// Matches points by signature. Points of equal signatures, which no position distinguishes, are
/// matched in ascending order.
fn find_points<G: Game>(game: &G, sample: &Sample<G>, symmetry: Symmetry) -> Option<Vec<u16>> {
    let plain = signatures(game, sample, Symmetry::IDENTITY);
    let turned = signatures(game, sample, symmetry);
    let mut used = vec![false; turned.len()];
    let mut point = Vec::with_capacity(plain.len());
    for key in plain {
        let to = (0..turned.len()).find(|&to| !used[to] && turned[to] == key)?;
        used[to] = true;
        point.push(to as u16);
    }
    Some(point)
}

/// Follows every legal move. Fails if an index goes to two places, or if no position shows where it
/// goes.
///
/// Where indices that are legal somewhere go as the points of the same numbers do, so do those that
/// are legal nowhere, such as the four points that an Othello board starts with.
fn find_policy<G: Game>(
    game: &G,
    sample: &Sample<G>,
    symmetry: Symmetry,
    point: &[u16],
) -> Result<Vec<u16>, &'static str> {
    let encoding = game.encoding();
    let mut policy = vec![None; encoding.policy_len()];
    for (state, _, legal) in &sample.positions {
        for &mv in legal {
            let from = encoding.policy_index(state, mv, Symmetry::IDENTITY);
            let to = encoding.policy_index(state, mv, symmetry) as u16;
            if *policy[from].get_or_insert(to) != to {
                return Err("a policy index goes to two others");
            }
        }
    }
    if policy.iter().zip(point).all(|(to, &point)| to.is_none_or(|to| to == point)) {
        policy.iter_mut().zip(point).for_each(|(to, &point)| *to = Some(point));
    }
    policy.into_iter().collect::<Option<_>>().ok_or(UNSEEN)
}

#[cfg(test)]
mod tests {
    use dz_game::games::{Breakthrough, Connect4, Othello, TicTacToe};

    use super::*;

    #[test]
    fn connect_four_mirrors_columns() {
        let game = Connect4::from_spec(&"connect4".parse().unwrap()).unwrap();
        let tables = symmetry_tables(&game).unwrap();
        assert_eq!(tables.len(), usize::from(game.symmetry_count()));
        assert_eq!(tables[1].policy, [6, 5, 4, 3, 2, 1, 0]);
        let mirrored: Vec<u16> = (0..42).map(|p| p / 7 * 7 + 6 - p % 7).collect();
        assert_eq!(tables[1].point, mirrored);
    }

    #[test]
    fn indices_that_are_never_legal_go_where_their_points_go() {
        let game = Othello::from_spec(&"othello:size=6".parse().unwrap()).unwrap();
        let tables = symmetry_tables(&game).unwrap();
        let (area, pass) = (36, 36);
        let sample = Sample::of_games(&game, 0..64);
        for start in [14, 15, 20, 21] {
            let is_start = |&mv: &Move| {
                game.encoding().policy_index(&game.start(), mv, Symmetry::IDENTITY) == start
            };
            assert!(!sample.positions.iter().any(|(_, (), legal)| legal.iter().any(is_start)));
        }
        for table in &tables {
            assert_eq!(table.policy[..area], table.point);
            assert_eq!(usize::from(table.policy[pass]), pass);
        }
    }

    #[test]
    fn indices_that_are_rarely_legal_are_found_too() {
        for width in [3, 5, 8] {
            for height in [5, 8] {
                let game = Breakthrough::new(width, height).unwrap();
                let tables = symmetry_tables(&game).unwrap();
                let row = 3 * usize::from(width) - 2;
                let mirrored = |a: usize| a / row * row + row - 1 - a % row;
                let all = 0..game.encoding().policy_len();
                let wanted: Vec<u16> = all.map(|a| mirrored(a) as u16).collect();
                assert_eq!(tables[1].policy, wanted, "{width}x{height}");
            }
        }
    }

    #[test]
    fn tables_agree_with_the_encoding_on_other_games() {
        let game = TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap();
        let tables = symmetry_tables(&game).unwrap();
        assert_eq!(tables.len(), 8);
        let fresh = Sample::of_games(&game, 1_000_000..1_000_064);
        for (number, tables) in tables.iter().enumerate() {
            assert!(fresh.agrees(&game, Symmetry(number as u8), tables));
        }
        assert!(!fresh.agrees(&game, Symmetry(1), &tables[0]), "the check can fail");
    }
}
