//! A match: paired games in lockstep, resumable.

use std::collections::BTreeSet;

use dz_game::Game;
use dz_infer::{EvaluatorError, Lockstep, LockstepCounts, Roster, Sources};

use crate::{MatchGame, Opening, PlayedGame, PlayerSetup};

/// Who plays whom, how often and from where.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// Players A and B.
    pub players: [PlayerSetup; 2],
    /// Games; even. Games 2k and 2k + 1 start from opening k, with colours swapped.
    pub games: u64,
    /// Openings; taken from the start again where there are fewer than pairs.
    pub openings: Vec<Opening>,
    /// Fixes every random choice.
    pub seed: u64,
    /// A game that is not over by then counts as a draw.
    pub plies_max: u32,
}

/// Told of every game that ends, in the order in which they end; says whether to go on.
pub trait MatchProgress: Send {
    /// A game is over; `counts` are those of the lockstep. With `false` no more games are started;
    /// those in progress are finished.
    fn game_over(&mut self, game: &PlayedGame, counts: &LockstepCounts) -> bool;
}

impl<F: FnMut(&PlayedGame, &LockstepCounts) -> bool + Send> MatchProgress for F {
    fn game_over(&mut self, game: &PlayedGame, counts: &LockstepCounts) -> bool {
        self(game, counts)
    }
}

/// Plays the games of `plan` that are not among `played`, and returns all, by number.
///
/// # Errors
/// What the evaluators report.
pub fn play_match<G: Game>(
    game: &G,
    plan: &MatchPlan,
    played: Vec<PlayedGame>,
    lockstep: &Lockstep,
    sources: &mut Sources<G>,
    progress: &mut impl MatchProgress,
) -> Result<Vec<PlayedGame>, EvaluatorError> {
    let lockstep = if plan.players.iter().any(PlayerSetup::is_external) {
        // Every such game has a program of its own that thinks while the walk waits for it: as many as
        // there are threads, and all in one group, or groups would wait for each other.
        let threads = rayon::current_num_threads();
        Lockstep { parallel_games: lockstep.parallel_games.min(threads), groups: 1 }
    } else {
        *lockstep
    };
    let done: BTreeSet<u64> = played.iter().map(|game| game.number).collect();
    let missing: Vec<u64> = (0..plan.games).filter(|number| !done.contains(number)).collect();
    let mut schedule =
        Schedule { game, plan, missing: missing.into_iter(), stopped: false, played, progress };
    lockstep.run(sources, &mut schedule)?;
    schedule.played.sort_by_key(|game| game.number);
    Ok(schedule.played)
}

struct Schedule<'a, G: Game, P> {
    game: &'a G,
    plan: &'a MatchPlan,
    missing: std::vec::IntoIter<u64>,
    stopped: bool,
    played: Vec<PlayedGame>,
    progress: &'a mut P,
}

impl<G: Game, P: MatchProgress> Roster<MatchGame<G>> for Schedule<'_, G, P> {
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<MatchGame<G>> {
        if self.stopped {
            return None;
        }
        let number = self.missing.next()?;
        let plan = self.plan;
        let start = Opening { moves: Vec::new() };
        let pair = (number / 2) as usize;
        let opening = match plan.openings.len() {
            0 => &start,
            openings => &plan.openings[pair % openings],
        };
        let players = [&plan.players[0], &plan.players[1]];
        Some(MatchGame::new(self.game, players, opening, number, plan.seed, plan.plies_max))
    }

    fn finished(
        &mut self,
        walker: MatchGame<G>,
        counts: &LockstepCounts,
    ) -> Result<(), EvaluatorError> {
        let record = walker.into_record();
        self.stopped |= !self.progress.game_over(&record, counts);
        self.played.push(record);
        Ok(())
    }
}
