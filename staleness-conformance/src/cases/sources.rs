//! Sources: what makes one of another.

use staleness_core::ids::{Level, SourceId};
use staleness_core::store::SourceFilter;

use crate::case::Case;
use crate::context::{Context, act, found};
use crate::rows::{source, source_id};
use crate::steps::Write;

pub(super) const CASES: &[Case] =
    &[Case::new("sources::parts_of_an_id_do_not_run_together", no_running_together)];

fn no_running_together(context: &mut Context) {
    let stored = source_id(None, "ab", "c");
    let put = |id: &SourceId| act(context.store(), Write::new().put(source(id.clone())));
    put(&stored);
    let levels = Level::ALL.map(|level| SourceId { level, ..stored.clone() });
    let others = [
        source_id(None, "a", "bc"),
        source_id(None, "", "abc"),
        source_id(None, "abc", ""),
        source_id(None, "ab", "C"),
        source_id(None, "ab", "c "),
        source_id(Some("ab"), "ab", "c"),
    ];
    let others = levels.into_iter().filter(|id| *id != stored).chain(others);
    for (known, other) in (1..).zip(others) {
        assert_eq!(found(context, SourceFilter::Id(other.clone())), []);
        put(&other);
        assert_eq!(found(context, SourceFilter::Id(other.clone())), [source(other)]);
        assert_eq!(found(context, SourceFilter::All).len(), known + 1);
    }
}
