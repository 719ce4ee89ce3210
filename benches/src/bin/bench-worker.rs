//! One of several processes that write to one SQLite store concurrently.
//!
//! Arguments: `ours` or `raw`, path of the store, root of the project, prefix of use ids, number of tools,
//! number of uses. Prints a line when ready, waits for a line, records one use per transaction, and prints a
//! line when done.

use staleness::Wait;
use std::path::Path;

use staleness::scan::ProjectRef;
use staleness_benches::raw::RawUse;
use staleness_benches::raw::sqlite::RawSqlite;
use staleness_benches::{registry, uses};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [side, store, root, op, tools, count] = args.as_slice() else { panic!("six arguments") };
    let (tools, count) = (tools.parse().expect("a number"), count.parse().expect("a number"));
    let project = ProjectRef::of_root(root.as_str());
    if side == "ours" {
        let registry = registry(&format!("sqlite:{store}"));
        let uses: Vec<_> = uses(&project, op, tools, 0..count).collect();
        at_once(uses, |each| {
            assert!(registry.tools().record_quietly(each).wait().expect("it is recorded").0)
        });
    } else {
        let mut store = RawSqlite::open(Path::new(store));
        let raw = |at| RawUse::new(project.id.as_str(), op, tools, at);
        at_once((0..count).map(raw).collect(), |each| store.record(&each));
    }
}

fn at_once<T>(work: Vec<T>, record: impl FnMut(T)) {
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).expect("the word");
    work.into_iter().for_each(record);
    println!("done");
}
