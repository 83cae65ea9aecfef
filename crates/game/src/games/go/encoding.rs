//! What networks see of Go.

use super::{
    Go, GoHistory, GoState,
    board::on_grid,
    moves,
    set::{Grid, Set, WORDS_MAX},
};
use crate::{Encoding, Game, Move, PlaneShape, PlaneWriter, Player, Symmetry, Targets};

/// Points of komi that the network sees as 1.
const KOMI_UNIT: f32 = 20.0;

/// Version 1, from the mover's side: own and the opponent's stones, chains of either with one, two,
/// and more liberties, points that only ko or superko forbids, all points. The globals are the
/// mover's colour, komi from the mover's side, and whether the last move was a pass. Under
/// `history_planes` own and the opponent's stones of that many past positions follow, the last one
/// first, none before the start.
#[derive(Clone, Debug)]
pub struct GoEncoding {
    pub(super) game: Go,
}

/// Plane of chains with one liberty; two and more follow.
const LIBERTIES: usize = 2;
const BANNED: usize = 5;
const BOARD: usize = 6;
/// First plane of past positions.
const PAST: usize = 7;

impl GoEncoding {
    fn past_positions(&self) -> usize {
        self.game.rules.history_planes.into()
    }

    fn write_planes<const N: usize, const ROW: u32>(
        &self,
        grid: &Grid<N, ROW>,
        state: &GoState,
        history: &GoHistory,
        mut set: impl FnMut(usize, u16),
    ) {
        let players = [state.mover, state.mover.opponent()].map(Player::index);
        let sides: [Set<N>; 2] = players.map(|player| Set::load(&state.stones[player]));
        let empty = grid.all.without(sides[0].or(sides[1]));
        for (channel, player) in players.into_iter().enumerate() {
            let atari = Set::load(&state.atari[player]);
            let chains = chains_by_liberties(grid, sides[channel], atari, empty);
            for (more, stones) in chains.into_iter().enumerate() {
                stones.for_each(|point| {
                    set(channel, point);
                    set(LIBERTIES + more, point);
                });
            }
        }
        if !state.is_over() {
            let banned = moves::legality(grid, &self.game.rules, state, history).banned;
            banned.for_each(|point| set(BANNED, point));
        }
    }
}

/// The chains with one liberty, which are those in `atari`, with two, and with more.
fn chains_by_liberties<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    stones: Set<N>,
    atari: Set<N>,
    empty: Set<N>,
) -> [Set<N>; 3] {
    // Most chains have a stone with three, so that one flood finds them all.
    let mut more = grid.flood(grid.near_three(empty).and(stones), stones);
    let mut two = Set::EMPTY;
    let mut rest = stones.without(atari).without(more);
    while let Some(point) = rest.first() {
        let chain = grid.flood(Set::of(point), stones);
        rest = rest.without(chain);
        if grid.near(chain).and(empty).len() == 2 {
            two = two.or(chain);
        } else {
            more = more.or(chain);
        }
    }
    [atari, two, more]
}

impl Encoding for GoEncoding {
    type Game = Go;

    fn id(&self) -> String {
        let seen = match self.past_positions() {
            0 => String::new(),
            past => format!(",history_planes={past}"),
        };
        format!("go-v1:{0}x{0}{seen}", self.game.board.size())
    }

    fn planes(&self) -> PlaneShape {
        let side = self.game.board.size().into();
        let channels = PAST + 2 * self.past_positions();
        PlaneShape { channels, height: side, width: side, globals: 3 }
    }

    fn plane_names(&self) -> Vec<String> {
        let names = [
            "own stones",
            "opponent's stones",
            "1 liberty",
            "2 liberties",
            "3 or more liberties",
            "ko forbids",
            "board",
        ];
        let past = (1..=self.past_positions()).flat_map(|plies| {
            let word = if plies == 1 { "ply" } else { "plies" };
            ["own", "opponent's"].map(|whose| format!("{whose} stones {plies} {word} ago"))
        });
        names.map(str::to_owned).into_iter().chain(past).collect()
    }

    fn global_names(&self) -> Vec<String> {
        ["mover is black", "mover's komi / 20", "last move was a pass"].map(str::to_owned).to_vec()
    }

    fn policy_len(&self) -> usize {
        usize::from(self.game.board.area()) + 1
    }

    fn policy_layout(&self) -> String {
        "index = row * size + column, row 0 at the top; last = pass".to_owned()
    }

    fn policy_index(&self, _state: &GoState, mv: Move, symmetry: Symmetry) -> usize {
        self.game.map_move(symmetry, mv).0.into()
    }

    /// In one go, since this is part of every evaluation.
    fn policy_indices(
        &self,
        _state: &GoState,
        moves: &[Move],
        symmetry: Symmetry,
        out: &mut Vec<u32>,
    ) {
        let board = &self.game.board;
        let mapped = board.square.mapped(symmetry);
        // What has no place on the board is the pass.
        let index = |mv: &Move| mapped.get(usize::from(mv.0)).map_or(board.area(), |&point| point);
        out.clear();
        out.extend(moves.iter().map(|mv| u32::from(index(mv))));
    }

    fn encode(
        &self,
        state: &GoState,
        history: &GoHistory,
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let board = &self.game.board;
        out.fill(BOARD);
        let mapped = board.square.mapped(symmetry);
        let mut set = |channel, point| {
            out.set_point(channel, mapped[usize::from(point)].into());
        };
        on_grid!(board, grid => self.write_planes(grid, state, history, &mut set));
        let players = [state.mover, state.mover.opponent()];
        for (at, past) in history.boards().take(self.past_positions()).enumerate() {
            for (side, player) in players.into_iter().enumerate() {
                let stones = Set::<WORDS_MAX>::load(&past.stones[player.index()]);
                stones.for_each(|point| set(PAST + 2 * at + side, point));
            }
        }
        let komi = f32::from(self.game.komi_with(state.komi_shift).halves) / 2.0 / KOMI_UNIT;
        let black = state.mover == Player::First;
        out.global(0, if black { 1.0 } else { 0.0 });
        out.global(1, if black { -komi } else { komi });
        out.global(2, if state.passes > 0 { 1.0 } else { 0.0 });
    }

    fn targets(&self) -> Targets {
        Targets { margin: true, ownership: true }
    }

    /// Whose area each point is, every stone taken for alive.
    fn ownership(&self, end: &GoState, symmetry: Symmetry, out: &mut Vec<Option<Player>>) {
        let board = &self.game.board;
        out.clear();
        out.resize(board.area().into(), None);
        on_grid!(board, grid => {
            for (player, area) in Player::BOTH.into_iter().zip(grid.areas(&end.stones)) {
                for point in area.iter() {
                    out[usize::from(board.square.map_point(symmetry, point))] = Some(player);
                }
            }
        });
    }
}
