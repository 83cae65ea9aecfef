//! Positions whose truth is known: read from a file, or made by a solver.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use dz_game::{Game, GameSpec, Move};
use dz_play::PositionCheck;
use dz_solver::solved_positions_from;
use serde::{Deserialize, Serialize};

use super::Line;
use crate::exit::UsageError;

/// Makes `count` positions of a game that has a solver, from a ply on that the solver chooses if
/// none is named.
pub(crate) fn generated(
    game: &GameSpec,
    count: usize,
    first_ply: Option<u32>,
    seed: u64,
) -> anyhow::Result<Vec<PositionCheck>> {
    let stream = solved_positions_from(game, first_ply, seed);
    let mut stream = stream.map_err(|error| UsageError(error.to_string()))?;
    let told = Told::new(count);
    let positions: Vec<PositionCheck> = stream
        .values(count, &|| told.solved())?
        .into_iter()
        .map(|position| {
            let preserving = position.solved.preserving();
            PositionCheck { moves: position.moves, preserving, value: None }
        })
        .collect();
    if positions.len() < count {
        let found = positions.len();
        let message = format!("{game} has no more than {found} positions; generate at most these");
        return Err(UsageError(message).into());
    }
    Ok(positions)
}

/// Says on standard error how many positions are solved, every [`TOLD_EVERY`].
struct Told {
    total: usize,
    /// How many are solved, and when that was last said.
    solved: Mutex<(usize, Instant)>,
}

const TOLD_EVERY: Duration = Duration::from_secs(10);

impl Told {
    fn new(total: usize) -> Self {
        Self { total, solved: Mutex::new((0, Instant::now())) }
    }

    /// One more is solved.
    fn solved(&self) {
        let mut guard = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
        let (solved, said) = &mut *guard;
        *solved += 1;
        if said.elapsed() >= TOLD_EVERY {
            *said = Instant::now();
            dz_stage::stderr_line(&format!("{solved}/{} positions solved", self.total));
        }
    }
}

/// Returns positions as the lines of a file that [`read_positions`] reads.
pub(crate) fn position_lines<G: Game>(
    game: &G,
    positions: &[PositionCheck],
) -> anyhow::Result<String> {
    let mut text = String::new();
    for position in positions {
        let names = |moves: &[Move]| moves.iter().map(|&mv| game.format_move(mv)).collect();
        let (moves, value_preserving): (Vec<String>, Vec<String>) =
            (names(&position.moves), names(&position.preserving));
        let value_preserving = value_preserving.into_iter().map(Text::Text).collect();
        let line = Given { moves: moves.join(" "), value_preserving };
        text += &serde_json::to_string(&line)?;
        text.push('\n');
    }
    Ok(text)
}

/// A line of the file.
#[derive(Deserialize, Serialize)]
struct Given {
    moves: String,
    value_preserving: Vec<Text>,
}

/// A move: connect four's columns come as numbers.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Text {
    Number(u64),
    Text(String),
}

/// Returns the positions in `text`, which `path` holds; the first fault ends it.
pub(crate) fn read_positions<G: Game>(
    game: &G,
    path: &Path,
    text: &str,
) -> anyhow::Result<Vec<PositionCheck>> {
    let mut positions = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let position = read_position(game, line);
        let place = || format!("{}, line {}", path.display(), index + 1);
        positions.push(position.with_context(place)?);
    }
    ensure!(!positions.is_empty(), "{} has no positions", path.display());
    Ok(positions)
}

fn read_position<G: Game>(game: &G, line: &str) -> anyhow::Result<PositionCheck> {
    let given: Given = serde_json::from_str(line)?;
    let Line { state, history, moves } = Line::play(game, game.start(), &given.moves)?;
    let mut legal = Vec::new();
    game.legal_moves(&state, &history, &mut legal);
    ensure!(!legal.is_empty(), "the game is over after {}", given.moves);
    let read = |text: Text| {
        let text = match text {
            Text::Number(number) => number.to_string(),
            Text::Text(text) => text,
        };
        let mv = game.parse_move(&state, &text)?;
        ensure!(legal.contains(&mv), "{text} is not legal after {}", given.moves);
        Ok(mv)
    };
    let preserving = given.value_preserving.into_iter().map(read);
    let preserving = preserving.collect::<anyhow::Result<Vec<Move>>>()?;
    ensure!(!preserving.is_empty(), "some move always keeps the value, but none is given");
    Ok(PositionCheck { moves, preserving, value: None })
}

#[cfg(test)]
mod tests {
    use dz_game::games::Connect4;

    use super::*;

    fn connect4() -> Connect4 {
        Connect4::from_spec(&"connect4".parse::<GameSpec>().unwrap()).unwrap()
    }

    #[test]
    fn columns_count_from_one_and_may_be_numbers_or_text() {
        let text = "{\"moves\": \"2346\", \"value_preserving\": [2], \"score\": 2}\n\n\
                    {\"moves\": \"5\", \"value_preserving\": [\"4\", 7]}\n";
        let positions = read_positions(&connect4(), Path::new("x"), text).unwrap();
        assert_eq!(positions[0].moves, [1, 2, 3, 5].map(Move));
        assert_eq!(positions[0].preserving, [Move(1)]);
        assert_eq!(positions[1].preserving, [3, 6].map(Move));
    }

    #[test]
    fn faults_name_the_line() {
        for (bad, why) in [
            ("{\"moves\": \"8\", \"value_preserving\": [1]}", "8"),
            ("{\"moves\": \"1\", \"value_preserving\": [9]}", "9"),
            ("{\"moves\": \"1\", \"value_preserving\": []}", "none is given"),
            ("{\"moves\": \"1212121\", \"value_preserving\": [1]}", "over"),
            ("{\"moves\": \"111111\", \"value_preserving\": [1]}", "not legal"),
            ("what", "expected"),
        ] {
            let text = format!("{{\"moves\": \"\", \"value_preserving\": [4]}}\n{bad}\n");
            let error = read_positions(&connect4(), Path::new("x"), &text).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.starts_with("x, line 2: ") && text.contains(why), "{text}");
        }
    }

    #[test]
    fn generated_positions_are_solved_and_no_more_than_there_are() {
        let game = |text: &str| text.parse::<GameSpec>().unwrap();
        let positions = generated(&game("tictactoe"), 50, None, 1).unwrap();
        assert_eq!(positions[0].preserving.len(), 9, "every opening draws");
        assert_eq!(positions[9].moves.len(), 1, "of ply 0 there is one position");
        let error = generated(&game("tictactoe"), 5000, None, 1).unwrap_err();
        assert!(error.to_string().contains("4520"), "{error}");
        let error = generated(&game("shuttle"), 1, None, 1).unwrap_err();
        assert!(error.to_string().contains("connect4"), "{error}");
        let connect4 = game("connect4:width=5,height=4");
        let late = generated(&connect4, 20, Some(12), 1).unwrap();
        assert!(late.iter().all(|position| position.moves.len() >= 12));
        let positions = generated(&connect4, 20, None, 1).unwrap();
        assert!(positions.iter().all(|position| !position.preserving.is_empty()));
        let rules = Connect4::from_spec(&connect4).unwrap();
        let text = position_lines(&rules, &positions).unwrap();
        assert_eq!(read_positions(&rules, Path::new("x"), &text).unwrap(), positions);
    }
}
