//! The `staleness` program, built like the release, for whole-process benchmarks.

fn main() -> std::process::ExitCode {
    let code = staleness_cli::main();
    staleness_benches::process::tell_peak();
    code
}
