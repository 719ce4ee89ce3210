//! A quick hash for names and ids, under a key that nobody who writes a repository can know: they
//! cannot make entries of a map collide.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// A map by names or ids. Nothing may depend on its order.
pub type Map<K, V> = HashMap<K, V, Keyed>;
/// A set of names or ids. Nothing may depend on its order.
pub type Set<K> = HashSet<K, Keyed>;

static SEEDS: LazyLock<[u64; 2]> = LazyLock::new(|| {
    let state = RandomState::new();
    [state.hash_one(1) | 1, state.hash_one(2) | 1]
});

/// Two odd numbers that differ in every run of the program: the key of [`Keyed`].
#[must_use]
pub fn seeds() -> [u64; 2] {
    *SEEDS
}

/// Mixes two numbers by a multiplication: both halves of the product, one over the other.
#[inline]
#[must_use]
pub const fn fold(a: u64, b: u64) -> u64 {
    let whole = a as u128 * b as u128;
    whole as u64 ^ (whole >> 64) as u64
}

/// Makes hashers with the key of this run of the program.
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    first: u64,
    second: u64,
}

impl Default for Keyed {
    fn default() -> Self {
        let [first, second] = seeds();
        Self { first, second }
    }
}

impl BuildHasher for Keyed {
    type Hasher = Folding;

    #[inline]
    fn build_hasher(&self) -> Folding {
        Folding { hash: self.first, key: self.second }
    }
}

/// Eight bytes at once, folded into the hash. It is quick for short texts; it is no digest, and not
/// the same in two runs.
#[derive(Debug)]
pub struct Folding {
    hash: u64,
    key: u64,
}

impl Hasher for Folding {
    #[inline]
    fn finish(&self) -> u64 {
        fold(self.hash, self.key)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            // How many bytes are left tells `ab` from `ab\0`.
            let rest = rest.iter().fold(rest.len() as u64, |all, byte| all << 8 | u64::from(*byte));
            self.write_u64(rest);
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.hash = fold(self.hash ^ number, self.key);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_have_hashes_that_differ() {
        let keyed = Keyed::default();
        let mut hashes = Set::default();
        let names: Vec<Vec<u8>> = (0..2_000_u32)
            .flat_map(|n| {
                let name = format!("name_{n}").into_bytes();
                [[&name[..], b"\0"].concat(), vec![0; n as usize], name]
            })
            .collect();
        for name in &names {
            assert_eq!(keyed.hash_one(name), keyed.hash_one(name));
            hashes.insert(keyed.hash_one(name));
        }
        assert_eq!(hashes.len(), names.len());
    }

    #[test]
    fn numbers_of_every_width_have_a_part_in_the_hash() {
        let keyed = Keyed::default();
        type Write = fn(&mut Folding);
        let after = |write: Write| {
            let mut hasher = keyed.build_hasher();
            write(&mut hasher);
            hasher.finish()
        };
        let nothing = after(|_| ());
        let written: [(&str, [Write; 2]); 4] = [
            ("u8", [|hash| hash.write_u8(1), |hash| hash.write_u8(2)]),
            ("u32", [|hash| hash.write_u32(1), |hash| hash.write_u32(2)]),
            ("u64", [|hash| hash.write_u64(1), |hash| hash.write_u64(2)]),
            ("usize", [|hash| hash.write_usize(1), |hash| hash.write_usize(2)]),
        ];
        for (width, [one, two]) in written {
            let (one, two) = (after(one), after(two));
            assert!(one != two && one != nothing && two != nothing, "{width}");
        }
        // Where a text ends is such a number.
        assert_ne!(keyed.hash_one(("ab", "c")), keyed.hash_one(("a", "bc")));
    }
}
