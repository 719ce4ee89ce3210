//! Results that are reused from an earlier check, and those that are found anew.

use crate::drift::drifted;
use crate::project::{Project, found};
use staleness_core::knowledge::Gap;
use staleness_docs::Report;

#[test]
fn what_is_known_and_still_holds_is_taken_over() {
    let project = drifted("---\nexpires: 2026-11-01\n---\n\nCall `old_name()`.\n");
    let first = project.check();
    assert_eq!(found(&first, "doc.md").len(), 1);
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!(again.counts.reused, again.documents.len());
    assert_eq!(again.documents, first.documents);
    // What depends on the time is found anew.
    let later = "2027-01-01T00:00:00Z".parse().unwrap();
    let again = project.check_with(|options| {
        options.known = &first.documents;
        options.now = later;
    });
    assert_eq!(again.counts.reused, again.documents.len());
    assert_eq!(found(&again, "doc.md"), ["2:1 expired", "5:7 drift old_name"]);
    project.write("doc.md", "x\n");
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!(again.counts.reused, again.documents.len() - 1);
}

#[test]
fn what_was_told_of_a_document_is_told_each_time() {
    let git = drifted("Call `old_name()` from `.git/hooks/`.\n\n[x](../../x.md)\n");
    let bare = Project::bare();
    bare.write("doc.md", "[x](../../x.md)\n");
    for project in [git, bare] {
        let first = project.check();
        assert!(first.notes.iter().any(|note| note.text.contains("outside the project")));
        let again = project.check_with(|options| options.known = &first.documents);
        assert_eq!((&again.notes, again.counts.ignored), (&first.notes, first.counts.ignored));
        assert_eq!(again.counts.reused, again.documents.len());
        assert_eq!(again.documents, first.documents);
    }
    let ignored = "<!-- staleness: ignore -->\nCall `old_name()`.\n";
    let project = drifted(ignored);
    let first = project.check();
    assert!(first.counts.ignored > 0);
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!(again.counts.ignored, first.counts.ignored);
}

/// A file that a document links to is deleted on disk, and no commit shows it.
#[test]
fn what_goes_from_the_disk_alone_is_noticed_the_next_time() {
    let bare = Project::bare();
    bare.write("doc.md", "See [x](notes/x.txt).\n");
    bare.write("other.md", "Nothing to look up.\n");
    let mut git = Project::new();
    git.write("doc.md", "See [x](notes/x.txt).\n");
    git.write("notes/x.txt", "x\n");
    git.write("other.md", "Nothing to look up.\n");
    git.commit();
    git.git(&["rm", "--quiet", "--cached", "notes/x.txt"]);
    git.git(&["commit", "--quiet", "--message", "x"]);
    for project in [bare, git] {
        project.write("notes/x.txt", "x\n");
        let first = project.check();
        assert!(found(&first, "doc.md").is_empty());
        let documents = first.documents.clone();
        let again = project.check_with(|options| options.known = &documents);
        assert!(found(&again, "doc.md").is_empty());
        assert!(again.counts.reused > 0, "the others are taken over");
        project.remove("notes/x.txt");
        let again = project.check_with(|options| options.known = &documents);
        assert_eq!(found(&again, "doc.md").len(), 1);
        assert_eq!(found(&again, "doc.md"), found(&project.check(), "doc.md"));
    }
}

#[test]
fn what_git_could_not_tell_is_not_known_the_next_time() {
    let project = drifted("Call `old_name()`.\n");
    let blob = project.git(&["rev-parse", "HEAD:src/a.rs"]);
    let folder = &project.place.folder;
    let object = folder.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    let kept = object.with_extension("kept");
    std::fs::rename(&object, &kept).unwrap();
    let first = project.check();
    let kinds = |report: &Report| report.blind.iter().map(|it| it.kind).collect::<Vec<_>>();
    assert_eq!((kinds(&first), found(&first, "doc.md").len()), (vec![Gap::Unreadable], 0));
    // While the same cannot be read it is told again, and not asked again.
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!((again.counts.reused, kinds(&again)), (again.documents.len(), kinds(&first)));
    std::fs::rename(&kept, &object).unwrap();
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!((again.counts.reused, kinds(&again)), (0, vec![]));
    assert_eq!(found(&again, "doc.md").len(), 1);
}

#[test]
fn a_partial_clone_and_a_submodule_that_is_not_checked_out_are_told_and_remembered() {
    let source = drifted("Call `old_name()`.\n");
    source.git(&["config", "uploadpack.allowFilter", "true"]);
    let id = source.git(&["rev-parse", "HEAD"]);
    source.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},sub")]);
    source.git(&["commit", "--quiet", "--message", "x"]);
    let url = format!("file://{}", source.place.folder.display());
    let clone = Project::bare();
    clone.remove("README.md");
    let folder = clone.place.folder.to_str().unwrap().to_owned();
    clone.git(&["clone", "--quiet", "--filter=blob:none", &url, &folder]);
    let first = clone.check();
    let told = |report: &Report| -> Vec<(Gap, String)> {
        report.blind.iter().map(|it| (it.kind, it.path.clone())).collect()
    };
    let both = [(Gap::Partial, ".git".into()), (Gap::Submodule, "sub".into())];
    assert_eq!((told(&first), found(&first, "doc.md").len()), (both.to_vec(), 0));
    let again = clone.check_with(|options| options.known = &first.documents);
    assert_eq!((again.counts.reused, told(&again)), (again.documents.len(), both.to_vec()));
    // The mend that is told.
    clone.git(&["fetch", "--quiet", "--refetch", "--no-filter"]);
    std::fs::write(clone.place.folder.join("sub/.git"), "gitdir: x\n").unwrap();
    let whole = clone.check_with(|options| options.known = &first.documents);
    assert_eq!((whole.counts.reused, told(&whole)), (0, vec![]));
    assert_eq!(found(&whole, "doc.md").len(), 1);
}

#[test]
fn what_is_too_large_to_be_searched_is_asked_once() {
    let project = drifted("Call `old_name()`.\n");
    project.write("big.csv", "1\n".repeat(5_000_000));
    project.git(&["add", "big.csv"]);
    project.git(&["commit", "--quiet", "--message", "x"]);
    let first = project.check();
    assert_eq!(found(&first, "doc.md").len(), 1, "it went before the file came");
    assert!(first.notes.iter().any(|note| note.text.contains("too large")));
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!(again.counts.reused, again.documents.len());
    assert_eq!((again.documents, again.notes), (first.documents, first.notes));
}

#[test]
fn a_history_that_was_made_whole_is_asked_anew() {
    let project = drifted("Call `old_name()`.\n");
    let head = project.git(&["rev-parse", "HEAD"]);
    let shallow = project.place.folder.join(".git/shallow");
    std::fs::write(&shallow, format!("{head}\n")).unwrap();
    let first = project.check();
    assert!(found(&first, "doc.md").is_empty());
    std::fs::remove_file(&shallow).unwrap();
    let again = project.check_with(|options| options.known = &first.documents);
    assert_eq!((again.counts.reused, found(&again, "doc.md").len()), (0, 1));
}

#[test]
fn a_path_in_prose_that_is_back_on_disk_is_found_whether_or_not_it_was_checked_before() {
    for (path, text) in
        [("doc.md", "Prose src/b.rs text.\n"), ("docs/deep/doc.md", "See ../src/b.rs there.\n")]
    {
        let back = if path == "doc.md" { "src/b.rs" } else { "docs/src/b.rs" };
        let mut project = Project::new();
        project.write(back, "x\n");
        project.write(path, text);
        project.commit();
        project.remove(back);
        project.commit();
        let gone = project.check();
        assert_eq!(found(&gone, path).len(), 1, "{path}");
        project.write(back, "x\n");
        let warm = project.check_with(|options| options.known = &gone.documents);
        assert_eq!(found(&project.check(), path), [""; 0], "{path}");
        assert_eq!(found(&warm, path), [""; 0], "{path}");
    }
}

#[test]
fn what_a_build_makes_is_taken_over_until_the_patterns_change() {
    let mut project = Project::of(&[
        ("doc.md", "See [x](dist/a.js).\n"),
        ("dist/a.js", "x\n"),
        ("other.md", "See [x](sub/made/b.js).\n"),
        ("sub/made/b.js", "x\n"),
    ]);
    project.remove("dist/a.js");
    project.remove("sub/made/b.js");
    project.commit_files(&[(".gitignore", "/dist/\n"), ("sub/.gitignore", "made/\n")]);
    let first = project.check().documents;
    let again = || {
        let report = project.check_with(|options| options.known = &first);
        let found = ["doc.md", "other.md"].map(|path| found(&report, path).len());
        (report.counts.reused, found)
    };
    assert_eq!(again(), (first.len(), [0, 0]));
    project.write("sub/.gitignore", "\n");
    assert_eq!(again(), (0, [0, 1]));
    project.write(".gitignore", "\n");
    assert_eq!(again(), (0, [1, 1]));
    // Patterns that git does not track may come and go.
    project.git(&["rm", "--quiet", "--cached", "sub/.gitignore"]);
    project.git(&["commit", "--quiet", "--message", "x"]);
    project.write("sub/.gitignore", "made/\n");
    let first = project.check().documents;
    project.write("sub/.gitignore", "\n");
    let report = project.check_with(|options| options.known = &first);
    assert_eq!(found(&report, "other.md").len(), 1);
}
