//! The `ireescope` program.

/// Query planning allocates and frees many small objects on several threads, which takes a fifth of the time of a small
/// command with the glibc allocator. Huge pages are off (feature `no_thp`): clearing one costs more than it saves.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    ireescope::cli::main()
}
