//! The allocator of every program.

use mimalloc::MiMalloc;

/// Positions and evaluations go from thread to thread, and glibc's allocator gives memory back to the arena of the thread that
/// took it, under a lock: with two threads games with a card took a fourth longer, most of it in there.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;
