//! Repositories that are broken, empty, partial or out to do harm.

use std::ffi::OsStr;
use std::fs;

use staleness_core::knowledge::{Gap, WordKind};
use staleness_docs::git::{GitError, Limits, Program, Repo, Trace, Unread};

use crate::git_repo::{Git, dates, go, open, trace, word};
use crate::project::{Project, found};

#[test]
fn without_git_a_repository_or_a_commit_the_answer_says_so() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Program::find(folder.path().as_os_str()).is_none());
    assert!(Program::find(OsStr::new("")).is_none());
    assert_eq!(open(folder.path()).unwrap_err(), GitError::NoRepository);
    assert_eq!(open(&folder.path().join("none")).unwrap_err(), GitError::NoRepository);
    assert_eq!(open(&Git::new().root).unwrap_err(), GitError::NoCommits);
    let git = Git::new();
    git.save("a.md", "x\n");
    git.run(&["clone", "-q", "--bare", ".", "../bare.git"]);
    assert_eq!(open(&git.beside("bare.git").root).unwrap_err(), GitError::NoRepository);
}

#[test]
fn a_damaged_commit_that_is_checked_out_is_not_taken_for_none() {
    let git = Git::new();
    let id = git.save("a.md", "x\n").to_string();
    let object = git.root.join(".git/objects").join(&id[..2]).join(&id[2..]);
    fs::remove_file(&object).unwrap();
    let told = || open(&git.root).unwrap_err().to_string();
    assert_eq!(told(), "the commit that is checked out cannot be read", "missing");
    fs::write(&object, "no object").unwrap();
    assert_eq!(told(), "the commit that is checked out cannot be read");
}

#[test]
fn a_detached_head_is_a_head() {
    let git = Git::new();
    let first = git.save("a.md", "x\n");
    git.save("a.md", "y\n");
    git.run(&["checkout", "-q", "--detach", "HEAD~1"]);
    assert_eq!(git.open().head().id, first);
}

#[test]
fn a_partial_clone_fetches_nothing_and_claims_nothing() {
    let git = Git::new();
    let first = git.save("a.rs", "fn one() {}\n");
    git.save("a.rs", "fn two() {}\n");
    git.run(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", git.root.display());
    let clone = git.beside("partial");
    clone.run(&["clone", "-q", "--no-checkout", "--filter=blob:none", &url, "partial"]);
    let mut repo = clone.open();
    let one = word(WordKind::Identifier, "one");
    assert_eq!(trace(&mut repo, &one, first), Trace::Unknown);
    assert!(repo.unread().missing + repo.unread().damaged > 0);
    assert_eq!(clone.open().tracked().unwrap().iter().count(), 1);
}

#[test]
fn a_damaged_object_costs_its_own_answers_only() {
    let git = Git::new();
    git.write("bad.rs", "bad\n");
    git.save("good.md", "good\n");
    let id = git.run(&["rev-parse", "HEAD:bad.rs"]);
    let path = git.root.join(".git/objects").join(&id[..2]).join(&id[2..]);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "no object").unwrap();
    let mut repo = git.open();
    let bad = dates(&mut repo, &git.root, "bad.rs");
    assert!(bad.iter().all(|date| date.commit().is_none()), "{bad:?}");
    assert!(dates(&mut repo, &git.root, "good.md")[0].commit().is_some());
    assert!(repo.unread().missing + repo.unread().damaged > 0);
    let word = word(WordKind::Identifier, "nothing");
    let missing = repo.missing(&[word], &mut go).unwrap();
    assert_eq!(missing, [true]);
}

#[test]
fn a_damaged_object_among_many_costs_its_own_answers_only() {
    let git = Git::new();
    // More than are asked for one by one; they stay as they are.
    git.run(&["config", "gc.auto", "0"]);
    for at in 0..4_200 {
        git.write(&format!("src/part_{at}.rs"), format!("fn name_{at}() {{}}\n"));
    }
    let first = git.save("src/old.rs", "fn old_name() {}\n");
    git.remove("src/old.rs");
    git.remove("src/part_599.rs");
    for at in (0..4_200).filter(|at| ![450, 599].contains(at)) {
        git.write(&format!("src/part_{at}.rs"), format!("fn other_{at}() {{}}\n"));
    }
    git.commit();
    let names = ["old_name", "name_7", "name_450", "never_there", "other_7"];
    let traces = |git: &Git| {
        let mut repo = git.open();
        let told = names.map(|name| trace(&mut repo, &word(WordKind::Identifier, name), first));
        let gone = told.each_ref().map(|told| matches!(told, Trace::Gone { .. }));
        (gone, told, repo.unread().missing + repo.unread().damaged)
    };
    let (gone, told, unread) = traces(&git);
    assert_eq!((gone, unread), ([true, true, false, false, false], 0), "{told:?}");
    assert_eq!([&told[2], &told[4]], [&Trace::Here, &Trace::Here]);
    // A version that is no more checked out: of it nothing is known, of the others what was.
    let id = git.run(&["rev-parse", &format!("{first}:src/part_7.rs")]);
    let path = git.root.join(".git/objects").join(&id[..2]).join(&id[2..]);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "no object").unwrap();
    let (gone, told, unread) = traces(&git);
    assert_eq!(gone, [true, false, false, false, false], "{told:?}");
    assert_eq!([&told[1], &told[3]], [&Trace::Unknown, &Trace::Unknown]);
    assert!(unread > 0);
}

#[test]
fn a_history_that_breaks_off_is_told_and_gives_everything_back_when_it_is_whole() {
    for object in ["HEAD~2", "HEAD~2^{tree}"] {
        let mut project = Project::new();
        project.write("doc.md", "Call `old_name()`.\n");
        project.write("a.rs", "fn old_name() {}\n");
        project.commit();
        for text in ["fn one() {}\n", "fn two() {}\n", "fn three() {}\n"] {
            project.write("a.rs", text);
            project.commit();
        }
        assert_eq!(found(&project.check(), "doc.md"), ["1:7 drift old_name"], "{object}");
        let id = project.git(&["rev-parse", object]);
        let path = project.place.folder.join(".git/objects").join(&id[..2]).join(&id[2..]);
        let whole = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "no object").unwrap();
        let broken = project.check();
        assert!(broken.blind.iter().any(|it| it.kind == Gap::Unreadable), "{object}");
        fs::remove_file(&path).unwrap();
        fs::write(&path, whole).unwrap();
        let again = project.check_with(|options| options.known = &broken.documents);
        assert_eq!(found(&again, "doc.md"), ["1:7 drift old_name"], "{object}");
    }
}

#[test]
fn a_name_may_be_in_a_file_that_is_too_large_or_in_a_submodule() {
    let git = Git::new();
    git.write("src/gone.rs", "x\n");
    let first = git.save("a.rs", "fn old_name() {}\n");
    git.remove("src/gone.rs");
    git.save("a.rs", format!("fn old_name() {{}}\n{}", "x\n".repeat(5_000_000)));
    let (name, path) =
        (word(WordKind::Identifier, "old_name"), word(WordKind::Path, "src/gone.rs"));
    let mut repo = git.open();
    assert_eq!(trace(&mut repo, &name, first), Trace::Unknown);
    assert!(matches!(trace(&mut repo, &path, first), Trace::Gone { .. }));
    git.save("a.rs", "fn new_name() {}\n");
    assert!(matches!(trace(&mut git.open(), &name, first), Trace::Gone { .. }));
    // What went before a submodule came is not in it; what went with it or later may be.
    let second = git.save("b.rs", "fn moved() {}\nfn later() {}\n");
    let moved = word(WordKind::Identifier, "moved");
    let later = word(WordKind::Identifier, "later");
    git.write("b.rs", "fn later() {}\n");
    git.run(&["add", "b.rs"]);
    git.run(&["update-index", "--add", "--cacheinfo", &format!("160000,{first},sub")]);
    git.run(&["commit", "-q", "-m", "x"]);
    let third = git.id("HEAD");
    fs::create_dir(git.root.join("sub")).unwrap();
    git.save("b.rs", "x\n");
    let mut repo = git.open();
    // Nobody listed yet what each commit changed: when the submodule came is not known.
    assert_eq!(trace(&mut repo, &name, first), Trace::Unknown);
    let mut repo = git.open();
    dates(&mut repo, &git.root, "a.rs");
    assert!(matches!(trace(&mut repo, &name, first), Trace::Gone { .. }));
    assert!(matches!(trace(&mut repo, &path, first), Trace::Gone { .. }));
    assert_eq!(trace(&mut repo, &moved, second), Trace::Unknown);
    assert_eq!(trace(&mut repo, &later, second), Trace::Unknown);
    // The paragraph was edited when the submodule was there.
    assert!(matches!(trace(&mut repo, &later, third), Trace::Gone { .. }));
}

#[test]
fn what_may_be_read_is_for_all_files_not_for_each_half_of_them() {
    let git = Git::new();
    let mut size = 0;
    for at in 0..600 {
        // Nearly all of it is in the second half.
        let text = format!("fn f{at}() {{}}\n{}", "// x\n".repeat(at / 300 * 100));
        size += text.len() as u64;
        git.write(&format!("src/{at:03}.rs"), text);
    }
    git.commit();
    let words = ["f599", "never_there"].map(|name| word(WordKind::Identifier, name));
    let missing = |searched_bytes: u64| {
        let limits = Limits { searched_bytes, ..Limits::default() };
        let program = Program::of_environment().unwrap();
        let mut repo = Repo::open(&program, &git.root, limits).unwrap();
        let missing = repo.missing(&words, &mut go).unwrap();
        (missing, repo.is_cut())
    };
    assert_eq!(missing(size), (vec![false, true], false), "all of it is read");
    // The file that goes beyond it is still read.
    for bytes in [size - 1_000, size / 2, 600] {
        assert_eq!(missing(bytes), (vec![false, false], true), "{bytes} of {size}");
    }
}

#[test]
fn what_may_be_searched_of_earlier_files_is_shared_by_all_questions() {
    let git = Git::new();
    let text = |name: &str| format!("fn {name}() {{}}\n{}", "//\n".repeat(300));
    let first = git.save("a.rs", text("first"));
    let second = git.save("a.rs", text("second"));
    git.save("a.rs", "x\n");
    let open = || {
        let limits = Limits { searched_bytes: 500, ..Limits::default() };
        Repo::open(&Program::of_environment().unwrap(), &git.root, limits).unwrap()
    };
    let [one, two] = ["first", "second"].map(|name| word(WordKind::Identifier, name));
    let mut repo = open();
    assert!(matches!(trace(&mut repo, &two, second), Trace::Gone { by: Some(_), .. }));
    assert!(!repo.is_cut());
    assert_eq!(trace(&mut repo, &one, first), Trace::Unknown);
    assert!(repo.is_cut());
    assert!(matches!(trace(&mut open(), &one, first), Trace::Gone { .. }));
}

#[test]
fn many_files_are_read_by_several_gits_as_by_one() {
    let git = Git::new();
    for at in 0..600 {
        // The same size as it is kept, and a thousand times as much to be read.
        let more = if at % 2 == 0 { "// x\n".repeat(2_000) } else { String::new() };
        git.write(&format!("src/{at:03}.rs"), format!("fn f{at}() {{}}\n{more}"));
    }
    git.commit();
    // As differences from each other.
    git.run(&["gc", "--quiet"]);
    let names: Vec<_> =
        (590..610).map(|at| word(WordKind::Identifier, &format!("f{at}"))).collect();
    let mut repo = git.open();
    let missing = repo.missing(&names, &mut go).unwrap();
    assert_eq!(missing, (590..610).map(|at| at >= 600).collect::<Vec<_>>());
    assert_eq!((repo.is_cut(), repo.unread()), (false, Unread::default()));
    // One that is too large is read by nobody.
    git.save("src/large.rs", "x\n".repeat(5_000_000));
    let mut repo = git.open();
    let missing = repo.missing(&names, &mut go).unwrap();
    assert_eq!((missing[0], missing[19], repo.unread().too_large), (false, true, 1));
    // Whoever ends it while they read is heard.
    let mut stop = |_, of| if of == Some(601) { Err(GitError::Cancelled) } else { Ok(()) };
    let ended = git.open().missing(&names, &mut stop);
    assert_eq!(ended, Err(GitError::Cancelled));
}

#[test]
fn nothing_that_a_repository_configures_is_run() {
    let git = Git::new();
    let mark = git.root.parent().unwrap().join("mark");
    let harm = format!("touch {}", mark.display());
    git.write("a.md", "one\n");
    let first = git.save(".gitattributes", "* diff=evil filter=evil\n*.rs diff=evil\n");
    git.save("a.md", "two\n");
    git.run(&["mv", "a.md", "b.md"]);
    git.commit();
    let keys = "core.fsmonitor core.pager core.sshCommand core.askPass core.editor diff.external \
                diff.evil.textconv diff.evil.command filter.evil.smudge filter.evil.clean \
                filter.evil.process gpg.program pager.log pager.diff credential.helper \
                uploadpack.packObjectsHook alias.log alias.rev-parse";
    for key in keys.split(' ') {
        git.run(&["config", key, &harm]);
    }
    git.run(&["config", "log.showSignature", "true"]);
    git.run(&["config", "core.hooksPath", "hooks"]);
    let mut repo = git.open();
    dates(&mut repo, &git.root, "b.md");
    trace(&mut repo, &word(WordKind::Path, "a.md"), first);
    repo.since(&first.to_string()).unwrap();
    repo.tracked().unwrap();
    assert!(!mark.exists());
}

#[test]
fn a_question_can_be_ended() {
    let git = Git::new();
    git.save("a.rs", "fn one() {}\n");
    let mut repo = git.open();
    let word = word(WordKind::Identifier, "one");
    let mut stop = |_, _| Err(GitError::Cancelled);
    let answer = repo.missing(std::slice::from_ref(&word), &mut stop);
    assert_eq!(answer.unwrap_err(), GitError::Cancelled);
    let answer = repo.missing(&[word], &mut go);
    assert_eq!(answer.unwrap(), [false]);
}

#[test]
fn a_work_tree_elsewhere_is_no_history_of_the_folder_that_names_it() {
    let git = Git::new();
    git.save("docs/a.md", "x\n");
    let elsewhere = |text: &str| {
        git.run(&["config", "core.worktree", text]);
        let GitError::Failed(why) = open(&git.root).unwrap_err() else { panic!("{text}") };
        assert!(why.contains("(core.worktree)"), "{why}");
    };
    elsewhere("/");
    elsewhere("../..");
    elsewhere(git.root.parent().unwrap().to_str().unwrap());
    // The folder itself may be named, as a submodule's is.
    git.run(&["config", "core.worktree", ".."]);
    assert!(open(&git.root).is_ok() && open(&git.root.join("docs")).is_ok());
    let linked = git.beside("linked");
    git.run(&["config", "--unset", "core.worktree"]);
    git.run(&["worktree", "add", "-q", linked.root.to_str().unwrap()]);
    assert!(open(&linked.root).is_ok() && open(&linked.root.join("docs")).is_ok());
}

#[test]
fn a_repository_may_use_sha_256() {
    let git = Git::new();
    fs::remove_dir_all(git.root.join(".git")).unwrap();
    git.run(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    git.save("a.md", "see `old_name` and `src/gone.rs`\n");
    git.write("src/gone.rs", (0..20).map(|n| format!("line {n}\n")).collect::<String>());
    let first = git.save("src/a.rs", "fn old_name() {}\n");
    git.run(&["mv", "src/gone.rs", "src/here.rs"]);
    let second = git.save("src/a.rs", "fn new_name() {}\n");
    assert_eq!(second.as_bytes().len(), 32);
    let mut repo = git.open();
    let gone = trace(&mut repo, &word(WordKind::Identifier, "old_name"), first);
    assert!(matches!(gone, Trace::Gone { by: Some(by), .. } if by.id == second));
    let moved = trace(&mut repo, &word(WordKind::Path, "src/gone.rs"), first);
    let Trace::Gone { renamed_to, .. } = moved else { panic!("{moved:?}") };
    assert_eq!(renamed_to.as_deref(), Some("src/here.rs"));
    let never = trace(&mut repo, &word(WordKind::Identifier, "never"), first);
    assert_eq!(never, Trace::Never);
    assert!(dates(&mut repo, &git.root, "a.md")[0].commit().is_some());
}

#[cfg(target_os = "linux")]
#[test]
fn a_repository_of_another_user_is_reported_and_not_trusted() {
    let git = Git::new();
    git.save("a.md", "x\n");
    // Only the administrator can give files away.
    if std::os::unix::fs::chown(git.root.join(".git"), Some(65_534), None).is_err()
        || std::os::unix::fs::chown(&git.root, Some(65_534), None).is_err()
    {
        eprintln!("skipped: not the administrator");
        return;
    }
    match open(&git.root) {
        Err(error) => assert_eq!(error, GitError::NotTrusted),
        Ok(_) => eprintln!("skipped: the settings of this machine trust every folder"),
    }
}
