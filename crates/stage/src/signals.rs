//! The signals that ask a program to stop.

use std::io::{self, Read};
use std::os::fd::IntoRawFd;
use std::sync::atomic::{AtomicI32, Ordering};
use std::{mem, ptr, thread};

/// The signals that ask: Ctrl-C, `kill` and systemd, and a terminal that closes.
pub(crate) const ASKING: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The end of a pipe that the handler writes to; the listening thread reads the other end.
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// Calls `each` on a thread of its own for every signal of [`ASKING`] that arrives from now on.
///
/// A signal that is ignored when the program starts stays ignored, as POSIX demands: `nohup`
/// ignores SIGHUP, and a shell without job control ignores SIGINT for background processes.
/// `always` names signals that are handled even then.
///
/// # Errors
/// What the operating system reports. A second call in one process is an error.
pub(crate) fn listen(
    always: &[libc::c_int],
    mut each: impl FnMut() + Send + 'static,
) -> io::Result<()> {
    let (mut reader, writer) = io::pipe()?;
    if PIPE.load(Ordering::SeqCst) >= 0 {
        return Err(io::Error::other("this process listens for signals already"));
    }
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut byte = [0];
        while reader.read_exact(&mut byte).is_ok() {
            each();
        }
    })?;
    PIPE.store(writer.into_raw_fd(), Ordering::SeqCst);
    for signal in ASKING {
        if always.contains(&signal) || !is_ignored(signal)? {
            handle(signal)?;
        }
    }
    Ok(())
}

/// Whether the process ignores `signal` now.
#[allow(unsafe_code)]
pub(crate) fn is_ignored(signal: libc::c_int) -> io::Result<bool> {
    let mut now = mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action sigaction(2) only fills in `now`, which has room for it; it is
    // read where the call says that it did.
    let action = unsafe {
        if libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        now.assume_init()
    };
    Ok(action.sa_sigaction == libc::SIG_IGN)
}

/// Installs [`on_signal`].
#[allow(unsafe_code)]
fn handle(signal: libc::c_int) -> io::Result<()> {
    let handler: extern "C" fn(libc::c_int) = on_signal;
    // SAFETY: an action of zeros is a valid one: no flags, an empty mask. The handler calls
    // write(2) alone, which may be called from a handler, and touches an atomic number.
    let done = unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, ptr::null_mut())
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[allow(unsafe_code)]
extern "C" fn on_signal(_: libc::c_int) {
    let byte = 0_u8;
    // SAFETY: the pipe stays open as long as the process lives, and `byte` is one byte to read. A
    // full pipe would make the handler wait for the listening thread, after 65,536 signals that
    // nobody has read.
    unsafe {
        libc::write(PIPE.load(Ordering::Relaxed), (&raw const byte).cast(), 1);
    }
}
