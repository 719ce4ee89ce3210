//! Races: contestants take turns, so that the machine's moods meet them alike.

use std::time::Instant;

/// Returns true if the arguments ask for a short run, which shows only that everything works.
#[must_use]
pub fn quick() -> bool {
    std::env::args().any(|arg| arg == "--quick")
}

/// The times of one contestant, in seconds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Adds a time.
    pub fn push(&mut self, seconds: f64) {
        let place = self.0.partition_point(|known| *known < seconds);
        self.0.insert(place, seconds);
    }

    /// Returns the median.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Returns the seconds that `work` takes, dropping its result included.
pub fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let begun = Instant::now();
    std::hint::black_box(work());
    begun.elapsed().as_secs_f64()
}

/// Lets the contestants take turns for a number of rounds; each returns the seconds of its turn. A first
/// round warms up and does not count. The first contestant of a round changes, so that none always follows
/// the same other.
pub fn race<const N: usize>(
    rounds: usize,
    contestants: [&mut dyn FnMut() -> f64; N],
) -> [Samples; N] {
    let mut samples = std::array::from_fn(|_| Samples::default());
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
