//! The front page of the library stays short enough to be read.

/// Names that a program may use beside those of a backend: a longer list is no front page any more.
const MOST: usize = 100;

#[test]
fn the_front_page_names_at_most_a_hundred_things_and_each_by_name() {
    let page = include_str!("../../src/lib.rs");
    let mut names = Vec::new();
    for statement in page.split("pub use ").skip(1) {
        let (path, _) = statement.split_once(';').expect("a statement ends");
        let (_, list) = path.rsplit_once("::").expect("everything comes from another module");
        names.extend(list_of(path, list));
    }
    let clock = include_str!("../../src/clock.rs").lines();
    names.extend(clock.filter_map(|line| line.strip_prefix("pub fn ")));
    names.retain(|name| *name != "store");
    assert!(!names.contains(&"*"), "a page lists what is on it");
    assert!((80..=MOST).contains(&names.len()), "{}: {names:?}", names.len());
}

/// The names that a statement gives: those in braces, or the last one of its path.
fn list_of<'p>(path: &'p str, last: &'p str) -> Vec<&'p str> {
    match path.split_once('{') {
        Some((_, list)) => list
            .trim_end_matches('}')
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect(),
        None => vec![last],
    }
}
