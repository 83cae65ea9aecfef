//! The allocator of every program.

use mimalloc::MiMalloc;

/// Positions and evaluations move between threads, and glibc's allocator returns memory to the
/// arena of the thread that took it, under a lock. With two threads, games with a card took a
/// fourth longer, and most of that was in the allocator. By default glibc also returns freed blocks
/// of several megabytes to the system, which took 27 to 40 % of Burn's training step on the
/// processor.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;
