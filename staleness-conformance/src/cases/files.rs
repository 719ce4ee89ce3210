//! Stores in files: opening valid and invalid files, and the files beside them.

use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollster::block_on;
use staleness_core::store::{Selection, StoreError};

use super::threads::{THREADS, in_threads};
use crate::backend::Opening;
use crate::case::Case;
use crate::child::{Child, Does, Role};
use crate::compare::assert_same;
use crate::context::{Context, Handle, act, check, everything, see};
use crate::rows::global;
use crate::steps::Use;
use crate::support::{entry, files, fill, step, transact, use_tool};

pub(super) const CASES: &[Case] = &[
    Case::new("files::are_created_only_when_asked", created).file(),
    Case::new("files::of_odd_names_are_stores", odd_names).file(),
    #[cfg(unix)]
    Case::new("files::behind_a_symbolic_link_are_one_store", link).file(),
    #[cfg(unix)]
    Case::new("files::belong_to_their_owner_alone", everything_belongs_to_the_owner_alone)
        .file()
        .backup(),
    Case::new("files::that_are_empty_are_damage_and_no_new_store", empty).file(),
    Case::new("files::of_a_dead_creator_are_in_nobodys_way", dead_creator).file(),
    Case::new(
        "files::of_others_are_no_stores_and_get_nothing_beside_them",
        what_is_another_programs_is_not_a_store_and_gets_nothing_beside_it,
    )
    .file(),
    Case::new("files::that_are_truncated_are_damaged", a_truncated_store_is_damaged)
        .file()
        .backup(),
    Case::new("files::are_read_and_never_written_when_read_only", read_only).file().backup(),
    #[cfg(unix)]
    Case::new("files::that_are_protected_are_read", protected).file().backup(),
    Case::new("files::created_by_many_at_once_are_one_store", created_at_once).file(),
    Case::new("files::that_are_held_are_busy_and_then_free", held).file(),
    Case::new("files::of_a_process_that_died_in_a_step_are_as_before", died).file(),
    Case::new("files::are_alone_after_a_backup_that_failed", failed_backup).file().backup(),
    Case::new("files::that_are_new_have_a_generation_of_their_own", generations).file(),
];

/// Empties the folder of the store. Returns the folder, and the path of the store in it.
fn emptied(context: &mut Context) -> (PathBuf, PathBuf) {
    context.close();
    let path = PathBuf::from(context.location());
    let folder = path.parent().expect("a folder").to_path_buf();
    for (name, _) in files(&folder) {
        fs::remove_file(folder.join(name)).expect("a file is removed");
    }
    (folder, path)
}

fn open_as(context: &Context, path: &Path, opening: Opening) -> Result<Handle, StoreError> {
    context.backend().open_as(path.to_str().expect("a path in UTF-8"), opening)
}

#[track_caller]
fn opened(context: &Context, path: &Path) -> Handle {
    open_as(context, path, Opening::Create)
        .unwrap_or_else(|error| panic!("{} does not open: {error:?}", path.display()))
}

fn filled(context: &Context, path: &Path) -> Handle {
    let store = opened(context, path);
    fill(store.as_ref());
    store
}

/// Returns the files of a folder, except a lock file that readers may create.
fn kept(context: &Context, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let locks = !context.backend().capabilities().concurrent_readers;
    let all = files(folder).into_iter();
    all.filter(|(name, _)| !(locks && name.ends_with(".lock"))).collect()
}

/// Verifies that opening fails and leaves the folder unchanged.
#[track_caller]
fn refused(context: &Context, path: &Path) -> StoreError {
    let folder = path.parent().expect("a folder");
    let before = kept(context, folder);
    let error = open_as(context, path, Opening::Create).map(drop).expect_err("no store");
    assert!(kept(context, folder) == before, "{error}");
    error
}

fn created(context: &mut Context) {
    let (folder, path) = emptied(context);
    for opening in [Opening::Existing, Opening::ReadOnly] {
        match open_as(context, &path, opening) {
            Err(StoreError::Io { source, .. }) => assert_eq!(source.kind(), ErrorKind::NotFound),
            other => panic!("{other:?}"),
        }
    }
    assert!(files(&folder).is_empty());
    let deep = folder.join("a/b/store");
    drop(opened(context, &deep));
    assert!(deep.is_file());
}

fn odd_names(context: &mut Context) {
    let (folder, _) = emptied(context);
    for name in [":memory:", "file:x?mode=memory", "a b%20'\"", "\u{1f680}.db"] {
        let path = folder.join(name);
        drop(filled(context, &path));
        assert_eq!(everything(&opened(context, &path)).tools.len(), 1, "{name}");
        assert!(path.is_file(), "{name}");
    }
}

#[cfg(unix)]
fn link(context: &mut Context) {
    let (folder, path) = emptied(context);
    drop(filled(context, &path));
    let link = folder.join("link");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    let store = opened(context, &link);
    act(&store, Use::new(global("b"), "2"));
    let names = files(&folder).into_iter().map(|(name, _)| name);
    let links: Vec<String> = names.filter(|name| name.starts_with("link")).collect();
    assert_eq!(links, ["link"]);
    assert_same(&everything(&opened(context, &path)), &everything(&store));
}

#[cfg(unix)]
fn everything_belongs_to_the_owner_alone(context: &mut Context) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| path.metadata().expect("a file").permissions().mode() & 0o777;
    let (folder, _) = emptied(context);
    let path = folder.join("new/folder/store");
    let store = filled(context, &path);
    assert_eq!(mode(&folder.join("new")), 0o700);
    assert_eq!(mode(&folder.join("new/folder")), 0o700);
    let all = files(&folder.join("new/folder"));
    assert!(all.len() > 1, "a lock at least");
    for (name, _) in all {
        assert!(name.starts_with("store"), "{name}");
        assert_eq!(mode(&path.with_file_name(&name)), 0o600, "{name}");
    }
    let copy = folder.join("copy");
    block_on(store.backup(&copy)).expect("a backup");
    assert_eq!(mode(&copy), 0o600);
}

fn empty(context: &mut Context) {
    let (_, path) = emptied(context);
    fs::write(&path, b"").expect("an empty file");
    assert!(matches!(refused(context, &path), StoreError::Corrupt(_)));
    let read_only = open_as(context, &path, Opening::ReadOnly);
    assert!(matches!(read_only, Err(StoreError::Corrupt(_))));
    emptied(context);
}

fn dead_creator(context: &mut Context) {
    let (_, path) = emptied(context);
    let new = PathBuf::from(format!("{}.new", context.location()));
    fs::write(&new, b"half a store").expect("a file");
    drop(filled(context, &path));
    assert!(!new.exists());
}

fn what_is_another_programs_is_not_a_store_and_gets_nothing_beside_it(context: &mut Context) {
    let (folder, path) = emptied(context);
    let is_alone = || fs::read_dir(&folder).expect("the folder").count() == 1;
    let none = |path: &Path| {
        let error = refused(context, path);
        assert!(matches!(error, StoreError::NotAStore(_)), "{error:?}");
    };
    for text in ["x", "not a database\n", "SQLite format 3\0", &"long ".repeat(10_000)] {
        fs::write(&path, text).expect("a file");
        none(&path);
        assert!(is_alone());
    }
    fs::remove_file(&path).expect("the file");
    #[cfg(unix)]
    {
        let socket = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
        none(&path);
        assert!(is_alone());
        drop(socket);
        fs::remove_file(&path).expect("the socket");
        // Other programs write files in that folder.
        let device = open_as(context, "/dev/null".as_ref(), Opening::Create).map(drop);
        assert!(matches!(device, Err(StoreError::NotAStore(_))), "{device:?}");
    }
    fs::create_dir(&path).expect("a folder");
    none(&path);
    fs::remove_dir(&path).expect("the folder");
    emptied(context);
}

fn a_truncated_store_is_damaged(context: &mut Context) {
    let (folder, path) = emptied(context);
    let copy = folder.join("copy");
    block_on(filled(context, &path).backup(&copy)).expect("a backup");
    let whole = fs::read(&copy).expect("the copy");
    let half = whole.len() / 2;
    let lengths =
        [1, 9, 99, 100, 319, 320, 512, 4_096, 5_000, half, whole.len().saturating_sub(4_096)];
    for length in lengths.into_iter().filter(|length| (1..whole.len()).contains(length)) {
        fs::write(&copy, &whole[..length]).expect("a file");
        let opened = open_as(context, &copy, Opening::Create);
        let error = opened.and_then(|store| block_on(store.check()));
        assert!(
            matches!(error, Err(StoreError::Corrupt(_) | StoreError::NotAStore(_))),
            "{length} of {} bytes: {error:?}",
            whole.len()
        );
    }
}

fn read_only(context: &mut Context) {
    let path = PathBuf::from(context.location());
    let writer = context.store();
    fill(writer.as_ref());
    let store = open_as(context, &path, Opening::ReadOnly).expect("it is read");
    let before = fs::read(&path).expect("the store");
    assert_same(&everything(&store), &everything(writer));
    check(&store);
    let copies = tempfile::tempdir().expect("a folder");
    let copy = copies.path().join("copy");
    block_on(store.backup(&copy)).expect("a backup");
    let refused = transact(store.as_ref(), use_tool("b", 2));
    assert!(matches!(refused, Err(StoreError::ReadOnly)));
    assert!(fs::read(&path).expect("the store") == before);
    transact(writer.as_ref(), use_tool("b", 2)).expect("a commit");
    assert_same(&everything(&store), &everything(writer));
    let before = kept(context, copies.path());
    assert_eq!(before.len(), 1);
    let read = open_as(context, &copy, Opening::ReadOnly).expect("the backup is read");
    assert_eq!(everything(&read).tools.len(), 1);
    check(&read);
    drop(read);
    let after = kept(context, copies.path());
    assert!(after == before, "a backup that was read has something beside it");
}

/// A process without write permission reads a backup, and a store that another process has open.
#[cfg(unix)]
fn protected(context: &mut Context) {
    let (folder, path) = emptied(context);
    let store = filled(context, &path);
    read_as_another(&folder, &path);
    let alone = tempfile::tempdir().expect("a folder");
    let copy = alone.path().join("copy");
    block_on(store.backup(&copy)).expect("a backup");
    read_as_another(alone.path(), &copy);
    transact(store.as_ref(), use_tool("c", 3)).expect("a commit");
}

/// Starts a child that reads a store as a user who may read `folder` but not write to it.
#[cfg(unix)]
fn read_as_another(folder: &Path, path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    let allow = |mode, folder_mode| {
        files(folder).iter().for_each(|(name, _)| set(&folder.join(name), mode));
        set(folder, folder_mode);
    };
    // Uses a copy, because the build folder may be inaccessible to others.
    let programs = tempfile::tempdir().expect("a folder");
    let program = programs.path().join("reader");
    // A separate process makes the copy, because children of other cases may inherit this process's open files.
    let mut copy = std::process::Command::new("cp");
    let copied = copy.arg(std::env::current_exe().expect("this program")).arg(&program).status();
    assert!(copied.expect("cp").success());
    set(programs.path(), 0o755);
    allow(0o444, 0o555);
    // Root can write to read-only files, but the user nobody cannot.
    let is_root = fs::File::options().write(true).open(path).is_ok();
    let role = Role::new(path.to_str().expect("a path in UTF-8"), Does::Reads);
    let mut child = Child::start_as(&program, is_root.then_some(65_534), &role);
    child.go();
    let said = child.finish();
    allow(0o600, 0o700);
    assert_eq!(said, ["read"]);
}

fn created_at_once(context: &mut Context) {
    let (folder, path) = emptied(context);
    in_threads(|one| {
        let store = opened(context, &path);
        transact(store.as_ref(), use_tool("t", one as u64)).expect("a commit");
    });
    let seen = everything(&opened(context, &path));
    assert_eq!((seen.outcomes.len(), seen.tools[&global("t")].uses), (THREADS, THREADS as u64));
    assert!(files(&folder).iter().all(|(name, _)| !name.ends_with(".new")));
}

fn held(context: &mut Context) {
    let path = PathBuf::from(context.location());
    let store = context.store();
    fill(store.as_ref());
    let impatient = open_as(context, &path, Opening::Impatient).expect("it opens");
    let reads = context.backend().capabilities().concurrent_readers;
    let busy = move |store: &Handle| {
        let view = block_on(store.view(Arc::new(Selection::everything())));
        let check = block_on(store.check());
        if reads {
            assert_eq!(view.expect("readers are not held up").tools.len(), 1);
            check.expect("readers are not held up");
        } else {
            assert!(matches!(view, Err(StoreError::Busy)), "{view:?}");
            assert!(matches!(check, Err(StoreError::Busy)), "{check:?}");
            let written = transact(store.as_ref(), use_tool("b", 2));
            assert!(matches!(written, Err(StoreError::Busy)), "{written:?}");
        }
    };
    // A step or visitor that uses its own store fails in the same way.
    let second = Arc::clone(&impatient);
    let outer = step(move |draft| {
        busy(&second);
        let written = transact(second.as_ref(), use_tool("b", 2));
        assert!(matches!(written, Err(StoreError::Busy)), "{written:?}");
        draft.append_journal(entry("a"));
    });
    transact(store.as_ref(), outer).expect("a commit");
    let mut visits = 0;
    let visit = &mut |_| {
        visits += 1;
        busy(&impatient);
        ControlFlow::Continue(())
    };
    block_on(store.pages(&Selection::everything(), visit)).expect("pages");
    assert!(visits >= 3, "{visits}");
    transact(impatient.as_ref(), use_tool("b", 2)).expect("it is free");
}

fn died(context: &mut Context) {
    let (_, path) = emptied(context);
    let store = filled(context, &path);
    let mut child = Child::start(&Role::new(context.location(), Does::Sticks));
    child.go();
    assert_eq!(child.says().as_deref(), Some("begun"));
    let impatient = open_as(context, &path, Opening::Impatient);
    let written = impatient.and_then(|store| transact(store.as_ref(), use_tool("b", 2)));
    assert!(matches!(written, Err(StoreError::Busy)), "{written:?}");
    child.kill();
    // Closing had nothing left to do, so a killed process leaves the same bytes.
    let killed = fs::read(&path).expect("the store");
    let seen = everything(&store);
    assert_eq!((seen.tools.len(), seen.outcomes.len(), seen.journal.len()), (1, 2, 1));
    check(&store);
    assert!(fs::read(&path).expect("the store") == killed);
    transact(store.as_ref(), use_tool("b", 2)).expect("a commit");
    check(&store);
}

/// Caches of search data must detect a replaced store.
fn generations(context: &mut Context) {
    let (folder, path) = emptied(context);
    let other = folder.join("other");
    let [one, two] = [path, other].map(|path| {
        let store = opened(context, &path);
        see(&store, Selection::new().generation()).generation.expect("it was selected")
    });
    assert_ne!(one, two);
}

fn failed_backup(context: &mut Context) {
    let path = PathBuf::from(context.location());
    let folder = path.parent().expect("a folder");
    let store = context.store();
    fill(store.as_ref());
    let names = || files(folder).into_iter().map(|(name, _)| name).collect::<Vec<String>>();
    let before = names();
    for target in [path.clone(), folder.join("no/copy")] {
        let error = block_on(store.backup(&target)).expect_err("no backup");
        assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    }
    check(store);
    assert_eq!(names(), before);
}
