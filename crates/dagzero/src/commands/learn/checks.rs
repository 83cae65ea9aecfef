//! What both kinds of learning check.

use std::{fs::OpenOptions, path::Path};

use dz_game::Game;

use crate::exit::UsageError;

/// Checks that the file can be written, before minutes are spent on its content.
pub(super) fn check_out(path: &Path) -> Result<(), UsageError> {
    let existed = path.exists();
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(|error| UsageError(format!("cannot write {}: {error}", path.display())))?;
    if !existed {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1".to_owned())
}

/// The game has no local shapes.
pub(super) fn no_stones<G: Game>(game: &G) -> UsageError {
    UsageError(format!(
        "{} has no stones on the points of a square board; go, gomoku, hex, othello and tictactoe do",
        game.spec().name()
    ))
}
