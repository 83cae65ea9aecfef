//! Positions of Go as text, for records that set stones up: rows from the top with `/` between
//! them, `X` for black, `O` for white and numbers for empty points, then `b` or `w` for the player
//! to move: `9/9/2X6/9/9/9/6O2/9/9 w`. Go has no customary notation; this one follows FEN.
//!
//! Such a position has no past: no pass came before it, ko and superko forbid nothing.

use std::fmt::Write;

use super::{Go, GoState, NO_KO, board::on_grid, moves};
use crate::{Game, GameError, Player};

impl Go {
    /// The text of these stones, row by row from the top left, with `mover` to move.
    pub(super) fn position_of_stones(
        &self,
        stones: &[Option<Player>],
        mover: Player,
    ) -> Option<String> {
        let size = usize::from(self.size());
        if stones.len() != size * size {
            return None;
        }
        let mut text = String::new();
        for (row, points) in stones.chunks(size).enumerate() {
            text.push_str(if row > 0 { "/" } else { "" });
            for run in points.chunk_by(|a, b| a.is_none() && b.is_none()) {
                // Writing to a string cannot fail.
                let _ = match run[0] {
                    None => write!(text, "{}", run.len()),
                    Some(Player::First) => text.write_char('X'),
                    Some(Player::Second) => text.write_char('O'),
                };
            }
        }
        text.push_str(if mover == Player::First { " b" } else { " w" });
        Some(text)
    }

    /// Reads what [`Go::position_of_stones`] writes.
    pub(super) fn parse_stones(&self, text: &str) -> Result<GoState, GameError> {
        self.read_stones(text)
            .map_err(|reason| GameError::BadPosition { text: text.to_owned(), reason })
    }

    fn read_stones(&self, text: &str) -> Result<GoState, String> {
        let size = self.size();
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [rows, mover] = fields[..] else {
            return Err("write rows from the top, X O and numbers for empty points, then b or w: \
                        3/1X1/3 w"
                .to_owned());
        };
        let mover = match mover.to_ascii_lowercase().as_str() {
            "b" => Player::First,
            "w" => Player::Second,
            _ => return Err("the second field is b or w, the player to move".to_owned()),
        };
        if rows.split('/').count() != usize::from(size) {
            return Err(format!("the board has {size} rows"));
        }
        let mut state = self.start();
        let mut wanted = Vec::new();
        for (row, points) in (0..size).zip(rows.split('/')) {
            let stones = row_of(points, size)
                .ok_or_else(|| format!("a row has {size} points: X, O and numbers"))?;
            wanted.extend(stones.into_iter().map(|(column, player)| (row * size + column, player)));
        }
        for &(point, player) in &wanted {
            state.mover = player;
            on_grid!(self.board, grid => moves::put(grid, &mut state, point));
        }
        // Where all chains have liberties in the end, none was without on the way there.
        if wanted.iter().any(|&(point, player)| self.stone_at(&state, point) != Some(player)) {
            return Err("a chain has no liberty".to_owned());
        }
        Ok(GoState { ko: NO_KO, mover, passes: 0, ..state })
    }
}

/// The stones of a row by column; `None` unless it has `size` points.
fn row_of(text: &str, size: u16) -> Option<Vec<(u16, Player)>> {
    let mut column = 0;
    let mut empty = None;
    let mut stones = Vec::new();
    for sign in text.chars() {
        if let Some(digit) = sign.to_digit(10) {
            empty = Some(empty.unwrap_or(0) * 10 + digit as u16).filter(|&run| run <= size);
            empty?;
            continue;
        }
        column += empty.take().unwrap_or(0);
        let player = match sign {
            'X' | 'x' => Player::First,
            'O' | 'o' => Player::Second,
            _ => return None,
        };
        stones.push((column, player));
        column += 1;
        if column > size {
            return None;
        }
    }
    (column + empty.unwrap_or(0) == size).then_some(stones)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Move,
        games::{Go, GoHistory},
    };

    fn go(size: u16) -> Go {
        Go::from_spec(&format!("go:size={size}").parse().expect("a spec")).expect("a game")
    }

    #[test]
    fn positions_read_back_and_play_as_if_they_had_been_played() {
        let game = go(5);
        let mut played = game.start();
        let mut history = GoHistory::default();
        for text in ["B2", "C2", "D2", "B3", "C3", "A2"] {
            game.play_text(&mut played, &mut history, text).expect("legal");
        }
        let stones = game.stones(&played).expect("stones");
        let text = game.position_of(&stones, Player::First).expect("a text");
        assert_eq!(text, "5/5/1OX2/OXOX1/5 b");
        let read = game.parse_position(&text).expect("legal");
        assert_eq!(read, GoState { ko: NO_KO, ..played });
        let nineteen = go(19);
        let empty = nineteen.position_of(&vec![None; 361], Player::Second).expect("a text");
        assert!(empty.starts_with("19/19/") && empty.ends_with("/19 w"), "{empty}");
        let state = nineteen.parse_position(&empty).expect("legal");
        assert_eq!(state, GoState { mover: Player::Second, ..nineteen.start() });
        let mut legal = Vec::new();
        nineteen.legal_moves(&state, &GoHistory::default(), &mut legal);
        assert_eq!((legal.len(), legal[361]), (362, Move(361)));
    }

    #[test]
    fn impossible_positions_say_why() {
        let game = go(3);
        for (text, words) in [
            ("", "rows from the top"),
            ("3/3/3", "rows from the top"),
            ("3/3 b", "3 rows"),
            ("3/3/3 x", "b or w"),
            ("3/4/3 b", "3 points"),
            ("3/1X/3 b", "3 points"),
            ("3/XXXX/3 b", "3 points"),
            ("3/99999999999/3 b", "3 points"),
            ("3/1?1/3 b", "3 points"),
            ("XO1/O2/3 b", "no liberty"),
            ("XXX/XXX/XXX w", "no liberty"),
        ] {
            let error = game.parse_position(text).expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
