//! One of several processes that write to one store at once.
//!
//! Arguments: `ours` or `raw`, the URL of the store, the root of the project, what the ids of uses
//! begin with, how many tools, how many uses. It says when it is ready, waits for a line, records one
//! use per transaction, and says that it is done.

use std::path::Path;

use staleness::scan::ProjectRef;
use staleness_benches::raw::redb::RawRedb;
use staleness_benches::raw::sqlite::RawSqlite;
use staleness_benches::raw::{RawUse, Reads};
use staleness_benches::{registry, uses};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [side, url, root, op, tools, count] = args.as_slice() else { panic!("six arguments") };
    let (tools, count) = (tools.parse().expect("a number"), count.parse().expect("a number"));
    let project = ProjectRef::of_root(root.as_str());
    let (backend, path) = url.split_once(':').expect("a URL");
    let path = Path::new(path);
    let raw = |at| RawUse::new(project.id.as_str(), op, tools, at);
    match (side.as_str(), backend) {
        ("ours", _) => {
            let registry = registry(url);
            let uses: Vec<_> = uses(&project, op, tools, 0..count).collect();
            at_once(uses, |each| assert!(registry.record_quietly(each).expect("it is recorded")));
        }
        (_, "sqlite") => {
            let mut store = RawSqlite::open(path);
            at_once((0..count).map(raw).collect(), |each| store.record(&[each], Reads::Same));
        }
        _ => {
            let store = RawRedb::open(path);
            at_once((0..count).map(raw).collect(), |each| store.record(&[each], Reads::Same));
        }
    }
}

fn at_once<T>(work: Vec<T>, record: impl FnMut(T)) {
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).expect("the word");
    work.into_iter().for_each(record);
    println!("done");
}
