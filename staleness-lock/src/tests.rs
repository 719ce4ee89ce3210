//! Tests of the lock between threads and between processes.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use super::*;

const LONG: Duration = Duration::from_secs(60);

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.lock");
    (folder, path)
}

/// Yields until `done` returns true. Callers must wait only for something that is certain to happen.
fn until(done: impl Fn() -> bool) {
    while !done() {
        thread::yield_now();
    }
}

#[test]
fn nothing_is_touched_before_the_first_use() {
    let (_folder, path) = fresh();
    let lock = FileLock::new(&path);
    assert!(!path.exists());
    drop(lock.acquire(Duration::ZERO).unwrap());
    assert!(path.exists());
}

#[cfg(unix)]
#[test]
fn the_file_belongs_to_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = fresh();
    let lock = FileLock::new(&path);
    let _guard = lock.acquire(Duration::ZERO).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn b12_a_lock_file_that_is_a_link_makes_no_file_elsewhere() {
    let (folder, path) = fresh();
    let elsewhere = folder.path().join("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    match FileLock::new(&path).acquire(Duration::ZERO) {
        Err(LockError::Io(error)) => {
            assert_eq!(
                error.to_string(),
                format!("{} is a symbolic link; remove it", path.display())
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(!elsewhere.exists());
}

#[test]
fn a_missing_folder_is_an_error_of_the_system() {
    let (folder, _) = fresh();
    let lock = FileLock::new(folder.path().join("no/such/folder.lock"));
    match lock.acquire(LONG) {
        Err(LockError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_locks_of_one_file_exclude_each_other() {
    let (_folder, path) = fresh();
    let (one, two) = (FileLock::new(&path), FileLock::new(&path));
    let guard = one.acquire(Duration::ZERO).unwrap();
    assert!(matches!(two.acquire(Duration::ZERO), Err(LockError::TimedOut)));
    drop(guard);
    drop(two.acquire(Duration::ZERO).unwrap());
}

#[test]
fn a_removed_file_is_not_locked_any_more() {
    let (_folder, path) = fresh();
    let lock = FileLock::new(&path);
    drop(lock.acquire(Duration::ZERO).unwrap());
    std::fs::remove_file(&path).unwrap();
    let _guard = lock.acquire(Duration::ZERO).unwrap();
    let other = FileLock::new(&path);
    assert!(matches!(other.acquire(Duration::ZERO), Err(LockError::TimedOut)));
}

#[test]
fn threads_are_served_in_the_order_in_which_they_came() {
    let (_folder, path) = fresh();
    let lock = FileLock::new(&path);
    let (served, order) = mpsc::channel();
    thread::scope(|scope| {
        let guard = lock.acquire(LONG).unwrap();
        for place in 0..8 {
            let served = served.clone();
            let lock = &lock;
            scope.spawn(move || {
                let _guard = lock.acquire(LONG).unwrap();
                served.send(place).unwrap();
            });
            until(|| lock.in_line() == place + 2);
        }
        drop(guard);
    });
    drop(served);
    assert_eq!(order.iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
}

#[test]
fn only_one_thread_is_inside() {
    let (_folder, path) = fresh();
    let shared = FileLock::new(&path);
    let inside = AtomicBool::new(false);
    thread::scope(|scope| {
        for own in [false, false, true, true] {
            let (shared, inside, path) = (&shared, &inside, &path);
            scope.spawn(move || {
                let mine = FileLock::new(path);
                for _ in 0..200 {
                    let lock = if own { &mine } else { shared };
                    let _guard = lock.acquire(LONG).unwrap();
                    assert!(!inside.swap(true, Ordering::SeqCst));
                    thread::yield_now();
                    inside.store(false, Ordering::SeqCst);
                }
            });
        }
    });
}

#[test]
fn whoever_gives_up_leaves_the_lock_to_others() {
    let (_folder, path) = fresh();
    let (holder, waiter) = (FileLock::new(&path), FileLock::new(&path));
    let guard = holder.acquire(LONG).unwrap();
    assert!(matches!(waiter.acquire(Duration::from_millis(1)), Err(LockError::TimedOut)));
    assert!(waiter.has_helper());
    drop(guard);
    // The helper may get the file first, and must then release it.
    let third = FileLock::new(&path);
    drop(third.acquire(LONG).unwrap());
}

#[test]
fn a_helper_that_was_left_behind_is_taken_over() {
    let (_folder, path) = fresh();
    let (holder, waiter) = (FileLock::new(&path), FileLock::new(&path));
    let guard = holder.acquire(LONG).unwrap();
    for _ in 0..20 {
        assert!(matches!(waiter.acquire(Duration::from_millis(1)), Err(LockError::TimedOut)));
    }
    // The helper thread and the lock hold one reference each, so no second helper was started.
    let helper = waiter.left().clone().unwrap();
    assert_eq!(Arc::strong_count(&helper), 3);
    drop(helper);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| waiter.acquire(LONG).map(drop));
        until(|| waiter.in_line() == 1);
        drop(guard);
        waiting.join().unwrap().unwrap();
    });
    assert!(!waiter.has_helper());
}

#[test]
fn a_panic_releases_the_lock() {
    let (_folder, path) = fresh();
    let lock = FileLock::new(&path);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _guard = lock.acquire(LONG).unwrap();
        panic!("inside the lock");
    }));
    assert!(outcome.is_err());
    drop(lock.acquire(Duration::ZERO).unwrap());
}

/// Runs in the child process: prints "held", waits for a line, unlocks, and prints "released".
#[test]
fn child() {
    let Some(path) = std::env::var_os("STALENESS_LOCK_CHILD") else {
        return;
    };
    let lock = FileLock::new(path);
    let guard = lock.acquire(LONG).unwrap();
    println!("\nheld");
    std::io::stdout().flush().unwrap();
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    drop(guard);
}

fn spawn_child(path: &Path) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lock::tests::child", "--nocapture"])
        .env("STALENESS_LOCK_CHILD", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (child, out)
}

fn read_until(out: &mut impl BufRead, wanted: &str) {
    let mut line = String::new();
    while line.trim() != wanted {
        line.clear();
        assert_ne!(out.read_line(&mut line).unwrap(), 0, "the child ended");
    }
}

#[test]
fn processes_exclude_each_other() {
    let (_folder, path) = fresh();
    let (mut child, mut out) = spawn_child(&path);
    read_until(&mut out, "held");
    let lock = FileLock::new(&path);
    assert!(matches!(lock.acquire(Duration::ZERO), Err(LockError::TimedOut)));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| lock.acquire(LONG).map(drop));
        until(|| lock.in_line() == 1);
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        waiting.join().unwrap().unwrap();
    });
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_lock_ends_with_its_process() {
    let (_folder, path) = fresh();
    let (mut child, mut out) = spawn_child(&path);
    read_until(&mut out, "held");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(FileLock::new(&path).acquire(LONG).unwrap());
}

#[test]
fn a_limit_on_all_waits_together_is_used_up_and_then_each_try_is_at_once() {
    let (_folder, path) = fresh();
    let other = FileLock::new(&path);
    let held = other.acquire(Duration::ZERO).unwrap();
    let limited = FileLock::new(&path).total_wait(Some(Duration::from_millis(20)));
    // Without the limit, the second call would wait for a minute.
    for _ in 0..2 {
        assert!(matches!(limited.acquire(LONG), Err(LockError::TimedOut)));
    }
    drop(held);
    // The helper of the first call may still hold the file for a moment.
    until(|| limited.acquire(LONG).is_ok());
}

#[test]
fn an_error_and_its_source_say_each_thing_once() {
    let error = LockError::from(io::Error::other("the disk is gone"));
    assert_eq!(error.to_string(), "the lock file could not be opened or locked");
    assert_eq!(error.source().unwrap().to_string(), "the disk is gone");
    assert!(LockError::TimedOut.source().is_none());
}
