//! Matches: paired games in lockstep, resumed where they were interrupted.

use std::collections::BTreeMap;

use dz_game::Game;
use dz_infer::{
    Evaluation, EvaluatorError, GameTask, Lockstep, LockstepCounts, Readers, Request, Roster,
};

use crate::match_file::PlayedMatch;
use crate::match_plan::{GameStore, Match, MatchError, MatchObserver, MatchTask};
use crate::pool::BoxError;
use crate::running_match::RunningMatch;
use crate::scheduler::{MatchScheduler, RemoteEvent, SharedMatch};
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
    let tasks = vec![MatchTask { plan, store }];
    let mut played = play_together(tasks, pool, lockstep, observer, None)?;
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
    play_all(tasks, pool, lockstep, observer, None)
}

/// As [`play_matches`], with a scheduler that chooses the games to play here and delivers the
/// others. The results are the same. Matches with another program are played here.
///
/// # Errors
/// [`MatchError`].
pub fn play_scheduled_matches<G: Game>(
    tasks: Vec<MatchTask<'_, '_>>,
    pool: &mut PlayerPool<G>,
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
    scheduler: &mut dyn MatchScheduler,
) -> Result<Vec<PlayedMatch>, MatchError> {
    play_all(tasks, pool, lockstep, observer, Some(scheduler))
}

fn play_all<G: Game>(
    tasks: Vec<MatchTask<'_, '_>>,
    pool: &mut PlayerPool<G>,
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
    mut scheduler: Option<&mut dyn MatchScheduler>,
) -> Result<Vec<PlayedMatch>, MatchError> {
    let numbered = tasks.into_iter().enumerate();
    let (alone, together): (Vec<_>, Vec<_>) =
        numbered.partition(|(_, task)| task.plan.has_engine());
    let alone = alone.into_iter().map(|task| (vec![task], false));
    let groups = [(together, true)].into_iter().chain(alone);
    let mut all = BTreeMap::new();
    for (group, is_shared) in groups.filter(|(group, _)| !group.is_empty()) {
        if !all.is_empty() && observer.stopped() {
            break;
        }
        let (places, tasks): (Vec<usize>, Vec<_>) = group.into_iter().unzip();
        // There is one group of them.
        let scheduler = if is_shared { scheduler.take() } else { None };
        let played = play_together(tasks, pool, lockstep, observer, scheduler)?;
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
    scheduler: Option<&mut dyn MatchScheduler>,
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
    let mut schedule = Schedule { game: &game, matches, observer, scheduler, failure: None };
    schedule.begin().map_err(MatchError::Scheduler)?;
    let failed = |source| MatchError::Evaluator { pairs: pairs.join(", "), source };
    loop {
        if schedule.has_games() {
            lockstep.run(pool.sources(), &mut schedule).map_err(failed)?;
        }
        if schedule.is_done() {
            break;
        }
        schedule.receive(true);
    }
    schedule.end()
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

struct Schedule<'a, 'o, 'p, 's, G: Game> {
    game: &'a G,
    matches: Vec<RunningMatch<'p, 's>>,
    observer: &'a mut dyn MatchObserver,
    scheduler: Option<&'o mut dyn MatchScheduler>,
    /// Why the scheduler ended, if it did.
    failure: Option<Ended>,
}

/// How a scheduler ended.
enum Ended {
    /// Nothing more is to be played.
    Over,
    /// It failed.
    Failed(BoxError),
}

impl<G: Game> Schedule<'_, '_, '_, '_, G> {
    /// Lets games begin: all of them, unless a scheduler distributes them.
    fn begin(&mut self) -> Result<(), BoxError> {
        let Some(scheduler) = &mut self.scheduler else {
            self.matches.iter_mut().for_each(|running| running.begin_here(running.numbers()));
            return Ok(());
        };
        let played: Vec<_> = self.matches.iter().map(RunningMatch::played).collect();
        let matches = self.matches.iter().zip(&played);
        let matches: Vec<SharedMatch<'_>> =
            matches.map(|(running, played)| running.shared(played)).collect();
        scheduler.begin(&matches)
    }

    /// Whether there is a game to begin here. A scheduler is asked for one.
    fn has_games(&mut self) -> bool {
        loop {
            if self.matches.iter().any(RunningMatch::has_games) {
                return true;
            }
            if self.is_stopped() {
                return false;
            }
            let found = self.scheduler.as_mut().and_then(|scheduler| scheduler.next());
            let Some((match_index, games)) = found else { return false };
            self.matches[match_index].begin_here(games);
        }
    }

    /// Whether nothing more is to be played here and nothing is waited for.
    fn is_done(&self) -> bool {
        self.scheduler.is_none()
            || self.is_stopped()
            || self.matches.iter().all(RunningMatch::is_over)
    }

    fn is_stopped(&self) -> bool {
        let has_failed = self.matches.iter().any(|running| running.failed.is_some());
        self.failure.is_some() || has_failed || self.observer.stopped()
    }

    fn start_no_more(&mut self) {
        self.matches.iter_mut().for_each(RunningMatch::start_no_more);
    }

    /// Takes what others have done.
    fn receive(&mut self, waits: bool) {
        let Some(scheduler) = &mut self.scheduler else { return };
        if self.failure.is_some() {
            return;
        }
        let events = scheduler.poll(waits).unwrap_or_else(|error| {
            self.failure = Some(Ended::Failed(error));
            Vec::new()
        });
        for event in events {
            let match_index = match &event {
                RemoteEvent::Played { match_index, .. }
                | RemoteEvent::Withdrawn { match_index, .. } => *match_index,
                RemoteEvent::End => {
                    self.failure = Some(Ended::Over);
                    break;
                }
            };
            let running = &mut self.matches[match_index];
            let was_over = running.is_over();
            match event {
                RemoteEvent::Played { games, other_evaluators, .. } => {
                    running.take(games, &other_evaluators, self.observer);
                }
                RemoteEvent::Withdrawn { games, .. } => running.take_back(games),
                RemoteEvent::End => {}
            }
            if running.is_over() != was_over {
                scheduler.set_over(match_index, !was_over);
            }
        }
        if self.is_stopped() {
            self.start_no_more();
        }
    }

    fn end(mut self) -> Result<Vec<PlayedMatch>, MatchError> {
        if let Some(Ended::Failed(error)) = self.failure {
            return Err(MatchError::Scheduler(error));
        }
        if let Some(scheduler) = self.scheduler {
            let is_whole = self.matches.iter().all(RunningMatch::is_over);
            if is_whole {
                for running in &mut self.matches {
                    running.keep_others().map_err(MatchError::Store)?;
                }
            }
            scheduler.end(is_whole).map_err(MatchError::Scheduler)?;
        }
        self.matches.into_iter().map(RunningMatch::end).collect()
    }
}

impl<G: Game> Roster<ScheduledGame<G>> for Schedule<'_, '_, '_, '_, G> {
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<ScheduledGame<G>> {
        if !self.has_games() {
            return None;
        }
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
        let ScheduledGame { match_index, game } = scheduled;
        let game = game.into_record();
        let running = &mut self.matches[match_index];
        let was_over = running.is_over();
        if let Some(scheduler) = &mut self.scheduler
            && let Err(error) = scheduler.played(match_index, &game)
        {
            self.failure.get_or_insert(Ended::Failed(error));
        }
        running.finished(game, counts, self.observer);
        if let Some(scheduler) = &mut self.scheduler
            && running.is_over() != was_over
        {
            scheduler.set_over(match_index, true);
        }
        self.receive(false);
        // Games that cannot be kept need not be played.
        if self.is_stopped() {
            self.start_no_more();
        }
        Ok(())
    }

    fn step(&mut self, _: &LockstepCounts) {
        self.receive(false);
    }
}
