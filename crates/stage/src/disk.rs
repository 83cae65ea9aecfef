//! Free disk: a stage stops before it writes rather than in the middle.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use dz_store::StoreError;

use crate::numbers::bytes_text;

/// Bytes of a megabyte, as `storage.disk_free_min_mb` counts.
const MB: u64 = 1_000_000;

/// [`StoreError::NoSpace`] if fewer than `min_mb` megabytes are free where the run lies.
pub(crate) fn check_free(root: &Path, min_mb: u64) -> Result<(), StoreError> {
    let shown = root.display().to_string();
    let free = free_bytes(root).map_err(|source| StoreError::io(shown.clone(), source))?;
    if free / MB >= min_mb {
        return Ok(());
    }
    let [free, asked] = [free, min_mb.saturating_mul(MB)].map(bytes_text);
    let text = format!("{free} are free, storage.disk_free_min_mb asks for {asked}");
    let source = io::Error::new(io::ErrorKind::StorageFull, text);
    Err(StoreError::NoSpace { path: shown, source })
}

/// Bytes that this user may still write to the file system of `path`.
///
/// # Errors
/// What the operating system reports.
#[allow(unsafe_code)]
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut stats = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: `path` is a NUL-terminated string and `stats` has room for what the call fills in;
    // it is read only where the call says that it did.
    let stats = unsafe {
        if libc::statvfs(path.as_ptr(), stats.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        stats.assume_init()
    };
    Ok(stats.f_bavail * stats.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_room_is_an_error_that_names_the_key() {
        let folder = tempfile::tempdir().unwrap();
        check_free(folder.path(), 0).unwrap();
        let error = check_free(folder.path(), u64::MAX).unwrap_err();
        assert!(error.is_temporary());
        assert!(error.to_string().contains("storage.disk_free_min_mb"), "{error}");
        assert!(check_free(Path::new("/nowhere/at/all"), 0).is_err());
    }
}
