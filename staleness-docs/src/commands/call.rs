//! Finds the targets called by the words of a command.

use super::TargetKind;
use super::options::{
    BUN, COMPOSER, DENO, HOOKS, JUST, MAKE, NPM, Options, PNPM, POE, Place, RUN, TASK, YARN,
    is_name, take,
};
use super::own::{MAX_WRAPPERS, is_file, unwrapped};
use super::programs::{is_built_in, is_foreign, is_foreign_module, is_known_to_cargo, is_of_cargo};
use super::shell::{Shell, is_assignment};

/// A command that calls a target of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) kind: TargetKind,
    pub(crate) target: String,
    pub(crate) place: Place,
    /// The command up to its target, without irrelevant options: `npm run lint`.
    pub(crate) text: String,
    /// True if the command may also run a program of a dependency.
    pub(crate) or_tool: bool,
}

impl Call {
    /// Parses a command reported by [`calls`], perhaps with its folder: `cd web && npm run lint`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut all = None;
        Shell::default().line(text, &mut |words, folder| {
            calls(words, folder, &mut |call, _| {
                all.get_or_insert(call);
            });
        });
        all
    }

    /// Returns the command, preceded by its folder if that differs from the document's.
    pub(crate) fn written(&self, folder: &str) -> String {
        if folder.is_empty() { self.text.clone() } else { format!("cd {folder} && {}", self.text) }
    }

    pub(crate) fn renamed(&self, target: &str) -> String {
        let head = self.text.strip_suffix(&self.target).unwrap_or(&self.text);
        // `npm test` has no `run`.
        let short = self.kind == TargetKind::Script && is_short(self.target.as_str(), head);
        format!("{head}{}{target}", if short { "run " } else { "" })
    }
}

fn is_short(target: &str, head: &str) -> bool {
    matches!(target, "test" | "start" | "stop")
        && head.starts_with("npm")
        && !head.contains(" run ")
}

/// Reports the targets that a command calls, each with the word at which it begins.
pub(crate) fn calls<'a>(
    words: &[&'a str],
    folder: Option<&str>,
    found: &mut dyn FnMut(Call, &'a str),
) {
    let Some(folder) = folder else { return };
    let mut rest = unwrapped(words);
    for _ in 0..MAX_WRAPPERS {
        let Some((program, args)) = rest.split_first() else { return };
        let mut add = |kind, place: &Place, head: &str, target: &str, or_tool| {
            if is_name(target) {
                let (place, target) = (place.clone(), target.to_owned());
                let text = format!("{program}{head} {target}");
                found(Call { kind, target, place, text, or_tool }, program);
            }
        };
        match *program {
            "npm" | "yarn" | "pnpm" | "bun" => {
                scripts(program, args, folder, &mut add);
            }
            "deno" => one(args, &DENO, folder, &["task"], TargetKind::Deno, &mut add),
            "composer" => {
                one(
                    args,
                    &COMPOSER,
                    folder,
                    &["run", "run-script"],
                    TargetKind::Composer,
                    &mut add,
                );
                first(args, &COMPOSER, folder, TargetKind::Composer, &mut add);
            }
            "just" => first(args, &JUST, folder, TargetKind::Just, &mut add),
            "poe" => first(args, &POE, folder, TargetKind::Python, &mut add),
            "make" | "gmake" => each(args, &MAKE, folder, TargetKind::Make, &mut add),
            "task" => each(args, &TASK, folder, TargetKind::Task, &mut add),
            "pre-commit" | "prek" => {
                one(args, &HOOKS, folder, &["run"], TargetKind::Hook, &mut add);
            }
            "cargo" => cargo(args, folder, &mut add),
            "python" | "python3" | "py" => {
                if let ["-m", module, ..] = args
                    && !is_foreign_module(module)
                    && !module.contains(['/', '-', ':', '@'])
                {
                    add(
                        TargetKind::Module,
                        &Place::Folder(folder.to_owned()),
                        " -m",
                        module,
                        false,
                    );
                }
            }
            "poetry" | "uv" | "pdm" | "pipenv" | "rye" | "hatch" => {
                let ["run", args @ ..] = args else { return };
                let Some(taken) = take(args, &RUN, folder) else { return };
                let Some(name) = taken.rest.first() else { return };
                if !is_foreign(name) && !is_file(name) && !matches!(*name, "poe" | "task" | "prek")
                {
                    let head = format!(" run{}", taken.kept);
                    add(TargetKind::Python, &taken.place, &head, name, false);
                    return;
                }
                if !taken.kept.is_empty() {
                    return;
                }
                rest = taken.rest;
                continue;
            }
            // Other code decides which of these programs are the project's own.
            program if is_plain(program) && !is_foreign(program) => {
                if let Some(name) = args.first().filter(|word| is_plain(word)) {
                    add(TargetKind::Subcommand, &Place::Folder(String::new()), "", name, false);
                }
            }
            _ => {}
        }
        return;
    }
}

/// Returns true if a word can be the name of a program or of a subcommand.
fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    word.len() > 1 && word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(plain)
}

type Add<'f> = dyn FnMut(TargetKind, &Place, &str, &str, bool) + 'f;

/// Adds the first argument of a program.
fn first(args: &[&str], options: &Options, folder: &str, kind: TargetKind, add: &mut Add<'_>) {
    let Some(taken) = take(args, options, folder) else { return };
    let target = taken.rest.iter().find(|word| !is_assignment(word));
    if let Some(target) = target.filter(|it| !is_built_in(it) && !it.contains('/')) {
        add(kind, &taken.place, &taken.kept, target, false);
    }
}

/// Adds the first argument of a verb.
fn one(
    args: &[&str],
    options: &Options,
    folder: &str,
    verbs: &[&str],
    kind: TargetKind,
    add: &mut Add<'_>,
) {
    let Some((verb, args)) = args.split_first().filter(|(verb, _)| verbs.contains(verb)) else {
        return;
    };
    let Some(taken) = take(args, options, folder) else { return };
    if let Some(target) = taken.words.iter().chain(taken.rest).next() {
        add(kind, &taken.place, &format!(" {verb}{}", taken.kept), target, false);
    }
}

/// Adds all arguments of a program, except variables and numbers.
fn each(args: &[&str], options: &Options, folder: &str, kind: TargetKind, add: &mut Add<'_>) {
    let Some(taken) = take(args, options, folder) else { return };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    for target in taken.words.iter().filter(|word| !is_assignment(word) && !is_number(word)) {
        add(kind, &taken.place, &taken.kept, target, false);
    }
}

/// Adds scripts of `package.json`.
fn scripts(program: &str, args: &[&str], folder: &str, add: &mut Add<'_>) {
    let (options, or_tool) = match program {
        "npm" => (&NPM, false),
        "yarn" => (&YARN, true),
        "pnpm" => (&PNPM, true),
        _ => (&BUN, true),
    };
    let Some(mut taken) = take(args, options, folder) else { return };
    let mut words: Vec<&str> = taken.words.iter().chain(taken.rest).copied().collect();
    let mut kept = std::mem::take(&mut taken.kept);
    if let ["workspace", package, ..] = words[..]
        && program == "yarn"
        && is_name(package)
    {
        kept = format!(" workspace {package}");
        taken.place = Place::Workspace(package.to_owned());
        words.drain(..2);
    }
    let kind = TargetKind::Script;
    match words[..] {
        [verb @ ("run" | "run-script" | "rum" | "urn"), target, ..] => {
            let file = program == "bun" && is_file(target);
            if !file {
                add(kind, &taken.place, &format!("{kept} {verb}"), target, or_tool);
            }
        }
        ["t" | "tst", ..] if matches!(program, "npm" | "pnpm") => {
            add(kind, &taken.place, &kept, "test", false);
        }
        ["test", ..] if program == "bun" => {}
        [target @ ("test" | "start" | "stop"), ..] => {
            add(kind, &taken.place, &kept, target, false);
        }
        ["deploy" | "recursive" | "m", ..] if program == "pnpm" => {}
        ["build", ..] if program == "bun" => {}
        [target, ..] if program != "npm" && !is_built_in(target) && !is_file(target) => {
            add(kind, &taken.place, &kept, target, or_tool);
        }
        _ => {}
    }
}

/// Adds the targets that cargo builds, or an alias.
fn cargo(args: &[&str], folder: &str, add: &mut Add<'_>) {
    let args = match args {
        [toolchain, rest @ ..] if toolchain.starts_with('+') => rest,
        all => all,
    };
    let Some((verb, args)) = args.split_first() else { return };
    let place = Place::Folder(folder.to_owned());
    if !is_of_cargo(verb) {
        if !is_known_to_cargo(verb) && !verb.starts_with('-') {
            add(TargetKind::Alias, &place, "", verb, false);
        }
        return;
    }
    let end = args.iter().position(|word| *word == "--").unwrap_or(args.len());
    let args = &args[..end];
    if args.iter().any(|word| word.starts_with("--manifest-path")) {
        return;
    }
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (*word, None),
        };
        let kind = match name {
            "--bin" => TargetKind::Binary,
            "--example" => TargetKind::Example,
            "-p" | "--package" => TargetKind::Package,
            "-F" | "--features" => TargetKind::Feature,
            _ => continue,
        };
        let Some(value) = value.or_else(|| words.next().copied()) else { return };
        if kind != TargetKind::Feature {
            add(kind, &place, &format!(" {verb} {name}"), value, false);
            continue;
        }
        for feature in value.split([',', ' ']) {
            // `package/feature`
            if !feature.contains(['/', '?']) {
                add(kind, &place, &format!(" {verb} {name}"), feature, false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(line: &str) -> Vec<String> {
        let mut all = Vec::new();
        Shell::default().line(line, &mut |words, folder| {
            calls(words, folder, &mut |call, at| {
                let folder = folder.unwrap_or_default();
                let place = match &call.place {
                    Place::Folder(folder) if folder.is_empty() => String::new(),
                    Place::Folder(folder) => format!(" in {folder}"),
                    Place::Workspace(name) => format!(" of {name}"),
                    Place::File(file) => format!(" by {file}"),
                };
                assert!(call.text.starts_with(at));
                let again = Call::parse(&call.written(folder));
                assert_eq!(again.as_ref(), Some(&call), "{}", call.written(folder));
                all.push(format!("{:?} {}{place}", call.kind, call.target));
            });
        });
        all
    }

    #[test]
    fn a_command_names_its_target_and_where_it_is() {
        for (line, expected) in [
            ("npm run lint -- --fix", "Script lint"),
            ("npm run-script lint:all", "Script lint:all"),
            ("npm test", "Script test"),
            ("npm t", "Script test"),
            ("npm start", "Script start"),
            ("npm --prefix web run lint", "Script lint in web"),
            ("npm run lint --prefix=web", "Script lint in web"),
            ("npm run lint -w packages/a", "Script lint of packages/a"),
            ("npm run lint --workspace=@x/a", "Script lint of @x/a"),
            ("npm run lint --workspaces", "Script lint"),
            ("cd web && npm run lint", "Script lint in web"),
            ("cd web && npm --prefix a run lint", "Script lint in web/a"),
            ("yarn lint", "Script lint"),
            ("yarn run lint --fix", "Script lint"),
            ("yarn --cwd web lint", "Script lint in web"),
            ("yarn workspace @x/a lint", "Script lint of @x/a"),
            ("yarn workspace a run lint", "Script lint of a"),
            ("pnpm lint", "Script lint"),
            ("pnpm -r lint", "Script lint"),
            ("pnpm -C web run lint", "Script lint in web"),
            ("pnpm --filter a lint", "Script lint of a"),
            ("bun run lint", "Script lint"),
            ("deno task lint", "Deno lint"),
            ("composer lint", "Composer lint"),
            ("composer run lint", "Composer lint"),
            ("make lint", "Make lint"),
            ("gmake -C docs html", "Make html in docs"),
            ("make --directory=docs html", "Make html in docs"),
            ("make -f build/x.mk -j 4 A=b lint", "Make lint by build/x.mk"),
            ("just lint a b", "Just lint"),
            ("just -f x/justfile lint", "Just lint by x/justfile"),
            ("task docs:build", "Task docs:build"),
            ("cargo xtask dist", "Alias xtask"),
            ("cargo +nightly run --release --bin till -- --fast", "Binary till"),
            ("cargo run --example=tiny", "Example tiny"),
            ("cargo test -p shop", "Package shop"),
            ("cargo build -F tls", "Feature tls"),
            ("python -m shop.tools --fast", "Module shop.tools"),
            ("poetry run lint", "Python lint"),
            ("uv run --with x lint", "Python lint"),
            ("poe lint", "Python lint"),
            ("uv run poe lint", "Python lint"),
            ("uv run make lint", "Make lint"),
            ("pre-commit run ruff --all-files", "Hook ruff"),
            ("pre-commit run --all-files ruff", "Hook ruff"),
            ("shop run --fast x", "Subcommand run"),
            ("sudo env A=1 make lint", "Make lint"),
            ("CI=1 npm run lint", "Script lint"),
        ] {
            assert_eq!(read(line), [expected], "{line}");
        }
        assert_eq!(read("make lint test"), ["Make lint", "Make test"]);
        assert_eq!(
            read("cargo build -p a --features b,c"),
            ["Package a", "Feature b", "Feature c"]
        );
    }

    #[test]
    fn what_stands_for_something_else_names_no_target() {
        for line in [
            "npm run <script>",
            "npm run $SCRIPT",
            "npm run {name}",
            "npm run ...",
            "npm run",
            "npm run lint --if-present",
            "npm install lint",
            "npm ci",
            "npx lint",
            "yarn",
            "yarn add lint",
            "yarn workspaces foreach run lint",
            "pnpm dlx lint",
            "bun test",
            "bun run src/a.ts",
            "bun a.ts",
            "make",
            "make -j4",
            "make A=b",
            "make -C $(DIR) lint",
            "make -C /usr/src lint",
            "make -C 'my docs' lint",
            "make -f ' -- ' lint",
            "cd ~/x && make lint",
            "just --set a b lint",
            "just",
            "cargo build --release",
            "cargo install shop --features tls",
            "cargo run --manifest-path x/Cargo.toml --bin y",
            "cargo add -F tls x",
            "python -m pip install x",
            "python -m http.server",
            "python a.py",
            "poetry run pytest",
            "uv run a.py",
            "pre-commit install",
            "echo make lint",
            "shop",
            "shop --fast run",
            "shop RUN",
            "shop a.md",
            "x run",
            "git run",
        ] {
            assert!(read(line).is_empty(), "{line}: {:?}", read(line));
        }
    }

    #[test]
    fn a_new_name_takes_the_place_of_the_old_one() {
        for (line, new) in [
            ("npm run lint", "npm run check"),
            ("npm test", "npm run check"),
            ("npm --prefix web start", "npm --prefix web run check"),
            ("yarn test", "yarn check"),
            ("make -C docs html", "make -C docs check"),
            ("cd a && cargo run --bin x", "cargo run --bin check"),
        ] {
            assert_eq!(Call::parse(line).unwrap().renamed("check"), new, "{line}");
        }
    }

    proptest! {
        #[test]
        fn every_command_reads_as_it_is_written(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "cd", "web", "..", "&&", ";", "npm", "yarn", "run", "test", "-w", "-C", "--", "make", "cargo",
                    "-p", "--features", "a,b", "task", "just", "-f", "x.mk", "uv", "python", "-m", "sudo", "A=b",
                    "(", ")", "<<E", ">", "\"q", "'", "$(", "\\", "é", "#", "workspace", "pre-commit", "deno",
                ]),
                0..12,
            ),
        ) {
            read(&words.join(" "));
        }

        #[test]
        fn no_line_makes_it_panic(line in "(?s).{0,100}") {
            read(&line);
        }
    }
}
