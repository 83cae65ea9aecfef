//! Lockstep: many games walk until each needs an evaluation; the leaves go as one batch.
//!
//! There is no queue and no thread of its own. Games stand in groups, and a group's leaves are a
//! batch.
//!
//! - Where batches go to a device, the groups take turns: while one group walks, on all threads,
//!   the batches of the others are with the device.
//! - Where every evaluator gives handles ([`crate::Evaluator::handle`]), a thread has one group,
//!   from beginning to end, with handles of its own. Threads meet only to fetch games, to hand them
//!   back, and in the caches.
//!
//! What a game comes to depends on nothing but the game, so results are the same for any number of
//! threads and however games fall to groups.

mod clock;
mod counts;
mod driver;
mod shared_roster;
mod walker;

use dz_game::Game;
use rayon::prelude::*;

pub use counts::{LockstepCounts, LockstepTimes};
pub use walker::{Request, Roster, Walker};

use crate::Sources;
use driver::Driver;
use shared_roster::SharedRoster;

/// Drives walkers in lockstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lockstep {
    /// Games at once, at least 1.
    pub parallel_games: usize,
    /// Groups that take turns with a device, the games shared out among them; at least 1. Without a
    /// device there are as many as threads.
    pub groups: usize,
}

impl Lockstep {
    /// Runs the roster's walkers until it gives no more and all are done. With a device, or on one
    /// thread, they are handed back in an order that depends on the walkers alone.
    ///
    /// # Errors
    /// What the evaluators report, or what the roster returns.
    pub fn run<G: Game, W: Walker<G>, R: Roster<W>>(
        &self,
        sources: &mut Sources<G>,
        roster: &mut R,
    ) -> Result<LockstepCounts, R::Error> {
        let games = self.parallel_games.max(1);
        // Places of group `index` of `groups`.
        let share =
            |index: usize, groups: usize| games / groups + usize::from(index < games % groups);
        let mut handles = sources.handles(rayon::current_num_threads().min(games));
        let drivers: Vec<Driver<'_, G, W>> = if handles.is_empty() {
            let groups = self.groups.clamp(1, games);
            let places = (0..groups).map(|index| share(index, groups));
            vec![Driver::of_all_threads(sources, places)]
        } else {
            let groups = handles.len();
            let own = handles.iter_mut().enumerate();
            own.map(|(index, sources)| Driver::of_one_thread(sources, share(index, groups)))
                .collect()
        };
        let shared = SharedRoster::new(roster);
        let ends: Vec<Result<(), R::Error>> =
            drivers.into_par_iter().with_max_len(1).map(|driver| driver.run(&shared)).collect();
        ends.into_iter().collect::<Result<(), R::Error>>()?;
        Ok(shared.counts())
    }
}
