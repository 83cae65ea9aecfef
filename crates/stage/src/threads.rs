//! Threads: how many there may be, and the message if no more can be started.

use std::error::Error;
use std::io;
use std::process;
use std::sync::Once;
use std::thread;

use anyhow::Context;
use dz_store::remedy::advice;

use crate::exit::TRY_AGAIN;
use crate::stderr::stderr_line;

/// Threads that any machine may be asked for.
const THREADS_ALWAYS: u32 = 64;
/// Threads for each core that may be asked for beyond that.
const THREADS_PER_CORE: u32 = 4;
/// What Linux reports where the limit of processes and threads is reached.
const EAGAIN: i32 = 11;

/// The most threads that a stage starts on this machine. More of them would each have a small part
/// of a core and their own memory.
pub fn threads_max() -> u32 {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    THREADS_ALWAYS.max(THREADS_PER_CORE.saturating_mul(cores))
}

/// Starts the threads of this process: `threads` of them, one a core where it is 0, and never more
/// than [`threads_max`]. Where they are started already, nothing happens.
///
/// # Errors
/// Where the system gives no threads.
pub fn start_threads(threads: u32) -> anyhow::Result<()> {
    let threads = threads.min(threads_max()) as usize;
    let started = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    let Err(error) = started else { return Ok(()) };
    // That there is a pool already has no source.
    let refused = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    match refused {
        Some(source) => Err(no_thread(source)).context("cannot start the threads of the stage"),
        None => Ok(()),
    }
}

/// The error of a thread that could not be started.
pub(crate) fn no_thread(source: &io::Error) -> anyhow::Error {
    let copy = source.raw_os_error().map_or_else(
        || io::Error::new(source.kind(), source.to_string()),
        io::Error::from_raw_os_error,
    );
    anyhow::Error::new(copy).context(format!("no thread can be started; {}", advice(source)))
}

/// Lets a process end with one line and exit code 75 where any of its threads cannot start another
/// one. Libraries panic there. Other panics are reported as usual.
pub fn end_for_lack_of_threads() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.payload_as_str().is_some_and(is_lack_of_threads) {
                let why = no_thread(&io::Error::from_raw_os_error(EAGAIN));
                stderr_line(&format!("error: {why:#}"));
                process::exit(i32::from(TRY_AGAIN));
            }
            usual(panic);
        }));
    });
}

/// Whether a panic means that the system gave no thread: by `std`'s words, or those of a pool, with
/// the error's number.
fn is_lack_of_threads(message: &str) -> bool {
    let is_about = ["spawn thread", "ThreadPoolBuildError", "thread pool"];
    is_about.iter().any(|words| message.contains(words))
        && message.contains(&format!("code: {EAGAIN},"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit_code::exit_code_of;

    #[test]
    fn a_lack_of_threads_is_distinguished_from_other_panics() {
        let refused = io::Error::from_raw_os_error(EAGAIN);
        assert!(is_lack_of_threads(&format!("failed to spawn thread: {refused:?}")));
        let pool = "The global thread pool has not been initialized.: ThreadPoolBuildError { kind: IOError(Os { code: 11, kind: WouldBlock, message: \"Resource temporarily unavailable\" }) }";
        assert!(is_lack_of_threads(pool));
        for other in ["index out of bounds", "failed to spawn thread: none", "code: 11, of a game"]
        {
            assert!(!is_lack_of_threads(other), "{other}");
        }
        let error = no_thread(&refused);
        assert_eq!(exit_code_of(&error), TRY_AGAIN);
        assert!(format!("{error:#}").contains("ulimit -u"), "{error:#}");
    }

    #[test]
    fn no_machine_starts_thousands() {
        assert!((64..=4096).contains(&threads_max()));
        start_threads(1).unwrap();
        start_threads(1).unwrap();
    }
}
