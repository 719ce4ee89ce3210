//! Makefiles.

use std::borrow::Cow;
use std::collections::HashMap;

use super::just::is_literal;
use super::{TargetKind, Targets, digest_of};

/// Limits on the nesting of variables, on replacements per makefile, and on the length of an expansion in bytes.
const MAX_DEPTH: usize = 4;
const MAX_REPLACED: usize = 20_000;
const MAX_EXPANDED: usize = 4096;

/// Reads the rules of a makefile. Both branches of a condition count.
pub(super) fn read(text: &str) -> Targets {
    let mut reader = Reader { left: MAX_REPLACED, ..Reader::default() };
    for line in joined(text) {
        reader.line(&line);
    }
    reader.finish();
    reader.targets
}

/// Iterates over the lines. A line that ends in `\` is joined with the next.
fn joined(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        let mut line = Cow::Borrowed(lines.next()?);
        while line.ends_with('\\') {
            let Some(next) = lines.next() else { break };
            let line = line.to_mut();
            line.pop();
            line.push(' ');
            line.push_str(next.trim_start());
        }
        Some(line)
    })
}

#[derive(Default)]
struct Reader {
    targets: Targets,
    variables: HashMap<String, String>,
    /// Targets of the current rule, with its prerequisites and recipe.
    rule: Option<(Vec<String>, String)>,
    /// True inside `define`.
    defining: bool,
    /// Number of open conditions.
    conditions: usize,
    /// Number of variables that may still be replaced.
    left: usize,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.defining {
            self.defining = line.trim() != "endef";
            return;
        }
        if line.starts_with('\t') {
            if let Some((_, runs)) = &mut self.rule {
                runs.push('\n');
                runs.push_str(line.trim());
            }
            return;
        }
        let mut line = line.split('#').next().unwrap_or(line).trim();
        while let Some(rest) =
            ["export ", "override ", "private "].iter().find_map(|it| line.strip_prefix(it))
        {
            line = rest.trim_start();
        }
        if line.is_empty() {
            return;
        }
        let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match first {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => self.conditions += 1,
            "endif" => self.conditions = self.conditions.saturating_sub(1),
            "else" | "vpath" | "unexport" | "undefine" => {}
            "define" => self.defining = true,
            "include" => self.include(rest, false),
            "-include" | "sinclude" => self.include(rest, true),
            _ if line.starts_with("$(") || line.starts_with("${") => self.call(line),
            _ => self.statement(line),
        }
    }

    fn include(&mut self, files: &str, optional: bool) {
        // Dependency lists do not contain targets that a person would call.
        let lists = [".d)", ".d}", "dep"];
        let small = files.to_ascii_lowercase();
        if optional && (small.ends_with(".d") || lists.iter().any(|list| small.contains(list))) {
            return;
        }
        for file in self.expanded(files).split_whitespace() {
            if is_literal(file) {
                // `.env` files only set variables.
                if !file.starts_with(".env") {
                    self.targets.includes.push(file.to_owned());
                }
            } else {
                self.targets.open = true;
            }
        }
    }

    /// Reads a line that begins with a variable or a function.
    fn call(&mut self, line: &str) {
        let says = ["$(info", "$(warning", "$(error", "$(shell"];
        if split_rule(line).is_some() {
            self.statement(line);
        } else if !says.iter().any(|begin| line.starts_with(begin)) {
            // `$(eval …)` may define rules.
            self.targets.open = true;
        }
    }

    fn statement(&mut self, line: &str) {
        match split_rule(line) {
            Some((names, rest)) => {
                self.finish();
                let names = self.expanded(names.trim_end_matches(['&', ':']));
                let names = names.split_whitespace().map(str::to_owned).collect();
                self.rule = Some((names, rest.trim_start_matches(':').to_owned()));
            }
            None => self.assign(line),
        }
    }

    fn assign(&mut self, line: &str) {
        let Some((name, value)) = line.split_once('=') else { return };
        let adds = name.ends_with('+');
        let runs = name.ends_with('!');
        let name = name.trim_end_matches([':', '+', '?', '!']).trim();
        if name == ".RECIPEPREFIX" {
            self.targets.open = true;
        }
        let known = self.variables.entry(name.to_owned()).or_default();
        // The result of a condition is unknown.
        let value = if runs || self.conditions > 0 { "$(shell)" } else { value.trim() };
        if adds {
            known.push(' ');
        } else {
            known.clear();
        }
        if known.len() + value.len() > MAX_EXPANDED {
            "$(long)".clone_into(known);
        } else {
            known.push_str(value);
        }
    }

    /// Replaces variables by their values, or by `%` if the value is unknown.
    fn expanded(&mut self, text: &str) -> String {
        let (mut out, mut left) = (String::new(), self.left);
        self.expand(text, MAX_DEPTH, &mut left, &mut out);
        self.left = left;
        self.targets.open |= left == 0;
        out
    }

    fn expand(&self, text: &str, depth: usize, left: &mut usize, out: &mut String) {
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            if *left == 0 {
                return;
            }
            *left -= 1;
            let (name, end) = reference(&rest[at..]);
            match self.variables.get(name) {
                Some(value) if depth > 0 && out.len() < MAX_EXPANDED => {
                    *left = left.saturating_sub(value.len() / 16);
                    self.expand(value, depth - 1, left, out);
                }
                _ => out.push('%'),
            }
            rest = &rest[at + end..];
        }
        out.push_str(rest);
    }

    fn finish(&mut self) {
        let Some((names, runs)) = self.rule.take() else { return };
        let digest = digest_of(&runs);
        for name in names {
            let special = name
                .strip_prefix('.')
                .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_uppercase()));
            if name.contains('%') {
                self.targets.add_pattern(&name);
            } else if !special {
                self.targets.add(TargetKind::Make, &name, digest);
            }
        }
    }
}

/// Returns the name of the variable at the beginning of a text, and the end of the reference.
fn reference(text: &str) -> (&str, usize) {
    let close = match text.as_bytes().get(1) {
        Some(b'(') => ')',
        Some(b'{') => '}',
        Some(b) if b.is_ascii() => return (&text[1..2], 2),
        _ => return ("", 1),
    };
    let open = &text[1..2];
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().skip(1) {
        if open.starts_with(c) {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return (&text[2..at], at + 1);
            }
        }
    }
    ("", text.len())
}

/// Splits a rule into its targets and the text after the colon. Returns `None` for an assignment.
fn split_rule(line: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, c) in line.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => return None,
            ':' if depth == 0 => {
                let rest = line[at..].trim_start_matches(':');
                return (!rest.starts_with('=')).then(|| (&line[..at], &line[at + 1..]));
            }
            _ => {}
        }
    }
    None
}
