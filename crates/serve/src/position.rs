//! A position by the moves that lead to it.

use dz_game::Game;
use serde::Serialize;

use crate::Rules;
use crate::board_view::{BoardShape, BoardView};

/// A position with its board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PositionView {
    pub(crate) board: BoardShape,
    pub(crate) cells: String,
    /// Points of the last move.
    pub(crate) last: Vec<(usize, usize)>,
    /// The moves, in the game's own notation.
    pub(crate) moves: Vec<String>,
}

/// The position by `rules` after a list of moves as people write it.
///
/// # Errors
/// A line for people, which names the first move that is not legal.
pub(crate) fn after(rules: &Rules, moves: &str) -> Result<PositionView, String> {
    let game = rules.game().map_err(|error| dz_text::line(&error.to_string()).into_owned())?;
    position(&game, moves)
}

fn position<G: Game>(game: &G, list: &str) -> Result<PositionView, String> {
    let mut state = game.start();
    let mut history = G::History::default();
    let mut moves: Vec<String> = Vec::new();
    for text in game.split_moves(list) {
        let played = game.play_text(&mut state, &mut history, text);
        let mv = played.map_err(|error| {
            format!("move {}: {}", moves.len() + 1, dz_text::line(&error.to_string()))
        })?;
        moves.push(game.format_move(mv));
    }
    let board = BoardView::new(game.render(&state), game.display());
    let last = moves.last().map_or_else(Vec::new, |name| board.last(name));
    Ok(PositionView { board: board.shape(), cells: board.cells(), last, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(game: &str, moves: &str) -> Result<PositionView, String> {
        super::after(&Rules { board: game.parse().unwrap(), komi: None }, moves)
    }

    #[test]
    fn moves_are_split_as_the_game_does() {
        let found = after("connect4", "443").unwrap();
        assert_eq!(found.moves, ["4", "4", "3"]);
        assert_eq!((found.last, found.board.kind), (vec![(2, 5)], "drops"));
        let chess = after("chess", "e4 e5 Nf3").unwrap();
        assert_eq!(chess.moves, ["e2e4", "e7e5", "g1f3"]);
        assert_eq!(chess.last, [(6, 7), (5, 5)]);
        let error = after("connect4", "4 9").unwrap_err();
        assert!(error.starts_with("move 2: "), "{error}");
        assert!(after("nothing", "").is_err());
    }
}
