//! Numbers and words that look like chance, and are the same in every run.

/// A linear congruential generator.
#[derive(Debug)]
pub struct Chance(pub u64);

impl Chance {
    /// The next number, of 31 bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Some words of a vocabulary in which few words are common and most are rare.
    pub fn words(&mut self, count: usize) -> String {
        const COMMON: [&str; 8] =
            ["find", "customer", "invoice", "send", "pay", "report", "list", "create"];
        let mut word = || match self.next() % 4 {
            0 => COMMON[(self.next() % 8) as usize].to_owned(),
            _ => format!("word{}", self.next() % 20_000),
        };
        (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
    }
}
