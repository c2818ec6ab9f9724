//! The program `ireescope`.

/// Planning makes and drops many small texts and trees on several threads, a fifth of a small command's time with the
/// allocator of glibc. Without huge pages, which would be cleared for a few words.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    ireescope::cli::main()
}
