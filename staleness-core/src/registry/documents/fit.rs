//! Trimming of documents with too many findings to store.

use crate::knowledge::{Block, Context, Document, ItemKind, SignalSet, severity, worst_first};
use crate::store::pack;
use crate::verdict::SignalKind;

/// The maximum number of pieces of evidence of each kind per block of a trimmed document.
const OF_EACH_SORT: usize = 50;

/// Drops the least severe findings of a document that is too large, and marks the document as partial. Returns true if
/// findings were dropped. Keeps at least one block for each combination of kinds of evidence, if it fits, so that the
/// worst block survives under any rules.
pub(super) fn to_size(document: &mut Document, context: &Context) -> bool {
    if pack(&document.found).len() <= Document::MAX_FINDINGS_BYTES {
        return false;
    }
    document.found.iter_mut().for_each(thin);
    let found = &document.found;
    let severities: Vec<_> =
        found.iter().map(|block| severity(ItemKind::Document, block, context)).collect();
    let mut ranked: Vec<usize> = (0..found.len()).collect();
    ranked.sort_by(|a, b| worst_first(&severities[*a], &severities[*b]).then_with(|| a.cmp(b)));
    let mut sets: Vec<SignalSet> = Vec::new();
    let (firsts, rest): (Vec<usize>, Vec<usize>) = ranked.into_iter().partition(|at| {
        let set = SignalSet::of(&found[*at].evidence);
        let is_first = !sets.contains(&set);
        if is_first {
            sets.push(set);
        }
        is_first
    });
    // 2 bytes for the brackets around the list.
    let (mut size, mut kept) = (2, vec![false; found.len()]);
    let mut fits = |at: usize| {
        let more = pack(&found[at]).len() + 1;
        kept[at] = size + more <= Document::MAX_FINDINGS_BYTES;
        size += if kept[at] { more } else { 0 };
        kept[at]
    };
    for at in firsts {
        fits(at);
    }
    let _ = rest.into_iter().all(&mut fits);
    let mut kept = kept.into_iter();
    document.found.retain(|_| kept.next().unwrap_or(false));
    document.make_partial();
    true
}

fn thin(block: &mut Block) {
    let mut counts = [0; SignalKind::ALL.len()];
    block.evidence.retain(|each| {
        let count = &mut counts[each.fact.kind() as usize];
        *count += 1;
        *count <= OF_EACH_SORT
    });
}
