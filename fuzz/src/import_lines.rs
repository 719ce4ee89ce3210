//! Fuzzes `import`: lines of other systems, and exports.
//!
//! Input: the file. If its first line contains `staleness-export`, it is an export.

use staleness_core::Wait;
use std::fs;
use std::path::{Path, PathBuf};

use staleness::StoreUrl;
use staleness_cli::fuzzing::{exported, imported};
use staleness_core::registry::TransferCounts;
use staleness_service::SharedStore;
use staleness_service::settings::{Access, Options, Settings};

use crate::refused;

thread_local! {
    static PLACE: (tempfile::TempDir, Settings) = {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = Options {
            store: Some("memory:".into()),
            project: Some(folder.path().to_owned()),
            home: Some(folder.path().to_owned()),
            now: Some("2026-11-01T12:00:00Z".into()),
            ..Options::default()
        };
        let settings = Settings::new(options, None, true).expect("settings");
        (folder, settings)
    };
}

/// Imports the file as a dry run, for real, and once more, and imports the result elsewhere.
pub fn run(data: &[u8]) {
    PLACE.with(|(folder, settings)| {
        let path = folder.path().join("lines.jsonl");
        fs::write(&path, data).expect("a file is written");
        let first = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let foreign = !first.windows(16).any(|part| part == b"staleness-export");
        take(settings, &path, foreign);
    });
}

/// Returns the settings with an empty registry.
fn empty(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.store = SharedStore::new(StoreUrl::Memory);
    settings
}

fn take(settings: &Settings, path: &Path, foreign: bool) {
    let here = empty(settings);
    let nothing = export_of(&here);
    let asked = imported(&here, path, foreign, true);
    assert_eq!(export_of(&here), nothing, "who asks only writes nothing");
    let done = imported(&here, path, foreign, false);
    match (asked, done) {
        (Ok(asked), Ok(done)) => assert_eq!(asked, done, "what would be is what is"),
        (Err(asked), Err(done)) => {
            refused(&asked, 4_000);
            refused(&done, 4_000);
            assert_eq!(export_of(&here), nothing, "nothing of a file that is refused: {done}");
            return;
        }
        // A dry run and the real run must agree.
        (asked, done) => panic!("asked: {asked:?}, done: {done:?}"),
    }
    sound(&here);
    let once = export_of(&here);
    let again = imported(&here, path, foreign, false).expect("it was taken before");
    assert_eq!(export_of(&here), once, "a file counts once: {again:?}");
    // The export can be imported elsewhere, and exports as the same bytes there.
    let copy: PathBuf = path.with_file_name("export.jsonl");
    fs::write(&copy, &once).expect("a file is written");
    let there = empty(settings);
    let asked = imported(&there, &copy, false, true).expect("an export can be imported");
    let taken = imported(&there, &copy, false, false).expect("an export is imported");
    assert_eq!(asked, taken, "what would be is what is");
    assert_eq!(taken.skipped, TransferCounts::default(), "nothing is there already");
    assert_eq!(export_of(&there), once, "the same bytes");
    sound(&there);
}

fn export_of(settings: &Settings) -> String {
    exported(settings).expect("it can be exported")
}

fn sound(settings: &Settings) {
    let registry = settings.open(Access::Look).expect("it opens");
    registry.admin().check().wait().expect("the store is sound");
}
