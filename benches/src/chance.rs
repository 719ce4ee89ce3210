//! Pseudo-random words, and hashes, the same in every run.

use staleness_conformance::disk::Draws;

/// Returns words from a vocabulary with few common and many rare words.
pub fn words(draws: &mut Draws, count: usize) -> String {
    const COMMON: [&str; 8] =
        ["find", "customer", "invoice", "send", "pay", "report", "list", "create"];
    let mut word = || match draws.below(4) {
        0 => COMMON[draws.below(8) as usize].to_owned(),
        _ => format!("word{}", draws.below(20_000)),
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}

/// Computes the 64-bit FNV-1a hash (Fowler, Noll and Vo).
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
