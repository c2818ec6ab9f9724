//! The `ireescope` program.

/// Servers have many threads, of which those of long statements have a low priority. With the C library's allocator, they hold locks that the
/// others wait for.
#[cfg(all(unix, feature = "servers"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    ireescope::cli::main()
}
