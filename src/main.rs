//! The `ireescope` program.

fn main() -> std::process::ExitCode {
    ireescope::cli::main()
}
