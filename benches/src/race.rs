//! Lets contestants take turns, so that changes in the machine's speed affect all of them.

use std::time::Instant;

/// Returns true if the arguments ask for a quick run, which only shows that everything works.
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
    pub fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Returns the seconds that `work` takes, including dropping its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let begun = Instant::now();
    std::hint::black_box(work());
    begun.elapsed().as_secs_f64()
}

/// Lets contestants take turns for a number of rounds. Each returns the seconds of its turn. The first round
/// is a warm-up and does not count. The order changes, so that no contestant always follows the same other.
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
