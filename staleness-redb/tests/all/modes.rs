//! Who may read what the store writes.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::*;
use staleness_core::store::RegistryStore;

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn everything_belongs_to_the_owner_alone() {
    let (folder, _) = fresh();
    let path = folder.path().join("new/folder/registry.redb");
    let store = filled(&path);
    assert_eq!(mode(&folder.path().join("new")), 0o700);
    assert_eq!(mode(&folder.path().join("new/folder")), 0o700);
    let names: Vec<String> =
        files(path.parent().unwrap()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["registry.redb", "registry.redb.lock"]);
    for name in names {
        assert_eq!(mode(&path.with_file_name(&name)), 0o600, "{name}");
    }
    let copy = folder.path().join("copy.redb");
    pollster::block_on(store.backup(&copy)).unwrap();
    assert_eq!(mode(&copy), 0o600);
}
