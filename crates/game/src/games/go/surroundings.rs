//! The surroundings of a move of Go: the stones of the 5x5 points around it, which of them are in
//! atari, and the point that simple ko forbids (KataGo's key of a bucket, KataGoMethods.md,
//! "Subtree value bias correction").

use super::{Go, GoState, Set, WORDS_MAX};
use crate::{
    Move,
    games::pattern::{Cell, around, marks_around},
    mix64,
};

impl Go {
    pub(super) fn surroundings_of(&self, state: &GoState, mv: Move) -> Option<u64> {
        if mv == self.board.pass() {
            return None;
        }
        let square = self.board.square;
        let sides = (square.size, square.size);
        let point = |(row, column): (u16, u16)| row * square.size + column;
        let center = square.split(mv.0);
        let stone = |at| Cell::of(self.stone_at(state, point(at)), state.mover);
        let stones = around(center, sides, stone);
        let atari = state.atari.map(|words| Set::<WORDS_MAX>::load(&words));
        let atari = atari[0].or(atari[1]);
        let in_atari = marks_around(center, sides, |at| atari.has(point(at)));
        Some(mix64(mix64(stones) ^ (u64::from(state.ko) << 32 | in_atari)))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Game, Move, games::Go};

    /// The word for a move, by its name, after these moves.
    fn word(size: u16, moves: &str, mv: &str) -> Option<u64> {
        let game = Go::from_spec(&format!("go:size={size}").parse().expect("a spec"));
        let game = game.expect("a game");
        let (mut state, mut history) = (game.start(), <Go as Game>::History::default());
        for text in moves.split_whitespace() {
            game.play_text(&mut state, &mut history, text).expect("legal");
        }
        let mv = game.parse_move(&state, mv).expect("a move");
        game.surroundings(&state, mv)
    }

    #[test]
    fn places_that_look_alike_have_one_word() {
        // The second one is two points to the right, and a stone far away makes no difference.
        let here = word(13, "E5 F5 L12 A13", "E6");
        assert!(here.is_some());
        assert_eq!(here, word(13, "G5 H5 L11 A13", "G6"));
        assert_ne!(here, word(13, "E5 F5 L12 A13", "F6"), "a stone elsewhere in the square");
        assert_ne!(here, word(13, "F5 E5 L12 A13", "E6"), "the other colours");
        assert_ne!(here, word(13, "E1 F1 L12 A13", "E2"), "the edge");
    }

    #[test]
    fn colours_are_the_mover_s() {
        // White is to move, and sees its own stone where black saw one.
        assert_eq!(word(9, "E5 A1", "E6"), word(9, "A1 E5 A3", "E6"));
        assert_ne!(word(9, "E5 A1", "E6"), word(9, "E5", "E6"));
    }

    #[test]
    fn atari_makes_a_difference() {
        // The square around E5 ends at C3. Its last liberty, B3, is outside.
        let free = word(9, "C3 C2 J9 D3 J8 C4 J7 A9", "E5");
        let atari = word(9, "C3 C2 J9 D3 J8 C4 J7 B3", "E5");
        assert_ne!(free, atari);
        assert_eq!(free, word(9, "C3 C2 J9 D3 J8 C4 J6 A8", "E5"));
    }

    #[test]
    fn a_pass_has_no_surroundings() {
        assert_eq!(word(9, "E5", "pass"), None);
    }

    /// White takes the stone on C2 from B2, so black may not take back.
    #[test]
    fn the_forbidden_point_belongs_to_the_word() {
        let go = Go::from_spec(&"go:size=9".parse().expect("a spec")).expect("a game");
        let position = go.parse_position("9/9/9/9/9/9/1XO6/X1XO5/1XO6 w").expect("legal");
        let mut taken = position;
        go.play(&mut taken, Move(7 * 9 + 1));
        let stones = go.stones(&taken).expect("stones");
        let text = go.position_of(&stones, crate::Player::First).expect("a text");
        let free = go.parse_position(&text).expect("legal");
        let [with, without] = [taken, free].map(|state| go.surroundings(&state, Move(0)));
        assert!(with.is_some() && with != without, "the board alone is the same");
    }
}
