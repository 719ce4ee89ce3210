//! Fuzzes policy files and baselines.
//!
//! Input, separated by `\u{1e}`: the user's `staleness.toml`, the project's, values from the environment,
//! values from flags (one per line), and a baseline.

use std::fs;
use std::path::Path;

use staleness_cli::fuzzing::baseline;
use staleness_core::{Policy, Timestamp};
use staleness_docs::CheckOptions;
use staleness_docs::git::LazyRepo;
use staleness_service::ServiceError;
use staleness_service::config::{Configured, Layers, PolicyValue};

use crate::{SECRET, checked, put, refused};

/// Sections that a project may set.
const OF_PROJECTS: [&str; 7] =
    ["tools", "outage", "ranking", "ignore", "kind", "knowledge", "documents"];
/// Keys of `routes` that a project may set.
const OF_PROJECTS_ROUTES: &str = "min_signal learn_weight signal_suggested signal_other signal_failure \
    same_cosine cool_down_calls";

thread_local! {
    static FOLDER: tempfile::TempDir = {
        let folder = tempfile::tempdir().expect("a temporary folder");
        put(folder.path(), "a.md", "Now `a_b`.\n");
        put(folder.path(), "docs/b.md", "# B\n\nTODO\n");
        folder
    };
}

/// Reads all layers in the input.
pub fn run(data: &[u8]) {
    FOLDER.with(|folder| {
        let mut parts = data.split(|byte| *byte == 0x1e);
        let mut part = || parts.next().unwrap_or_default();
        // Comments in a file must never be revealed.
        let comment = format!("# {SECRET}\n");
        let (user, project) = (folder.path().join("user.toml"), folder.path().join("project.toml"));
        fs::write(&user, [comment.as_bytes(), part()].concat()).expect("a file is written");
        fs::write(&project, [comment.as_bytes(), part()].concat()).expect("a file is written");
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        let environment = text(part());
        let flags: Vec<String> = text(part()).lines().take(8).map(str::to_owned).collect();
        let typed = !environment.is_empty() || !flags.is_empty();
        let layers = Layers {
            user: Some((user, true)),
            project: Some(project.clone()),
            environment: Some(environment),
            flags,
        };
        judge(&layers, typed, data);
        of_project(&project);
        known(folder.path(), part());
    });
}

fn judge(layers: &Layers, typed: bool, data: &[u8]) {
    let read = layers.read();
    let (lenient, trouble) = layers.read_what_can_be_read();
    assert!(lenient.policy.faults().is_empty(), "{:?}", lenient.policy.faults());
    assert_eq!(read.is_err(), trouble.is_some(), "who is lenient says so: {trouble:?}");
    if let Some(trouble) = trouble {
        told(&trouble, typed, data);
    }
    let again = layers.read();
    match (read, again) {
        (Ok(read), Ok(again)) => {
            assert!(read.policy == again.policy, "the same twice");
            assert_eq!(values(&read), values(&again));
            assert!(read.policy == lenient.policy, "nothing was left out");
            round(&read);
            policed(read.policy);
        }
        (Err(read), Err(again)) => {
            assert_eq!(read, again, "the same twice");
            told(&read, typed, data);
        }
        (read, again) => panic!("{read:?}, {again:?}"),
    }
}

/// Asserts that an error is one line, names its place, and reveals nothing from elsewhere.
fn told(error: &ServiceError, typed: bool, data: &[u8]) {
    let line = refused(error, 8_000);
    assert!(typed || line.contains(".toml"), "no place: {line}");
    let planted = data.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    assert!(planted || !line.contains(SECRET), "{line}");
}

fn values(configured: &Configured) -> Vec<PolicyValue> {
    let values = configured.values().expect("a policy can be shown");
    assert!(values.is_sorted_by(|a, b| a.key < b.key), "each key once, in order");
    values
}

/// Asserts that entering the displayed policy gives the same policy.
fn round(configured: &Configured) {
    for shown in values(configured).into_iter().filter(|value| value.source != "default") {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let typed = !shown.value.is_array() && !shown.value.is_object();
        if !typed || !shown.key.chars().all(plain) {
            continue;
        }
        let flag = format!("{}={}", shown.key, shown.value);
        let read = Layers { flags: vec![flag.clone()], ..Layers::default() }.read();
        // A value alone may conflict with the defaults.
        let Ok(read) = read else { continue };
        let value = values(&read).into_iter().find(|value| value.key == shown.key);
        assert_eq!(value.map(|value| value.value), Some(shown.value), "{flag}");
    }
}

/// Asserts that a parsed policy can be used.
fn policed(policy: Policy) {
    let folder = FOLDER.with(|folder| folder.path().to_owned());
    let mut options = CheckOptions::new(Timestamp::from_millis(1_790_812_800_000));
    options.policy = policy.documents;
    checked(&folder, LazyRepo::default, &options);
}

/// Asserts that a project's file changes none of the user's settings.
fn of_project(project: &Path) {
    let layers = Layers { project: Some(project.to_owned()), ..Layers::default() };
    let Ok(read) = layers.read() else { return };
    let theirs = |value: &PolicyValue| {
        let mut parts = value.key.split('.');
        match parts.next().unwrap_or_default() {
            "routes" => {
                let key = parts.next().unwrap_or_default();
                OF_PROJECTS_ROUTES.split_whitespace().all(|theirs| theirs != key)
            }
            first => !OF_PROJECTS.contains(&first),
        }
    };
    let default = values(&Layers::default().read().expect("the defaults"));
    let (now, then): (Vec<_>, Vec<_>) = (
        values(&read).into_iter().filter(theirs).collect(),
        default.into_iter().filter(theirs).collect(),
    );
    assert_eq!(now, then, "what is the user's stays");
}

/// Asserts that a readable baseline is the same after writing and reading again.
fn known(folder: &Path, text: &[u8]) {
    let path = |name: &str| folder.join(name);
    let (given, once, twice) = (path("given.json"), path("once.json"), path("twice.json"));
    fs::write(&given, text).expect("a file is written");
    match baseline(&given, &once) {
        Ok(count) => {
            assert_eq!(baseline(&once, &twice), Ok(count));
            let read = |path| fs::read(path).expect("a file is read");
            assert_eq!(read(once), read(twice), "the same bytes");
        }
        Err(error) => {
            let line = refused(&error, 8_000);
            assert!(line.contains("given.json"), "no place: {line}");
        }
    }
}
