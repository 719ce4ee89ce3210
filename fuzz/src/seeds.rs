//! Every seed, without a fuzzer.

use std::fs;
use std::path::Path;

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
