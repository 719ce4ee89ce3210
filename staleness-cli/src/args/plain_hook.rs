//! `staleness hook` as clients call it, read without clap: even the small parser of its own is one
//! twentieth of what a process that records one use does.

use std::ffi::OsString;

use super::{ColorArg, Global, HookArgs, HookCli};

/// Reads `hook` with `--client` and `--event` at most, each once and followed by its value. `None`
/// for everything else, which may be right all the same: clap decides. `variable` is the
/// environment.
pub(super) fn read(
    args: &[OsString],
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<HookCli> {
    let (command, mut rest) = args.get(1..)?.split_first()?;
    if command != "hook" {
        return None;
    }
    let mut hook = HookArgs { client: None, event: None, explain: false };
    while let [option, value, more @ ..] = rest {
        let slot = match option.to_str()? {
            "--client" => &mut hook.client,
            "--event" => &mut hook.event,
            _ => return None,
        };
        let value = value.to_str().filter(|value| !value.is_empty() && !value.starts_with('-'))?;
        if slot.replace(value.to_owned()).is_some() {
            return None;
        }
        rest = more;
    }
    if !rest.is_empty() {
        return None;
    }
    // An empty variable is for clap to judge.
    let set = |name: &str| match variable(name) {
        Some(value) if value.is_empty() => Err(()),
        value => Ok(value),
    };
    let global = Global {
        store: match set("STALENESS_STORE").ok()? {
            Some(store) => Some(store.into_string().ok()?),
            None => None,
        },
        project: None,
        home: set("STALENESS_HOME").ok()?.map(Into::into),
        config: set("STALENESS_CONFIG").ok()?.map(Into::into),
        set: Vec::new(),
        now: None,
        json: false,
        quiet: false,
        verbose: false,
        color: ColorArg::Auto,
    };
    Some(HookCli { global, hook })
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        ["staleness"].into_iter().chain(text.split_whitespace()).map(Into::into).collect()
    }

    #[test]
    fn what_it_reads_clap_reads_the_same() {
        let mut read_here = 0;
        for text in [
            "hook",
            "hook --client codex",
            "hook --event SessionStart",
            "hook --client cursor --event postToolUse",
            "hook --event a --client b",
            "hook --client a --client b",
            "hook --client",
            "hook --client -x",
            "hook --client --event x",
            "hook --client=codex",
            "hook --explain",
            "hook -v",
            "hook x",
            "hook -- x",
            "hook --help",
            "hook --store memory:",
            "hooks",
            "--json hook",
            "",
        ] {
            let args = words(text);
            let Some(plain) = read(&args, |name| std::env::var_os(name)) else { continue };
            read_here += 1;
            let tail = args[..1].iter().chain(&args[2..]);
            let by_clap = HookCli::try_parse_from(tail).expect("clap reads it");
            assert_eq!(format!("{plain:?}"), format!("{by_clap:?}"), "{text}");
        }
        assert_eq!(read_here, 5);
    }

    /// Words of a command line: mostly an option with its value.
    fn part() -> impl Strategy<Value = Vec<String>> {
        let option = prop::sample::select(vec!["--client", "--event"]);
        let plain = "[a-z=\u{7}é][-a-z =\u{7}é]{0,4}";
        let value = prop_oneof![3 => plain, 1 => "-[-a-z]{0,3}"];
        let other =
            prop::sample::select(vec!["--explain", "--client=codex", "--store", "-v", "--", ""]);
        prop_oneof![
            4 => (option, value).prop_map(|(option, value)| vec![option.to_owned(), value]),
            1 => other.prop_map(|word| vec![word.to_owned()]),
            1 => "[-a-z =\u{7}é]{0,4}".prop_map(|word| vec![word]),
        ]
    }

    #[test]
    fn whatever_it_reads_clap_reads_the_same() {
        let read_here = std::cell::Cell::new(0);
        let lines = prop::collection::vec(part(), 0..4);
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let compared = runner.run(&lines, |parts| {
            let begin = ["staleness", "hook"].map(OsString::from);
            let args: Vec<OsString> =
                begin.into_iter().chain(parts.concat().into_iter().map(Into::into)).collect();
            if let Some(plain) = read(&args, |_| None) {
                read_here.set(read_here.get() + usize::from(args.len() > 2));
                let tail = args[..1].iter().chain(&args[2..]);
                let by_clap = HookCli::try_parse_from(tail).expect("clap reads it");
                prop_assert_eq!(format!("{:?}", plain.hook), format!("{:?}", by_clap.hook));
            }
            Ok(())
        });
        compared.unwrap();
        assert!(read_here.get() > 20, "{} with an option", read_here.get());
    }

    #[test]
    fn the_environment_names_store_home_and_policy() {
        let of = |value: &'static str| read(&words("hook"), move |_| Some(value.into()));
        let global = of("x").unwrap().global;
        assert_eq!(global.store.as_deref(), Some("x"));
        assert_eq!((global.home, global.config), (Some("x".into()), Some("x".into())));
        assert!(of("").is_none(), "clap refuses an empty path");
    }
}
