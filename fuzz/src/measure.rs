//! Peak memory and time of a reader, in a test binary of its own: the allocator counts for the
//! whole process.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Bytes that reading a file may take at most, for each megabyte of it; a shorter file counts as
/// one.
pub const BYTES_MAX: usize = 200_000_000;
/// Seconds that it may take, likewise.
pub const SECONDS_MAX: f64 = 2.0;
/// A file has this many bytes for each [`BYTES_MAX`] and [`SECONDS_MAX`].
const MEGABYTE: usize = 1_000_000;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn more(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

fn less(bytes: usize) {
    NOW.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call is the system allocator's own, with the arguments that came; counting
// allocates nothing.
#[allow(unsafe_code, reason = "an allocator is unsafe by its trait")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        less(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        more(size);
        less(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// The worst of many files.
#[derive(Debug, Default)]
pub struct Worst {
    files: usize,
    bytes: usize,
    seconds: f64,
}

impl Worst {
    /// Reads one file, and panics if that takes too much. `name` describes the result.
    pub fn read(&mut self, name: &str, file: &[u8], read: impl FnOnce(&[u8])) {
        let (before, began) = (NOW.load(Ordering::Relaxed), seconds());
        PEAK.store(before, Ordering::Relaxed);
        read(file);
        let bytes = PEAK.load(Ordering::Relaxed).saturating_sub(before);
        let seconds = seconds() - began;
        let megabytes = file.len().max(MEGABYTE) as f64 / MEGABYTE as f64;
        let (of_bytes, of_seconds) = (bytes as f64 / megabytes, seconds / megabytes);
        assert!(of_bytes <= BYTES_MAX as f64, "{name}: {bytes} bytes for a file of {}", file.len());
        assert!(of_seconds <= SECONDS_MAX, "{name}: {seconds:.2} s for a file of {}", file.len());
        self.files += 1;
        self.bytes = self.bytes.max(of_bytes as usize);
        self.seconds = self.seconds.max(of_seconds);
    }

    /// Prints what the worst file took, and checks that there were as many as meant.
    pub fn finish(&self, reader: &str, files: usize) {
        println!(
            "{reader}: {} files, at most {:.1} MB and {:.2} s",
            self.files,
            self.bytes as f64 / 1e6,
            self.seconds
        );
        assert!(self.files >= files, "{reader}: {} files are too few", self.files);
    }
}

/// Seconds that this thread has computed: other processes do not count.
fn seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let spent = text.split(' ').next().and_then(|text| text.parse::<f64>().ok());
    spent.unwrap_or(0.0) / 1e9
}
