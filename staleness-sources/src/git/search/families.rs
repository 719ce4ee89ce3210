//! Which objects git keeps as differences from one another, and in what order they cost it least.
//!
//! Git keeps most objects as differences from others. To unpack one it unpacks what that differs from
//! first, and keeps it for a while. So an object is asked for before its base: the base is at hand when
//! its turn comes, and nothing is unpacked twice. And objects of one family go to the same git.

use foldhash::HashMap as Map;

use crate::git::objects::Oid;

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

/// Objects, by who reads them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Divided {
    /// For each git the places of its objects, in the order in which they are best asked for.
    pub(super) shares: Vec<Vec<usize>>,
    /// The places of objects that nobody may ask for: they differ from each other in a circle, or from
    /// those that do. Git never comes to the end of them.
    pub(super) endless: Vec<usize>,
}

/// Divides objects among so many gits, at most, so that each has about as many bytes to unpack. No
/// family is torn apart. Families stay in the order of their first objects, which follows the paths:
/// versions of a file are nearly the same.
pub(super) fn divide(objects: &[Kept], gits: usize) -> Divided {
    let (families, endless) = families(objects);
    let places = |family: Vec<usize>| family.into_iter().map(|at| objects[at].at);
    let bytes = |family: &Vec<usize>| family.iter().map(|at| objects[*at].packed + 1).sum::<u64>();
    let gits = gits.max(1) as u64;
    let all = families.iter().map(bytes).sum::<u64>().max(1);
    let mut shares: Vec<Vec<usize>> = Vec::new();
    let (mut before, mut last) = (0, None);
    for family in families {
        let share = before * gits / all;
        before += bytes(&family);
        if last.replace(share) != Some(share) {
            shares.push(Vec::new());
        }
        if let Some(git) = shares.last_mut() {
            git.extend(places(family));
        }
    }
    Divided { shares, endless: places(endless).collect() }
}

/// The families, each from the most distant descendants up to the objects that all others differ from;
/// and what is in a circle, or differs from that.
///
/// What a repository says of its objects is not to be trusted: there are chains of any length.
fn families(objects: &[Kept]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let places: Map<Oid, usize> = objects.iter().enumerate().map(|(at, it)| (it.id, at)).collect();
    let base = |at: usize| objects[at].base.and_then(|base| places.get(&base)).copied();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); objects.len()];
    for at in 0..objects.len() {
        if let Some(base) = base(at) {
            children[base].push(at);
        }
    }
    let mut families: Vec<Vec<usize>> = Vec::new();
    let mut endless = Vec::new();
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
            Some(base) if places.contains_key(&base) => &mut endless,
            Some(base) => {
                let family = *outside.entry(base).or_insert(families.len());
                if family == families.len() {
                    families.push(Vec::new());
                }
                &mut families[family]
            }
            None => {
                families.push(Vec::new());
                let last = families.len() - 1;
                &mut families[last]
            }
        };
        descendants_first(top, &children, &mut is_listed, family);
    }
    (families, endless)
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
