use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use std::path::PathBuf;

use super::*;
use crate::with_suffix as beside;

const SUFFIXES: [&str; 2] = ["-wal", ".lock"];

fn store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    put(&store, 0o600);
    (folder, store)
}

fn put(path: &Path, mode: u32) {
    fs::write(path, "x").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

fn refused(store: &Path) -> String {
    refuse_planted(store, &SUFFIXES, true).unwrap_err().to_string()
}

#[test]
fn our_own_files_that_are_open_to_others_are_closed() {
    let (_folder, store) = store();
    let wal = beside(&store, "-wal");
    for open in [0o666, 0o660, 0o606, 0o622] {
        put(&store, open);
        put(&wal, open);
        refuse_planted(&store, &SUFFIXES, false).unwrap();
        assert_eq!((mode(&store), mode(&wal)), (open, open), "a reader changes nothing");
        refuse_planted(&store, &SUFFIXES, true).unwrap();
        assert_eq!((mode(&store), mode(&wal)), (0o600, 0o600));
    }
    // Others could read data in the log that they cannot read in the store.
    put(&wal, 0o644);
    refuse_planted(&store, &SUFFIXES, true).unwrap();
    assert_eq!(mode(&wal), 0o600);
}

#[test]
fn a_store_that_its_owner_lets_others_read_stays_so() {
    let (_folder, store) = store();
    let wal = beside(&store, "-wal");
    put(&store, 0o644);
    put(&wal, 0o644);
    refuse_planted(&store, &SUFFIXES, true).unwrap();
    assert_eq!((mode(&store), mode(&wal)), (0o644, 0o644));
}

#[test]
fn a_link_or_a_folder_beside_a_store_is_refused_by_its_name() {
    for suffix in SUFFIXES {
        let (folder, store) = store();
        let planted = beside(&store, suffix);
        for target in ["there", "dangling"] {
            fs::write(folder.path().join("there"), "").unwrap();
            symlink(folder.path().join(target), &planted).unwrap();
            let told = refused(&store);
            assert_eq!(told, format!("{} is a symbolic link; remove it", planted.display()));
            fs::remove_file(&planted).unwrap();
        }
        fs::create_dir(&planted).unwrap();
        assert_eq!(refused(&store), format!("{} is not a file; move it away", planted.display()));
    }
}

#[test]
fn b12_a_file_of_another_user_beside_a_store_is_refused() {
    let (_folder, store) = store();
    let wal = beside(&store, "-wal");
    put(&wal, 0o600);
    // The administrator's files are trusted, so as root the test gives the file to another user.
    let ours = rustix::process::geteuid().as_raw();
    let theirs = if ours == 0 { 65_534 } else { ours };
    let as_me = |mend| unix::refuse_planted(&store, &SUFFIXES, mend, theirs + 1);
    let give = |path: &Path| chown(path, (ours == 0).then_some(theirs), None).unwrap();
    give(&wal);
    fs::remove_file(&store).unwrap();
    let told = as_me(true).unwrap_err().to_string();
    assert!(told.contains(&format!("-wal belongs to another user (uid {theirs})")), "{told}");
    // The log has the same owner, so the whole store belongs to somebody else.
    put(&store, 0o644);
    give(&store);
    as_me(true).unwrap();
    put(&store, 0o666);
    give(&store);
    let told = as_me(true).unwrap_err().to_string();
    assert!(told.contains("and others may write to it"), "{told}");
    as_me(false).unwrap();
}
