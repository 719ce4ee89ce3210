//! The `staleness` program.

fn main() -> std::process::ExitCode {
    staleness_cli::main()
}
