//! A stage that a driver started dies with it.

use std::io::{self, Read};
use std::process;
use std::thread;
use std::time::Duration;

use crate::driver_id::driver_id;
use crate::exit::TRY_AGAIN;
use crate::stop::Stop;
use crate::threads::no_thread;

/// How long an orphan may drain.
const ORPHAN_GRACE: Duration = Duration::from_secs(5);

/// Where a driver started this process: asks the kernel for SIGTERM when the driver dies, and
/// watches the pipe that the driver holds open on standard input.
///
/// # Errors
/// Where no thread can be started that watches.
pub(crate) fn die_with_driver(stop: &Stop) -> anyhow::Result<()> {
    let Some(driver) = driver_id() else { return Ok(()) };
    ask_for_parent_death_signal();
    if std::os::unix::process::parent_id() != driver {
        // It died before the kernel was asked.
        process::exit(i32::from(TRY_AGAIN));
    }
    let stop = stop.clone();
    let watched = thread::Builder::new().name("driver".to_owned()).spawn(move || {
        wait_for_end(&mut io::stdin());
        stop.ask();
        thread::sleep(ORPHAN_GRACE);
        process::exit(i32::from(TRY_AGAIN));
    });
    watched.map(drop).map_err(|error| no_thread(&error))
}

fn wait_for_end(input: &mut impl Read) {
    let mut buffer = [0; 64];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return,
            Err(e) if e.kind() != io::ErrorKind::Interrupted => return,
            _ => {}
        }
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn ask_for_parent_death_signal() {
    // SAFETY: prctl(PR_SET_PDEATHSIG) takes a signal number and touches no memory of ours. A
    // refusal leaves the pipe, which is watched anyway.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM as libc::c_ulong);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_parent_death_signal() {}
