//! Parses shell lines as written in documents: prompts and output, continued lines, command lists, and the folder of
//! each command.

/// Maximum number of lines per block, and the longest line, in bytes.
const MAX_LINES: usize = 1000;
const MAX_LINE_BYTES: usize = 1000;
/// The longest folder path, in bytes.
const MAX_PATH_BYTES: usize = 200;
/// Maximum number of words per command.
const MAX_WORDS: usize = 100;
/// Deepest nesting of brackets in which folders are tracked.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Shell commands, perhaps with prompts and output.
    Shell,
    /// No language is given. The block counts as shell if every line is a command.
    Unknown,
}

impl Language {
    /// Returns the language for the info string of a fence, or `None` for other languages.
    pub(crate) fn of(info: &str) -> Option<Self> {
        let name = info.trim().split([' ', ',', '{', '\t']).next().unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "" if info.trim().is_empty() => Some(Self::Unknown),
            "sh" | "bash" | "zsh" | "shell" | "console" | "shell-session" | "sh-session"
            | "shellsession" | "bash-session" | "terminal" | "ksh" | "fish" => Some(Self::Shell),
            _ => None,
        }
    }
}

/// Finds the command lines of a block, without their prompts. `is_program` returns true for a line that
/// begins with a known program.
pub(crate) fn lines<'a>(
    block: &[&'a str],
    language: Language,
    is_program: &dyn Fn(&str) -> bool,
    found: &mut dyn FnMut(&'a str),
) {
    let all = || block.iter().flat_map(|part| part.lines()).take(MAX_LINES);
    let prompts: &[&str] = match () {
        () if all().any(|line| without_prompt(line, &SURE).is_some()) => &SURE,
        () if all().any(|line| without_prompt(line, &[">"]).is_some()) => &[">"],
        () => &[],
    };
    let blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if prompts.is_empty() && language == Language::Unknown {
        let mut continued = false;
        let is_command = |line: &str| {
            let goes_on = std::mem::replace(&mut continued, line.trim_end().ends_with('\\'));
            goes_on || blank(line) || is_program(program(line))
        };
        if !all().all(is_command) {
            return;
        }
    }
    let mut continued = false;
    for line in all() {
        let command = without_prompt(line, if continued { &[">"] } else { prompts });
        let command = match command {
            Some(command) => command,
            None if prompts.is_empty() || continued => line,
            None => continue,
        };
        continued = command.trim_end().ends_with('\\');
        found(command);
    }
}

const SURE: [&str; 3] = ["$", "%", "❯"];

/// Returns the line without its prompt: `$ make`, `user@host:~$ make`.
fn without_prompt<'a>(line: &'a str, prompts: &[&str]) -> Option<&'a str> {
    let (first, rest) = line.trim_start().split_once(' ')?;
    let is_prompt = |prompt: &&str| {
        first.strip_suffix(*prompt).is_some_and(|host| host.is_empty() || host.contains('@'))
    };
    prompts.iter().any(is_prompt).then_some(rest)
}

fn program(line: &str) -> &str {
    let mut words = line.split_whitespace();
    words.find(|word| !is_assignment(word)).unwrap_or_default()
}

/// Returns true if a word assigns a variable for one command.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// A place where commands run.
#[derive(Clone, Debug)]
struct Place<'a> {
    /// The folder. `None` if unknown.
    folder: Option<String>,
    /// The name of the repository, if the folder is in a clone.
    clone: Option<&'a str>,
}

/// Parser state of a shell, across lines.
#[derive(Debug)]
pub(crate) struct Shell<'a> {
    /// The current place, preceded by the places outside the open brackets.
    places: Vec<Place<'a>>,
    /// Words of a command that continues on the next line.
    words: Vec<&'a str>,
    /// The word that ends the current here-document.
    until: Option<&'a str>,
    /// The open quotation mark, if any.
    quote: Option<char>,
    /// The folder into which the last repository was cloned, and its name.
    cloned: Option<(&'a str, &'a str)>,
    /// The text positions at which commands entered or left clones since the last call of `changes`.
    changes: Vec<(&'a str, Option<&'a str>)>,
}

impl Default for Shell<'_> {
    fn default() -> Self {
        let places = vec![Place { folder: Some(String::new()), clone: None }];
        let (words, changes) = (Vec::new(), Vec::new());
        Self { places, words, until: None, quote: None, cloned: None, changes }
    }
}

impl<'a> Shell<'a> {
    /// Begins another block of the same section. If the previous block ended in a clone, the new block begins there.
    pub(crate) fn restart(&mut self) {
        let (clone, cloned) = (self.inside(), self.cloned);
        let places = vec![Place { folder: Some(String::new()), clone }];
        *self = Self { places, cloned, ..Self::default() };
    }

    /// Returns the text positions at which commands entered or left clones, with the name of the entered repository.
    pub(crate) fn changes(&mut self) -> Vec<(&'a str, Option<&'a str>)> {
        std::mem::take(&mut self.changes)
    }

    /// Reads a line. Reports the words and the folder of each command in it.
    pub(crate) fn line(&mut self, line: &'a str, found: &mut dyn FnMut(&[&'a str], Option<&str>)) {
        if let Some(until) = self.until {
            if line.trim() == until {
                self.until = None;
            }
            return;
        }
        // A truncated line would be a different command.
        if line.len() > MAX_LINE_BYTES {
            self.words.clear();
            return;
        }
        let mut rest = line;
        if let Some(quote) = self.quote {
            let Some((_, behind)) = rest.split_once(quote) else { return };
            self.quote = None;
            rest = behind;
        }
        let goes_on = rest.trim_end().ends_with('\\');
        if goes_on {
            rest = rest.trim_end().trim_end_matches('\\');
        }
        let mut until = None;
        while let Some(token) = self.token(&mut rest) {
            match token {
                Token::Word(word) if self.words.len() < MAX_WORDS => self.words.push(word),
                Token::Word(_) => {}
                Token::Until(word) => until = Some(word),
                Token::End => self.end(found),
                Token::Open => {
                    self.end(found);
                    if self.places.len() < MAX_DEPTH {
                        self.places.extend(self.places.last().cloned());
                    }
                }
                Token::Close => {
                    self.end(found);
                    if self.places.len() > 1 {
                        let inner = self.inside();
                        self.places.pop();
                        self.note(rest, inner);
                    }
                }
            }
        }
        self.until = until;
        if !goes_on {
            self.end(found);
        }
    }

    fn folder(&self) -> Option<&str> {
        self.places.last()?.folder.as_deref()
    }

    fn inside(&self) -> Option<&'a str> {
        self.places.last()?.clone
    }

    /// Records a position at which the clone changed. `before` is the previous clone.
    fn note(&mut self, at: &'a str, before: Option<&'a str>) {
        let clone = self.inside();
        if clone != before {
            self.changes.push((at, clone));
        }
    }

    /// Changes the folder. An unknown folder may be outside the clone.
    fn go(&mut self, folder: Option<String>, clone: Option<&'a str>, at: &'a str) {
        let before = self.inside();
        if let Some(place) = self.places.last_mut() {
            *place = Place { clone: clone.filter(|_| folder.is_some()), folder };
        }
        self.note(at, before);
    }

    /// Ends the current command.
    fn end(&mut self, found: &mut dyn FnMut(&[&'a str], Option<&str>)) {
        let words = std::mem::take(&mut self.words);
        match words[..] {
            [] => {}
            ["cd" | "pushd", to] => match self.cloned {
                Some((folder, name)) if folder == to.trim_end_matches('/') => {
                    self.go(Some(String::new()), Some(name), to);
                }
                _ => self.go(self.folder().and_then(|it| join(it, to)), self.inside(), to),
            },
            [first @ ("cd" | "pushd" | "popd"), ..] => self.go(None, None, first),
            ["git" | "gh", ..] if words.contains(&"clone") => {
                let is_url = |word: &&str| word.contains(['/', ':']) && !word.starts_with('-');
                self.cloned = words.iter().rposition(is_url).map(|at| {
                    let name = words[at].trim_end_matches('/').rsplit(['/', ':']).next();
                    let name = name.unwrap_or_default().trim_end_matches(".git");
                    let folder = words.get(at + 1).filter(|word| !word.starts_with('-'));
                    (folder.copied().unwrap_or(name), name)
                });
            }
            _ => found(&words, self.folder()),
        }
    }

    fn token(&mut self, rest: &mut &'a str) -> Option<Token<'a>> {
        *rest = rest.trim_start();
        let text = *rest;
        let first = text.chars().next()?;
        let cut = |at: usize| (&text[..at], &text[at..]);
        match first {
            '#' => {
                *rest = "";
                return None;
            }
            ';' | '|' | '&' => {
                *rest = text.trim_start_matches([';', '|', '&']);
                return Some(Token::End);
            }
            '(' | ')' => {
                *rest = &text[1..];
                return Some(if first == '(' { Token::Open } else { Token::Close });
            }
            _ => {}
        }
        if let Some(end) = text.strip_prefix("<<").filter(|it| !it.starts_with('<')) {
            let end = end.trim_start_matches('-').trim_start();
            let at =
                end.find(|c: char| c.is_whitespace() || ";|&>".contains(c)).unwrap_or(end.len());
            *rest = &end[at..];
            return Some(Token::Until(end[..at].trim_matches(['"', '\'', '\\'])));
        }
        // `> file`, `2>&1`
        let redirects = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        if redirects.starts_with(['>', '<']) && placeholder(redirects).is_none() {
            let file = redirects.trim_start_matches(['>', '<', '&']).trim_start();
            *rest = file.trim_start_matches(|c: char| !c.is_whitespace() && !";|&()".contains(c));
            return self.token(rest);
        }
        let mut chars = text.char_indices();
        let mut end = text.len();
        while let Some((at, c)) = chars.next() {
            if c == '<'
                && let Some(length) = placeholder(&text[at..])
            {
                // `take_while` also consumes the closing bracket.
                chars.by_ref().take_while(|(to, _)| *to + 1 < at + length).for_each(drop);
                continue;
            }
            match c {
                '\\' => {
                    chars.next();
                }
                '"' | '\'' | '`' => {
                    let ends = chars.by_ref().any(|(_, other)| other == c);
                    if !ends {
                        self.quote = Some(c);
                    }
                }
                // `$(…)` is part of the word.
                '$' if text[at + 1..].starts_with('(') => {
                    let mut depth = 0_usize;
                    for (_, c) in chars.by_ref() {
                        match c {
                            '(' => depth += 1,
                            ')' => depth = depth.saturating_sub(1),
                            _ => {}
                        }
                        if depth == 0 {
                            break;
                        }
                    }
                }
                c if c.is_whitespace() || ";|&()<>".contains(c) && at > 0 => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let (word, behind) = cut(end);
        *rest = behind;
        Some(Token::Word(unquoted(word)))
    }
}

enum Token<'a> {
    Word(&'a str),
    /// A here-document follows, up to the line with this word.
    Until(&'a str),
    End,
    Open,
    Close,
}

/// Returns the length of a placeholder such as `<name>` at the beginning of a text.
fn placeholder(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find(['>', '<', '|', '&', ';'])?;
    (end > 0 && inner[end..].starts_with('>') && !inner.starts_with([' ', '(', '/']))
        .then_some(end + 2)
}

fn unquoted(word: &str) -> &str {
    let inner = |quote: char| {
        word.strip_prefix(quote)?.strip_suffix(quote).filter(|it| !it.contains(quote))
    };
    inner('"').or_else(|| inner('\'')).unwrap_or(word)
}

/// Resolves a path against a folder. Returns `None` if it may leave the project or is not literal.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    if path.len() > MAX_PATH_BYTES
        || path.starts_with(['/', '-'])
        || path.contains(|c: char| "$~<>{}*?`'\"\\:%[]…".contains(c))
        || path.contains("...")
        || path.contains(char::is_whitespace)
    {
        return None;
    }
    crate::paths::resolve(folder, path).ok().filter(|it| it.len() <= MAX_PATH_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str, language: Language) -> Vec<String> {
        let mut shell = Shell::default();
        let mut all = Vec::new();
        let is_program = |word: &str| matches!(word, "make" | "npm" | "cd");
        lines(&[block], language, &is_program, &mut |line| {
            shell.line(line, &mut |words, folder| {
                all.push(format!("{}: {}", folder.unwrap_or("?"), words.join(" ")));
            });
        });
        all
    }

    #[test]
    fn languages_are_known_by_their_names() {
        for info in ["sh", "Bash", "console", "shell-session", "bash {1,3}", "zsh,linenos", " sh "]
        {
            assert_eq!(Language::of(info), Some(Language::Shell), "{info}");
        }
        assert_eq!(Language::of(" "), Some(Language::Unknown));
        for info in ["rust", "text", "{sh}", "bashful", "diff", "dockerfile"] {
            assert_eq!(Language::of(info), None, "{info}");
        }
    }

    #[test]
    fn commands_of_a_block_are_told_with_their_folder() {
        for (block, expected) in [
            ("make a\n# a comment\nnpm run b # and one\n", &[": make a", ": npm run b"][..]),
            (
                "cd web && npm run a; make b | tee log\nmake c",
                &["web: npm run a", "web: make b", "web: tee log", "web: make c"],
            ),
            ("(cd web && make a)\nmake b", &["web: make a", ": make b"]),
            ("cd web\ncd ..\nmake a\ncd ..\nmake b", &[": make a", "?: make b"]),
            ("cd \"$X\"\nmake a", &["?: make a"]),
            ("git clone https://host/me/shop.git\ncd shop/\nmake a", &[": make a"]),
            ("git clone https://host/me/shop\ncd other\nmake a", &["other: make a"]),
            ("make a \\\n  b \\\n  c\nmake d", &[": make a b c", ": make d"]),
            ("make a > out.log 2>&1 && make b>x", &[": make a", ": make b"]),
            ("cat <<EOF > x\nmake a\nEOF\nmake b", &[": cat", ": make b"]),
            ("npm run 'a b' \"c\" $(make x) `make y`", &[": npm run a b c $(make x) `make y`"]),
            ("echo \"one\nmake a\n\" two\nmake b", &[": echo \"one", ": two", ": make b"]),
            ("A=1 make a", &[": A=1 make a"]),
            ("make <a b> c<d>e f", &[": make <a b> c<d>e f"]),
            ("make a <b.txt", &[": make a"]),
        ] {
            assert_eq!(read(block, Language::Shell), expected, "{block}");
        }
    }

    #[test]
    fn a_clone_is_entered_and_left() {
        for (lines, expected) in [
            ("git clone https://host/me/till.git\ncd till\nmake", Some("till")),
            ("git clone -b x git@host:me/till y; cd y/ && make", Some("till")),
            ("gh repo clone me/till && cd till && cd web && cd ..", Some("till")),
            ("git clone https://host/me/till --depth 1\ncd till", Some("till")),
            ("git clone https://host/me/till\ncd ..\ncd till", Some("till")),
            ("git clone https://host/me/till", None),
            ("git clone https://host/me/till\ncd other", None),
            ("git clone https://host/me/till\ncd till\nmake\ncd ..", None),
            ("git clone https://host/me/till\ncd till\ncd $X", None),
            ("git clone https://host/me/till\n(cd till && make)", None),
        ] {
            let mut shell = Shell::default();
            lines.lines().for_each(|line| shell.line(line, &mut |_, _| {}));
            assert_eq!(shell.changes().last().and_then(|(_, clone)| *clone), expected, "{lines}");
            shell.restart();
            assert_eq!(shell.inside(), expected, "{lines}");
        }
    }

    #[test]
    fn where_there_is_a_prompt_other_lines_are_output() {
        for (block, expected) in [
            ("$ make a\nmake: done\n$ make b \\\n    c\nok", &[": make a", ": make b c"][..]),
            ("% make a\nout", &[": make a"]),
            ("> make a\nout\n> make b \\\n> c", &[": make a", ": make b c"]),
            ("user@host:~/x$ make a\nout", &[": make a"]),
        ] {
            for language in [Language::Shell, Language::Unknown] {
                assert_eq!(read(block, language), expected, "{block}");
            }
        }
    }

    #[test]
    fn without_a_language_every_line_is_a_command() {
        assert_eq!(read("make a\n\n# x\nA=1 npm run b \\\n --x\n", Language::Unknown).len(), 2);
        for block in ["make a\nfoo bar", "fn main() {}", "make: x\nmake a\nelse"] {
            assert!(read(block, Language::Unknown).is_empty(), "{block}");
        }
    }

    #[test]
    fn a_block_that_never_ends_is_bounded() {
        assert_eq!(read(&"make a\n".repeat(1_000_000), Language::Shell).len(), MAX_LINES);
        assert!(read(&"make a ".repeat(1_000_000), Language::Shell).is_empty());
        assert_eq!(read(&"(".repeat(900), Language::Shell).len(), 0);
    }
}
