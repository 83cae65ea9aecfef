//! A player's moves, judged by the game's solver.

use std::{collections::BTreeMap, io::Write};

use dz_game::GameSpec;
use dz_play::{PlayedMatch, Seat};
use dz_solver::{GameJudge, JudgedMove, judge_of};
use dz_stats::wilson;
use serde::Serialize;

use crate::{exit::UsageError, shown::Shown};

/// How many of A's moves kept the value of the game. Outside programs rely on the names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Judged {
    moves: Share,
    /// Those of positions where some legal move loses value.
    nontrivial: Share,
    /// The moves that lost value, by the plies before them.
    lost_by_ply: Vec<LostAt>,
}

/// Moves that kept the value among all of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Share {
    preserved: u64,
    of: u64,
    /// 95 % interval of the share (Wilson). It assumes independent moves, so it is too narrow where
    /// games repeat each other.
    lo95: f64,
    hi95: f64,
}

/// How many moves lost value after this number of plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct LostAt {
    ply: usize,
    moves: u64,
}

impl Share {
    fn of<'a>(moves: impl Iterator<Item = &'a JudgedMove>) -> Self {
        let mut share = Self::default();
        for judged in moves {
            share.preserved += u64::from(judged.preserved);
            share.of += 1;
        }
        let interval = wilson(share.preserved, share.of);
        Self { lo95: interval.lo95, hi95: interval.hi95, ..share }
    }

    fn text(self) -> String {
        let Self { preserved, of, .. } = self;
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let share = percent(preserved as f64 / of.max(1) as f64);
        let [lo95, hi95] = [self.lo95, self.hi95].map(percent);
        format!("{preserved} of {of}, {share} % (95 %: {lo95} to {hi95})")
    }
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
        let mut lost = BTreeMap::<usize, u64>::new();
        for judged in moves.iter().filter(|judged| !judged.preserved) {
            *lost.entry(judged.ply).or_default() += 1;
        }
        Self {
            moves: Share::of(moves.iter()),
            nontrivial: Share::of(moves.iter().filter(|judged| judged.nontrivial)),
            lost_by_ply: lost.into_iter().map(|(ply, moves)| LostAt { ply, moves }).collect(),
        }
    }

    pub(super) fn write_text(&self, out: &mut Shown<'_>) -> anyhow::Result<()> {
        writeln!(out, "moves that kept the value: {}", self.moves.text())?;
        writeln!(out, "where it could be lost: {}", self.nontrivial.text())?;
        if !self.lost_by_ply.is_empty() {
            let places = self.lost_by_ply.iter();
            let places: Vec<String> =
                places.map(|lost| format!("{} after {} plies", lost.moves, lost.ply)).collect();
            writeln!(out, "moves that lost it: {}", places.join(", "))?;
        }
        Ok(())
    }
}
