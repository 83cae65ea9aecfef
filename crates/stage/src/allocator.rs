//! The allocator of every program.

use mimalloc::MiMalloc;

/// Positions and evaluations go from thread to thread, and glibc's allocator gives memory back to
/// the arena of the thread that took it, under a lock: with two threads games with a card took a
/// fourth longer, most of it in there. And by default glibc gives what is freed of several
/// megabytes back to the system, which took 27 to 40 % of a training step of Burn's on the
/// processor.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;
