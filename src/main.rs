//! The program `ireescope`.

fn main() -> std::process::ExitCode {
    ireescope::cli::main()
}
