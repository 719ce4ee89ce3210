//! Stores in folders where others may write.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::common::{Sandbox, used};

/// Kinds of store, and what stands beside each.
const KINDS: [(&str, &[&str]); if cfg!(feature = "redb") { 2 } else { 1 }] = [
    ("sqlite", &["-wal", "-shm", "-journal", ".lock"]),
    #[cfg(feature = "redb")]
    ("redb", &[".lock"]),
];

fn beside(store: &Path, suffix: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// Returns the error of `record` for a store with planted files, of which a hook says nothing.
fn refused(sandbox: &Sandbox, url: &str) -> String {
    let payload = used("PostToolUse", "mcp__s__t", "u1").to_string();
    let run = sandbox.hook_with(&["--store", url], payload.as_bytes());
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    let run = sandbox.run(&["--store", url, "record", "Tool", "--success"]);
    assert_eq!((run.code, run.out.as_str()), (4, ""), "{run:?}");
    run.err
}

#[test]
fn a_link_beside_a_store_makes_no_file_elsewhere_and_is_named() {
    for (kind, suffixes) in KINDS {
        for suffix in suffixes {
            let sandbox = Sandbox::new();
            let store = sandbox.root().join("shared/r.db");
            fs::create_dir(store.parent().unwrap()).unwrap();
            let url = format!("{kind}:{}", store.display());
            let elsewhere = sandbox.home.join("victim");
            let link = beside(&store, suffix);
            symlink(&elsewhere, &link).unwrap();
            let said = refused(&sandbox, &url);
            let told = format!("{} is a symbolic link; remove it", link.display());
            assert!(said.contains(&told), "{said}");
            assert!(!elsewhere.exists(), "{url} {suffix}");
            fs::remove_file(link).unwrap();
            sandbox.ok(&["--store", &url, "record", "Tool", "--success"]);
        }
    }
}

#[test]
fn a_store_of_ours_that_others_may_write_to_is_closed_to_them() {
    for (kind, suffixes) in KINDS {
        let sandbox = Sandbox::new();
        let store = sandbox.root().join("r.db");
        let url = format!("{kind}:{}", store.display());
        let record = || sandbox.ok(&["--store", &url, "record", "Tool", "--success"]);
        record();
        let there = |suffix: &&str| Some(beside(&store, suffix)).filter(|path| path.exists());
        let files: Vec<PathBuf> = [""].iter().chain(suffixes).filter_map(there).collect();
        for file in &files {
            fs::set_permissions(file, Permissions::from_mode(0o666)).unwrap();
        }
        record();
        for file in &files {
            assert_eq!(mode(file), 0o600, "{}", file.display());
        }
    }
}
