//! A player's moves, judged by the game's solver.

use std::{collections::BTreeMap, io::Write};

use dz_game::GameSpec;
use dz_play::{PlayedMatch, Seat};
use dz_solver::{GameJudge, JudgedMove, judge_of};
use serde::Serialize;

use crate::{commands::value_kept::ValueKept, exit::UsageError, shown::Shown};

/// How many of A's moves kept the value of the game. Outside programs rely on the names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Judged {
    moves: ValueKept,
    /// Those of positions where some legal move loses value.
    nontrivial: ValueKept,
    /// The moves that lost value, by the plies before them.
    lost_by_ply: Vec<LostAt>,
}

/// How many moves lost value after this number of plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct LostAt {
    ply: usize,
    moves: u64,
}

/// The judge of a game's moves.
///
/// # Errors
/// A mistake of usage if the game has no solver.
pub(super) fn judge(game: &GameSpec) -> anyhow::Result<Box<dyn GameJudge>> {
    judge_of(game).map_err(|error| UsageError(format!("--judge: {error}")).into())
}

impl Judged {
    /// Judges A's moves of a match, those of the openings aside.
    pub(super) fn of(judge: &mut dyn GameJudge, played: &PlayedMatch) -> anyhow::Result<Self> {
        let mut moves = Vec::new();
        for game in &played.games {
            let opening = game.opening_plies as usize;
            moves.extend(judge.judge(&game.moves, opening, game.player_of(Seat::A))?);
        }
        Ok(Self::of_moves(&moves))
    }

    fn of_moves(moves: &[JudgedMove]) -> Self {
        fn kept<'a>(moves: impl IntoIterator<Item = &'a JudgedMove>) -> ValueKept {
            ValueKept::of(moves.into_iter().map(|judged| judged.preserved))
        }
        let mut lost = BTreeMap::<usize, u64>::new();
        for judged in moves.iter().filter(|judged| !judged.preserved) {
            *lost.entry(judged.ply).or_default() += 1;
        }
        Self {
            moves: kept(moves),
            nontrivial: kept(moves.iter().filter(|judged| judged.nontrivial)),
            lost_by_ply: lost.into_iter().map(|(ply, moves)| LostAt { ply, moves }).collect(),
        }
    }

    pub(super) fn write_text(&self, out: &mut Shown<'_>) -> anyhow::Result<()> {
        writeln!(out, "moves that kept the value: {}", self.moves)?;
        writeln!(out, "where it could be lost: {}", self.nontrivial)?;
        if !self.lost_by_ply.is_empty() {
            let places = self.lost_by_ply.iter();
            let places: Vec<String> =
                places.map(|lost| format!("{} after {} plies", lost.moves, lost.ply)).collect();
            writeln!(out, "moves that lost it: {}", places.join(", "))?;
        }
        Ok(())
    }
}
