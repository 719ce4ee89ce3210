//! Tests the referee on a small history.

mod names;
mod referee;
mod timeline;

use std::fs;
use std::path::Path;

use referee::{Figures, read_report};
use staleness_benches::history::git;
use staleness_benches::process::run;
use timeline::Timeline;

type Fault = Box<dyn std::error::Error>;

/// Lines of a day, a file and its new content; no content means that the file is deleted.
const HISTORY: &str = r##"0 src/a.rs fn drain_queue() { flag("--eager"); }
0 src/b.rs fn stays() {}
0 package.json "lint": "eslint"
0 docs/other.md # Setup
0 docs/guide.md [a](../src/a.rs) in `src/a.rs` has `drain_queue()` and `--eager`: `npm run lint`, [b](other.md#setup)
0 docs/gone.md In `src/a.rs`.
0 CHANGELOG.md `drain_queue()` and `stays()`
10 src/a.rs
10 package.json {}
10 docs/other.md # Other
40 docs/guide.md Nothing
40 docs/gone.md
40 CHANGELOG.md Nothing"##;

fn project(folder: &Path) -> Timeline {
    run(git(folder).args(["init", "--quiet"]), "");
    for day in ["0", "10", "40"] {
        for line in HISTORY.lines().filter_map(|line| line.strip_prefix(day)?.strip_prefix(' ')) {
            let (path, text) = line.split_once(' ').unwrap_or((line, ""));
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("{text}\n")).unwrap();
            if text.is_empty() {
                fs::remove_file(path).unwrap();
            }
        }
        run(git(folder).args(["add", "--all"]), "");
        let date = format!("{} +0000", 1_700_000_000 + day.parse::<i64>().unwrap() * 86_400);
        let commit = "-c user.name=a -c user.email=a@example.org commit -qm x".split(' ');
        let mut git = git(folder);
        run(git.args(commit).env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date), "");
    }
    Timeline::read(folder).unwrap()
}

#[test]
fn mends_are_of_every_kind_and_judge_every_tool() {
    let temp = tempfile::tempdir().unwrap();
    let timeline = project(temp.path());
    let mends = timeline.mends.iter();
    let mut mends: Vec<_> =
        mends.map(|it| (&*it.document, &*it.name.text, it.from, it.at)).collect();
    mends.sort_unstable();
    let names = ["#setup", "--eager", "../src/a.rs", "drain_queue", "npm run lint", "src/a.rs"];
    assert_eq!(mends[0], ("CHANGELOG.md", "drain_queue", 1, 2));
    assert_eq!(mends[1..], names.map(|name| ("docs/guide.md", name, 1, 2)));

    let told = [
        (1, "guide", "--eager"),
        (0, "guide", "--eager"),
        (1, "gone", "src/a.rs"),
        (1, "guide", "x\theading"),
    ];
    let commit = |at: usize| &timeline.commits[at].0;
    let report = told.map(|(at, in_, name)| format!("{}\tdocs/{in_}.md\t1\t{name}\n", commit(at)));
    let reports = [("other".to_owned(), read_report(&report.concat()).unwrap())];
    let figures =
        Figures::of(&format!("{}\t{}", temp.path().display(), commit(1)), &reports).unwrap();
    let table = figures.table();
    for row in [
        "other | all | 3 | 750.00 | 33 % | 6 | 17 % | 30 |",
        "other | flag | 0 | 0.00 | 0 % | 1 | 100 % | 30 |",
    ] {
        assert!(table.contains(row), "{table}");
    }
    for kind in ["identifier", "path", "link"] {
        let row = &figures.rows[&("staleness".to_owned(), kind.to_owned())];
        assert_eq!((row.mends, &*row.days), (1, &[30][..]), "{kind}");
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let temp = tempfile::tempdir().unwrap();
    project(temp.path());
    for (list, why) in [
        ("folder", "`folder` has no tab"),
        ("/nowhere/at/all\tevery 1", "/nowhere/at/all: git clone: "),
        ("HERE\tevery 0", "`every 0`: no such"),
        ("HERE\t1234567890", "`1234567890`: no such"),
    ] {
        let list = list.replace("HERE", temp.path().to_str().unwrap());
        let told = Figures::of(&list, &[]).unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    }
    for line in ["a\tb\tc\td", "a\tb\t1\t", "a\tb\t1"] {
        let told = read_report(line).unwrap_err().to_string();
        assert!(told.contains("is not commit, path, line, name"), "{told}");
    }
}
