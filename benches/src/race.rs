//! Races: contestants take turns, so that the machine's moods meet them alike.

use std::time::Instant;

/// Whether the arguments ask for a short run that shows only that everything works.
#[must_use]
pub fn quick() -> bool {
    std::env::args().any(|arg| arg == "--quick")
}

/// The times of one contestant, in seconds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a time.
    pub fn push(&mut self, seconds: f64) {
        let place = self.0.partition_point(|known| *known < seconds);
        self.0.insert(place, seconds);
    }

    /// The time that the share `q` of the samples does not exceed.
    #[must_use]
    pub fn quantile(&self, q: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * q).round() as usize).copied().unwrap_or(f64::NAN)
    }

    /// The median.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The 99th percentile.
    #[must_use]
    pub fn p99(&self) -> f64 {
        self.quantile(0.99)
    }
}

/// How long `work` takes, in seconds, and to let go of what came of it: who asks pays for both.
pub fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let begun = Instant::now();
    std::hint::black_box(work());
    begun.elapsed().as_secs_f64()
}

/// Lets the contestants take turns for so many rounds; each tells how long a turn took. A first round
/// warms up and does not count. Who begins a round changes, so that nobody always comes after the
/// same other.
pub fn race<const N: usize>(
    rounds: usize,
    contestants: [&mut dyn FnMut() -> f64; N],
) -> [Samples; N] {
    let mut samples = [const { Samples::new() }; N];
    for round in 0..=rounds {
        for turn in 0..N {
            let at = (turn + round) % N;
            let time = contestants[at]();
            if round > 0 {
                samples[at].push(time);
            }
        }
    }
    samples
}
