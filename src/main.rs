//! The program `ireescope`.

/// Planning a query makes and drops tens of thousands of small things, which this allocator does in half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    ireescope::cli::main()
}
