//! Which objects git keeps as differences from one another, and in what order they cost it least.
//!
//! Git keeps most objects as differences from others. To unpack one it unpacks what that differs from
//! first, and keeps it for a while. So an object is asked for before its base: the base is at hand when
//! its turn comes, and nothing is unpacked twice. And objects of one family go to the same git.

use staleness_core::hash::Map;

use super::Oid;

/// An object that is to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// Its place among all that are asked for.
    pub(super) at: usize,
    pub(super) id: Oid,
    /// How many bytes it takes as it is kept.
    pub(super) packed: u64,
    /// What it is kept as a difference from, if it is.
    pub(super) base: Option<Oid>,
}

/// Divides objects among so many gits, at most, so that each has about as many bytes to unpack. No
/// family is torn apart. The places of the objects are in the order in which they are best asked for.
pub(super) fn shares(objects: &[Kept], gits: usize) -> Vec<Vec<usize>> {
    let mut families = families(objects);
    let bytes = |family: &Vec<usize>| family.iter().map(|at| objects[*at].packed + 1).sum::<u64>();
    // The largest first: what comes last is small enough to even out the rest.
    families.sort_by_cached_key(|family| std::cmp::Reverse(bytes(family)));
    let mut shares: Vec<(u64, Vec<usize>)> = vec![(0, Vec::new()); gits.max(1)];
    for family in families {
        let Some(least) = shares.iter_mut().min_by_key(|(bytes, _)| *bytes) else { continue };
        least.0 += bytes(&family);
        least.1.extend(family.iter().map(|at| objects[*at].at));
    }
    shares.into_iter().map(|(_, share)| share).filter(|share| !share.is_empty()).collect()
}

/// The families, each from the most distant descendants up to the objects that all others differ from.
///
/// What a repository says of its objects is not to be trusted: they may differ from each other in a
/// circle, or in a chain of any length.
fn families(objects: &[Kept]) -> Vec<Vec<usize>> {
    let places: Map<Oid, usize> = objects.iter().enumerate().map(|(at, it)| (it.id, at)).collect();
    let base = |at: usize| objects[at].base.and_then(|base| places.get(&base)).copied();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); objects.len()];
    for at in 0..objects.len() {
        if let Some(base) = base(at) {
            children[base].push(at);
        }
    }
    let mut families: Vec<Vec<usize>> = Vec::new();
    // Those that differ from an object that is not asked for are one family too.
    let mut outside: Map<Oid, usize> = Map::default();
    let mut is_listed = vec![false; objects.len()];
    // Where the way up from which object last came by.
    let mut passed = vec![usize::MAX; objects.len()];
    for first in 0..objects.len() {
        if is_listed[first] {
            continue;
        }
        let mut top = first;
        passed[first] = first;
        while let Some(base) = base(top)
            && std::mem::replace(&mut passed[base], first) != first
        {
            top = base;
        }
        let family = match objects[top].base {
            Some(base) if !places.contains_key(&base) => {
                *outside.entry(base).or_insert(families.len())
            }
            _ => families.len(),
        };
        if family == families.len() {
            families.push(Vec::new());
        }
        descendants_first(top, &children, &mut is_listed, &mut families[family]);
    }
    families
}

/// Adds what is kept as differences from an object, and then the object.
fn descendants_first(
    top: usize,
    children: &[Vec<usize>],
    is_listed: &mut [bool],
    family: &mut Vec<usize>,
) {
    is_listed[top] = true;
    let mut open = vec![(top, 0)];
    while let Some((at, next)) = open.last_mut() {
        match children[*at].get(*next) {
            Some(child) => {
                *next += 1;
                if !std::mem::replace(&mut is_listed[*child], true) {
                    open.push((*child, 0));
                }
            }
            None => {
                family.push(*at);
                open.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests;
