//! Stores that may only be read.

use crate::support::*;
use staleness_core::store::{RegistryStore, StoreError};
use staleness_sqlite::{OpenOptions, SqliteStore};

const READ_ONLY: OpenOptions = OpenOptions::new().read_only(true);

#[test]
fn a_read_only_store_is_read_and_never_written() {
    let (_folder, path) = fresh();
    let writer = filled(&path);
    let store = SqliteStore::open(&path, READ_ONLY).unwrap();
    assert_eq!(everything(&store).unwrap(), everything(&writer).unwrap());
    check(&store).unwrap();
    assert!(matches!(transact(&store, use_tool("b", 2)), Err(StoreError::ReadOnly)));
    assert!(matches!(store.checkpoint(), Err(StoreError::ReadOnly)));
    transact(&writer, use_tool("b", 2)).unwrap();
    assert_eq!(everything(&store).unwrap(), everything(&writer).unwrap());
}

#[test]
fn nothing_is_created_for_a_reader() {
    let (folder, path) = fresh();
    let missing = SqliteStore::open(&path, READ_ONLY).unwrap_err();
    let kind = |error: StoreError| match error {
        StoreError::Io { source, .. } => source.kind(),
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(missing), std::io::ErrorKind::NotFound);
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_backup_is_read_without_a_trace() {
    let (folder, path) = fresh();
    let store = filled(&path);
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("copy.db");
    pollster::block_on(store.backup(&copy)).unwrap();
    let before = files(copies.path());
    assert_eq!(before.len(), 1);
    let read = SqliteStore::open(&copy, READ_ONLY).unwrap();
    assert_eq!(everything(&read).unwrap(), everything(&store).unwrap());
    check(&read).unwrap();
    drop(read);
    assert_eq!(files(copies.path()), before);
    drop(folder);
}

/// The part of a child process that is not root, for which permissions mean nothing.
#[cfg(unix)]
#[test]
fn child() {
    let Ok(path) = std::env::var("STALENESS_SQLITE_CHILD") else { return };
    let store = SqliteStore::open(&path, OpenOptions::new()).unwrap();
    assert_eq!(everything(&store).unwrap().tools.len(), 1);
    assert!(matches!(transact(&store, use_tool("b", 2)), Err(StoreError::ReadOnly)));
}

/// Runs [`child`] as somebody who may read `folder` and what is in it, and write nothing.
#[cfg(unix)]
fn read_as_another(folder: &std::path::Path, path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let allow = |mode: u32, folder_mode: u32| {
        for (name, _) in files(folder) {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.join(name), permissions).unwrap();
        }
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(folder_mode)).unwrap();
    };
    // A copy, because the folder that this program was built in may be closed to others.
    let programs = tempfile::tempdir().unwrap();
    let program = programs.path().join("read_only");
    // By another process: what this one writes to, those that other tests start have open too.
    let mut copy = std::process::Command::new("cp");
    let copied = copy.arg(std::env::current_exe().unwrap()).arg(&program).status();
    assert!(copied.unwrap().success());
    std::fs::set_permissions(programs.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    allow(0o444, 0o555);
    let mut command = std::process::Command::new(&program);
    command.args(["--exact", "read_only::child"]).env("STALENESS_SQLITE_CHILD", path);
    if std::fs::File::options().write(true).open(path).is_ok() {
        // Root may write to what is read-only; nobody may not.
        command.uid(65_534).gid(65_534);
    }
    let output = command.output();
    allow(0o600, 0o700);
    let output = output.unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_protected_store_is_read_while_another_has_it_open() {
    let (folder, path) = fresh();
    let store = filled(&path);
    read_as_another(folder.path(), &path);
    transact(&store, use_tool("c", 3)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_protected_backup_is_read() {
    let (folder, path) = fresh();
    pollster::block_on(filled(&path).backup(&folder.path().join("copy.db"))).unwrap();
    let alone = tempfile::tempdir().unwrap();
    let copy = alone.path().join("copy.db");
    std::fs::rename(folder.path().join("copy.db"), &copy).unwrap();
    read_as_another(alone.path(), &copy);
}
