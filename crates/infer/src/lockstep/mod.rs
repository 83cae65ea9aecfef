//! Lockstep: many games go on until each needs an evaluation; the leaves go as one batch.
//!
//! There is no queue, and no extra thread. Games stand in groups, and a group's leaves are a batch.
//!
//! - Where batches go to a device, the groups take turns: while one group's tasks are resumed, on
//!   all threads, the batches of the others are with the device.
//! - Where every network gives handles ([`crate::NetworkEvaluator::handle`]), a thread has one
//!   group, from beginning to end, with handles of its own. Threads meet only to fetch games, to
//!   hand them back, and in the caches.
//!
//! A game's result depends on nothing but the game, so results are the same for any number of
//! threads and any distribution of games to groups.

mod clock;
mod counts;
mod driver;
mod game_task;
mod shared_roster;

use dz_game::Game;

pub use counts::{LockstepCounts, LockstepTimes};
pub use game_task::{GameTask, Request, Roster};

use crate::Sources;
use crate::parallel::{Task, run_all};
use driver::Driver;
use shared_roster::SharedRoster;

/// Drives tasks in lockstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lockstep {
    /// Games at once, at least 1.
    pub parallel_games: usize,
    /// Groups that take turns with a device, the games shared out among them; at least 1. Without a
    /// device there are as many as threads.
    pub groups: usize,
}

impl Lockstep {
    /// Runs the roster's tasks until it gives no more and all are done. With a device, or on one
    /// thread, they are handed back in an order that depends on the tasks alone.
    ///
    /// # Errors
    /// What the evaluators report, or what the roster returns.
    pub fn run<G: Game, T: GameTask<G>, R: Roster<T>>(
        &self,
        sources: &mut Sources<G>,
        roster: &mut R,
    ) -> Result<LockstepCounts, R::Error> {
        let games = self.parallel_games.max(1);
        // Slots of group `index` of `groups`.
        let share =
            |index: usize, groups: usize| games / groups + usize::from(index < games % groups);
        let mut handles = sources.handles(rayon::current_num_threads().min(games));
        let drivers: Vec<Driver<'_, G, T>> = if handles.is_empty() {
            let groups = self.groups.clamp(1, games);
            let slots = (0..groups).map(|index| share(index, groups));
            vec![Driver::of_all_threads(sources, slots)]
        } else {
            let groups = handles.len();
            let own = handles.iter_mut().enumerate();
            own.map(|(index, sources)| Driver::of_one_thread(sources, share(index, groups)))
                .collect()
        };
        let shared = &SharedRoster::new(roster);
        let mut results: Vec<Result<(), R::Error>> = drivers.iter().map(|_| Ok(())).collect();
        let tasks = drivers
            .into_iter()
            .zip(&mut results)
            .map(|(driver, result)| -> Task<'_> { Box::new(move || *result = driver.run(shared)) });
        run_all(tasks.collect());
        results.into_iter().collect::<Result<(), R::Error>>()?;
        Ok(shared.counts())
    }
}
