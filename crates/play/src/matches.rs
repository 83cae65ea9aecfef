//! Matches: paired games in lockstep, resumed where they were interrupted.

use std::collections::BTreeMap;

use dz_game::Game;
use dz_infer::{
    Evaluation, EvaluatorError, GameTask, Lockstep, LockstepCounts, Readers, Request, Roster,
};

use crate::match_file::PlayedMatch;
use crate::match_plan::{GameStore, Match, MatchError, MatchObserver, MatchTask};
use crate::running_match::RunningMatch;
use crate::{MatchGame, PlayerPool};

/// Plays a match. With a store, games that it holds are not played again, and it gets every game
/// that ends. The games are the same however often the match was interrupted. Games scheduled after
/// the pair that decided the match are left out.
///
/// # Errors
/// [`MatchError`].
pub fn play_match<G: Game>(
    plan: &Match,
    pool: &mut PlayerPool<G>,
    lockstep: &Lockstep,
    store: Option<&mut dyn GameStore>,
    observer: &mut dyn MatchObserver,
) -> Result<PlayedMatch, MatchError> {
    let mut played = play_together(vec![MatchTask { plan, store }], pool, lockstep, observer)?;
    observer.over();
    Ok(played.remove(0))
}

/// Plays several matches at the same time, each as [`play_match`] plays it: a single match leaves
/// threads and devices idle during its last games, and its batches are small. Matches with another
/// program are played alone, one after another. Returns the matches in their order, and fewer if
/// the observer stopped before all had begun.
///
/// # Errors
/// [`MatchError`].
pub fn play_matches<G: Game>(
    tasks: Vec<MatchTask<'_, '_>>,
    pool: &mut PlayerPool<G>,
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
) -> Result<Vec<PlayedMatch>, MatchError> {
    let numbered = tasks.into_iter().enumerate();
    let (alone, together): (Vec<_>, Vec<_>) =
        numbered.partition(|(_, task)| task.plan.has_engine());
    let alone = alone.into_iter().map(|task| vec![task]);
    let mut all = BTreeMap::new();
    for group in [together].into_iter().chain(alone).filter(|group| !group.is_empty()) {
        if !all.is_empty() && observer.stopped() {
            break;
        }
        let (places, tasks): (Vec<usize>, Vec<_>) = group.into_iter().unzip();
        let played = play_together(tasks, pool, lockstep, observer)?;
        observer.over();
        all.extend(places.into_iter().zip(played));
    }
    Ok(all.into_values().collect())
}

fn play_together<G: Game>(
    tasks: Vec<MatchTask<'_, '_>>,
    pool: &mut PlayerPool<G>,
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
) -> Result<Vec<PlayedMatch>, MatchError> {
    let mut lockstep = *lockstep;
    if tasks.iter().any(|task| task.plan.has_engine()) {
        // A thread waits while a program thinks, so more games than threads would only wait too.
        // Groups would wait for each other.
        let threads = rayon::current_num_threads();
        lockstep = Lockstep { parallel_games: lockstep.parallel_games.min(threads), groups: 1 };
    }
    let pairs: Vec<String> = tasks.iter().map(|task| task.plan.pair()).collect();
    let mut matches = Vec::with_capacity(tasks.len());
    for task in tasks {
        matches.push(RunningMatch::begin(task, pool, observer)?);
    }
    let game = pool.game().clone();
    let mut schedule = Schedule { game: &game, matches, observer };
    let played = lockstep.run(pool.sources(), &mut schedule);
    let failed = |source| MatchError::Evaluator { pairs: pairs.join(", "), source };
    played.map_err(failed)?;
    schedule.matches.into_iter().map(RunningMatch::end).collect()
}

/// A game and the index of its match.
struct ScheduledGame<G: Game> {
    match_index: usize,
    game: MatchGame<G>,
}

impl<G: Game> GameTask<G> for ScheduledGame<G> {
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool {
        self.game.resume(readers, request)
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        self.game.apply(evaluation);
    }
}

struct Schedule<'a, 'p, 's, G: Game> {
    game: &'a G,
    matches: Vec<RunningMatch<'p, 's>>,
    observer: &'a mut dyn MatchObserver,
}

impl<G: Game> Roster<ScheduledGame<G>> for Schedule<'_, '_, '_, G> {
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<ScheduledGame<G>> {
        let mut matches = self.matches.iter_mut().enumerate();
        matches.find_map(|(match_index, running)| {
            Some(ScheduledGame { match_index, game: running.next(self.game)? })
        })
    }

    fn finished(
        &mut self,
        scheduled: ScheduledGame<G>,
        counts: &LockstepCounts,
    ) -> Result<(), EvaluatorError> {
        let running = &mut self.matches[scheduled.match_index];
        running.finished(scheduled.game.into_record(), counts, self.observer);
        // Games that cannot be kept need not be played.
        if running.failed.is_some() || self.observer.stopped() {
            self.matches.iter_mut().for_each(RunningMatch::start_no_more);
        }
        Ok(())
    }
}
