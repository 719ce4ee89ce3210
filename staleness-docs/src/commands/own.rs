//! The project's own programs: their arguments and their files.

use super::programs::{is_foreign, is_foreign_module};
use super::shell::is_assignment;

/// Maximum number of nested wrapper programs, such as `sudo`.
pub(super) const MAX_WRAPPERS: usize = 4;

/// Returns true if a word is a file path, not a program name.
pub(super) fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    word.contains('/')
        || name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && end.len() < 5)
}

/// Returns the program that a command ultimately runs, with its arguments: `make lint` for `sudo env A=1 make lint`.
pub(super) fn unwrapped<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    let mut rest = words;
    for _ in 0..=MAX_WRAPPERS {
        while rest.first().is_some_and(|word| is_assignment(word)) {
            rest = &rest[1..];
        }
        match rest {
            [
                "sudo" | "env" | "time" | "exec" | "nohup" | "command" | "then" | "do" | "else"
                | "if" | "!" | "while" | "cross-env" | "{",
                more @ ..,
            ] if !more.is_empty() => rest = more,
            _ => break,
        }
    }
    rest
}

/// Returns the file that a command runs: its program, the argument of an interpreter, or the tests of a runner.
pub(crate) fn script<'a>(words: &[&'a str]) -> Option<&'a str> {
    let is_path = |word: &&&str| !word.starts_with('-') && word.contains('/');
    let of_runner = |args: &[&'a str]| {
        let path = args.iter().find(is_path)?;
        // `tests/a.py::test_b`, `./internal/...`
        Some(path.split("::").next().unwrap_or(path).trim_end_matches("/..."))
    };
    let mut words = unwrapped(words);
    while let ["uv" | "poetry" | "pdm" | "pipenv" | "rye" | "hatch", "run", rest @ ..]
    | ["npx" | "bunx", rest @ ..] = words
    {
        let flags = rest.iter().take_while(|word| word.starts_with('-')).count();
        words = unwrapped(&rest[flags..]);
    }
    match words {
        [program, ..] if program.contains('/') => Some(program),
        [program, file, ..] if is_interpreter(program) && file.contains('/') => Some(file),
        ["pytest" | "jest" | "vitest" | "mocha", rest @ ..]
        | ["go", "test" | "run" | "build" | "vet", rest @ ..]
        | ["bun" | "deno", "test" | "run", rest @ ..] => of_runner(rest),
        ["npm" | "yarn" | "pnpm", rest @ ..] => {
            of_runner(&rest[rest.iter().position(|word| *word == "--")?..])
        }
        _ => None,
    }
}

fn is_interpreter(program: &str) -> bool {
    matches!(
        program,
        "python"
            | "python3"
            | "py"
            | "node"
            | "ruby"
            | "perl"
            | "php"
            | "bash"
            | "sh"
            | "zsh"
            | "tsx"
            | "ts-node"
    )
}

/// Returns the index of the first word that belongs to one of the project's programs, or `None` if the
/// command runs a foreign program.
pub(crate) fn own_from(words: &[&str]) -> Option<usize> {
    let mut first = 0;
    loop {
        match &words[first..] {
            ["sudo" | "time" | "exec", ..] => first += 1,
            ["poetry" | "uv" | "pdm" | "pipenv" | "rye" | "hatch", "run", ..] => first += 2,
            _ => break,
        }
    }
    let words = &words[first..];
    let (program, args) = words.split_first()?;
    let behind = |at: usize| (at < words.len()).then_some(at);
    let place = |is: &dyn Fn(&str) -> bool| args.iter().position(|word| is(word)).map(|at| at + 1);
    let own = match (*program, args) {
        ("cargo", [verb, ..]) if matches!(*verb, "run" | "r") || verb.starts_with('+') => {
            place(&|word| matches!(word, "run" | "r"))?;
            place(&|word| word == "--").and_then(|at| behind(at + 1))
        }
        ("python" | "python3" | "py", ["-m", module, ..]) => {
            (!is_foreign_module(module)).then_some(3).and_then(behind)
        }
        (program, [file, ..]) if is_interpreter(program) => {
            (!file.starts_with('-') && is_file(file)).then_some(2).and_then(behind)
        }
        ("go", ["run", file, ..]) => is_file(file).then_some(3).and_then(behind),
        // A leading variable changes the meaning of the command.
        (program, _) if is_foreign(program) => None,
        (program, _) if program.contains('=') && !program.starts_with('-') => None,
        _ => Some(0),
    };
    own.map(|at| first + at)
}

/// Returns the program, module or file of the project to which the arguments belong. `None` if the command does not
/// name it, as in `cargo run -- --fast`, begins with a variable, or runs a foreign program.
pub(crate) fn caller<'a>(words: &[&'a str]) -> Option<&'a str> {
    let own = own_from(words)?;
    match &words[..own] {
        [.., "-m", module] => Some(module),
        [.., "--"] => None,
        [.., file] if is_file(file) => Some(file),
        _ => Some(words[own]).filter(|word| !word.starts_with('-')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_of_the_projects_own_programs_are_known() {
        for (line, first, by) in [
            ("shop run --fast", Some("shop"), Some("shop")),
            ("--fast", Some("--fast"), None),
            ("python -m shop --fast", Some("--fast"), Some("shop")),
            ("python scripts/a.py --fast", Some("--fast"), Some("scripts/a.py")),
            ("node bin/shop.js --fast", Some("--fast"), Some("bin/shop.js")),
            ("cargo run --release -- --fast", Some("--fast"), None),
            ("cargo +nightly run -- --fast", Some("--fast"), None),
            ("uv run shop --fast", Some("shop"), Some("shop")),
            ("poetry run python -m shop --fast", Some("--fast"), Some("shop")),
            ("go run ./cmd/shop --fast", Some("--fast"), Some("./cmd/shop")),
            ("sudo shop --fast", Some("shop"), Some("shop")),
            ("cargo run --release", None, None),
            ("cargo test -- --nocapture", None, None),
            ("python -m pip --fast", None, None),
            ("python -c x --fast", None, None),
            ("uv run pytest --fast", None, None),
            ("npm run x -- --fast", None, None),
            ("A=b shop --fast", None, None),
            ("", None, None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(caller(&words), by, "{line}");
            assert_eq!(own_from(&words).map(|at| words[at]), first, "{line}");
        }
    }

    #[test]
    fn a_long_row_of_wrappers_is_no_problem() {
        for wrapper in ["sudo ", "uv run ", "npx "] {
            let line = wrapper.repeat(100_000) + "bin/shop --fast";
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(script(&words), (wrapper != "sudo ").then_some("bin/shop"), "{wrapper}");
            if wrapper != "npx " {
                assert_eq!(own_from(&words), Some(words.len() - 2), "{wrapper}");
            }
        }
    }
}
