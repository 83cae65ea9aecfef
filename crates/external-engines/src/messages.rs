//! What GTP and UCI call the moves.

use dz_game::{
    Game, GameError, Move,
    games::{parse_vertex, vertex_name},
};

/// Which names of moves a game's front ends use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// The game's own: Go's are GTP's vertices, chess has UCI's moves, and programs for Othello
    /// that speak GTP (Edax) write the game's points, a1 top left.
    Own,
    /// Those of its records: programs for Hex (benzene) write a1 top left and `swap-pieces`.
    Record,
    /// GTP's vertices, A1 bottom left and no I, on a board of so many rows: Gomoku in front ends
    /// for Go.
    Vertices(u16),
}

impl Names {
    /// The names that front ends of a game use.
    pub fn of<G: Game>(game: &G) -> Self {
        let spec = game.spec();
        match spec.name() {
            "hex" => Self::Record,
            "gomoku" => size_of(game).map_or(Self::Own, Self::Vertices),
            _ => Self::Own,
        }
    }

    /// The name of a move in `state`.
    pub fn format<G: Game>(self, game: &G, state: &G::State, mv: Move) -> String {
        match self {
            Self::Record => game.record_move(state, mv).unwrap_or_else(|| game.format_move(mv)),
            Self::Vertices(size) if mv.0 < size * size => vertex_name(size, mv.0),
            // Taking a colour is no point.
            Self::Own | Self::Vertices(_) => game.format_move(mv),
        }
    }

    /// The move that `text` names in `state`; not checked for legality.
    ///
    /// # Errors
    /// If it names no move.
    pub fn parse<G: Game>(self, game: &G, state: &G::State, text: &str) -> Result<Move, GameError> {
        match self {
            Self::Own => game.parse_move(state, text),
            Self::Record => game.parse_record_move(state, text),
            Self::Vertices(size) => {
                match (parse_vertex(size, text), game.parse_move(state, text)) {
                    (Some(point), _) => Ok(Move(point)),
                    (None, Ok(mv)) if mv.0 >= size * size => Ok(mv),
                    _ => Err(GameError::BadMove {
                        text: text.to_owned(),
                        expected: "write a vertex, column and row from the bottom left, without I"
                            .into(),
                    }),
                }
            }
        }
    }
}

/// The rows of a game that has a parameter `size`.
pub fn size_of<G: Game>(game: &G) -> Option<u16> {
    game.spec().parameter("size")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use dz_game::games::{Gomoku, Hex};

    use super::*;

    #[test]
    fn gomoku_has_the_vertices_of_gtp() {
        let game = Gomoku::from_spec(&"gomoku:size=15".parse().expect("a spec")).expect("a game");
        let names = Names::of(&game);
        assert_eq!(names, Names::Vertices(15));
        let state = game.start();
        for (text, mv) in [("A15", 0), ("J15", 8), ("P1", 224), ("A1", 210)] {
            assert_eq!(names.parse(&game, &state, text), Ok(Move(mv)));
            assert_eq!(names.format(&game, &state, Move(mv)), text);
        }
        for text in ["I5", "A16", "A0", "Q1", "pass", "", "A+5", "\u{e9}5", "A"] {
            assert!(names.parse(&game, &state, text).is_err(), "{text}");
        }
    }

    #[test]
    fn colours_of_gomoku_are_taken_by_word() {
        let game = Gomoku::from_spec(&"gomoku:size=9,opening=swap2".parse().expect("a spec"));
        let game = game.expect("a game");
        let (names, state) = (Names::of(&game), game.start());
        for (text, mv) in [("swap", 81), ("more", 82), ("A1", 72)] {
            assert_eq!(names.parse(&game, &state, text), Ok(Move(mv)));
            assert_eq!(names.format(&game, &state, Move(mv)), text);
        }
    }

    #[test]
    fn hex_swaps_as_its_programs_do() {
        let game = Hex::new(5, true).expect("a game");
        let (names, mut state) = (Names::of(&game), game.start());
        game.play(&mut state, Move(1));
        let swap = names.parse(&game, &state, "swap-pieces").expect("a move");
        assert_eq!(names.format(&game, &state, swap), "swap-pieces");
        assert_eq!(names.format(&game, &state, Move(1)), "b1");
    }
}
