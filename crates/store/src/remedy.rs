//! The operating system's errors, sorted by what a user can do about them.

use std::io;

/// What helps against an error of the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// The same command may succeed later without anybody changing anything.
    Again,
    /// Free some space, or raise the quota.
    Space,
    /// Give this user permission.
    Permission,
    /// Name another place: the path, or the file system that it is on, cannot hold a run.
    Place,
    /// Restore what is missing.
    Missing,
    /// Look for the cause; trying again does not help.
    Look,
}

/// An error of the operating system that a run may meet.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its name in errno(3).
    pub name: &'static str,
    /// What helps.
    pub remedy: Remedy,
    /// What to do, in words.
    pub advice: &'static str,
}

const DISK: &str = "check the disk, then start again";
const NO_FOLDER: &str = "name another directory with --dir";
const FILE_SYSTEM: &str = "the file system does not offer what a run needs; choose a directory on a local disk with --dir";
const FILES: &str = "close programs that have many files open, or raise the limit (ulimit -n)";
const PROCESSES: &str = "the limit of processes and threads is reached; end other programs, or raise it (ulimit -u, pids.max \
                         of the cgroup), then start again";
const PERMISSION: &str =
    "give this user permission to read and write there, or choose another directory with --dir";
const SPACE: &str = "free some space";

/// Every error that is sorted, by Linux's number.
pub const TABLE: [(i32, Known); 31] = [
    (1, known("EPERM", Remedy::Permission, PERMISSION)),
    (2, known("ENOENT", Remedy::Missing, "restore it from a copy of the run")),
    (4, known("EINTR", Remedy::Again, "start again")),
    (5, known("EIO", Remedy::Again, DISK)),
    (6, known("ENXIO", Remedy::Look, "something that is no file has its name; move that away")),
    (11, known("EAGAIN", Remedy::Again, PROCESSES)),
    (12, known("ENOMEM", Remedy::Again, "free some memory, then start again")),
    (13, known("EACCES", Remedy::Permission, PERMISSION)),
    (16, known("EBUSY", Remedy::Again, "another program uses it; start again when that has ended")),
    (18, known("EXDEV", Remedy::Place, "a run must lie on one file system")),
    (
        20,
        known(
            "ENOTDIR",
            Remedy::Place,
            "a part of the path is a file and no folder; name another directory with --dir",
        ),
    ),
    (21, known("EISDIR", Remedy::Look, "a folder has the name of a file; move that folder away")),
    (22, known("EINVAL", Remedy::Place, FILE_SYSTEM)),
    (23, known("ENFILE", Remedy::Again, FILES)),
    (24, known("EMFILE", Remedy::Again, FILES)),
    (26, known("ETXTBSY", Remedy::Again, "the program is being written; start again")),
    (
        27,
        known(
            "EFBIG",
            Remedy::Look,
            "files may not grow as large here; raise the limit (ulimit -f)",
        ),
    ),
    (28, known("ENOSPC", Remedy::Space, SPACE)),
    (
        30,
        known(
            "EROFS",
            Remedy::Permission,
            "the file system is mounted read-only; mount it for writing, or choose another directory with --dir",
        ),
    ),
    (
        31,
        known(
            "EMLINK",
            Remedy::Place,
            "the file system makes no more links to a file; choose a directory on another one with --dir",
        ),
    ),
    (
        36,
        known(
            "ENAMETOOLONG",
            Remedy::Place,
            "the path is too long; choose a shorter one with --dir",
        ),
    ),
    (
        37,
        known(
            "ENOLCK",
            Remedy::Place,
            "the file system gives no locks, as NFS without its lock service; choose a directory on a local disk with --dir",
        ),
    ),
    (38, known("ENOSYS", Remedy::Place, FILE_SYSTEM)),
    (
        40,
        known(
            "ELOOP",
            Remedy::Place,
            "links in the path lead in a circle, or the last part is a link; name another directory with --dir",
        ),
    ),
    (75, known("EOVERFLOW", Remedy::Look, "the file is too large for this system")),
    (95, known("EOPNOTSUPP", Remedy::Place, FILE_SYSTEM)),
    (
        107,
        known(
            "ENOTCONN",
            Remedy::Again,
            "the file system's server is not there; mount it again, then start again",
        ),
    ),
    (110, known("ETIMEDOUT", Remedy::Again, DISK)),
    (116, known("ESTALE", Remedy::Again, "the network file system was mounted anew; start again")),
    (117, known("EUCLEAN", Remedy::Look, "the file system is damaged; check it with fsck")),
    (122, known("EDQUOT", Remedy::Space, "free some space, or raise the quota")),
];

const fn known(name: &'static str, remedy: Remedy, advice: &'static str) -> Known {
    Known { name, remedy, advice }
}

impl Remedy {
    /// Returns what helps against `error`. An error without a number of the operating system may go
    /// away by trying again. One whose number is not in [`TABLE`] needs a look.
    pub fn of(error: &io::Error) -> Self {
        match (entry(error), error.kind()) {
            (Some(known), _) => known.remedy,
            (None, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => Self::Space,
            (None, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
                Self::Permission
            }
            (None, io::ErrorKind::NotFound) => Self::Missing,
            (None, _) if error.raw_os_error().is_none() => Self::Again,
            (None, _) => Self::Look,
        }
    }

    /// Whether the same command may succeed later.
    pub const fn is_temporary(self) -> bool {
        matches!(self, Self::Again | Self::Space)
    }
}

/// What to do about `error`, in words.
pub fn advice(error: &io::Error) -> &'static str {
    let fallback = match Remedy::of(error) {
        Remedy::Place => NO_FOLDER,
        Remedy::Permission => PERMISSION,
        Remedy::Space => SPACE,
        _ => "check the disk and this directory's permissions, then start again",
    };
    entry(error).map_or(fallback, |known| known.advice)
}

fn entry(error: &io::Error) -> Option<&'static Known> {
    let number = error.raw_os_error()?;
    TABLE.iter().find(|(other, _)| *other == number).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_its_remedy() {
        let of = |number| Remedy::of(&io::Error::from_raw_os_error(number));
        for (number, remedy) in [
            (libc_number("ENOTDIR"), Remedy::Place),
            (libc_number("ENAMETOOLONG"), Remedy::Place),
            (libc_number("ENOLCK"), Remedy::Place),
            (libc_number("ENOSYS"), Remedy::Place),
            (libc_number("EOPNOTSUPP"), Remedy::Place),
            (libc_number("EROFS"), Remedy::Permission),
            (libc_number("EACCES"), Remedy::Permission),
            (libc_number("ENOSPC"), Remedy::Space),
            (libc_number("EDQUOT"), Remedy::Space),
            (libc_number("EIO"), Remedy::Again),
            (libc_number("EMFILE"), Remedy::Again),
            (libc_number("ENOENT"), Remedy::Missing),
            // Nothing that is in the table.
            (4000, Remedy::Look),
        ] {
            assert_eq!(of(number), remedy, "{number}");
        }
        assert_eq!(Remedy::of(&io::Error::other("of a library")), Remedy::Again);
        assert_eq!(Remedy::of(&io::Error::from(io::ErrorKind::StorageFull)), Remedy::Space);
    }

    fn libc_number(name: &str) -> i32 {
        TABLE.iter().find(|(_, known)| known.name == name).expect("in the table").0
    }

    #[test]
    fn the_numbers_are_ascending_and_mean_what_their_names_say() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (number, word) in [
            (20, "Not a directory"),
            (36, "File name too long"),
            (37, "No locks available"),
            (38, "Function not implemented"),
            (95, "Operation not supported"),
            (116, "Stale file handle"),
            (117, "Structure needs cleaning"),
        ] {
            let said = io::Error::from_raw_os_error(number).to_string();
            assert!(said.starts_with(word), "{number}: {said}");
        }
        for (number, known) in &TABLE {
            let error = io::Error::from_raw_os_error(*number);
            assert!(!known.advice.is_empty() && advice(&error) == known.advice);
        }
    }
}
