//! Runs all seeds without a fuzzer.

use std::fs;
use std::path::Path;

/// Returns the file names in a folder, without extensions.
fn names(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_target_is_played_here() {
    let here: Vec<_> = crate::TARGETS.map(|(name, _)| name).into();
    assert_eq!(names("fuzz_targets"), here);
    assert_eq!(names("seeds"), here);
}

#[test]
fn every_seed_keeps_the_promises() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for (name, run) in crate::TARGETS {
        let mut seeds: Vec<_> = fs::read_dir(folder.join(name))
            .unwrap_or_else(|error| panic!("seeds of {name}: {error}"))
            .map(|entry| entry.unwrap().path())
            .collect();
        seeds.sort();
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for path in seeds {
            println!("{}", path.display());
            run(&fs::read(&path).unwrap());
        }
    }
}
