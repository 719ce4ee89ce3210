//! The `staleness` program, built like the release, for the whole-process benchmarks.

fn main() -> std::process::ExitCode {
    staleness_cli::main()
}
