//! The floor of a tool event in a redb store: see [`staleness_benches::raw::redb`].
//!
//! Arguments: the store, the scope, the tool's name, the op id, the time.

use std::io::Read;
use std::path::Path;

use staleness_benches::process::tell_peak;
use staleness_benches::raw::redb::RawRedb;
use staleness_benches::raw::{RawUse, Reads};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [store, scope, tool, op, at] = args.as_slice() else { panic!("five arguments") };
    let mut payload = Vec::new();
    std::io::stdin().read_to_end(&mut payload).expect("the payload");
    let at: i64 = at.parse().expect("a time");
    let used = RawUse {
        scope: scope.clone(),
        tool: tool.clone(),
        server: "server0".into(),
        op: op.clone(),
        identity: at.wrapping_mul(0x1E37_79B9_7F4A_7C15),
        at,
    };
    RawRedb::open(Path::new(store)).record(&[used], Reads::Least);
    tell_peak();
}
