//! Tests with objects that are too large or damaged.

use std::fs;
use std::process::Command;

use super::*;
use crate::git::process::Program;

/// Creates a repository with these contents. Returns the object of each.
fn repository(contents: &[String]) -> (tempfile::TempDir, Vec<Oid>) {
    let dir = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        // In a git hook, these variables refer to the surrounding repository.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            command.env_remove(name);
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let out = command.current_dir(dir.path()).args(arguments).output().unwrap();
        assert!(out.status.success(), "{out:?}");
        out.stdout
    };
    git(&["init", "-q"]);
    let names: Vec<String> = (0..contents.len()).map(|at| at.to_string()).collect();
    for (name, text) in names.iter().zip(contents) {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let mut arguments = vec!["hash-object", "-w"];
    arguments.extend(names.iter().map(String::as_str));
    let out = git(&arguments);
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let ids = lines.map(|line| Oid::from_hex(line).unwrap()).collect();
    (dir, ids)
}

fn objects(dir: &tempfile::TempDir) -> Objects {
    let program = Program::of_environment().unwrap();
    let place = Place {
        program,
        folder: dir.path().to_path_buf(),
        git: dir.path().join(".git"),
        common: dir.path().join(".git"),
        prefix: String::new(),
        objects: None,
    };
    Objects { drained: 10, ..Objects::new(place, 5) }
}

fn wanted(ids: &[Oid]) -> Vec<Wanted> {
    ids.iter().map(|id| Wanted::Object(*id)).collect()
}

#[test]
fn many_objects_too_large_to_be_read_over_start_git_a_few_times_only() {
    // One third is small, one third is too large, and one third is too large to discard.
    let contents = (0..90).map(|at: usize| format!("{at:02}{}", "x".repeat(at % 3 * 5)));
    let (dir, ids) = repository(&contents.collect::<Vec<_>>());
    for in_bulk in [true, false] {
        let mut objects = objects(&dir);
        let mut found = Vec::new();
        let mut look = |at: usize, object: Object<'_>| {
            assert_eq!(at, found.len());
            found.push(match object {
                Object::Found(id, Sort::Blob, text) => id == ids[at] && text.len() == 2,
                Object::TooLarge(_) => false,
                other => panic!("{other:?}"),
            });
            ControlFlow::Continue(())
        };
        let wanted = wanted(&ids);
        if in_bulk { objects.all(&wanted, &mut look) } else { objects.each(&wanted, &mut look) }
            .unwrap();
        assert_eq!(found, (0..90).map(|at| at % 3 == 0).collect::<Vec<_>>());
        assert_eq!(objects.unread, Unread { too_large: 60, ..Unread::default() });
        assert_eq!((objects.started, objects.restarts), (3, 0), "asked, sizes, asked again");
    }
}

#[test]
fn git_breaks_off_so_many_times_and_no_more_whoever_asks() {
    let contents = (0..40).map(|at| (0..99).map(|more| format!("{at}x{more} ")).collect());
    let (dir, ids) = repository(&contents.collect::<Vec<String>>());
    for id in &ids {
        let hex = id.to_string();
        let path = dir.path().join(".git/objects").join(&hex[..2]).join(&hex[2..]);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        // The header can be read, but the contents cannot.
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }
    let mut objects = Objects { limit: 1000, drained: 1000, ..objects(&dir) };
    let mut look = |_: usize, object: Object<'_>| {
        assert!(matches!(object, Object::Damaged), "{object:?}");
        ControlFlow::Continue(())
    };
    let (near, far) = ids.split_at(20);
    objects.all(&wanted(near), &mut look).unwrap();
    let restarts = objects.restarts;
    let mut others = objects.another(1);
    let rest = others.all(&wanted(far), &mut look);
    objects.add(&others);
    assert_eq!((restarts, objects.restarts), (20, MAX_RESTARTS + 1));
    assert!(rest.is_err());
    assert!(objects.all(&wanted(&ids[..1]), &mut look).is_err());
}
