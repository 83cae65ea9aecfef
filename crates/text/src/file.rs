//! Files of others: those inside a run, which are regular, and those that a user names.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file for reading, without waiting where the path is a pipe or a device.
///
/// # Errors
/// Those of the operating system, and [`io::ErrorKind::InvalidInput`] for anything that is not a
/// regular file, which would have no end or no writer.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Without O_NONBLOCK, opening a pipe waits for its writer.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !meta.is_file() {
        let what = "it is not a regular file (a pipe, socket or device)";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(file)
}

/// The bytes of a regular file that has at most `bytes_max` of them.
///
/// The length is checked before memory is taken, so a sparse file costs nothing.
///
/// # Errors
/// As [`open_regular`], and [`io::ErrorKind::FileTooLarge`] for a longer file.
pub fn read_file(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    read_bounded(open_regular(path)?, bytes_max)
}

/// The bytes of whatever a user names: a file, a pipe such as `/dev/stdin` or `<(zcat
/// games.pgn.gz)`.
///
/// # Errors
/// Those of the operating system, and [`io::ErrorKind::FileTooLarge`] beyond `bytes_max`.
pub fn read_input(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    read_bounded(File::open(path)?, bytes_max)
}

/// Everything up to the end of `file`, which may grow while it is read.
fn read_bounded(file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let too_large = || {
        let what = format!("it is longer than the {bytes_max} bytes that are read");
        io::Error::new(io::ErrorKind::FileTooLarge, what)
    };
    // Pipes and devices state a length of 0.
    let bytes = file.metadata()?.len();
    if bytes > bytes_max {
        return Err(too_large());
    }
    let mut content = Vec::with_capacity(bytes as usize);
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > bytes_max {
        return Err(too_large());
    }
    Ok(content)
}
