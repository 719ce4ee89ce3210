//! The floors: the least that does the same work, over bare arrays.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// The fastest hash that still scatters names: eight bytes at a time, multiplied.
#[derive(Default)]
struct Fast(u64);

impl Hasher for Fast {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for word in words.iter().chain([&last]) {
            let mixed = self.0.rotate_left(5) ^ u64::from_le_bytes(*word);
            self.0 = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

type FastSet<'a> = HashSet<&'a str, BuildHasherDefault<Fast>>;

/// One pass over one map: which names came, and which went.
pub(crate) fn diff_floor(known: &[String], found: &[String]) -> (usize, usize) {
    let mut gone: FastSet<'_> = FastSet::with_capacity_and_hasher(known.len(), Default::default());
    gone.extend(known.iter().map(String::as_str));
    let mut came = Vec::new();
    for name in found {
        if !gone.remove(name.as_str()) {
            came.push(name.as_str());
        }
    }
    (came.len(), gone.len())
}

/// A tool as an array of them might hold it: what scoring reads, and nothing else.
#[derive(Clone, Copy)]
pub(crate) struct Slim {
    pub(crate) successes: u32,
    pub(crate) active: bool,
    pub(crate) seen_at: i64,
    pub(crate) uses: u64,
}

/// Scores and keeps the best 20, over one array.
pub(crate) fn rank_floor(tools: &[Slim], counted: u32, now: i64) -> Vec<(f64, u32)> {
    let mut scored: Vec<(f64, u64, u32)> = tools
        .iter()
        .zip(0..)
        .map(|(tool, number)| {
            let mut score = f64::from(tool.successes) / f64::from(counted);
            score *= if tool.active { 1.0 } else { 0.5 };
            score *= if now - tool.seen_at < 30 * 86_400_000 { 1.0 } else { 0.5 };
            (score, tool.uses, number)
        })
        .collect();
    let order = |a: &(f64, u64, u32), b: &(f64, u64, u32)| {
        b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2))
    };
    scored.select_nth_unstable_by(19, order);
    scored.truncate(20);
    scored.sort_unstable_by(order);
    scored.into_iter().map(|(score, _, number)| (score, number)).collect()
}

/// The window over a queue of bare marks: the last five, three of them failed.
pub(crate) fn window_floor(ring: &mut VecDeque<u8>, mark: u8, failing: &mut bool) {
    ring.push_back(mark);
    if ring.len() > 32 {
        ring.pop_front();
    }
    let failed = ring.iter().rev().take(5).filter(|mark| **mark == b'F').count();
    *failing = mark == b'F' && (*failing || failed >= 3);
}
