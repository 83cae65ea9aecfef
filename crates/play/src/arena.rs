//! Matches and checks of one game behind one boundary.

use dz_game::{Game, GameSpec, Move};
use dz_infer::Lockstep;

use crate::{
    CheckError, MatchError, MatchObserver, MatchPlayer, MatchScheduler, MatchTask, Opening,
    PlayedMatch, PlayerError, PlayerPool, PositionCheck, Preserved, ProbedPosition,
    check_positions, distinct_openings, play_matches, play_scheduled_matches, probe_positions,
    sample_positions,
};

/// Plays matches and checks positions of one game. The type of the game is hidden, so callers are
/// compiled once and not for each game.
pub trait Arena {
    /// The game.
    fn spec(&self) -> GameSpec;

    /// As [`PlayerPool::prepare`].
    ///
    /// # Errors
    /// [`PlayerError`].
    fn prepare(&mut self, player: &MatchPlayer) -> Result<usize, PlayerError>;

    /// As [`play_matches`].
    ///
    /// # Errors
    /// [`MatchError`].
    fn play(
        &mut self,
        tasks: Vec<MatchTask<'_, '_>>,
        lockstep: &Lockstep,
        observer: &mut dyn MatchObserver,
    ) -> Result<Vec<PlayedMatch>, MatchError>;

    /// As [`play_scheduled_matches`].
    ///
    /// # Errors
    /// [`MatchError`].
    fn play_with(
        &mut self,
        tasks: Vec<MatchTask<'_, '_>>,
        lockstep: &Lockstep,
        observer: &mut dyn MatchObserver,
        scheduler: &mut dyn MatchScheduler,
    ) -> Result<Vec<PlayedMatch>, MatchError>;

    /// As [`check_positions`].
    ///
    /// # Errors
    /// [`CheckError`].
    fn check(
        &mut self,
        player: &MatchPlayer,
        positions: &[PositionCheck],
        playouts: u32,
        lockstep: &Lockstep,
    ) -> Result<Vec<Preserved>, CheckError>;

    /// As [`probe_positions`].
    ///
    /// # Errors
    /// [`CheckError`].
    fn probe(
        &mut self,
        player: &MatchPlayer,
        positions: &[Vec<Move>],
        lockstep: &Lockstep,
    ) -> Result<Vec<ProbedPosition>, CheckError>;

    /// As [`sample_positions`].
    fn samples(&self, seed: u64) -> Vec<Vec<Move>>;

    /// As [`distinct_openings`].
    fn openings(&self, plies: u32, count: usize, seed: u64) -> Vec<Opening>;
}

impl<G: Game> Arena for PlayerPool<G> {
    fn spec(&self) -> GameSpec {
        self.game().spec()
    }

    fn prepare(&mut self, player: &MatchPlayer) -> Result<usize, PlayerError> {
        Ok(Self::prepare(self, player)?.source)
    }

    fn play(
        &mut self,
        tasks: Vec<MatchTask<'_, '_>>,
        lockstep: &Lockstep,
        observer: &mut dyn MatchObserver,
    ) -> Result<Vec<PlayedMatch>, MatchError> {
        play_matches(tasks, self, lockstep, observer)
    }

    fn play_with(
        &mut self,
        tasks: Vec<MatchTask<'_, '_>>,
        lockstep: &Lockstep,
        observer: &mut dyn MatchObserver,
        scheduler: &mut dyn MatchScheduler,
    ) -> Result<Vec<PlayedMatch>, MatchError> {
        play_scheduled_matches(tasks, self, lockstep, observer, scheduler)
    }

    fn check(
        &mut self,
        player: &MatchPlayer,
        positions: &[PositionCheck],
        playouts: u32,
        lockstep: &Lockstep,
    ) -> Result<Vec<Preserved>, CheckError> {
        check_positions(self, player, positions, playouts, lockstep)
    }

    fn probe(
        &mut self,
        player: &MatchPlayer,
        positions: &[Vec<Move>],
        lockstep: &Lockstep,
    ) -> Result<Vec<ProbedPosition>, CheckError> {
        probe_positions(self, player, positions, lockstep)
    }

    fn samples(&self, seed: u64) -> Vec<Vec<Move>> {
        sample_positions(self.game(), seed)
    }

    fn openings(&self, plies: u32, count: usize, seed: u64) -> Vec<Opening> {
        distinct_openings(self.game(), plies, count, seed)
    }
}
