//! Parallel work inside generic code.
//!
//! Rayon's iterators and `join` are generic over what they run, so a loop in a generic function is
//! compiled with all of rayon's machinery for every game. Loops that go through here are compiled
//! once.

use rayon::prelude::*;

/// Work for one thread. It should take microseconds: each task costs an allocation.
pub(crate) type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs tasks on all threads and waits for them.
pub(crate) fn run_all(tasks: Vec<Task<'_>>) {
    tasks.into_par_iter().with_max_len(1).for_each(|task| task());
}
