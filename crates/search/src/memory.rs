//! How much memory is allocated.

/// Bytes that a vector has allocated.
pub(crate) fn bytes_of<T>(vec: &Vec<T>) -> usize {
    vec.capacity() * size_of::<T>()
}
