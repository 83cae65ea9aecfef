//! The rules of Gomoku, as every game gives them.

use rand::Rng;

use super::{Gomoku, GomokuEncoding, GomokuOpening, GomokuState, Points, Stage};
use crate::{
    BoardKind, Display, Game, GameError, GameSpec, Key, Move, MovePlaces, Outcome, Player,
    RecordFormat, Status, Symmetry,
    games::{
        grid::Grid,
        parse_vertex,
        pattern::{Cell, around},
        vertex_name,
    },
};

impl Game for Gomoku {
    type State = GomokuState;
    type History = ();
    type Encoding = GomokuEncoding;

    fn spec(&self) -> GameSpec {
        let size = self.grid.size.to_string();
        let rule = self.rule.name().to_owned();
        let mut parameters = vec![("size", size), ("rule", rule)];
        // Named only where there is one, so that games recorded before keep their name.
        if self.opening != GomokuOpening::None {
            parameters.push(("opening", self.opening.name().to_owned()));
        }
        GameSpec::new("gomoku", &parameters)
    }

    fn unnamed_parameters(&self) -> Vec<(&'static str, String)> {
        let none = self.opening == GomokuOpening::None;
        none.then(|| ("opening", self.opening.name().to_owned())).into_iter().collect()
    }

    fn encoding(&self) -> GomokuEncoding {
        GomokuEncoding { game: self.clone() }
    }

    fn start(&self) -> GomokuState {
        GomokuState {
            stones: [Points::EMPTY; 2],
            placed: 0,
            won: false,
            stage: self.opening.first_stage(),
            black: Player::First,
        }
    }

    #[inline]
    fn status(&self, state: &GomokuState, (): &()) -> Status {
        if state.won {
            Status::Over(Outcome::win_of(state.mover().opponent()))
        } else if state.placed == self.grid.area() {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(state.mover())
        }
    }

    #[inline]
    fn legal_moves(&self, state: &GomokuState, (): &(), out: &mut Vec<Move>) {
        if state.won {
            return out.clear();
        }
        let (size, [first, second]) = (self.grid.size, &state.stones);
        // Written for every point, kept for the open ones: a branch would be a coin toss.
        out.resize(self.moves_max(), Move(0));
        let slots = out.as_mut_slice();
        let mut len = 0;
        let mut point = 0;
        for row in 0..size {
            let start = self.bit((row, 0));
            let mut open = !(first.window(start) | second.window(start));
            for _ in 0..size {
                slots[len] = Move(point);
                len += usize::from(open & 1 == 1);
                open >>= 1;
                point += 1;
            }
        }
        out.truncate(len);
        if state.stage.is_choice() {
            out.push(self.swap());
        }
        if self.more_is_legal(state) {
            out.push(self.more());
        }
    }

    #[inline]
    fn play(&self, state: &mut GomokuState, mv: Move) {
        debug_assert!(!state.won, "the game is over");
        if state.stage != Stage::Settled {
            return self.play_opening(state, mv);
        }
        self.place(state, mv.0);
    }

    /// A move that wins, else one that keeps the opponent from winning at once, else any.
    fn informed_move(
        &self,
        state: &GomokuState,
        (): &(),
        _last: Option<Move>,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        let is_settled = !state.won && state.stage == Stage::Settled;
        let forced = if is_settled { self.winning_or_blocking(state, random) } else { None };
        forced.or_else(|| self.random_move(state, &(), random, scratch))
    }

    #[inline]
    fn eval_key(&self, state: &GomokuState, (): &()) -> Key {
        // Who moves, and whether somebody has won, follows from the stones.
        let last = self.bit((self.grid.size - 1, self.grid.size - 1));
        let [first, second] = &state.stones;
        let words = first.words(last).iter().zip(second.words(last));
        let key = words.fold(Key::of_words(&[]), |key, (&f, &s)| key.mix(f).mix(s));
        if self.opening == GomokuOpening::None {
            return key;
        }
        // Who has which colour does not follow.
        key.mix((state.stage as u64) << 1 | state.black.index() as u64)
    }

    fn plies_max(&self) -> Option<u32> {
        Some(u32::from(self.grid.area() + self.opening.choices()))
    }

    fn moves_max(&self) -> usize {
        self.grid.area().into()
    }

    fn symmetry_count(&self) -> u8 {
        Grid::SYMMETRIES
    }

    fn map_state(&self, symmetry: Symmetry, state: &GomokuState) -> GomokuState {
        let stones = state.stones.map(|stones| {
            self.places(&stones).fold(Points::EMPTY, |mut mapped, at| {
                mapped.insert(self.bit(self.grid.map(symmetry, at)));
                mapped
            })
        });
        GomokuState { stones, ..*state }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        if mv < self.swap() { Move(self.grid.map_point(symmetry, mv.0)) } else { mv }
    }

    fn format_move(&self, mv: Move) -> String {
        if mv == self.swap() {
            "swap".to_owned()
        } else if mv == self.more() {
            "more".to_owned()
        } else {
            self.grid.name(mv.0)
        }
    }

    fn parse_move(&self, _state: &GomokuState, text: &str) -> Result<Move, GameError> {
        let (choices, also) = match self.opening {
            GomokuOpening::None => (&[][..], ""),
            GomokuOpening::Swap => (&["swap"][..], ", or swap"),
            GomokuOpening::Swap2 => (&["swap", "more"][..], ", or swap, or more"),
        };
        match (self.swap().0..).zip(choices).find(|(_, name)| text.eq_ignore_ascii_case(name)) {
            Some((number, _)) => Ok(Move(number)),
            None => self.grid.parse_move(text, also).map(Move),
        }
    }

    /// Black stones as X, white ones as O; with an opening, who has which.
    fn render(&self, state: &GomokuState) -> String {
        let board = self.grid.render(|point| self.stone_at(state, point));
        if self.opening == GomokuOpening::None { board } else { board + &state.describe_opening() }
    }

    /// As the player sees it whose colour is placed.
    fn surroundings(&self, state: &GomokuState, mv: Move) -> Option<u64> {
        let grid = self.grid;
        let colour = Player::BOTH[usize::from(state.placed % 2)];
        let stone = |(row, column)| self.stone_at(state, row * grid.size + column);
        (mv.0 < grid.area()).then(|| {
            around(grid.split(mv.0), (grid.size, grid.size), |at| Cell::of(stone(at), colour))
        })
    }

    fn stones(&self, state: &GomokuState) -> Option<Vec<Option<Player>>> {
        Some((0..self.size() * self.size()).map(|point| self.stone_at(state, point)).collect())
    }

    fn display(&self) -> Display {
        Display {
            sides: Display::BLACK_FIRST,
            board: BoardKind::Stones,
            places: MovePlaces::TopLeft,
        }
    }

    fn notation(&self) -> &'static str {
        self.opening.notation()
    }

    fn summary(&self) -> Option<&'static str> {
        Some(self.rule.summary())
    }

    fn record_format(&self) -> RecordFormat {
        self.records()
    }

    fn record_move(&self, _state: &GomokuState, mv: Move) -> Option<String> {
        Some(self.format_record(mv))
    }

    fn parse_record_move(&self, state: &GomokuState, text: &str) -> Result<Move, GameError> {
        self.parse_record(state, text)
    }

    /// Gomoku is played in front ends for Go, so points are GTP's vertices: A1 bottom left and no
    /// I.
    fn protocol_move(&self, _state: &GomokuState, mv: Move) -> String {
        // A choice of colours is no point and keeps its own name.
        if mv < self.swap() { vertex_name(self.size(), mv.0) } else { self.format_move(mv) }
    }

    fn parse_protocol_move(&self, state: &GomokuState, text: &str) -> Result<Move, GameError> {
        match (parse_vertex(self.size(), text), self.parse_move(state, text)) {
            (Some(point), _) => Ok(Move(point)),
            (None, Ok(mv)) if mv >= self.swap() => Ok(mv),
            _ => Err(GameError::BadMove {
                text: text.to_owned(),
                expected: "write a vertex, column and row from the bottom left, without I".into(),
            }),
        }
    }
}
