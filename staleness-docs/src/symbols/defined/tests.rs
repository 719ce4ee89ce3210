//! Tests of definitions and uses.

use super::*;

/// Returns a text and the range of the word that is marked with `«` and `»`.
pub(in crate::symbols) fn spot(marked: &str) -> (Vec<u8>, Range<usize>) {
    let start = marked.find('«').unwrap();
    let end = marked.find('»').unwrap() - '«'.len_utf8();
    (marked.replace(['«', '»'], "").into_bytes(), start..end)
}

/// Returns the samples of a file for which a test gives an unexpected result.
pub(in crate::symbols) fn wrong(
    samples: &'static str,
    test: fn(&str) -> bool,
    expected: bool,
) -> Vec<&'static str> {
    samples.trim_end().split("\n---\n").filter(|marked| test(marked) != expected).collect()
}

fn is_made(marked: &str) -> bool {
    let (text, word) = spot(marked);
    makes(&text, &word, &mut 9)
}

/// Definitions as written in each language, and calls, uses, comments and strings.
#[test]
fn a_name_is_made_where_it_is_defined_and_not_where_it_is_used() {
    assert_eq!(wrong(include_str!("made.txt"), is_made, true), [""; 0]);
    assert_eq!(wrong(include_str!("used.txt"), is_made, false), [""; 0]);
}

#[test]
fn a_variable_is_read_by_its_whole_name() {
    for marked in ["var(\"«A_DIR»\")", "${«A_DIR»:-x}", "process.env.«A_DIR»"] {
        let (text, word) = spot(marked);
        assert!(reads(&text, &word), "{marked}");
    }
    for marked in ["\"«A_DIR»=1\"", "export «A_DIR»=1", "(«A_DIR»)"] {
        let (text, word) = spot(marked);
        assert!(!reads(&text, &word), "{marked}");
    }
}

#[test]
fn a_field_is_a_flag_where_a_library_makes_it_one() {
    for marked in [
        "    #[arg(long)]\n    /// Says so.\n    «no_config»: bool,",
        "    #[arg(long)]\n    #[serde(skip)]\n    «no_config»: bool,",
        "    #[arg(\n        long,\n    )]\n    pub «no_config»: bool,",
        "    «no_config»: bool = typer.Option(False),",
        "  flags: {\n    «noConfig»: { type: 'boolean' }",
        "option :«no_config», type: :boolean",
        "if (argv.«noConfig»)",
    ] {
        let (text, word) = spot(marked);
        assert!(declares_option(&text, &word), "{marked}");
    }
    for marked in [
        "struct A {\n    «no_config»: bool,",
        "    #[serde(default)]\n    pub «no_config»: bool,",
        "    #[arg(long)]\n    a: bool,\n    #[cfg(x)]\n    «no_config»: bool,",
        "self.«no_config»",
        "args.«no_config»",
    ] {
        let (text, word) = spot(marked);
        assert!(!declares_option(&text, &word), "{marked}");
    }
}

#[test]
fn between_backticks_prose_speaks_of_a_variable() {
    let is = |marked: &str, of: fn(&[u8], &Range<usize>) -> bool| {
        let (text, word) = spot(marked);
        of(&text, &word)
    };
    for marked in ["getenv(\"«A_DIR»\")", "os.environ['«A_DIR»']", "echo $«A_DIR»", "env.«A_DIR»"]
    {
        assert!(is(marked, reads) && is(marked, is_part), "{marked}");
    }
    for marked in ["set `«A_DIR»` to a path", "\"«A_DIR»", "«A_DIR»"] {
        assert!(!is(marked, reads), "{marked}");
    }
    // A template may use the part to build a name.
    assert!(is("`«A»`", is_part) && is("a «A_»", is_part) && !is("«A»", is_part));
}
