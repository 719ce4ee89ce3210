//! Files that ignore files (`.gitignore` and the like) leave out of a walk, and the limits of those.

use std::path::PathBuf;

use staleness_docs::Report;

use crate::project::{Project, paths};

/// Returns the notes about an ignore file.
fn notes<'a>(report: &'a Report, path: &str) -> Vec<&'a str> {
    let of = report.notes.iter().filter(|note| note.path.as_deref() == Some(path));
    of.map(|note| &*note.text).collect()
}

/// A check of everything where there is no git, and of a named folder where there is.
fn reports(change: impl Fn(&Project)) -> [Report; 2] {
    let bare = Project::bare();
    let mut tracked = Project::new();
    tracked.commit();
    [&bare, &tracked].into_iter().for_each(&change);
    let named = ["docs"].map(PathBuf::from);
    [bare.check(), tracked.check_with(|options| options.paths = &named)]
}

#[test]
fn patterns_count_from_the_root_down_to_the_file_and_the_nearest_most() {
    let reports = reports(|project| {
        project
            .write(".gitignore", "\u{feff}*.tmp.md\r\n/docs/gen/\n# no.md\n!.shown/\ntail.md  \n");
        project.write("docs/.gitignore", b"caf\xe9.md\n!back.tmp.md\n/own.md\n");
        project.write("docs/sub/.ignore", "private.md\n!kept.tmp.md\n");
        project.write("docs/sub/.gitignore", "!private.md\nkept.tmp.md\n");
        let paths = "x.tmp.md gen/x.md no.md .shown/x.md .hidden/x.md tail.md back.tmp.md own.md \
                     sub/own.md sub/private.md sub/kept.tmp.md sub/back.tmp.md";
        for path in paths.split(' ') {
            project.write(&format!("docs/{path}"), "x\n");
        }
    });
    for (report, first) in reports.iter().zip([&["README.md"][..], &[]]) {
        let expected = [
            "docs/.shown/x.md",
            "docs/back.tmp.md",
            "docs/no.md",
            "docs/sub/back.tmp.md",
            "docs/sub/kept.tmp.md",
            "docs/sub/own.md",
        ];
        assert_eq!(paths(report), [first, &expected].concat());
    }
}

#[test]
fn what_git_is_told_to_exclude_is_left_out_of_a_linked_work_tree_as_well() {
    let mut project = Project::new();
    project.commit();
    let linked = project.place.folder.with_file_name("linked");
    project.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    project.write(".git/info/exclude", "/docs/private.md\n");
    for folder in [&project.place.folder, &linked] {
        std::fs::create_dir(folder.join("docs")).unwrap();
        for name in ["docs/private.md", "docs/own.md"] {
            std::fs::write(folder.join(name), "x\n").unwrap();
        }
    }
    let named = ["docs"].map(PathBuf::from);
    let report = project.check_with(|options| options.paths = &named);
    assert_eq!(paths(&report), ["docs/own.md"]);
    project.place = staleness_docs::project::discover(&linked, true);
    assert!(!project.place.is_main_tree());
    let report = project.check_with(|options| options.paths = &named);
    assert_eq!(paths(&report), ["docs/own.md"]);
}

#[cfg(unix)]
#[test]
fn a_file_of_patterns_that_never_ends_or_never_comes_is_not_read() {
    use std::os::unix::fs::symlink;
    for name in ["docs/.gitignore", "docs/.ignore", ".gitignore"] {
        let reports = reports(|project| {
            project.write("docs/a.md", "x\n");
            symlink("/dev/zero", project.place.folder.join(name)).unwrap();
        });
        for report in reports {
            assert!(paths(&report).contains(&"docs/a.md"));
            let why = "is a link that points outside its folder; its patterns are not used";
            assert_eq!(notes(&report, name), [why], "{name}");
        }
    }
    for name in ["docs/.gitignore", ".ignore", ".git/info/exclude"] {
        let reports = reports(|project| {
            project.write("docs/a.md", "x\n");
            let path = project.write(name, "");
            std::fs::remove_file(&path).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        });
        for report in reports {
            assert!(paths(&report).contains(&"docs/a.md"));
            let why = "is not a file; its patterns are not used";
            assert_eq!(notes(&report, name), [why], "{name}");
        }
    }
}

#[test]
fn files_of_patterns_are_read_up_to_a_bound() {
    let project = Project::bare();
    let lines = |bytes: usize| "# nothing\n".repeat(bytes / 10);
    project.write("large/.gitignore", lines(300_000) + "a.md\n");
    project.write("large/a.md", "x\n");
    for at in 0..6 {
        project.write(&format!("some/{at}/.gitignore"), lines(200_000) + "a.md\n");
        project.write(&format!("some/{at}/a.md"), "x\n");
    }
    let report = project.check();
    assert_eq!(paths(&report), ["README.md", "large/a.md", "some/5/a.md"]);
    assert!(notes(&report, "large/.gitignore")[0].contains("is larger than 262144 bytes"));
    assert!(notes(&report, "some/5/.gitignore")[0].contains("more than 1048576 bytes in total"));
}
