//! Classifies the call or list around a string. It may define flags, compare with them, or pass them to another
//! program.

/// Lower-case endings of functions that define a flag: `add_option(`.
const OFFERING: [&[u8]; 4] = [b"add_argument", b"option", b"options", b"flag"];
/// Beginnings of lower-case names of functions that define an option by its bare name.
#[rustfmt::skip]
const DECLARING: [&[u8]; 16] = [
    b"alias", b"arg", b"bool", b"count", b"define", b"duration", b"float", b"int", b"long", b"new", b"on", b"opt",
    b"string", b"uint", b"var", b"with_name",
];
/// Lower-case endings of functions that compare with a flag.
#[rustfmt::skip]
const COMPARING: [&[u8]; 12] = [
    b"cmp", b"contains", b"eq", b"equals", b"has", b"includes", b"indexof", b"in", b"prefix",
    b"startswith", b"starts_with", b"streq",
];
/// Lower-case names of functions that run a program.
#[rustfmt::skip]
const RUNNING: [&[u8]; 12] = [
    b"check_call", b"check_output", b"exec", b"execa", b"execfile", b"execfilesync", b"execsync",
    b"popen", b"run", b"spawn", b"spawnsync", b"system",
];
/// Names of functions that add a word to a command.
#[rustfmt::skip]
const ADDING: [&[u8]; 9] = [
    b"append", b"arg", b"args", b"concat", b"emplace_back", b"extend", b"push", b"push_back",
    b"unshift",
];
/// Endings of longer function names that add a word: `argv_push(`.
const ADDING_LAST: [&[u8]; 3] = [b"append", b"extend", b"push"];
/// Words that, as a whole, name a command to run.
const RUN: [&[u8]; 4] = [b"cmd", b"cmdline", b"command", b"exec"];
/// Modules and objects that run programs.
const RUNNERS: [&[u8]; 2] = [b"session", b"subprocess"];
/// Names of lists of arguments, or endings of such names.
const LISTS: [&[u8]; 5] = [b"args", b"argv", b"arguments", b"cmd", b"command"];

/// A call or a list that encloses a string.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// The last part of the function name, in lower case.
    name: Vec<u8>,
    /// True for a list of arguments instead of a call.
    is_list: bool,
}

impl Call {
    /// Returns true if the call defines flags.
    pub(super) fn offers(&self) -> bool {
        OFFERING.iter().any(|name| self.name.ends_with(name))
    }

    pub(super) const fn has_name(&self) -> bool {
        !self.name.is_empty()
    }

    /// Returns true if the call defines an option by its bare name: `flags.StringVarP(`, `.long(`, `Arg::new(`.
    pub(super) fn declares(&self) -> bool {
        DECLARING.iter().any(|name| self.name.starts_with(name))
    }

    pub(super) fn compares(&self) -> bool {
        COMPARING.iter().any(|end| self.ends_with(end))
    }

    /// Returns true if the call passes on its arguments. `alone` is true if the flag is the last argument.
    pub(super) fn passes(&self, alone: bool) -> bool {
        let is = |names: &[&[u8]]| names.contains(&&*self.name);
        self.is_list
            || is(&RUNNING)
            || is(&ADDING)
            || ADDING_LAST.iter().any(|end| self.ends_with(end))
            || alone && is(&[b"add"])
    }

    /// Returns true if the name is `end` or ends with `_` and `end`. The `_` is optional for `cmp`, as in `strncmp`.
    fn ends_with(&self, end: &[u8]) -> bool {
        let rest = self.name.strip_suffix(end);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(b"_") || end == b"cmp")
    }
}

/// Returns the innermost call or list that is still open at the end of a text.
pub(super) fn call(text: &[u8]) -> Call {
    let list = || Call { is_list: true, ..Call::default() };
    let mut closed = 0_usize;
    for (at, byte) in text.iter().enumerate().rev() {
        let before = &text[..at];
        match byte {
            b')' | b']' | b'}' => closed += 1,
            b'(' | b'[' | b'{' if closed > 0 => closed -= 1,
            b'(' | b'[' | b'{' if is_list_of_words(before) => return list(),
            b'(' => {
                let name = word_before(before).to_ascii_lowercase();
                if !name.is_empty() {
                    return Call { name, is_list: false };
                }
            }
            b';' => return Call::default(),
            _ => {}
        }
    }
    Call::default()
}

/// Returns true if a list that opens after this text holds command arguments: `args = [`, `args: &[&str] =
/// [`, `vec![`, `args+=(`.
fn is_list_of_words(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    if before.ends_with(b"vec!") || before.ends_with(b"+=") {
        return true;
    }
    let Some(before) = before.strip_suffix(b"=").or_else(|| before.strip_suffix(b":")) else {
        return false;
    };
    words(before).any(|(name, _)| {
        let name = Call { name: name.to_ascii_lowercase(), is_list: true };
        LISTS.iter().any(|list| name.ends_with(list))
    })
}

const fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Returns the word of letters, digits and `_` at the end of a text.
fn word_before(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    &text[text.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1)..]
}

/// Iterates over the words of a text, each with the text after it.
fn words(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.iter().position(is_word)?..];
        let end = rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some((word, behind))
    })
}

/// Returns true if a call in the text defines flags.
pub(super) fn offers(text: &[u8]) -> bool {
    words(text).any(|(word, behind)| {
        let ends = |name: &&[u8]| {
            let begin = word.len().saturating_sub(name.len());
            word[begin..].eq_ignore_ascii_case(name)
        };
        behind.starts_with(b"(") && OFFERING.iter().any(ends)
            || word == b"option" && behind.starts_with(b"::")
            || word == b"Arg" && behind.starts_with(b"::new(")
            || word == b"long" && behind.starts_with(b" =")
    })
}

/// Returns true if the text runs another program.
pub(super) fn runs(text: &[u8]) -> bool {
    words(text).any(|(word, behind)| {
        let is = |names: &[&[u8]]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        // `cmd.add(` and `[command]` do not run anything.
        let names = !matches!(behind, [b'.' | b']' | b'>', ..]);
        is(&RUNNERS) || names && is(&RUN) || behind.starts_with(b"(") && is(&RUNNING)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_call_tells_what_is_done() {
        for text in [
            "args.append(",
            "run([",
            "argv_push(&args, ",
            "let v = vec![",
            "a+=(",
            "const args: string[] = [",
        ] {
            assert!(call(text.as_bytes()).passes(false), "{text}");
        }
        for text in ["strncmp(arg, ", "args.contains(&", "if arg in (", "if (argv.includes("] {
            assert!(call(text.as_bytes()).compares(), "{text}");
        }
        for text in ["opts.on(", "margin(", "x = [", "f(a, g(b), ", "run(); x(", "set.add("] {
            let call = call(text.as_bytes());
            assert!(!call.passes(false) && !call.compares(), "{text}");
        }
        assert!(call(b"args.add(").passes(true));
        assert!(!call("é(".as_bytes()).passes(true) && !call(b"").passes(true));
    }

    #[test]
    fn a_line_tells_whether_it_runs_something_or_offers_flags() {
        for text in ["subprocess.run(x, ", "session.install(", "Command::new(tool)", "cmd = x"] {
            assert!(runs(text.as_bytes()), "{text}");
        }
        for text in ["cmd.add(", "usage [command] ", "runner(", "x"] {
            assert!(!runs(text.as_bytes()), "{text}");
        }
        for text in ["parser.add_argument(", "add_option(", "Arg::new(", "long = ", "option::X"] {
            assert!(offers(text.as_bytes()), "{text}");
        }
        assert!(!offers(b"options = (1)") && !offers(b"along = 1"));
    }
}
