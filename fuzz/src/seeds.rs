//! Runs all seeds without a fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the paths in a folder, in order.
fn paths(folder: &str) -> Vec<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(place).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_target_is_played_here() {
    for folder in ["fuzz_targets", "seeds"] {
        let paths = paths(folder);
        let names: Vec<_> = paths.iter().map(|path| path.file_stem().unwrap()).collect();
        assert_eq!(names, crate::TARGETS.map(|(name, _)| name), "{folder}");
    }
}

#[test]
fn every_seed_keeps_the_promises() {
    for (name, run) in crate::TARGETS {
        let seeds = paths(&format!("seeds/{name}"));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for path in seeds {
            println!("{}", path.display());
            run(&fs::read(&path).unwrap());
        }
    }
}
