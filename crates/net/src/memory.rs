//! Keeping freed memory in the process.

/// Tells the C library's allocator to keep what is freed, up to a gigabyte at a time, instead of giving
/// it back to the system. Burn allocates every intermediate result afresh; by default each of several
/// megabytes is mapped, zeroed page by page by the kernel, and unmapped again, which took 27 to 40 % of
/// the time of a training step. Does nothing where the C library is not glibc.
pub(crate) fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(set_thresholds);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
fn set_thresholds() {
    // The largest that glibc accepts on 64 bits: half of an arena's heap.
    const MMAP_BYTES_MIN: libc::c_int = 32 << 20;
    const TRIM_BYTES_MIN: libc::c_int = 1 << 30;
    // SAFETY: mallopt takes numbers only and locks the allocator itself. It answers 0 if it refuses a
    // value, and then things are as slow as before.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_BYTES_MIN);
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_BYTES_MIN);
    }
}
