//! The memory of what is kept until the end of a session, for the memory limit of queries.

/// What is kept, and how much memory it takes.
pub trait HeapBytes {
    /// Returns the number of bytes on the heap of the parts that grow with the number of events.
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl<T> HeapBytes for Vec<T> {
    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}
